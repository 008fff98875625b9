"""Compiled host loops for the bodies of operators, where Numba is installed.

The same bodies become single kernels on a GPU (gpu.py), from the same plan. Worked example:
`standardized(xp, x, scale, shift, *, eps, gives_rstd)` of layer norm becomes

    def loop(x0, x1, x2, o0, o1, o2, s0, row_step, part_step, parts, run, length, first, last):
        for row in range(first, last):
            r3 = 0.0
            for part in range(parts):
                for start in range(0, run, 4096):
                    base = row * row_step + part * part_step + start
                    a0 = x0[base : base + min(run - start, 4096)]
                    t3 = single(0)
                    for at in range(a0.size):
                        v0 = a0[at]
                        t3 = sum_in_any_order(t3, v0)
                    r3 += t3
            v3 = single(r3)

followed by one more loop for each sum that depends on another, and one for the results. Sums over
stretches of a row are accumulated in float64. The result of a slow function such as exp is stored
by the first loop that computes it, for later loops to reuse. Loops support float32, and bodies over
rows may also take one number of another dtype per row; loops run on `Least.BODY` elements or more.
Threads share the rows in pieces that depend only on shapes. A sum over rows is first computed for
each piece.
"""

import functools
import math
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.expressions import EXPRESSIONS, FLOAT, FUNCTIONS, indented, line, operand
from ..threads import parallel_loops
from ..threads.parallel_loops import ParallelLoop
from ..thresholds import Least
from . import host_steps
from .host_axis import AxisLoop
from .row_plan import (
    CHANNEL,
    COLUMN,
    ELEMENT,
    REDUCTIONS,
    ROW,
    SUMMED,
    BodyTrace,
    Operands,
    RowPlan,
    RowSpace,
    split,
)

BLOCK = 1 << 15  # elements of a piece
MOST_PIECES = 16  # upper limit if each piece has sums of its own
LINES = 32  # elements between the sums of two pieces, so that threads do not share cache lines
STRETCH = 4096  # elements summed in float32

_KNOWN = {*EXPRESSIONS, *REDUCTIONS, "row_size", "at_column", "row_check"}
_NO_SCALARS = {}, {}  # flags and numbers
_COLUMNS = {COLUMN: 2, CHANNEL: 4}  # where the table of `_pieces` has the range of such sums


