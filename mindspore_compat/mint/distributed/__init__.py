"""mindspore.mint.distributed: the functional collectives under PyTorch's names.

They are defined in `mindspore_compat.communication.inplace`, as are those of
`mindspore.ops.communication`.
"""

from ..._core.declare.public_api import facade
from ...communication import inplace  # noqa: F401 - its declarations make the names

__getattr__, __dir__, __all__ = facade(__name__)
