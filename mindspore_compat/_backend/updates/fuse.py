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

    def block(p, g, moments, s0, s1, t0, t1):
        multiply(s0, moments, out=t0)
        add(t0, g, out=t0)
        multiply(s1, t0, out=t1)
        subtract(p, t1, out=t1)
        return t1, t0

called on 64k elements at a time, by several threads. Nothing is allocated, and a block stays in the
cache until its results are assigned to `p` and `moments` (complete.py). On a GPU, the same record
becomes the body of a kernel that updates all rows at once (bodies/multi_tensor.py). Halves are
computed in float32 and rounded when stored, on both. Shapes are compared before anything is
written, so a refused call changes nothing. Where Numba is installed, a compiled loop of the same
program updates large arrays instead (compiled/jit.py).

Formulas that reduce, reshape or branch on values cannot be traced and do not belong here.
"""

import functools
import threading

import numpy

from .. import arrays
from ..arrays import SPACES
from ..bodies.c_code import compute_dtype
from ..bodies.multi_tensor import KernelProgram
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
        "greater_equal less less_equal equal not_equal logical_and logical_or tanh expm1 log1p "
        "copyto"
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
            skip: a 0-d bool array of a GPU; if true, the rows there stay unchanged.
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
        """Returns the units (complete.py) that update many rows; the arguments are those of
        `sweep`. Each contiguous row of the host has a unit of its own."""
        if arrays.find_recorder is not None:
            rows = recorded_array.give_up(rows, Reason.UPDATE_OUTSIDE)
        flags, numbers = {}, {}
        for key, value in scalars.items():
            is_flag = value is None or isinstance(value, (bool, str))
            (flags if is_flag else numbers)[key] = value
        prepared_programs, of_device, units = {}, {}, []
        with numpy.errstate(all="ignore"):
            for row in rows:
                key = tuple([array.dtype for array in row])
                entry = prepared_programs.get((type(row[0]), key))
                if entry is None:
                    program = self._program(type(row[0]), key, flags, tuple(numbers))
                    entry = prepared_programs[type(row[0]), key] = (
                        program,
                        program.prepare(numbers),
                    )
                if type(row[0]) is numpy.ndarray:
                    units += entry[0].units(row, entry[1])
                else:
                    of_device.setdefault(entry[0], (entry[1], []))[1].append(row)
        for program, (numbers, rows) in of_device.items():
            units.append(Unit(functools.partial(program.calls, rows, numbers, skip)))
        return units

    def _refuse(self, row):
        shapes = ", ".join(
            f"'{name}' {array.shape}" for name, array in zip(self.names, row, strict=True)
        )
        raise ValueError(
            f"For '{self.formula.__name__}', all arrays must have one shape, but got {shapes}."
        )

    def _program(self, kind, dtypes, flags, numbers):
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
        self._results = buffers.results
        scope = dict(_ufuncs)
        exec(compile(self.source, f"<block of {trace.name}>", "exec"), scope)
        self.block = scope["block"]
        fits = jit.compilable(trace, dtypes, self.dtype)
        self.loop = _loop(trace, self.dtype) if fits else None

    def prepare(self, numbers):
        """Returns the scalars that the program needs, computed from `numbers` once for all rows."""
        # 0-d arrays are twice as quick in a ufunc as Python's floats
        return [numpy.array(value, self.dtype) for value in self.trace.scalars(numbers)]

    def units(self, row, scalars):
        """Returns the units (complete.py) that update one row of arrays."""
        flat = [array.ravel() for array in row]
        if all([flat[index].base is not None for index in self._written]):
            return [self._unit(self._apart(row, flat), scalars)]
        return [Unit(functools.partial(self._updated_copies, row, scalars))]

    def _apart(self, row, flat):
        """Returns the flattened arrays `flat`, in which a copy replaces each read-only array that
        may share memory with a written one."""
        for index in self._read:
            if _kin(row[index], row, self._written):
                flat[index] = flat[index].copy()
        return flat

    def _unit(self, arrays, scalars):
        """Returns the unit that updates arrays of one axis, by the compiled loop if it is ready,
        else block by block."""
        size = arrays[0].size
        loop = self._loop_for(arrays) if size else None
        if loop is not None:
            table = parallel_loops.blocks(size, jit.BLOCK)
            numbers = [scalar[()] for scalar in scalars]
            return Unit(lambda: called([loop.call_of(table, *arrays, *numbers)]))
        if size <= BLOCK:
            return Unit(lambda: self._assign_block(arrays, scalars))

        def units():
            return [
                Unit(
                    functools.partial(
                        self._assign_block, [array[part] for array in arrays], scalars
                    )
                )
                for part in scheduler.blocks(size, BLOCK)
            ]

        return Several(units, shared=True)

    def _assign_block(self, arrays, scalars):
        """Computes the new values of a block, and returns the calls that assign them."""
        values = self.block(*arrays, *scalars, *self._scratch(arrays[0].size))
        return assigned([arrays[index] for index in self._results], values)

    def _updated_copies(self, row, scalars):
        """Updates copies of a row that is not contiguous, and returns the calls that assign the
        copies to its arrays."""
        flat = [array.ravel() for array in row]
        for index, array in enumerate(row):
            if flat[index].base is not None and self.trace.written[index]:
                flat[index] = array.flatten()
        complete([self._unit(flat, scalars)])
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

    A value is written, in this order of preference, over an operand in a buffer that is no longer
    needed; into a free buffer; into a new buffer. The arrays themselves are only read. Arrays of
    another dtype than the arithmetic's are loaded into a buffer first.

    Attributes:
        floats, bools: the numbers of buffers.
        results: the indexes of the arrays whose new values the block returns.
    """

    def __init__(self, trace, low_precision):
        self.trace = trace
        self.low_precision = low_precision
        self.floats = self.bools = 0
        self._free = {"t": [], "b": []}
        self._lines = []
        self._buffer = {}
        self._last = trace.last_uses()
        self.results = [index for index, value in trace.outputs.items() if value != index]

    def source(self):
        trace = self.trace
        for index, name in enumerate(trace.names):
            self._buffer[index] = name
            if self.low_precision[index] and self._last[index] >= 0:
                self._buffer[index] = self._new("t")
                self._lines.append(f"copyto({self._buffer[index]}, {name}, 'unsafe')")
        for line, step in enumerate(trace.steps):
            self._write(line, step)
        values = [self._value(index) for index in self.results]
        self._lines.append(f"return ({''.join([f'{value}, ' for value in values])})")
        scratch = [f"t{i}" for i in range(self.floats)] + [f"b{i}" for i in range(self.bools)]
        head = ", ".join([*trace.names, *(f"s{i}" for i in range(trace.scalar_count)), *scratch])
        return "\n    ".join([f"def block({head}):", *self._lines]) + "\n"

    def _write(self, line, step):
        dying = [value for value in dict.fromkeys(step.values()) if self._last[value] == line]
        buffer = self._choose(step, dying)
        operands = [
            self._buffer[operand] if type(operand) is int else operand for operand in step.operands
        ]
        if step.name == "where":
            condition, yes, no = operands
            if no != buffer:
                self._lines.append(f"copyto({buffer}, {no})")
            self._lines.append(f"copyto({buffer}, {yes}, where={condition})")
        else:
            self._lines.append(f"{step.name}({', '.join(operands)}, out={buffer})")
        for value in dying:
            self._release(value, buffer)
        self._buffer[step.result] = buffer

    def _choose(self, step, dying):
        if step.is_bool:
            return self._new("b")
        names_in_use = set(self.trace.names)
        if step.name == "where":  # two copies: the first must not overwrite the second's source
            names_in_use |= {
                self._buffer[operand] for operand in step.operands[:2] if type(operand) is int
            }
        for value in dying:
            buffer = self._buffer[value]
            if buffer[0] == "t" and buffer not in names_in_use:
                return buffer
        return self._new("t")

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

    def _value(self, index):
        """Returns the name of the buffer that holds the new value of array `index`. If the new
        value is another array of the row, it is copied first, because that array may be assigned
        to before this one."""
        buffer = self._buffer[self.trace.outputs[index]]
        if buffer not in self.trace.names:
            return buffer
        copy = self._new("t")
        self._lines.append(f"copyto({copy}, {buffer}, 'unsafe')")
        return copy
