"""JIT compilation of loops for the host by Numba, if it is installed (the extra `fast`).

NumPy writes every intermediate array of a formula to memory; a compiled loop reads each array once
and keeps the rest in registers. Two kinds of loops come from traced formulas (bodies/symbols.py):
updates of optimizers, below, and bodies of operators (bodies/host.py).

The loop of an optimizer is bitwise equal to NumPy: only formulas of operations that IEEE 754 rounds
correctly are compiled, without contraction or reordering. Loops of operators call the functions of
vector_math.py and sum in another order, so their results differ from NumPy's by rounding. The order
of a sum depends on shapes alone, so repeated calls give the same bits with any number of threads.

The first request of a loop loads it from the disk cache (machine_code.py), in some milliseconds. If
the cache does not have it, a thread has it compiled in another process (compiler.py), which stores
it there. That takes time from a program whose threads use all cores, so beside such a program it
starts late. Until a loop is ready NumPy computes, so an operator's results may change by rounding
early in a process. With the environment variable MINDSPORE_COMPAT_COMPILE set to "wait", the first
call waits for its loop, which this process compiles; "off" disables all loops. This process imports
Numba only to compile. A forked process runs the loops that were ready before the fork, and loads
and compiles none.
"""

import __future__

import functools
import hashlib
import importlib.util
import inspect
import logging
import math
import os
import sys
import threading
import time
import types

import numpy

from ..elementwise import texts
from ..starting import Thread
from . import disk_cache, machine_code, vector_math
from .compiler import Compiler

EXPRESSIONS = texts(lambda primitive: primitive.exact and primitive.loop)
MOST_CHECKS = 8  # pairs of arrays that LLVM checks for overlap; with more it gives up vectors
BLOCK = 1 << 15  # elements that one task of a loop handles
LEAST_ROOM = 1 << 29  # bytes of address space without which nothing is compiled
PATIENCE = 1.0  # seconds between checks that the compiling thread is still alive
# If all cores are busy, each second of compiling slows the process by about half a second. A short
# run would not regain that, so during the first FREE seconds compiling may use at most SHARE of a
# core. Before a loop is compiled, its cost is taken to be COST seconds.
SHARE, COST, FREE = 0.1, 1.2, 60.0
WINDOW, LOOK = 0.5, 0.05  # seconds: over which the use of cores is measured; between two looks
IDLE = 1.0  # cores: with more, not all are busy
SPARE = 0.5  # cores: with less, other processes keep them busy
REST = 16  # looks; callers ask for loops during the first of them, since asking takes time too

_log = logging.getLogger(__name__)
_VARIABLE = "MINDSPORE_COMPAT_COMPILE"
_SCOPE = {"sqrt": math.sqrt, "fabs": math.fabs}


@functools.cache
def available():
    """Returns True if Numba is installed and not switched off; does not import it."""
    return importlib.util.find_spec("numba") is not None and _setting() != "off"


def _setting():
    value = os.environ.get(_VARIABLE) or "background"
    if value not in ("background", "wait", "off"):
        raise ValueError(f"{_VARIABLE} must be 'background', 'wait' or 'off', but is {value!r}.")
    return value


