"""Shapes: reshaping, transposing, flattening, triangles. Values are moved, never changed."""

import math

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.checked import plain_numbers
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Int,
    InTensor,
    ListOf,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    real,
)
from ..._core.tensor.precision import state as precision
from ..._core.tensor.promotion import one_np, promote_np
from ..._core.tensor.tensor import Tensor
from .axes import axis_of

Anything = TensorOf(any_dtype)
Several = TupleOf(Anything) | ListOf(Anything)
Axes = Int | TupleOf(Int) | ListOf(Int)
Scalar, Count = ScalarOf(Int, TypeError), ScalarOf(Int(ge=1), TypeError)
Axis = Int | Bool


def shape_of(api, shape):
    """A shape argument (int, tuple, list, Tensor, or several ints) as a tuple of ints.

    Raises:
        TypeError: if it is none of these.
        ValueError: if it is a Tensor of two axes or more.
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    elif len(shape) == 1 and isinstance(shape[0], Tensor):
        if shape[0].ndim > 1:
            raise ValueError(f"For '{api}', 'shape' must have one axis, but got a Tensor of shape "
                             f"{shape[0].shape}.")
        shape = shape[0].asnumpy().reshape(-1).tolist()
    shape = plain_numbers(tuple(shape))
    for one in shape:
        whole = isinstance(one, int) or isinstance(one, Tensor) and one.size == 1
        if isinstance(one, bool) or not whole:
            raise TypeError(f"For '{api}', 'shape' must be ints, but got {one!r} of type "
                            f"{type(one).__name__}.")
    return tuple(int(one) for one in shape)


@op("ops.Reshape()(input, shape)", compute="native")
def reshape_array(xp, input: Anything, shape: Any):
    """Gives the same elements another shape. One length of -1 follows from the others.

    Shapes:
        `input` has as many elements as `shape` says. The result has that shape and the same dtype.

    Example:
        >>> print(ms.ops.Reshape()(ms.Tensor([1, 2, 3, 4]), (2, -1)))
        [[1 2]
         [3 4]]
    """
    return xp.reshape(input, shape)


reshape_array.vjp(input=lambda xp, g, input_shape: xp.reshape(g, input_shape))


def reshaped(api, input, shape):
    if len(shape) == 1 and type(shape[0]) is tuple:
        shape = shape[0]
    try:  # the array library refuses what does not fit; the checks below say why
        if min(shape, default=0) >= -1:
            return reshape_array.run(input, shape)
    except (TypeError, ValueError):
        shape = shape_of(api, shape)
    size = input.size
    fixed = math.prod(n for n in shape if n != -1)
    if not size and not fixed and shape.count(-1) == 1:
        return reshape_array.run(input, tuple(max(n, 0) for n in shape))
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        raise ValueError(f"For '{api}', 'shape' must have at most one -1 and else lengths, but "
                         f"got {shape}.")
    if -1 in shape and (fixed == 0 or size % fixed) or -1 not in shape and fixed != size:
        raise ValueError(
            f"For '{api}', the {size} elements of shape {input.shape} do not fit 'shape' {shape}."
        )
    return reshape_array.run(input, shape)


@public("ops.reshape", "mint.reshape")
def reshape(input, shape):
    """The same elements in another shape; one length may be -1 and follows from the others.

    Args:
        input (Tensor): any dtype.
        shape (Union[tuple[int], list[int], Tensor[int]]): the shape wanted.

    Raises:
        TypeError: if `shape` is not made of ints.
        ValueError: if the elements do not fit.

    Source: mindspore.ops.reshape of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'reshape', 'input' must be a Tensor, but got {type(input).__name__}.")
    if isinstance(shape, bool) or not isinstance(shape, (tuple, list, Tensor)):
        raise TypeError(f"For 'reshape', 'shape' must be a tuple, list or Tensor, but got "
                        f"{shape!r}.")
    return reshaped("reshape", input, (shape,))


