"""Fuses an element-by-element formula into one in-place update: over cache-sized blocks on a CPU,
as one kernel on a GPU.

Worked example. Given

    def momentum_update(xp, p, g, moments, *, lr, momentum, nesterov=False):
        moments = momentum * moments + g
        step = g + momentum * moments if nesterov else moments
        return p - lr * step, moments

`fuse(momentum_update)(p, g, moments, lr=0.1, momentum=0.9)` runs the body once on *Symbols*
(bodies/symbols.py), which record the operations, and keeps the record as a program. On a CPU that
program is the Python function

    def block(p, g, moments, s0, s1, t0):
        return [
            partial(multiply, s0, moments, out=moments),
            partial(add, moments, g, out=moments),
            partial(multiply, s1, moments, out=t0),
            partial(subtract, p, t0, out=p),
        ]

called on 64k elements at a time, by several threads. It computes until the first write to an array,
and returns the calls that remain, which complete.py makes without a break. Nothing is allocated,
and a block stays in the cache between the calls. On a GPU, the same record
becomes the body of a kernel that updates all rows at once (bodies/multi_tensor.py). Halves are
computed in float32 and rounded when stored, on both. Shapes are compared before anything is
written, so a refused call changes nothing. Where Numba is installed, a compiled loop of the same
program updates large arrays instead (compiled/jit.py).

Formulas that reduce, reshape or branch on values cannot be traced and do not belong here.
"""

import functools
import operator
import threading

import numpy

from .. import arrays
from ..arrays import SPACES
from ..bodies.c_code import compute_dtype
from ..bodies.multi_tensor import KernelProgram, calls
from ..bodies.symbols import Trace
from ..compiled import jit
from ..steps import recorded_array
from ..steps.refused import Reason
from ..threads import parallel_loops, scheduler
from ..thresholds import Least
from .complete import Several, Unit, assigned, called, complete

BLOCK = 65536  # elements; chosen by timing six float32 arrays with a 1 MiB second-level cache

_ufuncs = {
    name: getattr(numpy, name)
    for name in (
        "add subtract multiply divide power negative sqrt exp log abs sign maximum minimum greater "
        "greater_equal less less_equal equal not_equal logical_and logical_or tanh expm1 log1p"
    ).split()
}


def fuse(formula, reads=("g",), link=None, singles=()):
    """Turns `formula(xp, *arrays, **scalars) -> new values` into an in-place update.

    Args:
        formula: element-by-element arithmetic; it returns one value per array argument that is not
            in `reads`, in the order of the arguments.
        reads: the names of the arrays that are only read.
        link: `link(xp, p, g, *, ...)` transforms the gradient `g` first, in the same pass.
            Its keywords become further scalars of the update.
        singles: the names of read-only arrays with one element that serves the whole row; such an
            update is for rows on a GPU.
    """
    return Fused(formula, (*reads, *singles), link, singles)


