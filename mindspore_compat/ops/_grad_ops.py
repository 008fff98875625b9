"""mindspore.ops.operations._grad_ops: the Primitives that the original's gradients are made of.

Only names of this path are shown; they are declared in _gradients.py and beside their operations.
"""

from .._core.surface import window
from ._gradients import LINES, made
from .primitive import Primitive

_find, _listing, __all__ = window(__name__, Primitive, "ops.operations._grad_ops", LINES)


def __getattr__(name):
    """A Primitive of the table, else one that an operation declares."""
    return made(name) or _find(name)


def __dir__():
    return _listing()
