"""A training step as a CUDA graph: its GPU work is captured once and then replayed.

Worked example. A step of a small network makes 75 kernel launches, and each costs the host more
time than the GPU. With

    captured = Capture(space)
    captured.rehearse(step)     # runs as usual, on the stream and in the memory of the capture
    results = captured.capture(step)     # runs nothing, records the launches
    captured.replay()     # one launch runs the whole step and overwrites `results`

the host makes one launch. The step must read and write the same addresses each time, so the caller
copies new inputs into the captured ones. Numbers passed to a launch are frozen in the graph, so a
number that changes must be stored on the GPU. `number` copies a Tensor on the host to the GPU, and
`draw` copies the seed and the offset of a random stream; each replay first updates these copies.
`constant` makes an array of numbers that the step writes out, as in `Tensor([0, 1])`.

During a capture nothing may be read from the GPU or copied from the host: CUDA refuses a read, and
a copy needs page-locked memory, which cannot be allocated meanwhile. The rehearsal before it fills
the memory pool of the capture and compiles the kernels.

Work of the step on the host, `on_host`, splits the capture: a replay launches the graph captured
so far, calls the function, and launches the next graph.

common/_graph_mode/steps.py decides which part of a training step is captured, and when.
"""

import contextlib
import gc

import numpy

from .. import arrays
from . import current
from .refused import Reason, Refused

MOST_CONSTANT = 1 << 12  # bytes of a list of numbers that is kept for a graph


class Capture:
    """A function of no arguments, as a graph of the current GPU.

    Args:
        space: the functions of the GPU's array library.

    Attributes:
        capturing (bool): whether launches are recorded instead of run.
        apart (Callable): calls a method outside the recording, given its arguments, in each replay;
            None: methods are captured.
    """

    apart = None

    def __init__(self, space):
        self.module, self._tables = space.module, space.tables
        self.stream = self.module.cuda.Stream(non_blocking=True)
        self.pool = self.module.cuda.MemoryPool()
        self.capturing = False
        self.on_host_of = []  # the objects whose functions run on the host in each replay
        self._graphs = []  # (a graph, the function that runs after it or None)
        self._numbers = {}  # id of a Tensor on the host -> its _Number
        self._read = set()  # the keys of the numbers that the last rehearsal read
        self._draws = {}  # stream of random numbers -> its _Draws
        self._never = None
        self._kept = []  # tables that the graphs may read

    # Running --------------------------------------------------------------------------------------

    def rehearse(self, function):
        """Runs the function on the stream, and in the memory, in which it will be captured."""
        self._refresh()
        read, self._read = self._read, set()
        try:
            with self._in_force():
                return function()
        finally:
            for key in read - self._read:  # such a Tensor may have moved to the GPU
                self._numbers.pop(key)

    def capture(self, function):
        """Records the GPU work of the function, and returns its results.

        Raises:
            Refused: if it cannot be captured. The GPU has run nothing then.
        """
        gc.collect()  # memory that reference cycles of the rehearsal still hold is needed now
        self._refresh()
        with self._in_force(), self._without_copies():
            self.capturing = True
            self._graphs = []
            try:
                self.stream.begin_capture()
                results = function()
                for draws in self._draws.values():
                    draws.note_advance()
                self._graphs.append((self.stream.end_capture(), None))
                self._kept = self._tables.arrays()
            except BaseException as error:
                self._abandon()
                if not isinstance(error, Exception):
                    raise
                reason = str(error) if type(error) is Refused else _in_words(error)
                raise Refused(reason) from error
            finally:
                self.capturing = False
        return results

    def replay(self):
        """Runs the captured work with the current numbers and random streams."""
        self._refresh()
        for graph, function in self._graphs:
            graph.launch()
            if function is not None:
                function()
        for draws in self._draws.values():
            draws.advance()

    def _abandon(self):
        with contextlib.suppress(Exception):  # this repeats the error that invalidated the capture
            self.stream.end_capture()
        for draws in self._draws.values():
            draws.go_back()

    @contextlib.contextmanager
    def _in_force(self):
        """A context in which work is submitted to the capture's stream and memory comes from its
        pool.

        The capture's stream waits for the previous one at the start, and the reverse at the end.
        Garbage collection is off: a cycle may hold another graph, and a capture must not free one.
        """
        cuda = self.module.cuda
        outer, before = cuda.get_current_stream(), current.running()
        self.stream.wait_event(outer.record())
        current.set_running(self)
        collects = gc.isenabled()
        gc.disable()
        try:
            with cuda.using_allocator(self.pool.malloc), self.stream:
                yield
        finally:
            current.set_running(before)
            if collects:
                gc.enable()
            outer.wait_event(self.stream.record())

    @contextlib.contextmanager
    def _without_copies(self):
        """A context in which this thread gets no page-locked memory, so that CuPy cannot copy from
        the host: the attempt raises Refused. Other threads are not affected."""
        cuda, pool = self.module.cuda, self.module.get_default_pinned_memory_pool()

        def allocate(size):
            if current.running() is self:
                raise Refused(Reason.HOST_COPY)
            return pool.malloc(size)

        cuda.set_pinned_memory_allocator(allocate)
        try:
            yield
        finally:
            cuda.set_pinned_memory_allocator(pool.malloc)

    # What a step asks of it -----------------------------------------------------------------------

    def refuse(self, reason):
        """Raises Refused with `reason` if the step is being captured; does nothing in a
        rehearsal."""
        if self.capturing:
            raise Refused(reason)

    def on_host(self, owner, function):
        """Runs a function that waits for the GPU. During a capture, the function is not run but
        recorded, and each replay runs it.

        Args:
            owner: the object that the function belongs to; values on the host that are reachable
                from it are not treated as constant.
            function: takes and returns nothing, and changes values in place.
        """
        if not any(owner is other for other in self.on_host_of):
            self.on_host_of.append(owner)
        if self.capturing:
            self._graphs.append((self.stream.end_capture(), function))
            self.stream.begin_capture()
            return
        current.set_running(None)
        try:
            function()
        finally:
            current.set_running(self)

    def never(self):
        """Returns a flag on the GPU that is False."""
        if self._never is None:
            self._never = self.module.zeros((), bool)
        return self._never

    def constant(self, array):
        """Returns numbers that the step writes out, in an array on the host, as an array on the
        GPU. The rehearsal puts them into a table, and the graph copies the table."""
        if array.nbytes > MOST_CONSTANT:
            return self.module.asarray(array)
        return self._tables.array(_from_bytes, array.tobytes(), array.dtype, array.shape).copy()

    def number(self, tensor):
        """Returns the only element of a Tensor (usually on the host) as a 0-d array on the GPU,
        which is updated between steps."""
        copy = self._numbers.get(id(tensor))
        if copy is None:
            self.refuse(Reason.HOST_NUMBER)
            copy = self._numbers[id(tensor)] = _Number(self.module, tensor)
        self._read.add(id(tensor))
        return copy.array

    def follows(self, tensor):
        """Returns True if replays use the current value of this Tensor."""
        return id(tensor) in self._numbers

    def draw(self, stream):
        """Returns the seed and the offset of a random stream as 0-d arrays of the GPU, and the
        number of earlier draws from the stream in this step."""
        draws = self._draws.get(stream)
        if draws is None:
            self.refuse(Reason.NEW_DRAWS)
            draws = self._draws[stream] = _Draws(self.module, stream)
        elif not draws.covers(stream):
            self.refuse(Reason.RESTARTED_STREAM)
            draws.refresh()
        return draws.seed, draws.offset, stream.offset - draws.start

    def _refresh(self):
        for copy in (*self._numbers.values(), *self._draws.values()):
            copy.refresh()


