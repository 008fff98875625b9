"""CUDA source of a body over rows, for one layout of threads (row_layout.py).

Every kernel has the same structure: a loop over the rows of a block. Inside, one *sweep* over the
elements of a row computes each level of sums, and a last sweep computes the results. A sweep loops
over the packs of a thread. If a thread can hold all its packs, they are loaded before the first
sweep and stay in registers; otherwise each sweep loads what it needs.
"""

from .block_code import WARP, pack_name, packs, reductions
from .c_code import TYPES, load, operand, preamble, scalar_lines, step_line, store
from .row_plan import (
    CHANNEL,
    COLUMN,
    ELEMENT,
    MOMENTS,
    REDUCTIONS,
    ROUNDED,
    ROW,
    SUMMED,
    ChunkPlan,
    RowPlan,
)

_TEXT = """
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
{functions}
typedef {index} Index;
extern "C" __global__ void __launch_bounds__({bound}) {name}(
    {arguments}Index rows, Index inner, Index length, int threads) {{
    {shared}
    {scalars}
    const int lane = {lane}, own = {own}, together = {together};
    const int width = {width};
    const Index units = length / width;{size_of_chunk}
    {opened}
    for (Index base = blockIdx.x * (Index)together; base < rows;
         base += gridDim.x * (Index)together) {{
        const bool present = base + own < rows;
        const Index row = present ? base + own : rows - 1;
        {range}
        {body}
    }}
    {closed}
}}
"""
_LANES = {  # a thread's place in its row, its row's place in the block, rows per block
    "warp": ("threadIdx.x % threads", "threadIdx.x / threads", "blockDim.x / threads"),
    "block": ("threadIdx.x", "0", "1"),
    "columns": (f"threadIdx.x / {WARP}", f"threadIdx.x % {WARP}", f"{WARP}"),
}
_REDUCE = {
    "warp": "warp_{}({}, threads)",
    "block": "block_{}(lanes, {})",
    "columns": "column_{}(lanes, {})",
}
_RANGE = "const Index start = 0, stop = present ? units : 0;"
_RANGE_OF_CHUNK = """const Index start = blockIdx.y * (Index)(threads * {packs});
        const Index stop = present ? start + threads * {packs} < units ? start + threads * {packs}
                                                                      : units : 0;"""
_SWEEP = """{{
        #pragma unroll
        for (int k = 0; k < {packs}; ++k) {{
            const Index unit = first + k * threads;
            if (unit < stop) {{
                {lines}
            }}{advance}
        }}
        }}"""
_EACH = """#pragma unroll
                for (int j = 0; j < {width}; ++j) {{
                    {lines}
                }}"""
_AGAIN = "for (Index first = start + lane; first < stop; first += threads * {packs}) {{"
_PLACE = """Index segment = (start + lane) / (inner / {width});
        Index position = (start + lane) % (inner / {width});
        const Index segments = threads / (inner / {width}), shift = threads % (inner / {width});"""
_ADVANCE = """
            segment += segments;
            position += shift;
            if (position >= inner / {width}) {{ position -= inner / {width}; ++segment; }}"""
_OFFSET = "row * length + unit * {width}"
_OFFSET_OF_COLUMN = "unit * rows + row"
_OFFSET_IN_SEGMENT = "(segment * rows + row) * inner + position * {width}"
_CHANNEL = "row % (Index)n_groups * (length / (Index)n_area) + unit * {width} / (Index)n_area"
# The reciprocal of a number near the limits of the range would itself be out of range.
_RECIPROCAL = """const float by{0} = 1 / v{0};
        const bool near{0} = fabs(v{0}) > 1e-37f && fabs(v{0}) < 1e37f;"""
_DIVIDE = "const float v{0} = near{2} ? {1} * by{2} : {1} / v{2};"
_START = {"max": "-INFINITY", "sum": "0"}
_JOIN = {"max": "{0} > {1} || {0} != {0} ? {0} : {1}", "sum": "{0} + {1}"}
_ADD_CHUNKS = """{real} r{0} = {start};
        for (int chunk = lane; chunk < chunks; chunk += threads) {{
            const {real} part = sums[({slot} * (Index)chunks + chunk) * rows + row];
            r{0} = {join};
        }}
        const {real} v{0} = {reduce};"""
