"""`mindspore.common.lazy_inline`: the path of a mark of graph mode.

`mindspore.common` loads this file before it shows the function, which so keeps the name.
"""

from .jit import lazy_inline

__all__ = ["lazy_inline"]
