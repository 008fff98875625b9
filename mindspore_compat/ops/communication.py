"""mindspore.ops.communication: collectives that write their result into an argument.

They are defined in `mindspore_compat.communication.inplace`.
"""

from .._core.declare.public_api import facade
from ..communication import inplace  # noqa: F401 - its declarations make the names

__getattr__, __dir__, __all__ = facade(__name__)
