"""mindspore.ops.operations.sparse_ops: the primitives of sparse tensors.

Those that no other path shows are declared in the files beside this one; any name of
`mindspore.ops.operations` is found here, too.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive
from .parts import AREA

_find, __dir__, __all__ = facade(__name__, Primitive, AREA)


def __getattr__(name):
    """A primitive of this path, else one of `mindspore.ops`."""
    try:
        return _find(name)
    except AttributeError:
        from .. import __getattr__ as of_ops  # the package shows these modules: not before it

        return of_ops(name)
