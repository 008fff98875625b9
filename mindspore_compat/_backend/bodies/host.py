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
rows may also take one number of another dtype per row; loops run on `Least.BODY` elements or more,
rows on fewer.
Threads share the rows in pieces that depend only on shapes. A sum over rows is first computed for
each piece.
"""

import math

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.expressions import EXPRESSIONS, FLOAT, indented, line
from ..elementwise import PRIMITIVES
from ..threads import parallel_loops
from ..threads.parallel_loops import ParallelLoop
from ..thresholds import Least
from . import host_steps
from .host_axis import AxisLoop
from .host_rows import RowCall, RowLoop
from .row_plan import ELEMENT, BodyTrace, Operands, RowSpace, split

BLOCK = 1 << 15  # elements of a piece
MOST_CALLS = 1024  # calls that are kept ready
_empty = numpy.empty

_NO_SCALARS = {}, {}  # flags and numbers


@serves("bodies", least=None, takes=lambda: True, loops=list)
class CompiledBodies:
    """The object `xp.bodies` for the host. It has the methods of `gpu.Bodies`; each returns None if
    no compiled loop is available."""

    takes_floats = True

    def __init__(self):
        # Bodies are looked up by the id of their code, whose hash takes longer than the rest of a
        # key. The loops hold the bodies, so that no other code gets such an id.
        self._made = {}
        self._work = {}  # id of the code of a body without flags -> the work of its PointLoop
        self._calls = {}  # body, shapes and scalars -> RowCall or PointCall

    def apply(self, *arrays, least="BODY"):
        """Returns True if loops support arrays of these dtypes and sizes; the first one is the
        data."""
        if arrays[0].size < getattr(Least, least):
            return False
        for array in arrays:
            if array is None or type(array) is numpy.ndarray and array.dtype is FLOAT:
                continue
            if type(array) is not numpy.ndarray:
                return False
            if array.dtype != FLOAT and array.dtype.kind not in "bi":
                return False
        return True

    def pointwise(self, body, *arrays, out=None, **scalars):
        """Evaluates `body(xp, *arrays, **scalars)` element by element, over arrays of the shape of
        the first, or of one element.

        Returns the results, or None if no compiled loop is available. With `out`, arrays may have
        the layouts that host_steps.py describes, and results are written to `out`.
        """
        if out is not None:
            return host_steps.run(self._made, body, arrays, out, *split(scalars))
        first, code = arrays[0], id(body.__code__)
        size, shape = first.size, first.shape
        if size < Least.BODY_POINT or size * self._work.get(code, math.inf) < Least.BODY_WORK:
            return None  # as `pays` says
        repeated = []
        for array in arrays:
            if type(array) is not numpy.ndarray or (
                array.dtype is not FLOAT and array.dtype != FLOAT
            ):
                return None
            if array is not first and array.shape != shape:
                if array.size != 1 or array.ndim > first.ndim:
                    return None
                repeated.append(True)
                continue
            strides = array.strides
            repeated.append(False if strides and strides[-1] else not any(strides))
        if repeated[0] and all(repeated):
            repeated[0] = False
        key = (code, size, *repeated, *scalars.items())
        call = self._calls.get(key)
        if call is None or call.has_zero and _is_no_key(scalars):
            flags, numbers = split(scalars) if scalars else _NO_SCALARS
            loop = self._point_loop(body, repeated, flags, numbers)
            if size * loop.work < Least.BODY_WORK or not loop.is_ready():
                return None
            call = self._keep(key, PointCall(loop, size, numbers), numbers)
        return call.run(arrays)

    def _point_loop(self, body, repeated, flags, numbers):
        """Returns the PointLoop of a body for such arrays and scalars."""
        code = id(body.__code__)
        key = (code, *repeated, *flags.items(), *numbers)
        loop = self._made.get(key)
        if loop is None:
            loop = self._made[key] = PointLoop(body, repeated, flags, tuple(numbers))
            loop.body = body
            if not flags:
                self._work[code] = loop.work
        return loop

    def _keep(self, key, call, numbers):
        """Keeps a call that is ready, if its numbers can be a key, and returns it."""
        call.has_zero = not all(numbers.values())
        if not _is_no_key(numbers):
            if len(self._calls) >= MOST_CALLS:
                self._calls.clear()
            self._calls[key] = call
        return call

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
        key = (id(body.__code__), first.shape, *[array.dtype for array in arrays])
        call = self._calls.get(key)
        if call is not None:
            return call.run(arrays)
        size = first.shape[-1]
        shape = 1, first.size // size, size
        call = self._row_call(body, shape, (ELEMENT,), arrays, (), (), (), None, {"axis": -1})
        if call is None:
            return None
        return self._keep(key, call, _NO_SCALARS[1]).run(arrays)

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
        """Evaluates a body over rows; the arguments are the same as for `Bodies.rows`."""
        call = self._row_call(
            body, shape, results, elements, columns, channels, rows, row_shape, scalars
        )
        return None if call is None else call.run((*elements, *columns, *channels, *rows))

    def _row_call(
        self, body, shape, results, elements, columns, channels, rows, row_shape, scalars
    ):
        """Returns the RowCall for these arguments of `rows`; None if its loop is not ready."""
        if scalars.get("area", shape[2]) < Least.BODY_RUN:
            return None
        arrays = (*elements, *columns, *channels, *rows)
        counts = len(elements), len(columns), len(channels), len(rows)
        dtypes = tuple([None if array is None else array.dtype for array in arrays])
        key = (id(body.__code__), shape, results, row_shape, counts, dtypes, *scalars.items())
        call = self._calls.get(key)
        if call is None or call.has_zero and _is_no_key(scalars):
            operands = Operands(elements, columns, channels, rows)
            loop = self._row_loop(body, operands, results, dtypes, scalars)
            if not loop.is_ready():
                return None
            numbers = split(scalars)[1]
            call = RowCall(loop, shape, numbers, shape[1:2] if row_shape is None else row_shape)
            self._keep(key, call, numbers)
        return call

    def _row_loop(self, body, operands, results, dtypes, scalars):
        """Returns the RowLoop of a body for operands of these dtypes."""
        flags, numbers = split(scalars)
        names = tuple(numbers)
        key = (id(body.__code__), operands.counts(), results, dtypes, tuple(flags.items()), names)
        loop = self._made.get(key)
        if loop is None:
            loop = self._made[key] = RowLoop(body, operands.kinds(), results, dtypes, flags, names)
            loop.body = body
        return loop


class _PointSpace(RowSpace):
    """The `xp` of a body that works element by element."""

    def sigmoid(self, x):
        """Computes 1 / (1 + exp(-x))."""
        return self.trace.add("sigmoid", x)

    def quick_ndtr(self, x):
        """Computes the distribution function of the normal distribution."""
        return self.trace.add("quick_ndtr", x)


class _PointTrace(BodyTrace):
    """A BodyTrace whose `xp` is a _PointSpace."""

    space_type = _PointSpace


class PointLoop:
    """The compiled loop of a body that works element by element. `CompiledBodies.pointwise` makes
    it, a PointCall runs it.

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
        self.trace = _PointTrace(body, names, [True] * len(names), flags, numbers)
        self.work = sum(
            PRIMITIVES[step.name].passes if step.name in PRIMITIVES else 1
            for step in self.trace.steps
        )
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