@op(
    "ops.transpose(input, dims)",
    "ops.Transpose()(input, dims)",
    "ops.permute(input, axis: dims)",
    compute="native",
)
def transpose(xp, input: Anything, dims: TupleOf(Int) | ListOf(Int)):
    """Puts the axes in another order: axis i of the result is axis dims[i] of the input.

    Shapes:
        `dims` names each axis of `input` once. The dtype stays.

    Example:
        >>> print(ms.ops.transpose(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (1, 0)))
        [[1 4]
         [2 5]
         [3 6]]
    """
    return xp.transpose(input, tuple(d % input.ndim for d in dims))


@op(
    "mint.transpose(input, dim0, dim1)",
    "ops.swapaxes(input, axis0: dim0, axis1: dim1)",
    "ops.swapdims(input, dim0, dim1)",
    "Tensor.swapaxes(axis0: dim0, axis1: dim1)",
    "Tensor.swapdims(dim0, dim1)",
    "mint.swapaxes(input, axis0: dim0, axis1: dim1)",
    compute="native",
    quirks=Quirks(
        rules={
            f"mint.{name}": {"dim0": Scalar, "dim1": Scalar}
            for name in ("transpose", "swapaxes")
        }
    ),
)
def swapaxes(xp, input: Anything, dim0: Axis, dim1: Axis):
    """Exchanges two axes.

    Shapes:
        `input` may have any shape. The result has the two lengths exchanged and the same dtype.

    Example:
        >>> print(ms.ops.swapaxes(ms.Tensor([[1, 2, 3], [4, 5, 6]]), 0, 1))
        [[1 4]
         [2 5]
         [3 6]]
    """
    return xp.swapaxes(input, dim0, dim1)


Places = AsValue(Axes | Bool, NoneRule())


@op(
    "ops.moveaxis(x, source, destination)",
    "ops.movedim(x, source, destination)",
    "Tensor.moveaxis(source, destination)",
    "Tensor.movedim(source, destination)",
    compute="native",
)
def moveaxis(xp, x: Anything, source: Places, destination: Places):
    """Moves axes from the places `source` to the places `destination`; the others keep their order.

    Shapes:
        `x` may have any shape. The result has its axes in the new order and the same dtype.

    Example:
        >>> print(ms.ops.moveaxis(ms.ops.zeros((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)
    """
    return xp.moveaxis(x, source, destination)


@op(
    "ops.expand_dims(input_x, axis)",
    "ops.ExpandDims()(input_x, axis)",
    "ops.unsqueeze(input: input_x, dim: axis)",
    "Tensor.expand_dims(axis)",
    "mint.unsqueeze(input: input_x, dim: axis)",
    compute="native",
    quirks=Quirks(rules={"Tensor.expand_dims": {"axis": Int}}),
)
def expand_dims(xp, input_x: Anything, axis: InTensor(Int)):
    """Adds a new axis of length 1.

    Shapes:
        `input_x` may have any shape. The result has one axis more, at `axis`, and the same dtype.

    Example:
        >>> print(ms.ops.expand_dims(ms.Tensor([1, 2, 3]), 0))
        [[1 2 3]]
    """
    return xp.expand_dims(input_x, axis)


@op(
    "ops.squeeze(input, axis=None)",
    "ops.Squeeze(axis=())(input)",
    "Tensor.squeeze(axis=None)",
    "mint.squeeze(input, dim: axis)",
    compute="native",
    quirks=Quirks(
        rules={"mint.squeeze": {"axis": ScalarOf(Axes, TypeError)}, "ops.Squeeze": {"axis": Axes}}
    ),
)
def squeeze(xp, input: Anything, axis: ScalarOf(Axes, TypeError) = None):
    """Removes axes of length 1: all of them, or those named.

    Shapes:
        `input` may have any shape. The result lacks those axes; the dtype stays.

    Example:
        >>> print(ms.ops.squeeze(ms.Tensor([[[1, 2, 3]]])).shape)
        (3,)
    """
    if axis is None or axis == () or axis == [] or input.ndim == 0:
        return xp.squeeze(input)
    named = (axis,) if isinstance(axis, int) else axis
    return xp.squeeze(input, tuple(i for i in (axis_of(n, input) for n in named)
                                   if input.shape[i] == 1))