@serves("bodies", least=None, takes=lambda: True, loops=list)
class CompiledBodies:
    """The object `xp.bodies` of the host. It has the methods of `gpu.Bodies`; each returns None if
    no compiled loop is available."""

    def __init__(self):
        # Bodies are looked up by the id of their code, whose hash takes longer than the rest of a
        # key. The loops hold the bodies, so that no other code gets such an id.
        self._made = {}
        self._work = {}  # id of the code of a body without flags -> the work of its PointLoop

    def apply(self, *arrays, least="BODY"):
        """Returns True if loops support arrays of these dtypes and sizes; the first one is the
        data."""
        return arrays[0].size >= getattr(Least, least) and all(
            type(array) is numpy.ndarray and (array.dtype == FLOAT or array.dtype.kind in "bi")
            for array in arrays
            if array is not None
        )

    def pointwise(self, body, *arrays, out=None, **scalars):
        """Evaluates `body(xp, *arrays, **scalars)` element by element, over arrays of one shape.

        Returns the results, or None if no compiled loop is available. With `out`, arrays may have
        the layouts that host_steps.py describes, and results are written to `out`.
        """
        if out is not None:
            return host_steps.run(self._made, body, arrays, out, *split(scalars))
        first, code = arrays[0], id(body.__code__)
        size, shape = first.size, first.shape
        if not self.pays(body, size):
            return None
        for array in arrays:
            if type(array) is not numpy.ndarray or array.dtype != FLOAT or array.shape != shape:
                return None
        repeated = [not any(array.strides) for array in arrays]
        if all(repeated):
            repeated[0] = False
        flags, numbers = split(scalars) if scalars else _NO_SCALARS
        key = (code, *repeated, *flags.items(), *numbers)
        loop = self._made.get(key)
        if loop is None:
            loop = self._made[key] = PointLoop(body, repeated, flags, tuple(numbers))
            loop.body = body
            if not flags:
                self._work[code] = loop.work
        if size * loop.work < Least.BODY_WORK or not loop.is_ready():
            return None
        return loop.run(arrays, numbers)

    def pays(self, body, size):
        """Returns False if a loop of an elementwise body never pays for arrays of a size."""
        work = self._work.get(id(body.__code__), math.inf)
        return size >= Least.BODY_POINT and size * work >= Least.BODY_WORK

    def along(self, body, axis, *arrays):
        """Evaluates `body(xp, *arrays, axis)` over an axis of arrays of one shape. Returns an array
        of that shape, or None if no compiled loop is available."""
        first = arrays[0]
        if axis not in (-1, first.ndim - 1):
            return self._inside(body, axis % first.ndim, arrays)
        size = first.shape[-1]
        shape = 1, first.size // size, size
        return self.rows(body, shape, (ELEMENT,), elements=arrays, axis=-1)

    def _inside(self, body, axis, arrays):
        """Computes `along` for an axis other than the last."""
        if math.prod(arrays[0].shape[axis + 1 :]) < Least.BODY_RUN:
            return None
        if not all(array.dtype == FLOAT and array.shape == arrays[0].shape for array in arrays):
            return None
        key = (id(body.__code__), "axis")
        loop = self._made.get(key)
        if loop is None:
            loop = self._made[key] = AxisLoop(body, len(arrays))
            loop.body = body
        return loop.run(axis, arrays) if loop.is_ready() else None

    def rows(
        self,
        body,
        shape,
        results,
        *,
        elements,
        columns=(),
        channels=(),
        rows=(),
        row_shape=None,
        **scalars,
    ):
        """Evaluates a body over rows; the arguments are those of `Bodies.rows`."""
        flags, numbers = split(scalars)
        area = numbers.get("area")
        if (shape[2] if area is None else area) < Least.BODY_RUN:
            return None
        operands = Operands(elements, columns, channels, rows)
        arrays, counts, names = operands.arrays(), operands.counts(), tuple(numbers)
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        key = (id(body.__code__), counts, results, dtypes, tuple(flags.items()), names)
        loop = self._made.get(key)
        if loop is None:
            loop = self._made[key] = RowLoop(body, operands.kinds(), results, dtypes, flags, names)
            loop.body = body
        row_shape = shape[1:2] if row_shape is None else row_shape
        return loop.run(shape, arrays, numbers, row_shape) if loop.is_ready() else None


def _column_lines(name, column):
    """Returns the lines that set the variable `name` to a column index of the row. Negative columns
    count from the end. A column outside the row ends the loop with False."""
    return [
        f"{name} = int({operand(column)})",
        f"{name} = {name} + length if {name} < 0 else {name}",
        f"if {name} < 0 or {name} >= length:",
        "    return False",
    ]


