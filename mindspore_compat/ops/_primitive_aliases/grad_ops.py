"""mindspore.ops.operations._grad_ops: the Primitives that MindSpore's gradients use.

It shows only the names of this path, which are declared in `gradients.py` and `internal.py` of the
package of their subject.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive
from . import declarations  # noqa: F401 - it makes names
from .alias import ALIASES, find_alias

AREA = "ops.operations._grad_ops"

_find, _listing, __all__ = facade(__name__, Primitive, AREA, ALIASES[AREA])


def __getattr__(name):
    """Returns a Primitive of the table, else one that an operator declares."""
    return find_alias(AREA, name) or _find(name)


def __dir__():
    return _listing()
