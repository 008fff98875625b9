"""mindspore.ops.operations._tensor_array: arrays of Tensors, names of older releases.

It shows only the names of this path, which are declared in _legacy/tensor_stores.py.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops.operations._tensor_array")
