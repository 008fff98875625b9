"""The context: execution mode, device, and other settings that scripts make once at their start.

`config` has the current values (`config.mode`, `config.device_target`, `config.seed`); the
functions are public in `mindspore_compat.context` and `mindspore_compat`. Settings for data and
model parallelism are in `parallel_config`, as `config.parallel`.

Graph mode runs like PyNative mode. The many settings for MindSpore's compiler and its other
devices are only stored.
"""

import json
import os
import random
from typing import NamedTuple

import numpy as np

from ... import log
from ..._backend import arrays, device
from ..._backend.random import streams
from ..._backend.threads import scheduler
from ..rules.checked import checked
from ..rules.vocabulary import Any, AsValue, Bool, Int, NoneRule, OneOf, Str
from ..without_effect import keys_without_effect, without_effect
from .parallel_config import PARALLEL, PS
from .settings import DictOf, Setting, Settings, Text, stored_only

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1

DEVICES = ("CPU", "GPU", "Ascend")
LARGEST_SEED = 2**32 - 1

_memory = Text(r"0*[1-9]\d*(\.\d*)?GB|0+\.\d*[1-9]\d*GB", "a size above zero such as '3.5GB'")
_path = Text(r"(?s).+", "not empty")


def _gigabytes(text: str) -> float:
    return float(text.removesuffix("GB"))


def _count(least: int) -> dict:
    """Returns the arguments of a Setting whose value is an int of at least `least`. As in
    MindSpore, True counts as 1, and False as 0."""
    return {"rule": Int(ge=least) | (OneOf(True) if least == 1 else Bool), "stored": int}


def _readable_json(path: str) -> str:
    """Returns the absolute path of a JSON file that can be read."""
    path = os.path.realpath(path)
    try:
        with open(path, encoding="utf-8") as file:
            json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(
            f"For 'set_context', 'env_config_path' must name a readable JSON file, "
            f"but got {path!r}: {error}."
        ) from None
    return path


_ascend = DictOf(
    precision_mode=OneOf(
        "force_fp16",
        "allow_fp32_to_fp16",
        "allow_mix_precision",
        "must_keep_origin_dtype",
        "force_fp32",
        "allow_fp32_to_bf16",
        "allow_mix_precision_fp16",
        "allow_mix_precision_bf16",
    ),
    jit_compile=Bool,
    matmul_allow_hf32=Bool,
    conv_allow_hf32=Bool,
    op_precision_mode=Str,
    op_debug_option=Any,
    ge_options=Any,
    atomic_clean_policy=Int(ge=0, le=1),
    exception_dump=OneOf("0", "1", "2"),
    host_scheduling_max_threshold=Int(ge=0),
    parallel_speed_up_json_path=Str | None,
    hccl_watchdog=Bool,
    topo_order=Any,
)
_algorithms = ("normal", "performance", "fft", "fft_tiling", "winograd_nonfused")
_gpu = DictOf(
    conv_fprop_algo=OneOf(
        *_algorithms, "implicit_gemm", "precomp_gemm", "gemm", "direct", "winograd"
    ),
    conv_dgrad_algo=OneOf(*_algorithms, "algo_0", "algo_1", "winograd"),
    conv_wgrad_algo=OneOf(*_algorithms, "algo_0", "algo_1", "algo_3"),
    conv_allow_tf32=Bool,
    matmul_allow_tf32=Bool,
)

ASCEND, GPU = dict(_ascend.entries), dict(_gpu.entries)  # the rule of each key

