"""New Tensors with the shape, the dtype or the device of another."""

from ..._backend.arrays import space_of
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Int,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, NumberOrBool
from .create import Shape, full, space_of_device
from .reshape import shape_of


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


@public("mint.empty_like")
@checked
def empty_like(input: Anything, *, dtype: DType = None, device=None, pin_memory: Bool = False):
    """Creates an uninitialized Tensor with the shape of another, and its dtype unless one is given.

    Args:
        input (Tensor): gives the shape.
        dtype (mindspore.dtype): the dtype of the result; None for that of `input`.
        device (str): as for `mint.empty`; None for the device of `input`.
        pin_memory (bool): as for `mint.empty`. Default: False.

    Returns:
        Tensor of the shape of `input`, whose values are arbitrary.

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
    space = space_of_device("empty_like", device, pin_memory, space_of(input._array))
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
    space = space_of_device("new_empty", device, False, space_for(input._array))
    target = input._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(space.empty(shape_of("new_empty", (size,)), target))
