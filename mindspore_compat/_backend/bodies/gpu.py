"""Fused GPU kernels for the bodies of operators: one kernel for each body.

Worked example. Given

    def normal(xp, x, scale, *, eps):
        mean = xp.row_sum(x) / xp.row_size()
        part = x - mean
        var = xp.row_sum(part * part) / xp.row_size()
        return part / xp.sqrt(var + eps) * scale, mean

the call

    bodies.rows(normal, (1, 8, 100), (ELEMENT, ROW), elements=(x,), columns=(scale,), eps=1e-5)

runs the body once on symbols, as `fuse` does with the formula of an optimizer, and launches one
kernel. Several threads work on each row. They sweep over its elements once for each sum that
depends on another (here two sweeps), and once more for the results. row_layout.py decides how
threads share rows, and row_kernels.py generates the text. `pointwise` does the same without rows,
with an ElementwiseKernel.

*Rows* are slices of data of shape (outer, rows, inner); row i is `data[:, i]`. For example,
(1, N, C) describes the rows of a matrix, (N, C, area) the channels of a batch of images, and
(N, C, 1) the columns of a matrix. An array or a result has one value for each ELEMENT of the data,
for each ROW, for each COLUMN (a position within a row), or for each CHANNEL, where rows are groups
of channels. In the last case the body has two more numbers: `groups` is the number of groups of a
sample, and `area` the number of positions of a channel.

Sums are float32 (float64 for float64). Each thread adds its own elements, and these partial sums
are added in a fixed order, so results do not depend on thread scheduling. Halves are rounded when
stored.
"""

import numpy
from numpy import float64

from . import row_layout
from .c_code import TYPES, compute_dtype, scalar_lines, step_line
from .multi_tensor import letter
from .row_kernels import RowKernel, value_type
from .row_plan import (
    CHANNEL,
    COLUMN,
    ELEMENT,
    ROW,
    SUMMED,
    BodyTrace,
    ChunkPlan,
    Operands,
    RowPlan,
    separate,
    split,
)

_C_NAMES = {"float32": "float", "float64": "double"}  # what CuPy calls a dtype -> its name in C
MOST_SHAPES = 1024  # shapes for which a body remembers its launch


def bodies_of(xp, *arrays, least="BODY"):
    """Returns `xp.bodies` if that object can run whole bodies on these arrays, else None.

    Arrays may be None. A method of the object may still return None, and the caller then runs the
    body by array functions. On the host, the first array has at least as many elements as the
    threshold `least` says (thresholds.py).
    """
    bodies = getattr(xp, "bodies", None)
    return bodies if bodies is not None and bodies.apply(*arrays, least=least) else None