class PointLoop:
    """The compiled loop of a body that works element by element. `CompiledBodies.pointwise` makes
    and runs it.

    Args:
        body: the body.
        repeated: for each array, whether all its elements are views of one number. The loop then
            receives that number in place of the array.
        flags: the scalars that select what the body does.
        numbers: the names of the other scalars.

    Attributes:
        work (int): about how many passes over an array NumPy makes for the body.
    """

    def __init__(self, body, repeated, flags, numbers):
        names = [f"x{index}" for index in range(len(repeated))]
        self.repeated = repeated
        self.trace = BodyTrace(body, names, [True] * len(names), flags, numbers)
        self.work = sum(1 + (step.name in FUNCTIONS) for step in self.trace.steps)
        part, number = parallel_loops.part(FLOAT, 0), parallel_loops.number(FLOAT)
        parameters = [number if repeats else part for repeats in repeated]
        parameters += [part] * len(self.trace.results)
        # Without numbers all scalars are constants; as arguments they would double a call's cost.
        self.constants = None if numbers else self.trace.scalars({})
        if self.constants is None:
            parameters += [number] * self.trace.scalar_count
        self.loop = None
        if all(step.name in EXPRESSIONS for step in self.trace.steps):
            self.loop = ParallelLoop(self.text, parameters, True, self.trace.name)

    def is_ready(self):
        """Returns True if the loop can run; otherwise requests its compilation."""
        return self.loop is not None and self.loop.is_ready()

    def text(self, name):
        """Returns the Python source of the loop, as a function of this name."""
        trace = self.trace
        outputs = [f"o{number}" for number in range(len(trace.results))]
        scalars = [f"s{index}" for index in range(trace.scalar_count)]
        values = () if self.constants is None else map(float, self.constants)
        lines = [f"    {s} = single({_literal(v)})" for s, v in zip(scalars, values)]
        scalars = scalars if self.constants is None else []
        lines = [
            f"def {name}({', '.join([*trace.names, *outputs, *scalars])}):",
            *lines,
            "    for at in range(o0.size):",
        ]
        inner = [
            f"v{index} = {name}" if self.repeated[index] else f"v{index} = {name}[at]"
            for index, name in enumerate(trace.names)
        ]
        inner += map(line, trace.steps)
        inner += [
            f"{out}[at] = v{value}" for out, value in zip(outputs, trace.results, strict=True)
        ]
        return "\n".join([*lines, *indented(inner, 2)]) + "\n"

    def run(self, arrays, numbers):
        """Runs the loop and returns the results of the body."""
        operands = [
            FLOAT.type(array.item(0)) if repeats else jit.flat(array)
            for array, repeats in zip(arrays, self.repeated)
        ]
        first, trace = arrays[0], self.trace
        size, shape = first.size, first.shape
        outputs = [numpy.empty(size, FLOAT) for _ in trace.results]
        scalars = [FLOAT.type(value) for value in trace.scalars(numbers)] if numbers else ()
        self.loop.run(parallel_loops.blocks(size, BLOCK), *operands, *outputs, *scalars)
        if trace.single:
            return outputs[0].reshape(shape)
        return tuple([array.reshape(shape) for array in outputs])


def _literal(value):
    """Returns a float as source text."""
    if math.isfinite(value):
        return repr(value)
    return f"{'-' if value < 0 else ''}math.{abs(value)}"


class _HostSpace(RowSpace):
    """The `xp` of a body over rows in a host loop."""

    def row_moments(self, x):
        """Returns the mean of each row, its rounding error, and the variance. A loop whose squares
        overflow ends: for equal numbers the variance without the rounding error is 0."""
        mean, rest, var = super().row_moments(x)
        self.trace.add("row_check", var)
        return mean, rest, var


class _HostTrace(BodyTrace):
    """A BodyTrace whose `xp` is a _HostSpace."""

    space_type = _HostSpace