_ADD_MEANS = """const {real} v{0} = sums[{slot} * (Index)chunks * rows + row];
        {real} r{1} = 0, r{2} = 0;
        for (int chunk = lane; chunk < chunks; chunk += threads) {{
            const Index at = chunk * rows + row;
            const {real} mean = sums[{slot} * (Index)chunks * rows + at];
            const {real} rest = sums[({slot} + 1) * (Index)chunks * rows + at];
            r{1} += size_of_chunk(chunk) * ((mean - v{0}) + rest);
        }}
        const {real} v{1} = {reduce_1} / length;
        for (int chunk = lane; chunk < chunks; chunk += threads) {{
            const Index at = chunk * rows + row;
            const {real} mean = sums[{slot} * (Index)chunks * rows + at];
            const {real} rest = sums[({slot} + 1) * (Index)chunks * rows + at];
            const {real} apart = (mean - v{0}) + rest - v{1};
            r{2} += sums[({slot} + 2) * (Index)chunks * rows + at]
                + size_of_chunk(chunk) * apart * apart;
        }}
        const {real} v{2} = {reduce_2} / length;"""
_SIZE_OF_CHUNK = """
    auto size_of_chunk = [&](int chunk) -> {real} {{
        const Index most = threads * {packs}, left = units - chunk * most;
        return (left < most ? left : most) * {width};
    }};"""


def value_type(dtype, real):
    """Returns the C type of the variable that holds a loaded element of this dtype; `real` for
    floats."""
    return {"b": "bool", "i": "long long", "u": "long long"}.get(dtype.kind, real)


def _at(column):
    """Returns a C expression that is true where the position within the row equals a column."""
    number = operand(column)
    return f"unit * width + j == ({number} < 0 ? {number} + length : {number})"


