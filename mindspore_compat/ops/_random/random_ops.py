"""mindspore.ops.operations.random_ops: the primitives of random numbers.

`Uniform`, which no other path shows, is declared in `uniform`.
"""

from .._beside_operations import beside_operations

__getattr__, __dir__, __all__ = beside_operations(__name__, "ops.operations.random_ops")
