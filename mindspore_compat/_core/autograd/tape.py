"""The tape: nodes of recorded operations with their saved arrays, and the backward pass.

A worked example. `y = x * w` with a live `x` leaves

    Node(rule=<multiply>, parents=(node of x, None), saved=(w's array,), metas=((shape, dtype),
    None))

and `backward([y's node], [g], [x's node])` calls the rule, which returns `g * w`, fits it to x's
shape and dtype, and adds it to what x already received. Nodes are numbered, so the reachable nodes
sorted by number are a valid order, and no graph structure is needed beyond `parents`.

**Depth decides** what a rule computes on. In the outermost gradient it receives arrays. Inside
another gradient it receives Traced values (traced.py), which record themselves. So the outer
gradient differentiates the inner one, and derivatives of any order need nothing more.

The public transforms (grad, vjp, ...) are in gradients/transforms.py. The rules of NumPy's
functions are in vjp_rules*.py; the rules of ops are next to the ops.
"""

import collections
import itertools
import threading
from heapq import heappop, heappush
from operator import attrgetter

import numpy

from ..._backend import arrays
from ..._backend.arrays import HOST, LARGE, SPACES
from ..._backend.steps import recorded_array
from ..._backend.steps.journal import LOCALS, journal
from ..._backend.thresholds import Least
from ..memory_errors import name_operator
from .overwritten import Overwritten
from .row_sparse import RowSparse
from .slice_sum import SliceSum
from .vjp_rule import VjpRule, fit

next_number = itertools.count(1).__next__
_by_number = attrgetter("number")
_new = object.__new__

FLOAT32 = numpy.dtype(numpy.float32)
DEFERRED = {SliceSum, Overwritten}  # the types of gradients that become arrays when used
_any = ((None, None),)  # stands for the metas of a node whose rule fits its gradients itself
TRACED = {}  # array space -> space of Traced values over it; filled by traced.py


class Node:
    """One recorded operation.

    Attributes:
        rule (VjpRule): computes the gradients of the inputs.
        parents (tuple): for each array input the node that made it, or None.
        saved (tuple): the values that the rule needs.
        metas (tuple): for each array input its (shape, dtype), to which its gradient is fitted;
            None if the rule fits the gradients itself.
        outs (tuple): for an operation of several outputs the (shape, dtype) of each, else None.
        number (int): later operations have higher numbers.
    """

    __slots__ = ("rule", "parents", "saved", "metas", "outs", "number", "__weakref__")


class Pick(Node):
    """One output of an operation that has several; its only parent is the operation's node."""

    __slots__ = ("index",)


class Leaf(Node):
    """An end point of the backward pass: an input or a weight of the differentiated function.

    Its parent is the node that the value had before, so that an enclosing gradient continues
    through the leaf.
    """

    __slots__ = ()


def record(rule, parents, saved, metas):
    """Creates the Node of an operation with one output."""
    node = _new(Node)
    node.rule = rule
    node.parents = parents
    node.saved = packed(saved)
    node.metas = metas
    node.outs = None
    node.number = next_number()
    return node


def packed(saved):
    """Returns the saved values of a node, packed if `saved_tensors_hooks` is active."""
    return saved if depth.packing is None else Packed(saved, depth.packing)


class Packed:
    """Holds the saved values of a node in packed form until the backward pass
    (_core/gradients/saved_tensors.py).

    Args:
        saved (tuple): the values; the arrays among them, including within tuples and lists, are
            packed.
        packing (tuple): a function that packs an array, and one that unpacks it.
    """

    __slots__ = ("packs", "undo")

    def __init__(self, saved, packing):
        pack, self.undo = packing
        self.packs = _each_array(saved, lambda array: _Pack(pack(array)))

    def unpack(self):
        """Returns the unpacked values."""
        return _each_pack(self.packs, self.undo)


class _Pack:
    """One packed array."""

    __slots__ = ("content",)

    def __init__(self, content):
        self.content = content


def _each_array(value, function):
    if type(value) in SPACES or hasattr(value, "space"):
        return function(value)
    if type(value) in (tuple, list):
        return type(value)([_each_array(item, function) for item in value])
    return value


def _each_pack(value, undo):
    if type(value) is _Pack:
        return undo(value.content)
    if type(value) in (tuple, list):
        return type(value)([_each_pack(item, undo) for item in value])
    return value


def record_many(rule, parents, saved, metas, outs):
    """Creates the nodes of all outputs of an operation with several outputs."""
    node = record(rule, parents, saved, metas)
    node.outs = tuple([(out.shape, out.dtype) for out in outs])
    return [pick(node, i) for i in range(len(outs))]