class RowLoop(RowPlan):
    """The compiled loop of a body over rows. `CompiledBodies.rows` makes and runs it."""

    trace_type = _HostTrace

    def __init__(self, body, kinds, result_kinds, dtypes, flags, numbers):
        super().__init__(body, kinds, result_kinds, dtypes, flags, numbers)
        self._stored = self._written_down()
        parameters = [parallel_loops.array(dtypes[index]) for index in self.there]
        parameters += [
            parallel_loops.part(FLOAT, _COLUMNS[kind])
            if kind in SUMMED
            else parallel_loops.array(FLOAT)
            for kind in result_kinds
        ]
        parameters += [parallel_loops.memory(FLOAT)] * len(self._stored)
        parameters += [parallel_loops.number(FLOAT)] * self.trace.scalar_count
        parameters += [parallel_loops.number()] * len(_Sizes._fields)
        parameters += [parallel_loops.piece(0), parallel_loops.piece(1)]
        self.loop = None
        if self._can_compile():
            self.loop = ParallelLoop(self.text, parameters, True, self.trace.name, checks=True)

    is_ready = PointLoop.is_ready

    def _can_compile(self):
        """Returns True if a loop can be generated for these arrays and steps: elements must be
        float32."""
        return all(step.name in _KNOWN for step in self.trace.steps) and all(
            self.dtypes[index] == FLOAT or self.kinds[index] == ROW for index in self.there
        )

    # Its text -----------------------------------------------------------------------------------

    def _loops(self):
        """Yields, for each loop over the elements of a row, the list of the values that it needs of
        each element."""
        for level in range(1, self.levels):
            yield [value for step in self._loop_reductions(level) for value in step.values()]
        yield [
            value
            for value, kind in zip(self.trace.results, self.result_kinds, strict=True)
            if kind not in (ROW, None)
        ]

    def _written_down(self):
        """Returns the slow steps, such as exp, that several loops need; the first of these loops
        stores their results for the others."""
        steps_needed = [
            {step for step in self.elements(values)[1] if step.name in FUNCTIONS}
            for values in self._loops()
        ]
        common = {
            step
            for steps in steps_needed
            for step in steps
            if sum(step in n for n in steps_needed) > 1
        }
        return sorted(common, key=lambda step: step.result)

    def text(self, name):
        """Returns the Python source of the loop, as a function of this name."""
        arrays = [f"x{index}" for index in self.there]
        arrays += [f"o{number}" for number in range(len(self.result_kinds))]
        arrays += [f"w{step.result}" for step in self._stored]
        scalars = [f"s{index}" for index in range(self.trace.scalar_count)]
        body = [
            f"v{index} = single(x{index}[row])" for index in self.there if self.kinds[index] == ROW
        ]
        ready = set()
        body += self._row_lines(0)
        for level in range(1, self.levels):
            for step in self.reductions(level):
                if step.name == "row_pick":
                    body += self._pick(step)
            body += self._reduction_lines(self._loop_reductions(level), ready)
            body += self._row_lines(level)
        body += self._results(ready)
        head = [
            f"def {name}({', '.join([*arrays, *scalars, *_Sizes._fields, 'first', 'last'])}):",
            "    for row in range(first, last):",
        ]
        return "\n".join([*head, *indented(body, 2), "    return True"]) + "\n"

    def _row_lines(self, level):
        """Returns the lines that compute what becomes known at this level: the values of the row,
        and the row's columns."""
        lines = []
        for step in self.of_row(level):
            if step.name == "row_check":
                lines += [f"if not {operand(step.operands[0])} < math.inf:", "    return False"]
            else:
                lines.append(line(step))
        for step in self.trace.steps:
            if step.name == "at_column" and self._level[step.result] == level:
                lines += _column_lines(f"c{step.result}", step.operands[0])
        return lines

    def _loop_reductions(self, level):
        """Returns the sums and maxima of a level that need a loop; a "row_pick" reads one element
        and needs none."""
        return [step for step in self.reductions(level) if step.name != "row_pick"]

    def _pick(self, step):
        """Returns the lines that compute a value in one column of the row, for a step
        "row_pick"."""
        value, column = step.operands
        arrays, steps = self.elements([value])
        offsets = {ELEMENT: "base", COLUMN: "inside", CHANNEL: "row % groups * parts + part"}
        return [
            *_column_lines("inside", column),
            "part = inside // run",
            "base = row * row_step + part * part_step + inside - part * run",
            *(f"v{index} = x{index}[{offsets[self.kinds[index]]}]" for index in arrays),
            *map(line, steps),
            f"v{step.result} = {operand(value)}",
        ]

    def _elements(self, values, ready):
        """Returns two lists of lines that compute `values`: lines before the inner loop, which
        slice arrays, and lines inside it, which compute one element.

        Args:
            values: the numbers of the values.
            ready (set): the numbers of the slow steps whose results are stored by now; the lines
                read these results. Steps that the lines store are added.
        """
        before, lines = [], []
        values = [value for value in values if not self._of_row[value]]
        computed = {step.result for step in self._stored if step.result in ready}
        arrays, steps = self.elements(values, computed)
        for index in arrays:
            if self.kinds[index] == CHANNEL:
                before.append(f"v{index} = x{index}[row % groups * parts + part]")
                continue
            start = "base" if self.kinds[index] == ELEMENT else "inside"
            before.append(f"a{index} = x{index}[{start} : {start} + count]")
            lines.append(f"v{index} = a{index}[at]")
        for step in steps:
            if step.name == "at_column":
                before.append(f"d{step.result} = whole(c{step.result} - inside)")
            if step.result in computed:
                lines.append(f"v{step.result} = b{step.result}[at]")
            else:
                lines.append(line(step))
        for step in self._stored:
            if step in steps:
                number = step.result
                before.append(f"b{number} = w{number}[inside : inside + count]")
                if number not in ready:
                    lines.append(f"b{number}[at] = v{number}")
                    ready.add(number)
        return before, lines

    def _reduction_lines(self, reductions, ready):
        """Returns the lines of the loop that computes sums and maxima of a row; `ready` is as for
        `_elements`."""
        if not reductions:
            return []
        values = [value for step in reductions for value in step.values()]
        before, lines = self._elements(values, ready)
        first, after, last = [], [], []
        for step in reductions:
            number, value = step.result, operand(step.operands[0])
            if step.name == "row_sum":
                first.append(f"r{number} = 0.0")
                before.append(f"t{number} = single(0)")
                lines.append(f"t{number} = sum_in_any_order(t{number}, {value})")
                after.append(f"r{number} += t{number}")
                last.append(f"v{number} = single(r{number})")
            else:
                # A maximum that outlives the inner loop would keep it from using vectors.
                first.append(f"r{number} = ordered(single(-math.inf))")
                before.append(f"t{number} = ordered(single(-math.inf))")
                lines.append(f"t{number} = max(t{number}, ordered({value}))")
                after.append(f"r{number} = max(r{number}, t{number})")
                last.append(f"v{number} = of_ordered(r{number})")
        return [*first, *self._over_row(before, lines, after), *last]

    def _results(self, ready):
        """Returns the lines that write the results: single lines for ROW results, and loops over
        the row for all others."""
        results = list(enumerate(zip(self.trace.results, self.result_kinds, strict=True)))
        lines = [f"o{number}[row] = v{value}" for number, (value, kind) in results if kind == ROW]
        written_steps = [
            (number, value, kind) for number, (value, kind) in results if kind not in (ROW, None)
        ]
        elements = [result for result in written_steps if result[2] == ELEMENT]
        sums = [result for result in written_steps if result[2] in SUMMED]
        for group in (elements, sums) if self._overlaps(written_steps) else (written_steps,):
            lines += self._write_lines(group, ready)
        return lines

    def _overlaps(self, stored):
        """Returns True if one loop that writes all these results has more pairs of possibly
        overlapping arrays than the compiler checks. The compiler would then not vectorize it."""
        written = sum(kind != CHANNEL for _, _, kind in stored)
        arrays, _ = self.elements([value for _, value, _ in stored])
        read = sum(self.kinds[index] != CHANNEL for index in arrays)
        return written * (written - 1) // 2 + written * read > jit.MOST_CHECKS

    def _write_lines(self, stored, ready):
        """Returns the lines of a loop over the row that writes results, or adds to them if they are
        sums over rows."""
        if not stored:
            return []
        before, inner = self._elements([value for _, value, _ in stored], ready)
        after = []
        for number, value, kind in stored:
            if kind == CHANNEL:
                before.append(f"t{number} = single(0)")
                inner.append(f"t{number} = sum_in_any_order(t{number}, v{value})")
                after.append(f"o{number}[row % groups * parts + part] += t{number}")
                continue
            start = "base" if kind == ELEMENT else "inside"
            before.append(f"p{number} = o{number}[{start} : {start} + count]")
            inner.append(f"p{number}[at] {'=' if kind == ELEMENT else '+='} v{value}")
        return self._over_row(before, inner, after)

    def _over_row(self, before, lines, after):
        """Returns the lines of a loop over all elements of a row, one stretch at a time. Each
        stretch runs `before`, then `lines` for each element, then `after`."""
        return [
            "for part in range(parts):",
            f"    for start in range(0, run, {STRETCH}):",
            f"        count = min(run - start, {STRETCH})",
            "        base = row * row_step + part * part_step + start",
            "        inside = part * run + start",
            *indented(before, 2),
            "        for at in range(count):",
            *indented(lines, 3),
            *indented(after, 2),
        ]

    # Its calls ----------------------------------------------------------------------------------

    def run(self, shape, arrays, numbers, row_shape):
        """Runs the loop and returns the results of the body; None if the body picks a column that
        a row lacks, or a variance overflows.

        Args:
            shape: (outer, rows, inner).
            arrays: the arrays of the body; None for an absent one.
            numbers (dict): the scalars of the call.
            row_shape: the shape of ROW results.
        """
        operands = [jit.flat(array) for array in arrays if array is not None]
        sizes = _sizes(shape, numbers.get("area"), numbers.get("groups"))
        table, written = _layout(shape, sizes, self.result_kinds)
        outputs = [
            (numpy.zeros if kind in SUMMED else numpy.empty)(shape, FLOAT)
            for kind, shape in zip(self.result_kinds, written)
        ]
        scalars = [FLOAT.type(value) for value in self.trace.scalars(numbers)]
        flat = [array.reshape(-1) for array in outputs]
        buffers = [sizes.length] * len(self._stored)
        if not self.loop.run(table, *operands, *flat, *buffers, *scalars, *sizes):
            return None
        shapes = {ELEMENT: arrays[self.kinds.index(ELEMENT)].shape, ROW: row_shape}
        results = [_result(array, kind, shapes) for array, kind in zip(outputs, self.result_kinds)]
        return results[0] if self.single else tuple(results)


