"""`mindspore.hal`: information on devices, their memory, streams and events.

Memory is counted on a GPU only; `_memory` formats its statistics. Streams and events are in
`_streams`.
"""

from typing import NamedTuple

from . import _memory
from ._backend import arrays, device
from ._core.rules.vocabulary import Str
from ._streams import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
)

_Target = (Str | None).called("a str")

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cur_stream",
    "synchronize",
]

_TARGETS = ("CPU", "GPU", "Ascend")


class DeviceProperties(NamedTuple):
    """Properties of a GPU: name, compute capability, whether it shares a board or the host's
    memory, the number of multiprocessors, bytes of memory and threads per warp."""

    name: str
    major: int
    minor: int
    is_multi_gpu_board: int
    is_integrated: int
    multi_processor_count: int
    total_memory: int
    warp_size: int


def _checked_target(api, target):
    """Returns the target.

    Raises:
        ValueError: if it is not one of the three.
    """
    if target not in _TARGETS:
        raise ValueError(
            f"For 'hal.{api}', 'device_target' must be one of {list(_TARGETS)}, but got {target!r}."
        )
    return target


def is_available(device_target):
    """Returns whether a device target is available: "CPU" always is, "Ascend" is not.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Raises:
        ValueError: if `device_target` is something else.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.hal.is_available("CPU"))
        True

    Source: mindspore.hal.is_available of MindSpore 2.10.
    """
    target = _checked_target("is_available", device_target)
    return target == "CPU" or target == "GPU" and arrays.gpu_available()


def is_initialized(device_target):
    """Returns whether a target is the current one.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".

    Raises:
        ValueError: if `device_target` is something else.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.hal.is_initialized("CPU")).__name__)
        bool

    Source: mindspore.hal.is_initialized of MindSpore 2.10.
    """
    return _checked_target("is_initialized", device_target) == device.in_force()


def device_count(device_target=None):
    """Returns the number of devices of a target.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the current target.

    Returns:
        int.

    Raises:
        ValueError: if `device_target` is something else, or not available.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.hal.device_count("CPU"))
        1

    Source: mindspore.hal.device_count of MindSpore 2.10.
    """
    return 1 if _present("device_count", device_target) == "CPU" else device.count()


def _present(api, target):
    _Target.refuse(f"hal.{api}", "device_target", target)
    target = device.in_force() if target is None else _checked_target(api, target)
    if not is_available(target):
        raise ValueError(
            f"For 'hal.{api}', 'device_target' must be available, but got {target!r}; "
            f"see 'hal.is_available'."
        )
    return target


def _check_number(api, device_id, target):
    """Checks a device number and returns the target.

    Raises:
        TypeError: if the number is not an int.
        ValueError: if there is no such target or device.
    """
    if type(device_id) is not int:
        raise TypeError(f"For 'hal.{api}', 'device_id' must be an int, but got {device_id!r}.")
    target = _present(api, target)
    number = device_count(target)
    if not 0 <= device_id < number:
        raise ValueError(
            f"For 'hal.{api}', 'device_id' must be in [0, {number}), but got {device_id}."
        )
    return target


def get_device_name(device_id, device_target=None):
    """Returns the name of a device, "CPU" for the host.

    Args:
        device_id (int): the number of the device.
        device_target (str, optional): "CPU" or "GPU"; by default the current target.

    Raises:
        TypeError: if `device_id` is not an int.
        ValueError: if there is no such device.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.hal.get_device_name(0, "CPU")).__name__)
        str

    Source: mindspore.hal.get_device_name of MindSpore 2.10.
    """
    target = _check_number("get_device_name", device_id, device_target)
    return "CPU" if target == "CPU" else device.properties(device_id)["name"]


def get_device_properties(device_id, device_target=None):
    """Returns the properties of a GPU; None for the host. Arguments and errors as for
    `get_device_name`.

    Source: mindspore.hal.get_device_properties of MindSpore 2.10.
    """
    if _check_number("get_device_properties", device_id, device_target) == "CPU":
        return None
    properties = device.properties(device_id)
    return DeviceProperties(
        properties["name"],
        properties["major"],
        properties["minor"],
        properties.get("isMultiGpuBoard", 0),
        properties.get("integrated", 0),
        properties.get("multiProcessorCount", 0),
        properties["totalGlobalMem"],
        properties.get("warpSize", 32),
    )


def get_device_capability(device_id, device_target=None):
    """Returns the compute capability of a GPU, as two ints; None for the host. Arguments and errors
    as for `get_device_name`.

    Source: mindspore.hal.get_device_capability of MindSpore 2.10.
    """
    if _check_number("get_device_capability", device_id, device_target) == "CPU":
        return None
    properties = device.properties(device_id)
    return properties["major"], properties["minor"]


