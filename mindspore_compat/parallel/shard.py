"""`mindspore.parallel.shard`: the module path of Layout and `shard`.

`mindspore.parallel` imports this file before the function `shard`, so that the name refers to the
function.
"""

from .layout import Layout, _DistributedTensorInfo, shard

__all__ = ["Layout", "_DistributedTensorInfo", "shard"]
