"""Loops that Numba compiles for the host, where it is installed (the extra `fast`).

NumPy's way writes every intermediate value of a formula to memory; a compiled loop reads each array
once and keeps the rest in registers. Two kinds are made from notes of formulas (bodies/symbols.py):
the updates of optimizers, below, and the bodies of operators (bodies/host.py).

The loop of an optimizer computes NumPy's bits: only formulas of operations that IEEE 754 rounds
correctly are compiled, and none of these are contracted or reordered. Loops of operators take the
functions of vector_math.py and sum in another order, so their results differ from NumPy's by
rounding. How they sum depends on shapes alone: repeated calls, with any number of threads, give the
same bits.

Numba is imported, and compiles, in a thread of its own; what it made is stored on disk for the next
process. NumPy's way runs until then, so the results of an operator may change by rounding while a
process is young. The environment variable MINDSPORE_COMPAT_COMPILE set to "wait" lets the first
call wait for its loop instead; "off" leaves all to NumPy. A forked process runs the loops that were
ready before, and compiles none.
"""

import __future__

import collections
import functools
import hashlib
import importlib.util
import inspect
import logging
import math
import os
import threading
import types

import numpy

from ..elementwise import texts
from . import vector_math

EXPRESSIONS = texts(lambda primitive: primitive.exact and primitive.loop)
MOST_CHECKS = 8  # pairs of arrays that the compiler compares for overlap, or gives vectors up
BLOCK = 1 << 15  # elements of a piece

_log = logging.getLogger(__name__)
_VARIABLE = "MINDSPORE_COMPAT_COMPILE"
_SCOPE = {"sqrt": math.sqrt, "fabs": math.fabs}


@functools.cache
def available():
    """True if Numba is installed and not switched off; it is not imported for that."""
    return importlib.util.find_spec("numba") is not None and _setting() != "off"


def _setting():
    value = os.environ.get(_VARIABLE, "background")
    if value not in ("background", "wait", "off"):
        raise ValueError(f"{_VARIABLE} must be 'background', 'wait' or 'off', but is {value!r}.")
    return value


