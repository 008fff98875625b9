"""New Tensors on the current device target: zeros, ones, full, eye, one-hot."""

import numpy as np

from ..._backend.arrays import HOST, current_space, space_of
from ..._backend.thresholds import Least
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Int,
    InTensor,
    ListOf,
    Number,
    OneOf,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    integer,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, Lengths, NumberOrBool
from ..primitive import Primitive, WithoutArguments
from . import reshape
from .one_hot_vectors import is_position, written
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

    `device` "CPU" means host memory; any other name, and None, means the current device target.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.empty(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.empty of MindSpore 2.10.
    """
    space = HOST if device == "CPU" else current_space()
    return Tensor._wrap(space.empty(shape_of("empty", size), _numpy(dtype)))


@op(
    "ops.zeros_like(input, *, dtype=None)",
    "ops.ZerosLike()(x: input)",
    "mint.zeros_like(input, *, dtype=None)",
    compute="native",
)
def zeros_like(xp, input: TensorOf(any_dtype), dtype: DType = None):
    """Creates a Tensor of zeros with the shape of the input.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.zeros_like(ms.Tensor([[1.0, 2.0]])))
        [[0. 0.]]
    """
    return xp.zeros(input.shape, input.dtype if dtype is None else dtype)


@op(
    "ops.ones_like(input, *, dtype=None)",
    "ops.OnesLike()(x: input)",
    "mint.ones_like(input, *, dtype=None)",
    compute="native",
)
def ones_like(xp, input: TensorOf(any_dtype), dtype: DType = None):
    """Creates a Tensor of ones with the shape of the input.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.ones_like(ms.Tensor([[1.0, 2.0]])))
        [[1. 1.]]
    """
    return xp.ones(input.shape, input.dtype if dtype is None else dtype)


@op(
    "ops.full_like(input, fill_value, *, dtype=None)",
    "mint.full_like(input, fill_value, *, dtype=None)",
    compute="native",
)
def full_like(
    xp,
    input: TensorOf(any_dtype),
    fill_value: NumberOrBool | TensorOf(real, "bool"),
    dtype: DType = None,
):
    """Creates a Tensor with the shape of the input, filled with one number.

    Shapes:
        `input` may have any shape. The result has the same shape, and its dtype unless `dtype` is
        given.

    Example:
        >>> print(ms.ops.full_like(ms.Tensor([[1.0, 2.0]]), 7))
        [[7. 7.]]
    """
    if fill_value.size != 1:
        raise ValueError(
            f"For 'full_like', 'fill_value' must be one number, but got shape "
            f"{tuple(fill_value.shape)}."
        )
    value = xp.cast(xp.reshape(fill_value, ()), input.dtype if dtype is None else dtype)
    return xp.array(xp.broadcast_to(value, input.shape))


Count = ScalarOf(Int(ge=0), TypeError)


@public("ops.eye", "mint.eye")
@checked
def eye(n: Count, m: Int(ge=0) | None = None, dtype: DType = None):
    """Creates an n x m matrix (n x n without `m`) with ones on the diagonal and zeros elsewhere;
    float32 by default.

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


Value = TensorOf(integer | {"float16", "float32"})


@op(
    "ops.one_hot(indices, depth, on_value=1, off_value=0, axis=-1)",
    "ops.OneHot(axis=-1)(indices, depth, on_value, off_value)",
    types=SameDtype("on_value off_value"),
    compute="native",
    quirks=Quirks(rules={"ops.OneHot": {"on_value": Value, "off_value": Value}}),
)
def one_hot(
    xp,
    indices: TensorOf("int32", "int64"),
    depth: InTensor(Int(ge=0)),
    on_value: FirstOf(Number) | Value = 1,
    off_value: FirstOf(Number) | Value = 0,
    axis: ScalarOf(Int) = -1,
):
    """Encodes indices as one-hot vectors: a new axis holds `on_value` at each index and `off_value`
    elsewhere. If one of them is a Tensor of several values, the first is used. An index out of
    range gives only `off_value`.

    Shapes:
        `indices` is of any shape of integers. The result has a new axis of length `depth` at
        `axis`, and the dtype of the values.

    Example:
        >>> print(ms.ops.one_hot(ms.Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]
    """
    on_value, off_value = (
        xp.ravel(array)[0] if array.ndim else array for array in (on_value, off_value)
    )
    if on_value.dtype != off_value.dtype:
        raise TypeError(
            f"For 'one_hot', 'on_value' and 'off_value' must have one dtype, but got "
            f"{on_value.dtype} and {off_value.dtype}."
        )
    axis = axis if axis >= 0 else axis + indices.ndim + 1
    if indices.size * depth < Least.ONE_HOT:
        return xp.where(is_position(xp, indices, depth, axis), on_value, off_value)
    return written(xp, indices, depth, on_value, off_value, axis)


@public("Tensor.new_zeros")
@checked
def new_zeros(input: TensorOf(any_dtype), size: Shape, dtype: DType = None):
    """Creates a Tensor of zeros of the given size; by default it has the dtype of this Tensor.

    Source: mindspore.Tensor.new_zeros of MindSpore 2.10.
    """
    return full(shape_of("new_zeros", (size,)), 0, dtype=input.dtype if dtype is None else dtype)


