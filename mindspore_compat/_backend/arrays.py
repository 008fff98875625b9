"""The array library of an array, the device target, and copies between the host and a GPU.

`space_of(array)` returns the functions for an array (see space.py), `current_space()` those of the
current device target. CuPy is imported when a GPU is first used, never before.
"""

import contextlib
import functools
import importlib
import os
import re
import warnings

import ml_dtypes
import numpy

from . import memory_stats
from .catalogue import FUNCTIONS, LIBRARY
from .compiled import door
from .cuda import cublas
from .cuda.space import DeviceSpace
from .host import elementary, products, reductions, ufuncs
from .space import REDUCERS, Space, implementation, reciprocal_by
from .starting import lock_for_forks
from .threads import blas_memory, scheduler
from .thresholds import Least

FLOAT16 = numpy.dtype(numpy.float16)
BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)


# These modules register compiled loops for host functions (compiled/door.py).
door.providers += [
    f"{__package__}.{name}"
    for name in (
        "loops",
        "bodies.host",
        "conv.column_loops",
        "conv.depthwise_loops",
        "conv.pooling_loops",
        "conv.direct.choose",
        "recurrent.sequences",
    )
]


class Host(Space):
    """The array namespace of the host, `HOST`: NumPy's functions, and the compiled loops of whole
    bodies if Numba is installed."""

    @functools.cached_property
    def bodies(self):
        return door.call("bodies")

    def __getattr__(self, name):
        prepare_host()
        function = super().__getattr__(name)
        if name in elementary.FORMULAS:
            function = elementary.wrapped(self, name, function)
            setattr(self, name, function)
        elif name in ("einsum", "tensordot"):
            function = products.of_library(function)
            setattr(self, name, function)
        return function


class LargeHost(Host):
    """The array namespace of the host for large arrays, `LARGE`: several threads share each
    elementwise function and reduction."""

    def __getattr__(self, name):
        function = getattr(numpy if name in elementary.FORMULAS else HOST, name)
        if FUNCTIONS[name].home not in LIBRARY:
            function = implementation(name).__get__(self)
        elif name in REDUCERS:
            function = reductions.reducer(getattr(numpy, REDUCERS[name]))
        elif name == "mean":
            function = reductions.mean
        elif name == "reciprocal":
            function = reciprocal_by(self.divide)
        elif name in ("array", "ascontiguousarray", "diff", "reshape"):
            function = getattr(ufuncs, name)
        elif isinstance(function, numpy.ufunc) and function.signature is None:
            function = elementary.wrapped(self, name, ufuncs.Ufunc(function))
        setattr(self, name, function)
        return function

    def from_scipy(self, home, name):
        function = HOST.from_scipy(home, name)
        return ufuncs.Ufunc(function) if isinstance(function, numpy.ufunc) else function

    bodies = property(lambda self: HOST.bodies)


LOW_PRECISION = frozenset({FLOAT16, BFLOAT16})
HOST, LARGE = (
    kind(numpy, "scipy.special", "scipy.linalg", low_precision=LOW_PRECISION)
    for kind in (Host, LargeHost)
)
SPACES = {numpy.ndarray: HOST}
DIRECT = dict(SPACES)  # the part of SPACES whose arrays take the straight-line call path

_OWN_MODULES = re.compile(r"mindspore_compat(\.|$)")
_target = "CPU"
_failure = None  # why CuPy could not compute when a GPU was first looked for
blocking = False  # whether an operation on a GPU is done before its call returns
intercepting = 0  # how many contexts intercept or record operations
_intercept_lock = lock_for_forks()
find_recorder = (
    None  # in a recorded step (steps/recording.py): a function that returns this thread's recorder
)


def prepare_host():
    """Makes the host keep freed memory, and silences NumPy's warnings within this package.

    Called when an operation or a function of `xp` is first used. A division by zero gives an
    infinity, as on every other device; only NumPy would warn. The filter is set again each time,
    because the end of a `warnings.catch_warnings` block may have removed it.

    Under a limit of address space, the BLAS library gets the memory for a product here if there is
    any: a product would wait for it forever. Without a limit the first large product sees to it.
    """
    keep_freed_memory()
    if blas_memory.is_limited():
        with contextlib.suppress(MemoryError):
            scheduler.libraries()
    if not any(module == _OWN_MODULES for _, _, _, module, _ in warnings.filters):
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=_OWN_MODULES.pattern)


