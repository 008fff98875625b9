"""mindspore.mint.special: special functions under PyTorch's names."""

from .._core.declare.public_api import facade

__getattr__, __dir__, __all__ = facade(__name__)
