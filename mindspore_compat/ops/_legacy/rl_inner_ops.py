"""mindspore.ops.operations._rl_inner_ops: recurrent Primitives for a GPU, and stores of experience.

The names are declared by the files of this package; only those of this path are shown.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops.operations._rl_inner_ops")