@public("Tensor.new_ones")
@checked
def new_ones(input: TensorOf(any_dtype), size: Shape, dtype: DType = None):
    """Creates a Tensor of ones of the given size; by default it has the dtype of this Tensor.

    Source: mindspore.Tensor.new_ones of MindSpore 2.10.
    """
    return full(shape_of("new_ones", (size,)), 1, dtype=input.dtype if dtype is None else dtype)


@public("Tensor.new_full")
@checked
def new_full(
    input: TensorOf(any_dtype),
    size: TupleOf(Int(ge=0)) | ListOf(Int(ge=0)),
    fill_value: Number | Bool,
    *,
    dtype: DType = None,
):
    """Creates a Tensor of the given size, filled with one number; by default it has the dtype of
    this Tensor.

    Source: mindspore.Tensor.new_full of MindSpore 2.10.
    """
    return full(size, fill_value, dtype=input.dtype if dtype is None else dtype)


@op(compute="native")
def fill_v2(xp, value: TensorOf(any_dtype), shape: TupleOf(Int)):
    """Creates a Tensor of a shape filled with one value, which may have a gradient."""
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


@op("ops.fills(x, value)", "ops.Fills()(x, value)", "Tensor.fills(value)", compute="native")
def fills(xp, x: Anything, value: TensorOf(any_dtype, scalars=True)):
    """Creates a Tensor filled with one value, in the shape and dtype of another Tensor.

    Shapes:
        `x` may have any shape, `value` is a number or a Tensor of one. The result has the shape and
        dtype of `x`.

    Example:
        >>> print(ms.ops.fills(ms.Tensor([1.0, 2.0]), 7))
        [7. 7.]
    """
    if value.ndim:
        raise ValueError(f"For 'fills', 'value' must be one number, but got shape {value.shape}.")
    return xp.broadcast_to(xp.cast(value, x.dtype), x.shape)


@public("Tensor.fill")
def tensor_fill(self, value):
    """Creates a Tensor filled with one value, in this Tensor's shape and dtype; None gives 0."""
    return fills.run(self, 0 if value is None else value)


def _space_of_device(api, device, pin_memory, own):
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

    Raises:
        TypeError: if `size` is not a shape, or an argument has the wrong type.
        ValueError: if `device` is an unknown name.
        RuntimeError: if `pin_memory` is set for a device other than the CPU.

    Example:
        >>> print(ms.mint.empty((2, 3)).shape)
        (2, 3)

    Source: mindspore.mint.empty of MindSpore 2.10.
    """
    space = _space_of_device("empty", device, pin_memory, current_space())
    target = "float32" if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(reshape.shape_of("empty", size), target))


@public("mint.empty_like")
@checked
def empty_like(input: Anything, *, dtype: DType = None, device=None, pin_memory: Bool = False):
    """Creates an uninitialized Tensor with the shape of another, and its dtype unless one is given.

    `device` and `pin_memory` have the same meaning as in `mint.empty`.

    Raises:
        TypeError: if `input` is not a Tensor, or an argument has the wrong type.
        ValueError: if `device` is an unknown name.
        RuntimeError: if `pin_memory` is set for a device other than the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.empty_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)

    Source: mindspore.mint.empty_like of MindSpore 2.10.
    """
    space = _space_of_device("empty_like", device, pin_memory, space_of(input._array))
    target = input._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(input.shape, target))


@public("Tensor.new_empty")
@checked
def new_empty(
    input: Anything,
    size: TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | Int(ge=0),
    *,
    dtype: DType = None,
    device=None,
):
    """Creates an uninitialized Tensor of the given size, by default of the dtype of this Tensor.

    `device` is that of `mint.empty`. None means the device of this Tensor.
    """
    space = _space_of_device("new_empty", device, False, space_for(input._array))
    target = input._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(reshape.shape_of("new_empty", (size,)), target))


@op("mint.nn.functional.one_hot(tensor, num_classes=-1)", compute="native")
def mint_one_hot(xp, tensor: Index, num_classes: Int(ge=-1) = -1):
    """Encodes class numbers as one-hot vectors along a new last axis: 1 at the class of each
    element and 0 elsewhere.

    Shapes:
        `tensor` is of any shape of integers. The result has a new last axis of length
        `num_classes`, or, if that is -1, of the largest class plus one, and is int64.

    Example:
        >>> print(ms.mint.nn.functional.one_hot(ms.Tensor([0, 2])))
        [[1 0 0]
         [0 0 1]]
    """
    if num_classes == -1:
        num_classes = int(xp.max(tensor)) + 1 if tensor.size else 1
    if tensor.size * num_classes < Least.ONE_HOT:
        return xp.cast(is_position(xp, tensor, num_classes, tensor.ndim), tensor.dtype)
    on_value, off_value = xp.ones((), tensor.dtype), xp.zeros((), tensor.dtype)
    return written(xp, tensor, num_classes, on_value, off_value, tensor.ndim)
