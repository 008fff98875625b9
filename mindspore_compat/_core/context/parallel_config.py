"""The settings for training on several devices, and for a parameter server: tables and rules.

The functions that set and return them are in `config`.
"""

from ..rules.vocabulary import Bool, Int, ListOf, Number, OneOf, Str, TupleOf
from .settings import DictOf, Setting, stored_only


class ParallelMode:
    """The names of the parallel modes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ParallelMode.DATA_PARALLEL)
        data_parallel

    Source: mindspore.context.ParallelMode of MindSpore 2.10.
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_API = "set_auto_parallel_context"
_flag = {"rule": Bool | None, "stored": bool}  # None means False, as in MindSpore
_loose_flag = {"rule": Bool | Number | None, "stored": bool}  # also accepts any number
_fusions = {
    "allreduce": ("auto", "size", "index"),
    "allgather": ("auto", "size"),
    "reducescatter": ("auto", "size"),
}
_schedulers = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
_search = OneOf("recursive_programming", "dynamic_programming", "sharding_propagation")
_no_fusion = {"openstate": True, **{name: {"mode": "auto", "config": None} for name in _fusions}}
_no_files = {"load_file": "", "save_file": "", "only_trainable_params": True}


def _indices(value: list) -> list:
    if sorted(set(value)) != value:
        raise ValueError(
            f"For '{_API}', 'all_reduce_fusion_config' must be a list of ints in "
            f"ascending order without repeats, but got {value}."
        )
    return value


def _fusion(given: dict) -> dict:
    """Returns a value of `comm_fusion`, with defaults for the keys that it lacks."""
    if unknown := given.keys() - _no_fusion.keys():
        raise KeyError(f"For '{_API}', 'comm_fusion' has no key {sorted(unknown)}.")
    for name, value in given.items():
        if name == "openstate":
            Bool.refuse(_API, "comm_fusion['openstate']", value)
        else:
            _check_fusion(name, value)
    return {**_no_fusion, **given}


def _check_fusion(name: str, value: dict) -> None:
    DictOf(mode=Str, config=Int(gt=0) | ListOf(Int) | None).refuse(
        _API, f"comm_fusion['{name}']", value
    )
    if not {"mode", "config"} <= value.keys():
        raise KeyError(f"For '{_API}', comm_fusion['{name}'] must have 'mode' and 'config'.")
    if value["mode"] not in _fusions[name]:
        raise KeyError(
            f"For '{_API}', the mode of comm_fusion['{name}'] must be one of "
            f"{', '.join(_fusions[name])}, but got {value['mode']!r}."
        )


def _pipeline(value: dict) -> dict:
    for key in ("pipeline_interleave", "pipeline_scheduler"):
        if key not in value:
            raise KeyError(f"For '{_API}', 'pipeline_config' must have '{key}'.")
    return value


def _sharding(value: dict) -> dict:
    if value.get("optimizer_level") == "level3" and value.get("gradient_accumulation_shard"):
        raise ValueError(
            f"For '{_API}', 'gradient_accumulation_shard' must be False where "
            f"'optimizer_level' is 'level3', but got True."
        )
    return value


PARALLEL = {
    "parallel_mode": Setting(ParallelMode.STAND_ALONE, OneOf(*ParallelMode.MODE_LIST)),
    "device_num": Setting(1, Int(ge=1) | OneOf(True), int),
    "device_num_is_set": Setting(False, None, readable=False),
    "global_rank": Setting(0, Int(ge=0, le=4095) | Bool, int),
    "global_rank_is_set": Setting(False, None, readable=False),
    "gradients_mean": Setting(False, **_flag),
    "parameter_broadcast": Setting(False, **_flag),
    "parameter_broadcast_is_set": Setting(False, None, readable=False),
    "full_batch_is_set": Setting(False, None),
    "enable_parallel_optimizer": Setting(False, Bool),
    "pipeline_stages": Setting(1, Int(ge=1)),
    "strategy_ckpt_load_file": Setting("", Str),
    "full_batch": Setting(False, **_flag),
    "dataset_strategy": Setting(
        "data_parallel",
        OneOf("data_parallel", "full_batch") | TupleOf(TupleOf(Int)),
        lambda given: given if isinstance(given, str) else list(map(list, given)),
    ),
    "parallel_optimizer_config": Setting(
        None,
        DictOf(
            gradient_accumulation_shard=Bool,
            parallel_optimizer_threshold=Int(ge=0),
            optimizer_weight_shard_size=Int(ge=1),
            optimizer_level=OneOf("level1", "level2", "level3"),
        ),
        _sharding,
        readable=False,
    ),
    "parallel_optimizer_threshold": Setting(64, None, readable=False),
    "optimizer_level": Setting("level1", None, readable=False),
    "optimizer_weight_shard_size": Setting(-1, Int, lambda size: size if size > 1 else -1),
    "pipeline_config": Setting(
        None,
        DictOf(pipeline_interleave=Bool, pipeline_scheduler=OneOf(*_schedulers)),
        _pipeline,
        readable=False,
    ),
    "pipeline_scheduler": Setting("1f1b", None),
    "pipeline_interleave": Setting(False, None),
    "search_mode": Setting("recursive_programming", _search),
    "auto_parallel_search_mode": Setting("recursive_programming", _search),
    **stored_only(
        {
            "sharding_propagation": Setting(False, Bool),
            "gradient_fp32_sync": Setting(True, **_flag),
            "loss_repeated_mean": Setting(True, Bool),
            "force_fp32_communication": Setting(False, Bool),
            "communi_parallel_mode": Setting(
                "all_group_parallel",
                OneOf("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
            ),
            "enable_alltoall": Setting(False, Bool),
            "all_reduce_fusion_config": Setting([], ListOf(Int, min_length=1), _indices),
            "comm_fusion": Setting(_no_fusion, DictOf(), _fusion),
            "grad_accumulation_step": Setting(1, Int(ge=1, le=1)),
            "pipeline_segments": Setting(1, Int(ge=1), readable=False),
            "pipeline_result_broadcast": Setting(False, Bool),
            "auto_pipeline": Setting(False, Bool),
            "gradient_accumulation_shard": Setting(False, None, readable=False),
            "optimizer_weight_shard_aggregated_save": Setting(False, Bool),
            "strategy_ckpt_save_file": Setting("", Str),
            "strategy_ckpt_config": Setting(
                _no_files,
                DictOf(load_file=Str, save_file=Str, only_trainable_params=Bool),
                lambda given: {**_no_files, **given},
            ),
            "group_ckpt_save_file": Setting("", Str, readable=False),
            "init_param_in_compile": Setting(True, **_loose_flag),
            "auto_parallel_new_interface": Setting(False, **_loose_flag),
            "dump_local_norm": Setting(False, **_loose_flag),
            "dump_local_norm_path": Setting("", Str),
            "dump_device_local_norm": Setting(False, **_loose_flag),
        }
    ),
}

PS = stored_only(
    {
        "enable_ps": Setting(False, Bool),
        "config_file_path": Setting("", Str),
        "enable_ssl": Setting(False, Bool),
        "client_password": Setting("", Str, readable=False),
        "server_password": Setting("", Str, readable=False),
    }
)
