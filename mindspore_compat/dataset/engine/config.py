"""Settings of the data pipelines: `mindspore.dataset.config`.

Some act here: the seed, the number of workers, autotune, how many rows parallel workers run ahead,
how worker processes start, what becomes of workers that hang and of rows that an operation refuses,
the callback timeout and the iterator's copying. The others belong to the original's threads, NUMA
binding and devices; they are checked, stored and returned, and change nothing, because a pipeline
here runs in the thread that reads its rows, except for the workers of single operations.
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

UNSEEDED = 5489  # the default seed of C++'s mt19937: the original takes it for "no seed given"
INT32_MAX = 2**31 - 1
UINT32_MAX = 2**32 - 1


class ErrorSamplesMode(IntEnum):
    """What `map` does with a row that one of its operations refuses.

    RETURN raises the error, REPLACE uses the first good row of the epoch instead, SKIP leaves
    the row out.
    """

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def max_workers() -> int:
    """The most workers that an operation may have: the number of processors."""
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
    """Seeds the pipelines opened from now on, and `random` and `numpy.random` with them.

    Args:
        seed: the seed; equal seeds give equal orders and equal augmentations, and the orders are
            the original's.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.dataset.config.set_seed(5)
    """
    _values.seed = seed
    random.seed(seed)
    np.random.seed(seed)


def get_seed():
    """Returns the seed: the last of those given here and to `mindspore.set_seed`; else 5489.

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
    """`mindspore.set_seed` seeds the pipelines too."""
    _values.seed = seed


context.on_seed(_follow)


def next_seed() -> int:
    """The seed for one random part of a pipeline that is being opened."""
    seed = get_seed()
    if seed != UNSEEDED:
        return seed
    if _values.debug:
        return 1
    return int.from_bytes(os.urandom(4), "little")


@checked
def set_prefetch_size(size: Int(ge=1, le=INT32_MAX)):
    """Sets how many rows parallel workers may run ahead of the reader.

    Args:
        size: the number of rows.
    """
    _values.prefetch = size


def get_prefetch_size():
    """Returns how many rows parallel workers may run ahead, besides a batch; 16 by default."""
    return _values.prefetch


@checked
def set_num_parallel_workers(num: Int(ge=1, le=INT32_MAX)):
    """Sets the number of workers of operations that are not given one.

    Unless this is called, or autotune is on, such operations run in the reader's own thread.

    Args:
        num: the number of workers.

    Raises:
        RuntimeError: `num` is above the number of processors.
    """
    if num > max_workers():
        raise RuntimeError(
            f"For 'set_num_parallel_workers', 'num' must be in [1, {max_workers()}] "
            f"on this machine, but got {num}."
        )
    _values.workers = num


def get_num_parallel_workers():
    """Returns the number of workers of operations that are not given one."""
    return _values.workers or min(8, max_workers())


def requested_workers() -> int:
    """The workers of an operation that is not given a number."""
    if _values.debug or _values.workers is None and not _values.autotune:
        return 1
    return get_num_parallel_workers()


@checked
def set_error_samples_mode(error_samples_mode: AnInstance(ErrorSamplesMode)):
    """Sets what `map` does with rows that an operation refuses.

    Args:
        error_samples_mode: RETURN, REPLACE or SKIP.
    """
    _values.error_samples = error_samples_mode


def get_error_samples_mode():
    """Returns what `map` does with rows that an operation refuses."""
    return ErrorSamplesMode.RETURN if _values.debug else _values.error_samples


def set_debug_mode(debug_mode_flag, debug_hook_list=None):
    """Sets whether pipelines run without workers, unseeded ones with seed 1, and through hooks.

    Args:
        debug_mode_flag (bool): whether they do.
        debug_hook_list (list[DebugHook], optional): called with the columns before each operation
            of `map`; by default one that prints their shapes and dtypes.

    Raises:
        TypeError: an argument is of the wrong type.
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
    """The hooks of the debug mode; empty while it is off."""
    return _values.hooks


@without_effect("dataset.config.set_iterator_mode(parallel_convert)")
@checked
def set_iterator_mode(do_copy: Bool = False, parallel_convert: Bool = False):
    """Sets how iterators make Tensors.

    Args:
        do_copy: whether a Tensor gets a copy of the row.
        parallel_convert: stored without effect.
    """
    _values.do_copy, _values.parallel_convert = do_copy, parallel_convert


def get_iterator_mode():
    """Returns the values of `set_iterator_mode`, by name."""
    return {"do_copy": _values.do_copy, "parallel_convert": _values.parallel_convert}


@checked
def set_multiprocessing_start_method(start_method: OneOf("fork", "spawn") = "fork"):
    """Sets how worker processes start.

    Args:
        start_method: "fork", or "spawn", which pickles what the workers need.
    """
    _values.start_method = start_method


def get_multiprocessing_start_method():
    """Returns how worker processes start."""
    return _values.start_method


@checked
def set_multiprocessing_timeout_interval(interval: Int(ge=1, le=INT32_MAX)):
    """Sets how long a worker, process or thread, may take for a row that the reader waits for.

    After one interval a warning names the worker and the row. After two the reader's process
    raises RuntimeError and ends the worker, if it is a process; the original waits on.
    `set_enable_watchdog(False)` leaves it at a warning each interval.

    Args:
        interval: seconds.
    """
    _values.timeout = interval


def get_multiprocessing_timeout_interval():
    """Returns after how many seconds without a row a worker is reported; 300 by default."""
    return _values.timeout


@checked
def set_callback_timeout(timeout: Int(ge=1, le=INT32_MAX)):
    """Sets how long a WaitedDSCallback waits.

    Args:
        timeout: seconds.
    """
    _values.callback = timeout


def get_callback_timeout():
    """Returns how many seconds a WaitedDSCallback waits; 60 by default."""
    return _values.callback


@without_effect("dataset.config.set_monitor_sampling_interval", "there is no such monitor")
@checked
def set_monitor_sampling_interval(interval: Int(ge=1, le=INT32_MAX)):
    """Keeps the interval of the original's performance monitor.

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
    """Keeps whether the original may choose the number of workers.

    Args:
        enable: whether it may.
    """
    _values.auto_workers = enable


