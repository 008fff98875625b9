"""`mindspore.dataset.config`: settings of data pipelines.

These settings have an effect: the seed, the number of workers, autotune, the prefetch size, the
start method of worker processes, the handling of hanging workers and failing rows, the callback
timeout and the copying of iterators. The others concern MindSpore's threads, NUMA binding and
devices. They are checked, stored and returned, but have no effect, because a pipeline here runs in
the thread that reads its rows, except for the workers of single operations.
"""

import os
import random
from enum import IntEnum
from types import SimpleNamespace

import numpy as np

from ..._core.context import config as context
from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, OneOf, Str
from ..._core.without_effect import without_effect
from ..._io.reading import json_of, reading
from .._rules import AnInstance
from ..debug import DebugHook, PrintMetaDataHook

__all__ = """DebugHook ErrorSamplesMode get_auto_num_workers get_auto_offload get_autotune_interval
    get_callback_timeout get_debug_mode get_dynamic_shape get_enable_autotune get_enable_shared_mem
    get_enable_watchdog get_error_samples_mode get_fast_recovery get_iterator_mode
    get_monitor_sampling_interval get_multiprocessing_start_method
    get_multiprocessing_timeout_interval get_num_parallel_workers get_numa_enable get_prefetch_size
    get_seed get_video_backend load set_auto_num_workers set_auto_offload set_autotune_interval
    set_callback_timeout set_debug_mode set_dynamic_shape set_enable_autotune set_enable_shared_mem
    set_enable_watchdog set_error_samples_mode set_fast_recovery set_iterator_mode
    set_monitor_sampling_interval set_multiprocessing_start_method
    set_multiprocessing_timeout_interval set_num_parallel_workers set_numa_enable set_prefetch_size
    set_seed set_sending_batches set_video_backend""".split()

UNSEEDED = 5489  # the default seed of C++'s mt19937, which MindSpore treats as "no seed"
INT32_MAX = 2**31 - 1
UINT32_MAX = 2**32 - 1


class ErrorSamplesMode(IntEnum):
    """How `map` handles a row for which an operation fails.

    RETURN raises the error, REPLACE uses the first good row of the epoch instead, SKIP drops the
    row.
    """

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def max_workers() -> int:
    """Returns the maximum number of workers of an operation: the number of processors."""
    return os.cpu_count() or 1


_values = SimpleNamespace(
    seed=None,
    workers=None,
    prefetch=16,
    monitor=1000,
    auto_workers=False,
    callback=60,
    autotune=False,
    autotune_prefix=None,
    autotune_interval=0,
    auto_offload=False,
    shared_mem=True,
    watchdog=True,
    fast_recovery=True,
    debug=False,
    hooks=(),
    error_samples=ErrorSamplesMode.RETURN,
    dynamic=False,
    start_method="fork",
    timeout=300,
    numa=False,
    video="CPU",
    sending=0,
    do_copy=False,
    parallel_convert=False,
)


@checked
def set_seed(seed: Int(ge=0, le=UINT32_MAX)):
    """Sets the seed of pipelines opened later, and of `random` and `numpy.random`.

    Args:
        seed: the seed; equal seeds give equal orders and augmentations; the orders are
            MindSpore's.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.dataset.config.set_seed(5)
    """
    _values.seed = seed
    random.seed(seed)
    np.random.seed(seed)


def get_seed():
    """Returns the seed: the last one set here or by `mindspore.set_seed`; 5489 by default.

    Example:
        >>> from mindspore_compat.dataset import config
        >>> before = config.get_seed()
        >>> config.set_seed(5)
        >>> config.get_seed()
        5
        >>> config.set_seed(before)
    """
    return UNSEEDED if _values.seed is None else _values.seed


def _follow(seed: int) -> None:
    """Lets `mindspore.set_seed` also seed the pipelines."""
    _values.seed = seed


context.on_seed(_follow)


