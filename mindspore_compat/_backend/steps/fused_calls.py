"""Fuses elementwise calls of a recorded step into compiled loops.

Consecutive lines of a plan (recording.py) that compute element by element on arrays of one shape
become one line. Worked example:

    s2 = c0(HOST, s1, s0)            s3 = c2(s1, s0)                 # a FusedCalls
    s1 = s0 = None                   if s3 is None:
    s3 = c1(HOST, s2)                    s2 = c0(HOST, s1, s0)
    s2 = None                            s1 = s0 = None
                                         s3 = c1(HOST, s2)
                                         s2 = None
                                     else:
                                         s1 = s0 = s2 = None

The loop reads each array once and writes the results that later lines use; threads share it in
pieces. Its results are bitwise NumPy's: elementwise_calls.py accepts only operations that IEEE 754
rounds correctly, and the loop neither contracts nor reorders them. Until the loop is compiled, and
for arrays that are not contiguous, the original lines run. A group needs no more memory than its
separate lines.
"""

import math
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.expressions import indented, operand
from ..threads import parallel_loops
from ..thresholds import Least, Most
from .elementwise_calls import (
    BOOL,
    EXPRESSIONS,
    FLOATS,
    Broadcast,
    ElementwiseSteps,
    NotElementwise,
    broadcast,
)
from .weight_products import SLOTS

BLOCK = 1 << 16  # elements in a piece, which one thread computes
MANY = 4  # steps that are worth a loop for a small array, too

_loops = {}  # text and parameters -> loop, the same for all plans


class Fusions:
    """The calls of a recorded step that may be fused."""

    def __init__(self):
        self._calls = {}  # number of a line -> its Call, its text
        self._belongs = {}  # number of a line -> number of the call whose results it reads
        self._light = set()  # numbers of lines that allocate no large array

    def note_light(self, number):
        """Records that a line only reads an attribute, or calls a function with small results."""
        self._light.add(number)

    def note(self, number, lines, call):
        """Records which lines belong to a call, and the call itself if it is elementwise.

        Args:
            number (int): the number of the line that makes the call; all later lines check its
                results.
            lines (list): all lines so far.
            call (elementwise_calls.Call): the call.
        """
        for after in range(number + 1, len(lines)):
            self._belongs[after] = number
        outputs = call.outputs()
        if all(math.prod(output.shape) < Least.FUSED_CALLS for output in outputs):
            self._light.update(range(number, len(lines)))
        if _alike(outputs, call.shape) and call.dtype in FLOATS and _elementwise(call):
            self._calls[number] = call, lines[number]

    def group_lines(self, lines, results):
        """Returns the lines of a plan, in which a Group replaces the lines that are fused.

        Args:
            lines (list): the lines, with "" for removed ones.
            results (str): the expression of the plan's results, which follows the lines.
        """
        if not jit.available():
            return [line for line in lines if line]
        last = {slot: number for number, line in enumerate(lines) for slot in SLOTS.findall(line)}
        last.update(dict.fromkeys(SLOTS.findall(results), len(lines)))
        parts, group = [], None
        for number, line in enumerate(lines):
            call, text = self._calls.get(number, (None, None))
            call = call if text == line else None
            if group is not None and call is not None and group.takes(call):
                group.add(number, line, call)
            elif group is not None and self._belongs.get(number) == group.number:
                group.lines.append(line)
            elif group is not None and number in self._light and not group.makes(line):
                parts.append(line)  # the line moves before the group, so the group can go on
            else:
                parts += group.close(last) if group is not None else []
                group = None if call is None else Group(number, line, call)
                parts += [line] if call is None else []
        parts += group.close(last) if group is not None else []
        return [line for line in parts if line]


def _alike(outputs, shape):
    """Returns True if all results have one shape and are large enough for a loop."""
    return (
        bool(outputs and shape)
        and math.prod(shape) >= Least.FUSED_STEPS
        and all(output.shape == shape and output.dtype in (*FLOATS, BOOL) for output in outputs)
    )


def _elementwise(call):
    """Returns True if a loop can compute the call."""
    try:
        layout_of(ElementwiseSteps([call]))
    except Exception:  # code written for arrays may raise anything for symbols
        return False
    return True


