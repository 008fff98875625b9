"""The parameters of a Cell, or those that a function reads from around it."""

import inspect

from .._core.gradients.transforms import Request
from ..common.parameter import Parameter
from ..nn.cell import Cell

_ROOM = __name__.partition(".")[0]


def parameters_of(network, only_trained=True):
    """Returns the parameters of a Cell, or those a function reads from around it, each once.

    Args:
        network (Union[Cell, Callable]): the network.
        only_trained (bool): whether parameters are left out that are not trained.
    """
    found, waiting, seen = {}, [network], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Parameter):
            if each.requires_grad or not only_trained:
                found[id(each)] = each
        elif isinstance(each, Cell):
            waiting += each.get_parameters()
        elif isinstance(each, Request):  # what `grad` and `value_and_grad` return holds one
            waiting += [each.fn, *each.weights]
        elif isinstance(each, (list, tuple)):
            waiting += each
        elif inspect.ismethod(each):
            waiting += [each.__self__, each.__func__]
        elif inspect.isfunction(each):
            around = inspect.getclosurevars(inspect.unwrap(each))
            ours = each.__module__.partition(".")[0] == _ROOM
            waiting += [*around.nonlocals.values(), *([] if ours else around.globals.values())]
    return sorted(found.values(), key=lambda parameter: parameter.name)