def next_seed() -> int:
    """Returns the seed of the next random part of a pipeline being opened."""
    seed = get_seed()
    if seed != UNSEEDED:
        return seed
    if _values.debug:
        return 1
    return int.from_bytes(os.urandom(4), "little")


@checked
def set_prefetch_size(size: Int(ge=1, le=INT32_MAX)):
    """Sets the prefetch size: the number of rows that parallel workers may run ahead of the reader.

    Args:
        size: the number of rows.
    """
    _values.prefetch = size


def get_prefetch_size():
    """Returns the number of rows that parallel workers may run ahead, besides a batch; 16 by
    default.
    """
    return _values.prefetch


@checked
def set_num_parallel_workers(num: Int(ge=1, le=INT32_MAX)):
    """Sets the default number of workers of operations.

    Without this call, and without autotune, operations run in the reader's thread by default.

    Args:
        num: the number of workers.

    Raises:
        RuntimeError: if `num` is above the number of processors.
    """
    if num > max_workers():
        raise RuntimeError(
            f"For 'set_num_parallel_workers', 'num' must be in [1, {max_workers()}] "
            f"on this machine, but got {num}."
        )
    _values.workers = num


def get_num_parallel_workers():
    """Returns the default number of workers of operations."""
    return _values.workers or min(8, max_workers())


def requested_workers() -> int:
    """Returns the number of workers of an operation without an explicit number."""
    if _values.debug or _values.workers is None and not _values.autotune:
        return 1
    return get_num_parallel_workers()


@checked
def set_error_samples_mode(error_samples_mode: AnInstance(ErrorSamplesMode)):
    """Sets how `map` handles rows for which an operation fails.

    Args:
        error_samples_mode: RETURN, REPLACE or SKIP.
    """
    _values.error_samples = error_samples_mode


def get_error_samples_mode():
    """Returns how `map` handles rows for which an operation fails."""
    return ErrorSamplesMode.RETURN if _values.debug else _values.error_samples


def set_debug_mode(debug_mode_flag, debug_hook_list=None):
    """Sets the debug mode: pipelines run without workers, with hooks, and with seed 1 if unseeded.

    Args:
        debug_mode_flag (bool): whether to enable the debug mode.
        debug_hook_list (list[DebugHook], optional): called with the columns before each operation
            of `map`; by default one that prints their shapes and dtypes.

    Raises:
        TypeError: if an argument is of the wrong type.
    """
    if type(debug_mode_flag) is not bool:
        raise TypeError(
            f"For 'set_debug_mode', 'debug_mode_flag' must be a bool, but got {debug_mode_flag!r}."
        )
    (InstanceOf(list) | None).called("a list").refuse(
        "set_debug_mode", "debug_hook_list", debug_hook_list
    )
    for hook in debug_hook_list or ():
        InstanceOf(DebugHook).called("DebugHooks").refuse_part(
            "set_debug_mode", "'debug_hook_list'", hook, verb="hold"
        )
    hooks = debug_hook_list or [PrintMetaDataHook()]
    _values.debug, _values.hooks = debug_mode_flag, tuple(hooks) if debug_mode_flag else ()


def get_debug_mode():
    """Returns whether the debug mode is on."""
    return _values.debug


def debug_hooks() -> tuple:
    """Returns the hooks of the debug mode; empty while it is off."""
    return _values.hooks


@without_effect("dataset.config.set_iterator_mode(parallel_convert)")
@checked
def set_iterator_mode(do_copy: Bool = False, parallel_convert: Bool = False):
    """Sets how iterators convert rows to Tensors.

    Args:
        do_copy: whether Tensors copy the data of the row.
        parallel_convert: stored without effect.
    """
    _values.do_copy, _values.parallel_convert = do_copy, parallel_convert


def get_iterator_mode():
    """Returns the values of `set_iterator_mode`, by name."""
    return {"do_copy": _values.do_copy, "parallel_convert": _values.parallel_convert}


