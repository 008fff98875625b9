"""CUDA graphs of the stand-in: what may be done during a capture, and replays.

    stream.begin_capture()          # with `stream` as the current stream
    y = x + 1                       # recorded, not executed
    graph = stream.end_capture()
    graph.launch()                  # executed, in the memory of `x` and `y`

During a capture a stream rejects what CUDA rejects: waiting, reading a value, copies to or from
host memory, work on another stream, memory that the current pool does not have yet. A rejected call
invalidates the capture, as on a device. To learn shapes, the stand-in does compute during the
capture. At the end it restores the previous memory contents, and makes memory allocated during the
capture unreadable. A replay repeats the recorded work. Memory allocated during a capture belongs to
the pool, and stays for later graphs of the same pool. A graph does not keep other memory alive: a
replay that finds it freed fails, whereas a device would read arbitrary data.
"""

import contextlib
import ctypes
import threading
import weakref

import numpy

from . import arrays, counting


class CUDARuntimeError(RuntimeError):
    """An error of the CUDA runtime."""


class _State(threading.local):
    """The graph that this thread is capturing, and the pools set by `using_allocator`."""

    graph = None
    pools = ()


state = _State()
UNIT = 512  # a pool hands out whole multiples of this many bytes


def watched():
    """Returns True if this thread captures its calls, or allocates from a pool of its own."""
    return state.graph is not None or bool(state.pools)


def refuse(what):
    """Raises an error for a call that CUDA rejects while this thread captures a stream."""
    if state.graph is not None:
        state.graph.spoilt = True
        raise CUDARuntimeError(
            f"cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing: "
            f"{what}"
        )


def begin(run, arguments, keywords):
    """Prepares a call that may be captured. Returns a function that notes the call, given its
    result and the new arrays in it."""
    graph = state.graph
    if graph is None:
        return lambda found, new: None
    given = graph.taken(arguments), graph.taken(keywords)
    return lambda found, new: graph.note(run, *given, found, new)


