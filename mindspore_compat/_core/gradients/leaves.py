"""Leaves: the nodes where gradients end, attached to inputs and weights while a function runs.

The transforms that use them are in transforms.py; the backward pass is in autograd/tape.py.
"""

import weakref

import numpy

from ..._backend.arrays import current_space
from ..._backend.starting import lock_for_forks
from ..._backend.threads import scheduler
from ..autograd.row_sparse import RowSparse
from ..autograd.tape import Leaf, as_gradient, backward, depth, leaf
from ..autograd.traced import Traced, traced_space
from ..declare.op import space_for
from ..tensor.tensor import Tensor
from ..vmap.batch import Batch, broadcast_nodes, running, space_among

_entering = lock_for_forks()  # a weight has one leaf at a time, even if several threads train
watchers = []  # called with the gradients of outermost backward passes (ops/_debug/float_status.py)
WEIGHTS = weakref.WeakValueDictionary()  # every live Parameter, by its id


class _GradientScope:
    """An open gradient: leaves on inputs and weights, restored at the end.

    Within a pause (`unrecorded`) it still records, and its results have no history. If it is
    entered again for a later backward pass, it puts the same leaves on the weights, because
    recomputed blocks look for them.
    """

    retained = False  # whether something else may walk the tape again, see `depth.retained`
    outer = None  # the state of the thread before `__enter__`, while the gradient is open

    def __init__(self, weights=()):
        self.weights = list({id(weight): weight for weight in weights}.values()) if weights else ()
        self.leaves = []

    def __enter__(self):
        try:
            if self.weights:
                with _entering:
                    self._enter()
            else:
                self._enter()
        except BaseException:
            self.leave()
            raise
        return self

    def _enter(self):
        opened, self.paused = depth.open, depth.paused
        if opened == 0:
            if self.weights:
                self._refuse_shared()
            depth.retained = self.retained
        self.saved = []
        self.outer = (opened, self.paused, depth.leaf, scheduler.step.depth())
        depth.open = opened + 1
        if self.paused:
            depth.paused = False
        depth.leaf = None
        scheduler.step.__enter__()
        if not self.weights:
            return
        leaves = self.leaves or [None] * len(self.weights)
        for weight, end in zip(self.weights, leaves):
            self.saved.append((weight, weight._array, weight._node))
            weight._array = _in_vmap(weight._array)
            weight._node = depth.leaf = end or self._leaf(weight, True)

    def __exit__(self, *error):
        try:
            self.leave()
        except BaseException:  # an interrupt
            self.leave()
            raise

    def within(self, function, *args):
        """Calls a function within the context, and leaves it even if an interrupt comes before
        `__exit__` has run."""
        try:
            if self.weights:
                self.__enter__()
            else:
                self._enter()
            result = function(*args)
            self.leave()
            return result
        except BaseException:
            self.leave()
            raise

    def leave(self):
        """Restores the state before `__enter__`. May be called again after an interrupt."""
        if self.outer is None:
            return
        if self.outer[0] == 0:
            self.retained = depth.retained
        depth.open, depth.paused, depth.leaf, steps = self.outer
        scheduler.step.leave_to(steps)
        if self.saved:
            for weight, array, node in reversed(self.saved):
                weight._node = node
                if type(weight._array) is Batch:
                    weight._array = array
        self.outer = None

    def _refuse_shared(self):
        """Raises a RuntimeError if another thread computes a gradient of the same weight, because
        each thread would receive only a part of the gradient.
        """
        for weight in self.weights:
            if type(weight._node) is Leaf:
                raise RuntimeError(
                    f"Another thread takes a gradient by {getattr(weight, 'name', 'a Tensor')!r}; "
                    f"gradients by one Parameter must be taken one after another."
                )

    def _leaf(self, tensor, is_weight=False):
        array = tensor._array
        placement = None if type(array) is numpy.ndarray else getattr(array, "placement", None)
        node = leaf(tensor._node, array.shape, array.dtype, (placement, is_weight))
        self.leaves.append(node)
        depth.leaf = node
        return node

    def input(self, tensor):
        """Returns a Tensor with the same values and a new leaf."""
        array = tensor._array
        tensor_in = Tensor._wrap(_in_vmap(array) if running.spaces else array)
        tensor_in._node = self._leaf(tensor)
        return tensor_in

    def only(self, indices):
        """Keeps only the gradients of these weights, in the order of `indices`."""
        selected_leaves = [self.leaves[index] for index in indices]
        for unused_leaf in set(self.leaves) - set(selected_leaves):
            unused_leaf.number = 0  # earlier than all leaves left: no backward pass gets there
        self.leaves = selected_leaves

    def gradients(self, outputs, grad_outputs, last=False):
        """Returns the gradients of all leaves as Tensors, given the gradients of the outputs.

        Args:
            outputs (Sequence[Tensor]): the outputs, where the backward pass starts.
            grad_outputs (Sequence[Tensor]): the gradient at each output.
            last (bool): True if no later backward pass uses this tape. Unless another gradient is
                open, each node then releases its saved values after use.
        """
        opened = depth.open
        higher = opened > 1 and not self.paused
        spent = 0 if last and opened == 1 and not depth.retained else None
        roots, head_gradients = [], []
        for out, g in zip(outputs, grad_outputs):
            roots.append(out._node)
            head_gradients.append(_as_seed(g, out, higher))
        arrived = depth.arrived if opened == 1 else None
        grads = backward(roots, head_gradients, self.leaves, higher, spent, arrived)
        for g in grads:
            if type(g) is not numpy.ndarray and hasattr(g, "placement"):
                grads = g.space.settled(grads, [end.saved for end in self.leaves])
                break
        gradients = list(map(_as_tensor, grads, self.leaves))
        if watchers and not higher:
            for watch in watchers:
                watch(gradients)
        return gradients


