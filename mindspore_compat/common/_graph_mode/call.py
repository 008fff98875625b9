"""Calls a function or Cell as one graph: converts its inputs and its outputs.

A graph of MindSpore is a function of values. An indexed assignment creates a new value, so
neither the caller's Tensor nor another name of the same Tensor changes, and lists are copied.
Operators that write in place do write to the memory of the input. A graph returns Tensors, numbers,
strings, tuples, lists and dicts. For a Parameter it returns the value of this call.

Only the outermost call is a graph: a Cell or function called in a graph is part of it.
"""

import threading
import types

import numpy

from ..._backend.arrays import SPACES
from ..._backend.random import kernels
from ..._backend.steps.journal import LOCALS
from ..._core.autograd.tape import depth
from ..._core.gradients.transforms import Mutable
from ..._core.sharding.network import run_network
from ..._core.tensor.tensor import Tensor
from ..parameter import Parameter
from .draws import run_of


class _Graphs(threading.local):
    """The state of this thread.

    Attributes:
        running (bool): whether it runs a graph.
        separate (bool): whether items share no memory with the Tensor that they are taken from.
            This holds in a graph and in `vmap`, which MindSpore compiles as one.
    """

    running = False
    separate = False


graphs = _Graphs()
LOCALS += graphs, kernels.graph


def in_graph():
    """Returns whether this thread runs a graph, or a function within `vmap`."""
    return graphs.separate


def as_graph(function, args, kwargs, cell=None):
    """Calls a function as one graph; `cell` is the Cell that the function calls, if any."""
    if graphs.running:
        return function(*args, **kwargs)
    outside, streams = graphs.separate, kernels.graph
    try:
        graphs.running = graphs.separate = True
        streams.run = run_of(cell or function, args, kwargs)
        copies = {}
        args = [_input(argument, copies) for argument in args]
        kwargs = {name: _input(argument, copies) for name, argument in kwargs.items()}
        return _output(run_network(function, args, kwargs, cell), copies)
    finally:
        graphs.running, graphs.separate, streams.run = False, outside, None


def _input(value, copies):
    """Converts an input for a graph: replaces a Tensor by a new Tensor that shares its memory, and
    copies lists.

    `copies` maps the ids of the caller's Tensors to the new Tensors, because one may be passed
    twice, and the ids of new lists to the caller's lists.
    """
    kind = type(value)
    if kind is Tensor:
        return _copy_of(value, copies)
    if kind is tuple or kind is list:
        items = [
            _copy_of(item, copies) if type(item) is Tensor else _input(item, copies)
            for item in value
        ]
        if kind is tuple:
            return tuple(items)
        copies[id(items)] = value
        return items
    return value


def _copy_of(tensor, copies):
    """Returns the graph's own Tensor for one of the caller's."""
    copy = copies.get(id(tensor))
    if copy is None:
        copy = copies[id(tensor)] = Tensor._wrap(tensor._array)
        if len(tensor.__dict__) > 1:
            copy.__dict__.update(tensor.__dict__)
    return copy


_AS_THEY_ARE = frozenset([Tensor, type(None), bool, int, float, complex, str])
_TUPLES = (type({}.keys()), type({}.values()), range, zip, enumerate)
_LISTS = (type({}.items()), filter, types.GeneratorType)


def _output(value, copies):
    """Converts a result to the form that a graph returns. A list that the graph has not changed is
    the caller's own."""
    if isinstance(value, Parameter):
        return _value_of(value)
    if isinstance(value, (Tensor, str)):
        return value
    kind = type(value)
    if kind is tuple or kind is list:
        if _AS_THEY_ARE.issuperset(map(type, value)):
            items = value
        else:
            items = [_output(item, copies) for item in value]
        return tuple(items) if kind is tuple else _own_list(value, items, copies)
    if kind is dict:
        items = {key: _output(item, copies) for key, item in value.items()}
        return items if any(items[key] is not value[key] for key in items) else value
    if isinstance(value, _TUPLES):
        return tuple([_output(item, copies) for item in value])
    if kind is map:  # a map of NumPy arrays stays a map, because the interpreter runs it
        items = tuple([_output(item, copies) for item in value])
        return map(_itself, items) if any(map(_of_numpy, items)) else items
    if isinstance(value, _LISTS):
        return [_output(item, copies) for item in value]
    if isinstance(value, Mutable) and isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if callable(value) and not isinstance(value, type):
        raise RuntimeError(
            "Function in output is not supported. A graph must return Tensors, numbers, strings or "
            f"sequences of these, but got {value!r}."
        )
    return value


def _value_of(parameter):
    """Returns the current value of a Parameter as a Tensor that later updates do not change. While
    a gradient is recorded, returns the Parameter itself."""
    array = parameter._array
    if depth.open or type(array) not in SPACES:
        return parameter
    return Tensor._wrap(array.copy())


def _own_list(value, items, copies):
    """Returns the list that the graph returns as `value`, with the converted `items`."""
    given = copies.get(id(value), value)
    same = len(given) == len(items) and all(
        item is own or item is copies.get(id(own)) for item, own in zip(items, given, strict=True)
    )
    return given if same else list(items)


def _itself(value):
    return value


def _of_numpy(value):
    return isinstance(value, (numpy.ndarray, numpy.generic))
