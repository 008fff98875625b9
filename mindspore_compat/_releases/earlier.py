"""Two ways to write an earlier meaning: another signature, or other defaults.

    @instead
    def split(today, input_x, axis=0, output_num=1): ...

    Dense = with_defaults(weight_init="normal", bias_init="zeros")

Both are functions that take today's function and return the earlier one.
"""

import functools
import inspect


def instead(old):
    """Makes the earlier meaning from a function that takes today's function, then the arguments.

    A call that does not fit the earlier signature keeps today's meaning.
    """
    first, *parameters = inspect.signature(old).parameters.values()
    signature = inspect.Signature(parameters)

    def earlier(today):
        @functools.wraps(today)
        def call(*args, **kwargs):
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                return today(*args, **kwargs)
            return old(today, *bound.args, **bound.kwargs)

        return call

    of_caller = [parameter for parameter in parameters if parameter.name != "self"]
    earlier.fits = functools.partial(_binds, inspect.Signature(of_caller))
    return earlier


def with_defaults(**defaults):
    """Makes the earlier meaning of a function whose parameters had other defaults."""

    def earlier(today):
        parameters = list(inspect.signature(today).parameters)

        @functools.wraps(today)
        def call(*args, **kwargs):
            set_names = {*parameters[: len(args)], *kwargs}
            missing = {name: value for name, value in defaults.items() if name not in set_names}
            return today(*args, **kwargs, **missing)

        return call

    earlier.without = frozenset(defaults)
    return earlier


def unchanged(function):
    """Returns a function that only calls another one: the replacement for one that is right."""
    return functools.wraps(function)(lambda *args, **kwargs: function(*args, **kwargs))


def _binds(signature, positional, names):
    """Whether a signature accepts a number of positional arguments and these keywords."""
    try:
        signature.bind(*range(positional), **dict.fromkeys(names))
    except TypeError:
        return False
    return True
