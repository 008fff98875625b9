"""`mindspore.train.serialization`: parameters to files, from files and into networks.

A window: saving is in `_saving.py`, loading in `_loading.py`, changing the format in
`_converting.py`, putting slices of parameters together in `_strategy.py`, models without their
Python code in `mind_ir`.
"""

from ._converting import ckpt_to_safetensors, safetensors_to_ckpt
from ._loading import (
    ParamDictFuture,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    load_segmented_checkpoints,
)
from ._saving import async_ckpt_thread_status, save_checkpoint
from ._strategy import (  # noqa: F401 - scripts import them from here
    build_searched_strategy,
    merge_sliced_parameter,
    restore_group_info_list,
)
from .mind_ir.running import load
from .mind_ir.writing import export

__all__ = [
    "async_ckpt_thread_status", "ckpt_to_safetensors", "export", "load", "load_checkpoint",
    "load_checkpoint_async", "load_param_into_net", "safetensors_to_ckpt", "save_checkpoint",
]

for _public in (async_ckpt_thread_status, ckpt_to_safetensors, export, load, load_checkpoint,
                load_checkpoint_async, load_param_into_net, load_segmented_checkpoints,
                ParamDictFuture, safetensors_to_ckpt, save_checkpoint):
    _public.__module__ = __name__
del _public
