"""mindspore.ops.operations._grad_ops: the Primitives that the original's gradients are made of.

Only names of this path are shown; they are declared in _primitive_aliases/grad_pulled.py and
grad_lines.py and next to their operations.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive
from . import grad_pulled, grad_pulled_spatial  # noqa: F401 - they declare the names
from .alias import ALIASES, made

AREA = "ops.operations._grad_ops"

_find, _listing, __all__ = facade(__name__, Primitive, AREA, ALIASES[AREA])


def __getattr__(name):
    """A Primitive of the table, else one that an operation declares."""
    return made(AREA, name) or _find(name)


def __dir__():
    return _listing()
