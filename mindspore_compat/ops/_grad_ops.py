"""mindspore.ops.operations._grad_ops: the Primitives that the original's gradients are made of.

Only names of this path are shown.
"""

from .._core.surface import window
from .primitive import Primitive

__getattr__, __dir__, __all__ = window(__name__, Primitive, "ops.operations._grad_ops")