class Fused:
    """A formula and its programs, one for each combination of flags and dtypes."""

    def __init__(self, formula, reads, link=None, singles=()):
        code = formula.__code__
        self._parts = (formula, reads, link, singles)
        self.formula = formula if link is None else _link_formula(link, formula)
        self.names = code.co_varnames[1 : code.co_argcount]
        self.written = tuple(name not in reads for name in self.names)
        self.singles = singles
        self._programs = {}

    def __deepcopy__(self, memo):
        """Returns this object: a copied optimizer shares the programs, which hold none of its
        state."""
        return self

    def __reduce__(self):
        """Pickles the formula by name; programs are made again when they are needed."""
        return Fused, self._parts

    def __call__(self, *arrays, **scalars):
        """Updates the arrays of one row in place, except those that are only read."""
        self.sweep([arrays], **scalars)

    def sweep(self, rows, skip=None, **scalars):
        """Updates many rows of arrays, all with the same scalars.

        Args:
            rows: sequences of arrays in the order of the formula's arguments, all of one shape
                within a row.
            skip: a 0-d bool array on a GPU; if true, the rows there stay unchanged.
            scalars: numbers, or flags (bool, None, str) that select the program. For rows on a GPU,
                a number may be a 0-d array there.

        Raises:
            ValueError: if the arrays of a row differ in shape; nothing has been written then.
        """
        rows = list(rows)
        for row in rows:
            shape = row[0].shape
            for array in row:
                if array.shape != shape:
                    self._refuse(row)
        self.sweep_same_dtypes(rows, skip, **scalars)

    def sweep_same_dtypes(self, rows, skip=None, **scalars):
        """Updates many rows as `sweep` does, without checking that the shapes of a row agree."""
        complete(self.units(rows, skip, **scalars))

    def units(self, rows, skip=None, **scalars):
        """Returns the units (complete.py) that update many rows; the arguments are the same as for
        `sweep`. Each contiguous row on the host has a unit of its own.
        """
        if arrays.find_recorder is not None:
            rows = recorded_array.give_up(rows, Reason.UPDATE_OUTSIDE)
        prepared, of_device, units = _Prepared(self, scalars), {}, []
        with numpy.errstate(all="ignore"):
            for row in rows:
                program, numbers = prepared.program_of(row)
                if type(row[0]) is numpy.ndarray:
                    units.append(program.unit(row, numbers))
                else:
                    of_device.setdefault(program, (numbers, []))[1].append(row)
        together = {}  # programs whose rows one kernel can update
        for program, (numbers, rows) in of_device.items():
            key = program.dtype if program.tables else program
            together.setdefault(key, []).append((program, rows, numbers))
        return units + [Unit(functools.partial(calls, parts, skip)) for parts in together.values()]

    def units_of_flat(self, rows, **scalars):
        """Returns what `units` does, for contiguous arrays on the host that have one axis and share
        no memory."""
        prepared, units = _Prepared(self, scalars), []
        with numpy.errstate(all="ignore"):
            for row in rows:
                program, numbers = prepared.program_of(row)
                units.append(program.unit_of_flat(row, numbers))
        return units

    def _refuse(self, row):
        shapes = ", ".join(
            f"'{name}' {array.shape}" for name, array in zip(self.names, row, strict=True)
        )
        raise ValueError(
            f"For '{self.formula.__name__}', all arrays must have one shape, but got {shapes}."
        )

    def program(self, kind, dtypes, flags, numbers):
        """Returns the program for arrays of a type and some dtypes, and for flags and the names of
        numbers."""
        key = (kind, dtypes, tuple(flags.items()), numbers)
        program = self._programs.get(key)
        if program is None:
            trace = Trace(self.formula, self.names, self.written, flags, numbers)
            program = (
                HostProgram(trace, dtypes)
                if kind is numpy.ndarray
                else KernelProgram(trace, dtypes, SPACES[kind], self.singles)
            )
            self._programs[key] = program
        return program


class _Prepared:
    """The programs of one update of `fused`, with their prepared scalars."""

    __slots__ = ("_flags", "_fused", "_numbers", "_programs")

    def __init__(self, fused, scalars):
        self._fused, self._flags, self._numbers, self._programs = fused, {}, {}, {}
        for key, value in scalars.items():
            is_flag = value is None or isinstance(value, (bool, str))
            (self._flags if is_flag else self._numbers)[key] = value

    def program_of(self, row):
        """Returns the program for the dtypes of a row, and the scalars that it needs."""
        kind, dtypes = type(row[0]), tuple([array.dtype for array in row])
        entry = self._programs.get((kind, dtypes))
        if entry is None:
            program = self._fused.program(kind, dtypes, self._flags, tuple(self._numbers))
            entry = self._programs[kind, dtypes] = program, program.prepare(self._numbers)
        return entry


def _link_formula(link, formula):
    """Returns a formula that first replaces the gradient by the result of `link`, and then calls
    `formula`. It takes the keywords of both."""
    code = link.__code__
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    def linked(xp, p, g, *states, **scalars):
        g = link(xp, p, g, **{name: scalars.pop(name) for name in keywords})
        return formula(xp, p, g, *states, **scalars)

    linked.__name__ = formula.__name__
    return linked


# On the host --------------------------------------------------------------------------------------


