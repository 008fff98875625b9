"""Differentiable copies between the host and a GPU. Gradients are copied in the other direction, so
the saved arrays of a node and its gradient are on the same device.
"""

import threading

from ..._backend import arrays
from ..._backend.arrays import SPACES
from ..tensor.tensor import Tensor
from .tape import depth, record
from .traced import Traced, traced_space
from .vjp_rule import VjpRule


class _Move(VjpRule):
    """The vjp rule of a copy between host and GPU: copies the gradient back to `home`, the array
    namespace that the array came from."""

    def __init__(self, home):
        self.name, self.inputs, self.saves = "move", ("x",), ()
        self.upcast = self.many = False
        self.pull = lambda xp, g, saved, needs_grad: (_moved_back(g, home),)


class _Moves(threading.local):
    """The number of moves that this thread has recorded."""

    recorded = 0


moves = _Moves()
_RULES = {}  # source space -> the gradient rule of a copy from it


def _moved_back(g, home):
    """Copies a gradient, an array or a Traced value, to `home`, the array namespace of the original
    array."""
    if type(g) is not Traced:
        return arrays.to_space(home, g) if type(g) in SPACES else g
    if type(g.array) not in SPACES:
        return g
    return traced_space(home).wrap(*recorded_move(home, g.array, g.node))


def recorded_move(xp, array, node):
    """Moves `array` to the space `xp`, or to the device of its Batches. Returns the moved array and
    its tape node, which records the move if `node` is not None."""
    copy = xp.to_device(array) if hasattr(xp, "to_device") else arrays.to_space(xp, array)
    home = SPACES.get(type(array))
    same_device = home is None or arrays.on_device(array) == arrays.on_device(copy)
    if same_device or node is None or depth.paused:
        return copy, node
    moves.recorded += 1
    if home not in _RULES:
        _RULES[home] = _Move(home)
    return copy, record(_RULES[home], (node,), (), ((array.shape, array.dtype),))


def in_space(xp, tensor):
    """Copies `tensor` to the device of the array namespace `xp`, differentiably; returns `tensor`
    itself if it is already there."""
    array, node = recorded_move(xp, tensor._array, tensor._node)
    if array is tensor._array:
        return tensor
    tensor_there = Tensor._wrap(array)
    tensor_there._node = node
    return tensor_there


def on_one_device(values):
    """Returns the values with all Tensors moved to a GPU, if one of them is there; other values are
    unchanged."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    spaces = [SPACES[type(t._array)] for t in tensors if type(t._array) in SPACES]
    device = next((space for space in spaces if space is not arrays.HOST), None)
    if device is None or all(space is device for space in spaces):
        return values
    return [in_space(device, value) if isinstance(value, Tensor) else value for value in values]
