"""Micro-kernels of matrix products, which compiled loops for the host (jit.py) call: each keeps a
tile of the result in vector registers.

`tile` is the inner kernel of a matrix product whose right side is addressed by offsets, which
covers convolution without copying windows; in `gather_tile` offsets address the left side. `dots`
computes dot products of rows and shifted rows; others copy and clear vectors. The NumPy functions
below define what each computes. Compiled loops call the versions of `intrinsics`: LLVM vectors as
wide as the host's registers, with all sums of a tile in registers from the first product to the
last. They keep the multiply-add units busy where a loop over arrays would wait for memory.

A loop refers to these names and to the constants as globals, and is compiled with a Library
(library.py):

    def multiply(a, b, out, offsets, count):
        # a: 4 rows, packed as (count, 4); b: (count, 48), row-major; out: (4, 48)
        for v in range(0, 48, LANES):
            tile(4, 1, a, 0, b, v, offsets, 0, count, 0, out, v, 48)

    parameters = [(FLOAT, True)] * 3 + [(numpy.dtype(numpy.int32), True), (INDEX, False)]
    jit.Loop(lambda name: text, parameters, True, "multiply", library.LIBRARY)

Arrays have one axis and are float32, offsets int32, everything else int64. Bounds are not checked:
a tile reads and writes whole vectors of LANES elements, so arrays must be large enough for that.
"""

import functools

import numpy

from .vector_sizes import sizes

# The sizes of the NumPy functions below; `sizes` returns the sizes of the compiled functions.
LANES = 4  # elements of a vector
ROWS = 4  # most rows of a tile
VECTORS = 3  # most vectors of a row
DOT_ROWS = 3  # most rows of `dots`
STREAMS = 4  # shifted rows of `dots`
UNROLLED = 4  # products of each sum of a `panel_tile` in one turn of its loop


def tile(rows, vectors, a, a_at, b, b_at, offsets, offsets_at, count, add, out, out_at, out_step):
    """Computes a product of `rows` x `count` by `count` x (`vectors` * LANES) elements.

    out[i, j] = sum over k of a[k, i] * b[offsets[k] + j], for i < rows and j < vectors * LANES.

    Args:
        rows (int): 1 to ROWS.
        vectors (int): 1 to VECTORS.
        a, a_at: an array, and where the left side begins in it, stored as (count, rows).
        b, b_at: an array, and a number that is added to all offsets into it.
        offsets, offsets_at: an array of int32, and where its `count` offsets begin.
        count (int): the products of each sum, which are added in this order.
        add (int): 1 to add the sums to the values of `out`, 0 to overwrite them. A long sum is more
            accurate in parts.
        out, out_at, out_step: an array, where the result begins in it, and the step from one of
            its rows to the next.
    """
    width = vectors * LANES
    for i in range(rows):
        target = out[out_at + i * out_step :][:width]
        total = numpy.zeros(width, out.dtype)
        for k in range(count):
            start = b_at + offsets[offsets_at + k]
            total += a[a_at + k * rows + i] * b[start : start + width]
        target[:] = target + total if add else total


def gather_tile(
    rows,
    vectors,
    a,
    a_at,
    starts,
    starts_at,
    offsets,
    offsets_at,
    b,
    b_at,
    b_step,
    count,
    add,
    out,
    out_at,
    out_step,
):
    """Computes a product whose left side is addressed by offsets, the right one by rows.

    out[i, j] = sum over k of a[starts[i] + offsets[k]] * b[k, j], for i < rows and
    j < vectors * LANES.

    Args:
        rows, vectors, count, add, out, out_at, out_step: as for `tile`.
        a, a_at: an array, and a number that is added to all offsets into it.
        starts, starts_at: an array of int32, and where the starts of the `rows` rows begin.
        offsets, offsets_at: an array of int32, and where its `count` offsets begin.
        b, b_at, b_step: an array, where the right side begins in it, and the step from one of its
            rows to the next.
    """
    width = vectors * LANES
    for i in range(rows):
        target = out[out_at + i * out_step :][:width]
        total = numpy.zeros(width, out.dtype)
        start = a_at + starts[starts_at + i]
        for k in range(count):
            total += a[start + offsets[offsets_at + k]] * b[b_at + k * b_step :][:width]
        target[:] = target + total if add else total


