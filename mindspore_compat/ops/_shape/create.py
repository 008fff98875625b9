"""New Tensors of a given shape: zeros, ones, full, eye, empty. Those that take their shape from
another Tensor are in create_like.py."""

import numpy as np

from ..._backend.arrays import HOST, current_space
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Int,
    ListOf,
    OneOf,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, Lengths, NumberOrBool
from ..primitive import Primitive, WithoutArguments
from .reshape import shape_of

_Device = Str | None

Shape = Int(ge=0) | TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | TensorOf("int32", "int64")
Sizes = Lengths | TensorOf("int32", "int64")
NoShape = NumberOrBool | Str  # accepted in place of a shape, for a 0-D Tensor
Device = OneOf("CPU", "GPU", "Ascend") | None


def _numpy(dtype, default="float32"):
    return default if dtype is None else dtypes.to_numpy(dtype)


@public("ops.zeros")
@checked
def zeros(size: Shape, dtype: DType = None):
    """Creates a Tensor of zeros of a shape; float32 by default.

    Args:
        size (Union[int, tuple[int], list[int], Tensor]): the shape of the result; a Tensor is int32
            or int64.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.zeros((2,)))
        [0. 0.]

    Source: mindspore.ops.zeros of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().zeros(shape_of("zeros", (size,)), _numpy(dtype)))


@public("ops.ones")
@checked
def ones(shape: Shape, dtype: DType = None):
    """Creates a Tensor of ones of a shape; float32 by default.

    Args:
        shape (Union[int, tuple[int], list[int], Tensor]): the shape of the result; a Tensor is
            int32 or int64.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ones((2,)))
        [1. 1.]

    Source: mindspore.ops.ones of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().ones(shape_of("ones", (shape,)), _numpy(dtype)))


@public("mint.zeros")
@checked
def mint_zeros(size: Shape, *, dtype: DType = None):
    """Creates a Tensor of zeros of a shape; float32 by default.

    Args:
        size (Union[int, tuple[int], list[int], Tensor]): the shape of the result; a Tensor is int32
            or int64.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> print(ms.mint.zeros((2, 2)))
        [[0. 0.]
         [0. 0.]]

    Source: mindspore.mint.zeros of MindSpore 2.10.
    """
    return zeros(size, dtype)


@public("mint.ones")
@checked
def mint_ones(size: Shape, *, dtype: DType = None):
    """Creates a Tensor of ones of a shape; float32 by default.

    Args:
        size (Union[int, tuple[int], list[int], Tensor]): the shape of the result; a Tensor is int32
            or int64.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> print(ms.mint.ones((2, 2), dtype=ms.int32))
        [[1 1]
         [1 1]]

    Source: mindspore.mint.ones of MindSpore 2.10.
    """
    return ones(size, dtype)


@public("ops.full")
@checked
def full(size: Lengths, fill_value: NumberOrBool | TensorOf(any_dtype), *, dtype: DType = None):
    """Creates a Tensor filled with one number. The dtype is int64 unless one is given, so fractions
    are truncated by default.

    Args:
        size (Union[tuple[int], list[int]]): the shape of the result.
        fill_value (Union[int, float, bool, Tensor]): the number, or a Tensor of one number.
        dtype (mindspore.dtype): the dtype of the result; None for int64.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.full((2,), 7))
        [7 7]

    Source: mindspore.ops.full of MindSpore 2.10, whose documented example truncates 1.2 to 1.
    """
    if type(fill_value) is int and not -(2**63) <= fill_value < 2**64:
        raise RuntimeError(f"For 'full', 'fill_value' must fit in 64 bits, but got {fill_value}.")
    if type(fill_value) is int and fill_value >= 2**63 and dtype in (None, dtypes.int64):
        fill_value -= 2**64  # as its cast to int64
    return _fill("full", size, fill_value, dtypes.int64 if dtype is None else dtype)


@public("mint.full")
@checked
def mint_full(
    size: Lengths, fill_value: NumberOrBool | TensorOf(any_dtype), *, dtype: DType = None
):
    """Creates a Tensor filled with one number; by default it has the dtype of a Tensor of this
    number.

    Args:
        size (Union[tuple[int], list[int]]): the shape of the result.
        fill_value (Union[int, float, bool, Tensor]): the number, or a Tensor of one number.
        dtype (mindspore.dtype): the dtype of the result; None for that of the number: float32 for a
            float, int64 for an int, bool for a bool.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.full((2,), 7))
        [7 7]

    Source: mindspore.mint.full of MindSpore 2.10.
    """
    return _fill("full", size, fill_value, dtype)