@functools.cache
def keep_freed_memory():
    """Makes the C library keep freed memory: allocates and frees a block of 31 MiB, without writing
    to it.

    The C library of Linux returns freed blocks to the system from a size on that grows with the
    largest block freed so far, and every page that is allocated again costs a page fault: half the
    time of a small network, and a fifth of the time of a pipeline of images with two workers. After
    this, the C library keeps freed blocks of up to this size.
    """
    with contextlib.suppress(MemoryError):
        numpy.empty(31 << 20, numpy.uint8)


def space_of(array):
    """Returns the array namespace of an array (its `xp`): the functions for arrays of its type."""
    space = SPACES.get(type(array)) or getattr(array, "space", None)
    if space is None:
        raise TypeError(f"{type(array).__name__} is not an array of a known library")
    return space


@functools.cache
def _device_space():
    """Returns the GPU's array namespace if a GPU can run a kernel, else None; `why_no_gpu` gives
    the reason."""
    global _failure
    try:
        cupy = _computing_cupy()
    except Exception as error:  # any error of a broken driver means that no GPU is usable
        _failure = error
        return None
    space = DeviceSpace(cupy)
    SPACES[cupy.ndarray] = space
    _choose_direct()
    return space


def _computing_cupy():
    """Imports CuPy and checks that a GPU computes a sum of two elements. Returns CuPy; raises the
    error of the import, the driver or the kernel.

    A driver without the CUDA libraries reports devices and fails at the first kernel, so counting
    devices is not enough.
    """
    cupy = importlib.import_module("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 1:
        raise RuntimeError("CUDA counts no device")
    if (total := float((cupy.arange(2) + 1).sum())) != 3.0:
        raise RuntimeError(f"1 + 2 is {total} on the device")
    return cupy


def gpu_available():
    """Returns True if a GPU is present and computes."""
    return _device_space() is not None


def why_no_gpu():
    """Returns a sentence that says why no GPU computes."""
    missing = isinstance(_failure, ModuleNotFoundError) and _failure.name == "cupy"
    reason = "CuPy is not installed" if missing else f"{type(_failure).__name__}: {_failure}"
    return f"No GPU computes: {reason.rstrip('.')}."


def set_target(target, number=0):
    """Sets the device of new arrays: "CPU", or "GPU" and its number."""
    global _target
    if target == "GPU":
        if not gpu_available():
            raise RuntimeError(why_no_gpu())
        _device_space().module.cuda.Device(number).use()
        memory_stats.watch(_device_space().module, number)
    _target = target


def allow_tf32(value, purpose="matmul"):
    """Allows or forbids a GPU to compute float32 products in TF32, which has ten bits of precision.

    GPUs before compute capability 8.0 have no TF32. Without cuBLAS, CuPy computes the products;
    they all follow the variable CUPY_TF32, which CuPy reads at its first product.

    Args:
        value (bool): whether TF32 is allowed.
        purpose (str): "matmul", or "conv" for the products inside convolutions.

    Returns:
        bool: False if the setting has no effect, because CuPy has computed a product already.
    """
    cublas.tf32[purpose] = bool(value)
    setting = str(int(value))
    if purpose != "matmul" or os.environ.get("CUPY_TF32", "0") == setting:
        return True
    space = _device_space() if _device_space.cache_info().currsize else None
    if space is not None and space.products.late:
        return False
    os.environ["CUPY_TF32"] = setting
    return True


def for_size(xp, arrays):
    """Returns the array namespace in which to compute with `arrays`: LARGE, whose functions use
    several threads, if `xp` is HOST and one of the arrays is large; else `xp`."""
    if xp is HOST and any([getattr(array, "nbytes", 0) >= Least.SPACE for array in arrays]):
        return LARGE
    return xp


def for_result(xp, x, y):
    """Returns the array namespace in which to compute an array with an element for each element of
    `x` and each of `y`: LARGE if `xp` is HOST and the result is large; else `xp`."""
    return LARGE if xp is HOST and x.size * y.size >= Least.BROADCAST else xp


def running_recorder():
    """Returns the recorder (steps/recording.py) of the step that this thread runs on the host.
    Returns None if no step is recorded, and inside a call that the recorder records."""
    find = find_recorder
    return None if find is None else find()


def current_space():
    """Returns the array namespace of the current device target, or the namespace of the step that
    is being recorded.
    """
    recorder = running_recorder()
    if recorder is not None:
        return recorder.space
    return HOST if _target == "CPU" else _device_space()


def to_host(array):
    """Returns the same values as a NumPy array (a NumPy array is not copied)."""
    return array if type(array) is numpy.ndarray else array.get()


def integers_to_host(arrays):
    """Returns the values of integer arrays as NumPy arrays. Arrays on a GPU are joined and copied
    at once, so that the host waits only once.
    """
    if type(arrays[0]) is numpy.ndarray or len(arrays) < 2:
        return list(map(to_host, arrays))
    module = current_space().module
    if any(type(array) is not module.ndarray for array in arrays):
        return list(map(to_host, arrays))
    values = to_host(module.concatenate([array.ravel().astype(numpy.int64) for array in arrays]))
    ends = numpy.cumsum([array.size for array in arrays])
    parts = numpy.split(values, ends[:-1])
    return [part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True)]