class HostProgram:
    """An update formula as a Python function that runs on blocks of NumPy arrays; Fused makes one
    for each combination of flags and dtypes."""

    def __init__(self, trace, dtypes):
        self.trace = trace
        self.dtype = compute_dtype(dtypes)
        buffers = _Buffers(trace, [dtype != self.dtype for dtype in dtypes])
        self.source = buffers.source()
        self.floats, self.bools = buffers.floats, buffers.bools
        self._read = [index for index, writes in enumerate(trace.written) if not writes]
        self._written = [index for index, writes in enumerate(trace.written) if writes]
        scope = {**_ufuncs, "setitem": operator.setitem, "partial": functools.partial}
        exec(compile(self.source, f"<block of {trace.name}>", "exec"), scope)
        self.block = scope["block"]
        fits = jit.compilable(trace, dtypes, self.dtype)
        self.loop = _loop(trace, self.dtype) if fits else None

    def prepare(self, numbers):
        """Returns the scalars that the program needs, computed from `numbers` once for all rows."""
        # 0-d arrays are twice as quick in a ufunc as Python's floats
        return [numpy.array(value, self.dtype) for value in self.trace.scalars(numbers)]

    def unit(self, row, scalars):
        """Returns the unit (complete.py) that updates one row of arrays."""
        flat = [array.ravel() for array in row]
        if all([flat[index].base is not None for index in self._written]):
            return self.unit_of_flat(self._apart(row, flat), scalars)
        return Unit(functools.partial(self._updated_copies, row, scalars))

    def _apart(self, row, flat):
        """Returns the flattened arrays `flat`, with a copy in place of each read-only array that
        may share memory with a written one."""
        for index in self._read:
            if _kin(row[index], row, self._written):
                flat[index] = flat[index].copy()
        return flat

    def unit_of_flat(self, arrays, scalars):
        """Returns the unit that updates 1-D arrays, by the compiled loop if it is ready, else block
        by block."""
        size = arrays[0].size
        loop = self._loop_for(arrays) if size else None
        if loop is not None:
            table = parallel_loops.blocks(size, jit.BLOCK)
            numbers = [scalar[()] for scalar in scalars]
            return Unit(lambda: called([loop.call_of(table, *arrays, *numbers)]))
        if size <= BLOCK:
            return Unit(functools.partial(self._calls, arrays, scalars))

        def units():
            return [
                Unit(functools.partial(self._calls, [array[part] for array in arrays], scalars))
                for part in scheduler.blocks(size, BLOCK)
            ]

        return Several(units, shared=True)

    def _calls(self, arrays, scalars):
        """Computes a block until the first write to an array, and returns the remaining calls."""
        return called(self.block(*arrays, *scalars, *self._scratch(arrays[0].size)))

    def _updated_copies(self, row, scalars):
        """Updates copies of a row that is not contiguous, and returns the calls that assign the
        copies to its arrays."""
        flat = [array.ravel() for array in row]
        for index, array in enumerate(row):
            if flat[index].base is not None and self.trace.written[index]:
                flat[index] = array.flatten()
        complete([self.unit_of_flat(flat, scalars)])
        values = [flat[index].reshape(row[index].shape) for index in self._written]
        return assigned([row[index] for index in self._written], values)

    def _loop_for(self, arrays):
        """Returns the compiled loop if it is ready and supports these arrays, else None. Large
        arrays request its compilation."""
        loop = self.loop
        if loop is None or not jit.fits(arrays):
            return None
        if loop.ready is None and arrays[0].size >= Least.UPDATE:
            loop.request()
        return loop if loop.ready is not None else None

    def _scratch(self, size):
        """Returns scratch memory of the calling thread."""
        return _buffers(self.dtype, self.floats, size) + _buffers(_BOOL, self.bools, size)


def _loop(trace, dtype):
    """Returns the ParallelLoop of an update formula, for one-dimensional arrays of one dtype."""
    parameters = [parallel_loops.part(dtype, 0)] * len(trace.names)
    parameters += [parallel_loops.number(dtype)] * trace.scalar_count
    text = functools.partial(jit.source, trace)
    return parallel_loops.ParallelLoop(text, parameters, False, trace.name)


def _kin(read, row, written):
    """Returns True if the array `read` may share memory with one of the arrays of `row` that
    `written` lists by index."""
    base = read.base
    for index in written:
        other = row[index]
        if other is read or other.base is read:
            return True
        if base is not None and (base is other or base is other.base):
            return True
    return False


_BOOL = numpy.dtype(bool)
_pool = threading.local()


def _buffers(dtype, count, size):
    """Returns `count` scratch arrays of `size` elements; a thread gets the same memory at each
    call."""
    pool = _pool.__dict__.setdefault(dtype, [])
    while len(pool) < count:
        pool.append(numpy.empty(BLOCK, dtype))
    return [buffer[:size] for buffer in pool[:count]]


