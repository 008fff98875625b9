"""The compiled host loop of a body over rows, and its prepared calls; host.py makes and runs them.

What a call needs besides the arrays follows from the shape of the rows and from the scalars: the
table of pieces, the layout of the rows, the memory of the threads. A `RowCall` has it ready, so
that a call on a small array costs little more than the loop.
"""

import functools
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.expressions import EXPRESSIONS, FLOAT, FUNCTIONS, indented, line, operand
from ..threads import parallel_loops
from ..threads.parallel_loops import ParallelLoop
from .row_plan import (
    CHANNEL,
    COLUMN,
    ELEMENT,
    REDUCTIONS,
    ROW,
    SUMMED,
    BodyTrace,
    RowPlan,
    RowSpace,
)

BLOCK = 1 << 15  # elements of a piece
MOST_PIECES = 16  # upper limit if each piece has sums of its own
LINES = 32  # elements between the sums of two pieces, so that threads do not share cache lines
STRETCH = 4096  # elements summed in float32

_KNOWN = {*EXPRESSIONS, *REDUCTIONS, "row_size", "at_column", "row_check"}
_COLUMNS = {COLUMN: 2, CHANNEL: 4}  # where the table of `_pieces` has the range of such sums


def _column_lines(name, column):
    """Returns the lines that set the variable `name` to a column index of the row. Negative columns
    count from the end. A column outside the row ends the loop with False."""
    return [
        f"{name} = int({operand(column)})",
        f"{name} = {name} + length if {name} < 0 else {name}",
        f"if {name} < 0 or {name} >= length:",
        "    return False",
    ]


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
    """The compiled loop of a body over rows. `CompiledBodies.rows` makes it, a RowCall runs it.

    Attributes:
        buffers (int): the number of arrays of memory, as long as a row, that each thread needs.
    """

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
        self.buffers = len(self._stored)
        self.loop = None
        if self._can_compile():
            self.loop = ParallelLoop(self.text, parameters, True, self.trace.name, checks=True)

    def is_ready(self):
        """Returns True if the loop can run; otherwise requests its compilation."""
        return self.loop is not None and self.loop.is_ready()

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


class RowCall:
    """A call of a RowLoop that is ready, for one shape of the rows and for given scalars.

    Args:
        loop: the RowLoop.
        shape: (outer, rows, inner).
        numbers (dict): the scalars that are numbers.
        row_shape: the shape of ROW results.

    Attributes:
        has_zero (bool): whether one of the numbers is 0.
    """

    __slots__ = (
        "has_zero",
        "_call",
        "_single",
        "_results",
        "_after",
        "_element",
        "_row_shape",
        "_size",
    )

    def __init__(self, loop, shape, numbers, row_shape):
        sizes = _sizes(shape, numbers.get("area"), numbers.get("groups"))
        table, written = _layout(shape, sizes, loop.result_kinds)
        self._call, self._single = loop.loop.caller(table), loop.single
        self._results = tuple(zip(loop.result_kinds, written))
        scalars = [FLOAT.type(value) for value in loop.trace.scalars(numbers)]
        self._after = (*[sizes.length] * loop.buffers, *scalars, *sizes)
        self._element, self._row_shape = loop.kinds.index(ELEMENT), row_shape
        only_elements = loop.single and loop.result_kinds == (ELEMENT,)
        self._size = written[0] if only_elements else None

    def run(self, arrays):
        """Runs the loop and returns the results of the body; None if the body picks a column that
        a row lacks, or a variance overflows. `arrays` has None for an absent array."""
        operands = []
        for array in arrays:
            if array is not None:
                flat = array.ravel()
                operands.append(flat if flat.flags.carray else jit.flat(flat))
        if self._size is not None:  # the ordinary case, in half the time
            out = numpy.empty(self._size, FLOAT)
            has_failed = self._call(*operands, out, *self._after)
            return None if has_failed else out.reshape(arrays[self._element].shape)
        outputs = [
            numpy.zeros(shape, FLOAT) if kind in SUMMED else numpy.empty(shape, FLOAT)
            for kind, shape in self._results
        ]
        flat = [array if array.ndim == 1 else array.reshape(-1) for array in outputs]
        if self._call(*operands, *flat, *self._after):
            return None
        results = []
        for array, (kind, _) in zip(outputs, self._results):
            if kind == ELEMENT:
                array = array.reshape(arrays[self._element].shape)
            elif kind == ROW:
                array = array.reshape(self._row_shape)
            else:
                array = _summed(array) if kind in SUMMED else None
            results.append(array)
        return results[0] if self._single else tuple(results)


def _summed(sums):
    """Returns the sum of the sums of all pieces."""
    sums = sums[:, :-LINES]
    return sums[0] if len(sums) == 1 else numpy.add.reduce(sums, 0)


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
    """Returns a table with one line for each piece of the work: the range of its rows, then where
    its partial COLUMN sums and CHANNEL sums are stored, each as a (first, last) pair."""
    rows = parallel_loops.blocks(rows, size)
    numbers = numpy.arange(len(rows))[:, None]
    sums = [numbers * (size + LINES) + [0, size] for size in (length, channels)]
    return numpy.concatenate([rows, *sums], 1)


class _Sizes(NamedTuple):
    """The layout of rows in memory, counted in elements."""

    row_step: int  # distance between the starts of neighbouring rows
    part_step: int  # distance between the starts of neighbouring parts of a row
    parts: int  # number of parts in a row
    run: int  # length of a part, whose elements are contiguous
    groups: int  # number of rows in a sample if each part is a channel, otherwise 1
    length: int  # number of elements in a row


@functools.lru_cache(maxsize=1024)
def _sizes(shape, area, groups):
    outer, rows, inner = shape
    if area is not None:
        return _Sizes(inner, area, inner // area, area, groups, inner)
    return _Sizes(inner, rows * inner, outer, inner, 1, outer * inner)
