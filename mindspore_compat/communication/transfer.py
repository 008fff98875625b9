"""Collectives as functions of `xp`, with gradients, for `comm_func` and the operators.

All members of the group must compute the functions, and their gradients, in the same order. The
gradient of a sum over members is the sum of their gradients, because each member's loss counts.
"""

import math

from .._backend import arrays
from .._backend.space import implements
from .._core.autograd.vjp_rules import derive
from .._core.declare.op import op
from .._core.rules.vocabulary import Any, TensorOf, TupleOf, any_dtype
from .._core.tensor.tensor import Tensor


@implements
def all_reduce(xp, x, operation, group):
    """Combines the members' arrays ("sum", "prod", "max", "min", "avg")."""
    out = group.all_reduce(x, operation).wait()
    return (out / group.size).astype(x.dtype) if operation == "avg" else out


@implements
def all_gather(xp, x, group):
    """Joins the members' arrays along axis 0."""
    return group.all_gather(x).wait()


@implements
def reduce_scatter(xp, x, operation, group):
    """Combines the members' arrays, and returns this member's part along axis 0."""
    out = group.reduce_scatter(x, operation).wait()
    return (out / group.size).astype(x.dtype) if operation == "avg" else out


@implements
def broadcast_from(xp, x, root, group):
    """Returns member `root`'s array."""
    return group.broadcast(x, root).wait()


@implements
def reduce_to(xp, x, root, operation, group):
    """Reduces the arrays of all members on member `root`; the others get undefined values."""
    out = group.reduce(x, root, operation).wait()
    if group.rank != root:
        return xp.zeros((1,), x.dtype)
    return (out / group.size).astype(x.dtype) if operation == "avg" else out


@implements
def gather_to(xp, x, root, group):
    """Joins the arrays of all members along axis 0 on member `root`; the others get undefined
    values."""
    out = group.gather(x, root).wait()
    return out if group.rank == root else xp.zeros((1,), x.dtype)


@implements
def scatter_from(xp, x, root, group):
    """Splits the array of member `root` along axis 0 and sends each member a part; on the others,
    `x` only determines shape and dtype."""
    return group.scatter(x, root).wait()


@implements
def exchange(xp, x, sent_rows, got_rows, group, use="all_to_all"):
    """Exchanges rows of axis 0: sends `sent_rows[i]` rows to member i, and receives `got_rows[i]`
    rows from it."""
    return group.all_to_all(x, sent_rows, got_rows, use).wait()


def _reduce_vjp(xp, g, x, out, operation, group):
    """Reduces the gradients of all members; for max and min, only where this member has the
    extreme."""
    total = xp.all_reduce(g, "avg" if operation == "avg" else "sum", group)
    return _share(xp, total, x, out, operation)


def _scatter_vjp(xp, g, x, out, operation, group):
    """Returns the vjp of all_reduce, with the parts joined."""
    total = xp.all_gather(g, group)
    if operation == "avg":
        return total / group.size
    if operation == "sum":
        return total
    return _share(xp, total, x, xp.all_gather(out, group), operation)


def _share(xp, total, x, out, operation):
    """Returns the part of the whole gradient that belongs to this member's `x`."""
    if operation in ("max", "min"):
        return xp.where(x == out, total, 0)
    if operation == "prod":
        return total * out / x
    return total


def _broadcast_vjp(xp, g, root, group):
    """Returns the sum of all gradients, for the sender."""
    total = xp.all_reduce(g, "sum", group)
    return total if group.rank == root else total * 0


def _reduce_to_vjp(xp, g, x, out, root, operation, group):
    """Returns the gradient at `root`, for every member."""
    mine = group.rank == root
    total = xp.broadcast_from(g if mine else xp.zeros(x.shape, g.dtype), root, group)
    if operation in ("sum", "avg"):
        return total / group.size if operation == "avg" else total
    whole = xp.broadcast_from(out if mine else xp.zeros(x.shape, out.dtype), root, group)
    return _share(xp, total, x, whole, operation)


def _gather_to_vjp(xp, g, x_shape, root, group):
    """Returns this member's part of the gradient at `root`."""
    if group.rank != root:
        g = xp.zeros(group.whole(x_shape), g.dtype)
    return xp.reshape(xp.scatter_from(g, root, group), x_shape)


def _scatter_from_vjp(xp, g, x_shape, root, group):
    """Returns all parts of the gradient, for the sender."""
    total = xp.gather_to(g, root, group)
    return total if group.rank == root else xp.zeros(x_shape, g.dtype)