TABLE = {
    "mode": Setting(
        PYNATIVE_MODE, AsValue(OneOf(GRAPH_MODE, PYNATIVE_MODE) | Bool, NoneRule()), int
    ),
    "device_target": Setting(
        "CPU", OneOf(*DEVICES, "Davinci"), lambda name: "Ascend" if name == "Davinci" else name
    ),
    "device_id": Setting(0, Int(ge=0, le=4095) | Bool, int),
    "deterministic": Setting("OFF", OneOf("ON", "OFF")),
    "pynative_synchronize": Setting(False, Bool),
    "max_device_memory": Setting(1024.0, _memory, _gigabytes),
    "runtime_num_threads": Setting(30, **_count(0)),
    "gpu_config": Setting({}, _gpu, has_effect=("matmul_allow_tf32", "conv_allow_tf32")),
    **stored_only(
        {
            "max_call_depth": Setting(1000, **_count(1)),
            "save_graphs": Setting(
                0, Bool | Int(le=3), lambda x: {True: 2, False: 0}[x] if (type(x) is bool) else x
            ),
            "save_graphs_path": Setting(".", _path, os.path.realpath),
            "print_file_path": Setting("", Str),
            "env_config_path": Setting("", Str, _readable_json),
            "compile_cache_path": Setting("", Str),
            "enable_compile_cache": Setting(None, Bool),
            "jit_syntax_level": Setting(LAX, OneOf(STRICT, COMPATIBLE, LAX) | Bool, int),
            "jit_level": Setting(
                "", Str
            ),  # set by scripts for releases before "jit_config", and by "jit_config" itself
            "jit_config": Setting(
                {}, DictOf(jit_level=OneOf("O0", "O1", "O2"), infer_boost=OneOf("on", "off"))
            ),
            "exec_order": Setting("bfs", OneOf("bfs", "dfs")),
            "support_binary": Setting(False, Bool),
            "debug_level": Setting(RELEASE, OneOf(RELEASE, DEBUG) | Bool, int),
            "reserve_class_name_in_scope": Setting(True, Bool),
            "enable_ge": Setting(False, None),  # of releases before 2.3; only read
            "check_bprop": Setting(False, Bool),
            "enable_reduce_precision": Setting(True, Bool | None),
            "enable_graph_kernel": Setting(False, Bool),
            "graph_kernel_flags": Setting("", Str),
            "enable_auto_mixed_precision": Setting(None, Bool | None, readable=False),
            "enable_sparse": Setting(None, Any, readable=False),
            "auto_tune_mode": Setting(None, Any, readable=False),
            "mempool_block_size": Setting(1.0, _memory, _gigabytes),
            "variable_memory_max_size": Setting(
                "0", _memory, lambda text: str(int(_gigabytes(text) * 2**30))
            ),
            "memory_offload": Setting(
                "OFF", AsValue(OneOf("ON", "OFF"))
            ),  # of releases before 2.10
            "memory_optimize_level": Setting(0, OneOf("O0", "O1"), lambda level: int(level[1])),
            "inter_op_parallel_num": Setting(0, **_count(0)),
            "op_timeout": Setting(900, **_count(0)),
            "disable_format_transform": Setting(False, Bool | None, bool),
            "aoe_tune_mode": Setting("", OneOf("online", "offline")),
            "aoe_config": Setting({}, DictOf(job_type=OneOf("1", "2"))),
            "ascend_config": Setting({}, _ascend),
            "hccl_watchdog": Setting(True, Bool),
            "topo_order": Setting("", Str),
            "compute_communicate_fusion_level": Setting(0, **_count(-1)),
            "enable_profiling": Setting(False, Bool),
            "profiling_options": Setting("training_trace", Str),
            "enable_debug_runtime": Setting(False, Any),
        }
    ),
}

config = Settings(TABLE)
config.parallel = Settings(PARALLEL)
config.ps = Settings(PS)
config.seed = None
_warned_of_cpu = False