def _fill(api, size, value, dtype):
    if type(value) in (bool, int, float) and -(2**63) <= value < 2**63:  # needs no Tensor
        number = np.asarray(value, "float32" if type(value) is float else None)
        target = _numpy(dtype, number.dtype)
        return Tensor._wrap(current_space().full(shape_of(api, (size,)), number.item(), target))
    value = value if isinstance(value, Tensor) else Tensor(value)
    target = _numpy(dtype, value._array.dtype)
    if value._node is not None:  # its gradient is recorded
        ones = Tensor._wrap(current_space().ones(shape_of(api, (size,), ValueError), target))
        return ones * value.reshape(()).astype(ones.dtype)
    return Tensor._wrap(
        current_space().full(shape_of(api, (size,), ValueError), value.item(), target)
    )


@public("ops.fill")
@checked
def fill(type: DType | None, shape: Sizes | NoShape, value: NumberOrBool | TensorOf(any_dtype)):
    """Creates a Tensor filled with one number, which may be a Tensor of one element. Without a
    dtype, the result has the dtype of the number.

    If the shape is a number or text, the result has no axes.

    Args:
        type (mindspore.dtype): the dtype of the result; None for that of `value`.
        shape (Union[tuple[int], list[int], Tensor]): the shape of the result.
        value (Union[int, float, bool, Tensor]): the number, or a Tensor of one number.

    Returns:
        Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.fill(ms.float32, (2,), 7))
        [7. 7.]

    Source: mindspore.ops.fill of MindSpore 2.10.
    """
    sizes = shape if isinstance(shape, (tuple, list, Tensor)) else ()
    return _fill("fill", sizes, value, type)


@public("ops.empty")
@checked
def empty(*size, dtype: DType = None, device: Device = None):
    """Creates an uninitialized Tensor of a shape.

    Args:
        *size (Union[int, tuple[int], list[int]]): the shape of the result.
        dtype (mindspore.dtype): the dtype of the result; None for float32.
        device (str): "CPU" for host memory; any other name, and None, for the current device
            target.

    Returns:
        Tensor of shape `size`, whose values are arbitrary.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.empty(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.empty of MindSpore 2.10.
    """
    space = HOST if device == "CPU" else current_space()
    return Tensor._wrap(space.empty(shape_of("empty", size), _numpy(dtype)))


Count = ScalarOf(Int(ge=0), TypeError)


@public("ops.eye", "mint.eye")
@checked
def eye(n: Count, m: Int(ge=0) | None = None, dtype: DType = None):
    """Creates an n x m matrix (n x n without `m`) with ones on the diagonal and zeros elsewhere;
    float32 by default.

    Args:
        n (int): the number of rows.
        m (int): the number of columns; None for `n`.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor of shape (n, m).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.eye(2))
        [[1. 0.]
         [0. 1.]]

    Source: mindspore.ops.eye of MindSpore 2.10.
    """
    return Tensor._wrap(current_space().eye(n, m, dtype=_numpy(dtype)))


@public("ops.Zeros")
class Zeros(WithoutArguments):
    """Creates a Tensor of zeros, as `ops.zeros`: `ops.Zeros()(size, dtype)`.

    Inputs:
        - **size** (Union[int, tuple[int], list[int], Tensor]): the shape of the result.
        - **dtype** (mindspore.dtype): its dtype; None for float32.

    Outputs:
        Tensor of shape `size`.

    Raises:
        TypeError: if `size` does not hold ints, or `dtype` is not a dtype.
        ValueError: if a length is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Zeros()((2, 2), ms.int32))
        [[0 0]
         [0 0]]
    """

    def __call__(self, size, dtype=None):
        return zeros(size, dtype)


@public("ops.Ones")
class Ones(WithoutArguments):
    """Creates a Tensor of ones, as `ops.ones`: `ops.Ones()(shape, dtype)`.

    Inputs:
        - **shape** (Union[int, tuple[int], list[int], Tensor]): the shape of the result.
        - **dtype** (mindspore.dtype): its dtype; None for float32.

    Outputs:
        Tensor of shape `shape`.

    Raises:
        TypeError: if `shape` does not hold ints, or `dtype` is not a dtype.
        ValueError: if a length is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Ones()((2, 2), ms.float32))
        [[1. 1.]
         [1. 1.]]
    """

    def __call__(self, shape, dtype=None):
        return ones(shape, dtype)


