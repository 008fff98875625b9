"""mindspore.ops.operations._quant_ops: the Primitives of quantization-aware training.

They are declared in the other files of this package.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops.operations._quant_ops")
