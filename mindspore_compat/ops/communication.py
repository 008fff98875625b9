"""mindspore.ops.communication: the functional collectives, which write into what they are given.

They stand in `mindspore_compat.communication.inplace`.
"""

from .._core.declare.public_api import facade
from ..communication import inplace  # noqa: F401 - its declarations make the names

__getattr__, __dir__, __all__ = facade(__name__)
