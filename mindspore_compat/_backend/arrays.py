"""Which array library holds an array, and how arrays move between the host and a GPU.

`space_of(array)` gives the functions that fit an array (see space.py), `current_space()` those of
the device target in force. CuPy is imported when a GPU is first used, never before.
"""

import functools
import importlib
import os
import re
import threading
import warnings

import ml_dtypes
import numpy

from . import memory_stats
from .catalogue import FUNCTIONS, LIBRARY
from .compiled import door
from .cuda import cublas
from .cuda.space import DeviceSpace
from .host import reductions, ufuncs
from .space import REDUCERS, Space, implementation
from .thresholds import Least

FLOAT16 = numpy.dtype(numpy.float16)
BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)


# What has loops for functions of the host (compiled/door.py).
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
    """NumPy's functions, and compiled loops for bodies where Numba is installed."""

    @functools.cached_property
    def bodies(self):
        return door.call("bodies")

    def __getattr__(self, name):
        prepare_host()
        return super().__getattr__(name)


class LargeHost(Host):
    """The same for large arrays: threads share functions of single elements, and reductions."""

    def __getattr__(self, name):
        found = getattr(HOST, name)
        if FUNCTIONS[name].home not in LIBRARY:
            found = implementation(name).__get__(self)
        elif name in REDUCERS:
            found = reductions.reducer(getattr(numpy, REDUCERS[name]))
        elif name in ("reshape", "ascontiguousarray"):
            found = getattr(ufuncs, name)
        elif isinstance(found, numpy.ufunc) and found.signature is None:
            found = ufuncs.Ufunc(found)
        setattr(self, name, found)
        return found

    bodies = property(lambda self: HOST.bodies)


LOW_PRECISION = frozenset({FLOAT16, BFLOAT16})
HOST, LARGE = (
    kind(numpy, "scipy.special", "scipy.linalg", low_precision=LOW_PRECISION)
    for kind in (Host, LargeHost)
)
SPACES = {numpy.ndarray: HOST}
DIRECT = dict(SPACES)  # of the arrays whose operations need no look around them

_OWN_MODULES = re.compile(r"mindspore_compat(\.|$)")
_target = "CPU"
_failure = None  # what kept CuPy from computing when a GPU was first looked for
blocking = False  # whether an operation on a GPU is done before its call returns
intercepting = 0  # how many contexts intercept or record operations
_intercept_lock = threading.Lock()
find_recorder = (
    None  # while steps are recorded (steps/recording.py): what gives this thread's recorder
)


def prepare_host():
    """Has the host keep freed memory, and NumPy not warn within this package.

    Called where an operation or a function of `xp` is first used. A division by zero gives an
    infinity, as on every other device; only NumPy would warn. The filter may be gone again by
    then, with the `warnings.catch_warnings` that it was set in.
    """
    _keep_freed_memory()
    if not any(module == _OWN_MODULES for _, _, _, module, _ in warnings.filters):
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=_OWN_MODULES.pattern)


@functools.cache
def _keep_freed_memory():
    """Allocates and frees a block of 31 MiB, which is never written to.

    The C library of Linux hands freed memory back to the system in blocks that grow with the
    largest it has freed, and each page that is allocated again costs a fault: half the time of a
    small network. Blocks of up to this size are kept once one was freed.
    """
    numpy.empty(31 << 20, numpy.uint8)


def space_of(array):
    """The functions that compute on arrays of this type."""
    found = SPACES.get(type(array))
    if found is None:
        raise TypeError(f"{type(array).__name__} is not an array of a known library")
    return found


@functools.cache
def _device_space():
    """CuPy's functions if a GPU runs a kernel, else None; `why_no_gpu` then says why."""
    global _failure
    try:
        cupy = _computing_cupy()
    except Exception as error:  # whatever a broken driver raises means: no GPU here
        _failure = error
        return None
    space = DeviceSpace(cupy)
    SPACES[cupy.ndarray] = space
    _choose_direct()
    return space


