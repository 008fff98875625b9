"""Bijector: the base class of invertible functions.

A family defines `_forward`, `_inverse`, `_forward_log_jacobian` and `_inverse_log_jacobian`. Its
arguments are stored as given and are cast to the type of the value in every call. As in
MindSpore, a Parameter argument does not become a parameter of the bijector.
"""

import numpy as np

from ...._core.declare.public_api import public
from ...._core.rules.base import register_type, registered, type_named
from ...._core.rules.vocabulary import Bool, DType, InstanceOf, Str, checked
from ...._core.tensor.dtype import bfloat16, float16, float32, float64
from ...._core.tensor.tensor import Tensor
from ...cell import Cell

_ATensor = InstanceOf(Tensor)

__all__ = ["Bijector"]

FLOATS = (float16, float32, float64, bfloat16)


@public("nn.probability.bijector.Bijector")
class Bijector(Cell):
    """Base class of bijectors: invertible functions g that turn a distribution into another.

    Args:
        is_constant_jacobian (bool): whether the derivative is constant.
        is_injective (bool): whether different values have different results.
        name (str): the name of the bijector.
        dtype (mindspore.dtype): the only float type that values and arguments may have; None for
            any float type, to which arguments are cast.
        param (dict): the constructor arguments of the bijector.

    Inputs:
        - **args** - a distribution, which gives a TransformedDistribution; or the name of a method,
          such as 'forward', and its arguments.

    Raises:
        TypeError: if an argument is of the wrong type, or `dtype` is not a float.
        NotImplementedError: if the family does not define the method that is called.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import Bijector
        >>> class Cube(Bijector):
        ...     def __init__(self):
        ...         super().__init__(name="Cube")
        ...     def _forward(self, x):
        ...         return x ** 3
        >>> print(Cube().forward(Tensor([2.0])))
        [8.]

    Source: mindspore.nn.probability.bijector.Bijector of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        is_constant_jacobian: Bool = False,
        is_injective: Bool = True,
        name: Str | None = None,
        dtype: DType | None = None,
        param=None,
    ):
        super().__init__()
        if dtype is not None and dtype not in FLOATS:
            raise TypeError(
                f"For '{type(self).__name__}', 'dtype' must be a float type, but got {dtype}."
            )
        (InstanceOf(dict) | None).called("a dict").refuse(type(self).__name__, "param", param)
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._name, self._dtype = name, dtype
        self._parameters = {
            key: value for key, value in (param or {}).items() if key not in ("self", "__class__")
        }
        self._own = {}
        self._plain = True

    name = property(lambda self: self._name, doc="The name of the bijector.")
    dtype = property(lambda self: self._dtype, doc="The type demanded, or None.")
    parameters = property(lambda self: self._parameters, doc="The arguments it was made with.")
    is_constant_jacobian = property(
        lambda self: self._is_constant_jacobian,
        doc="Whether the derivative is the same everywhere.",
    )
    is_injective = property(
        lambda self: self._is_injective, doc="Whether no two values have the same result."
    )
    is_scalar_batch = property(
        lambda self: self._plain and bool(self._own), doc="Whether all arguments are plain numbers."
    )

    @property
    def batch_shape(self):
        """The shape to which the arguments are broadcast; None without arguments."""
        if not self._own:
            return None
        return np.broadcast_shapes(*(value.shape for value in self._own.values()))

    # For families ---------------------------------------------------------------------------------

    def _add_parameter(self, value, name):
        """Stores an argument as a Tensor of floats; all must have one type."""
        class_name = type(self).__name__
        if type(value) not in (int, float, list) and not isinstance(value, (np.ndarray, Tensor)):
            raise TypeError(
                f"For '{class_name}', '{name}' must be a number, a list, an array or a "
                f"Tensor, but got {type(value).__name__}."
            )
        plain = type(value) in (int, float)
        if not isinstance(value, Tensor):
            value = Tensor(value, float32) if type(value) is float else Tensor(value)
        if value.dtype not in FLOATS or self._dtype not in (None, value.dtype):
            raise TypeError(
                f"For '{class_name}', '{name}' must have {self._dtype or 'a float type'}, but "
                f"got {value.dtype}."
            )
        first = next(iter(self._own.values()), value)
        if first.dtype != value.dtype:
            raise TypeError(
                f"For '{class_name}', '{name}' must have the dtype of the other arguments, "
                f"{first.dtype}, but got {value.dtype}."
            )
        self._own[name] = value
        self._plain = self._plain and plain
        return value

    def _check_value_dtype(self, value):
        """Returns `value`; raises TypeError unless it is a Tensor of floats, and of `dtype` if that
        is set."""
        _ATensor.refuse(type(self).__name__, "value", value)
        if value.dtype not in FLOATS or self._dtype not in (None, value.dtype):
            raise TypeError(
                f"For '{type(self).__name__}', 'value' must have "
                f"{self._dtype or 'a float type'}, but got {value.dtype}."
            )
        return value

    def cast_param_by_value(self, value, para):
        """Casts an argument to the dtype of a value.

        Args:
            value (Tensor): the value.
            para (Tensor): the argument.

        Returns:
            Tensor, `para` with the dtype of `value`.
        """
        _ATensor.refuse(type(self).__name__, "value", value)
        if isinstance(para, (bool, int, float, complex)):
            return Tensor(para, value.dtype)
        _ATensor.refuse(type(self).__name__, "para", para)
        return para.astype(value.dtype)

    def _with(self, value):
        """Returns the value, followed by the arguments in its type."""
        value = self._check_value_dtype(value)
        return value, *(
            self.cast_param_by_value(value, argument) for argument in self._own.values()
        )

    # Methods --------------------------------------------------------------------------------------

    def _call_method(self, question, value, *args, **kwargs):
        answer = getattr(self, f"_{question}", None)
        if answer is None:
            raise NotImplementedError(f"'{question}' is not known of '{type(self).__name__}'.")
        return answer(value, *args, **kwargs)

    def forward(self, value, *args, **kwargs):
        """Returns g(value) for a Tensor of floats."""
        return self._call_method("forward", value, *args, **kwargs)

    def inverse(self, value, *args, **kwargs):
        """Returns the x with g(x) = value for a Tensor of floats."""
        return self._call_method("inverse", value, *args, **kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """Returns the logarithm of the derivative of g at `value`, a Tensor of floats."""
        return self._call_method("forward_log_jacobian", value, *args, **kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """Returns the logarithm of the derivative of the inverse of g at `value`, a Tensor of
        floats."""
        return self._call_method("inverse_log_jacobian", value, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        """Returns the TransformedDistribution of a distribution, or the result of the method with
        the given name."""
        if args and isinstance(args[0], registered("Distribution")):
            return type_named("TransformedDistribution")(self, *args, **kwargs)
        return super().__call__(*args, **kwargs)

    def construct(self, name, *args, **kwargs):
        """Calls the method with the given name, such as 'forward' or 'inverse_log_jacobian'."""
        if name not in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
            raise ValueError(
                f"For '{type(self).__name__}', 'name' must be that of a question, but got {name!r}."
            )
        return getattr(self, name)(*args, **kwargs)


register_type("Bijector", Bijector)