@keys_without_effect("set_context", config.without_effect())
def set_context(**kwargs):
    """Sets values of the context, by keyword.

    These keys have an effect here: `mode`, `device_target`, `device_id`, `deterministic`;
    `runtime_num_threads`, the maximum number of threads for large work on the CPU;
    `max_device_memory`, the maximum memory on a GPU, such as "30GB"; `pynative_synchronize`,
    whether an operation on a GPU has finished when its call returns; and in `gpu_config`,
    `matmul_allow_tf32` and `conv_allow_tf32`, whether matrix products and convolutions of float32
    may use TF32. "GPU" and "Ascend" both mean the GPU if one is usable, and otherwise the CPU, with
    one warning. The other keys are checked, and `get_context` returns them; a value that is not the
    default logs one warning.

    Args:
        **kwargs: the values.

    Raises:
        TypeError: if a value is of the wrong type.
        ValueError: if a key is unknown or a value is not allowed. No setting changes then.
        RuntimeError: if there is no GPU with this `device_id`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
        >>> ms.get_context("mode") == ms.PYNATIVE_MODE
        True

    Source: mindspore.context.set_context of MindSpore 2.10.
    """
    changes = config.change("set_context", kwargs)
    if "jit_level" in changes.get("jit_config", ()):
        changes["jit_level"] = changes["jit_config"]["jit_level"]
    if "device_target" in changes or "device_id" in changes:
        _set_device(
            changes.get("device_target", config.device_target),
            changes.get("device_id", config.device_id),
        )
    if "max_device_memory" in changes:
        device.limit_memory(int(changes["max_device_memory"] * (1 << 30)))
    if changes.get("pynative_synchronize", config.pynative_synchronize) != (
        config.pynative_synchronize
    ):
        arrays.block(changes["pynative_synchronize"])
    if "runtime_num_threads" in changes:
        scheduler.limit(changes["runtime_num_threads"], "runtime_num_threads")
    for purpose in ("matmul", "conv"):
        if f"{purpose}_allow_tf32" in changes.get("gpu_config", ()):
            allow_tf32(changes["gpu_config"][f"{purpose}_allow_tf32"], purpose)
    if "deterministic" in changes:
        _configure_libraries(changes["deterministic"])
    config.warn("set_context", {key: changes[key] for key in kwargs})
    vars(config).update(changes)


def allow_tf32(value, purpose="matmul"):
    """Allows or forbids TF32 for float32 products on a GPU, with a warning if it is too late.

    Args:
        value (bool): whether TF32 is allowed.
        purpose (str): "matmul", or "conv" for the products in convolutions.
    """
    if not arrays.allow_tf32(value, purpose):
        log.warning(
            f"'{purpose}_allow_tf32' is {value} from now on, which changes nothing: cuBLAS is not "
            "found, and CuPy takes it at its first product of matrices, which has been."
        )


def get_context(attr_key):
    """Returns a value of the context.

    Args:
        attr_key: its key, such as "mode" or "device_target".

    Returns:
        The value, of the type that `set_context` takes for this key.

    Raises:
        TypeError: if `attr_key` is not a str.
        ValueError: if there is no such key.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.get_context("mode") in (ms.GRAPH_MODE, ms.PYNATIVE_MODE))
        True

    Source: mindspore.context.get_context of MindSpore 2.10.
    """
    Str.refuse("get_context", "attr_key", attr_key)
    return config.get("get_context", attr_key)


def get_jit_config():
    """Returns the value of "jit_config".

    Example:
        >>> import mindspore_compat as ms
        >>> ms.context.get_jit_config()
        {}
    """
    return config.jit_config


class DeviceInfo(NamedTuple):
    """A device target and a device number."""

    device_target: str
    device_id: int

    def __repr__(self):
        return f"('{self.device_target}', {self.device_id})"


@checked
def set_device(device_target: OneOf(*DEVICES), device_id: Int(ge=0) | Bool = None):
    """Sets the device that computes from now on; see `set_context` for what the targets mean.

    Args:
        device_target: "CPU", "GPU" or "Ascend".
        device_id: which of several devices; by default the first.

    Raises:
        RuntimeError: if there is no GPU with this number.

    Source: mindspore.device_manager.set_device of MindSpore 2.10.
    """
    number = int(device_id or 0)
    _set_device(device_target, number)
    config.device_target, config.device_id = device_target, number


def get_current_device():
    """Returns the current device target and device number, as a named tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.get_current_device().device_target in ("CPU", "GPU")
        True

    Source: mindspore.device_manager.get_current_device of MindSpore 2.10.
    """
    return DeviceInfo(config.device_target, config.device_id)


def _set_device(target: str, number: int) -> None:
    """Makes the backend compute on a device. For a GPU that is not usable, it computes on the CPU,
    and a warning is logged."""
    global _warned_of_cpu
    if target == "CPU":
        arrays.set_target("CPU")
    elif arrays.gpu_available():
        arrays.set_target("GPU", number)
    else:
        arrays.set_target("CPU")
        if not _warned_of_cpu:
            log.warning(
                "The device target is '%s', but the CPU computes. %s", target, arrays.why_no_gpu()
            )
            _warned_of_cpu = True


