"""Compiled host loops for bodies over an axis other than the last.

An array is treated as (outer, length, inner), with the axis in the middle. Where host.py keeps one
number per row in a register, this file keeps a short array with one number for each of several
neighbours in the last dimension, which are processed together. `e / sum(e)` with `e = exp(x)`
becomes

    for block in range(first, last):
        for begin in range(start, stop, width):
            count = min(stop - begin, width)
            for at in range(count):
                r2[at] = 0.0
            for k in range(length):
                base = (block * length + k) * inner + begin
                a0 = x0[base : base + count]
                for at in range(count):
                    v0 = a0[at]
                    v1 = exp(v0)
                    r2[at] += v1
            for at in range(count):
                w2[at] = single(r2[at])

and one more loop over the axis writes the results. Here `single` rounds to float32; sums are
float64. Threads share the outer and inner dimensions in pieces that depend only on shapes.
"""

import math

import numpy

from ..compiled import jit
from ..compiled.expressions import EXPRESSIONS, FLOAT, indented, line, operand
from ..threads import parallel_loops
from ..threads.parallel_loops import ParallelLoop
from .row_plan import ELEMENT, RowPlan

WIDTH = 256  # neighbours in the last dimension that are processed together, at most
BLOCK = 1 << 15  # elements of a piece, approximately
_SUM, _ORDERED = numpy.dtype(numpy.float64), numpy.dtype(numpy.int32)
_KNOWN = {*EXPRESSIONS, "row_sum", "row_max", "row_size"}


class AxisLoop(RowPlan):
    """The compiled loop of a body over an axis other than the last. Its arrays all have one shape,
    which is also the shape of its single result. `CompiledBodies.along` makes and runs it.

    Args:
        body: `body(xp, *arrays, axis)`, without a closure.
        count (int): the number of arrays.
    """

    def __init__(self, body, count):
        super().__init__(body, (ELEMENT,) * count, (ELEMENT,), (FLOAT,) * count, {}, ("axis",))
        levels = range(1, self.levels)
        self._found = [step for level in levels for step in self.reductions(level)]
        self._kept = [step for level in levels for step in self._of_level(level)]
        array, memory = parallel_loops.array, parallel_loops.memory
        number, piece = parallel_loops.number(), parallel_loops.piece
        parameters = [array(FLOAT)] * (count + 1)
        parameters += [
            memory(_SUM if reduction.name == "row_sum" else _ORDERED) for reduction in self._found
        ]
        parameters += [memory(FLOAT)] * len(self._kept)
        parameters += [parallel_loops.number(FLOAT)] * self.trace.scalar_count
        parameters += [number] * 3 + [piece(column) for column in range(4)]
        self.loop = None
        if all(step.name in _KNOWN for step in self.trace.steps):
            self.loop = ParallelLoop(self.text, parameters, True, self.trace.name)

    def is_ready(self):
        """Returns True if the loop can run; otherwise requests its compilation."""
        return self.loop is not None and self.loop.is_ready()

    def text(self, name):
        """Returns the Python source of the loop, as a function of this name."""
        names = [f"x{index}" for index in self.there] + ["o0"]
        names += [f"r{step.result}" for step in self._found]
        names += [f"w{step.result}" for step in self._kept]
        names += [f"s{index}" for index in range(self.trace.scalar_count)]
        names += "length inner width first last start stop".split()
        inner = ["count = min(stop - begin, width)", *map(line, self.of_row(0))]
        for level in range(1, self.levels):
            inner += self._reduction_lines(level)
        (result,) = self.trace.results
        before, lines = self._elements([result], self.levels - 1)
        before.append("p0 = o0[base : base + count]")
        inner += self._over_axis(before, [*lines, f"p0[at] = v{result}"])
        head = [
            f"def {name}({', '.join(names)}):",
            "    for block in range(first, last):",
            "        for begin in range(start, stop, width):",
        ]
        return "\n".join([*head, *indented(inner, 3)]) + "\n"

    def _reduction_lines(self, level):
        """Returns the lines of the loops that compute the sums and maxima of a level, and the
        values that follow from these alone."""
        steps = self.reductions(level)
        first, lines, loads = [], [], self._loads(level - 1)
        for step in steps:
            total, value = f"r{step.result}[at]", operand(step.operands[0])
            if step.name == "row_sum":
                first.append(f"{total} = 0.0")
                lines.append(f"{total} += {value}")
                loads.append(f"v{step.result} = single({total})")
            else:
                first.append(f"{total} = ordered(single(-math.inf))")
                lines.append(f"{total} = max({total}, ordered({value}))")
                loads.append(f"v{step.result} = of_ordered({total})")
        loads += map(line, self.of_row(level))
        loads += [f"w{step.result}[at] = v{step.result}" for step in self._of_level(level)]
        values = [value for step in steps for value in step.values()]
        before, elements = self._elements(values, level - 1)
        return [
            *self._over_block(first),
            *self._over_axis(before, [*elements, *lines]),
            *self._over_block(loads),
        ]

    def _of_level(self, level):
        """Returns the steps that become known at this level and have one value for each position
        along the inner dimension."""
        return [*self.reductions(level), *self.of_row(level)]

    def _loads(self, level):
        """Returns the lines that read the values which `_of_level` lists for this and all earlier
        levels, from the short arrays `w` that store them."""
        steps = [step for number in range(1, level + 1) for step in self._of_level(number)]
        return [f"v{step.result} = w{step.result}[at]" for step in steps]

    def _elements(self, values, level):
        """Returns two lists of lines that compute `values`: lines before the inner loop, which
        slice the arrays, and lines inside it, which compute one element."""
        arrays, steps = self.elements(values)
        before = [f"a{index} = x{index}[base : base + count]" for index in arrays]
        lines = [f"v{index} = a{index}[at]" for index in arrays]
        return before, [*self._loads(level), *lines, *map(line, steps)]

    @staticmethod
    def _over_block(lines):
        """Returns the lines of a loop that runs `lines` for each neighbour of a block."""
        return ["for at in range(count):", *indented(lines, 1)]

    def _over_axis(self, before, lines):
        """Returns the lines of a loop over the axis, which runs `before` and then an inner loop
        that runs `lines` for each neighbour of a block."""
        return [
            "for k in range(length):",
            "    base = (block * length + k) * inner + begin",
            *indented([*before, *self._over_block(lines)], 1),
        ]

    def run(self, axis, arrays):
        """Runs the loop and returns the result for arrays of one shape."""
        shape = arrays[0].shape
        outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        out = numpy.empty(shape, FLOAT)
        width = min(WIDTH, inner)
        scalars = [FLOAT.type(value) for value in self.trace.scalars({"axis": axis})]
        memories = [width] * (len(self._found) + len(self._kept))
        operands = [jit.flat(array) for array in arrays]
        table = parallel_loops.blocks_around(outer, length, inner, BLOCK, WIDTH)
        sizes = length, inner, width
        self.loop.run(table, *operands, out.reshape(-1), *memories, *scalars, *sizes)
        return out
