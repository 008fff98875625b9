"""Dtypes: casts, and queries of a Tensor's type."""

import numpy as np

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import DType, InstanceOf, TensorOf, any_dtype, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._rules import Anything
from ..primitive import Primitive

_Input = InstanceOf(Tensor, COOTensor, CSRTensor).called("a Tensor")


def _unless_same(run):
    def cast_or_itself(input, dtype):
        if isinstance(input, Tensor) and input._array.dtype is dtype and not in_graph():
            return input
        return run(input, dtype)

    return cast_or_itself


@op(
    "ops.cast(input, dtype)",
    "ops.Cast()(input_x: input, dtype)",
    types=Promote(""),
    compute="native",
    quirks=Quirks(around=_unless_same),
)
def cast(xp, input: TensorOf(any_dtype, scalars=True), dtype: DType):
    """Casts a Tensor to another dtype. A float is truncated to an integer. A cast to bool gives
    True except for 0.

    Shapes:
        `input` may have any shape. The result has the same shape and is of `dtype`.

    Example:
        >>> print(ms.ops.cast(ms.Tensor([1.7, -1.7, 0.0]), ms.int32))
        [ 1 -1  0]
    """
    return xp.cast(input, dtype)


cast.vjp(input=lambda xp, g: g)

_PYTHON = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64}


def named_dtype(api, value):
    """Returns the MindSpore dtype for a dtype of MindSpore, NumPy or Python, or for a name.

    Raises:
        TypeError: if `value` is not one of these.
    """
    if isinstance(value, dtypes.Type):
        return value
    if value in _PYTHON:
        return _PYTHON[value]
    try:
        if not isinstance(value, (str, type, dtypes.np.dtype)):  # NumPy takes None, and scalars
            raise TypeError
        return dtypes.from_numpy(
            dtypes.np.dtype(value.lower() if isinstance(value, str) else value)
        )
    except (TypeError, ValueError):  # NumPy raises ValueError for a Tensor
        raise TypeError(
            f"For '{api}', 'dtype' must be a dtype or the name of one, but got {value!r} of type "
            f"{type(value).__name__}."
        ) from None


@public("Tensor.astype")
def astype(self, dtype, copy=True):
    """Casts the Tensor to another dtype.

    Args:
        dtype (Union[mindspore.dtype, numpy.dtype, type, str]): the dtype of the result.
        copy (bool): False to return the Tensor itself if it already has the dtype.

    Raises:
        TypeError: if `dtype` is not a dtype.

    Source: mindspore.Tensor.astype of MindSpore 2.10.
    """
    target = named_dtype("Tensor.astype", dtype)
    if not copy and target == self.dtype:
        return self
    return cast.run(self, dtypes.to_numpy(target))


def _conversion(path, dtype):
    """Defines a method that casts to a dtype, such as `Tensor.float()`."""

    def convert(self):
        return cast.run(self, dtypes.to_numpy(dtype))

    convert.__name__ = path.removeprefix("Tensor.")
    convert.__doc__ = f"The values as {dtype}."
    return public(path)(convert)


_conversion("Tensor.bool", dtypes.bool_)
_conversion("Tensor.byte", dtypes.uint8)
_conversion("Tensor.short", dtypes.int16)
_conversion("Tensor.int", dtypes.int32)
_conversion("Tensor.long", dtypes.int64)
_conversion("Tensor.half", dtypes.float16)
_conversion("Tensor.bfloat16", dtypes.bfloat16)
_conversion("Tensor.float", dtypes.float32)
_conversion("Tensor.double", dtypes.float64)


@public("ops.DType")
class DTypeOf(Primitive):
    """Returns the dtype of a Tensor, as a Primitive: `ops.DType()(x)`.

    Inputs:
        - **input_x** (Tensor): any Tensor.

    Outputs:
        mindspore.dtype.

    Raises:
        TypeError: if `input_x` is not a Tensor.

    Example:
        >>> print(ms.ops.DType()(ms.Tensor([1.0])))
        Float32
    """

    def __init__(self):
        super().__init__("DType")

    def __call__(self, input_x):
        return dtype(input_x)


@public("ops.dtype")
def dtype(input):
    """Returns the dtype of a Tensor, or of the values of a COOTensor or CSRTensor.

    Args:
        input (Union[Tensor, COOTensor, CSRTensor]): the input.

    Returns:
        A mindspore.dtype.

    Raises:
        TypeError: if `input` is not one of these.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dtype(ms.Tensor([1.0])))
        Float32
    """
    if not isinstance(input, (Tensor, COOTensor, CSRTensor)):
        _Input.refuse("dtype", "input", input)
    return input.dtype


@public("Tensor.type_as")
def type_as(self, other):
    """Casts the Tensor to the dtype of `other`; returns the Tensor itself if it has that dtype."""
    if self._array.dtype == other._array.dtype and not in_graph():
        return self
    return cast.run(self, other._array.dtype)


@public("Tensor.is_floating_point", "ops.is_floating_point")
@checked
def is_floating_point(input: Instead(InstanceOf(Tensor, np.ndarray, np.generic), AttributeError)):
    """Returns True if the Tensor has a floating dtype; False for an array or scalar of NumPy.

    Args:
        input (Tensor): the input.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_floating_point(ms.Tensor([1.0])))
        True
    """
    return isinstance(input, Tensor) and input.dtype.is_floating_point


@public("Tensor.is_complex")
def is_complex(self):
    """Returns True if the Tensor has a complex dtype."""
    return self.dtype.is_complex


@public("Tensor.is_signed")
def is_signed(self):
    """Returns True if the Tensor has a dtype that can hold negative values."""
    return self._array.dtype.kind not in "ub"


@public("Tensor.type")
def tensor_type(self, dtype=None):
    """Returns the name of the dtype, or, if a dtype is given, a copy that is cast to it.

    Raises:
        TypeError: if `dtype` is not a dtype of MindSpore, NumPy or Python, or the name of one.

    Source: mindspore.Tensor.type of MindSpore 2.10.
    """
    if dtype is None:
        return str(self.dtype)
    return self.astype(named_dtype("type", dtype))


@public("ops.type_as")
@checked
def ops_type_as(input: Anything, other: Anything):
    """Casts the input to the dtype of another Tensor.

    Args:
        input (Tensor): what is cast.
        other (Tensor): gives the dtype.

    Returns:
        Tensor of the dtype of `other`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.type_as(ms.Tensor([1.7]), ms.Tensor([1])))
        [1]
    """
    return input.astype(other.dtype)


@public("ops.is_complex")
@checked
def ops_is_complex(input: Anything):
    """Returns True if the Tensor has a complex dtype.

    Args:
        input (Tensor): the input.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_complex(ms.Tensor([1 + 2j])))
        True
    """
    return input._array.dtype.kind == "c"