@checked
def set_multiprocessing_start_method(start_method: OneOf("fork", "spawn") = "fork"):
    """Sets the start method of worker processes.

    Args:
        start_method: "fork", or "spawn", which pickles what the workers need.
    """
    _values.start_method = start_method


def get_multiprocessing_start_method():
    """Returns the start method of worker processes."""
    return _values.start_method


@checked
def set_multiprocessing_timeout_interval(interval: Int(ge=1, le=INT32_MAX)):
    """Sets the time limit of a worker, process or thread, for a row that the reader waits for.

    After one interval a warning names the worker and the row. After two the reader's process raises
    RuntimeError and ends the worker, if it is a process; MindSpore keeps waiting. With
    `set_enable_watchdog(False)`, there is only a warning after each interval.

    Args:
        interval: seconds.
    """
    _values.timeout = interval


def get_multiprocessing_timeout_interval():
    """Returns the seconds without a row after which a worker is reported; 300 by default."""
    return _values.timeout


@checked
def set_callback_timeout(timeout: Int(ge=1, le=INT32_MAX)):
    """Sets the time limit of a WaitedDSCallback.

    Args:
        timeout: seconds.
    """
    _values.callback = timeout


def get_callback_timeout():
    """Returns the time limit of a WaitedDSCallback in seconds; 60 by default."""
    return _values.callback


@without_effect("dataset.config.set_monitor_sampling_interval", "there is no such monitor")
@checked
def set_monitor_sampling_interval(interval: Int(ge=1, le=INT32_MAX)):
    """Stores the interval of MindSpore's performance monitor.

    Args:
        interval: milliseconds.
    """
    _values.monitor = interval


def get_monitor_sampling_interval():
    """Returns the interval of `set_monitor_sampling_interval`; 1000 by default."""
    return _values.monitor


@without_effect("dataset.config.set_auto_num_workers", "autotune chooses from the settings alone")
@checked
def set_auto_num_workers(enable: Bool):
    """Stores whether MindSpore may choose the number of workers.

    Args:
        enable: whether to enable it.
    """
    _values.auto_workers = enable


def get_auto_num_workers():
    """Returns the value of `set_auto_num_workers`; False by default."""
    return _values.auto_workers


@without_effect("dataset.config.set_enable_autotune(filepath_prefix)", "nothing is written")
@checked(Forbid("filepath_prefix == ''", RuntimeError, "'filepath_prefix' must not be empty"))
def set_enable_autotune(enable: Bool, filepath_prefix: Str = None):
    """Sets whether each `map` without an explicit number of workers uses the number of the
    settings.

    The workers are threads, `get_num_parallel_workers` in number, and run ahead during training
    steps. The reader's thread processes rows for which this is faster. The number of rows per chunk
    is always tuned. Random transforms draw different numbers than in the reader's thread alone.

    Args:
        enable: whether to enable autotune.
        filepath_prefix: where MindSpore would write its results; is stored.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> ds.config.set_enable_autotune(True)
        >>> data = ds.NumpySlicesDataset(np.arange(3), "x", shuffle=False).map(lambda x: x + 1)
        >>> [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [1, 2, 3]
        >>> ds.config.set_enable_autotune(False)
    """
    _values.autotune, _values.autotune_prefix = enable, filepath_prefix


def get_enable_autotune():
    """Returns the value of `set_enable_autotune`; False by default."""
    return _values.autotune


@without_effect("dataset.config.set_autotune_interval", "autotune works row by row")
@checked
def set_autotune_interval(interval: Int(ge=0, le=INT32_MAX)):
    """Stores the interval at which MindSpore tunes.

    Args:
        interval: steps; 0 for once an epoch.
    """
    _values.autotune_interval = interval


def get_autotune_interval():
    """Returns the value of `set_autotune_interval`; 0 by default."""
    return _values.autotune_interval


