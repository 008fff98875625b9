"""mindspore.mint.special: special functions under PyTorch's names."""

from .._core.surface import window

__getattr__, __dir__, __all__ = window(__name__)
