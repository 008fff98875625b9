"""The exchanges as functions of `xp`, with their gradients: what `comm_func` and the ops call.

Every member of the group must compute the function, and its gradient, in the same order. The
gradient of a combination is the combination of the gradients: each member's loss counts.
"""

import math

from .._backend import arrays
from .._backend.space import extra
from .._core.derivatives import derive
from .._core.op import op
from .._core.rules import Any, TensorOf, TupleOf, any_dtype
from .._core.tensor import Tensor


@extra
def all_reduce(xp, x, operation, group):
    """The members' arrays combined ("sum", "prod", "max", "min", "avg")."""
    if operation != "avg":
        return group.all_reduce(x, operation).wait()
    return (group.all_reduce(x, "sum").wait() / group.size).astype(x.dtype)


@extra
def all_gather(xp, x, group):
    """The members' arrays joined along axis 0."""
    return group.all_gather(x).wait()


@extra
def reduce_scatter(xp, x, operation, group):
    """The members' arrays combined and cut along axis 0: this member's part."""
    if operation != "avg":
        return group.reduce_scatter(x, operation).wait()
    return (group.reduce_scatter(x, "sum").wait() / group.size).astype(x.dtype)


@extra
def broadcast_from(xp, x, root, group):
    """Member `root`'s array."""
    return group.broadcast(x, root).wait()


@extra
def exchange(xp, x, sent_rows, got_rows, group):
    """Rows of axis 0: `sent_rows[i]` go to member i, `got_rows[i]` come from it."""
    return group.all_to_all(x, sent_rows, got_rows).wait()


def _reduce_slope(xp, g, x, out, operation, group):
    """Each member's gradient, summed; of the largest, only where it is this member's."""
    total = xp.all_reduce(g, "avg" if operation == "avg" else "sum", group)
    return _share(xp, total, x, out, operation)


def _scatter_slope(xp, g, x, out, operation, group):
    """As for all_reduce, with the parts put together."""
    total = xp.all_gather(g, group)
    if operation == "avg":
        return total / group.size
    if operation == "sum":
        return total
    return _share(xp, total, x, xp.all_gather(out, group), operation)


def _share(xp, total, x, out, operation):
    """What of the whole gradient belongs to this member's `x`."""
    if operation in ("max", "min"):
        return xp.where(x == out, total, 0)
    if operation == "prod":
        return total * out / x
    return total


def _broadcast_slope(xp, g, root, group):
    """All gradients, summed, to the one that sent."""
    total = xp.all_reduce(g, "sum", group)
    return total if group.rank == root else total * 0


derive("all_reduce(x, operation, group)", arrays="x", x=_reduce_slope)
derive("all_gather(x, group)", arrays="x",
       x=lambda xp, g, x_shape, group: xp.reshape(xp.reduce_scatter(g, "sum", group), x_shape))
derive("reduce_scatter(x, operation, group)", arrays="x", x=_scatter_slope)
derive("broadcast_from(x, root, group)", arrays="x", x=_broadcast_slope)
derive("exchange(x, sent_rows, got_rows, group)", arrays="x",
       x=lambda xp, g, sent_rows, got_rows, group: xp.exchange(g, got_rows, sent_rows, group))

Given = TensorOf(any_dtype)


@op(widen=False)
def all_reduce_op(xp, tensor: Given, operation, group):
    """`all_reduce` on a Tensor."""
    return xp.all_reduce(tensor, operation, group)


@op(widen=False)
def all_gather_op(xp, tensor: Given, group):
    """`all_gather` on a Tensor."""
    return xp.all_gather(tensor, group)


@op(widen=False)
def reduce_scatter_op(xp, tensor: Given, operation, group):
    """`reduce_scatter` on a Tensor."""
    return xp.reduce_scatter(tensor, operation, group)


@op(widen=False)
def broadcast_op(xp, tensor: Given, root, group):
    """`broadcast_from` on a Tensor."""
    return xp.broadcast_from(tensor, root, group)


@op(widen=False)
def exchange_op(xp, tensor: Given, sent_rows, got_rows, group):
    """`exchange` on a Tensor."""
    return xp.exchange(tensor, sent_rows, got_rows, group)


@op(widen=False)
def flat_op(xp, tensors: TupleOf(Given)):
    """The elements of several Tensors, one after the other."""
    return xp.concatenate([xp.reshape(tensor, (-1,)) for tensor in tensors])


@op(widen=False)
def part_op(xp, tensor: Given, start, shape: Any):
    """A Tensor of some shape from consecutive elements of a flat one."""
    return xp.reshape(tensor[start:start + math.prod(shape)], shape)


class CommHandle:
    """An exchange under way."""

    def __init__(self, pending):
        self._pending = pending

    def wait(self):
        """Waits until the exchange is complete and its Tensor filled."""
        self._pending.wait()


def under_way(pending):
    """The Tensor that a pending exchange fills, and its handle."""
    return Tensor._wrap(pending.out), CommHandle(pending)


def nothing(like, shape):
    """A Tensor without meaning, where a member gets no result."""
    return Tensor._wrap(arrays.space_of(like._array).module.zeros(shape, like._array.dtype))
