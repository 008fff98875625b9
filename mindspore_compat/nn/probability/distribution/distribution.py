"""Distribution: the methods of a distribution, and how they are derived from each other.

A family defines some of `_prob`, `_log_prob`, `_cdf`, `_log_cdf`, `_survival_function`,
`_log_survival`, `_mean`, `_sd`, `_var`, `_mode`, `_entropy`, `_kl_loss` and `_sample`; the others
are derived from these. Each method may receive the arguments of another distribution of the family,
which replace the stored ones.
"""

import numpy as np

from .... import ops
from ...._core.rules.base import register_type
from ...._core.rules.vocabulary import DType, InstanceOf, Int, Number, Str, checked
from ...._core.tensor.dtype import (
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ...._core.tensor.tensor import Tensor
from ....common.parameter import Parameter
from ...cell import Cell

_ATuple = InstanceOf(tuple)
_ATensor = InstanceOf(Tensor)
_Given = InstanceOf(Tensor).called("a Tensor, given to the distribution or with the question")
_Values = Number | InstanceOf(list, np.ndarray, Tensor).called("a list, an array or a Tensor")

__all__ = ["Distribution"]

FLOATS = (float16, float32, float64)
NUMBERS = (*FLOATS, int8, int16, int32, int64, uint8, uint16, uint32, uint64)


def tensor_of(api, value, name, dtype):
    """Returns an argument as a Tensor of type `dtype`; None and a Parameter are returned
    unchanged."""
    if value is None or isinstance(value, Parameter):
        return value
    _Values.refuse(api, name, value)
    return value.astype(dtype) if isinstance(value, Tensor) else Tensor(value, dtype)


def need_positive(api, value, name):
    """Raises ValueError unless all elements of a Tensor are above 0."""
    if value is not None and not (value.asnumpy() > 0).all():
        raise ValueError(f"For '{api}', '{name}' must be above 0, but got {value}.")


def _rest(probability):
    return 1.0 - probability


def _rest_of_log(logarithm):
    return -ops.expm1(logarithm)


class Distribution(Cell):
    """Base class of probability distributions.

    Args:
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples.
        name (str): the name of the distribution.
        param (dict): the constructor arguments of the distribution.

    Example:
        >>> from mindspore_compat.nn.probability import distribution
        >>> normal = distribution.Normal(0.0, 2.0)
        >>> isinstance(normal, distribution.Distribution), normal.name
        (True, 'Normal')

    Source: mindspore.nn.probability.distribution.Distribution of MindSpore 2.10.
    """

    _shown = {}  # label in the printed text -> attribute; empty: nothing is printed

    @checked
    def __init__(self, seed: Int(ge=0) | None, dtype: DType, name: Str, param):
        super().__init__()
        self._name, self._dtype, self._seed = name, dtype, seed or 0
        self._parameters = {
            key: value for key, value in param.items() if key not in ("self", "__class__")
        }
        self._own = {}
        self._samplers = {}

    name = property(lambda self: self._name, doc="The name of the distribution.")
    dtype = property(lambda self: self._dtype, doc="The type of samples.")
    seed = property(lambda self: self._seed, doc="The seed of samples, 0 for the global one.")
    parameters = property(lambda self: self._parameters, doc="The arguments it was made with.")

    @property
    def batch_shape(self):
        """The shape of one sample; None if an argument is missing."""
        if any(value is None for value in self._own.values()):
            return None
        return np.broadcast_shapes(*(value.shape for value in self._own.values()))

    @property
    def broadcast_shape(self):
        """The shape to which the arguments are broadcast."""
        return self.batch_shape

    @property
    def is_scalar_batch(self):
        """Whether all arguments are plain numbers."""
        values = [self._parameters[name] for name in self._own]
        return not any(isinstance(value, Tensor) or np.ndim(value) for value in values)

    # For families ---------------------------------------------------------------------------------

    def _add_parameter(self, value, name, dtype=None):
        """Converts an argument of the distribution to a Tensor, stores it and returns it. It stays
        None if every call passes its value.
        """
        kind = dtype or (self._dtype if self._dtype in FLOATS else float32)
        value = tensor_of(type(self).__name__, value, name, kind)
        self._own[name] = value
        self._need_valid_parameters()
        return value

    def _need_valid_parameters(self):
        """Raises ValueError unless the shapes of the arguments broadcast."""
        shapes = [value.shape for value in self._own.values() if value is not None]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            raise ValueError(
                f"For '{type(self).__name__}', the shapes of "
                f"{', '.join(map(repr, self._own))} must broadcast, but got "
                f"{shapes}."
            ) from None

    def _need_float(self):
        """Raises TypeError unless `dtype` is a float type; for continuous families."""
        if self._dtype not in FLOATS:
            raise TypeError(
                f"For '{type(self).__name__}', 'dtype' must be a float type, but got {self._dtype}."
            )

    def _need_number(self):
        """Raises TypeError unless `dtype` is a float or integer type; for families of counts."""
        if self._dtype not in NUMBERS:
            raise TypeError(
                f"For '{type(self).__name__}', 'dtype' must be a type of whole numbers "
                f"or floats, but got {self._dtype}."
            )

    def _need_positive(self, *names):
        """Raises ValueError unless the arguments stored under `names` are above 0."""
        for name in names:
            need_positive(type(self).__name__, self._own[name], name)

    def _need_between_0_and_1(self, name, given):
        """Raises ValueError unless the argument stored under `name` is above 0 and below 1."""
        if given is not None:
            stored = self._own[name].asnumpy()
            if not ((stored > 0) & (stored < 1)).all():
                raise ValueError(
                    f"For '{type(self).__name__}', '{name}' must be above 0 and below 1, but got "
                    f"{given}."
                )

    def _check_param_type(self, *values):
        """Returns the given arguments; None is replaced by the distribution's own."""
        results = []
        for (name, default), value in zip(self._own.items(), values, strict=True):
            value = default if value is None else value
            _Given.refuse(type(self).__name__, name, value)
            results.append(value)
        return results[0] if len(results) == 1 else results

    def _check_value(self, value, name="value"):
        """Returns the given value as floats."""
        _ATensor.refuse(type(self).__name__, name, value)
        return value.astype(self._dtype if self._dtype in FLOATS else float32)

    def _broadcast(self, value, other):
        """Broadcasts an argument to the common shape of itself and another."""
        shape = np.broadcast_shapes(value.shape, other.shape)
        return value if value.shape == shape else ops.broadcast_to(value, shape)

    def _need_family(self, dist):
        if dist != type(self).__name__:
            raise ValueError(
                f"For '{type(self).__name__}', 'dist' must be "
                f"'{type(self).__name__}', but got {dist!r}."
            )

    def _sample_shape(self, shape, *arguments):
        """Returns the shape of the samples: `shape` followed by the shape of one sample."""
        _ATuple.refuse(type(self).__name__, "shape", shape)
        return shape + np.broadcast_shapes(*arguments)

    def _draw(self, primitive, shape, *arguments):
        """Samples from a random primitive, which is created once with the distribution's seed."""
        if primitive not in self._samplers:
            self._samplers[primitive] = primitive(self._seed)
        return self._samplers[primitive](shape, *arguments)

    def _draw_gamma(self, shape, concentration, other):
        """Samples the gamma distribution of rate 1 in float32; `other` only contributes its
        shape."""
        shape = self._sample_shape(shape, concentration.shape, other.shape)
        return self._draw(ops.Gamma, shape, concentration.astype(float32), ops.ones((), float32))

    def _call_first(self, question, ways, *args, **kwargs):
        """Calls the first existing method of `ways`, pairs (method, function of its result)."""
        for method, then in ways:
            if hasattr(self, method):
                result = getattr(self, method)(*args, **kwargs)
                return result if then is None else then(result)
        raise NotImplementedError(f"'{question}' is not known of '{type(self).__name__}'.")

    # Methods --------------------------------------------------------------------------------------

    def prob(self, value, *args, **kwargs):
        """Returns the density or probability of `value` (Tensor)."""
        ways = (("_prob", None), ("_log_prob", ops.exp))
        return self._call_first("prob", ways, value, *args, **kwargs)

    def log_prob(self, value, *args, **kwargs):
        """Returns the logarithm of the density or probability of `value` (Tensor)."""
        ways = (("_log_prob", None), ("_prob", ops.log))
        return self._call_first("log_prob", ways, value, *args, **kwargs)

    def cdf(self, value, *args, **kwargs):
        """Returns the probability of numbers up to `value` (Tensor)."""
        ways = (
            ("_cdf", None),
            ("_log_cdf", ops.exp),
            ("_survival_function", _rest),
            ("_log_survival", _rest_of_log),
        )
        return self._call_first("cdf", ways, value, *args, **kwargs)

    def log_cdf(self, value, *args, **kwargs):
        """Returns the logarithm of `cdf`."""
        ways = (("_log_cdf", None), ("cdf", ops.log))
        return self._call_first("log_cdf", ways, value, *args, **kwargs)

    def survival_function(self, value, *args, **kwargs):
        """Returns the probability of numbers above `value` (Tensor)."""
        ways = (("_survival_function", None), ("_log_survival", ops.exp), ("cdf", _rest))
        return self._call_first("survival_function", ways, value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """Returns the logarithm of `survival_function`."""
        ways = (("_log_survival", None), ("survival_function", ops.log))
        return self._call_first("log_survival", ways, value, *args, **kwargs)

    def mean(self, *args, **kwargs):
        """Returns the mean."""
        return self._call_first("mean", (("_mean", None),), *args, **kwargs)

    def mode(self, *args, **kwargs):
        """Returns the mode: the most likely value."""
        return self._call_first("mode", (("_mode", None),), *args, **kwargs)

    def sd(self, *args, **kwargs):
        """Returns the standard deviation."""
        return self._call_first("sd", (("_sd", None), ("_var", ops.sqrt)), *args, **kwargs)

    def var(self, *args, **kwargs):
        """Returns the variance."""
        return self._call_first("var", (("_var", None), ("_sd", ops.square)), *args, **kwargs)

    def entropy(self, *args, **kwargs):
        """Returns the entropy, in nats."""
        return self._call_first("entropy", (("_entropy", None),), *args, **kwargs)

    def kl_loss(self, dist, *args, **kwargs):
        """Returns the Kullback-Leibler divergence from this distribution to another of its family.

        Args:
            dist (str): the name of the family.
            args: the arguments of the other distribution, optionally followed by the arguments of
                this one.
        """
        return self._call_first("kl_loss", (("_kl_loss", None),), dist, *args, **kwargs)

    def cross_entropy(self, dist, *args, **kwargs):
        """Returns the cross entropy of this distribution and another of its family.

        Args:
            dist (str): the name of the family.
            args: the arguments of the other distribution, optionally followed by the arguments of
                this one.
        """
        parameters = args[len(self._own) :]
        mine = {
            name.removesuffix("_a"): value
            for name, value in kwargs.items()
            if not name.endswith("_b")
        }
        return self.entropy(*parameters, **mine) + self.kl_loss(dist, *args, **kwargs)

    def sample(self, *args, **kwargs):
        """Draws samples; the first argument is their shape, a tuple; () draws one."""
        return self._call_first("sample", (("_sample", None),), *args, **kwargs)

    def extend_repr(self):
        """Returns the text that the printed distribution shows."""
        if not self._shown:
            return super().extend_repr()
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        return ", ".join(f"{label} = {getattr(self, name)}" for label, name in self._shown.items())

    def get_dist_args(self, *args, **kwargs):
        """Returns the current arguments, a tuple of Tensors; passed arguments replace the stored
        ones."""
        names = list(self._own)
        unknown = [name for name in kwargs if name not in names[len(args) :]]
        if unknown or len(args) > len(names):
            raise TypeError(
                f"For '{type(self).__name__}', 'get_dist_args' takes {names}, but got "
                f"{unknown or len(args)}."
            )
        values = [*args, *(kwargs.get(name) for name in names[len(args) :])]
        arguments = self._check_param_type(*values)
        return tuple(arguments) if isinstance(arguments, list) else (arguments,)

    def get_dist_type(self):
        """Returns the name of the family."""
        return type(self).__name__

    def construct(self, name, *args, **kwargs):
        """Calls the method with the given name, such as 'prob' or 'mean'."""
        methods = (
            "prob",
            "log_prob",
            "cdf",
            "log_cdf",
            "survival_function",
            "log_survival",
            "mean",
            "mode",
            "sd",
            "var",
            "entropy",
            "kl_loss",
            "cross_entropy",
            "sample",
            "get_dist_args",
            "get_dist_type",
        )
        if name not in methods:
            raise NotImplementedError(f"'{name}' is not known of '{type(self).__name__}'.")
        return getattr(self, name)(*args, **kwargs)


register_type("Distribution", Distribution)
