"""A training step as a CUDA graph: what it gives to a GPU is captured once, and then replayed.

Worked example. A step of a small network is 75 launches, each of which costs its host more time
than it costs the GPU. With

    captured = Capture(space)
    captured.rehearse(step)     # done as always, but on the stream and in the memory of the capture
    made = captured.capture(step)     # nothing is done, each launch is noted
    captured.replay()     # one launch does all of it; `made` is written anew

the host makes one. Whatever the step reads and writes has to lie at the same place each time: the
caller copies new inputs into those that were captured. What a launch is given as a number stays
what it was, so a number that changes has to lie on the GPU. `number` puts a Tensor of the host
there, and `draw` the seed and the offset of a stream of random numbers; each replay brings both up
to date first.

While a step is captured, nothing may be read from the GPU or copied from the host. CUDA refuses the
one. The other ends in page-locked memory, whose allocator refuses for as long. The rehearsal sees
to it that the pool of the capture has memory for all of it, and that kernels are compiled.

What a step does on the host, `on_host`, divides the capture: each replay launches the graph of what
comes before, calls the function, and launches the next graph.

What is captured of a training step, and when, is decided in common/_graph_mode/steps.py.
"""

import contextlib
import gc

import numpy

from .. import arrays
from . import current


class Capture:
    """A function of no arguments, as a graph of the GPU in force.

    Args:
        space: the functions of the GPU's array library.

    Attributes:
        capturing (bool): whether launches are noted instead of made.
        apart (Callable): calls a method, given its arguments, that runs as always in each replay;
            None: it is captured.
    """

    apart = None

    def __init__(self, space):
        self.module = space.module
        self.stream = self.module.cuda.Stream(non_blocking=True)
        self.pool = self.module.cuda.MemoryPool()
        self.capturing = False
        self.on_host_of = []  # the objects whose functions run on the host in each replay
        self._graphs = []  # (a graph, the function that runs behind it or None)
        self._numbers = {}  # id of a Tensor of the host -> its _Number
        self._read = set()  # the keys of those that the last rehearsal read
        self._draws = {}  # stream of random numbers -> its _Draws
        self._never = None

    # Running --------------------------------------------------------------------------------------

    def rehearse(self, function):
        """Runs the function on the stream, and in the memory, in which it will be captured."""
        self._refresh()
        read, self._read = self._read, set()
        try:
            with self._in_force():
                return function()
        finally:
            for key in read - self._read:  # by now it may lie on the GPU itself
                self._numbers.pop(key)

    def capture(self, function):
        """Notes what the function gives to the GPU, and returns what it returns.

        Raises:
            Refused: it cannot be captured. Nothing has been done on the GPU.
        """
        gc.collect()  # what a cycle of references holds of the rehearsal is needed now
        self._refresh()
        with self._in_force(), self._without_copies():
            self.capturing = True
            self._graphs = []
            try:
                self.stream.begin_capture()
                made = function()
                for draws in self._draws.values():
                    draws.note_advance()
                self._graphs.append((self.stream.end_capture(), None))
            except BaseException as error:
                self._abandon()
                if not isinstance(error, Exception):
                    raise
                reason = str(error) if type(error) is current.Refused else _in_words(error)
                raise current.Refused(reason) from error
            finally:
                self.capturing = False
        return made

    def replay(self):
        """Does what was captured, with the numbers and the random streams as they are now."""
        self._refresh()
        for graph, function in self._graphs:
            graph.launch()
            if function is not None:
                function()
        for draws in self._draws.values():
            draws.advance()

    def _abandon(self):
        with contextlib.suppress(Exception):  # it says once more what spoilt the capture
            self.stream.end_capture()
        for draws in self._draws.values():
            draws.go_back()

    @contextlib.contextmanager
    def _in_force(self):
        """Within it work goes to the capture's stream and memory comes from its pool; the stream
        that was in force before comes first, and waits for it afterwards. Nothing is collected
        meanwhile: what a cycle holds may be another graph, which is not to be freed in a capture.
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
        """Within it this thread is given no page-locked memory, through which CuPy copies from the
        host; other threads are."""
        cuda, pool = self.module.cuda, self.module.get_default_pinned_memory_pool()

        def allocate(size):
            if current.running() is self:
                raise current.Refused("a copy from the host's memory")
            return pool.malloc(size)

        cuda.set_pinned_memory_allocator(allocate)
        try:
            yield
        finally:
            cuda.set_pinned_memory_allocator(pool.malloc)

    # What a step asks of it -----------------------------------------------------------------------

    def refuse(self, reason):
        """Ends the capture for a reason; a rehearsal goes on."""
        if self.capturing:
            raise current.Refused(reason)

    def on_host(self, owner, function):
        """Runs a function that waits for the GPU, or will in each replay; not while capturing.

        Args:
            owner: the object whose function it is; nothing of the host that is reached from there
                is taken for constant.
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
        """A flag on the GPU that does not hold."""
        if self._never is None:
            self._never = self.module.zeros((), bool)
        return self._never

    def number(self, tensor):
        """The only element of a Tensor, most often of the host, as a 0-d array of the GPU that
        follows it between steps."""
        found = self._numbers.get(id(tensor))
        if found is None:
            self.refuse("a number of the host that the rehearsal did not read")
            found = self._numbers[id(tensor)] = _Number(self.module, tensor)
        self._read.add(id(tensor))
        return found.array

    def follows(self, tensor):
        """True if replays follow the value of this Tensor."""
        return id(tensor) in self._numbers

    def draw(self, stream):
        """The seed and the offset of a random stream as 0-d arrays of the GPU, and how many draws
        of the stream came before this one in the step."""
        found = self._draws.get(stream)
        if found is None:
            self.refuse("random numbers that the rehearsal did not draw")
            found = self._draws[stream] = _Draws(self.module, stream)
        elif not found.covers(stream):
            self.refuse("a random stream that is started anew in the step")
            found.refresh()
        return found.seed, found.offset, stream.offset - found.start

    def _refresh(self):
        for each in (*self._numbers.values(), *self._draws.values()):
            each.refresh()


