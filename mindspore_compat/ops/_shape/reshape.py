"""Reshaping, flattening, squeezing. Values are moved, never changed."""

import math

from ..._backend.arrays import SPACES
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Any,
    Int,
    InTensor,
    ListOf,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    checked,
    integer,
)
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from .._rules import Anything, IntOrInts
from ..primitive import WithoutArguments
from .axes import as_tuple, axis_of
from .transpose import transpose

Scalar = ScalarOf(Int, TypeError)


def shape_of(api, shape, error=TypeError):
    """Returns a shape argument (int, tuple, list, Tensor, or several ints) as a tuple of ints.

    Raises:
        TypeError: if it is not one of these, or a Tensor that does not hold integers.
        TypeError or another `error`: if it is a multi-dimensional Tensor.
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    elif len(shape) == 1 and isinstance(shape[0], Tensor):
        if shape[0].ndim > 1:
            raise error(
                f"For '{api}', 'shape' must have one axis, but got a Tensor of shape "
                f"{shape[0].shape}."
            )
        TensorOf(integer).refuse(api, "shape", shape[0])
        shape = shape[0].asnumpy().reshape(-1).tolist()
    shape = plain_numbers(tuple(shape))
    for position, size in enumerate(shape, 1):
        whole = isinstance(size, int) or (
            isinstance(size, Tensor) and size.size == 1 and size._array.dtype.kind in "iu"
        )
        if isinstance(size, bool) or not whole:
            kind, name = type(size).__name__, api.rpartition(".")[2]
            raise TypeError(
                f"For '{api}', 'shape' must be ints, but got {size!r} of type {kind}. {name}(): "
                f"argument 'shape' (position {position}) must be tuple of int, not {kind}."
            )
    return tuple(int(size) for size in shape)


@op(
    "ops.Reshape()(input, shape)",
    compute="native",
    quirks=Quirks(rules={"ops.Reshape": {"shape": InTensor(TupleOf(Int) | ListOf(Int))}}),
)
def reshape_array(xp, input: Anything, shape: Any):
    """Reshapes the input. One length may be -1 and is inferred from the others.

    Shapes:
        `input` has as many elements as `shape`. The result has the shape `shape` and the same
        dtype.

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
    try:  # the array library rejects shapes that do not fit; the checks below explain the error
        if min(shape, default=0) >= -1:
            return reshape_array.run(input, shape)
    except (TypeError, ValueError):
        shape = shape_of(api, shape)
    size = input.size
    fixed = math.prod(n for n in shape if n != -1)
    if not size and not fixed and shape.count(-1) == 1:
        return reshape_array.run(input, tuple(max(n, 0) for n in shape))
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        raise ValueError(
            f"For '{api}', 'shape' must have at most one -1 and else lengths, but got {shape}."
        )
    if -1 in shape and (fixed == 0 or size % fixed) or -1 not in shape and fixed != size:
        raise ValueError(
            f"For '{api}', the {size} elements of shape {input.shape} do not fit 'shape' {shape}."
        )
    return reshape_array.run(input, shape)