class Loop:
    """A function whose source text Numba compiles in the background. `ready` is the compiled
    function; None until it is compiled.

    Args:
        text: `text(name)` returns the Python source of the function, under that name.
        parameters: for each parameter, its dtype and whether it is a one-dimensional array.
        reorders: whether the function calls those of vector_math.py, and products and sums may be
            contracted.
        label: the name of the loop in messages.
        library: further functions that it may call (library.Library).
    """

    def __init__(self, text, parameters, reorders, label, library=None):
        self.ready = None
        self._text = text
        self._parameters = parameters
        self._reorders = reorders
        self._label = label
        self._library = library
        self._done = None
        self._waits = False  # whether `request` waits
        self._is_awaited = False
        self._requests = 0  # calls that would have used it
        self._digest = None

    def __reduce__(self):
        """Pickles the source of the loop, not its compiled code."""
        text = functools.partial(_renamed, self._text("loop"))
        return type(self), (text, self._parameters, self._reorders, self._label, self._library)

    def request(self):
        """Loads the loop if the disk cache has it; else requests its compilation, unless it was
        requested before. Returns True if the loop is ready."""
        done = self._done
        if done is None:
            self._waits = _setting() == "wait"
            self._is_awaited |= self._waits
        if done is None or not done.is_set():
            self._requests += 1
            if done is None or not _queue.is_working():
                _queue.add(self)
        if self._waits:
            _queue.wait(self)
        return self.ready is not None

    def wait(self):
        """Requests the compilation of the loop, and waits until it is ready or has failed."""
        self._is_awaited = True
        self.request()
        _queue.wait(self)

    def python(self, name="loop", scope=()):
        """Returns the loop as a Python function that is not compiled.

        Args:
            name: the name of the function.
            scope: objects by name that replace functions of vector_math.py and of the library.
        """
        library = self._library.python if self._library else {}
        scope = {**_SCOPE, **vars(vector_math), **library, **dict(scope)}
        return executed(self._text(name), name, scope)

    def load(self):
        """Returns what `make` returns if the disk cache has it, else None. Needs no Numba."""
        return machine_code.function(f"loop_{self.digest()}")

    def make(self, numba):
        """Compiles the loop, stores it in the disk cache, and returns the compiled function."""
        digest, functions = self.digest(), self.functions()
        kinds = tuple(
            numba.from_dtype(dtype)[::1] if is_array else numba.from_dtype(dtype)
            for dtype, is_array in self._parameters
        )
        return function_of(self.python(f"loop_{digest}", functions), kinds, **self.options())

    def digest(self):
        """Returns a digest of the source of the loop and of all functions that it calls. It is part
        of the loop's name, the key of the disk cache."""
        if self._digest is None:
            text = self._text("loop") + repr((self._parameters, self.options()))
            text += _functions_text() if self._reorders else ""
            text += self._library.text() if self._library else ""
            self._digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return self._digest

    def functions(self):
        """Returns the functions that the loop calls, by name, in the form in which Numba compiles
        them into it."""
        functions = _vector_functions() if self._reorders else {}
        return {**functions, **self._library.compiled()} if self._library else functions

    def options(self):
        """Returns the options of Numba's compiler, as a dict."""
        options = {"fastmath": {"contract"}} if self._reorders else {}
        return {"error_model": "numpy", **options}

    def is_loaded(self):
        """Returns True if the disk cache has the loop, and then sets `ready`. In an empty cache it
        looks for none, because the name of a loop takes milliseconds."""
        if disk_cache.is_empty():
            return False
        try:
            self.ready = self.load()
        except Exception:  # `compile` logs it
            return False
        return self.ready is not None

    def compile(self, compiler=None):
        """Loads the loop from the disk cache or compiles it, and sets `ready`. An error is logged,
        and the loop is then never ready.

        Args:
            compiler (Compiler, optional): compiles loops that nobody waits for. This process
                compiles the others.
        """
        try:
            self.ready = self.load()
            if self.ready is not None:
                return
            if _room() < LEAST_ROOM:  # LLVM ends the process if it gets no memory
                raise MemoryError("its limit leaves too little address space for the compiler")
            if compiler and not self._is_awaited and disk_cache.is_writable():
                compiler.compile(self)
                self.ready = self.load()
            if self.ready is None and threading.main_thread().is_alive():
                import numba

                self.ready = self.make(numba)
        except Exception as error:  # a broken installation may raise anything; NumPy then computes
            _log.warning("Numba could not compile '%s': %s", self._label, error)


def _room():
    """Returns the address space that the limit of the process (RLIMIT_AS) leaves, in bytes."""
    if sys.platform != "linux":
        return math.inf
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return math.inf
    with open("/proc/self/statm", encoding="ascii") as file:
        return limit - int(file.read().split()[0]) * resource.getpagesize()


def made_once(make):
    """Wraps a function like `functools.cache`; in addition, concurrent calls with equal arguments
    get the same object. So a loop is compiled once, and the loop that a caller has found ready is
    the one that runs."""
    cache = {}

    @functools.wraps(make)
    def find(*args):
        return cache.setdefault(args, make(*args))

    def clear():
        cache.clear()
        forget()

    find = functools.cache(find)
    forget, find.cache_clear = find.cache_clear, clear
    return find


def executed(text, name, scope):
    """Executes Python source in a scope, and returns the function `name` that it defines."""
    scope = {"__name__": __name__, **scope}
    # Annotations are not evaluated: in loops they describe the parameters to ParallelLoop.
    exec(compile(text, __file__, "exec", __future__.annotations.compiler_flag), scope)
    return scope[name]


def function_of(function, kinds, **options):
    """Returns a Python function compiled for the Numba types of its arguments, and stores its code
    in the disk cache. The name of the function must identify its code."""
    import numba

    compiled = numba.njit(nogil=True, **options)(function)
    compiled.compile(kinds)
    compiled.disable_compile()
    (result,) = compiled.overloads.values()
    symbol = result.fndesc.llvm_cpython_wrapper_name
    machine_code.store(function.__name__, result.library, symbol)
    return compiled


