"""mindspore.ops.operations._grad_ops: the Primitives that the original's gradients are made of.

Only names of this path are shown; they are declared in _primitive_aliases/grad_lines.py and beside
their operations.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive
from .grad_lines import LINES, made

_find, _listing, __all__ = facade(__name__, Primitive, "ops.operations._grad_ops", LINES)


def __getattr__(name):
    """A Primitive of the table, else one that an operation declares."""
    return made(name) or _find(name)


def __dir__():
    return _listing()
