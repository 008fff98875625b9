"""mindspore.ops.operations._tensor_array: arrays of Tensors, as in older releases.

This module only exports the names; _legacy/tensor_stores.py declares them.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops.operations._tensor_array")
