"""mindspore.mint.nn.functional: the functions of layers under PyTorch's names."""

from ... import ops  # noqa: F401 - its rooms hold the declarations
from ..._core.declare.public_api import window

__getattr__, __dir__, __all__ = window(__name__)