class PointCall:
    """A call of a PointLoop that is ready, for arrays of one size and for given scalars.

    Args:
        loop: the PointLoop.
        size: the number of elements of the arrays.
        numbers (dict): the scalars that are numbers.

    Attributes:
        has_zero (bool): whether one of these is 0.
    """

    __slots__ = ("has_zero", "_call", "_size", "_scalars", "_repeated", "_results")

    def __init__(self, loop, size, numbers):
        self._call, self._size = loop.loop.caller(parallel_loops.blocks(size, BLOCK)), size
        self._repeated = loop.repeated if any(loop.repeated) else None
        self._results = None if loop.trace.single else len(loop.trace.results)
        scalars = loop.trace.scalars(numbers) if numbers else ()
        self._scalars = [FLOAT.type(value) for value in scalars]

    def run(self, arrays):
        """Runs the loop and returns the results of the body."""
        shape, operands = arrays[0].shape, []
        if self._repeated is None:
            for array in arrays:
                flat = array.ravel()
                operands.append(flat if flat.flags.carray else jit.flat(flat))
        else:
            for array, repeats in zip(arrays, self._repeated):
                operands.append(FLOAT.type(array.item(0)) if repeats else jit.flat(array))
        if self._results is None:
            out = _empty(self._size, FLOAT)
            self._call(*operands, out, *self._scalars)
            return out.reshape(shape)
        outputs = [_empty(self._size, FLOAT) for _ in range(self._results)]
        self._call(*operands, *outputs, *self._scalars)
        return tuple([array.reshape(shape) for array in outputs])


def _is_no_key(scalars):
    """Returns True if a dict of scalars has a negative zero, which equals zero, or a NaN, which
    equals nothing."""
    for value in scalars.values():
        if value != value:
            return True
        if value == 0 and isinstance(value, (float, numpy.floating)):
            if math.copysign(1, value) < 0:
                return True
    return False


def _literal(value):
    """Returns a float as source text."""
    if math.isfinite(value):
        return repr(value)
    return f"{'-' if value < 0 else ''}math.{abs(value)}"