def allocate(new):
    """Takes the memory of new arrays from the current pool."""
    if state.graph is not None:
        state.graph.own(new)
    if state.pools:
        for memory in {id(owner(each._host)): owner(each._host) for each in new}.values():
            state.pools[-1].take(memory)
    elif new:
        refuse("cudaMalloc")


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Takes memory from the pool whose `malloc` is given, in this thread."""
    before = state.pools
    pool = getattr(allocator, "__self__", None)
    state.pools = (*before, pool) if isinstance(pool, MemoryPool) else ()
    try:
        yield
    finally:
        state.pools = before


class MemoryPool:
    """A pool: how much of the device's memory it has, and how much of that is in use."""

    def __init__(self, allocator=None):
        self._limit = 0
        self._used = self._total = 0
        self.captured = {}  # memory that was allocated during captures, by its address

    def malloc(self, size):
        return bytearray(size)

    def take(self, memory):
        """Gives memory to a new array; the pool asks the device for more if none is free."""
        size = -(-memory.nbytes // UNIT) * UNIT
        if self._used + size > self._total:
            refuse("cudaMalloc")
            self._total = self._used + size
        self._used += size
        weakref.finalize(memory, _give_back, weakref.ref(self), size)

    def used_bytes(self):
        return self._used

    def total_bytes(self):
        return self._total

    def free_bytes(self):
        return self._total - self._used

    def n_free_blocks(self):
        return int(self._total > self._used)

    def get_limit(self):
        return self._limit

    def set_limit(self, size=None, fraction=None):
        self._limit = size or 0

    def free_all_blocks(self, stream=None):
        refuse("cudaFree")
        self._total = self._used


def _give_back(pool, size):
    if pool() is not None:
        pool()._used -= size


class Graph:
    """The calls submitted to a stream during a capture, for replays."""

    def __init__(self, stream):
        self.spoilt = False
        self.streams = {stream}  # the one captured, and those that waited for an event of it
        self.stream = stream
        self.pool = weakref.ref(state.pools[-1]) if state.pools else None
        self._own = []  # memory that was allocated meanwhile
        self._of_pool = state.pools[-1].captured if state.pools else {}
        self._before = {}  # id -> (weak reference to older memory, its values at the first use)
        self._calls = []

    def own(self, new):
        """Keeps the memory of arrays that are allocated during the capture. The arrays do not own
        it, so the pool counts it as free once they are deleted."""
        lent_of = {}
        for array in new:
            memory = owner(array._host)
            if memory.size:
                self._own.append(memory)
                self._of_pool[address(memory)] = memory
                lent = lent_of.setdefault(id(memory), numpy.frombuffer(*_bytes(memory)[:2]))
                start = address(array._host) - address(lent)
                array._host = numpy.ndarray(array.shape, array.dtype, lent, start, array.strides)

    def use(self, host):
        """Notes memory that a call uses."""
        memory = owner(host)
        if address(memory) not in self._of_pool and id(memory) not in self._before:
            self._before[id(memory)] = weakref.ref(memory), memory.copy()

    def taken(self, value):
        """Returns an argument for the replays. An older array is replaced by one that does not keep
        its memory alive."""
        if isinstance(value, arrays.ndarray):
            self.use(value._host)
            return _without_memory(value)
        if isinstance(value, numpy.ndarray):
            return value.copy()  # what is passed by value
        if type(value) in (tuple, list):
            return type(value)(map(self.taken, value))
        if type(value) is dict:
            return {key: self.taken(each) for key, each in value.items()}
        return value

    def note(self, run, arguments, keywords, found, new):
        """Records a call and the arrays that its replay fills."""
        if state.graph is self:
            made = {id(each) for each in new}
            filled = [_without_memory(each) if id(each) in made else None for each in flat([found])]
            self._calls.append((run, arguments, keywords, filled))

    def finish(self):
        """Restores the memory that the calls changed during the capture."""
        for memory, values in self._before.values():
            there = memory()
            if there is not None and there.flags.writeable:
                there[...] = values
        for memory in self._own:
            if memory.flags.writeable and memory.dtype.kind == "f":
                memory.fill(numpy.nan)

    def upload(self, stream=None):
        pass  # it lies on the device already

    def launch(self, stream=None):
        """Does the captured work again."""
        refuse("a launch of a graph")
        if self.pool is not None and self.pool() is None:
            raise CUDARuntimeError("cudaErrorIllegalAddress: the memory of the graph is freed")
        if any(memory() is None for memory, _ in self._before.values()):
            raise CUDARuntimeError("cudaErrorIllegalAddress: memory that the graph uses is freed")
        counting.note("launches", "graph")
        with counting.quiet():
            for run, arguments, keywords, filled in self._calls:
                found = flat([run(*arguments, **keywords)])
                for output, values in zip(filled, found, strict=True):
                    if output is not None:
                        output._host[...] = values._host


def flat(values):
    """Returns the arrays of the stand-in in nested sequences."""
    found = []
    for value in values:
        if isinstance(value, arrays.ndarray):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += flat(value)
    return found


def owner(host):
    """Returns the NumPy array that owns the memory of `host`."""
    while isinstance(host.base, numpy.ndarray):
        host = host.base
    return host


def address(host):
    """Returns the address of the first element of a NumPy array."""
    return host.__array_interface__["data"][0]


def borrowed(host):
    """Returns a NumPy array on the same memory that does not keep the memory alive."""
    memory, _, start = _bytes(host)
    return numpy.ndarray(host.shape, host.dtype, memory, start, host.strides)


def _bytes(host):
    """Returns the bytes that a NumPy array spans, their dtype, and the offset of the first
    element."""
    reach = [(n - 1) * step for n, step in zip(host.shape, host.strides, strict=True)]
    before, behind = sum(min(each, 0) for each in reach), sum(max(each, 0) for each in reach)
    size = behind - before + host.itemsize
    memory = (ctypes.c_char * size).from_address(address(host) + before)
    return memory, numpy.uint8, -before


def _without_memory(array):
    """Returns an array on the same memory that does not keep the memory alive."""
    if not array.size:
        return array
    made = object.__new__(arrays.ndarray)
    made._host = borrowed(array._host)
    return made
