"""mindspore.ops.operations._rl_inner_ops: recurrent Primitives for a GPU, and stores of experience.

The names are declared by the files of this room; only those of this path are shown.
"""

from ..._core.declare.public_api import window
from ..primitive import Primitive

__getattr__, __dir__, __all__ = window(__name__, Primitive, "ops.operations._rl_inner_ops")
