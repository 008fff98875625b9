"""mindspore.mint.special: special functions under PyTorch's names."""

from .._core.declare.public_api import window

__getattr__, __dir__, __all__ = window(__name__)