@functools.lru_cache(maxsize=1024)
def _layout(shape, sizes, result_kinds):
    """Returns the table of pieces for rows of a shape, and the shape in which the loop writes each
    result."""
    rows, length = shape[1], shape[0] * shape[2]
    least = -(-rows // MOST_PIECES) if SUMMED.intersection(result_kinds) else 1
    table = _pieces(rows, max(BLOCK // length, least), length, sizes.groups * sizes.parts)
    shapes = {
        ELEMENT: (rows * length,),
        ROW: (rows,),
        COLUMN: (len(table), length + LINES),
        CHANNEL: (len(table), sizes.groups * sizes.parts + LINES),
        None: (0,),
    }
    return table, [shapes[kind] for kind in result_kinds]


def _pieces(rows, size, length, channels):
    """Returns a table with a row for each piece: its ranges of rows, of COLUMN sums and of CHANNEL
    sums, as (first, last) pairs."""
    rows = parallel_loops.blocks(rows, size)
    numbers = numpy.arange(len(rows))[:, None]
    sums = [numbers * (size + LINES) + [0, size] for size in (length, channels)]
    return numpy.concatenate([rows, *sums], 1)


class _Sizes(NamedTuple):
    """The layout of rows in memory, counted in elements."""

    row_step: int  # from a row to the next
    part_step: int  # from a part of a row to the next
    parts: int
    run: int  # elements of a part, which lie together
    groups: int  # rows in a sample if a part is a channel, else 1
    length: int  # elements of a row


@functools.lru_cache(maxsize=1024)
def _sizes(shape, area, groups):
    outer, rows, inner = shape
    if area is not None:
        return _Sizes(inner, area, inner // area, area, groups, inner)
    return _Sizes(inner, rows * inner, outer, inner, 1, outer * inner)


def _result(array, kind, shapes):
    """Returns a result of the loop in its final form: one of `shapes`, by kind. For sums over rows,
    the sums of the pieces are added."""
    if kind in SUMMED:
        return array[:, :-LINES].sum(0)
    if kind is None:
        return None
    return array.reshape(shapes[kind])
