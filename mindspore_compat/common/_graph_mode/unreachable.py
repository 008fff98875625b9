"""Tensors that a captured step uses, although no object that reachable.py finds leads to them:
class attributes, slots, elements of a deque.

Worked example. A Cell reads `Config.scale`, a Tensor. The graph reads the memory of its array at
each replay, so that memory must not be freed when the script assigns another Tensor. Inside
`with Uses(known) as uses:`, `Tensor._array` is a descriptor that notes each access of this thread,
and `uses.rows` then has the Tensor and its array.
"""

import gc
import threading

from ..._backend.starting import lock_for_forks
from ..._core.tensor.tensor import Tensor
from .reachable import has_array


class _Local(threading.local):
    uses = None  # the Uses in force in this thread


_local = _Local()
_lock = lock_for_forks()
_in_force = 0  # the number of Uses of all threads


class Uses:
    """Records which of the Tensors that exist at its creation this thread reads or assigns.

    Args:
        known: the ids of Tensors that are not noted.

    Attributes:
        rows (dict): id -> (a Tensor, its array before).
    """

    def __init__(self, known):
        # `isinstance` would run the property `__class__` of other libraries' proxies.
        tensors = [value for value in gc.get_objects() if issubclass(type(value), Tensor)]
        self._before = {
            id(tensor): (tensor, tensor._array)
            for tensor in tensors
            if id(tensor) not in known and has_array(tensor)
        }
        self.rows = {}

    def __enter__(self):
        global _in_force
        with _lock:
            _in_force += 1
            Tensor._array = _Array()
        _local.uses = self
        return self

    def __exit__(self, *error):
        global _in_force
        _local.uses = None
        with _lock:
            _in_force -= 1
            if not _in_force:
                del Tensor._array
        self._before = {}

    def note(self, tensor):
        """Notes that a Tensor is read or assigned."""
        row = self._before.get(id(tensor))
        if row is not None:
            self.rows[id(tensor)] = row


class _Array:
    """The descriptor `Tensor._array` while a Uses is active: records each access and forwards it to
    the Tensor's attributes."""

    def __get__(self, tensor, kind):
        if tensor is None:
            return self
        if _local.uses is not None:
            _local.uses.note(tensor)
        try:
            return tensor.__dict__["_array"]
        except KeyError:
            raise AttributeError("_array") from None  # for __getattr__ of a subclass

    def __set__(self, tensor, array):
        if _local.uses is not None:
            _local.uses.note(tensor)
        tensor.__dict__["_array"] = array
