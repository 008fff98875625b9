"""mindspore.utils: sharing the memory of Tensors with other libraries."""

from .dlpack import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