class Loop:
    """A function of generated text that Numba compiles; `ready` is None until it has.

    Args:
        text: `text(name)` is the Python text of the function under a name.
        parameters: for each parameter its dtype and whether it is a one-dimensional array.
        reorders: whether it calls the functions of vector_math.py, and products and sums may be
            contracted.
        label: what it is called in a message.
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

    def request(self):
        """Has it compiled, once, while the caller goes on; returns whether it is ready."""
        if self._done is None:
            _queue.add(self)
        if _setting() == "wait":
            _queue.wait(self)
        return self.ready is not None

    def wait(self):
        """Returns when it is ready or has failed, having started it."""
        self.request()
        _queue.wait(self)

    def python(self, name="loop", scope=()):
        """The loop as a function of Python.

        Args:
            name: its name.
            scope: what stands for functions of vector_math.py and the library.
        """
        library = self._library.python if self._library else {}
        scope = {**_SCOPE, **vars(vector_math), **library, **dict(scope)}
        return executed(self._text(name), name, scope)

    def make(self, numba):
        """Compiles it."""
        digest, functions = self.functions()
        kinds = tuple(
            numba.from_dtype(dtype)[::1] if is_array else numba.from_dtype(dtype)
            for dtype, is_array in self._parameters
        )
        make = numba.njit(kinds, nogil=True, cache=True, **self.options())
        return make(self.python(f"loop_{digest}", functions))

    def functions(self):
        """The functions that it calls, compiled, and a digest of its text and theirs: Numba
        distinguishes functions on disk by name and line, not by what they call."""
        text = self._text("loop") + (_functions_text() if self._reorders else "")
        functions = _vector_functions() if self._reorders else {}
        if self._library:
            text += self._library.text()
            functions = {**functions, **self._library.compiled()}
        return hashlib.sha256(text.encode()).hexdigest()[:16], functions

    def options(self):
        """The options of the compiler."""
        options = {"fastmath": {"contract"}} if self._reorders else {}
        return {"error_model": "numpy", **options}

    def compile(self):
        """Compiles it, in the thread of the queue."""
        try:
            import numba

            self.ready = self.make(numba)
        except Exception as error:  # whatever a broken installation raises: NumPy's way goes on
            _log.warning("Numba could not compile '%s': %s", self._label, error)
        finally:
            self._done.set()


def made_once(make):
    """A function that keeps what it made, as `functools.cache` does; threads that call it at the
    same time get one object, so that a loop is compiled once, and the one found ready is run."""
    made = {}

    @functools.wraps(make)
    def find(*args):
        return made.setdefault(args, make(*args))

    def clear():
        made.clear()
        forget()

    find = functools.cache(find)
    forget, find.cache_clear = find.cache_clear, clear
    return find


def executed(text, name, scope):
    """The function that a text defines under a name; Numba stores it on disk beside this file."""
    scope = {"__name__": __name__, **scope}
    # Annotations are not looked up: those of loops say what the parameters are to ParallelLoop.
    exec(compile(text, __file__, "exec", __future__.annotations.compiler_flag), scope)
    return scope[name]


def text_of(function, name):
    """The source of a function under another name, the text of a Loop."""
    return inspect.getsource(function).replace(f"def {function.__name__}(", f"def {name}(", 1)


def fits(arrays):
    """True if a loop takes these one-dimensional arrays."""
    return all([array.flags.carray and type(array) is numpy.ndarray for array in arrays])


def flat(array):
    """An array as loops take it, of one axis; a copy where it is not contiguous, or read only."""
    found = array if array.ndim == 1 else array.reshape(-1)
    return found if found.flags.carray and type(found) is numpy.ndarray else found.copy()


def is_repeated(array):
    """True if one number stands for all elements, as in the gradient of a sum."""
    return not any(array.strides)


@functools.cache
def _functions_text():
    return inspect.getsource(vector_math)


@functools.cache
def _vector_functions():
    """The functions of vector_math.py, to be compiled into the loops that call them."""
    import numba

    scope = dict(vars(vector_math))
    for name, function in vars(vector_math).items():
        if isinstance(function, types.FunctionType):
            flags = {"reassoc"} if function is vector_math.sum_in_any_order else {"contract"}
            make = numba.njit(fastmath=flags, error_model="numpy", forceinline=True)
            scope[name] = make(types.FunctionType(function.__code__, scope, name))
    return scope


class _Queue:
    """What is to be compiled, one after the other, by a thread that ends when nothing is left."""

    def __init__(self):
        self._lock = threading.Lock()
        self._waiting = collections.deque()
        self._running = False
        self._open = True

    def add(self, loop):
        """Has a loop compiled after those before it, once, whichever threads ask for it."""
        with self._lock:
            if loop._done is not None:
                return
            loop._done = threading.Event()
            self._waiting.append(loop)
            if not self._running:
                self._running = True
                threading.Thread(target=self._work, name="mindspore_compat-compile").start()

    def wait(self, loop):
        """Returns when a loop that was added is ready or has failed."""
        loop._done.wait()

    def _work(self):
        while True:
            with self._lock:
                # A process that ends does not wait for more than the loop that is under way.
                if not self._waiting or not threading.main_thread().is_alive():
                    self._running = False
                    return
                loop = self._waiting.popleft()
            loop.compile()


class _Closed:
    """The queue of a forked process: the locks of Numba may be held by a thread it lacks."""

    def add(self, loop):
        """Leaves the loop as it is."""

    def wait(self, loop):
        """Returns at once, also for a loop that a thread of the parent was to compile."""


_queue = _Queue()


def _after_fork():
    global _queue
    _queue = _Closed()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# Updates of optimizers ----------------------------------------------------------------------------


def compilable(trace, dtypes, dtype):
    """True if a program can become a loop that gives NumPy's bits.

    Args:
        trace: the program.
        dtypes: the dtypes of its arrays.
        dtype: what it computes in.
    """
    written = sum(trace.written)
    pairs = written * (written - 1) // 2 + written * (len(dtypes) - written)
    return (
        available()
        and set(dtypes) == {dtype}
        and pairs <= MOST_CHECKS
        and all(step.name in EXPRESSIONS for step in trace.steps)
    )


def source(trace, name):
    """The loop as Python text, for one-dimensional arrays and the scalars `s0`, `s1`, ..."""
    scalars = [f"s{index}" for index in range(trace.scalar_count)]
    lines = [
        f"def {name}({', '.join([*trace.names, *scalars])}):",
        f"    for i in range({trace.names[0]}.size):",
    ]
    lines += [f"        v{index} = {array}[i]" for index, array in enumerate(trace.names)]
    for step in trace.steps:
        operands = [f"v{each}" if type(each) is int else each for each in step.operands]
        lines.append(f"        v{step.result} = {EXPRESSIONS[step.name].format(*operands)}")
    lines += [
        f"        {trace.names[index]}[i] = v{value}"
        for index, value in trace.outputs.items()
        if value != index
    ]
    return "\n".join(lines) + "\n"
