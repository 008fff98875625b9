"""Finds the axis among the arguments of a function of `xp` that works along one."""

import functools
import inspect

from .catalogue import FUNCTIONS


def axis_of_call(name, args, kwargs):
    """Splits the arguments of a call of a function along one axis.

    Args:
        name (str): a function of the family "along".
        args (tuple), kwargs (dict): its arguments after the first array.

    Returns:
        The axis, given by position, by name or by default; the positional arguments before it and
        after it; and the other keyword arguments.
    """
    position, default = _axis_parameter(name)
    if len(args) > position:
        return args[position], args[:position], args[position + 1 :], kwargs
    kwargs = dict(kwargs)
    return kwargs.pop("axis", default), args, (), kwargs


@functools.cache
def _axis_parameter(name):
    """Returns the position of the parameter `axis` after the first array, and its default."""
    if FUNCTIONS[name].home == "numpy":
        return 0, None if name == "flip" else -1
    function = eval(f"lambda {FUNCTIONS[name].signature.strip('()')}: None")
    parameters = inspect.signature(function).parameters
    return list(parameters).index("axis") - 1, parameters["axis"].default