def callback_of(function, kinds, **options):
    """Returns a Python function without a result, compiled for callers that know its address; the
    arguments are as for `function_of`."""
    import numba
    from numba.core.ccallback import CFunc

    compiled = CFunc(function, (kinds, numba.void), locals={}, options=options)
    compiled.compile()
    machine_code.store(function.__name__, compiled._library, compiled.native_name)
    return compiled


def _renamed(text, name):
    """Returns the source of the function `loop` under another name, for the `text` of a Loop."""
    return text.replace("def loop(", f"def {name}(", 1)


def text_of(function, name):
    """Returns the source of a Python function under another name, for the `text` of a Loop."""
    return inspect.getsource(function).replace(f"def {function.__name__}(", f"def {name}(", 1)


def fits(arrays):
    """Returns True if a loop accepts these one-dimensional arrays."""
    return all([array.flags.carray and type(array) is numpy.ndarray for array in arrays])


def flat(array):
    """Returns an array as one axis, as loops take it; copies it if it is not contiguous or is
    read-only."""
    out = array if array.ndim == 1 else array.reshape(-1)
    return out if out.flags.carray and type(out) is numpy.ndarray else out.copy()


def is_repeated(array):
    """Returns True if all elements are one number in memory, as in the gradient of a sum."""
    return not any(array.strides)


@functools.cache
def _functions_text():
    return inspect.getsource(vector_math) + inspect.getsource(_vector_functions)


@functools.cache
def _vector_functions():
    """Returns the functions of vector_math.py by name, in the form in which Numba inlines them into
    loops."""
    import numba

    scope = dict(vars(vector_math))
    for name, function in vars(vector_math).items():
        if isinstance(function, types.FunctionType):
            flags = {"reassoc"} if function is vector_math.sum_in_any_order else {"contract"}
            make = numba.njit(fastmath=flags, error_model="numpy", forceinline=True)
            scope[name] = make(types.FunctionType(function.__code__, scope, name))
    return scope


class _Queue:
    """The queue of loops to compile. A thread has one after the other compiled, and ends when none
    is left. Those that callers wait for come first, then those that most calls have requested.

    Attributes:
        cores, spare (callable, optional): see `limit_beside`. Without them, nothing is delayed.
        is_used (bool): whether a loop was ever requested.
        rests (bool): whether callers need not ask for loops now: none is ready, and compiling is
            delayed.
        compiler (Compiler): compiles loops that nobody waits for.
    """

    def __init__(self, cores=None, spare=lambda: (0.0, 0.0)):
        self._lock = threading.Lock()
        self._waiting = []
        self._thread = None
        self._begin = self._before = None  # the times of `_is_busy`: at first; at the last look
        self._has_ready = False  # whether a loop is ready
        self.cores, self.spare = cores, spare
        self.rests = False
        self.is_used = False
        self.compiler = Compiler()

    def is_working(self):
        """Returns True unless the thread has ended, or not begun."""
        return self._thread is not None

    def add(self, loop):
        """Loads a loop, or appends it, once, no matter how many threads ask for it."""
        with self._lock:
            self.is_used, is_new = True, loop._done is None
            if is_new:
                loop._done = threading.Event()
        is_loaded = False
        try:
            is_loaded = is_new and loop.is_loaded()
        finally:
            with self._lock:
                if is_loaded:
                    self._has_ready, self.rests = True, False
                    loop._done.set()
                elif is_new:
                    self._waiting.append(loop)
                if self._waiting and self._thread is None:
                    self._start()

    def _start(self):
        """Starts the thread. If it cannot start, for lack of memory, NumPy keeps computing."""
        thread = Thread(target=self._work, name="mindspore_compat-compile")
        self._thread = thread
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            self._thread = None
            _log.warning("The thread that compiles loops could not start: %s", error)
            for loop in self._waiting:
                loop._done.set()
            self._waiting.clear()

    def wait(self, loop):
        """Waits until an added loop is ready or has failed, or the thread has ended without it, as
        it may after an interrupt or when memory runs out."""
        while not loop._done.wait(PATIENCE):
            thread = self._thread
            if thread is None or not thread.is_alive():
                self._thread = None
                return

    def _work(self):
        try:
            while True:
                # A process that ends during the delay leaves its loop to the compiler's process.
                is_last = self._delay()
                with self._lock:
                    # A process that ends waits only for the loop that it compiles itself.
                    has_ended = not threading.main_thread().is_alive() and not is_last
                    if not self._waiting or has_ended:
                        self._thread = None
                        return
                    loop = max(self._waiting, key=lambda loop: (loop._is_awaited, loop._requests))
                    self._waiting.remove(loop)
                try:
                    loop.compile(self.compiler)
                    self._has_ready = self._has_ready or loop.ready is not None
                finally:
                    loop._done.set()
        except BaseException:
            self._thread = None
            raise
        finally:
            self.compiler.stop()

    def _delay(self):
        """Waits while all cores are busy, nobody waits for a loop, and compiling has had its share
        of the time. Returns True if the main thread has ended meanwhile."""
        look = 0
        try:
            while self.cores and self._can_wait():
                if not threading.main_thread().is_alive():
                    return look > 0
                if not self._is_busy():
                    break
                elapsed = time.monotonic() - self._begin[0]
                if elapsed >= FREE or self.compiler.processor_time() + COST <= SHARE * elapsed:
                    break
                self.rests = look % REST > 0 and not self._has_ready
                time.sleep(LOOK)
                look += 1
        finally:
            self.rests = False
        return False

    def _is_busy(self):
        """Returns False if this process left a core idle since it was last measured, and other
        processes did not use it."""
        now = time.monotonic(), time.process_time(), *self.spare()
        if self._begin is None:
            self._begin = self._before = now
        elapsed, used, spare, counted = (b - a for a, b in zip(self._before, now))
        if elapsed < WINDOW:
            return True
        self._before = now
        is_full = counted > 0 and spare < SPARE * elapsed
        return is_full or used > (self.cores() - IDLE) * elapsed

    def _can_wait(self):
        """Returns True if there are loops to compile, and no caller waits for one."""
        with self._lock:
            return bool(self._waiting) and not any(loop._is_awaited for loop in self._waiting)