@public("ops.Fill")
class Fill(WithoutArguments):
    """Creates a Tensor filled with one number, as `ops.full`: `ops.Fill()(dtype, dims, x)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Fill()(ms.float32, (1, 3), 7))
        [[7. 7. 7.]]
    """

    def __call__(self, dtype, dims, x):
        return full(dims, x, dtype=dtype)


@public("ops.Eye")
class Eye(WithoutArguments):
    """Creates an n x m matrix with ones on the diagonal and zeros elsewhere: `ops.Eye()(n, m,
    dtype)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Eye()(2, 2, ms.float32))
        [[1. 0.]
         [0. 1.]]
    """

    @checked
    def __call__(self, n: Count, m: Count, dtype: DType):
        return eye(n, m, dtype)


@op(compute="native")
def fill_v2(xp, value: TensorOf(any_dtype), shape: TupleOf(Int)):
    """Creates a Tensor filled with one value; a gradient flows to the value."""
    if value.size != 1:
        raise ValueError(f"For 'FillV2', 'value' must be one number, but got shape {value.shape}.")
    return xp.broadcast_to(xp.reshape(value, ()), shape)


@public("ops.FillV2")
class FillV2(Primitive):
    """Creates a Tensor of a shape filled with one value: `ops.FillV2()(shape, value)`.

    If the shape is a number or text, the result has no axes.

    Raises:
        TypeError: if `shape` is None or does not hold ints, or `value` is not a Tensor.
        ValueError: if a length is negative, or `value` does not have one element.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.FillV2()(ms.Tensor([2], ms.int32), ms.Tensor(7.0)))
        [7. 7.]

    Source: mindspore.ops.FillV2 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("FillV2")

    @checked
    def __call__(self, shape: TupleOf(Int(ge=0)) | Index | NoShape, value: Anything):
        size = shape_of("FillV2", (shape,), ValueError) if isinstance(shape, tuple | Tensor) else ()
        return fill_v2.run(value, size)

    def infer_value(self, dims, x):
        """Returns the result if shape and value are constants; None if they are known only at run
        time.
        """
        unknown = dims is None or x is None or isinstance(dims, Tensor) or None in dims
        return None if unknown else self(tuple(dims), x)


def space_of_device(api, device, pin_memory, own):
    """Returns the array namespace of a device given by name; `own` if no device is given."""
    if not isinstance(device, (str, type(None))):
        _Device.refuse(api, "device", device)
    host = device in ("CPU", "cpu")
    if pin_memory and not host:
        raise RuntimeError(f"For '{api}', 'pin_memory' needs 'device' 'CPU', but got {device!r}.")
    if device is not None and not host and device not in ("Ascend", "npu", "meta"):
        raise ValueError(
            f"For '{api}', 'device' must be 'Ascend', 'npu', 'CPU', 'cpu' or 'meta', "
            f"but got {device!r}."
        )
    return HOST if host else own if device is None else current_space()


@public("mint.empty")
@checked
def mint_empty(*size, dtype: DType = None, device=None, pin_memory: Bool = False):
    """Creates an uninitialized Tensor of a shape.

    Args:
        *size (Union[tuple[int], list[int], int]): the shape.
        dtype (mindspore.dtype): the dtype. Default: float32.
        device (str): "CPU" or "cpu" for host memory; "Ascend" or "npu" for the accelerator; "meta"
            if the values will not be read. Default: the device target.
        pin_memory (bool): for host memory, whether a device may read it directly.

    Returns:
        Tensor of the shape and dtype; its values are whatever the memory holds.

    Raises:
        TypeError: if `size` is not a shape, or an argument has the wrong type.
        ValueError: if `device` is an unknown name.
        RuntimeError: if `pin_memory` is set for a device other than the CPU.

    Example:
        >>> print(ms.mint.empty((2, 3)).shape)
        (2, 3)

    Source: mindspore.mint.empty of MindSpore 2.10.
    """
    space = space_of_device("empty", device, pin_memory, current_space())
    target = "float32" if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(shape_of("empty", size), target))
