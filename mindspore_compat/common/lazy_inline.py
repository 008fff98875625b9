"""The path `mindspore.common.lazy_inline`, which has the name of a function.

`mindspore.common` imports this file before the function, so that the name refers to the function.
"""

from .jit import lazy_inline

__all__ = ["lazy_inline"]
