"""Helpers for tests of compiled loops, with Numba or as Python."""

import contextlib

import numpy as np
import pytest

from mindspore_compat._backend import thresholds
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import parallel_loops, scheduler


def needs_numba(test):
    """Marks a test that is skipped where Numba is not installed."""
    skip = pytest.mark.skipif(not jit.available(), reason="needs Numba")
    return pytest.mark.numba(skip(test))


def without_compiler(monkeypatch):
    """Prevents the compilation of loops.

    Otherwise tracemalloc would count the compiler's memory, or a loop could become ready between
    two computations whose results are compared.
    """
    monkeypatch.setattr(jit, "available", lambda: False)
    if (thread := jit._queue._thread) is not None:  # it compiles the loops of an earlier test
        thread.join()


def every_size(monkeypatch):
    """Enables loops and threads for all arrays that are not empty.

    SPACE keeps its value, because the call path of an operator contains it from the first call on.
    """
    for name in sizes_of(thresholds.Least):
        if name != "SPACE":
            monkeypatch.setattr(thresholds.Least, name, 1)


def sizes_of(table):
    """Returns the names of a table of thresholds."""
    return [name for name in vars(table) if name.isupper()]


@contextlib.contextmanager
def fresh_loops(monkeypatch, module=None, *caches, **constants):
    """Recompiles loops in this context, and uses them for arrays of every size from the first call.

    Args:
        module: the module whose constants are changed.
        caches: further cached functions that are cleared before and after.
        constants: the values of the constants in this context.
    """
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)
    every_size(monkeypatch)
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    caches = parallel_loops.loop_of, *caches
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def check_arguments(replace=setattr):
    """Makes loops from the disk cache check the types of their arguments.

    Loops that this process has compiled are run by Numba's dispatcher, which checks them anyway.
    """
    load, load_parallel = jit.Loop.load, parallel_loops.ParallelLoop.load
    index = parallel_loops.INDEX
    own = [(1, index), (0, index), (0, index), (0, index), (2, index)]

    def checked(self):
        ready = load(self)
        return ready and _checked(ready, [(int(many), dtype) for dtype, many in self._parameters])

    def checked_parallel(self):
        ready, kinds = load_parallel(self), [(int(many), dtype) for many, dtype in self._kinds()]
        return ready and ready._replace(call=_checked(ready.call, own + kinds))

    replace(jit.Loop, "load", checked)
    replace(parallel_loops.ParallelLoop, "load", checked_parallel)


def _checked(run, kinds):
    def call(*arguments):
        for (axes, dtype), argument in zip(kinds, arguments, strict=True):
            if axes:
                assert (type(argument), argument.ndim, argument.dtype) == (np.ndarray, axes, dtype)
                assert argument.flags.carray
            else:
                assert np.can_cast(np.asarray(argument).dtype, dtype, "same_kind")
        return run(*arguments)

    return call


def by_python(monkeypatch):
    """Runs all loops that are created from now on as Python code."""
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)


@contextlib.contextmanager
def on_threads(count):
    """Shares large work among this many threads in this context."""
    scheduler.limit(count)
    try:
        yield
    finally:
        scheduler.limit(0)


class ByPython(jit.Loop):
    """A loop run by Python, one element at a time."""

    def request(self):
        self.ready = self.python()
        return True


class ParallelByPython(parallel_loops.ParallelLoop):
    """A parallel loop run by Python, chunk by chunk."""

    def request(self):
        self.ready = self.python()
        return True

    def caller(self, table):
        return lambda *arguments: not self.run(table, *arguments)

    def run(self, table, *values):
        fits = True
        for row in table:
            rest = iter(values)
            arguments = []
            for kind, dtype, column, fields in self._parameters:
                if kind == "sizes":
                    arguments.append(fields(*[next(rest) for _ in fields._fields]))
                    continue
                if kind == "record":
                    arguments.append(fields(*map(int, row)))
                    continue
                value = None if kind == "piece" else next(rest)
                if kind == "piece":
                    value = int(row[column])
                elif kind == "memory":
                    value = np.empty(value, dtype)
                elif kind == "part":
                    value = value[row[column] : row[column + 1]]
                arguments.append(value)
            fits = self.ready(*arguments) is not False and fits
        return fits
