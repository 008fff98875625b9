"""Undoes the changes that a training step makes before its optimizer writes, if it fails before.

The forward pass moves the statistics of batch normalization, and a loss scale changes before the
update. `whole_step` runs a step. If it raises anything before `journal.saved` is None, those
Tensors get back the arrays and elements that they had. An optimizer sets it to None with its last
write (updates/complete.py).
"""

import threading

from ..ranks.endings import Exchanges
from . import current
from .recorded_array import Recorded


class _Journal(threading.local):
    """The changes that the running step has made so far."""

    saved = None  # id -> (Tensor or None, array, a copy of its elements or None); None: not in use
    states = ()  # the attributes of the objects in LOCALS, as dicts, in this thread

    def note_replaced(self, tensors):
        """Saves Tensors whose arrays are about to be replaced by others."""
        if self.saved is not None:
            for tensor in tensors:
                self.saved.setdefault(id(tensor), (tensor, tensor._array, None))

    def note_written(self, tensors):
        """Saves Tensors that are about to be written in place."""
        if self.saved is not None:
            recorder = current.running()
            for tensor in tensors:
                if recorder is not None and type(tensor._array) is Recorded:
                    recorder.note_overwritten(tensor._array)
                if id(tensor) not in self.saved:
                    array = _plain(tensor._array)
                    self.saved[id(tensor)] = (tensor, array, array.copy())

    def note_overwritten(self, array):
        """Saves the elements of an array that a replay is about to write in place."""
        if self.saved is not None and id(array) not in self.saved:
            self.saved[id(array)] = (None, array, array.copy())

    def undo(self):
        """Restores what is saved, the last change first."""
        for tensor, array, copy in reversed(list((self.saved or {}).values())):
            array = _plain(array)
            if tensor is not None:
                tensor._array = array
            if copy is not None:
                array[...] = copy


journal = _Journal()
LOCALS = []  # thread-local objects that contexts within a step change, and restore at their end


def whole_step(function, args, kwargs):
    """Calls a function. If it raises anything before its last part is complete, its changes are
    undone, and contexts that an interrupt has left open are closed. An interrupt or a lack of
    memory between the exchanges of a step and its update makes this rank differ from the others,
    which learn of it in the next exchange."""
    states = journal.states
    if len(states) != len(LOCALS):
        states = journal.states = [vars(local) for local in LOCALS]
    before, exchanges = list(map(dict.copy, states)), Exchanges.started
    outer, journal.saved = journal.saved, {}
    try:
        return function(*args, **kwargs)
    except BaseException as error:
        is_of_this_rank = isinstance(error, MemoryError) or not isinstance(error, Exception)
        if is_of_this_rank and outer is None and journal.saved is not None:
            Exchanges.undone |= Exchanges.started > exchanges
        journal.undo()
        for state, values in zip(states, before, strict=True):
            state.clear()
            state.update(values)
        raise
    finally:
        if journal.saved is not None:
            journal.saved = None if outer is None else {**journal.saved, **outer}


def _plain(array):
    """Returns the plain array of a Recorded one, and other arrays unchanged."""
    return array.value if type(array) is Recorded else array