derive("reduce_to(x, root, operation, group)", arrays="x", x=_reduce_to_vjp)
derive("gather_to(x, root, group)", arrays="x", x=_gather_to_vjp)
derive("scatter_from(x, root, group)", arrays="x", x=_scatter_from_vjp)
derive("all_reduce(x, operation, group)", arrays="x", x=_reduce_vjp)
derive(
    "all_gather(x, group)",
    arrays="x",
    x=lambda xp, g, x_shape, group: xp.reshape(xp.reduce_scatter(g, "sum", group), x_shape),
)
derive("reduce_scatter(x, operation, group)", arrays="x", x=_scatter_vjp)
derive("broadcast_from(x, root, group)", arrays="x", x=_broadcast_vjp)
derive(
    "exchange(x, sent_rows, got_rows, group, use='all_to_all')",
    arrays="x",
    x=lambda xp, g, sent_rows, got_rows, group: xp.exchange(g, got_rows, sent_rows, group),
)

Given = TensorOf(any_dtype)


@op(compute="native")
def all_reduce_op(xp, tensor: Given, operation, group):
    """Applies `all_reduce` to a Tensor."""
    return xp.all_reduce(tensor, operation, group)


@op(compute="native")
def all_gather_op(xp, tensor: Given, group):
    """Applies `all_gather` to a Tensor."""
    return xp.all_gather(tensor, group)


@op(compute="native")
def reduce_scatter_op(xp, tensor: Given, operation, group):
    """Applies `reduce_scatter` to a Tensor."""
    return xp.reduce_scatter(tensor, operation, group)


@op(compute="native")
def broadcast_op(xp, tensor: Given, root, group):
    """Applies `broadcast_from` to a Tensor."""
    return xp.broadcast_from(tensor, root, group)


@op(compute="native")
def reduce_op(xp, tensor: Given, root, operation, group):
    """Applies `reduce_to` to a Tensor."""
    return xp.reduce_to(tensor, root, operation, group)


@op(compute="native")
def gather_op(xp, tensor: Given, root, group):
    """Applies `gather_to` to a Tensor."""
    return xp.gather_to(tensor, root, group)


@op(compute="native")
def scatter_op(xp, tensor: Given, root, group):
    """Applies `scatter_from` to a Tensor."""
    return xp.scatter_from(tensor, root, group)


@op(compute="native")
def exchange_op(xp, tensor: Given, sent_rows, got_rows, group, use="all_to_all"):
    """Applies `exchange` to a Tensor."""
    return xp.exchange(tensor, sent_rows, got_rows, group, use)


@op(compute="native")
def flat_op(xp, tensors: TupleOf(Given)):
    """Concatenates the flattened elements of several Tensors."""
    if len(tensors) == 1:
        return xp.reshape(tensors[0], (-1,))
    return xp.concatenate([xp.reshape(tensor, (-1,)) for tensor in tensors])


@op(compute="native")
def part_op(xp, tensor: Given, start, shape: Any):
    """Returns a Tensor of a shape from consecutive elements of a flat one."""
    return xp.reshape(tensor[start : start + math.prod(shape)], shape)


@op(compute="native")
def repeated_op(xp, tensor: Given, times):
    """Repeats a Tensor along axis 0."""
    return xp.concatenate([tensor] * times)


@op()
def combined_op(xp, parts: Given, operation, count):
    """Combines several parts, which are consecutive along axis 0, element by element."""
    stacked = xp.reshape(parts, (count, parts.shape[0] // count, *parts.shape[1:]))
    out = getattr(xp, "mean" if operation == "avg" else operation)(stacked, axis=0)
    return xp.cast(out, parts.dtype)


@op()
def averaged_op(xp, total: Given, count):
    """Divides a sum by the number of its parts."""
    return xp.cast(total / count, total.dtype)


class CommHandle:
    """A pending exchange."""

    def __init__(self, pending):
        self._pending = pending

    def wait(self):
        """Waits until the exchange is complete and its Tensor filled."""
        self._pending.wait()


def under_way(pending):
    """Returns the Tensor that a pending exchange fills, and its handle."""
    return Tensor._wrap(pending.out), CommHandle(pending)


def empty_like(like, shape):
    """Returns an uninitialized Tensor of some shape, with the dtype and device of another."""
    return Tensor._wrap(arrays.space_of(like._array).module.empty(shape, like._array.dtype))


def nothing(like, shape):
    """Returns zeros of some shape, with the dtype and device of another Tensor. They stand for the
    result of a member that gets none."""
    return Tensor._wrap(arrays.space_of(like._array).module.zeros(shape, like._array.dtype))
