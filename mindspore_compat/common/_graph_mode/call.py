"""The call of a function or Cell as one graph: what goes in, and what comes out.

A graph of the original is a function of values. A write at an index makes a new value there, so
neither the caller's Tensor nor another name for the same Tensor sees it, and a list is the graph's
own; operators that write in place do write to the memory of the input. What a graph returns is
made of Tensors, numbers, strings, tuples, lists and dicts.

Only the outermost call counts: a Cell or function within a graph is a part of it.
"""

import threading
import types

import numpy

from ..._core.autograd.transforms import Mutable
from ..._core.tensor.tensor import Tensor


class _Graphs(threading.local):
    """What this thread runs.

    Attributes:
        running (bool): whether it runs a graph.
        separate (bool): whether items are values without memory in common with the Tensor that they
            are taken from, as in a graph and within `vmap`, which the original compiles as one.
    """

    running = False
    separate = False


graphs = _Graphs()


def in_graph():
    """Whether this thread runs a graph, or a function within `vmap`."""
    return graphs.separate


def as_graph(function, args, kwargs):
    """Calls a function as one graph."""
    if graphs.running:
        return function(*args, **kwargs)
    outside = graphs.separate
    graphs.running = graphs.separate = True
    try:
        copies = {}
        args = [_input(argument, copies) for argument in args]
        kwargs = {name: _input(argument, copies) for name, argument in kwargs.items()}
        return _output(function(*args, **kwargs))
    finally:
        graphs.running, graphs.separate = False, outside


def _input(value, copies):
    """An input as a graph has it: another Tensor of the same memory, a list of its own.

    `copies` holds those Tensors by the ids of the caller's, as a Tensor may be given twice.
    """
    kind = type(value)
    if kind is Tensor:
        return _own(value, copies)
    if kind is tuple or kind is list:
        return kind(
            [_own(item, copies) if type(item) is Tensor else _input(item, copies) for item in value]
        )
    return value


def _own(tensor, copies):
    """The graph's own Tensor in place of one of the caller's."""
    own = copies.get(id(tensor))
    if own is None:
        own = copies[id(tensor)] = Tensor._wrap(tensor._array)
        if len(tensor.__dict__) > 1:
            own.__dict__.update(tensor.__dict__)
    return own


_AS_THEY_ARE = frozenset([Tensor, type(None), bool, int, float, complex, str])
_TUPLES = (type({}.keys()), type({}.values()), range, zip, enumerate)
_LISTS = (type({}.items()), filter, types.GeneratorType)


def _output(value):
    """A result as a graph returns it."""
    if isinstance(value, (Tensor, str)):
        return value
    kind = type(value)
    if kind is tuple or kind is list:
        if _AS_THEY_ARE.issuperset(map(type, value)):
            return kind(value)
        return kind(map(_output, value))
    if isinstance(value, _TUPLES):
        return tuple(map(_output, value))
    if kind is map:  # of arrays of NumPy it stays one, as the interpreter runs it
        items = tuple(map(_output, value))
        return map(_output, items) if any(map(_of_numpy, items)) else items
    if isinstance(value, _LISTS):
        return list(map(_output, value))
    if isinstance(value, Mutable) and isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if callable(value) and not isinstance(value, type):
        raise RuntimeError(
            "Function in output is not supported. A graph must return Tensors, numbers, strings or "
            f"sequences of these, but got {value!r}."
        )
    return value


def _of_numpy(value):
    return isinstance(value, (numpy.ndarray, numpy.generic))