class RowKernel(RowPlan):
    """The CUDA source of a kernel that computes a body over rows. gpu.RowBody makes and launches
    it.

    Args:
        body, kinds, result_kinds, dtypes, flags, numbers: as for RowPlan.
        layout: the Layout of the threads.
        part: "all", or "sums" or "results" for a body in chunks.

    Attributes:
        text, name: the source, and the name of the kernel.
        stored: the results that have an array of their own.
        outputs: for each of these, its number, whether it has one value for each row, and its
            dtype.
        summed: the results that are sums over rows; the kernel stores one partial sum per block.
        slots: the number of sums of a chunk.
    """

    def __init__(self, body, kinds, result_kinds, dtypes, flags, numbers, layout, part="all"):
        self.trace_type = (ChunkPlan if layout.chunked else RowPlan).trace_type
        super().__init__(body, kinds, result_kinds, dtypes, flags, numbers)
        self.layout, self.part = layout, part
        self.real = "double" if self.dtype.itemsize == 8 else "float"
        self.name = f"rows_{self.trace.name}"
        straight = layout.held and not (layout.chunked or layout.segmented)
        straight = straight and layout.lanes != "columns"
        results = list(zip(self.trace.results, result_kinds, strict=True))
        self.summed = [n for n, (_, kind) in enumerate(results) if kind == COLUMN and straight]
        self.stored = [
            number
            for number, (value, kind) in enumerate(results)
            if number not in self.summed
            and (kind not in (None, *SUMMED) or kind in SUMMED and value not in self.there)
        ]
        self.outputs = [
            (number, self._is_row(number), self.dtype_of(number)) for number in self.stored
        ]
        self.slots = len(self.reductions(1)) if self.levels > 1 else 0
        self._divisors = self._row_divisors()
        self.text = self._text(numbers)

    def _row_divisors(self):
        """Returns the indices of the row values that divide elements. In float32 the kernel
        computes the reciprocal of such a value once per row, and multiplies each element by it. In
        float64 the list is empty: the kernel divides."""
        if self.real != "float":
            return []
        divisors = [
            step.operands[1]
            for step in self.trace.steps
            if step.name == "divide"
            and type(step.operands[1]) is int
            and self.is_of_row(step.operands[1])
            and not self.is_of_row(step.result)
        ]
        return list(dict.fromkeys(divisors))

    def dtype_of(self, number):
        """Returns the dtype of a result."""
        kind = self.result_kinds[number]
        rounded = kind in (ELEMENT, ROUNDED)
        return self.dtypes[self.kinds.index(ELEMENT)] if rounded else self.dtype

    def _is_row(self, number):
        """Returns True if a result has one value for each row."""
        return self.result_kinds[number] in (ROW, ROUNDED)

    # The frame ------------------------------------------------------------------------------------

    def _text(self, numbers):
        layout = self.layout
        lane, own_lane, together = _LANES[layout.lanes]
        packed = [self.dtypes[i] for i in self.there if self.kinds[i] in (ELEMENT, COLUMN)]
        packed += [self.dtype_of(number) for number in self.stored if not self._is_row(number)]
        functions = preamble([self.dtypes[index] for index in self.there])
        functions += packs(packed, layout.width) + reductions(self.real, "sum", "max")
        range_of = _RANGE_OF_CHUNK if layout.chunked else _RANGE
        return _TEXT.format(
            functions=functions,
            index=layout.index,
            bound=layout.bound,
            name=self.name,
            arguments=self._arguments(numbers),
            shared={"warp": "", "block": f"__shared__ {self.real} lanes[{WARP}];"}.get(
                layout.lanes, f"__shared__ {self.real} lanes[{WARP * WARP}];"
            ),
            scalars="\n    ".join(scalar_lines(self.trace, self.real)),
            lane=lane,
            own=own_lane,
            together=together,
            width=layout.width,
            size_of_chunk=_SIZE_OF_CHUNK.format(real=self.real, **self._sizes())
            if layout.chunked
            else "",
            opened="\n    ".join(
                f"{self.real} a{number}[{layout.packs * layout.width}] = {{}};"
                for number in self.summed
            ),
            range=range_of.format(packs=layout.packs),
            body="\n        ".join(self._body()),
            closed=self._end_lines(),
        )

    def _sizes(self):
        return {"packs": self.layout.packs, "width": self.layout.width}

    def _arguments(self, numbers):
        arrays = [f"const {TYPES[self.dtypes[index]]}* x{index}" for index in self.there]
        if self.part != "sums":
            arrays += [f"{TYPES[self.dtype_of(number)]}* o{number}" for number in self.stored]
        arrays += [f"{self.real}* sums, int chunks"] * (self.layout.chunked or bool(self.summed))
        return "".join(
            f"{argument}, " for argument in [*arrays, *(f"double n_{name}" for name in numbers)]
        )

    def _body(self):
        """Returns the lines that process a row."""
        layout, body = self.layout, []
        for index in self.there:
            if self.kinds[index] == ROW:
                dtype = self.dtypes[index]
                element = load(dtype, f"x{index}[row]")
                body.append(f"const {value_type(dtype, self.real)} v{index} = {element};")
        self._body_of_levels(body) if not layout.held else self._held_body(body)
        return body

    def _held_body(self, body):
        elements = [index for index in self.there if self.kinds[index] == ELEMENT]
        body += ["const Index first = start + lane;", *self._load_lines(elements)]
        self._body_of_levels(body)

    def _body_of_levels(self, body):
        for level in range(self.levels):
            reduced = self.reductions(level)
            if reduced and self.part == "results":
                body += self._add_sums(reduced)
            elif reduced:
                body += self._reduction_lines(reduced)
            if reduced and self.part == "sums":
                body += self._sums_of_chunk(reduced)
                return
            body += [self._line(step) for step in self.of_row(level)]
            body += [
                _RECIPROCAL.format(divisor)
                for divisor in self._divisors
                if self.level(divisor) == level
            ]
        body += self._results()

    def _end_lines(self):
        """Returns the lines that end the kernel. They store the sums over rows: a block works on
        several rows at once and has one set of sums for each of these positions."""
        if not self.summed:
            return ""
        lines = [
            f"sums[((blockIdx.x * (Index)together + own) * {len(self.summed)} + {place}) * length"
            f" + unit * width + j] = a{number}[k * width + j];"
            for place, number in enumerate(self.summed)
        ]
        loop = _EACH.format(width=self.layout.width, lines="\n                    ".join(lines))
        sweep = _SWEEP.format(packs=self.layout.packs, lines=loop, advance="")
        return f"const Index first = lane, stop = units;\n    {sweep}"

    # Sweeps ---------------------------------------------------------------------------------------

    def _sweep(self, lines):
        return _SWEEP.format(
            packs=self.layout.packs, lines="\n                ".join(lines), advance=""
        )

    def _load_lines(self, indices):
        """Returns the lines that load a thread's packs of the arrays with these indices."""
        layout, sizes = self.layout, self._sizes()
        kinds = [pack_name(TYPES[self.dtypes[index]]) for index in indices]
        declarations = [
            f"Pack_{kind} p{index}[{layout.packs}];"
            for kind, index in zip(kinds, indices, strict=True)
        ]
        place, advance, offset = [], "", _OFFSET
        if layout.lanes == "columns":
            offset = _OFFSET_OF_COLUMN
        elif layout.segmented:
            place = [] if not layout.held else [_PLACE.format(**sizes)]
            advance, offset = _ADVANCE.format(**sizes), _OFFSET_IN_SEGMENT
        lines = [f"offsets[k] = {offset.format(**sizes)};"] + [
            f"p{index}[k] = *(const Pack_{kind}*)(x{index} + offsets[k]);"
            for kind, index in zip(kinds, indices, strict=True)
        ]
        sweep = _SWEEP.format(
            packs=layout.packs, lines="\n                ".join(lines), advance=advance
        )
        return [*declarations, f"Index offsets[{layout.packs}];", *place, sweep]

    def _elements(self, values, lines, stores=()):
        """Returns the lines of a sweep over the elements of a row.

        Args:
            values: the numbers of the values that the sweep computes for each element.
            lines: the lines that then run for each element.
            stores: for each pack that is written, the line that declares it and the line that
                writes it.
        """
        layout = self.layout
        indices, steps = self.elements(values)
        before, inner = [], []
        for index in indices:
            dtype, kind = self.dtypes[index], self.kinds[index]
            name = pack_name(TYPES[dtype])
            if kind == ELEMENT:
                element = f"p{index}[k].at[j]"
            elif kind == COLUMN:
                before.append(
                    f"const Pack_{name} q{index} = *(const Pack_{name}*)(x{index} + unit * width);"
                )
                element = f"q{index}.at[j]"
            else:
                element = f"x{index}[channel]"
            value = value_type(dtype, self.real)
            inner.append(f"const {value} v{index} = {load(dtype, element)};")
        if any(self.kinds[index] == CHANNEL for index in indices):
            before.append(f"const Index channel = {_CHANNEL.format(**self._sizes())};")
        inner += [self._line(step) for step in steps]
        loop = _EACH.format(
            width=layout.width, lines="\n                    ".join([*inner, *lines])
        )
        declarations = [line for line, _ in stores]
        sweep = self._sweep([*before, *declarations, loop, *(line for _, line in stores)])
        if layout.held:
            return [sweep]
        loaded = [index for index in indices if self.kinds[index] == ELEMENT]
        place = [_PLACE.format(**self._sizes())] if layout.segmented else []
        again = _AGAIN.format(**self._sizes())
        return ["{", *place, again, *self._load_lines(loaded), sweep, "}", "}"]

    def _line(self, step):
        """Returns the C declaration for one step of a body."""
        if step.name == "constant":
            return f"const {self.real} v{step.result} = {step.operands[0]};"
        if step.name == "row_size":
            return f"const {self.real} v{step.result} = ({self.real})length;"
        if step.name == "at_column":
            return f"const bool v{step.result} = {_at(step.operands[0])};"
        if step.name == "divide" and step.operands[1] in self._divisors:
            if not self.is_of_row(step.result):
                return _DIVIDE.format(step.result, operand(step.operands[0]), step.operands[1])
        return step_line(step, self.real)

    # Sums -----------------------------------------------------------------------------------------

    def _reduce(self, how, value):
        return _REDUCE[self.layout.lanes].format(how, value)

    def _reduction_lines(self, steps):
        """Returns the lines that compute the sums and maxima of a row. First each thread reduces
        its own elements, then the threads of the row combine their results."""
        sums = [step for step in steps if step.name not in MOMENTS]
        moments = [step for step in steps if step.name in MOMENTS]
        body = []
        if sums:
            lines = []
            for step in sums:
                value = f"({self.real}){operand(step.operands[0])}"
                if step.name == "row_pick":
                    value = f"({_at(step.operands[1])} ? {value} : 0)"
                number, how = step.result, REDUCTIONS[step.name]
                body.append(f"{self.real} r{number} = {_START[how]};")
                lines.append(f"r{number} = {_JOIN[how].format(value, f'r{number}')};")
            body += self._elements([summand for step in sums for summand in step.values()], lines)
            body += [
                f"const {self.real} v{step.result} = "
                f"{self._reduce(REDUCTIONS[step.name], f'r{step.result}')};"
                for step in sums
            ]
        for index in range(0, len(moments), len(MOMENTS)):
            body += self._moments(moments[index : index + len(MOMENTS)])
        return body

    def _moments(self, steps):
        """Returns the lines that compute, for a chunk, the mean, the rounding error of the mean,
        and the sum of squared deviations from the mean."""
        base, rest, squares = (step.result for step in steps)
        (value,) = steps[0].values()
        real, count = self.real, "size_of_chunk(blockIdx.y)"
        total = self._reduce("sum", f"r{base}")
        apart = [
            f"const {real} apart = v{value} - v{base};",
            f"r{rest} += apart;",
            f"r{squares} += apart * apart;",
        ]
        return [
            f"{real} r{base} = 0, r{rest} = 0, r{squares} = 0;",
            *self._elements([value], [f"r{base} += v{value};"]),
            f"const {real} v{base} = {total} / {count};",
            *self._elements([value], apart),
            f"const {real} v{rest} = {self._reduce('sum', f'r{rest}')} / {count};",
            f"const {real} v{squares} = {self._reduce('sum', f'r{squares}')}"
            f" - {count} * v{rest} * v{rest};",
        ]

    def _sums_of_chunk(self, steps):
        lines = [
            f"sums[({slot} * (Index)chunks + blockIdx.y) * rows + row] = v{step.result};"
            for slot, step in enumerate(steps)
        ]
        return ["if (lane == 0 && present) {", *lines, "}"]

    def _add_sums(self, steps):
        """Returns the lines that compute the sums over a row from the stored sums over its
        chunks."""
        body = []
        for slot, step in enumerate(steps):
            number = step.result
            if step.name == MOMENTS[0]:
                numbers = [step.result for step in steps[slot : slot + len(MOMENTS)]]
                body.append(
                    _ADD_MEANS.format(
                        *numbers,
                        real=self.real,
                        slot=slot,
                        reduce_1=self._reduce("sum", f"r{numbers[1]}"),
                        reduce_2=self._reduce("sum", f"r{numbers[2]}"),
                    )
                )
            elif step.name not in MOMENTS:
                how = REDUCTIONS[step.name]
                body.append(
                    _ADD_CHUNKS.format(
                        number,
                        real=self.real,
                        slot=slot,
                        start=_START[how],
                        join=_JOIN[how].format("part", f"r{number}"),
                        reduce=self._reduce(how, f"r{number}"),
                    )
                )
        return body

    # Results --------------------------------------------------------------------------------------

    def _results(self):
        results = {number: self.trace.results[number] for number in (*self.stored, *self.summed)}
        lines, stores, body = [], [], []
        for number, value in results.items():
            if number in self.summed:
                lines.append(f"a{number}[k * width + j] += v{value};")
            elif not self._is_row(number):
                dtype = self.dtype_of(number)
                kind = f"Pack_{pack_name(TYPES[dtype])}"
                lines.append(f"out{number}.at[j] = {store(dtype, f'v{value}')};")
                stores.append(
                    (f"{kind} out{number};", f"*({kind}*)(o{number} + offsets[k]) = out{number};")
                )
        if lines:
            values = [value for number, value in results.items() if not self._is_row(number)]
            body += self._elements(values, lines, stores)
        rows = [
            f"o{number}[row] = {store(self.dtype_of(number), f'v{value}')};"
            for number, value in results.items()
            if self._is_row(number)
        ]
        if rows:
            first = "lane == 0 && present" + " && blockIdx.y == 0" * self.layout.chunked
            body += [f"if ({first}) {{", *rows, "}"]
        return body