def pick(node, index):
    """Creates a node for one of the outputs of `node`."""
    new = _new(Pick)
    new.rule = None
    new.parents = (node,)
    new.saved = new.metas = new.outs = None
    new.index = index
    new.number = next_number()
    return new


def leaf(parent, shape, dtype, saved=()):
    """Creates an end point for a gradient, linked to the enclosing gradient through `parent`."""
    node = _new(Leaf)
    node.rule = LINK
    node.parents = (parent,)
    node.saved = saved
    node.metas = ((shape, dtype),)
    node.outs = None
    node.number = next_number()
    return node


def _refuse_spent(xp, g):
    raise RuntimeError("This tape has been walked back, and its saved values have been given up.")


LINK = VjpRule("link", ["x"], {"x": lambda xp, g: g}, upcast=False)
SPENT = VjpRule("spent", [], joint=_refuse_spent, upcast=False)


class _Depth(threading.local):
    """The state of this thread: the number of open gradients; whether recording is paused within
    them; the newest leaf of the innermost one; how saved arrays are packed (None, or a pair of
    functions); whether part of the tape may be walked again after the outermost gradient (`vjp`);
    the keepers of a tape that is valid until its weights change (nn/_cell/once.py); and the
    function that is called with each gradient as soon as it is complete
    (nn/wrap/grad_reducer.py)."""

    open = 0
    paused = False
    leaf = None
    packing = None
    retained = False
    keepers = ()
    arrived = None


depth = _Depth()
LOCALS.append(depth)


def note_in_place_write(tensors, undone=True):
    """Notifies the keepers of a tape that these Tensors are about to be written in place.

    Args:
        tensors: the Tensors.
        undone: whether the write is undone if the running step does not end
            (_backend/updates/complete.py); False for an update that is itself whole.
    """
    if undone and journal.saved is not None:
        journal.note_written(tensors)
    for keeper in depth.keepers:
        keeper.note_in_place_write(tensors)


def backward(roots, grads, leaves, higher, spent=None, arrived=None):
    """Runs the backward pass: goes back from `roots`, and returns the gradient of each leaf (None
    if no gradient reaches the leaf).

    Args:
        roots (list[Node]): where the gradient starts; None entries are skipped.
        grads (list): the gradient at each root: arrays, or Traced values if `higher`.
        leaves (list[Leaf]): where it ends.
        higher (bool): True to let the rules compute on Traced values.
        spent (int): nodes with this number or a higher one release their saved values after use,
            because no later pass needs them. None keeps all saved values.
        arrived (Callable): called with each leaf and its gradient as soon as the gradient is
            complete.
    """
    gathered, waiting, ends = {}, [], set(leaves)
    for root, grad in zip(roots, grads):
        if root is not None:
            _add_gradient(gathered, waiting, ends, root, grad)
    floor = leaves[0].number if leaves else 0
    for end in leaves:
        if end.number < floor:
            floor = end.number
    order, uses = _latest_first(waiting), None
    if arrived is not None:
        order = _reachable(gathered, ends, floor)
        uses = _uses(order, ends)
    for node in order:
        g = gathered.pop(node, None)
        if type(g) is SliceSum or type(g) is Overwritten and not _overwrites(node.rule):
            g = g.whole()
        if type(node) is Pick and g is not None:
            _give_output(gathered, waiting, floor, node, g)
        elif g is not None:
            try:
                _pull(gathered, waiting, ends, node, g, floor, higher)
            except MemoryError as error:
                raise name_operator(f"the gradient of {node.rule.name}", error) from None
            if spent is not None and node.number >= spent:
                node.rule, node.saved = SPENT, ()
        if uses is not None:
            _note_arrivals(arrived, uses, node, gathered)
    return [g.whole() if type(g) in DEFERRED else g for g in map(gathered.get, leaves)]


def _overwrites(rule):
    """Returns whether the rule of a node, None for a Pick, accepts an Overwritten."""
    return rule is not None and rule.overwrites


def _latest_first(waiting):
    """Yields the nodes of a heap of (-number, node), which may grow meanwhile, latest first."""
    while waiting:
        yield heappop(waiting)[1]


def _uses(order, ends):
    """Counts how often each node of `ends` is an input of a node of `order`."""
    return collections.Counter(
        parent for node in order for parent in node.parents if parent in ends
    )


