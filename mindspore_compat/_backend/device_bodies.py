"""Bodies of operators as single kernels of a GPU.

Worked example. Given

    def normal(xp, x, scale, *, eps):
        mean = xp.row_sum(x) / xp.row_size()
        part = x - mean
        var = xp.row_sum(part * part) / xp.row_size()
        return part / xp.sqrt(var + eps) * scale, mean

`Bodies.rows(normal, "ec", "er", (1, 8, 100), x, scale, eps=1e-5)` runs the body once on symbols, as
`fuse` does with the formula of an optimizer, and launches one kernel in which a block of threads
works on each row: a loop over the row for each sum that waits for another (here two), a last one
for the results. `pointwise` is the same without rows, as an ElementwiseKernel.

*Rows* lie in data of shape (outer, rows, inner), which a row has one slice of: (1, N, C) are rows
of a matrix, (N, C, area) the channels of a batch of images, (N, C, 1) the columns of a matrix.
Letters say what an array or a result is: "e" has an element for each of the data, "r" one for each
row, "c" one for each position within a row, "k" one for each channel, where rows are groups of
channels: then the body's numbers `groups` and `area` are how many groups each of the data has, and
how many positions a channel has.

Sums are float32 (float64 for float64), each thread's own added in a fixed order, so they do not
depend on the order of threads. Halves are rounded on store.
"""

import numpy

from .device_code import (
    TYPES,
    compute_dtype,
    load,
    operand,
    preamble,
    scalar_lines,
    step_line,
    store,
    supported,
)
from .multi_tensor import letter
from .symbols import Recorder, Symbol, Trace

MOST_BLOCKS = 1 << 20  # a block goes on with further rows beyond this
REDUCTIONS = {
    "row_sum": ("0", "{0} + {1}"),
    "row_max": ("-INFINITY", "{0} > {1} || {0} != {0} ? {0} : {1}"),
}

_ROWS = """
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
{preamble}
extern "C" __global__ void {name}({arguments}long long rows, long long inner, long long length) {{
    __shared__ {real} lanes[1024];
    {scalars}
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {{
        {body}
    }}
}}
"""
_LOOP = """for (long long at = threadIdx.x; at < length; at += blockDim.x) {{
            const long long offset = {offset};
            {lines}
        }}"""
_CHANNEL = "row % (long long)n_groups * (length / (long long)n_area) + at / (long long)n_area"
_OFFSET = """inner == length ? row * length + at
                : at / inner * rows * inner + row * inner + at % inner"""
_REDUCE = """lanes[threadIdx.x] = r{0};
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {{
            if (threadIdx.x < half) {{
                const {real} one = lanes[threadIdx.x], other = lanes[threadIdx.x + half];
                lanes[threadIdx.x] = {join};
            }}
            __syncthreads();
        }}
        const {real} v{0} = lanes[0];
        __syncthreads();"""


def bodies_of(xp, *arrays):
    """The single kernels of `xp` if it has any and they take these arrays (or None), else None."""
    found = getattr(xp, "bodies", None)
    return found if found is not None and found.apply(*arrays) else None


class RowRecorder(Recorder):
    """The `xp` of a body that works on rows, which may also be written as for a matrix."""

    def sum(self, x, axis, keepdims=False):
        """The sum of each row, whatever the axis is called."""
        return self.row_sum(x)

    def max(self, x, axis, keepdims=False):
        """The largest value of each row, whatever the axis is called."""
        return self.row_max(x)

    def expand_dims(self, x, axis):
        """A value of each row, as it is."""
        return x

    def pick_column(self, x, column):
        """The element of each row in the row's `column`."""
        return self.row_sum(self.where(self.at_column(column), x, 0.0))

    def add_at_column(self, x, column, values):
        """`x` with each row's value added in the row's `column`."""
        return self.where(self.at_column(column), x + values, x)

    def row_sum(self, x):
        """The sum of each row."""
        return self.trace.add("row_sum", x)

    def row_max(self, x):
        """The largest value of each row; NaN if there is one."""
        return self.trace.add("row_max", x)

    def whole_norm(self, x):
        """The Euclidean norm of each row."""
        return self.sqrt(self.row_sum(x * x))

    def row_size(self):
        """How many elements a row has."""
        return self.trace.add("row_size")

    def at_column(self, column):
        """True where the position within the row is the row's `column`; negative ones from its
        end."""
        return self.trace.add("at_column", column)