@op(compute="native")
def flatten_axes(xp, input: Anything, start_dim: Int, end_dim: Int):
    """The axes from `start_dim` to `end_dim` as one."""
    if input.ndim == 0:
        return xp.reshape(input, (1,))
    first, last = axis_of(start_dim, input), axis_of(end_dim, input)
    if first > last:
        raise ValueError(f"For 'flatten', 'start_dim' must be at most 'end_dim', but got "
                         f"{start_dim} and {end_dim}.")
    shape = input.shape
    middle = math.prod(shape[first:last + 1])
    return xp.reshape(input, (*shape[:first], middle, *shape[last + 1:]))


@public("ops.flatten")
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one.

    Args:
        input (Tensor): any dtype.
        order (str): "C" reads rows first, "F" columns first. Default: "C".
        start_dim (int), end_dim (int): the first and the last axis joined. Default: 1 and -1.

    Raises:
        TypeError: if `input` is not a Tensor, `order` no string, or an axis no int.
        ValueError: if `order` is neither "C" nor "F", or the axes are out of range or order.

    Source: mindspore.ops.flatten of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'flatten', 'input' must be a Tensor, but got {type(input).__name__}.")
    if not isinstance(order, str):
        raise TypeError(f"For 'flatten', 'order' must be a str, but got {order!r} of type "
                        f"{type(order).__name__}.")
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', 'order' must be 'C' or 'F', but got {order!r}.")
    for name, dim in (("start_dim", start_dim), ("end_dim", end_dim)):
        if isinstance(dim, bool) or not isinstance(dim, int):
            raise TypeError(f"For 'flatten', '{name}' must be an int, but got {dim!r}.")
    rank = max(input.ndim, 1)
    if not (-rank <= end_dim < rank and (-rank <= start_dim < rank or start_dim == 1 == rank)):
        raise ValueError(f"For 'flatten', 'start_dim' and 'end_dim' must be axes of "
                         f"{input.shape}, but got "
                         f"{start_dim} and {end_dim}.")
    if order == "F":
        input = transpose.run(input, tuple(reversed(range(input.ndim))))
    if input.ndim == 1 and start_dim in (0, 1, -1):
        return reshape_array.run(input, input.shape)
    if input.ndim and start_dim % input.ndim > end_dim % input.ndim:
        raise ValueError(f"For 'flatten', 'start_dim' must not come after 'end_dim', but got "
                         f"{start_dim} and {end_dim}.")
    return flatten_axes.run(input, start_dim, end_dim)


@public("ops.Flatten")
class Flatten:
    """Every axis but the first as one: `ops.Flatten()(x)`."""

    @checked
    def __call__(self, input_x: Anything):
        if input_x.ndim < 1:
            raise ValueError("For 'Flatten', 'input_x' must have at least one axis, but got a 0-d "
                             "Tensor.")
        return reshape_array.run(input_x, (input_x.shape[0],
                                           -1 if input_x.size else math.prod(input_x.shape[1:])))


