"""no_init_parameters: defers the initialization of Parameters until their values are needed."""

import functools
import threading

from .._core.declare.public_api import public

_here = threading.local()


def is_deferring():
    """Returns whether the thread is inside `no_init_parameters`."""
    return getattr(_here, "depth", 0) > 0


@public("nn.no_init_parameters")
class no_init_parameters:
    """Context in which Parameters created by `initializer` defer the drawing of their values.

    Each Parameter draws its values when they are first needed, or at `Cell.init_parameters_data`.
    If values are set first (from a checkpoint), none are drawn.

    Examples:
        >>> from mindspore_compat import nn
        >>> with nn.no_init_parameters():
        ...     net = nn.Dense(2, 3)
        >>> net.weight.has_init
        True
    """

    def __enter__(self):
        _here.depth = getattr(_here, "depth", 0) + 1
        return self

    def __exit__(self, *error):
        _here.depth -= 1

    def __call__(self, function):
        """Decorates `function` so that it runs in this context."""

        @functools.wraps(function)
        def within(*args, **kwargs):
            with no_init_parameters():
                return function(*args, **kwargs)

        return within