def _computing_cupy():
    """CuPy, or whatever error its import, the driver or the first kernel raises.

    A driver without the CUDA libraries counts devices and fails at the first kernel, so a sum of
    two elements is requested as well.
    """
    cupy = importlib.import_module("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 1:
        raise RuntimeError("CUDA counts no device")
    if (total := float((cupy.arange(2) + 1).sum())) != 3.0:
        raise RuntimeError(f"1 + 2 is {total} on the device")
    return cupy


def gpu_available():
    """True if a GPU is present and computes."""
    return _device_space() is not None


def why_no_gpu():
    """The sentence that says what failed where no GPU computes."""
    missing = isinstance(_failure, ModuleNotFoundError) and _failure.name == "cupy"
    what = "CuPy is not installed" if missing else f"{type(_failure).__name__}: {_failure}"
    return f"No GPU computes: {what.rstrip('.')}."


def set_target(target, number=0):
    """Make new arrays on the "CPU" or on the "GPU" of this number from now on."""
    global _target
    if target == "GPU":
        if not gpu_available():
            raise RuntimeError(why_no_gpu())
        _device_space().module.cuda.Device(number).use()
        memory_stats.watch(_device_space().module, number)
    _target = target


def allow_tf32(value, purpose="matmul"):
    """Lets a GPU make products of float32 in TF32, which has ten bits of precision, or not.

    GPUs before compute capability 8.0 have no TF32. Where CuPy multiplies itself, for want of
    cuBLAS, all products follow the variable CUPY_TF32, which it reads at its first one.

    Args:
        value (bool): whether they may be.
        purpose (str): "matmul", or "conv" for the products of which convolutions are made.

    Returns:
        bool, False if CuPy multiplies itself and has done so before: nothing changes any more.
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
    """`xp`, or where that is HOST and one of the arrays large, LARGE."""
    if xp is HOST and any([getattr(each, "nbytes", 0) >= Least.SPACE for each in arrays]):
        return LARGE
    return xp


def running_recorder():
    """The recorder of the step on the host that this thread runs; None for none, and within the
    calls that it notes."""
    find = find_recorder
    return None if find is None else find()


def current_space():
    """The functions of the device target in force."""
    recorder = running_recorder()
    if recorder is not None:
        return recorder.space
    return HOST if _target == "CPU" else _device_space()


def to_host(array):
    """The same values as a NumPy array (no copy where they are one already)."""
    return array if type(array) is numpy.ndarray else array.get()


def to_current(array):
    """The same values on the device target in force."""
    space = current_space()
    if space is SPACES.get(type(array)):
        return array
    return space.module.asarray(to_host(array))


def on_device(array):
    """True if the array lies in a GPU's memory."""
    kind = type(array)
    return kind is not numpy.ndarray and not getattr(kind, "of_host", False)


def number_of(array):
    """The only element of an array: a float, or of a GPU's a 0-d array there."""
    element = array.reshape(())
    return element if on_device(array) else float(element)


def to_space(space, array):
    """The same values as an array of `space`."""
    if SPACES.get(type(array)) is space:
        return array
    return to_host(array) if space is HOST else space.module.asarray(to_host(array))


def synchronize():
    """Waits until the GPU, if it is the device target in force, has done what it was given."""
    if _target == "GPU":
        _device_space().module.cuda.get_current_stream().synchronize()


def block(wanted=True):
    """Has operations on a GPU finished before their calls return, from now on, or not."""
    global blocking
    blocking = wanted
    _choose_direct()


def intercept(contexts):
    """Adds to the number of contexts that intercept or record operations; while there are any,
    every operation takes its general path, which looks for them."""
    global intercepting
    with _intercept_lock:
        intercepting += contexts
        _choose_direct()


def _choose_direct():
    """Sets which arrays take the straight-line call path (../_core/declare/call_path.py)."""
    wanted = {
        kind: space
        for kind, space in SPACES.items()
        if kind is space.module.ndarray
        and not intercepting
        and (kind is numpy.ndarray or not blocking)
    }
    for kind in DIRECT.keys() - wanted.keys():
        del DIRECT[kind]
    DIRECT.update(wanted)


def release_memory():
    """Gives the unused blocks of the GPU's memory pool back to the device."""
    if _target == "GPU":
        memory_stats.in_force().note()
        _device_space().module.get_default_memory_pool().free_all_blocks()