def get_arch_list(device_target=None):
    """Returns the architectures of the present GPUs, for which code is compiled, such as ["sm_90"];
    None for the host.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the current target.

    Raises:
        ValueError: if `device_target` is something else, or not available.

    Source: mindspore.hal.get_arch_list of MindSpore 2.10.
    """
    if _present("get_arch_list", device_target) == "CPU":
        return None
    properties = [device.properties(number) for number in range(device.count())]
    return sorted({f"sm_{device_['major']}{device_['minor']}" for device_ in properties})


def memory_allocated(device_target=None):
    """Returns the bytes of GPU memory allocated to arrays; 0 for the host, which is not counted.

    Args:
        device_target (str, optional): "CPU" or "GPU"; by default the current target.

    Raises:
        ValueError: if `device_target` is something else, or not available.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.memory_allocated() >= 0
        True

    Source: mindspore.hal.memory_allocated of MindSpore 2.10.
    """
    return device.memory()[0] if _present("memory_allocated", device_target) == "GPU" else 0


def memory_reserved(device_target=None):
    """Returns the bytes of GPU memory reserved by the memory pool; 0 for the host. Arguments and
    errors as for `memory_allocated`.

    Source: mindspore.hal.memory_reserved of MindSpore 2.10.
    """
    return device.memory()[1] if _present("memory_reserved", device_target) == "GPU" else 0


def max_memory_allocated(device_target=None):
    """Returns the peak bytes of GPU memory allocated to arrays since the first use of the device or
    the last reset; 0 for the host. Arguments and errors as for `memory_allocated`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.max_memory_allocated() >= 0
        True

    Source: mindspore.hal.max_memory_allocated of MindSpore 2.10.
    """
    on_gpu = _present("max_memory_allocated", device_target) == "GPU"
    return device.peak_memory()[0] if on_gpu else 0


def max_memory_reserved(device_target=None):
    """Returns the peak bytes of GPU memory reserved by the memory pool since the first use of the
    device or the last reset; 0 for the host. Arguments and errors as for `memory_allocated`.

    Source: mindspore.hal.max_memory_reserved of MindSpore 2.10.
    """
    on_gpu = _present("max_memory_reserved", device_target) == "GPU"
    return device.peak_memory()[1] if on_gpu else 0


def memory_stats(device_target=None):
    """Returns the figures of the memory pool as a dict, as `runtime.memory_stats` does; an empty
    one for the host. Arguments and errors as for `memory_allocated`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.memory_stats("CPU")
        {}

    Source: mindspore.hal.memory_stats of MindSpore 2.10.
    """
    return _memory.stats() if _present("memory_stats", device_target) == "GPU" else {}


def memory_summary(device_target=None):
    """Returns the figures of the memory pool as a table in text; zeros for the host. Arguments and
    errors as for `memory_allocated`.

    Source: mindspore.hal.memory_summary of MindSpore 2.10.
    """
    return _memory.summary(_present("memory_summary", device_target))


def reset_max_memory_allocated(device_target=None):
    """Resets the value of `max_memory_allocated` to 0 until the next allocation. Arguments and
    errors as for `memory_allocated`.

    Source: mindspore.hal.reset_max_memory_allocated of MindSpore 2.10.
    """
    if _present("reset_max_memory_allocated", device_target) == "GPU":
        device.reset_peak_memory(total=False)


def reset_max_memory_reserved(device_target=None):
    """Resets the value of `max_memory_reserved` to 0 until the next allocation. Arguments and
    errors as for `memory_allocated`.

    Source: mindspore.hal.reset_max_memory_reserved of MindSpore 2.10.
    """
    if _present("reset_max_memory_reserved", device_target) == "GPU":
        device.reset_peak_memory(used=False)


def reset_peak_memory_stats(device_target=None):
    """Sets both peaks to 0 until the next allocation. Arguments and errors as for
    `memory_allocated`.

    Source: mindspore.hal.reset_peak_memory_stats of MindSpore 2.10.
    """
    if _present("reset_peak_memory_stats", device_target) == "GPU":
        device.reset_peak_memory()


def empty_cache():
    """Returns the unused memory of the pool to the GPU.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.empty_cache()

    Source: mindspore.hal.empty_cache of MindSpore 2.10.
    """
    arrays.release_memory()


def synchronize():
    """Waits until the device has completed all submitted work.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.hal.synchronize()

    Source: mindspore.hal.synchronize of MindSpore 2.10.
    """
    if device.in_force() == "GPU":
        device.cuda().runtime.deviceSynchronize()