class _Number:
    """A Tensor on the host with one element, and its copy on the GPU."""

    def __init__(self, module, tensor):
        self.tensor = tensor
        self.array = module.empty((), tensor._array.dtype)
        self._last = None
        self.refresh()

    def refresh(self):
        """Updates the copy; the number is passed by value, so the host does not wait."""
        value = self.tensor._array.reshape(())
        if arrays.on_device(value):
            self.array[...] = value
            self._last = None
        elif self._last is None or value != self._last:
            self.array.fill(value[()])
            self._last = value.copy()


class _Draws:
    """A random stream on the host, and copies of its seed and its offset on the GPU."""

    def __init__(self, module, stream):
        self.stream = stream
        self.seed, self.offset = (module.empty((), numpy.uint64) for _ in range(2))
        self._state = None  # (seed, offset) as last written to the GPU
        self._advance = 0
        self.refresh()

    def refresh(self):
        """Copies the stream's seed and offset to the GPU if they have changed, and takes the offset
        as the start of the step."""
        state = self.stream.state()
        self.start = state[1]
        if state != self._state:
            for array, value in zip((self.seed, self.offset), state, strict=True):
                array.fill(numpy.uint64(value & (1 << 64) - 1))
            self._state = state

    def covers(self, stream):
        """Returns True if the stream has only advanced since the start of the step."""
        return stream.seed == self._state[0] and stream.offset >= self.start

    def note_advance(self):
        """Captures the addition that advances the offset on the GPU, by the number of draws of the
        captured step. Then sets the host's offset back, because the step has not run yet."""
        self._advance = self.stream.offset - self.start
        if self._advance:
            self.offset += numpy.uint64(self._advance)
        self.go_back()

    def go_back(self):
        """Sets the host's offset back to the start of the step."""
        self.stream.offset = self.start

    def advance(self):
        """Advances the host's offset by as much as a replay advanced the GPU's."""
        self.stream.offset += self._advance
        self._state = self.stream.state()


def _from_bytes(values, dtype, shape):
    return numpy.frombuffer(values, dtype).reshape(shape)


def _in_words(error):
    text = f"{type(error).__name__}: {error}"
    if "StreamCapture" in text:
        return Reason.WAIT.format(text)
    return text