def panel_tile(rows, vectors, a, a_at, a_row, a_step, b, b_at, count, add, out, out_at, out_step):
    """Computes a product whose right side is packed, and whose left side has any strides.

    out[i, j] = sum over k of a[i * a_row + k * a_step] * b[k, j], for i < rows and
    j < vectors * LANES. `b` is stored as (count, vectors * LANES).

    Args:
        rows, vectors, count, add, out, out_at, out_step: as for `tile`.
        a, a_at, a_row, a_step: an array, where the left side begins in it, and the steps to the
            next row and to the next factor of a row.
        b, b_at: an array, and where the right side begins in it.
    """
    width = vectors * LANES
    right = b[b_at : b_at + count * width].reshape(count, width)
    for i in range(rows):
        start = a_at + i * a_row
        factors = a[start : start + (count - 1) * a_step + 1 : a_step]
        target = out[out_at + i * out_step :][:width]
        total = numpy.zeros(width, out.dtype)
        for factor, vector in zip(factors, right, strict=True):
            total += factor * vector
        target[:] = target + total if add else total


def dots(rows, a, a_at, a_step, b, b_at, offsets, offsets_at, count, out, out_at):
    """Computes dot products of `rows` rows with STREAMS shifted rows.

    out[i, s] = sum over j of a[i, j] * b[offsets[s] + j], for i < rows, s < STREAMS and
    j < count * LANES. `out` is stored as (rows, STREAMS).

    Args:
        rows (int): 1 to DOT_ROWS.
        a, a_at, a_step: an array, where its rows begin, and the step from one to the next.
        b, b_at: an array, and a number that is added to all offsets into it.
        offsets, offsets_at: an array of int32, and where its STREAMS offsets begin.
        count (int): the length of a row in vectors.
        out, out_at: an array, and where the result begins in it.
    """
    for i in range(rows):
        left = a[a_at + i * a_step :][: count * LANES]
        for s in range(STREAMS):
            start = b_at + offsets[offsets_at + s]
            out[out_at + i * STREAMS + s] = left @ b[start : start + count * LANES]


def copy_vector(x, x_at, out, out_at):
    """Copies LANES elements from `x_at` of an array to `out_at` of another."""
    out[out_at : out_at + LANES] = x[x_at : x_at + LANES]


def prefetch(x, x_at):
    """Requests the cache line of an element that will be read soon; the index may be outside the
    array. Does nothing as a Python function."""


def transpose_square(x, x_at, x_step, out, out_at, out_step):
    """Sets out[j, i] = x[i, j] for i and j < LANES; the steps are from one row to the next."""
    for i in range(LANES):
        start = out_at + i
        out[start : start + LANES * out_step : out_step] = x[x_at + i * x_step :][:LANES]


def clear_vector(out, out_at):
    """Writes LANES zeros to an array from `out_at`."""
    out[out_at : out_at + LANES] = 0


def pointer(x, start):
    """Returns a pointer to the elements of an array, or of another pointer, from an index on.

    Loops over many short rows use it instead of a slice: in compiled code each slice makes two
    calls to count references to its array.
    """
    return x[start:]


@functools.cache
def intrinsics():
    """Returns `tile`, `dots` and the constants, for loops that Numba compiles."""
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def tile(
        context, rows, vectors, a, a_at, b, b_at, offsets, offsets_at, count, add, out, out_at, step
    ):
        args = rows, vectors, a, a_at, b, b_at, offsets, offsets_at, count, add, out, out_at, step
        return types.void(*map(plain, args)), _tile_code

    @intrinsic
    def gather_tile(
        context,
        rows,
        vectors,
        a,
        a_at,
        starts,
        starts_at,
        offsets,
        offsets_at,
        b,
        b_at,
        b_step,
        count,
        add,
        out,
        out_at,
        out_step,
    ):
        args = (
            rows,
            vectors,
            a,
            a_at,
            starts,
            starts_at,
            offsets,
            offsets_at,
            b,
            b_at,
            b_step,
            count,
            add,
            out,
            out_at,
            out_step,
        )
        return types.void(*map(plain, args)), _gather_tile_code

    @intrinsic
    def panel_tile(
        context, rows, vectors, a, a_at, a_row, a_step, b, b_at, count, add, out, out_at, out_step
    ):
        args = rows, vectors, a, a_at, a_row, a_step, b, b_at, count, add, out, out_at, out_step
        return types.void(*map(plain, args)), _panel_tile_code

    @intrinsic
    def dots(context, rows, a, a_at, a_step, b, b_at, offsets, offsets_at, count, out, out_at):
        args = rows, a, a_at, a_step, b, b_at, offsets, offsets_at, count, out, out_at
        return types.void(*map(plain, args)), _dots_code

    @intrinsic
    def copy_vector(context, x, x_at, out, out_at):
        return types.void(*map(plain, (x, x_at, out, out_at))), _copy_code

    @intrinsic
    def prefetch(context, x, x_at):
        return types.void(*map(plain, (x, x_at))), _prefetch_code

    @intrinsic
    def clear_vector(context, out, out_at):
        return types.void(*map(plain, (out, out_at))), _clear_code

    @intrinsic
    def transpose_square(context, x, x_at, x_step, out, out_at, out_step):
        args = x, x_at, x_step, out, out_at, out_step
        return types.void(*map(plain, args)), _transpose_code

    @intrinsic
    def pointer(context, x, start):
        return types.CPointer(x.dtype)(x, types.int64), _pointer_code

    functions = (
        tile,
        gather_tile,
        panel_tile,
        dots,
        copy_vector,
        prefetch,
        clear_vector,
        transpose_square,
        pointer,
    )
    return {**sizes(), **{function._name: function for function in functions}}


