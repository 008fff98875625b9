"""mindspore.ops.operations._rl_inner_ops: recurrent Primitives for a GPU, and stores of experience.

It shows only the names of this path, which are declared in the other files of this package.
"""

from ..._core.declare.public_api import facade
from ..primitive import Primitive

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops.operations._rl_inner_ops")
