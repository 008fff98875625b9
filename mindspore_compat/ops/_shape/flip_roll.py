"""Reversal, rotation and cyclic shifts along axes."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Int, ListOf, TupleOf
from .._rules import Anything, Index, IntOrInts, Ints
from .axes import as_tuple


@op(
    "ops.flip(input, dims)",
    "ops.ReverseV2(axis: dims)(input)",
    "ops.reverse(x: input, axis: dims)",
    "mint.flip(input, dims)",
    compute="native",
    quirks=Quirks(stored={"ops.ReverseV2": {"axis": as_tuple}}),
)
def flip(xp, input: Anything, dims: TupleOf(Int) | ListOf(Int)):
    """Reverses the order of the elements along the given axes.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.flip(ms.Tensor([[1, 2], [3, 4]]), (0,)))
        [[3 4]
         [1 2]]
    """
    return xp.array(xp.flip(input, tuple(dims)))  # a copy, so that writing to it keeps the input


@op(
    "ops.roll(input, shifts, dims=None)",
    "Tensor.roll(shifts, dims=None)",
    "mint.roll(input, shifts, dims=None)",
    "ops.Roll(shifts, dims=None)(input)",
    compute="native",
)
def roll(xp, input: Anything, shifts: IntOrInts, dims: IntOrInts | None = None):
    """Shifts the elements cyclically along axes. Without `dims` it shifts them in the flattened
    input.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.roll(ms.Tensor([1, 2, 3, 4]), 1, 0))
        [4 1 2 3]
    """
    shifts, dims = (tuple(v) if isinstance(v, list) else v for v in (shifts, dims))
    return xp.roll(input, shifts, dims)


@op("ops.fliplr(input)", "Tensor.fliplr()", compute="native")
def fliplr(xp, input: Anything):
    """Reverses the second axis (flips left to right).

    Shapes:
        `input` has at least two axes. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.fliplr(ms.Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    return xp.array(xp.flip(input, 1))


@op("ops.flipud(input)", "Tensor.flipud()", compute="native")
def flipud(xp, input: Anything):
    """Reverses the first axis (flips up to down).

    Shapes:
        `input` has at least one axis. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.flipud(ms.Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]
    """
    return xp.array(xp.flip(input, 0))


@op(
    "ops.rot90(input, k, dims)",
    "Tensor.rot90(k, dims)",
    "mint.rot90(input, k=1, dims=(0, 1))",
    compute="native",
)
def rot90(xp, input: Anything, k: Int | Bool, dims: Ints):
    """Rotates the input `k` times by 90 degrees, from the first axis in `dims` toward the second.
    Raises a RuntimeError if both are the same.

    Shapes:
        `input` has at least two axes. The result has the same dtype; the two axes are swapped for
        odd `k`.

    Example:
        >>> print(ms.ops.rot90(ms.Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]
    """
    if len(dims) == 2 and abs(dims[0] - dims[1]) in (0, input.ndim):
        raise RuntimeError(
            f"For 'rot90', 'dims' must name two axes of the input, but got "
            f"{tuple(dims)} for shape {tuple(input.shape)}."
        )
    return xp.array(xp.rot90(input, int(k), tuple(dims)))


@op(
    "ops.reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0)",
    "ops.ReverseSequence(seq_dim, batch_dim=0)(x, seq_lengths)",
    "Tensor.reverse_sequence(seq_lengths, seq_dim=0, batch_dim=0)",
    compute="native",
)
def reverse_sequence(
    xp,
    x: Anything.but("bfloat16"),
    seq_lengths: Index,
    seq_dim: Int(ge=0),
    batch_dim: Int(ge=0) = 0,
):
    """Reverses the first seq_lengths[i] elements along `seq_dim` of each row i of `batch_dim`.

    Shapes:
        `x` has at least two axes, `seq_lengths` is (B,) for the length B of `batch_dim`. The result
        has the shape and dtype of `x`.

    Example:
        >>> print(ms.ops.reverse_sequence(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 3]),
        ...                               seq_dim=1))
        [[2 1 3]
         [6 5 4]]
    """
    _need_sequences(x, seq_lengths, seq_dim, batch_dim)
    if bool(xp.any((seq_lengths < 0) | (seq_lengths > x.shape[seq_dim]))):
        raise RuntimeError(
            f"For 'reverse_sequence', 'seq_lengths' must be from 0 to {x.shape[seq_dim]}, the "
            f"length of axis {seq_dim}, but got {seq_lengths}."
        )
    steps = xp.arange(x.shape[seq_dim])
    lengths = xp.expand_dims(seq_lengths, 1)
    order = xp.where(steps < lengths, lengths - 1 - steps, steps)  # (batch, steps)
    view = [1] * x.ndim
    view[batch_dim], view[seq_dim] = x.shape[batch_dim], x.shape[seq_dim]
    order = order if batch_dim < seq_dim else xp.swapaxes(order, 0, 1)
    order = xp.broadcast_to(xp.reshape(order, tuple(view)), x.shape)
    return xp.take_along_axis(x, order, seq_dim)


def _need_sequences(x, seq_lengths, seq_dim, batch_dim):
    """Raises a ValueError unless the two axes are different axes of `x`, and `seq_lengths` has one
    length for each index along `batch_dim`."""
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if axis >= x.ndim:
            raise ValueError(
                f"For 'reverse_sequence', '{name}' must be in [0, {x.ndim}) for an input of shape "
                f"{tuple(x.shape)}, but got {axis}."
            )
    if seq_dim == batch_dim:
        raise ValueError(
            f"For 'reverse_sequence', 'seq_dim' and 'batch_dim' must differ, but got {seq_dim} for "
            f"both."
        )
    if tuple(seq_lengths.shape) != (x.shape[batch_dim],):
        raise ValueError(
            f"For 'reverse_sequence', 'seq_lengths' must have shape ({x.shape[batch_dim]},), the "
            f"length of axis {batch_dim}, but got {tuple(seq_lengths.shape)}."
        )
