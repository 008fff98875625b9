"""Sends and receives as functions of `xp`, with gradients, for the primitives Send, Receive and
NeighborExchange.

The gradient of a received array goes back to its sender. A receive has no input on the tape, so
inside an open gradient it is attached to one of that gradient's leaves. The send waits for its
gradient when the backward pass reaches its result, which `ops.depend` ties to another value.
"""

import math

from .._backend.space import implements
from .._core.autograd.tape import depth, record
from .._core.autograd.vjp_rule import VjpRule
from .._core.autograd.vjp_rules import derive
from .._core.declare.op import op
from .._core.rules.vocabulary import Any, TupleOf
from .._core.tensor.tensor import Tensor
from .transfer import Given


@implements
def send_to(xp, x, peer, tag, group, back):
    """Sends `x` to member `peer` of `group` and returns it; `back` receives the gradient."""
    group.send(x, peer, tag).wait()
    return x.copy()


@implements
def receive_from(xp, like, peer, tag, group, back):
    """Returns the array that member `peer` of `group` sends; `like` gives shape and dtype."""
    return group.receive(like, peer, tag).wait()


# The two functions below have no gradient rules, because a second-order backward pass cannot know
# the other side's.


@implements
def gradient_from(xp, g, peer, tag, group):
    """Receives from member `peer` of `group` the gradient of a value that it received earlier."""
    return group.receive(g, peer, tag).wait()


@implements
def gradient_to(xp, g, peer, tag, group):
    """Sends the gradient of a received value, without waiting for the receiver; returns zeros."""
    group.send(g, peer, tag)
    return xp.zeros(g.shape, g.dtype)


@implements
def neighbors(xp, xs, to, source, shapes, dtype, group):
    """Sends `xs` to the members `to`; returns the elements that the members `source` send, flat."""
    buffers = [xp.empty(tuple(shape), dtype) for shape in shapes]
    with group.together(xp.empty((), dtype)):
        pending = [group.send(x, peer) for x, peer in zip(xs, to)]
        pending += [group.receive(buffer, peer) for buffer, peer in zip(buffers, source)]
    results = [exchange.wait() for exchange in pending]
    return xp.concatenate(
        [xp.zeros((0,), dtype), *(xp.reshape(array, (-1,)) for array in results[len(to) :])]
    )


def _neighbors_vjp(xp, g, xs_shape, to, source, shapes, group):
    back = xp.neighbors(_cut(xp, g, shapes), source, to, xs_shape, g.dtype, group)
    return (_cut(xp, back, xs_shape),)


def _cut(xp, flat, shapes):
    """Splits a flat array into consecutive arrays of several shapes."""
    parts, start = [], 0
    for shape in shapes:
        size = math.prod(shape)
        parts.append(xp.reshape(flat[start : start + size], tuple(shape)))
        start += size
    return parts


derive(
    "send_to(x, peer, tag, group, back)",
    arrays="x",
    x=lambda xp, g, peer, tag, group, back: g + xp.gradient_from(g, peer, tag, back),
)
derive(
    "receive_from(like, peer, tag, group, back)",
    arrays="like",
    like=lambda xp, g, peer, tag, group, back: xp.gradient_to(g, peer, tag, back),
)
derive("neighbors(xs, to, source, shapes, dtype, group)", arrays="*xs", joint=_neighbors_vjp)


@op(compute="native")
def send_op(xp, tensor: Given, peer, tag, group, back):
    """Applies `send_to` to a Tensor."""
    return xp.send_to(tensor, peer, tag, group, back)


@op(compute="native")
def receive_op(xp, like: Given, peer, tag, group, back):
    """Applies `receive_from` to a Tensor."""
    return xp.receive_from(like, peer, tag, group, back)


@op(compute="native")
def neighbors_op(xp, tensors: TupleOf(Given), to: Any, source: Any, shapes: Any, dtype, group):
    """Applies `neighbors` to Tensors."""
    return xp.neighbors(tensors, to, source, shapes, dtype, group)


ANCHOR = VjpRule("receive", ["x"], {"x": lambda xp, g: xp.sum(g)}, upcast=False)


def anchored(tensor):
    """Attaches a Tensor to the tape of the innermost open gradient, at a leaf that gets zeros."""
    if depth.open and not depth.paused and depth.leaf is not None and tensor._node is None:
        result = Tensor._wrap(tensor._array)
        result._node = record(ANCHOR, (depth.leaf,), (), depth.leaf.metas)
        return result
    return tensor