class Group:
    """Consecutive lines of a plan that one compiled loop replaces.

    Attributes:
        lines (list): the lines.
        number (int): the number of the last line that is a call.
        fused (FusedCalls): the loop that replaces the lines; None until the group is closed.
        results (list): the slots that the group assigns.
        aliases (dict): slot -> the slot that holds the same array.
    """

    def __init__(self, number, line, call):
        self.lines, self.calls, self._numbers = [], [], []
        self.fused = None
        self.add(number, line, call)

    def add(self, number, line, call):
        """Adds a call that `takes` accepts."""
        self.number = number
        self.lines.append(line)
        self.calls.append(call)
        self._numbers.append(number)

    def makes(self, line):
        """Returns True if a line uses a result of the group."""
        return any(slot in self._made() for slot in SLOTS.findall(line))

    def _made(self):
        return {value.slot for call in self.calls for value in call.outputs()}

    def takes(self, call):
        """Returns True if a call may be fused with the calls of the group."""
        first, values = self.calls[0], self._made()
        differs = (call.shape, call.dtype) != (first.shape, first.dtype)
        if differs or len(self.calls) >= Most.FUSED_CALLS:
            return False
        if not any(value.slot in values for value in call.inputs()):
            return False
        try:
            layout_of(ElementwiseSteps([*self.calls, call]))
        except NotElementwise:
            return False
        return True

    def close(self, last):
        """Closes the group: no further lines are added.

        Returns:
            list: the group itself; its lines if fusing them saves nothing.

        Args:
            last (dict): slot -> the number of the last line that uses it.
        """
        trace = ElementwiseSteps(self.calls)
        values = [
            value
            for call in self.calls
            for value in call.outputs()
            if last[value.slot] > self.number
        ]
        inputs = {trace.values[x.slot]: x.slot for x in reversed(trace.inputs)}
        self.aliases, self.results, outputs = {}, [], []
        for value in values:
            number = trace.values[value.slot]
            if number in inputs:
                self.aliases[value.slot] = inputs[number]
            else:
                inputs[number] = value.slot
                self.results.append(value.slot)
                outputs.append(value)
        if not outputs or not self._saves(trace, outputs, last):
            return self.lines
        self.fused = FusedCalls(trace, outputs, layout_of(trace))
        return [self]

    def _saves(self, trace, results, last):
        """Returns True if the loop is worth its call and needs no more memory than the lines."""
        size = math.prod(trace.shape)
        steps = sum(step.name != "copy" for step in trace.steps)
        pairs = len(results) * (len(results) - 1) // 2 + len(results) * len(trace.inputs)
        worth = (
            steps >= MANY
            or steps > 1
            and size >= Least.FUSED_CALLS
            or steps
            and size >= Least.FUSED_CALL
        )
        return worth and pairs <= jit.MOST_CHECKS and self._fits(trace, results, last)

    def _fits(self, trace, results, last):
        """Returns True if the loop, which needs all inputs and results at once, needs no more
        memory than the separate lines."""
        alive = {value.slot: _bytes(value) for value in trace.inputs}
        most, together = 0, sum(alive.values()) + sum(map(_bytes, results))
        for number, call in zip(self._numbers, self.calls, strict=True):
            if not _renames(call):
                alive.update((value.slot, _bytes(value)) for value in call.outputs())
            most = max(most, sum(alive.values()))
            alive = {
                slot: size
                for slot, size in alive.items()
                if slot[0] == "x" or last.get(slot, number) > number  # the caller holds arguments
            }
        return together <= most

    def texts(self, name, drops):
        """Returns the lines of the plan for this group: a call of the loop, and the original lines
        in case the loop returns None.

        Args:
            name (str): the name of the FusedCalls in the plan.
            drops (list): for each original line, the slots that it is the last to use.
        """
        inputs = ", ".join([value.slot for value in self.fused.inputs])
        head = f"{', '.join(self.results)} = {name}({inputs})"
        lines, ends = [], []
        for line, slots in zip(self.lines, drops, strict=True):
            lines += [line, *dropping(slots)]
            ends += slots
        other = [f"{slot} = {source}" for slot, source in self.aliases.items()]
        other += dropping(ends)
        return [
            head,
            f"if {self.results[0]} is None:",
            *indented(lines, 1),
            *(["else:", *indented(other, 1)] if other else []),
        ]


def dropping(slots):
    """Returns a list with the line that sets slots to None; an empty list for no slots."""
    return [f"{' = '.join(slots)} = None"] if slots else []


def _bytes(value):
    return math.prod(value.shape) * value.dtype.itemsize


def _renames(call):
    """Returns True for a call that returns its arguments, as the vjp of a sum does."""
    return not ElementwiseSteps([call]).steps


# The loop -----------------------------------------------------------------------------------------


class Layout(NamedTuple):
    """How the inputs of a group are broadcast over rows of elements.

    Attributes:
        kinds (tuple[Broadcast]): how each input is broadcast.
        width (int): elements in a row; None if no input determines it.
        rows (int): the number of rows after which the values per row repeat.
    """

    kinds: tuple[Broadcast, ...]
    width: int | None
    rows: int


def layout_of(trace):
    """Returns the Layout of a trace.

    Raises:
        NotElementwise: if arrays are broadcast in different ways, or a single mask is broadcast.
    """
    layouts = [
        trace.broadcasts.get(number) or broadcast(*value[1:], trace.shape)
        for number, value in enumerate(trace.inputs)
    ]
    ways = {(width, rows) for _, width, rows in layouts if width is not None}
    if len({width for width, _ in ways}) > 1 or len({rows for _, rows in ways} - {1}) > 1:
        raise NotElementwise
    width = next((width for width, _ in ways), None)
    rows = max([rows for _, rows in ways], default=1)
    return Layout(tuple([kind for kind, _, _ in layouts]), width, rows)