def _note_arrivals(arrived, uses, node, gathered):
    """Calls `arrived` with each end, and its gradient, that `node` was the last to use; counts down
    `uses`."""
    for parent in node.parents:
        if parent in uses:
            uses[parent] -= 1
            if uses[parent] == 0 and parent in gathered:
                if type(gathered[parent]) is RowSparse or type(gathered[parent]) in DEFERRED:
                    gathered[parent] = gathered[parent].whole()
                arrived(parent, gathered[parent])


def _reachable(starts, ends, floor):
    """Returns the nodes between `starts` and `ends`, latest first, without `ends`."""
    visited = {start for start in starts if start not in ends}
    stack = list(visited)
    while stack:
        for parent in stack.pop().parents:
            if (
                parent is not None
                and parent.number >= floor
                and parent not in visited
                and parent not in ends
            ):
                visited.add(parent)
                stack.append(parent)
    return sorted(visited, key=_by_number, reverse=True)


def _give_output(gathered, waiting, floor, pick, g):
    """Passes the gradient of one output to the node of its operation, unless it is older than all
    ends of the pass."""
    node = pick.parents[0]
    if node.number < floor:
        return
    previous = gathered.get(node)
    if previous is None:
        previous = gathered[node] = [None] * len(node.outs)
        heappush(waiting, (-node.number, node))
    old = previous[pick.index]
    previous[pick.index] = g if old is None else old + g


def _pull(gathered, waiting, ends, node, g, floor, higher):
    """Computes the gradients of the parents of `node` and adds them to `gathered`; parents that get
    their first gradient join the heap `waiting`, unless they are `ends`."""
    rule = node.rule
    if (
        not higher
        and rule.flow is not None
        and node.metas is not None
        and type(node.saved) is tuple
        and arrays.find_recorder is None
    ):
        xp, first = HOST, g
        if node.outs is not None:
            g, first = _fill_plain_gradients(g, node.outs, rule.fills)
        elif type(g) is numpy.float32:  # from arithmetic on arrays without axes
            g = first = numpy.asarray(g)
        elif type(g) is Overwritten:
            first = g.array
        elif type(g) is numpy.ndarray and g.nbytes >= Least.SPACE:
            xp = LARGE
        if type(first) is numpy.ndarray and (first.dtype is FLOAT32 or not rule.upcast):
            if rule.overwrites and g is first:
                g = Overwritten(g, is_owned=False)
            rule.flow(xp, g, node, gathered, waiting, ends, floor)
            return
    if type(g) is Overwritten:
        g = g.array
    parents = node.parents
    needs_grad = [parent is not None and parent.number >= floor for parent in parents]
    if True not in needs_grad:
        return
    saved, outs = node.saved, node.outs
    if type(saved) is Packed:
        saved = saved.unpack()
    if outs is not None:
        g, xp = _fill_gradients(g, outs, rule.fills)
    else:
        xp = SPACES.get(type(g))
        if xp is None:
            g, xp = as_gradient(g)
    if higher:
        saved = _traced_saved(node, saved, xp)
    grads = None
    if rule.upcast:
        dtype = g.dtype if outs is None else _dtype_of(g)
        if rule.upcast == "low_precision" and not higher and outs is None:
            grads = _pull_by_one_kernel(xp, node, g, dtype, saved, needs_grad)
        if grads is None and dtype is not FLOAT32 and dtype in getattr(xp, rule.upcast):
            g, saved = _upcast(xp, g, saved, getattr(xp, rule.upcast))
    if grads is not None:
        pass
    elif arrays.find_recorder is not None and (xp is recorded_array.RECORDED or xp is HOST):
        grads = recorded_array.call_pull(
            rule.pull, g, saved, needs_grad, type(rule) is VjpRule and not rule.collects_slices
        )
    else:
        if xp is HOST and outs is None and g.nbytes >= Least.SPACE:
            xp = LARGE
        grads = rule.pull(xp, g, saved, needs_grad)
        if xp.level and hasattr(xp, "gradients"):
            grads = xp.gradients(grads)
    if rule.many:
        grads = _flat(grads, len(parents))
    for parent, is_needed, grad, meta in zip(
        parents, needs_grad, grads, node.metas or _any * len(parents)
    ):
        if is_needed and grad is not None:
            shape, dtype = meta
            if shape is not None and (grad.shape != shape or grad.dtype is not dtype):
                grad = fit(xp, grad, shape, dtype)
            old = gathered.get(parent)
            if old is not None and xp is LARGE and type(old) is type(grad) is type(g):
                gathered[parent] = xp.add(old, grad)
            else:
                _add_gradient(gathered, waiting, ends, parent, grad)