@public("mint.flatten")
def mint_flatten(input, start_dim=0, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; all of them by default."""
    dims = (dim.item() if isinstance(dim, Tensor) and not dim.ndim else plain_numbers(dim)
            for dim in (start_dim, end_dim))
    return flatten(input, **dict(zip(("start_dim", "end_dim"), dims)))


@public("Tensor.ravel")
def ravel(self):
    """All elements along one axis."""
    return reshape_array.run(self, (-1,))


# Joining and splitting ----------------------------------------------------------------------------


def _joined_dtype(xp, tensors):
    """Tensors of several dtypes meet in the one they promote to, or the float type of the Cell."""
    target = tensors[0].dtype
    for one in tensors[1:]:
        target = promote_np(target, one.dtype)
    if precision.dtype is not None and any(one.dtype != target for one in tensors):
        target = precision.dtype if target.kind in "fV" else target
    return [xp.cast(one, target) for one in tensors]


def of_one_dtype(xp, tensors):
    """Tensors that must have one dtype, as they are; where a Cell brings floats to one, they meet.

    Raises:
        TypeError: they have several.
    """
    if precision.dtype is not None:
        return _joined_dtype(xp, tensors)
    for one in tensors[1:]:
        one_np(tensors[0].dtype, one.dtype)
    return tensors


# Order of elements --------------------------------------------------------------------------------


def _need_matrices(api, x):
    """Refuses a Tensor of fewer than two axes."""
    if x.ndim < 2:
        raise ValueError(f"For '{api}', 'input' must have at least two axes, but got shape "
                         f"{tuple(x.shape)}.")


@op(
    "ops.tril(input, diagonal=0)",
    "Tensor.tril(diagonal=0)",
    "mint.tril(input, diagonal=0)",
    "ops.Tril(diagonal=0)(x: input)",
    compute="native",
)
def tril(xp, input: TensorOf(real, "bool"), diagonal: Int = 0):
    """Keeps the lower triangle of each matrix, up to a diagonal, and puts zeros elsewhere.

    `diagonal` is 0 for the main one, positive for one above and negative for one below.

    Shapes:
        `input` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.tril(ms.Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 0 0]
         [4 5 0]]
    """
    _need_matrices("tril", input)
    return xp.tril(input, diagonal)


@op(
    "ops.triu(input, diagonal=0)",
    "Tensor.triu(diagonal=0)",
    "mint.triu(input, diagonal=0)",
    "ops.Triu(diagonal=0)(input)",
    compute="native",
)
def triu(xp, input: TensorOf(real, "bool"), diagonal: InTensor(Int) = 0):
    """Keeps the upper triangle of each matrix, from a diagonal on, and puts zeros elsewhere.

    `diagonal` is 0 for the main one, positive for one above and negative for one below.

    Shapes:
        `input` is (..., M, N). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.triu(ms.Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 2 3]
         [0 5 6]]
    """
    _need_matrices("triu", input)
    return xp.triu(input, diagonal)


@op("ops.Pad(paddings)(input_x)", compute="native")
def pad_with_zeros(xp, input_x: Anything, paddings: TupleOf(TupleOf(Int, length=2))):
    """Adds zeros before and after the elements along each axis; `paddings` holds a pair for each.

    Shapes:
        `input_x` may have any shape. Each axis grows by the sum of its pair; the dtype stays.

    Example:
        >>> print(ms.ops.Pad(((0, 1), (1, 1)))(ms.Tensor([[1, 2]])))
        [[0 1 2 0]
         [0 0 0 0]]
    """
    return xp.pad(input_x, paddings)


# Asking -------------------------------------------------------------------------------------------


@public("ops.shape")
def shape(input_x):
    """The shape of a Tensor, a tuple of ints.

    Raises:
        TypeError: if `input_x` is not a Tensor.
    """
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'shape', 'input_x' must be a Tensor, but got "
                        f"{type(input_x).__name__}.")
    return input_x.shape


@public("ops.size")
def size(input_x):
    """The number of elements of a Tensor.

    Raises:
        TypeError: if `input_x` is something else.
    """
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'size', 'input_x' must be a Tensor, but got "
                        f"{type(input_x).__name__}.")
    return input_x.size


@public("ops.rank")
def rank(input_x):
    """The number of axes of a Tensor.

    Raises:
        TypeError: if `input_x` is something else.
    """
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'rank', 'input_x' must be a Tensor, but got "
                        f"{type(input_x).__name__}.")
    return input_x.ndim


def _asking(name, function):
    """The Primitive form of a question: `ops.Shape()(x)`."""
    made = type(name, (), {"__call__": lambda self, x: function(x), "__doc__": function.__doc__})
    return public(f"ops.{name}")(made)


_asking("Shape", shape)
_asking("Size", size)
_asking("Rank", rank)

Tensor.T = property(lambda self: transpose.run(self, tuple(reversed(range(self.ndim)))),
                    doc="The axes in reverse order.")


@public("Tensor.dim", "Tensor.ndimension")
def dim(self):
    """The number of axes."""
    return self.ndim


@public("Tensor.numel", "Tensor.nelement")
def numel(self):
    """The number of elements."""
    return self.size