def _in_vmap(array):
    """Returns `array` as a Batch of equal slices inside a running vmap, which gives each slice its
    own gradient."""
    spaces = running.spaces
    return _broadcast(array, spaces) if spaces else array


def _broadcast(array, spaces):
    """Returns `array` as a Batch of each of `spaces`, which are nested, the outermost first."""
    if not spaces:
        return array
    *outer, inner = spaces
    if inner.is_batch(array):
        return inner.wrap_batch(_broadcast(array.array, outer))
    return inner.broadcast(_broadcast(array, outer))


def _as_seed(grad_output, out, higher):
    array, target = grad_output._array, out._array
    if array.dtype is not target.dtype and array.dtype != target.dtype:
        array = array.astype(target.dtype)
    if not higher and type(array) is type(target) is numpy.ndarray:
        return array
    node = grad_output._node
    if hasattr(out._array, "placement") and not hasattr(array, "space"):
        array = out._array.space.asarray(array)
    space = space_among([out._array])
    if space is not None and space_among([array]) is None:  # the same for every slice
        (node,) = broadcast_nodes(space, [array], [node])
        array = space.broadcast(array)
    if not higher:
        return array
    return traced_space(space_for(array)).wrap(array, node)


def _as_tensor(g, end):
    """Returns a gradient as a Tensor: zeros if no gradient reached the leaf."""
    if type(g) is numpy.ndarray:
        return Tensor._wrap(g)
    if g is None:
        shape, dtype = end.metas[0]
        return Tensor._wrap(current_space().zeros(shape, dtype))
    if type(g) is Traced:
        tensor = Tensor._wrap(g.array)
        tensor._node = g.node
        return tensor
    if type(g) is RowSparse:
        return Tensor._of_rows(g.summed())
    return Tensor._wrap(as_gradient(g)[0])


def trained_parameters():
    """Returns every live Parameter that requires a gradient."""
    live = [reference() for reference in WEIGHTS.valuerefs()]
    return [
        p
        for p in live
        if p is not None
        and p.requires_grad
        and (depth.open or type(p._node) is not Leaf)  # else another thread differentiates
    ]


def in_order_of_use(leaves, heads):
    """Returns the leaves that the outputs depend on, in the order of their first use by
    operations."""
    first, floor = {}, min((end.number for end in leaves), default=0)
    ends = set(leaves)
    stack = list({head._node for head in heads if head._node is not None})
    for root in ends.intersection(stack):
        first[root] = root.number, 0
    visited = set(stack)
    while stack:
        node = stack.pop()
        if node in ends:
            continue
        for position, parent in enumerate(node.parents):
            if parent in ends:
                use = node.number, position
                first[parent] = min(first.get(parent, use), use)
            elif parent is not None and parent.number > floor and parent not in visited:
                visited.add(parent)
                stack.append(parent)
    return sorted(first, key=first.get)


def ones_like(tensor):
    """Returns a Tensor of ones in the shape of `tensor`."""
    array = tensor._array
    if type(array) is numpy.ndarray:
        return Tensor._wrap(numpy.ones(array.shape, array.dtype))
    return Tensor._wrap(space_for(array).ones_like(array))


def zeros_like(tensor):
    """Returns a Tensor of zeros in the shape of `tensor`."""
    array = tensor._array
    return Tensor._wrap(space_for(array).zeros_like(array))
