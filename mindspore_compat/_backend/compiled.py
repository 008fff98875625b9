"""A formula's program as one compiled loop, where Numba is installed (the extra `fast`).

NumPy's way writes a block of every intermediate value; the loop reads each array once and keeps the
rest in registers. It computes the same bits: only formulas of operations that IEEE 754 rounds
correctly are compiled, and none of these are contracted or reordered. So it does not matter when a
loop is ready, and NumPy's way runs until then. Numba is imported, and compiles, in a thread of its
own; what it made is stored on disk for the next process.
"""

import functools
import hashlib
import importlib.util
import logging
import math
import threading

import numpy

EXPRESSIONS = {
    "add": "{} + {}",
    "subtract": "{} - {}",
    "multiply": "{} * {}",
    "divide": "{} / {}",
    "negative": "-{}",
    "sqrt": "sqrt({})",
    "abs": "fabs({})",
    "maximum": "({0} if {0} > {1} or {0} != {0} else {1})",
    "minimum": "({0} if {0} < {1} or {0} != {0} else {1})",
    "greater": "{} > {}",
    "greater_equal": "{} >= {}",
    "less": "{} < {}",
    "less_equal": "{} <= {}",
    "not_equal": "{} != {}",
    "logical_and": "{} & {}",
    "where": "({1} if {0} else {2})",
}
MOST_CHECKS = 8  # pairs of arrays that the compiler compares for overlap, or gives vectors up
BLOCK = 1 << 18  # elements of a piece

_log = logging.getLogger(__name__)


@functools.cache
def available():
    """True if Numba is installed; it is not imported for that."""
    return importlib.util.find_spec("numba") is not None


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


class Loop:
    """The compiled loop of a program; `ready` is None until there is one."""

    def __init__(self, trace, dtype):
        self.ready = None
        self._trace = trace
        self._dtype = dtype
        self._thread = None

    def request(self):
        """Has it compiled, once, while the caller goes on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._compile, name="mindspore_compat-compile")
            self._thread.start()

    def wait(self):
        """Returns when it is ready, having started it."""
        self.request()
        self._thread.join()

    def _compile(self):
        try:
            import numba

            # Numba distinguishes functions on disk by name and line, not by what they call.
            digest = hashlib.sha256(source(self._trace, "loop").encode()).hexdigest()
            function = python_loop(self._trace, f"loop_{digest[:16]}")
            kind = numba.from_dtype(self._dtype)
            types = [kind[::1]] * len(self._trace.names) + [kind] * self._trace.scalar_count
            make = numba.njit(numba.void(*types), nogil=True, cache=True, error_model="numpy")
            self.ready = make(function)
        except Exception as error:  # whatever a broken installation raises: NumPy's way goes on
            _log.warning("Numba could not compile '%s': %s", self._trace.name, error)


def python_loop(trace, name):
    """The loop as a function of Python."""
    scope = {"__name__": __name__, "sqrt": math.sqrt, "fabs": math.fabs}
    exec(compile(source(trace, name), __file__, "exec"), scope)
    return scope[name]


def fits(arrays):
    """True if the loop takes these one-dimensional arrays."""
    return all(
        array.flags.c_contiguous
        and array.flags.writeable
        and array.flags.aligned
        and type(array) is numpy.ndarray
        for array in arrays
    )
