"""mindspore.ops.operations.sparse_ops: the primitives of sparse tensors.

They are declared in the files next to this one.
"""

from .._beside_operations import beside_operations
from .parts import AREA

__getattr__, __dir__, __all__ = beside_operations(__name__, AREA)