class Bodies:
    """The generated kernels of bodies, for one CuPy; each is compiled on first use.

    Args:
        module: CuPy.
        compiles: whether kernels with rows are available; `pointwise` kernels always are.
    """

    takes_floats = False  # `pointwise` takes integers, too

    def __init__(self, module, compiles=True):
        self.module = module
        self.compiles = compiles
        # Bodies are looked up by the id of their code, whose hash takes longer than the rest of a
        # key. The values hold the bodies, so that no other code gets such an id.
        self._bodies = {}

    def pointwise(self, body, *arrays, out=None, **scalars):
        """Evaluates `body(xp, *arrays, **scalars)` element by element.

        Args:
            body: a function without a closure; it returns a value or a tuple of them.
            arrays: arrays whose shapes broadcast together; None for an absent array, or Parts for
                several arrays.
            out: arrays or Parts for the results, each of which is rounded to its dtype; None
                allocates results of the dtype of the first array, and bool for masks.
            scalars: numbers, or flags that select what the body does.
        """
        arrays, out = separate(arrays), separate(out or ())
        dtypes = tuple(None if array is None else array.dtype for array in arrays)
        flags, numbers = split(scalars)
        out_dtypes = tuple([array.dtype for array in out])
        key = (id(body.__code__), dtypes, tuple(flags.items()), tuple(numbers), out_dtypes)
        entry = self._bodies.get(key)
        if entry is None:
            entry = self._bodies[key] = self._elementwise(body, dtypes, flags, numbers, out_dtypes)
        kernel, single, _ = entry
        operands = [array for array in arrays if array is not None]
        results = kernel(*operands, *map(float, numbers.values()), *out)
        return results if single else tuple(results) if isinstance(results, tuple) else (results,)

    def _elementwise(self, body, dtypes, flags, numbers, out_dtypes):
        """Returns the kernel of a body, whether it has a single result, and the body. Without
        `out_dtypes`, results have the dtype of the first array; masks are bool."""
        names = [f"x{index}" for index in range(len(dtypes))]
        trace = BodyTrace(body, names, [x_dtype is not None for x_dtype in dtypes], flags, numbers)
        present = [index for index, x_dtype in enumerate(dtypes) if x_dtype is not None]
        kind = compute_dtype([dtypes[index] for index in present])
        real = "double" if kind == numpy.float64 else "float"
        lines = [
            *scalar_lines(trace, real),
            *(f"const {value_type(dtypes[index], real)} v{index} = x{index};" for index in present),
            *(_line(step, real) for step in trace.steps),
        ]
        letters = {index: letter(index) for index in present}
        masks = {step.result for step in trace.steps if step.is_bool}
        out_dtypes = out_dtypes or [
            numpy.dtype(bool) if value in masks else dtypes[present[0]] for value in trace.results
        ]
        types = {numpy.dtype(name): name for name in _C_NAMES}
        types |= {dtypes[index]: name for index, name in letters.items()}
        types = [types.get(dtype, dtype.name) for dtype in out_dtypes]
        for number, (value, name) in enumerate(zip(trace.results, types, strict=True)):
            lines.append(f"o{number} = ({_C_NAMES.get(name, name)})v{value};")
        kernel = self.module.ElementwiseKernel(
            ", ".join(
                [f"{letters[index]} x{index}" for index in present]
                + [f"float64 n_{name}" for name in numbers]
            ),
            ", ".join(f"{name} o{number}" for number, name in enumerate(types)),
            "\n".join(lines),
            trace.name,
        )
        return kernel, trace.single, body

    def apply(self, *arrays, least=None):
        """Returns True if `rows` supports the dtypes of these arrays; `least` is for the host."""
        if not self.compiles:
            return False
        for array in arrays:
            if array is not None and array.dtype not in TYPES:
                return False
        return True

    def along(self, body, axis, *arrays):
        """Evaluates `body(xp, *arrays, axis)` over an axis of arrays of one shape. Returns an array
        of that shape."""
        first = arrays[0]
        size = first.shape[axis]
        rows = first.size // size
        if axis in (-1, first.ndim - 1):
            return self.rows(body, (1, rows, size), (ELEMENT,), elements=arrays, axis=None)
        if axis in (0, -first.ndim):
            return self.rows(body, (size, rows, 1), (ELEMENT,), elements=arrays, axis=None)
        arrays_last = [self.module.moveaxis(array, axis, -1) for array in arrays]
        out = self.rows(body, (1, rows, size), (ELEMENT,), elements=arrays_last, axis=None)
        return self.module.moveaxis(out, -1, axis)

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
        """Evaluates `body(xp, *elements, *columns, *channels, *rows, **scalars)` over rows.

        Args:
            body: a function without a closure; it returns a value or a tuple of them.
            shape: (outer, rows, inner).
            results: the kind of each result. ELEMENT results have the dtype of the first array, ROW
                results are float32 (float64 for float64). COLUMN and CHANNEL results are sums over
                rows, in the dtype of the first array. None omits a result.
            elements, columns, channels, rows: arrays of each kind, or None.
            row_shape: the shape of ROW results; None means (rows,).
            scalars: numbers, or flags that select what the body does.

        Returns:
            A result of the first array's shape for each ELEMENT, of `row_shape` for each ROW, of
            one axis for each COLUMN or CHANNEL; a tuple if the body returns one.
        """
        contiguous = self.module.ascontiguousarray
        arrays = [
            array if array is None else contiguous(array)
            for array in (*elements, *columns, *channels, *rows)
        ]
        dtypes = tuple([None if array is None else array.dtype for array in arrays])
        flags, numbers = split(scalars)
        counts = len(elements), len(columns), len(channels)
        key = id(body.__code__), counts, results, dtypes, tuple(flags.items()), tuple(numbers)
        body_kernel = self._bodies.get(key)
        if body_kernel is None:
            kinds = Operands(elements, columns, channels, rows).kinds()
            body_kernel = self._bodies[key] = RowBody(
                self.module, body, kinds, results, dtypes, flags, tuple(numbers)
            )
        values = body_kernel.run(shape, arrays, numbers, row_shape)
        return values[0] if body_kernel.plan.single else tuple(values)