class FusedCalls:
    """Computes the results of a group by a compiled loop.

    Args:
        trace (ElementwiseSteps): the steps.
        results: Values for the results.
        layout (Layout): how the inputs are broadcast.

    Attributes:
        inputs (list): the inputs of the trace.
        loop (ParallelLoop): the loop.
    """

    def __init__(self, trace, results, layout):
        self.inputs, self._made, self._layout = trace.inputs, results, layout
        self._shapes = [(value.shape, value.dtype) for value in trace.inputs]
        self._nothing = None if len(results) == 1 else (None,) * len(results)
        self._constants = trace.constants()
        size = math.prod(trace.shape)
        self._width = layout.width or size
        self._parts = self._pieces(size)
        self.loop = _loop_of(trace, [trace.values[value.slot] for value in results], layout)

    def _pieces(self, size):
        """Returns the table of pieces that threads share: the range of elements of each piece, or
        its range of rows if the Layout has rows."""
        if self._layout.width is None:
            return parallel_loops.blocks(size, BLOCK)
        return parallel_loops.blocks(size // self._width, max(BLOCK // self._width, 1))

    def __call__(self, *arrays):
        """Runs the loop on the input arrays.

        Returns:
            The result, or a list of several results. If the loop is not compiled yet, or does not
            accept the arrays, None in place of each result.
        """
        if not self.loop.is_ready():
            return self._nothing
        values = []
        for array, (shape, dtype), kind in zip(
            arrays, self._shapes, self._layout.kinds, strict=True
        ):
            if (
                type(array) is not numpy.ndarray
                or array.shape != shape
                or array.dtype != dtype
                or not array.flags.carray
            ):
                return self._nothing
            if kind is Broadcast.SCALAR:
                values.append(array.reshape(())[()])
            else:
                values.append(array if len(shape) == 1 else array.reshape(-1))
        results = [numpy.empty(value.shape, value.dtype) for value in self._made]
        values += [array if array.ndim == 1 else array.reshape(-1) for array in results]
        self.loop.run(self._parts, *values, *self._constants, self._width, self._layout.rows)
        return results[0] if len(results) == 1 else results


def _loop_of(trace, results, layout):
    """Returns the compiled loop of a trace; groups whose loops have the same text share it.

    Args:
        trace (ElementwiseSteps): the steps.
        results: the numbers of the trace's values that the loop writes to arrays.
        layout (Layout): how the inputs are broadcast.
    """
    dtypes = {number: value.dtype for number, value in enumerate(trace.inputs)} | trace.dtypes
    parameters = [
        (parallel_loops.number if kind is Broadcast.SCALAR else parallel_loops.array)(value.dtype)
        for value, kind in zip(trace.inputs, layout.kinds, strict=True)
    ]
    parameters += [parallel_loops.array(dtypes[value]) for value in results]
    parameters += [parallel_loops.number(trace.dtype)] * trace.scalar_count
    parameters += [parallel_loops.number()] * 2
    parameters += [parallel_loops.piece(0), parallel_loops.piece(1)]
    text = _text(trace, results, layout)
    key = text, tuple(parameters)
    if key not in _loops:
        _loops[key] = parallel_loops.ParallelLoop(text.format, parameters, False, trace.name)
    return _loops[key]


def _text(trace, results, layout):
    """Returns the Python source of the loop for a trace, with `{}` in place of its name."""
    before, inner = [], []
    for number, kind in enumerate(layout.kinds):
        if kind is Broadcast.ROWS:
            before.append(f"v{number} = x{number}[row % rows]")
        elif kind is Broadcast.COLUMNS:
            before.append(f"a{number} = x{number}[:width]")
        elif kind is Broadcast.NONE:
            before.append(f"a{number} = x{number}[start:stop]")
        else:
            before.append(f"v{number} = x{number}")
        if kind in (Broadcast.NONE, Broadcast.COLUMNS):
            inner.append(f"v{number} = a{number}[at]")
    for step in trace.steps:
        text = EXPRESSIONS[step.name].format(*map(operand, step.operands))
        inner.append(f"v{step.result} = {text}")
    for number, value in enumerate(results):
        before.append(f"p{number} = o{number}[start:stop]")
        inner.append(f"p{number}[at] = v{value}")
    loop = [*before, "for at in range(stop - start):", *indented(inner, 1)]
    if layout.width is None:
        body = ["start, stop = first, last", *loop]
    else:
        body = ["for row in range(first, last):", "    start = row * width"]
        body += ["    stop = start + width", *indented(loop, 1)]
    names = [*trace.names, *(f"o{number}" for number in range(len(results)))]
    names += [f"s{number}" for number in range(trace.scalar_count)]
    head = f"def {{}}({', '.join([*names, 'width', 'rows', 'first', 'last'])}):"
    return "\n".join([head, *indented(body, 1)]) + "\n"