@without_effect("dataset.config.set_auto_offload", "operations of a pipeline run on the host")
@checked
def set_auto_offload(offload: Bool):
    """Stores whether operations of a pipeline may run on the device; here they run on the host.

    Args:
        offload: whether to allow it.
    """
    _values.auto_offload = offload


def get_auto_offload():
    """Returns the value of `set_auto_offload`; False by default."""
    return _values.auto_offload


@without_effect("dataset.config.set_enable_shared_mem", "worker processes use pipes")
@checked
def set_enable_shared_mem(enable: Bool):
    """Stores whether worker processes use shared memory; here they use pipes.

    Args:
        enable: whether to use it.
    """
    _values.shared_mem = enable


def get_enable_shared_mem():
    """Returns the value of `set_enable_shared_mem`; True by default."""
    return _values.shared_mem


@checked
def set_enable_watchdog(enable: Bool):
    """Sets whether hanging workers are ended instead of only reported.

    `set_multiprocessing_timeout_interval` sets the time limit.

    Args:
        enable: whether to end them.
    """
    _values.watchdog = enable


def get_enable_watchdog():
    """Returns the value of `set_enable_watchdog`; True by default."""
    return _values.watchdog


@without_effect(
    "dataset.config.set_fast_recovery", "a pipeline that resumes repeats no augmentation"
)
@checked
def set_fast_recovery(fast_recovery: Bool):
    """Stores whether MindSpore recovers without repeating augmentations.

    Args:
        fast_recovery: whether to enable it.
    """
    _values.fast_recovery = fast_recovery


def get_fast_recovery():
    """Returns the value of `set_fast_recovery`; True by default."""
    return _values.fast_recovery


@without_effect("dataset.config.set_dynamic_shape", "rows may always differ in shape")
@checked
def set_dynamic_shape(is_dynamic: Bool):
    """Stores whether rows may differ in shape; here they always may.

    Args:
        is_dynamic: whether to allow it.
    """
    _values.dynamic = is_dynamic


def get_dynamic_shape():
    """Returns the value of `set_dynamic_shape`; False by default."""
    return _values.dynamic


@without_effect("dataset.config.set_numa_enable", "threads are bound by 'runtime.set_cpu_affinity'")
@checked
def set_numa_enable(numa_enable: Bool):
    """Stores whether MindSpore binds itself to NUMA nodes.

    Args:
        numa_enable: whether to enable it.
    """
    _values.numa = numa_enable


def get_numa_enable():
    """Returns the value of `set_numa_enable`; False by default."""
    return _values.numa


@without_effect("dataset.config.set_sending_batches", "batches are taken when they are needed")
@checked
def set_sending_batches(batch_num: Int):
    """Stores the number of batches that may be sent to a device in an epoch.

    Args:
        batch_num: the number; 0 means no limit.
    """
    _values.sending = batch_num


@without_effect("dataset.config.set_video_backend", "videos are decoded on the CPU")
@checked
def set_video_backend(backend: OneOf("CPU", "Ascend")):
    """Stores the backend that decodes videos.

    Args:
        backend: "CPU" or "Ascend".
    """
    _values.video = backend


def get_video_backend():
    """Returns the value of `set_video_backend`; "CPU" by default."""
    return _values.video


_in_file = {
    "numParallelWorkers": set_num_parallel_workers,
    "seed": set_seed,
    "workerConnectorSize": set_prefetch_size,
    "opConnectorSize": set_prefetch_size,
    "monitorSamplingInterval": set_monitor_sampling_interval,
}


def load(file):
    """Loads settings from a JSON file: the number of workers, the seed, the prefetch size.

    Args:
        file (str): the path of the file.

    Raises:
        RuntimeError: if `file` cannot be read, or is not a JSON object.
    """
    with reading(file, problem="is no JSON file of settings", api="load"):
        for key, value in json_of(file).items():
            _in_file.get(key, lambda value: None)(value)
