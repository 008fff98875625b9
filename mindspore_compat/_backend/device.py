"""GPU devices: their number, properties, memory, streams and events.

Everything here calls CuPy's CUDA module; without a GPU that computes, `cuda` raises an error and
the memory counts are 0. Streams and events are CUDA's own objects.
"""

import contextlib

from . import arrays, memory_stats


def cuda():
    """Returns CuPy's CUDA module.

    Raises:
        ValueError: if no GPU computes; the message says why.
    """
    if not arrays.gpu_available():
        raise ValueError(arrays.why_no_gpu())
    return arrays._device_space().module.cuda


def in_force():
    """Returns the current device target: "CPU" or "GPU"."""
    return arrays._target


def count():
    """Returns the number of GPUs."""
    return int(cuda().runtime.getDeviceCount())


def properties(number):
    """Returns the properties that CUDA reports for one GPU, as a dict."""
    values = dict(cuda().runtime.getDeviceProperties(number))
    name = values["name"]
    values["name"] = name.decode() if isinstance(name, bytes) else name
    return values


def memory():
    """Returns (bytes in arrays, bytes reserved from the device) of the current memory pool."""
    if arrays._target == "CPU":
        return 0, 0
    pool = arrays._device_space().module.get_default_memory_pool()
    return int(pool.used_bytes()), int(pool.total_bytes())


def peak_memory():
    """Returns the peaks of (bytes in arrays, bytes reserved from the device) since the device was
    first used, or since `reset_peak_memory`."""
    if arrays._target == "CPU":
        return 0, 0
    return memory_stats.in_force().peaks()


def reset_peak_memory(used=True, total=True):
    """Resets one or both peaks of the current memory pool: of the bytes in arrays (`used`) and of
    the reserved bytes (`total`). A peak is 0 until the next allocation."""
    if arrays._target == "GPU":
        memory_stats.in_force().reset(used, total)


def limit_memory(size):
    """Limits the memory pool of the current GPU to `size` bytes."""
    if arrays._target == "GPU":
        arrays._device_space().module.get_default_memory_pool().set_limit(size)


def current_stream_pointer():
    """Returns the address of the current stream of the current GPU."""
    return arrays._device_space().module.cuda.get_current_stream().ptr


def using_allocator(allocate, free):
    """Returns a context in which the given functions allocate the GPU arrays of the current thread.

    Args:
        allocate (Callable): takes bytes and the number of the device, and returns an address.
        free (Callable): takes the address and the number of the device.
    """
    if arrays._target == "CPU":
        return contextlib.nullcontext()
    cuda_module = arrays._device_space().module.cuda
    return cuda_module.using_allocator(cuda_module.PythonFunctionAllocator(allocate, free).malloc)
