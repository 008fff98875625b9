"""`mindspore.train.serialization`: saves and loads parameters and models.

A facade: saving is in `_checkpoint/saving.py`, loading in `_checkpoint/loading.py`, conversion of
formats in `_checkpoint/converting.py`, merging of slices in `_checkpoint/strategy.py`, and export
of models in `mind_ir`.
"""

from .._core.tensor import dtype as dtypes
from .._core.tensor.dtype import to_numpy
from ._checkpoint.converting import ckpt_to_safetensors, safetensors_to_ckpt
from ._checkpoint.distributed_loading import (
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
)
from ._checkpoint.loading import (  # noqa: F401
    ParamDictFuture,
    _check_checkpoint_param,
    _load_dismatch_prefix_params,
    _update_param,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    load_segmented_checkpoints,
)
from ._checkpoint.messages import Checkpoint, _exec_save, _parse_ckpt_proto  # noqa: F401 - scripts import them
from ._checkpoint.saving import async_ckpt_thread_status, save_checkpoint
from ._checkpoint.strategy import (  # noqa: F401 - scripts import them from here
    _get_merged_param_data,
    build_searched_strategy,
    merge_sliced_parameter,
    restore_group_info_list,
)
from .mind_ir.files import load_mindir, save_mindir
from .mind_ir.running import load
from .mind_ir.writing import export

__all__ = [
    "async_ckpt_thread_status",
    "ckpt_to_safetensors",
    "export",
    "get_ckpt_path_with_strategy",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_mindir",
    "load_param_into_net",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "save_mindir",
]

tensor_to_ms_type = {
    name: getattr(dtypes, name.lower())
    for name in (
        "Int8",
        "UInt8",
        "Int16",
        "UInt16",
        "Int32",
        "UInt32",
        "Int64",
        "UInt64",
        "Float16",
        "Float32",
        "Float64",
        "BFloat16",
    )
}
tensor_to_ms_type.update(Bool=dtypes.bool_, str=dtypes.string, Int4=dtypes.qint4x2)


def tensor_to_np_type(tensor_type_str):
    """Returns the NumPy type for a type name in a checkpoint, such as "Float32"; None if
    unknown."""
    if tensor_type_str == "str":
        return "U"
    dtype = tensor_to_ms_type.get(tensor_type_str, dtypes.qint4x2)
    return None if dtype == dtypes.qint4x2 else to_numpy(dtype).type


for _public in (
    async_ckpt_thread_status,
    ckpt_to_safetensors,
    export,
    get_ckpt_path_with_strategy,
    load,
    load_checkpoint,
    load_checkpoint_async,
    load_distributed_checkpoint,
    load_mindir,
    load_param_into_net,
    load_segmented_checkpoints,
    ParamDictFuture,
    safetensors_to_ckpt,
    save_checkpoint,
    save_mindir,
):
    _public.__module__ = __name__
del _public
