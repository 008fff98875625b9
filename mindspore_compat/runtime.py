"""`mindspore.runtime`: streams, events and memory of the device, and settings of execution.

The replay of an Ascend's allocations from a file is not implemented.
"""

import re

from . import _memory
from ._backend import device
from ._core.rules.vocabulary import Str
from ._core.without_effect import without_effect
from ._launching import (
    dispatch_threads_num,
    launch_blocking,
    set_cpu_affinity,
    set_kernel_launch_capture,
    set_kernel_launch_group,
)
from ._memory_pools import MemPool, PluggableAllocator, use_mem_pool
from ._stream_limits import (
    StreamLimitCtx,
    get_device_limit,
    get_stream_limit,
    reset_stream_limit,
    set_device_limit,
    set_stream_limit,
)
from .hal import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    empty_cache,
    set_cur_stream,
    synchronize,
)

__all__ = [
    "Event",
    "MemPool",
    "PluggableAllocator",
    "Stream",
    "StreamCtx",
    "StreamLimitCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "dispatch_threads_num",
    "empty_cache",
    "get_device_limit",
    "get_stream_limit",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_stream_limit",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_device_limit",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
    "set_memory",
    "set_stream_limit",
    "synchronize",
    "use_mem_pool",
]


def memory_allocated():
    """Returns the bytes of GPU memory allocated to arrays; 0 on the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.runtime.memory_allocated() >= 0)
        True

    Source: mindspore.runtime.memory_allocated of MindSpore 2.10.
    """
    return device.memory()[0]


def memory_reserved():
    """Returns the bytes of GPU memory reserved by the memory pool; 0 on the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.runtime.memory_reserved() >= 0)
        True

    Source: mindspore.runtime.memory_reserved of MindSpore 2.10.
    """
    return device.memory()[1]


def max_memory_allocated():
    """Returns the peak bytes of GPU memory allocated to arrays since the first use of the device or
    the last reset; 0 on the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.runtime.max_memory_allocated() >= 0)
        True

    Source: mindspore.runtime.max_memory_allocated of MindSpore 2.10.
    """
    return device.peak_memory()[0]


def max_memory_reserved():
    """Returns the peak bytes of GPU memory reserved by the memory pool since the first use of the
    device or the last reset; 0 on the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.runtime.max_memory_reserved() >= 0)
        True

    Source: mindspore.runtime.max_memory_reserved of MindSpore 2.10.
    """
    return device.peak_memory()[1]


def memory_stats():
    """Returns the figures of the memory pool, all 0 on the CPU.

    Returns:
        dict, bytes by name: "total_reserved_memory" of the pool, "total_allocated_memory" in
        arrays, "total_idle_memory" for further ones, their peaks "max_reserved_memory" and
        "max_allocated_memory"; and zeros and empty dicts for blocks of one size, which this pool
        does not use.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.memory_stats()["total_eager_free_memory"]
        0

    Source: mindspore.runtime.memory_stats of MindSpore 2.10.
    """
    return _memory.stats()


def memory_summary():
    """Returns the figures of the memory pool as a table in text; zeros on the CPU.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.runtime.memory_summary()).__name__)
        str

    Source: mindspore.runtime.memory_summary of MindSpore 2.10.
    """
    return _memory.summary(device.in_force())


def reset_max_memory_allocated():
    """Resets the value of `max_memory_allocated` to 0 until the next allocation.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.runtime.reset_max_memory_allocated()

    Source: mindspore.runtime.reset_max_memory_allocated of MindSpore 2.10.
    """
    device.reset_peak_memory(total=False)


def reset_max_memory_reserved():
    """Resets the value of `max_memory_reserved` to 0 until the next allocation.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.runtime.reset_max_memory_reserved()

    Source: mindspore.runtime.reset_max_memory_reserved of MindSpore 2.10.
    """
    device.reset_peak_memory(used=False)


def reset_peak_memory_stats():
    """Sets both peaks to 0 until the next allocation.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.runtime.reset_peak_memory_stats()

    Source: mindspore.runtime.reset_peak_memory_stats of MindSpore 2.10.
    """
    device.reset_peak_memory()


@without_effect(
    "runtime.set_memory(init_size, increase_size, optimize_level, huge_page_reserve_size)",
    "memory is taken as it is needed",
)
def set_memory(
    init_size="2GB",
    increase_size="2GB",
    max_size="1024GB",
    optimize_level="O0",
    huge_page_reserve_size="0GB",
):
    """Sets the memory limit of the current GPU.

    Args:
        init_size (str, optional): checked, but without effect; memory is allocated on demand.
        increase_size (str, optional): checked, but without effect.
        max_size (str, optional): the maximum, such as "30GB".
        optimize_level (str, optional): "O0" or "O1"; checked, but without effect.
        huge_page_reserve_size (str, optional): checked, but without effect.

    Raises:
        TypeError: if an argument is not a str.
        ValueError: if a size is not a number and "GB", is 0 where it may not be, or
            `optimize_level` is something else.
    """
    sizes = {
        "init_size": init_size,
        "increase_size": increase_size,
        "max_size": max_size,
        "huge_page_reserve_size": huge_page_reserve_size,
    }
    for name, text in {**sizes, "optimize_level": optimize_level}.items():
        Str.refuse("set_memory", name, text)
    for name, text in sizes.items():
        if not re.fullmatch(r"\d+(\.\d+)?GB", text) or (
            name != "huge_page_reserve_size" and float(text[:-2]) == 0
        ):
            raise ValueError(
                f"For 'set_memory', '{name}' must be a number followed by 'GB', but got {text!r}."
            )
    if optimize_level not in ("O0", "O1"):
        raise ValueError(
            f"For 'set_memory', 'optimize_level' must be 'O0' or 'O1', but got {optimize_level!r}."
        )
    device.limit_memory(int(float(max_size[:-2]) * (1 << 30)))
