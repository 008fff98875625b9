"""mindspore.ops.operations.random_ops: the primitives of random numbers.

`Uniform`, which no other path shows, is declared in `uniform`.
"""

from .._operations_facade import operations_facade

__getattr__, __dir__, __all__ = operations_facade(__name__, "ops.operations.random_ops")
