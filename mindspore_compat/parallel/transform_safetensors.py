"""`mindspore.parallel.transform_safetensors`.

A facade: the function is in `train._checkpoint.unifying`.
"""

from ..train._checkpoint.unifying import unified_safetensors

__all__ = ["unified_safetensors"]
