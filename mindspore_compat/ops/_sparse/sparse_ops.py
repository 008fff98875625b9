"""mindspore.ops.operations.sparse_ops: the primitives of sparse tensors.

They are declared in the files next to this one.
"""

from .._operations_facade import operations_facade
from .parts import AREA

__getattr__, __dir__, __all__ = operations_facade(__name__, AREA)