class BodyTrace(Trace):
    """What a body does to its arrays: `results` are the numbers of the values it returns."""

    recorder = RowRecorder

    def __init__(self, body, names, present, flags, numbers):
        self.name = body.__name__ if body.__name__.isidentifier() else "body"
        self.names = names
        self.steps = []
        self._texts = {}
        found = self._noted(body, present, flags, numbers)
        self.single = type(found) is not tuple
        self.results = [self._number(value) for value in ((found,) if self.single else found)]

    def _number(self, value):
        return value.number if type(value) is Symbol else self.add("constant", value).number


class Bodies:
    """The kernels of bodies, made when they are first needed, for one CuPy.

    Args:
        module: CuPy.
        compiles: whether kernels with rows can be had; `pointwise` ones always can.
    """

    def __init__(self, module, compiles=True):
        self.module = module
        self.compiles = compiles
        self._made = {}

    def pointwise(self, body, *arrays, out=None, dtype=None, **scalars):
        """`body(xp, *arrays, **scalars)`, element by element.

        Args:
            body: a function without a closure; it returns a value or a tuple of them.
            arrays: arrays whose shapes can be broadcast together, or None.
            out: arrays to write the results to; None for new ones.
            dtype: the dtype of new results; None for that of the first array.
            scalars: numbers, or flags that choose what the body does.
        """
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        flags, numbers = _split(scalars)
        key = (body.__code__, dtypes, tuple(flags.items()), tuple(numbers), dtype)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._elementwise(body, dtypes, flags, numbers, dtype)
        kernel, single = found
        given = [array for array in arrays if array is not None]
        made = kernel(*given, *map(float, numbers.values()), *(out or ()))
        return made if single else tuple(made) if isinstance(made, tuple) else (made,)

    def _elementwise(self, body, dtypes, flags, numbers, dtype):
        names = [f"x{index}" for index in range(len(dtypes))]
        trace = BodyTrace(body, names, [one is not None for one in dtypes], flags, numbers)
        there = [index for index, one in enumerate(dtypes) if one is not None]
        kind = compute_dtype([dtypes[index] for index in there])
        real = "double" if kind == numpy.float64 else "float"
        lines = [
            *scalar_lines(trace, real),
            *(f"const {_value(dtypes[index], real)} v{index} = x{index};" for index in there),
            *(_line(step, real) for step in trace.steps),
        ]
        letters = {index: letter(index) for index in there}
        first = f"{letters[there[0]]}" if dtype is None else numpy.dtype(dtype).name
        for number, value in enumerate(trace.results):
            lines.append(f"o{number} = ({first})v{value};")
        kernel = self.module.ElementwiseKernel(
            ", ".join(
                [f"{letters[index]} x{index}" for index in there]
                + [f"float64 n_{name}" for name in numbers]
            ),
            ", ".join(f"{first} o{number}" for number in range(len(trace.results))),
            "\n".join(lines),
            trace.name,
        )
        return kernel, trace.single

    def apply(self, *arrays):
        """True if `rows` takes arrays of these dtypes."""
        return self.compiles and supported([each.dtype for each in arrays if each is not None])

    def along(self, body, axis, *arrays):
        """`body(xp, *arrays, axis)` over arrays of one shape; it gives an array of that shape."""
        moved = [self.module.moveaxis(array, axis, -1) for array in arrays]
        size = moved[0].shape[-1]
        out = self.rows(
            body, "e" * len(arrays), "e", (1, moved[0].size // size, size), *moved, axis=-1
        )
        return self.module.moveaxis(out, -1, axis)

    def rows(self, body, kinds, gives, shape, *arrays, **scalars):
        """`body(xp, *arrays, **scalars)` over rows.

        Args:
            body: a function without a closure; it returns a value or a tuple of them.
            kinds: a letter for each array: "e", "r", "c" or "k".
            gives: a letter for each result: "e" in the dtype of the first array, "r" in float32
                (float64 for float64), of shape (rows,).
            shape: (outer, rows, inner).
            arrays: arrays, or None.
            scalars: numbers, or flags that choose what the body does.

        Returns:
            A result of the first array's shape for each "e", of shape (rows,) for each "r"; a tuple
            if the body returns one.
        """
        arrays = [
            None if array is None else self.module.ascontiguousarray(array) for array in arrays
        ]
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        flags, numbers = _split(scalars)
        key = (body.__code__, kinds, gives, dtypes, tuple(flags.items()), tuple(numbers))
        found = self._made.get(key)
        if found is None:
            source = RowKernel(body, kinds, gives, dtypes, flags, tuple(numbers))
            found = self._made[key] = (self.module.RawKernel(source.text, source.name), source)
        kernel, source = found
        outer, rows, inner = shape
        first = arrays[kinds.index("e")]
        made = [
            self.module.empty(
                first.shape if kind == "e" else (rows,),
                first.dtype if kind == "e" else source.dtype,
            )
            for kind in gives
        ]
        if rows and outer * inner:
            kernel(
                (min(rows, MOST_BLOCKS),),
                (_threads(outer * inner),),
                (
                    *[array for array in arrays if array is not None],
                    *made,
                    *[numpy.float64(value) for value in numbers.values()],
                    numpy.int64(rows),
                    numpy.int64(inner),
                    numpy.int64(outer * inner),
                ),
            )
        return made[0] if source.single else tuple(made)


def _threads(length):
    """Threads for a row: a power of two, so that they can be halved."""
    if length > 4096:
        return 1024
    return max(32, min(256, 1 << (int(length) - 1).bit_length()))


def _split(scalars):
    """The flags and the numbers among the scalars of a call."""
    flags = {
        key: value
        for key, value in scalars.items()
        if value is None or isinstance(value, (bool, str))
    }
    return flags, {key: value for key, value in scalars.items() if key not in flags}


def _value(dtype, real):
    """What an element of this dtype is computed with."""
    return {"b": "bool", "i": "long long", "u": "long long"}.get(dtype.kind, real)


def _line(step, real):
    """One step of a body as a declaration."""
    if step.name == "constant":
        return f"const {real} v{step.result} = {step.operands[0]};"
    if step.name == "row_size":
        return f"const {real} v{step.result} = ({real})length;"
    if step.name == "at_column":
        one = operand(step.operands[0])
        return f"const bool v{step.result} = at == ({one} < 0 ? {one} + length : {one});"
    return step_line(step, real)


class RowKernel:
    """The CUDA text of a body over rows.

    Attributes:
        text, name: the text, and the name of the kernel.
        dtype: what is computed in.
        single: whether the body returns one value, not a tuple.
    """

    def __init__(self, body, kinds, gives, dtypes, flags, numbers):
        self.kinds, self.gives, self.dtypes = kinds, gives, dtypes
        names = [f"x{index}" for index in range(len(dtypes))]
        self.trace = BodyTrace(body, names, [one is not None for one in dtypes], flags, numbers)
        self.there = [index for index, one in enumerate(dtypes) if one is not None]
        self.dtype = compute_dtype([dtypes[i] for i in self.there if dtypes[i].kind not in "biu"])
        self.real = "double" if self.dtype == numpy.float64 else "float"
        self.single = self.trace.single
        self.name = f"rows_{self.trace.name}"
        self._steps = {step.result: step for step in self.trace.steps}
        self._level, self._of_row = {}, {}
        for value in [*self.there, *self._steps]:
            self._define(value)
        self.text = self._text(numbers)

    def _define(self, value):
        """Finds after how many loops a value is known, and whether it is one for each row."""
        step = self._steps.get(value)
        if step is None:
            self._level[value], self._of_row[value] = 0, self.kinds[value] == "r"
            return
        level = max((self._level[one] for one in step.values()), default=0)
        reduces = step.name in REDUCTIONS
        self._level[value] = level + reduces
        self._of_row[value] = (
            reduces or step.name != "at_column" and all(self._of_row[one] for one in step.values())
        )

    offset = _OFFSET

    def _text(self, numbers):
        dtypes = [self.dtypes[index] for index in self.there]
        return _ROWS.format(
            preamble=preamble(dtypes),
            name=self.name,
            real=self.real,
            arguments=self._arguments(numbers),
            scalars="\n    ".join(scalar_lines(self.trace, self.real)),
            body=self._body(),
        )

    def _body(self):
        """What is done for one row."""
        body, real = [], self.real
        for index in self.there:
            if self.kinds[index] == "r":
                body.append(self._load(index, "row"))
        for level in range(max(self._level.values()) + 1):
            reductions = [
                step
                for step in self.trace.steps
                if step.name in REDUCTIONS and self._level[step.result] == level
            ]
            body += self._reduced(reductions)
            body += [
                _line(step, real)
                for step in self.trace.steps
                if self._of_row[step.result]
                and step not in reductions
                and self._level[step.result] == level
            ]
        return "\n        ".join([*body, *self._stored()])

    def _arguments(self, numbers):
        given = [f"const {TYPES[self.dtypes[index]]}* x{index}" for index in self.there]
        given += [f"{TYPES[self._made(number)]}* o{number}" for number in range(len(self.gives))]
        return "".join(f"{each}, " for each in [*given, *(f"double n_{name}" for name in numbers)])

    def _made(self, number):
        """The dtype of a result."""
        return self.dtypes[self.kinds.index("e")] if self.gives[number] == "e" else self.dtype

    def _load(self, index, offset):
        dtype = self.dtypes[index]
        return f"const {_value(dtype, self.real)} v{index} = {load(dtype, f'x{index}[{offset}]')};"

    def _elements(self, wanted):
        """The lines that find values of an element, from its arrays and from values of its row."""
        needed, stack = set(), [value for value in wanted if not self._of_row[value]]
        while stack:
            value = stack.pop()
            if value not in needed:
                needed.add(value)
                step = self._steps.get(value)
                stack += [one for one in (step.values() if step else ()) if not self._of_row[one]]
        offsets = {"e": "offset", "c": "at", "k": _CHANNEL}
        lines = [
            self._load(index, offsets[self.kinds[index]]) for index in self.there if index in needed
        ]
        return lines + [
            _line(step, self.real) for step in self.trace.steps if step.result in needed
        ]

    def _reduced(self, reductions):
        """The loop that sums, and the sums of all threads."""
        if not reductions:
            return []
        lines = self._elements([one for step in reductions for one in step.values()])
        before, after = [], []
        for step in reductions:
            first, join = REDUCTIONS[step.name]
            number = step.result
            before.append(f"{self.real} r{number} = {first};")
            value = join.format(f"({self.real}){operand(step.operands[0])}", f"r{number}")
            lines.append(f"r{number} = {value};")
            after.append(_REDUCE.format(number, real=self.real, join=join.format("one", "other")))
        return [*before, self._loop(lines), *after]

    def _loop(self, lines):
        return _LOOP.format(offset=self.offset, lines="\n            ".join(lines))

    def _stored(self):
        found = list(zip(self.trace.results, self.gives, strict=True))
        elements = [(number, value) for number, (value, kind) in enumerate(found) if kind == "e"]
        lines = []
        if elements:
            inner = self._elements([value for _, value in elements])
            inner += [
                f"o{number}[offset] = {store(self._made(number), f'v{value}')};"
                for number, value in elements
            ]
            lines.append(self._loop(inner))
        rows = [
            f"o{number}[row] = v{value};"
            for number, (value, kind) in enumerate(found)
            if kind == "r"
        ]
        return [*lines, *(["if (threadIdx.x == 0) {", *rows, "}"] if rows else [])]