@public("ops.reshape", "mint.reshape")
def reshape(input, shape):
    """Reshapes the input; one length may be -1 and is inferred from the others.

    Args:
        input (Tensor): any dtype.
        shape (Union[tuple[int], list[int], Tensor[int]]): the new shape.

    Returns:
        Tensor of shape `shape`, with the elements in the same order.

    Raises:
        TypeError: if `shape` does not hold ints.
        ValueError: if the number of elements differs.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.reshape(ms.Tensor([1, 2, 3, 4]), (2, 2)))
        [[1 2]
         [3 4]]

    Source: mindspore.ops.reshape of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        Anything.refuse("reshape", "input", input)
    if isinstance(shape, bool) or not isinstance(shape, (tuple, list, Tensor)):
        raise TypeError(
            f"For 'reshape', 'shape' must be a tuple, list or Tensor, but got {shape!r}."
        )
    return reshaped("reshape", input, (shape,))


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
        `input_x` may have any shape. The result has one more axis, at `axis`, and the same dtype.

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
        rules={
            "mint.squeeze": {"axis": ScalarOf(IntOrInts, TypeError)},
            "ops.Squeeze": {"axis": IntOrInts},
        },
        stored={"ops.Squeeze": {"axis": as_tuple}},
    ),
)
def squeeze(xp, input: Anything, axis: ScalarOf(IntOrInts, TypeError) = None):
    """Removes axes of length 1: all of them, or those in `axis`, which may name one twice.

    Shapes:
        `input` may have any shape. The result lacks those axes; the dtype is kept.

    Example:
        >>> print(ms.ops.squeeze(ms.Tensor([[[1, 2, 3]]])).shape)
        (3,)
    """
    if axis is None or axis == () or axis == [] or input.ndim == 0:
        return xp.squeeze(input)
    axes = (axis,) if isinstance(axis, int) else axis
    indices = {axis_of(n, input) for n in axes}
    return xp.squeeze(input, tuple(i for i in sorted(indices) if input.shape[i] == 1))


@op(compute="native")
def flatten_axes(xp, input: Anything, start_dim: Int, end_dim: Int):
    """Flattens the axes from `start_dim` to `end_dim` into one."""
    if input.ndim == 0:
        return xp.reshape(input, (1,))
    first, last = axis_of(start_dim, input), axis_of(end_dim, input)
    if first > last:
        raise ValueError(
            f"For 'flatten', 'start_dim' must be at most 'end_dim', but got "
            f"{start_dim} and {end_dim}."
        )
    shape = input.shape
    middle = math.prod(shape[first : last + 1])
    return xp.reshape(input, (*shape[:first], middle, *shape[last + 1 :]))


@op(compute="native")
def rows_copied(xp, input: Anything):
    """Copies the Tensor with all axes after the first joined."""
    return xp.array(xp.reshape(input, (input.shape[0], math.prod(input.shape[1:]))))


rows_copied.vjp(input=lambda xp, g, input_shape: xp.reshape(g, input_shape))


def rows(input):
    """Joins all axes after the first. In PyNative mode the result is a copy, as in MindSpore.
    Within a graph it is a view, because nothing can tell the two apart."""
    if in_graph() or type(input._array) not in SPACES:
        return reshape_array.run(input, (input.shape[0], math.prod(input.shape[1:])))
    return rows_copied.run(input)


def joined(input, start_dim, end_dim):
    """Joins axes: a copy if they are all but the first and counted so, otherwise a view."""
    if input.ndim > 1 and (start_dim, end_dim) == (1, -1):
        return rows(input)
    return flatten_axes.run(input, start_dim, end_dim)


@public("ops.flatten")
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """Flattens the axes from `start_dim` to `end_dim` into one.

    Args:
        input (Tensor): any dtype.
        order (str): "C" reads rows first, "F" columns first. Default: "C".
        start_dim (int), end_dim (int): the first and the last axis joined. Default: 1 and -1.

    Raises:
        TypeError: if `input` is not a Tensor, `order` is not a str, or an axis is not an int.
        ValueError: if `order` is neither "C" nor "F", or the axes are out of range or in the wrong
            order.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.flatten(ms.ops.ones((2, 3, 4))).shape)
        (2, 12)

    Source: mindspore.ops.flatten of MindSpore 2.10.
    """
    return _flattened(input, order, start_dim, end_dim, joined)


def _flattened(input, order, start_dim, end_dim, join):
    """Checks the arguments of `flatten`, and lets `join` join the axes."""
    if not isinstance(input, Tensor):
        Anything.refuse("flatten", "input", input)
    if not isinstance(order, str):
        Str.refuse("flatten", "order", order)
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', 'order' must be 'C' or 'F', but got {order!r}.")
    for name, dim in (("start_dim", start_dim), ("end_dim", end_dim)):
        if isinstance(dim, bool) or not isinstance(dim, int):
            Int.refuse("flatten", name, dim)
    rank = max(input.ndim, 1)
    if not (-rank <= end_dim < rank and (-rank <= start_dim < rank or start_dim == 1 == rank)):
        raise ValueError(
            f"For 'flatten', 'start_dim' and 'end_dim' must be axes of "
            f"{input.shape}, but got "
            f"{start_dim} and {end_dim}."
        )
    if order == "F":
        input = transpose.run(input, tuple(reversed(range(input.ndim))))
    if input.ndim == 1 and start_dim in (0, 1, -1):
        return reshape_array.run(input, input.shape)
    if input.ndim and start_dim % input.ndim > end_dim % input.ndim:
        raise ValueError(
            f"For 'flatten', 'start_dim' must not come after 'end_dim', but got "
            f"{start_dim} and {end_dim}."
        )
    return join(input, start_dim, end_dim)


@public("ops.Flatten")
class Flatten(WithoutArguments):
    """Flattens all axes except the first into one: `ops.Flatten()(x)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Flatten()(ms.ops.ones((2, 3, 4))).shape)
        (2, 12)
    """

    @checked
    def __call__(self, input_x: Anything):
        if input_x.ndim < 1:
            raise ValueError(
                "For 'Flatten', 'input_x' must have at least one axis, but got a 0-d Tensor."
            )
        return rows(input_x)


@public("mint.flatten")
def mint_flatten(input, start_dim=0, end_dim=-1):
    """Flattens the axes from `start_dim` to `end_dim` into one; all of them by default.

    Args:
        input (Tensor): any dtype.
        start_dim (int): the first axis joined. Default: 0.
        end_dim (int): the last axis joined. Default: -1.

    Returns:
        Tensor of the same dtype, with one axis in place of those joined; a 0-d Tensor gets one.

    Raises:
        TypeError: if `input` is not a Tensor, or an axis is not an int.
        ValueError: if an axis is out of range, or `start_dim` is after `end_dim`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.flatten(ms.Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    dims = (
        dim.item() if isinstance(dim, Tensor) and not dim.ndim else plain_numbers(dim)
        for dim in (start_dim, end_dim)
    )
    return _flattened(input, "C", *dims, flatten_axes.run)


@public("Tensor.ravel")
def ravel(self):
    """Flattens the input to one axis."""
    return reshape_array.run(self, (-1,))


@public("ops.view_as")
@checked
def view_as(input: Anything, other: Anything):
    """Reshapes the input to the shape of another Tensor.

    Args:
        input (Tensor): what is reshaped.
        other (Tensor): gives the shape; it has as many elements.

    Returns:
        Tensor of the shape of `other`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.view_as(ms.Tensor([1, 2]), ms.Tensor([[0, 0]])))
        [[1 2]]
    """
    return reshape_array.run(input, other.shape)


@public("ops.reshape_")
@checked
def reshape_(input: Anything, shape: TupleOf(Int) | ListOf(Int)):
    """Reshapes the Tensor in place, and returns it.

    Example:
        >>> x = ms.Tensor([1, 2, 3, 4])
        >>> _ = ms.ops.reshape_(x, (2, 2))
        >>> print(x)
        [[1 2]
         [3 4]]
    """
    result = reshape_array.run(input, tuple(shape))
    input._array, input._node = result._array, result._node
    return input


@public("mint.nn.functional.flatten", "mint.flatten_ext")
@checked
def flatten_ext(input: Anything, start_dim: Scalar = 0, end_dim: Scalar = -1):
    """Flattens the axes from `start_dim` to `end_dim` into one.

    Args:
        input (Tensor): any dtype.
        start_dim (int): the first axis joined. Default: 0.
        end_dim (int): the last axis joined. Default: -1.

    Returns:
        Tensor of the same dtype, with one axis in place of those joined; a 0-d Tensor gets one.

    Raises:
        TypeError: if `input` is not a Tensor, or an axis is not an int.
        ValueError: if an axis is out of range, or `start_dim` is after `end_dim`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.functional.flatten(ms.ops.ones((2, 3, 4)), 1).shape)
        (2, 12)
    """
    return flatten_axes.run(input, start_dim, end_dim)


@public("mint.ravel", "ops.ravel")
@checked
def mint_ravel(input: Anything):
    """Flattens the elements to one axis, in row-major order.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor with one axis and the same dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ravel(ms.Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    return reshape_array.run(input, (-1,))
