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

from .c_code import (
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
from .row_plan import BodyTrace, RowPlan, separate, split

MOST_BLOCKS = 1 << 20  # a block goes on with further rows beyond this
MOST_THREADS = 1024  # of a block; the compiler leaves each enough registers for so many
_REDUCTIONS = {
    "row_sum": ("0", "{0} + {1}"),
    "row_max": ("-INFINITY", "{0} > {1} || {0} != {0} ? {0} : {1}"),
    "row_pick": ("0", "{0} + {1}"),  # all others are 0
}

_ROWS = """
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
{preamble}
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    {arguments}long long rows, long long inner, long long length) {{
    __shared__ {real} lanes[{threads}];
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
    """What runs a whole body at once for these arrays (or None) of `xp`, if there is such; its
    methods may still give None."""
    found = getattr(xp, "bodies", None)
    return found if found is not None and found.apply(*arrays) else None


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
            arrays: arrays whose shapes can be broadcast together, None, or Parts for several.
            out: arrays or Parts to write the results to; None for new ones.
            dtype: the dtype of new results; None for that of the first array.
            scalars: numbers, or flags that choose what the body does.
        """
        arrays, out = separate(arrays), separate(out or ())
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        flags, numbers = split(scalars)
        key = (body.__code__, dtypes, tuple(flags.items()), tuple(numbers), dtype)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._elementwise(body, dtypes, flags, numbers, dtype)
        kernel, single = found
        given = [array for array in arrays if array is not None]
        made = kernel(*given, *map(float, numbers.values()), *out)
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
                (float64 for float64), of shape (rows,); "c" and "k" sums over rows, for each
                position and each channel, in the dtype of the first array; "-" is left out.
            shape: (outer, rows, inner).
            arrays: arrays, or None.
            scalars: numbers, or flags that choose what the body does.

        Returns:
            A result of the first array's shape for each "e", of shape (rows,) for each "r", of
            one axis for each "c" and "k", None for each "-"; a tuple if the body returns one.
        """
        arrays = [
            None if array is None else self.module.ascontiguousarray(array) for array in arrays
        ]
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        flags, numbers = split(scalars)
        key = (body.__code__, kinds, gives, dtypes, tuple(flags.items()), tuple(numbers))
        found = self._made.get(key)
        if found is None:
            source = RowKernel(body, kinds, gives, dtypes, flags, tuple(numbers))
            found = self._made[key] = (self.module.RawKernel(source.text, source.name), source)
        kernel, source = found
        outer, rows, inner = shape
        made = [self._empty_result(source, number, arrays, rows) for number in range(len(gives))]
        if rows and outer * inner:
            kernel(
                (min(rows, MOST_BLOCKS),),
                (_threads(outer * inner),),
                (
                    *[array for array in arrays if array is not None],
                    *[made[number] for number in source.stored],
                    *[numpy.float64(value) for value in numbers.values()],
                    numpy.int64(rows),
                    numpy.int64(inner),
                    numpy.int64(outer * inner),
                ),
            )
        for number, kind in enumerate(gives):
            if kind == "c":
                made[number] = made[number].reshape(outer, rows, inner).sum(1).reshape(-1)
            elif kind == "k":
                planes = -1, numbers["groups"] * inner // numbers["area"], numbers["area"]
                made[number] = made[number].reshape(planes).sum((0, 2))
        return made[0] if source.single else tuple(made)

    def _empty_result(self, source, number, arrays, rows):
        """Memory for a result; an array itself where its sum over rows is asked for."""
        kind, value = source.gives[number], source.trace.results[number]
        if kind == "-":
            return None
        if number not in source.stored:
            return arrays[value]
        first = arrays[source.kinds.index("e")]
        if kind == "r":
            return self.module.empty((rows,), source.dtype)
        return self.module.empty(first.shape, first.dtype)


def _threads(length):
    """Threads for a row: a power of two, so that they can be halved."""
    if length > 4096:
        return MOST_THREADS
    return max(32, min(256, 1 << (int(length) - 1).bit_length()))


def _value(dtype, real):
    """What an element of this dtype is computed with."""
    return {"b": "bool", "i": "long long", "u": "long long"}.get(dtype.kind, real)


def _at(column):
    """True where the position within the row is a column."""
    one = operand(column)
    return f"at == ({one} < 0 ? {one} + length : {one})"


def _line(step, real):
    """One step of a body as a declaration."""
    if step.name == "constant":
        return f"const {real} v{step.result} = {step.operands[0]};"
    if step.name == "row_size":
        return f"const {real} v{step.result} = ({real})length;"
    if step.name == "at_column":
        return f"const bool v{step.result} = {_at(step.operands[0])};"
    return step_line(step, real)


class RowKernel(RowPlan):
    """The CUDA text of a body over rows.

    Attributes:
        text, name: the text, and the name of the kernel.
    """

    offset = _OFFSET

    def __init__(self, body, kinds, gives, dtypes, flags, numbers):
        super().__init__(body, kinds, gives, dtypes, flags, numbers)
        self.real = "double" if self.dtype == numpy.float64 else "float"
        self.name = f"rows_{self.trace.name}"
        self.stored = [  # the results that the kernel writes
            number
            for number, (value, kind) in enumerate(zip(self.trace.results, gives, strict=True))
            if kind in "er" or kind in "ck" and value not in self.there
        ]
        self.text = self._text(numbers)

    def _text(self, numbers):
        dtypes = [self.dtypes[index] for index in self.there]
        return _ROWS.format(
            preamble=preamble(dtypes),
            threads=MOST_THREADS,
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
        for level in range(self.levels):
            body += self._reduced(self.reductions(level))
            body += [_line(step, real) for step in self.of_row(level)]
        return "\n        ".join([*body, *self._stored()])

    def _arguments(self, numbers):
        given = [f"const {TYPES[self.dtypes[index]]}* x{index}" for index in self.there]
        given += [f"{TYPES[self._made(number)]}* o{number}" for number in self.stored]
        return "".join(f"{each}, " for each in [*given, *(f"double n_{name}" for name in numbers)])

    def _made(self, number):
        """The dtype of a result."""
        return self.dtype if self.gives[number] == "r" else self.dtypes[self.kinds.index("e")]

    def _load(self, index, offset):
        dtype = self.dtypes[index]
        return f"const {_value(dtype, self.real)} v{index} = {load(dtype, f'x{index}[{offset}]')};"

    def _elements(self, wanted):
        """The lines that find values of an element, from its arrays and from values of its row."""
        arrays, steps = self.elements(wanted)
        offsets = {"e": "offset", "c": "at", "k": _CHANNEL}
        lines = [self._load(index, offsets[self.kinds[index]]) for index in arrays]
        return lines + [_line(step, self.real) for step in steps]

    def _reduced(self, reductions):
        """The loop that sums, and the sums of all threads."""
        if not reductions:
            return []
        lines = self._elements([one for step in reductions for one in step.values()])
        before, after = [], []
        for step in reductions:
            first, join = _REDUCTIONS[step.name]
            number = step.result
            before.append(f"{self.real} r{number} = {first};")
            value = f"({self.real}){operand(step.operands[0])}"
            if step.name == "row_pick":
                value = f"({_at(step.operands[1])} ? {value} : 0)"
            value = join.format(value, f"r{number}")
            lines.append(f"r{number} = {value};")
            after.append(_REDUCE.format(number, real=self.real, join=join.format("one", "other")))
        return [*before, self._loop(lines), *after]

    def _loop(self, lines):
        return _LOOP.format(offset=self.offset, lines="\n            ".join(lines))

    def _stored(self):
        found = [(number, self.trace.results[number]) for number in self.stored]
        elements = [(number, value) for number, value in found if self.gives[number] != "r"]
        lines = []
        if elements:
            inner = self._elements([value for _, value in elements])
            inner += [
                f"o{number}[offset] = {store(self._made(number), f'v{value}')};"
                for number, value in elements
            ]
            lines.append(self._loop(inner))
        rows = [
            f"o{number}[row] = v{value};" for number, value in found if self.gives[number] == "r"
        ]
        return [*lines, *(["if (threadIdx.x == 0) {", *rows, "}"] if rows else [])]