class RowBody:
    """The kernels of a body over rows, for arrays of fixed dtypes and one CuPy.

    Args:
        module: CuPy.
        signature: the arguments of RowPlan.
    """

    def __init__(self, module, *signature):
        self.module, self._signature = module, signature
        self.plan = plan = RowPlan(*signature)
        self.elements = [index for index in plan.there if plan.kinds[index] in (ELEMENT, COLUMN)]
        self._dtypes = tuple(plan.dtypes[index] for index in self.elements)
        self._sums = plan.result_kinds.count(COLUMN)
        arrays_of_elements = sum(plan.kinds[index] == ELEMENT for index in plan.there) + self._sums
        self._words = arrays_of_elements * plan.dtype.itemsize // 4
        whole = not SUMMED.intersection(plan.result_kinds)
        self._whole = whole
        self._first = plan.kinds.index(ELEMENT)
        self._numbers = range(len(plan.result_kinds))
        self._chunkable = whole and ChunkPlan(*signature).levels == 2
        self._by_channel = CHANNEL in plan.kinds + plan.result_kinds
        self._compiled, self._prepared = {}, {}  # layout -> kernels; shape -> launch

    def run(self, shape, arrays, numbers, row_shape=None):
        """Runs the body and returns its results for arrays of this shape; results with one value
        for each row have the shape `row_shape`, or (rows,) for None."""
        outer, rows, inner = shape
        row_shape = (rows,) if row_shape is None else row_shape
        if not (rows and outer * inner):
            kinds = self.plan.result_kinds
            return [self._empty(kind, shape, arrays, numbers, row_shape) for kind in kinds]
        launch, kernels, sizes = self.prepared(shape, arrays, numbers)
        source = kernels[-1][0]
        empty, element_shape = self.module.empty, arrays[self._first].shape
        results = {}
        for number, of_row, dtype in source.outputs:
            results[number] = empty(row_shape if of_row else element_shape, dtype)
        values = [float64(value) for value in numbers.values()]
        operands = [array for array in arrays if array is not None]
        if self._whole and not launch.layout.chunked:
            grid, block = (launch.blocks, launch.chunks), (launch.block,)
            kernels[0][1](grid, block, (*operands, *results.values(), *values, *sizes))
            return [results.get(number) for number in self._numbers]
        sums = self._room_for_sums(source, launch, rows, outer * inner)
        for kernel_source, kernel in kernels:
            out = () if kernel_source.part == "sums" else results.values()
            beside = () if sums is None else (sums, numpy.int32(launch.chunks))
            grid, block = (launch.blocks, launch.chunks), (launch.block,)
            kernel(grid, block, (*operands, *out, *beside, *values, *sizes))
        if self._whole:
            return [results.get(number) for number in self._numbers]
        return self._results(source, shape, arrays, numbers, results, sums)

    def prepared(self, shape, arrays, numbers):
        """Returns the Launch for arrays of this shape, the kernels, and the kernel arguments for
        the sizes."""
        aligned = True
        for index in self.elements:
            if arrays[index].data.ptr % 16:
                aligned = False
        run = int(numbers["area"]) if self._by_channel else 0
        entry = self._prepared.get((shape, aligned, run))
        if entry is None:
            problem = row_layout.Problem(
                shape, self._dtypes, self._words, aligned, run, bool(self._sums), self._chunkable
            )
            launch = row_layout.choose(problem)
            kernels = self._compiled.get(launch.layout)
            if kernels is None:
                kernels = self._compiled[launch.layout] = self._kernels(launch.layout)
            outer, rows, inner = shape
            number_type = numpy.int32 if launch.layout.index == "int" else numpy.int64
            sizes = [number_type(size) for size in (rows, inner, outer * inner)]
            if len(self._prepared) >= MOST_SHAPES:
                self._prepared.clear()
            entry = launch, kernels, (*sizes, numpy.int32(launch.threads))
            self._prepared[shape, aligned, run] = entry
        return entry

    def _kernels(self, layout):
        parts = ("sums", "results") if layout.chunked else ("all",)
        sources = [RowKernel(*self._signature, layout, part) for part in parts]
        return [(source, self.module.RawKernel(source.text, source.name)) for source in sources]

    def _room_for_sums(self, source, launch, rows, length):
        """Allocates memory for partial sums: one for each chunk of each row, or one for each block
        over its rows. Returns None if the kernel has neither.
        """
        if launch.layout.chunked:
            return self.module.empty((source.slots, launch.chunks, rows), self.plan.dtype)
        if source.summed:
            parts = launch.blocks * (launch.block // launch.threads)
            return self.module.empty((parts, len(source.summed), length), self.plan.dtype)
        return None

    def _results(self, source, shape, arrays, numbers, results, sums):
        """Returns the results of the body, in order; adds up the partial sums that the kernel has
        written.

        Args:
            source: the RowKernel.
            shape: (outer, rows, inner).
            arrays, numbers: the arguments of the body.
            results (dict): number of a result -> the array that the kernel wrote.
            sums: the partial sums of blocks over rows; None if there are none.
        """
        if source.summed:
            summed = self.module.sum(sums, 0)
            results |= dict(zip(source.summed, summed, strict=True))
        outputs = []
        for number, kind in enumerate(self.plan.result_kinds):
            if number in source.summed or kind not in SUMMED:
                outputs.append(results.get(number))
                continue
            terms = results.get(number)  # None if the result is the sum of an argument itself
            terms = arrays[self.plan.trace.results[number]] if terms is None else terms
            if kind == COLUMN:
                sums_of = self.module.sum(terms.reshape(shape), 1, self.plan.dtype)
                outputs.append(sums_of.reshape(-1))
            else:
                area = numbers["area"]
                planes = terms.reshape(-1, numbers["groups"] * shape[2] // area, area)
                outputs.append(self.module.sum(planes, (0, 2), self.plan.dtype))
        return outputs

    def _empty(self, kind, shape, arrays, numbers, row_shape):
        """Returns a result of this kind for data without elements."""
        first, (outer, _, inner) = arrays[self._first], shape
        if kind is None:
            return None
        if kind == ELEMENT:
            return self.module.empty(first.shape, first.dtype)
        sizes = {ROW: row_shape, COLUMN: outer * inner}
        if kind == CHANNEL:
            sizes[CHANNEL] = numbers["groups"] * inner // numbers["area"]
        return self.module.zeros(sizes[kind], self.plan.dtype)


def _line(step, real):
    """Returns the C declaration for one step of a body."""
    if step.name == "constant":
        return f"const {real} v{step.result} = {step.operands[0]};"
    return step_line(step, real)
