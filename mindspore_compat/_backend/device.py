"""The GPUs themselves: how many there are, what they can do, their memory, streams and events.

Everything here calls CuPy's CUDA module; without a GPU that computes, `cuda` is refused and the
counts are none. Streams and events are CUDA's own objects.
"""

import contextlib

from . import arrays, memory_stats


def cuda():
    """CuPy's CUDA module.

    Raises:
        ValueError: no GPU computes; the message says why.
    """
    if not arrays.gpu_available():
        raise ValueError(arrays.why_no_gpu())
    return arrays._device_space().module.cuda


def in_force():
    """The device target that computes: "CPU" or "GPU"."""
    return arrays._target


def count():
    """How many GPUs there are."""
    return int(cuda().runtime.getDeviceCount())


def properties(number):
    """What CUDA reports of one GPU, as a dict."""
    found = dict(cuda().runtime.getDeviceProperties(number))
    name = found["name"]
    found["name"] = name.decode() if isinstance(name, bytes) else name
    return found


def memory():
    """(bytes in arrays, bytes held from the device) of the memory pool in force."""
    if arrays._target == "CPU":
        return 0, 0
    pool = arrays._device_space().module.get_default_memory_pool()
    return int(pool.used_bytes()), int(pool.total_bytes())


def peak_memory():
    """The most of both figures of `memory` since the device was first used, or since a reset."""
    if arrays._target == "CPU":
        return 0, 0
    return memory_stats.in_force().peaks()


def reset_peak_memory(used=True, total=True):
    """Forgets the peaks of the memory pool in force: they are 0 until the next allocation."""
    if arrays._target == "GPU":
        memory_stats.in_force().reset(used, total)


def limit_memory(size):
    """Lets the memory pool of the GPU in force hold at most so many bytes."""
    if arrays._target == "GPU":
        arrays._device_space().module.get_default_memory_pool().set_limit(size)


def current_stream_pointer():
    """The address of the stream that gets the work of the GPU in force."""
    return arrays._device_space().module.cuda.get_current_stream().ptr


def using_allocator(allocate, free):
    """A context in which the current thread's arrays on a GPU lie in memory of these functions.

    Args:
        allocate (Callable): takes bytes and the number of the device, and returns an address.
        free (Callable): takes the address and the number of the device.
    """
    if arrays._target == "CPU":
        return contextlib.nullcontext()
    found = arrays._device_space().module.cuda
    return found.using_allocator(found.PythonFunctionAllocator(allocate, free).malloc)
