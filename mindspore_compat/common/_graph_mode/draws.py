"""The random streams of a graph: each call in it that draws has its own, which goes on in the next
run (_backend/random/kernels.py). As in MindSpore, a graph is one for each shape and dtype of the
arguments, for training and evaluation, and for runs with and without gradients."""

import weakref

from ..._backend.random.kernels import Run
from ..._core.autograd.tape import depth
from ..._core.tensor.tensor import Tensor
from .reachable import PLAIN, is_cell

_streams = {}  # id of a Cell or function -> {kind of arguments: list of streams}


def run_of(owner, args, kwargs):
    """Returns a new run of the graph of a Cell or function."""
    return Run(lambda: _streams_of(owner, args, kwargs))


def _streams_of(owner, args, kwargs):
    of_owner = _streams.get(id(owner))
    if of_owner is None:
        of_owner = _streams[id(owner)] = {}
        weakref.finalize(owner, _streams.pop, id(owner), None).atexit = False
    key = _kind((owner, args, kwargs)), depth.open > 0
    return of_owner.setdefault(key, [])


def _kind(value):
    """Returns a key; arguments with equal keys share a graph."""
    if isinstance(value, Tensor):
        return value.shape, value._array.dtype
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_kind, value))
    if isinstance(value, dict):
        return tuple((key, _kind(item)) for key, item in value.items())
    if isinstance(value, PLAIN):
        return type(value), value
    if is_cell(value):
        return id(value), value.training
    return type(value)
