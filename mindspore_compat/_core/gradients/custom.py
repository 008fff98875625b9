"""User-defined gradients, gradient hooks, and recomputation: one tape node each.

`custom_gradient` implements Cell.bprop and user primitives. `add_hook` implements
Tensor.register_hook and the backward hooks of a Cell. `recompute` implements mindspore.recompute
and Cell.recompute.
"""

import contextlib

from ..._backend.random import streams
from ..._backend.steps import current
from ..._backend.steps.refused import Reason
from ..autograd.tape import Node, backward, depth, next_number, packed, pick
from ..autograd.traced import Traced, TracedSpace
from ..autograd.vjp_rule import VjpRule
from ..tensor.tensor import Tensor
from .transforms import map_tensors, outside, tensors_in

_new = object.__new__


def custom_gradient(forward, pull, inputs, apart=False):
    """Runs `forward` unrecorded and records one node whose gradient is `pull`.

    Args:
        forward (callable): Tensors in, Tensor or tuple of Tensors out.
        pull (callable): `(inputs, outputs, grad_outputs) -> tuple` of Tensors or None
        inputs (tuple): the arguments; those that are Tensors carry gradients.
        apart (bool): whether an output that is also an input is returned as a separate Tensor.
    """
    tensors = [t for t in inputs if isinstance(t, Tensor)]
    out = forward(*map_tensors(outside, tuple(inputs)))
    if all(t._node is None for t in tensors):
        identities = [id(t) for t in tensors] if apart else ()
        return map_tensors(
            lambda t: Tensor._wrap(t._array) if id(t) in identities else outside(t), out
        )
    outs = tensors_in(out)

    def vjp(xp, g, given, result):
        results = result if isinstance(result, tuple) else (result,)
        grads = g if isinstance(g, tuple) else (g,)
        tensors = iter([as_given(value) for value in given])
        again = tuple(next(tensors) if isinstance(i, Tensor) else i for i in inputs)
        whole = iter([as_given(r) for r in results])
        flow = iter([as_given(s) for s in grads])
        pulled = pull(
            again, map_tensors(lambda t: next(whole), out), map_tensors(lambda t: next(flow), out)
        )
        pulled = pulled if isinstance(pulled, (tuple, list)) else (pulled,)
        return [
            as_given_back(xp, value) for i, value in zip(inputs, pulled) if isinstance(i, Tensor)
        ]

    node = _new(Node)
    node.rule = _CustomRule(vjp)
    node.parents = tuple(t._node for t in tensors)
    arrays = [t._array for t in tensors]
    node.metas = tuple((a.shape, a.dtype) for a in arrays)
    node.number = next_number()
    node.saved = packed(
        (arrays, tuple(t._array for t in outs) if len(outs) != 1 else outs[0]._array)
    )
    return _with_node(node, outs, out)


class _CustomRule(VjpRule):
    """The rule of one call of a function with a user-defined gradient."""

    def __init__(self, vjp):
        self.name = "custom"
        self.inputs = ("given",)
        self.upcast = False
        self.many = True
        self.saves = ("given", "out")
        self.pull = lambda xp, g, saved, needs_grad: (vjp(xp, g, *saved),)


def as_given(value):
    """Converts the array or Traced value that a rule receives to a Tensor for a user's function."""
    if type(value) is Traced:
        tensor = Tensor._wrap(value.array)
        tensor._node = value.node
        return tensor
    return Tensor._wrap(value)


def as_given_back(xp, tensor):
    """Converts a Tensor that a user's function has returned to the form in which rules compute: an
    array or a Traced value. None stays None."""
    if not isinstance(tensor, Tensor):
        return None if tensor is None else xp.asarray(tensor)
    return xp.wrap(tensor._array, tensor._node) if isinstance(xp, TracedSpace) else tensor._array


def add_hook(tensor, hook):
    """Adds a gradient hook to `tensor`: `hook(gradient)` may replace the gradient."""
    current.note_effect(Reason.GRADIENT_HOOK)

    def vjp(xp, g, hook_saved, result):
        gradient = as_given(g)
        new_gradient = hook(gradient)
        return [as_given_back(xp, gradient if new_gradient is None else new_gradient)]

    node = _new(Node)
    node.rule = _CustomRule(vjp)
    node.parents = (tensor._node,)
    node.metas = ((tensor._array.shape, tensor._array.dtype),)
    node.saved = ([tensor._array], tensor._array)
    node.outs = None
    node.number = next_number()
    return node


surroundings = []  # functions that return a context manager, which restores the current state


def recompute(block, *args, **kwargs):
    """Runs `block` without keeping its intermediate values; the backward pass runs it again.

    The first run is recorded only to find the nodes that the block reads from outside, such as
    weights. The nodes of the block itself are then dropped. Both runs draw the same random numbers.
    """
    if depth.open == 0:
        return block(*args, **kwargs)
    state, restored = streams.default.state(), [take() for take in surroundings]
    start = next_number()
    with streams.replaying() as first_draws:
        out = block(*args, **kwargs)
    heads = tensors_in(out)
    sources = _sources([head._node for head in heads], start)
    if not sources:
        return out

    def again(xp, g):
        now, first, higher = streams.default.state(), next_number(), isinstance(xp, TracedSpace)
        streams.default.restore(state)
        with contextlib.ExitStack() as stack:
            stack.enter_context(streams.repeating(first_draws.log))
            for context in restored:
                stack.enter_context(context)
            fresh = tensors_in(block(*args, **kwargs))
        streams.default.restore(now)
        grads = g if isinstance(g, tuple) else (g,)
        roots = [head._node for head in fresh]
        return (backward(roots, grads, sources, higher, None if higher else first),)

    node = _new(Node)
    node.rule = _RecomputeRule(again)
    node.parents = tuple(sources)
    node.saved = ()
    node.metas = None
    node.number = next_number()
    return _with_node(node, heads, out)


def _sources(roots, start):
    """Returns the nodes older than `start` that lead to `roots`."""
    visited = {root for root in roots if root is not None}
    stack = list(visited)
    sources = []
    while stack:
        node = stack.pop()
        if node.number < start:
            sources.append(node)
            continue
        new = {p for p in node.parents if p is not None and p not in visited}
        visited |= new
        stack.extend(new)
    return sources


class _RecomputeRule(VjpRule):
    """The rule of one recomputed call; its inputs are the nodes that the call reached."""

    def __init__(self, again):
        self.name = "recompute"
        self.inputs = ()
        self.saves = ()
        self.upcast = False
        self.many = True
        self.pull = lambda xp, g, saved, needs_grad: again(xp, g)


def _with_node(node, heads, out):
    """Returns `out` with Tensors whose node is `node`, or a pick of it if there are several
    outputs."""
    result = [Tensor._wrap(t._array) for t in heads]
    put_node(node, result)
    fresh = iter(result)
    return map_tensors(lambda t: next(fresh), out)


def put_node(node, outputs):
    """Makes `node` the tape node of the operation whose outputs these Tensors are."""
    if len(outputs) == 1:
        node.outs = None
        outputs[0]._node = node
        return
    node.outs = tuple((t._array.shape, t._array.dtype) for t in outputs)
    for i, output in enumerate(outputs):
        output._node = pick(node, i)