class _Closed:
    """The queue of a forked process: a thread of the parent may have held Numba's locks."""

    compiler = Compiler()
    is_used = rests = False

    def is_working(self):
        """Returns True, although no thread works: nothing is ever added."""
        return True

    def add(self, loop):
        """Does nothing: a forked process loads and compiles no loops."""

    def wait(self, loop):
        """Returns at once, even for a loop that is waiting in the parent's queue."""


_queue = _Queue()


def limit_beside(cores, spare):
    """Limits compiling beside programs that keep all cores busy (see SHARE).

    Args:
        cores (callable): returns how many cores this process may use.
        spare (callable): returns the seconds that these cores were idle or compiled loops for this
            process, and those that the system has counted.
    """
    _queue.cores, _queue.spare = cores, spare


def rests():
    """Returns True if it is no use to ask for loops now: none is ready, and none is compiled."""
    return _queue.rests


def is_used():
    """Returns True if a loop was ever requested: the process does work that is worth compiling."""
    return _queue.is_used


def compiler_time():
    """Returns the processor time in seconds of the process that compiles loops for this one."""
    return _queue.compiler.processor_time()


def _after_fork():
    global _queue
    _queue = _Closed()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# Updates of optimizers ----------------------------------------------------------------------------


def compilable(trace, dtypes, dtype):
    """Returns True if an update formula can become a loop that is bitwise equal to NumPy.

    Args:
        trace: the steps of the formula.
        dtypes: the dtypes of its arrays.
        dtype: the dtype of the computation.
    """
    outputs = sum(trace.written)
    pairs = outputs * (outputs - 1) // 2 + outputs * (len(dtypes) - outputs)
    return (
        available()
        and set(dtypes) == {dtype}
        and pairs <= MOST_CHECKS
        and all(step.name in EXPRESSIONS for step in trace.steps)
    )


def source(trace, name):
    """Returns the Python source of the loop for an update formula. The loop takes the arrays of the
    trace, each of one axis, and the scalars `s0`, `s1`, ..."""
    scalars = [f"s{index}" for index in range(trace.scalar_count)]
    lines = [
        f"def {name}({', '.join([*trace.names, *scalars])}):",
        f"    for i in range({trace.names[0]}.size):",
    ]
    lines += [f"        v{index} = {array}[i]" for index, array in enumerate(trace.names)]
    for step in trace.steps:
        operands = [f"v{value}" if type(value) is int else value for value in step.operands]
        lines.append(f"        v{step.result} = {EXPRESSIONS[step.name].format(*operands)}")
    lines += [
        f"        {trace.names[index]}[i] = v{value}"
        for index, value in trace.outputs.items()
        if value != index
    ]
    return "\n".join(lines) + "\n"
