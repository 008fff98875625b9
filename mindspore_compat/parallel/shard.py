"""`mindspore.parallel.shard`: the path of Layout and of the function that divides.

`mindspore.parallel` loads this file before it shows the function, which so keeps the name.
"""

from .layout import Layout, shard

__all__ = ["Layout", "shard"]