class _Buffers:
    """Assigns a buffer to each value of a trace, and writes the Python lines that compute the
    values. HostProgram makes one to generate its function.

    A value is written, in this order of preference, over the array whose new value it is, if the
    old value is not needed later; over an operand that is no longer needed; into a free buffer;
    into a new buffer. Arrays of another dtype than the arithmetic's are loaded into a buffer first
    and stored last.

    All calls are to functions written in C, so that complete.py can make those that write to the
    arrays, and those after them, without a break. (`numpy.copyto` runs Python.)

    Attributes:
        floats, bools: the numbers of buffers.
    """

    def __init__(self, trace, low_precision):
        self.trace = trace
        self.low_precision = low_precision
        self.floats = self.bools = 0
        self._free = {"t": [], "b": []}
        self._calls = []  # (function, arguments, what it writes to)
        self._buffer = {}
        self._last = trace.last_uses()
        self._home = {
            value: index
            for index, value in trace.outputs.items()
            if not low_precision[index] and value >= len(trace.names)
        }

    def source(self):
        trace = self.trace
        for index, name in enumerate(trace.names):
            self._buffer[index] = name
            if self.low_precision[index] and self._last[index] >= 0:
                self._buffer[index] = self._new("t")
                self._copy(self._buffer[index], name)
        for line, step in enumerate(trace.steps):
            self._write(line, step)
        self._store()
        scratch = [f"t{i}" for i in range(self.floats)] + [f"b{i}" for i in range(self.bools)]
        head = ", ".join([*trace.names, *(f"s{i}" for i in range(trace.scalar_count)), *scratch])
        writes = [out in trace.names for _, _, out in self._calls]
        first = writes.index(True) if True in writes else len(writes)
        lines = [f"{function}({arguments})" for function, arguments, _ in self._calls[:first]]
        calls = [f"partial({name}, {arguments})" for name, arguments, _ in self._calls[first:]]
        lines.append(f"return [{', '.join(calls)}]")
        return "\n    ".join([f"def block({head}):", *lines]) + "\n"

    def _copy(self, out, source):
        self._calls.append(("setitem", f"{out}, ..., {source}", out))

    def _write(self, line, step):
        dying = [value for value in dict.fromkeys(step.values()) if self._last[value] == line]
        buffer = self._choose(line, step, dying)
        operands = [
            self._buffer[operand] if type(operand) is int else operand for operand in step.operands
        ]
        if step.name == "where":
            condition, yes, no = operands
            if no != buffer:
                self._copy(buffer, no)
            masked = f"{yes}, 1, out={buffer}, where={condition}"
            self._calls.append(("multiply", masked, buffer))
        else:
            self._calls.append((step.name, f"{', '.join(operands)}, out={buffer}", buffer))
        for value in dying:
            self._release(value, buffer)
        self._buffer[step.result] = buffer

    def _choose(self, line, step, dying):
        if step.is_bool:
            return self._new("b")
        in_use = set()
        if step.name == "where":  # two calls: the first must not overwrite the second's source
            in_use = {
                self._buffer[operand] for operand in step.operands[:2] if type(operand) is int
            }
        home = self._home.get(step.result)
        if home is not None:
            name = self.trace.names[home]
            if name not in in_use and not self._is_needed(name, line):
                return name
        for value in dying:
            buffer = self._buffer[value]
            if buffer in in_use or self._is_needed(buffer, line):
                continue
            if buffer in self._rewritten() if home is None else buffer not in self.trace.names:
                return buffer
        return self._new("t")

    def _is_needed(self, buffer, line):
        """Returns True if a value in `buffer` is read after `line`."""
        return any(
            where == buffer and self._last[value] > line for value, where in self._buffer.items()
        )

    def _rewritten(self):
        """Returns where an intermediate value may lie: in the buffers, and in arrays that a later
        line overwrites."""
        names = {self.trace.names[index] for index in self._home.values()}
        return names | {f"t{index}" for index in range(self.floats)}

    def _release(self, value, buffer):
        old = self._buffer[value]
        if old != buffer and old not in self.trace.names:
            self._free[old[0]].append(old)

    def _new(self, kind):
        if self._free[kind]:
            return self._free[kind].pop()
        if kind == "t":
            self.floats += 1
            return f"t{self.floats - 1}"
        self.bools += 1
        return f"b{self.bools - 1}"

    def _store(self):
        """Copies values that are elsewhere to their arrays; values in another array go through a
        buffer, because that array may be written to first."""
        moves = [
            (self.trace.names[index], self._buffer[value])
            for index, value in self.trace.outputs.items()
            if self._buffer[value] != self.trace.names[index]
        ]
        sources = []
        for _, source in moves:
            if source in self.trace.names and len(moves) > 1:
                buffer = self._new("t")
                self._copy(buffer, source)
                source = buffer
            sources.append(source)
        for (name, _), source in zip(moves, sources, strict=True):
            self._copy(name, source)