class _Number:
    """A Tensor of the host with one element, and its copy on the GPU."""

    def __init__(self, module, tensor):
        self.tensor = tensor
        self.array = module.empty((), tensor._array.dtype)
        self._last = None
        self.refresh()

    def refresh(self):
        """Brings the copy up to date; a number is passed by value, so nothing is waited for."""
        value = self.tensor._array.reshape(())
        if arrays.on_device(value):
            self.array[...] = value
            self._last = None
        elif self._last is None or value != self._last:
            self.array.fill(value[()])
            self._last = value.copy()


class _Draws:
    """A random stream of the host, and its seed and offset on the GPU."""

    def __init__(self, module, stream):
        self.stream = stream
        self.seed, self.offset = (module.empty((), numpy.uint64) for _ in range(2))
        self._state = None  # what is on the GPU
        self._advance = 0
        self.refresh()

    def refresh(self):
        """Brings the GPU up to date, at the start of a step."""
        state = self.stream.state()
        self.start = state[1]
        if state != self._state:
            for array, value in zip((self.seed, self.offset), state, strict=True):
                array.fill(numpy.uint64(value & (1 << 64) - 1))
            self._state = state

    def covers(self, stream):
        """True if the stream has only gone on since the start of the step."""
        return stream.seed == self._state[0] and stream.offset >= self.start

    def note_advance(self):
        """Has a replay move the offset on the GPU on, by as much as the step moved the host's."""
        self._advance = self.stream.offset - self.start
        if self._advance:
            self.offset += numpy.uint64(self._advance)
        self.go_back()

    def go_back(self):
        """Sets the host's offset back to the start of the step."""
        self.stream.offset = self.start

    def advance(self):
        """Moves the host's offset on, as a replay did the GPU's."""
        self.stream.offset += self._advance
        self._state = self.stream.state()


def _in_words(error):
    text = f"{type(error).__name__}: {error}"
    if "StreamCapture" in text:
        return f"a wait for the GPU, or a value read from it ({text})"
    return text