def get_auto_num_workers():
    """Returns the value of `set_auto_num_workers`; False by default."""
    return _values.auto_workers


@without_effect("dataset.config.set_enable_autotune(filepath_prefix)", "nothing is written")
@checked(Forbid("filepath_prefix == ''", RuntimeError, "'filepath_prefix' must not be empty"))
def set_enable_autotune(enable: Bool, filepath_prefix: Str = None):
    """Sets whether each `map` that is given no number of workers has those of the settings.

    They are threads, as many as `get_num_parallel_workers` returns, and work ahead while a step of
    training runs. Rows that the reader's thread is sooner done with stay with it. How many rows go
    to a worker at once is tuned in any case. Random transforms draw other numbers than in the
    reader's thread alone.

    Args:
        enable: whether it has.
        filepath_prefix: where the original would write what it found; is stored.

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
    """Keeps how often the original tunes.

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
    """Keeps whether operations of a pipeline may run on the device. Here they run on the host.

    Args:
        offload: whether they may.
    """
    _values.auto_offload = offload


def get_auto_offload():
    """Returns the value of `set_auto_offload`; False by default."""
    return _values.auto_offload


@without_effect("dataset.config.set_enable_shared_mem", "worker processes use pipes")
@checked
def set_enable_shared_mem(enable: Bool):
    """Keeps whether worker processes use shared memory. Here they use pipes.

    Args:
        enable: whether they do.
    """
    _values.shared_mem = enable


def get_enable_shared_mem():
    """Returns the value of `set_enable_shared_mem`; True by default."""
    return _values.shared_mem


@checked
def set_enable_watchdog(enable: Bool):
    """Sets whether workers that hang are ended, not only reported.

    When they are is set by `set_multiprocessing_timeout_interval`.

    Args:
        enable: whether they are.
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
    """Keeps whether the original recovers without repeating augmentations.

    Args:
        fast_recovery: whether it does.
    """
    _values.fast_recovery = fast_recovery


def get_fast_recovery():
    """Returns the value of `set_fast_recovery`; True by default."""
    return _values.fast_recovery


@without_effect("dataset.config.set_dynamic_shape", "rows may always differ in shape")
@checked
def set_dynamic_shape(is_dynamic: Bool):
    """Keeps whether rows may differ in shape. Here they always may.

    Args:
        is_dynamic: whether they may.
    """
    _values.dynamic = is_dynamic


def get_dynamic_shape():
    """Returns the value of `set_dynamic_shape`; False by default."""
    return _values.dynamic


@without_effect("dataset.config.set_numa_enable", "threads are bound by 'runtime.set_cpu_affinity'")
@checked
def set_numa_enable(numa_enable: Bool):
    """Keeps whether the original binds itself to NUMA nodes.

    Args:
        numa_enable: whether it does.
    """
    _values.numa = numa_enable


def get_numa_enable():
    """Returns the value of `set_numa_enable`; False by default."""
    return _values.numa


@without_effect("dataset.config.set_sending_batches", "batches are taken when they are needed")
@checked
def set_sending_batches(batch_num: Int):
    """Keeps how many batches may be sent to a device in an epoch.

    Args:
        batch_num: the number; 0 for any.
    """
    _values.sending = batch_num


@without_effect("dataset.config.set_video_backend", "videos are decoded on the CPU")
@checked
def set_video_backend(backend: OneOf("CPU", "Ascend")):
    """Keeps what decodes videos.

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
        file (str): its path.

    Raises:
        RuntimeError: it cannot be read, or is no JSON object.
    """
    with reading(file, problem="is no JSON file of settings", api="load"):
        for key, value in json_of(file).items():
            _in_file.get(key, lambda value: None)(value)
