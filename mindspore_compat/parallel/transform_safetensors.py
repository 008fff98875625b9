"""`mindspore.parallel.transform_safetensors`. A facade: the function is in `train._unifying`."""

from ..train._unifying import unified_safetensors

__all__ = ["unified_safetensors"]