def _flat(grads, count):
    """Flattens the gradients of an operation with a variadic input, whose gradients are a list in
    the last place; `count` is the number of inputs."""
    *first, rest = grads
    if rest is None:
        rest = [None] * (count - len(first))
    return [*first, *rest]


def as_gradient(g):
    """Returns `g` as an array (sums of 0-d arrays are NumPy scalars), and its array namespace."""
    xp = SPACES.get(type(g))
    if xp is not None:
        return g, xp
    if type(g) is RowSparse:
        return g.whole(), g.space
    if hasattr(g, "space"):
        return g, g.space
    return HOST.asarray(g), HOST


def _fill_plain_gradients(gradients, outs, fills):
    """If the gradients of several outputs are plain arrays, returns them as `_fill_gradients` does,
    and the first gradient that has arrived. Otherwise returns the gradients unchanged, and None.
    """
    first = None
    for g in gradients:
        if g is not None:
            if type(g) is not numpy.ndarray:
                return gradients, None
            first = g if first is None else first
    if fills:
        gradients = [
            numpy.zeros(*outs[index]) if g is None else g for index, g in enumerate(gradients)
        ]
    return tuple(gradients), first


def _fill_gradients(gradients, outs, fills):
    """Returns the gradients of several outputs, with zeros for missing ones, and their array
    namespace."""
    _, xp = as_gradient(next(g for g in gradients if g is not None))
    if not fills:
        return tuple(g if g is None else as_gradient(g)[0] for g in gradients), xp
    outputs = tuple(
        xp.zeros(shape, dtype) if g is None else g for g, (shape, dtype) in zip(gradients, outs)
    )
    return outputs, xp


def _dtype_of(g):
    """Returns the dtype of a gradient, or of the first of several."""
    return (next(part for part in g if part is not None) if type(g) is tuple else g).dtype


def _pull_by_one_kernel(xp, node, g, dtype, saved, needs_grad):
    """Computes the gradients in float32 or lower by one kernel (_backend/bodies/upcast.py), or
    returns None. Gradients that are summed to another shape are in float32, except the gradient of
    a total."""
    kernels, rule = getattr(xp, "upcast_kernels", None), node.rule
    if kernels is None or dtype is not FLOAT32 and dtype not in kernels.dtypes:
        return None
    if rule.many or type(rule) is not VjpRule:
        return None
    key = tuple(needs_grad)
    if dtype is FLOAT32 and key in rule.several_kernels:
        return None
    dtypes = tuple(
        None if not want else g.dtype if shape in (g.shape, None) or not g.ndim else FLOAT32
        for want, (shape, _) in zip(needs_grad, node.metas or _any * len(needs_grad))
    )
    grads = kernels.run(rule.pull, (g, saved, needs_grad), dtypes, alias=True, whole=True)
    if grads is None and dtype is FLOAT32 and g.size:
        rule.several_kernels.add(key)
    return grads


def _upcast(xp, g, saved, low_precision):
    """Casts low-precision floats in `g` and `saved` to float32."""

    def upcast(value):
        if getattr(value, "dtype", None) in low_precision and hasattr(value, "shape"):
            return xp.cast(value, FLOAT32)
        return value

    g = tuple(map(upcast, g)) if type(g) is tuple else upcast(g)
    return g, tuple(tuple(map(upcast, k)) if type(k) is tuple else upcast(k) for k in saved)


def _traced_saved(node, saved, xp):
    """Returns the saved values of `node`, with its inputs and outputs as Traced values of their
    nodes."""
    rule = node.rule
    values = []
    for name, value in zip(rule.saves, saved):
        if name == "out":
            values.append(xp.wrap(value, node))
        elif name in rule.inputs:
            at = rule.inputs.index(name)
            if rule.many and at == len(rule.inputs) - 1:
                values.append([xp.wrap(v, p) for v, p in zip(value, node.parents[at:])])
            else:
                values.append(None if value is None else xp.wrap(value, node.parents[at]))
        else:
            values.append(value)
    return tuple(values)


def _add_gradient(gathered, waiting, ends, node, g):
    """Adds `g` to the gradient that `node` has received so far. With its first gradient, the node
    joins the heap `waiting`, unless it is one of `ends`."""
    old = gathered.get(node)
    if old is None:
        gathered[node] = g
        if node not in ends:
            heappush(waiting, (-node.number, node))
    else:
        gathered[node] = g.after(old) if type(g) is SliceSum else old + g
