"""Builds the stand-in's modules from the census: cupy, cupy.cuda, cupy.random, cupyx and their
submodules.

A census name that is not implemented raises NotImplementedError when it is used, so that `hasattr`
and typing errors stay correct. A name outside the census raises AttributeError, as in the real
wheel.
"""

import functools
import importlib.machinery
import threading
import time
import types

import numpy
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special

from . import arrays, counting, functions, graphs, kernels, listing, rawkernels, solvers, timeline
from .arrays import FUNCTIONS, UFUNCS, ndarray, unwrap, wrap
from .graphs import CUDARuntimeError, Graph, MemoryPool

HOSTS = {
    "cupy": numpy,
    "cupy.linalg": numpy.linalg,
    "cupy.fft": scipy.fft,
    "cupyx.scipy.special": scipy.special,
    "cupyx.scipy.linalg": scipy.linalg,
    "cupyx.scipy.ndimage": scipy.ndimage,
    "cupyx.scipy.signal": scipy.signal,
    "cupyx.scipy.fft": scipy.fft,
    "cupy.lib": numpy.lib,
    "cupy.lib.stride_tricks": numpy.lib.stride_tricks,
}
OLD_NAMES = {
    "row_stack": "vstack",
    "round_": "round",
    "alltrue": "all",
    "sometrue": "any",
    "product": "prod",
    "cumproduct": "cumprod",
    "in1d": "isin",
    "trapz": "trapezoid",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "float_": "float64",
    "complex_": "complex128",
    "cfloat": "complex128",
    "singlecomplex": "complex64",
}
HOST_ONLY = {
    "ndarray",
    "ufunc",
    "nditer",
    "vectorize",
    "poly1d",
    "DataSource",
    "flatiter",
    "broadcast",
}


# -- devices


class Device:
    """The one device of the stand-in."""

    def __init__(self, device=None):
        self.id = int(device or 0)
        if self.id != 0:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self.compute_capability = "90"
        self.mem_info = (64 << 30, 80 << 30)
        self.attributes = {"MultiProcessorCount": 132}
        self.pci_bus_id = "0000:00:00.0"

    def use(self):
        pass  # there is no other

    def synchronize(self):
        counting.note("synchronisations", "Device.synchronize")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