@checked
def set_deterministic(deterministic: Bool):
    """Sets whether operations must be deterministic. On the CPU they always are; on a GPU the value
    is stored for operations that have a choice. It also sets environment variables,
    HCCL_DETERMINISTIC to "true" and TE_PARALLEL_COMPILER to "1", or removes both.

    Args:
        deterministic: whether operations must be deterministic.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_deterministic(True)
        >>> ms.get_context("deterministic")
        'ON'
        >>> ms.set_deterministic(False)

    Source: mindspore.device_manager.set_deterministic of MindSpore 2.10.
    """
    config.deterministic = "ON" if deterministic else "OFF"
    _configure_libraries(config.deterministic)


def _configure_libraries(deterministic: str) -> None:
    """Sets or removes the environment variables that pass the setting on to child processes."""
    for name, value in (("HCCL_DETERMINISTIC", "true"), ("TE_PARALLEL_COMPILER", "1")):
        if deterministic == "ON":
            os.environ[name] = value
        else:
            os.environ.pop(name, None)


@without_effect("set_recursion_limit", "no graph is compiled")
@checked
def set_recursion_limit(recursion_limit: Int(ge=1) = 1000):
    """Sets the maximum call depth when a graph is compiled. Stored as `max_call_depth`.

    Args:
        recursion_limit: the maximum depth.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_recursion_limit(2000)
    """
    config.max_call_depth = recursion_limit


@checked
def set_seed(seed: Int(ge=0, le=LARGEST_SEED)):
    """Seeds every random stream: of this package, of `numpy.random` and of `random`.

    Args:
        seed: the seed; equal seeds give equal numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_seed(5)
        >>> print(ms.get_seed())
        5

    Source: mindspore.set_seed of MindSpore 2.10.
    """
    config.seed = seed
    np.random.seed(seed)
    random.seed(seed)
    streams.set_seed(seed)
    for listener in _listeners:
        listener(seed)


_listeners = []


def on_seed(listener) -> None:
    """Registers a listener, which is called with every seed passed to `set_seed`. Calls it at once
    if a seed is set already.

    Higher layers with their own random streams use it.
    """
    _listeners.append(listener)
    if config.seed is not None:
        listener(config.seed)


def get_seed():
    """Returns the seed given to `set_seed`, or None.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_seed(5)
        >>> print(ms.get_seed())
        5

    Source: mindspore.get_seed of MindSpore 2.10.
    """
    return config.seed


@keys_without_effect("set_auto_parallel_context", config.parallel.without_effect())
def set_auto_parallel_context(**kwargs):
    """Sets values for training on several devices, by keyword.

    Args:
        **kwargs: the values, of these keys.

            - parallel_mode (str): "stand_alone" (the default); "data_parallel", or
              "hybrid_parallel", in which every process holds the whole network and gradients are
              exchanged; "semi_auto_parallel" or "auto_parallel", in which a network in graph mode
              is divided over the processes, as `Primitive.shard` and its relatives say.
            - device_num (int): how many processes share data, at least 1. Default: all.
            - global_rank (int): the index of this process, 0 to 4095. Default: its rank.
            - gradients_mean (bool): True to average gradients over processes, False to sum them.
            - parameter_broadcast (bool): True to start data parallel training with the parameters
              of the first process.
            - dataset_strategy (str or tuple of tuples of int): how input data is divided:
              "data_parallel" (the default) gives each process a part of the batch, "full_batch" all
              of it; a tuple gives the number of parts along each axis of each input.
            - full_batch (bool): True stands for the `dataset_strategy` "full_batch".
            - enable_parallel_optimizer (bool): True to divide weights and the states of optimizers
              among the processes that hold the same. In the mode "data_parallel" only the states
              are divided, of Lamb and of optimizers with elementwise updates.
            - parallel_optimizer_config (dict): how they are divided. "optimizer_level" (str):
              "level1" and "level2" keep gathered weights until the step ends, "level3" gathers them
              for each use; "optimizer_weight_shard_size" (int): how many processes share a weight
              at most; "parallel_optimizer_threshold" (int): the size in KB below which a parameter
              is not divided. "gradient_accumulation_shard" (bool) is only stored.
            - pipeline_stages (int): the number of stages of a pipeline, at least 1.
            - pipeline_config (dict): "pipeline_scheduler" (str): the order of forward and backward
              passes, "gpipe" or, for the other names, "1f1b"; "pipeline_interleave" (bool).
            - search_mode, auto_parallel_search_mode (str): in the mode "auto_parallel",
              "sharding_propagation" divides only weights that have a strategy; with other values
              those without one are divided where that exchanges fewer bytes.
            - strategy_ckpt_load_file (str): the file that says how a checkpoint was divided.

    Raises:
        TypeError: if a value is of the wrong type.
        ValueError: if a key is unknown, or a value is not allowed.
        KeyError: if a key inside `comm_fusion` or `pipeline_config` is unknown or missing.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        >>> ms.get_auto_parallel_context("gradients_mean")
        True
        >>> ms.reset_auto_parallel_context()

    Source: mindspore.context.set_auto_parallel_context of MindSpore 2.10.
    """
    changes = config.parallel.change("set_auto_parallel_context", kwargs)
    config.parallel.warn("set_auto_parallel_context", changes)
    put_parallel(changes)


