"""Finds the parameters of a Cell, or the parameters that a function uses from its closure and
globals."""

import inspect

from .._core.gradients.transforms import Request
from ..common.parameter import Parameter
from ..nn.cell import Cell

_ROOM = __name__.partition(".")[0]


def parameters_of(network, only_trained=True):
    """Returns the distinct parameters of a Cell, or of the objects that a function uses from its
    closure and globals.

    Args:
        network (Union[Cell, Callable]): the network.
        only_trained (bool): whether parameters are left out that are not trained.
    """
    parameters, waiting, visited = {}, [network], set()
    while waiting:
        value = waiting.pop()
        if id(value) in visited:
            continue
        visited.add(id(value))
        if isinstance(value, Parameter):
            if value.requires_grad or not only_trained:
                parameters[id(value)] = value
        elif isinstance(value, Cell):
            waiting += value.get_parameters()
        elif isinstance(value, Request):  # what `grad` and `value_and_grad` return holds one
            waiting += [value.fn, *value.weights]
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif inspect.ismethod(value):
            waiting += [value.__self__, value.__func__]
        elif inspect.isfunction(value):
            around = inspect.getclosurevars(inspect.unwrap(value))
            ours = value.__module__.partition(".")[0] == _ROOM
            waiting += [*around.nonlocals.values(), *([] if ours else around.globals.values())]
    return sorted(parameters.values(), key=lambda parameter: parameter.name)