class Stream:
    """A stream that executes its work at once. timeline.py simulates the times on a device."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=0):
        self.ptr, self.device_id, self.priority = 0 if null else id(self), 0, priority

    @property
    def done(self):
        graphs.refuse("cudaStreamQuery")
        return True

    def begin_capture(self, mode=None):
        """Starts a capture: later work on the stream is recorded and not executed."""
        if self is Stream.null:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        graphs.refuse("a second capture")
        graphs.state.graph = Graph(self)

    def end_capture(self):
        """Returns the graph of the recorded calls."""
        if graphs.state.graph is None or graphs.state.graph.stream is not self:
            raise CUDARuntimeError("cudaErrorIllegalState: the stream is not captured")
        graph, graphs.state.graph = graphs.state.graph, None
        graph.finish()
        if graph.spoilt:
            raise CUDARuntimeError(
                "cudaErrorStreamCaptureInvalidated: operation failed due to a previous error "
                "during capture"
            )
        return graph

    def is_capturing(self):
        """Returns whether the stream itself is captured."""
        graph = graphs.state.graph
        if graph is None or graph.stream is not self:
            return False
        if graph.spoilt:
            raise RuntimeError("an error has invalidated the capture sequence")
        return True

    def use(self):
        CURRENT.streams[-1] = self
        return self

    def synchronize(self):
        counting.note("synchronisations", "Stream.synchronize")
        for line in timeline.each():
            line.wait(line.done(self))

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        if event.graph is not None and event.graph is graphs.state.graph:
            event.graph.streams.add(self)
        for line in timeline.each():
            line.hold(self, event.at.get(line, 0.0))

    def launch_host_func(self, callback, arg):
        callback(arg)

    def __enter__(self):
        CURRENT.streams.append(self)
        return self

    def __exit__(self, *error):
        CURRENT.streams.remove(self)


def copy_on(stream, name, size, waits):
    """Adds a copy to the timeline of a stream, by default of the current one."""
    stream = CURRENT.streams[-1] if stream is None else stream
    for line in timeline.each():
        line.give(stream, name, size)
        if waits:
            line.wait(line.done(stream))


def launch_on_current(name):
    """Adds a launch to the timeline of the current stream."""
    graph = graphs.state.graph
    if graph is not None and CURRENT.streams[-1] not in graph.streams:
        graphs.refuse(f"{name} on another stream than the one that is captured")
    for line in timeline.each():
        line.give(CURRENT.streams[-1], name, 1)


class Event:
    """An event that has happened."""

    ptr, graph = 1, None  # the graph with which it was captured

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.disable_timing, self.time, self.at = disable_timing, None, {}

    @property
    def done(self):
        graphs.refuse("cudaEventQuery")
        return True

    def record(self, stream=None):
        self.time = time.perf_counter()
        stream = CURRENT.streams[-1] if stream is None else stream
        graph = graphs.state.graph
        self.graph = graph if graph is not None and stream in graph.streams else None
        self.at = {line: line.done(stream) for line in timeline.each()}

    def synchronize(self):
        counting.note("synchronisations", "Event.synchronize")
        for line in timeline.each():
            line.wait(self.at.get(line, 0.0))


Stream.null = Stream(null=True)


class _Current(threading.local):
    """The current streams of this thread, the innermost last."""

    def __init__(self):
        self.streams = [Stream.null]


CURRENT = _Current()
FUNCTIONS["streams"] = {"copy": copy_on, "launch": launch_on_current}
POOL, PINNED = MemoryPool(), MemoryPool()
ALLOCATORS, PINNED_ALLOCATORS = [POOL.malloc], [PINNED.malloc]
RUNTIME = {
    "getDeviceCount": lambda: 1,
    "getDevice": lambda: 0,
    "setDevice": lambda device: Device(device) and None,
    "deviceSynchronize": lambda: counting.note("synchronisations", "deviceSynchronize"),
    "memGetInfo": lambda: (64 << 30, 80 << 30),
    "runtimeGetVersion": lambda: 13000,
    "driverGetVersion": lambda: 13000,
    "CUDARuntimeError": CUDARuntimeError,
    "is_hip": False,
    "getDeviceProperties": lambda device: {
        "name": b"stand-in",
        "totalGlobalMem": 80 << 30,
        "major": 9,
        "minor": 0,
        "multiProcessorCount": 132,
        "warpSize": 32,
        "maxThreadsPerBlock": 1024,
        "sharedMemPerBlock": 49152,
    },
}
CUDA = {
    "Device": Device,
    "Stream": Stream,
    "Event": Event,
    "MemoryPool": MemoryPool,
    "Graph": Graph,
    "alloc_pinned_memory": lambda size: PINNED_ALLOCATORS[-1](size),
    "is_available": lambda: True,
    "get_current_stream": lambda device_id=-1: CURRENT.streams[-1],
    "get_device_id": lambda: 0,
    "get_elapsed_time": lambda start_event, end_event: 1000 * (end_event.time - start_event.time),
    "get_allocator": lambda: ALLOCATORS[-1],
    "set_allocator": lambda allocator=None: ALLOCATORS.__setitem__(-1, allocator),
    "set_pinned_memory_allocator": lambda allocator=None: PINNED_ALLOCATORS.__setitem__(
        -1, allocator
    ),
    "using_allocator": graphs.using_allocator,
}


# -- random numbers: the host's generators, in the requested types


UNCHECKED = {"standard_gamma": "shape", "poisson": "lam"}  # parameters that may be below 0 there


def drawn(name, line):
    """Returns a method of RandomState or Generator that returns a device array of `dtype`."""
    listed = listing.signature(line)

    def draw(self, *arguments, **keywords):
        bound = listing.bind(name, listed, arguments, keywords)
        dtype, rest = bound.pop("dtype", None), unwrap(bound.pop("*", ()))
        named = {key: unwrap(value) for key, value in bound.items()}
        if name in UNCHECKED:
            named[UNCHECKED[name]] = numpy.nan_to_num(abs(named[UNCHECKED[name]]))
        found = getattr(self._host, name)(*rest, **named)
        return wrap(found if dtype is None else numpy.asarray(found, dtype))

    return counting.through(name, draw)


def shuffle(self, a):
    self._host.shuffle(a._host)


def permutation(self, a):
    return wrap(self._host.permutation(unwrap(a)))


def generator_class(name, make):
    """Returns a class with the methods that the census lists for `cupy.random.<name>`."""

    def __init__(self, seed=None, *rest):
        self._host = make(seed)

    listed = listing.census()["classes"][f"cupy.random.{name}"]
    members = {"__init__": __init__, "__module__": "cupy.random"}
    own = {"shuffle": shuffle, "permutation": permutation}
    members |= {key: method for key, method in own.items() if key in listed}
    for key, line in listed.items():
        if line.startswith("method (") and key not in members and hasattr(make(0), key):
            members[key] = drawn(key, line)
    return type(name, (), members)


def seeded(seed):
    """Returns a host generator for a seed or for a bit generator of the stand-in."""
    return numpy.random.default_rng(getattr(seed, "seed", seed))


class XORWOW:
    """A bit generator: it only carries its seed here."""

    def __init__(self, seed=None, *, size=-1):
        self.seed = seed


# -- the modules


class Module(types.ModuleType):
    """A module whose names are those of the census."""

    def __getattr__(self, name):
        if name in listing.census()["modules"].get(self.__name__, {}):
            raise NotImplementedError(
                f"{self.__name__}.{name} exists in CuPy, but not yet in the stand-in"
            )
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")


def function_or_value(path, name, line, host):
    """Returns the function or value that one line of the census names, or None."""
    theirs = getattr(host, OLD_NAMES.get(name, name), None)
    if line.startswith("ufunc"):
        _, nin, nout, *loops = line.split()
        found = OWN_UFUNCS.get(name) or theirs or getattr(scipy.special, name, None)
        return found and functions.ufunc(name, int(nin), int(nout), loops, found)
    if path == "cupy.linalg" and name in solvers.OWN:
        return counting.through(name, solvers.OWN[name])
    if path == "cupy" and name in functions.OWN:
        own = functions.OWN[name]
        return own if name == "asnumpy" else counting.through(name, own)  # `get` is counted
    if theirs is None or name in HOST_ONLY:
        return None
    if line.startswith("function ("):
        if not callable(theirs):
            return None
        return counting.through(name, functions.function(name, line, theirs))
    plain = (
        isinstance(theirs, type)
        or not callable(theirs)
        and not isinstance(theirs, types.ModuleType)
    )
    return theirs if line in ("class", "value") and plain else None


def fmod(x, y):
    """Computes the remainder as CuPy does, in float64 for integers."""
    if x.dtype.kind == "f":
        return numpy.fmod(x, y)
    found = numpy.fmod(x.astype(numpy.float64), y.astype(numpy.float64))
    return numpy.where(y == 0, 0, found).astype(x.dtype)


OWN_UFUNCS = {"rsqrt": lambda x: 1 / numpy.sqrt(x), "rint": numpy.rint, "fmod": fmod}


def build():
    """Returns every module of the stand-in, by its path."""
    census = listing.census()
    made = {}
    for path in ("cupy", *census["modules"], "cupyx.scipy", "cupy.random._generator"):
        made.setdefault(path, Module(path))
    for path, module in made.items():
        FUNCTIONS[path] = vars(module)
        for name, line in census["modules"].get(path, {}).items():
            found = function_or_value(path, name, line, HOSTS.get(path))
            if found is not None:
                setattr(module, name, found)
                if isinstance(found, functions.ufunc):
                    UFUNCS[name] = found
    arrays.complete(census)
    furnish(made)
    for path in sorted(made):
        parent, _, last = path.rpartition(".")
        if parent:
            setattr(made[parent], last, made[path])
    for path, module in made.items():
        module.__path__ = []
        module.__spec__ = importlib.machinery.ModuleSpec(path, None, is_package=True)
    return made


def memoize(for_each_device=False):
    """Caches a function's results by its arguments."""
    return functools.lru_cache(maxsize=None)


