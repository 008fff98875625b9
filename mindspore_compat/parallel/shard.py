"""`mindspore.parallel.shard`: the module path of Layout and `shard`.

`mindspore.parallel` imports this file before the function `shard`, so that the name refers to the
function.
"""

from .layout import Layout, shard

__all__ = ["Layout", "shard"]