def plain(kind):
    """Returns Numba's type for an argument of an intrinsic: int64 for integers of any kind, other
    types unchanged."""
    from numba import types

    return types.int64 if isinstance(kind, types.Integer) else kind


class Code:
    """Emits LLVM vector instructions into the body of an intrinsic."""

    def __init__(self, context, builder, signature, arguments):
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils

        lanes = sizes()["LANES"]
        self.ir, self.cgutils, self.builder = ir, cgutils, builder
        self.index, self.lane, self.single = ir.IntType(64), ir.IntType(32), ir.FloatType()
        self.vector = ir.VectorType(self.single, lanes)
        self.lanes = lanes
        self.zero = self.constant(0.0)
        self.mask = ir.Constant(ir.VectorType(self.lane, lanes), [0] * lanes)
        self.arguments = [
            context.make_array(kind)(context, builder, value=value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fmuladd.v{lanes}f32"
        self._multiply_add = cgutils.get_or_insert_function(builder.module, kind, name)

    def number(self, value):
        """Returns a constant index."""
        return self.ir.Constant(self.index, value)

    def constant(self, value):
        """Returns a vector whose elements are one number."""
        return self.ir.Constant(self.vector, [value] * self.lanes)

    def at(self, pointer, *steps):
        """Returns a pointer advanced by the given numbers of elements."""
        for step in steps:
            pointer = self.builder.gep(pointer, [step])
        return pointer

    def offset(self, offsets, index):
        """Returns element `index` of an array of int32 offsets, as an int64."""
        return self.builder.sext(self.builder.load(self.at(offsets, index)), self.index)

    def load(self, pointer):
        """Returns the vector at a pointer to float32, which need not be aligned."""
        return self.builder.load(self._whole(pointer), align=4)

    def store(self, vector, pointer):
        """Writes a vector to a pointer to float32."""
        self.builder.store(vector, self._whole(pointer), align=4)

    def _whole(self, pointer):
        return self.builder.bitcast(pointer, self.vector.as_pointer())

    def broadcast(self, pointer):
        """Returns a vector whose elements are all the float32 at a pointer."""
        nothing = self.ir.Constant(self.vector, self.ir.Undefined)
        first = self.ir.Constant(self.lane, 0)
        vector = self.builder.insert_element(nothing, self.builder.load(pointer), first)
        return self.builder.shuffle_vector(vector, nothing, self.mask)

    def choose(self, x, y, indices):
        """Returns the elements at indices into the concatenation of the vectors `x` and `y`."""
        mask = self.ir.Constant(self.mask.type, indices)
        return self.builder.shuffle_vector(x, y, mask)

    def add_product(self, total, x, y):
        """Adds x * y to `total`, one of the `variables`."""
        value = self.builder.call(self._multiply_add, [x, y, self.builder.load(total)])
        self.builder.store(value, total)

    def sum(self, vector):
        """Returns the sum of a vector's elements."""
        kind = self.ir.FunctionType(self.single, [self.single, self.vector])
        name = f"llvm.vector.reduce.fadd.v{self.lanes}f32"
        function = self.cgutils.get_or_insert_function(self.builder.module, kind, name)
        nothing = self.ir.Constant(self.single, -0.0)
        return self.builder.call(function, [nothing, vector], fastmath=("reassoc",))

    def variables(self, rows, columns):
        """Declares local variables for `rows` x `columns` vectors; LLVM keeps them in registers."""
        make = self.cgutils.alloca_once
        return [[make(self.builder, self.vector) for _ in range(columns)] for _ in range(rows)]

    def cases(self, value, numbers):
        """Yields each number, with the builder in its case of a switch on `value`."""
        end = self.builder.append_basic_block("end")
        switch = self.builder.switch(value, end)
        for number in numbers:
            block = self.builder.append_basic_block(f"case_{number}")
            switch.add_case(self.number(number), block)
            self.builder.position_at_end(block)
            yield number
            self.builder.branch(end)
        self.builder.position_at_end(end)


def _cases_of_tiles(code):
    """Yields the totals for each size of tile, with the builder in the case of that size."""
    own, builder = sizes(), code.builder
    rows, vectors, *_ = code.arguments
    totals = code.variables(own["ROWS"], own["VECTORS"])
    case = builder.add(builder.mul(rows, code.number(own["VECTORS"])), vectors)
    first = own["VECTORS"] + 1  # one row of one vector
    for number in code.cases(case, range(first, first + own["ROWS"] * own["VECTORS"])):
        rows, vectors = divmod(number - 1, own["VECTORS"])
        yield [row[: vectors + 1] for row in totals[:rows]]


def _tile_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    _, _, a, a_at, b, b_at, offsets, offsets_at, count, add, out, out_at, step = code.arguments
    a, b = code.at(a, a_at), code.at(b, b_at)
    offsets, out = code.at(offsets, offsets_at), code.at(out, out_at)
    for totals in _cases_of_tiles(code):

        def operands(k, rows=len(totals)):
            left = code.at(a, builder.mul(k, code.number(rows)))
            factors = [code.at(left, code.number(i)) for i in range(rows)]
            return factors, code.at(b, code.offset(offsets, k))

        _write_tile(code, totals, operands, count, add, out, step)
    return context.get_dummy_value()


def _gather_tile_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    _, _, a, a_at, starts, starts_at, offsets, offsets_at, *rest = code.arguments
    b, b_at, b_step, count, add, out, out_at, step = rest
    a, b, out = code.at(a, a_at), code.at(b, b_at), code.at(out, out_at)
    starts, offsets = code.at(starts, starts_at), code.at(offsets, offsets_at)
    for totals in _cases_of_tiles(code):
        left = [code.at(a, code.offset(starts, code.number(i))) for i in range(len(totals))]

        def operands(k, left=left):
            offset = code.offset(offsets, k)
            return [code.at(row, offset) for row in left], code.at(b, builder.mul(k, b_step))

        _write_tile(code, totals, operands, count, add, out, step)
    return context.get_dummy_value()


def _panel_tile_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    _, _, a, a_at, a_row, a_step, b, b_at, count, add, out, out_at, step = code.arguments
    a, b, out = code.at(a, a_at), code.at(b, b_at), code.at(out, out_at)
    for totals in _cases_of_tiles(code):
        left = [code.at(a, builder.mul(a_row, code.number(i))) for i in range(len(totals))]
        width = code.number(len(totals[0]) * code.lanes)

        def operands(k, left=left, width=width):
            offset = builder.mul(k, a_step)
            return [code.at(row, offset) for row in left], code.at(b, builder.mul(k, width))

        _write_tile(code, totals, operands, count, add, out, step, UNROLLED)
    return context.get_dummy_value()


def _write_tile(code, totals, operands, count, add, out, step, unrolled=1):
    """Emits the instructions that compute a tile and store it.

    Args:
        code: the Code that emits instructions.
        totals: the variables, one for each row and vector.
        operands: `operands(k)` emits the addresses of the k-th factors of all rows, and of the
            vectors that they multiply, and returns pointers to these.
        count, add, out, step: as for `tile`; `out` is a pointer.
        unrolled (int): the products of each sum in one iteration, a power of two.
    """
    builder = code.builder
    targets = {}
    for i, row in enumerate(totals):
        start = code.at(out, builder.mul(step, code.number(i)))
        for v, total in enumerate(row):
            builder.store(code.zero, total)
            targets[total] = code.at(start, code.number(v * code.lanes))

    def add_products(k):
        factors, right = operands(k)
        vectors = range(len(totals[0]))
        values = [code.load(code.at(right, code.number(v * code.lanes))) for v in vectors]
        for row, factor in zip(totals, factors, strict=True):
            one = code.broadcast(factor)
            for total, value in zip(row, values, strict=True):
                code.add_product(total, one, value)

    whole, step_of = builder.and_(count, code.number(-unrolled)), code.number(unrolled)
    with code.cgutils.for_range_slice(builder, code.number(0), whole, step_of) as (first, _):
        for turn in range(unrolled):
            add_products(builder.add(first, code.number(turn)))
    if unrolled > 1:
        with code.cgutils.for_range(builder, count, whole) as loop:
            add_products(loop.index)
    with builder.if_then(builder.icmp_signed("!=", add, code.number(0))):
        for total, target in targets.items():
            builder.store(builder.fadd(builder.load(total), code.load(target)), total)
    for total, target in targets.items():
        code.store(builder.load(total), target)


def _dots_code(context, builder, signature, arguments):
    code, own = Code(context, builder, signature, arguments), sizes()
    totals = code.variables(own["DOT_ROWS"], own["STREAMS"])
    for rows in code.cases(code.arguments[0], range(1, own["DOT_ROWS"] + 1)):
        _write_dots(code, totals[:rows])
    return context.get_dummy_value()


def _write_dots(code, totals):
    """Emits the instructions of `dots` for as many rows as there are totals."""
    builder = code.builder
    _, a, a_at, a_step, b, b_at, offsets, offsets_at, count, out, out_at = code.arguments
    a, b, out = code.at(a, a_at), code.at(b, b_at), code.at(out, out_at)
    offsets = code.at(offsets, offsets_at)
    streams = len(totals[0])
    left = [code.at(a, builder.mul(a_step, code.number(i))) for i in range(len(totals))]
    right = [code.at(b, code.offset(offsets, code.number(s))) for s in range(streams)]
    for row in totals:
        for total in row:
            builder.store(code.zero, total)
    with code.cgutils.for_range(builder, count) as loop:
        start = builder.mul(loop.index, code.number(code.lanes))
        factors = [code.load(code.at(row, start)) for row in left]
        for s, stream in enumerate(right):
            value = code.load(code.at(stream, start))
            for row, factor in zip(totals, factors, strict=True):
                code.add_product(row[s], factor, value)
    for i, row in enumerate(totals):
        for s, total in enumerate(row):
            target = code.at(out, code.number(i * streams + s))
            builder.store(code.sum(builder.load(total)), target)


def _copy_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    x, x_at, out, out_at = code.arguments
    code.store(code.load(code.at(x, x_at)), code.at(out, out_at))
    return context.get_dummy_value()


def _prefetch_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    byte, number = code.ir.IntType(8).as_pointer(), code.lane
    kind = code.ir.FunctionType(code.ir.VoidType(), [byte, number, number, number])
    function = code.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    # The arguments mean: for reading, into the level-2 cache, as data.
    flags = [code.ir.Constant(number, value) for value in (0, 2, 1)]
    builder.call(function, [builder.bitcast(code.at(*code.arguments), byte), *flags])
    return context.get_dummy_value()


def _transpose_code(context, builder, signature, arguments):
    """Emits the instructions of `transpose_square`: pairs of rows exchange halves, then quarters,
    down to single elements."""
    code = Code(context, builder, signature, arguments)
    x, x_at, x_step, out, out_at, out_step = code.arguments
    x, out, lanes = code.at(x, x_at), code.at(out, out_at), code.lanes
    rows = [code.load(code.at(x, builder.mul(x_step, code.number(i)))) for i in range(lanes)]
    size = lanes // 2
    while size:
        for i in range(lanes):
            if not i & size:
                one, two = rows[i], rows[i + size]
                firsts = [j if not j & size else lanes + j - size for j in range(lanes)]
                seconds = [j + size if not j & size else lanes + j for j in range(lanes)]
                rows[i], rows[i + size] = (code.choose(one, two, f) for f in (firsts, seconds))
        size //= 2
    for i, row in enumerate(rows):
        code.store(row, code.at(out, builder.mul(out_step, code.number(i))))
    return context.get_dummy_value()


def _clear_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    code.store(code.zero, code.at(*code.arguments))
    return context.get_dummy_value()


def _pointer_code(context, builder, signature, arguments):
    code = Code(context, builder, signature, arguments)
    return code.at(*code.arguments)