def furnish(made):
    """Adds the names that are not copies of the host's functions."""
    cupy, cupyx = made["cupy"], made["cupyx"]
    cupy.AxisError, cupy.memoize = numpy.exceptions.AxisError, memoize
    cupy.__version__ = listing.census()["versions"]["cupy"]
    cupy.ndarray, cupy.ufunc, cupy.newaxis = ndarray, functions.ufunc, None
    for home, name in (
        (kernels, "ElementwiseKernel"),
        (kernels, "ReductionKernel"),
        (rawkernels, "RawKernel"),
        (rawkernels, "RawModule"),
    ):
        setattr(cupy, name, getattr(home, name))
    cupy.get_default_memory_pool = lambda: POOL
    cupy.get_default_pinned_memory_pool = lambda: PINNED
    cupy.is_available = lambda: True
    FUNCTIONS["module"] = cupy
    vars(made["cupy.cuda"]).update(CUDA)
    vars(made["cupy.cuda.runtime"]).update(RUNTIME)
    furnish_random(made["cupy.random"])
    for name, ufunc in (
        ("scatter_add", numpy.add),
        ("scatter_max", numpy.maximum),
        ("scatter_min", numpy.minimum),
    ):
        setattr(
            cupyx,
            name,
            counting.through(
                name, lambda a, slices, value, ufunc=ufunc: a._scatter(ufunc, slices, value)
            ),
        )
    cupyx.rsqrt, cupyx.errstate = UFUNCS["rsqrt"], solvers.errstate


def furnish_random(module):
    """Fills cupy.random: classes, and the functions of the module's own RandomState."""
    module.RandomState = generator_class("RandomState", numpy.random.RandomState)
    module.Generator = generator_class("Generator", seeded)
    module.XORWOW = module.Philox4x3210 = module.MRG32k3a = XORWOW
    module.default_rng = lambda seed=None: module.Generator(seed)
    state = [module.RandomState()]
    module.get_random_state = lambda: state[0]
    module.set_random_state = lambda rs: state.__setitem__(0, rs)
    module.seed = lambda seed=None: state.__setitem__(0, module.RandomState(seed))
    for name, line in listing.census()["modules"]["cupy.random"].items():
        method = {
            "random": "random_sample",
            "ranf": "random_sample",
            "sample": "random_sample",
        }.get(name, name)
        if (
            line.startswith("function")
            and hasattr(module.RandomState, method)
            and name not in vars(module)
        ):
            setattr(module, name, lambda *a, method=method, **k: getattr(state[0], method)(*a, **k))