def extremes(array, axis=None):
    """Returns the smallest and the largest element, or lists of them along an axis, as Python
    numbers. Those on a GPU are copied at once, so that the host waits only once.
    """
    if type(array) is numpy.ndarray:
        return array.min(axis).tolist(), array.max(axis).tolist()
    xp = space_of(array)
    return xp.stack([xp.min(array, axis), xp.max(array, axis)]).tolist()


def all_below(xp, index, count):
    """Returns the integers `index`, which must be below `count`. On a GPU larger ones become
    `count`, because the host would have to wait before it could raise an error.

    Raises:
        IndexError: if an integer on the host is not below `count`.
    """
    array = getattr(index, "array", index)
    if on_device(array):
        return xp.minimum(index, count)
    if type(array) is numpy.ndarray and array.size and array.max() >= count:
        raise IndexError(f"index {array.max()} is not below {count}")
    return index


def to_current(array):
    """Returns the same values on the current device target."""
    space = current_space()
    if space is SPACES.get(type(array)):
        return array
    return space.module.asarray(to_host(array))


def on_device(array):
    """Returns True if the array lies in a GPU's memory."""
    kind = type(array)
    return kind is not numpy.ndarray and not getattr(kind, "of_host", False)


def number_of(array):
    """Returns the only element of an array: a float for an array on the host. For one on a GPU it
    is a 0-d array, so that the host does not wait."""
    element = array.reshape(())
    return element if on_device(array) else float(element)


def to_space(space, array):
    """Returns the same values as an array of the array namespace `space`: copied to the host or the
    GPU unless it is there already."""
    if SPACES.get(type(array)) is space:
        return array
    return to_host(array) if space is HOST else space.module.asarray(to_host(array))


def on_device_of(other, array):
    """Returns `array` on the device of `other`; arrays without values stay as they are."""
    space = SPACES.get(type(other))
    if space is None or type(array) not in SPACES or on_device(array) == on_device(other):
        return array
    return to_space(space, array)


def synchronize():
    """Waits until the GPU has finished its work, if it is the current device target."""
    if _target == "GPU":
        _device_space().module.cuda.get_current_stream().synchronize()


def block(value=True):
    """Sets whether calls of operations on a GPU return only after the operation has finished."""
    global blocking
    blocking = value
    _choose_direct()


def intercept(contexts):
    """Adds `contexts` (1 or -1) to the number of active contexts that intercept or record
    operations. While there are any, every operation takes the general path, which calls them."""
    global intercepting
    with _intercept_lock:
        intercepting += contexts
        _choose_direct()


def _choose_direct():
    """Sets which arrays take the straight-line call path (../_core/declare/call_path.py)."""
    spaces = {
        kind: space
        for kind, space in SPACES.items()
        if kind is space.module.ndarray
        and not intercepting
        and (kind is numpy.ndarray or not blocking)
    }
    for kind in DIRECT.keys() - spaces.keys():
        del DIRECT[kind]
    DIRECT.update(spaces)


def release_memory():
    """Returns the unused blocks of the GPU's memory pool to the device."""
    if _target == "GPU":
        memory_stats.in_force().note()
        _device_space().module.get_default_memory_pool().free_all_blocks()
