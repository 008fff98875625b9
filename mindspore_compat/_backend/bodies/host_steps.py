"""Compiled host loops (compiled/jit.py) that compute one time step of a recurrence, such as LSTM.
host.py calls `run` for bodies with an `out` argument.

The gates of a step are Parts of one array (row_plan.py), which a loop reads and writes in place. A
one-dimensional array has one value for each position of a row; an array whose last axis is 1 has
one value for each row. A step is small, so one thread runs it unless there are many rows.
"""

from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.expressions import EXPRESSIONS, FLOAT, indented, line
from ..threads import scheduler
from .row_plan import COLUMN, ELEMENT, ROW, BodyTrace, Parts

BLOCK = 1 << 15  # elements per value of the rows that one thread processes


def run(loops, body, arrays, out, flags, numbers):
    """Writes the results of `body(xp, *arrays, **scalars)` to `out`.

    Args:
        loops: a dict of the loops that exist already; a new loop is added to it.
        body: a function without a closure.
        arrays: arrays; None stands for an absent one, Parts for several.
        out: contiguous arrays or Parts for the results.
        flags, numbers: the scalars that select what the body does, and the other scalars.

    Returns:
        `out`; None if no compiled loop is available, and then nothing is written.
    """
    first, count = _whole(out[0])
    width = first.shape[-1] // count
    wholes, layout = [], []
    for array in (*arrays, *out):
        if array is None:
            layout.append(None)
            continue
        whole, count = _whole(array)
        if whole.dtype != FLOAT:
            return None
        wholes.append(whole if whole.flags.carray else whole.copy())
        layout.append(_Place(count, _kind(whole, width)))
    key = (id(body.__code__), *layout, *flags.items(), *numbers)
    loop = loops.get(key)
    if loop is None:
        loop = loops[key] = StepLoop(body, layout, len(arrays), flags, tuple(numbers))
        loop.body = body  # so that no other code gets its id
    if not loop.is_ready():
        return None
    loop.run(wholes, width, numbers)
    return out


class _Place(NamedTuple):
    """The layout of one argument of a body in the array that holds it."""

    count: int  # values of the body (Parts) that the array holds next to each other
    kind: str  # ELEMENT, COLUMN or ROW


def _kind(whole, width):
    """Returns the kind of an array: ELEMENT, COLUMN or ROW."""
    if whole.ndim == 1:
        return COLUMN
    return ROW if whole.shape[-1] < width else ELEMENT


def _whole(array):
    return array if type(array) is Parts else (array, 1)


class StepLoop:
    """The compiled loop for the body of one time step. `run` makes one for each layout."""

    def __init__(self, body, layout, operands, flags, numbers):
        self._inputs, self._outputs = layout[:operands], layout[operands:]
        present = []
        for operand in self._inputs:
            present += [operand is not None] * (1 if operand is None else operand.count)
        names = [f"x{index}" for index in range(len(present))]
        self.trace = BodyTrace(body, names, present, flags, numbers)
        wholes = sum(operand is not None for operand in layout)
        parameters = [(FLOAT, True)] * wholes + [(FLOAT, False)] * self.trace.scalar_count
        parameters += [(numpy.dtype(numpy.int64), False)] * 3
        self.loop = None
        if all(step.name in EXPRESSIONS for step in self.trace.steps):
            self.loop = jit.Loop(self.text, parameters, True, self.trace.name)

    def is_ready(self):
        """Returns True if the loop can run; otherwise requests its compilation."""
        return self.loop is not None and (self.loop.ready is not None or self.loop.request())

    def text(self, name):
        """Returns the Python source of the loop, as a function of this name."""
        arrays, before, read, writes = [], [], [], []
        value = 0
        for index, place in enumerate(self._inputs):
            if place is None:
                value += 1
                continue
            arrays.append(f"x{index}")
            for number in range(place.count):
                if place.kind == ROW:
                    before.append(f"v{value} = x{index}[row]")
                else:
                    before.append(f"a{value} = {_slice(arrays[-1], number, *place)}")
                    read.append(f"v{value} = a{value}[at]")
                value += 1
        for index, place in enumerate(self._outputs):
            arrays.append(f"o{index}")
            for number in range(place.count):
                result = len(writes)
                before.append(f"p{result} = {_slice(arrays[-1], number, *place)}")
                writes.append(f"p{result}[at] = v{self.trace.results[result]}")
        scalars = [f"s{index}" for index in range(self.trace.scalar_count)]
        lines = [
            f"def {name}({', '.join([*arrays, *scalars, 'width', 'first', 'last'])}):",
            "    for row in range(first, last):",
            *indented([*before, "for at in range(width):"], 2),
            *indented([*read, *map(line, self.trace.steps), *writes], 3),
        ]
        return "\n".join(lines) + "\n"

    def run(self, wholes, width, numbers):
        """Runs the loop on `wholes`: the input arrays, then the arrays that receive the results."""
        rows = wholes[-1].size // (width * self._outputs[-1].count)
        operands = [whole.reshape(-1) for whole in wholes]
        operands += [FLOAT.type(value) for value in self.trace.scalars(numbers)]
        if rows * width <= BLOCK:
            self.loop.ready(*operands, width, 0, rows)
            return
        parts = scheduler.blocks(rows, max(BLOCK // width, 1))

        def work(number):
            self.loop.ready(*operands, width, parts[number].start, parts[number].stop)

        scheduler.run(work, len(parts))


def _slice(array, number, count, kind):
    """Returns the source text that slices the contiguous values of one row from an array.

    Args:
        array (str): the name of the array.
        number (int): the number of the value to slice. `count` values of a row lie next to each
            other.
        kind: ELEMENT, COLUMN or ROW.
    """
    start = f"{number}" if kind == COLUMN else f"(row * {count} + {number})"
    return f"{array}[{start} * width : ({start} + 1) * width]"