def put_parallel(changed: dict) -> None:
    """Stores checked values for training on several devices, and the values of other keys that
    follow from them."""
    for key, value in changed.items():
        vars(config.parallel).update(value if key in _SPREAD else {key: value})
        for other, follows in _FOLLOW.get(key, {}).items():
            vars(config.parallel)[other] = follows(value)


# Keys whose value is a dict of other keys, and keys that determine others.
_SPREAD = ("pipeline_config", "parallel_optimizer_config")
_FOLLOW = {
    "full_batch": {
        "dataset_strategy": lambda whole: "full_batch" if whole else "data_parallel",
        "full_batch_is_set": lambda whole: True,
    },
    "dataset_strategy": {"full_batch": lambda strategy: strategy == "full_batch"},
    "search_mode": {"auto_parallel_search_mode": lambda mode: mode},
    "auto_parallel_search_mode": {"search_mode": lambda mode: mode},
    **{
        key: {f"{key}_is_set": lambda value: True}
        for key in ("device_num", "global_rank", "parameter_broadcast")
    },
}


def get_auto_parallel_context(attr_key):
    """Returns one setting of parallel training by its key, as set by `set_auto_parallel_context`.

    Args:
        attr_key: its key, such as "parallel_mode".

    Raises:
        ValueError: if there is no such key.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.get_auto_parallel_context("parallel_mode")
        'stand_alone'

    Source: mindspore.context.get_auto_parallel_context of MindSpore 2.10.
    """
    return config.parallel.get("get_auto_parallel_context", attr_key)


def reset_auto_parallel_context():
    """Sets all values for training on several devices back to their defaults.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_auto_parallel_context(gradients_mean=True)
        >>> ms.reset_auto_parallel_context()
        >>> ms.get_auto_parallel_context("gradients_mean")
        False

    Source: mindspore.context.reset_auto_parallel_context of MindSpore 2.10.
    """
    config.parallel.reset()


@without_effect("set_ps_context", "there is no parameter server")
def set_ps_context(**kwargs):
    """Sets values for a parameter server. They are stored; there is no parameter server here.

    Args:
        **kwargs: `enable_ps`, `config_file_path`, `enable_ssl`, `client_password`,
            `server_password`.

    Raises:
        TypeError: if a value is of the wrong type.
        ValueError: if a key is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_ps_context(enable_ps=False)
        >>> ms.get_ps_context("enable_ps")
        False

    Source: mindspore.context.set_ps_context of MindSpore 2.10.
    """
    vars(config.ps).update(config.ps.change("set_ps_context", kwargs))


def get_ps_context(attr_key):
    """Returns a value for a parameter server.

    Args:
        attr_key: "enable_ps", "config_file_path" or "enable_ssl".

    Raises:
        ValueError: if there is no such key.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.get_ps_context("enable_ps")
        False

    Source: mindspore.context.get_ps_context of MindSpore 2.10.
    """
    return config.ps.get("get_ps_context", attr_key)


def reset_ps_context():
    """Sets all values for a parameter server back to their defaults.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.reset_ps_context()
        >>> ms.get_ps_context("enable_ps")
        False
    """
    config.ps.reset()
