"""Matrix products of GPU arrays by cuBLAS, without copies of transposed, broadcast or strided
operands.

Worked example. The scores of attention are `matmul(query, key.swapaxes(-1, -2))` of two views with
the strides (S * H * D, D, H * D, 1): heads lie between the rows. cuBLAS reads a matrix whose rows
lie H * D elements apart in place, and takes the transpose of another as a flag. No single stride
covers the two batch axes, so a kernel first writes the addresses of the matrices.

    shapes     a vector is a matrix of one row or column; leading axes are broadcast by strides of 0
    axes       neighbouring batch axes that one stride covers become one; if the rows continue in
               it and the right side is one matrix, they make a single larger product
    layouts    a matrix is read in place if one of its axes is contiguous; otherwise it is copied
    calls      one for no batch axis or one; for more, addresses or a few calls

The array library multiplies integers, which cuBLAS does not support, and everything if cuBLAS is
missing.
"""

import math
from typing import NamedTuple

import numpy

from ..host import checksums
from . import cublas, cublaslt

MOST_CALLS = 2  # up to this many calls, a loop over a batch axis replaces addresses
MOST_AXES = 4  # maximum number of batch axes of the address kernel
THREADS = 128
MOST_PLANS = 4096  # plans that are kept at a time

_ADDRESSES = """
extern "C" __global__ void batch_addresses(
    unsigned long long* out, long long count,
    unsigned long long a, unsigned long long b, unsigned long long c,
    int n1, int n2, int n3,
    long long a0, long long a1, long long a2, long long a3,
    long long b0, long long b1, long long b2, long long b3,
    long long c0, long long c1, long long c2, long long c3) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= count) return;
    long long rest = at;
    long long i3 = rest % n3; rest /= n3;
    long long i2 = rest % n2; rest /= n2;
    long long i1 = rest % n1; rest /= n1;
    out[at] = a + rest * a0 + i1 * a1 + i2 * a2 + i3 * a3;
    out[count + at] = b + rest * b0 + i1 * b1 + i2 * b2 + i3 * b3;
    out[2 * count + at] = c + rest * c0 + i1 * c1 + i2 * c2 + i3 * c3;
}
"""


class Plan(NamedTuple):
    """The way in which arrays of certain shapes, strides and dtypes are multiplied; Products keeps
    it for later calls.

    Args:
        shape (tuple): the shape of the result.
        run (Callable): takes the addresses of `x`, `y` and the result, and multiplies; None if a
            matrix must be copied first.
        copies (tuple): whether `x`, `y` and the result must be copied first.
    """

    shape: tuple
    run: object
    copies: tuple


class Products:
    """`matmul` of the arrays of one library.

    Args:
        module: CuPy, or its stand-in.

    Attributes:
        library (cublas.Library): None if the array library computes all products.
        with_vectors (cublaslt.Library): None if separate kernels add vectors.
        late (bool): whether the array library has computed a product because cuBLAS is missing.
    """

    def __init__(self, module):
        self.module = module
        self.library = cublas.load(module)
        self.with_vectors = cublaslt.load(module, self.library)
        self._write_addresses = self.library and module.RawKernel(_ADDRESSES, "batch_addresses")
        self.late = False
        self._plans = {}  # the properties of a product, except addresses -> its Plan
        self._sums = {}  # properties of a product plus vector -> function of addresses, or None

    def matmul(self, x, y, out=None, purpose="matmul"):
        """Returns the matrix products over the last two axes. Leading axes broadcast; a vector
        counts as a row on the left side and as a column on the right.

        Args:
            x, y: arrays of the library.
            out: an array for the result, or None for a new one.
            purpose (str): "matmul" or "conv", which selects the TF32 setting.
        """
        result = self._product(x, y, out, cublas.tf32[purpose]) if self._multiplies(x, y) else None
        if result is None:
            self.late = self.library is None
            result = self.module.matmul(x, y, out=out)
        return checksums.check(self.module, x, y, result) if checksums.on else result

    def matmul_float32(self, x, y, factor=1.0):
        """Returns the product times a factor, in float32 unless the arrays are wider; cuBLAS reads
        low precision as it is.

        Args:
            x, y: arrays.
            factor (float): a number.
        """
        halves = x.dtype == y.dtype and x.dtype.itemsize == 2 and x.dtype in cublas.KINDS
        if halves and not checksums.on and self._multiplies(x, y):
            out = self.module.ndarray(_shape(x, y), cublas.FLOAT32)
            if self._product(x, y, out, False, float(factor)) is not None:
                return out
        x, y = (a.astype("float32") if a.dtype.itemsize == 2 else a for a in (x, y))
        return self.matmul(x if factor == 1 else x * x.dtype.type(factor), y)

    def matmul_add(self, x, y, vector):
        """Returns the product of two matrices, plus a vector that is added to each row. It is one
        kernel if cuBLASLt supports the product."""
        multiply = None
        if self.with_vectors and not checksums.on and self._multiplies(x, y):
            multiply = self._with_vector(x, y, vector)
        if multiply is None:
            return self.matmul(x, y) + vector
        out = self.module.ndarray((x.shape[0], y.shape[1]), x.dtype)
        addresses = y.data.ptr, x.data.ptr, out.data.ptr, vector.data.ptr
        if any(address % cublaslt.ALIGNMENT for address in addresses):
            return self.matmul(x, y) + vector
        multiply(*addresses)
        return out

    def _with_vector(self, x, y, vector):
        """Returns the function of `cublaslt.Library.prepared` that computes `matmul_add` for these
        arrays; None if cuBLASLt does not support them."""
        tf32 = cublas.tf32["matmul"]
        key = x.shape, x.strides, y.shape, y.strides, x.dtype.num, tf32, vector.shape
        if type(vector) is not self.module.ndarray or not x.dtype == y.dtype == vector.dtype:
            return None
        if key not in self._sums:
            if len(self._sums) >= MOST_PLANS:
                self._sums.clear()
            self._sums[key] = self._new_sum(x, y, vector, tf32)
        return self._sums[key] if vector.flags.c_contiguous else None

    def _new_sum(self, x, y, vector, tf32):
        if not x.ndim == y.ndim == 2 or x.shape[1] != y.shape[0] or vector.shape != y.shape[1:]:
            return None
        if x.dtype not in cublas.KINDS or not (x.size and y.size):
            return None
        (rows, inner), columns = x.shape, y.shape[1]
        layouts = [
            _layout(*shape, *steps) for shape, steps in (_shape_and_steps(x), _shape_and_steps(y))
        ]
        if None in layouts:
            return None
        (turn_x, lead_x), (turn_y, lead_y) = layouts
        sizes, leads = (columns, rows, inner), (lead_y, lead_x, columns)
        return self.with_vectors.prepared(_kind(x, tf32), (turn_y, turn_x), sizes, leads)

    def _multiplies(self, x, y):
        if self.library is None:
            return False
        kind = self.module.ndarray
        return type(x) is kind and type(y) is kind and x.ndim > 0 and y.ndim > 0

    def _product(self, x, y, out, tf32, factor=None):
        """Returns the product, or None if cuBLAS does not support the dtype or the size; with a
        factor the result is float32."""
        dtype = x.dtype
        if y.dtype != dtype:
            dtype = numpy.result_type(dtype, y.dtype)
            x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
        if dtype not in cublas.KINDS:
            return None
        other = out is not None and out.dtype != dtype and factor is None
        if other or out is not None and out.data.mem in (x.data.mem, y.data.mem):
            return self._multiply_and_copy(x, y, out, tf32)
        key = x.shape, x.strides, y.shape, y.strides, dtype.num, tf32, factor
        key = key if out is None else (*key, out.shape, out.strides)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._new_plan(key, x, y, out, tf32, factor)
        if out is None:
            out = self.module.ndarray(plan.shape, dtype)
        if plan.run is not None:
            plan.run(x.data.ptr, y.data.ptr, out.data.ptr)
        elif not out.size or not x.shape[-1]:
            out.fill(0)
        elif plan.copies[2] and not out.flags.c_contiguous:
            return self._multiply_and_copy(x, y, out, tf32)
        else:
            copies = [
                self.module.ascontiguousarray(array) if needs_copy else array
                for array, needs_copy in zip((x, y), plan.copies)
            ]
            if copies[0] is x and copies[1] is y:
                return None  # more elements or matrices than cuBLAS can count
            return self._product(*copies, out, tf32, factor)
        return out

    def _multiply_and_copy(self, x, y, out, tf32):
        """Computes the product in a temporary array, copies it to `out`, and returns `out`; None if
        there is no product."""
        product = self._product(x, y, None, tf32)
        if product is None:
            return None
        out[...] = product
        return out

    def _new_plan(self, key, x, y, out, tf32, factor):
        kind = _kind(x, tf32) if factor is None else cublas.in_float32(x.dtype, factor)
        shape = _shape(x, y)
        if out is None:
            out = self.module.ndarray(shape, x.dtype)
        elif out.shape != shape:
            raise ValueError(f"out has the shape {out.shape}, but the product has {shape}")
        descriptions = _as_left_operand(x), _right(y), _result(out, x, y)
        run = None
        if out.size and x.shape[-1]:
            run = self._runner(kind, descriptions, [a.dtype.itemsize for a in (x, y, out)])
        copies = tuple(map(_needs_copy, descriptions)) if run is None else ()
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        plan = self._plans[key] = Plan(shape, run, copies)
        return plan

    def _runner(self, kind, descriptions, itemsizes):
        """Returns a function that takes the addresses of x, y and the result, and multiplies.
        Returns None if a matrix cannot be read or written in place.

        Args:
            kind (cublas.Kind): the dtype.
            descriptions: for x, y and the result, the shape and the step along each axis.
            itemsize (int): bytes of an element.
        """
        (rows, inner), columns = descriptions[0][0][-2:], descriptions[1][0][-1]
        axes = _batch_axes(descriptions)
        steps = [steps[-2:] for _, steps in descriptions]
        while axes and axes[-1][2] == 0:
            longer = _with_more_rows(axes[-1], rows, inner, columns, steps)
            if longer is None:
                break
            rows, steps = longer
            axes.pop()
        sizes = (rows, inner), (inner, columns), (rows, columns)
        layouts = [_layout(*size, *step) for size, step in zip(sizes, steps, strict=True)]
        count = math.prod(axis[0] for axis in axes)
        if None in layouts or any(min(axis) < 0 for axis in axes) or count > cublas.LARGEST:
            return None
        (turn_x, lead_x), (turn_y, lead_y), (turn_out, lead_out) = layouts
        if turn_out:  # the library's own order: column by column
            call = (kind, (1 - turn_x, 1 - turn_y), (rows, columns, inner))
            return self._over(axes, itemsizes, call, (lead_x, lead_y, lead_out), (0, 1, 2))
        # rows are columns to it, so the transposes are multiplied
        call = (kind, (turn_y, turn_x), (columns, rows, inner))
        return self._over(axes, itemsizes, call, (lead_y, lead_x, lead_out), (1, 0, 2))

    def _over(self, axes, itemsizes, call, leads, order):
        """Returns a function that takes the addresses of x, y and the result, and multiplies the
        matrices along all batch axes.

        Args:
            axes: (length, steps of x, y and the result) for each.
            itemsizes: bytes of an element of x, y and the result.
            call: the arguments of cuBLAS besides the leading dimensions `leads`.
            order: which of x, y and the result are cuBLAS's A, B and C.
        """
        if len(axes) < 2:
            count, *steps = axes[0] if axes else (None, None)
            steps = [steps[index] for index in order] if axes else None
            return _in_order(self.library.prepared(*call, leads, steps, count), order)
        lengths = [axis[0] for axis in axes]
        calls = math.prod(lengths) // max(lengths)
        if calls > MOST_CALLS and len(axes) <= MOST_AXES:
            multiply = self.library.prepared(*call, leads, None, math.prod(lengths))
            return self._by_addresses(axes, itemsizes, _in_order(multiply, order))
        outer = lengths.index(min(lengths))
        inside = self._over(axes[:outer] + axes[outer + 1 :], itemsizes, call, leads, order)
        count, *steps = axes[outer]
        bytes_apart = [step * itemsize for step, itemsize in zip(steps, itemsizes, strict=True)]

        def run(*addresses):
            for number in range(count):
                inside(*(at + number * step for at, step in zip(addresses, bytes_apart)))

        return run

    def _by_addresses(self, axes, itemsizes, multiply):
        """Returns a function of the addresses of x, y and the result. It writes the addresses of
        all their matrices to GPU memory, and calls `multiply` with these."""
        count = math.prod(axis[0] for axis in axes)
        axes = [(1, 0, 0, 0)] * (MOST_AXES - len(axes)) + axes
        lengths = [numpy.int32(axis[0]) for axis in axes[1:]]
        steps = [
            numpy.int64(axis[1 + side] * itemsize)
            for side, itemsize in enumerate(itemsizes)
            for axis in axes
        ]
        blocks = (-(-count // THREADS),)

        def run(*addresses):
            table = self.module.ndarray((3, count), numpy.uint64)
            starts = [numpy.uint64(address) for address in addresses]
            arguments = (table, numpy.int64(count), *starts, *lengths, *steps)
            self._write_addresses(blocks, (THREADS,), arguments)
            start = table.data.ptr
            multiply(start, start + 8 * count, start + 16 * count)

        return run


def _in_order(multiply, order):
    """Converts `multiply`, which takes the addresses of cuBLAS's A, B and C. Returns a function
    that takes the addresses of x, y and the result.
    """
    return multiply if order == (0, 1, 2) else lambda x, y, out: multiply(y, x, out)


def _kind(x, tf32):
    return cublas.TF32 if tf32 and x.dtype == cublas.FLOAT32 else cublas.KINDS[x.dtype]


def _shape_and_steps(array):
    size = array.dtype.itemsize
    return array.shape, tuple([stride // size for stride in array.strides])


def _as_left_operand(x):
    """Returns the shape of the left side, and the step in elements along each axis. A vector is
    described as a matrix of one row."""
    shape, steps = _shape_and_steps(x)
    return (shape, steps) if len(shape) > 1 else ((1, *shape), (0, *steps))


def _right(y):
    shape, steps = _shape_and_steps(y)
    return (shape, steps) if len(shape) > 1 else ((*shape, 1), (*steps, 0))


def _result(out, x, y):
    """Returns the shape of the result `out`, and the step in elements along each axis. Axes that
    are missing because `x` or `y` is a vector are added."""
    shape, steps = _shape_and_steps(out)
    if y.ndim == 1:
        shape, steps = (*shape, 1), (*steps, 0)
    if x.ndim == 1:
        shape, steps = (*shape[:-1], 1, shape[-1]), (*steps[:-1], 0, steps[-1])
    return shape, steps


def _shape(x, y):
    """Returns the shape of the product.

    Raises:
        ValueError: if the shapes do not match.
    """
    if x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
        raise ValueError(f"matmul: shapes {x.shape} and {y.shape} do not fit")
    lead, other = x.shape[:-2], y.shape[:-2]
    if lead != other:
        lead = numpy.broadcast_shapes(lead, other)
    return (*lead, *x.shape[-2:-1], *(y.shape[-1:] if y.ndim > 1 else ()))


def _batch_axes(descriptions):
    """Returns the batch axes as tuples (length, step of x, of y, of the result). Neighbouring axes
    that one step covers are merged."""
    shape = descriptions[2][0][:-2]
    columns = []
    for description, steps in descriptions:
        missing = len(shape) - len(description) + 2
        pairs = zip(description[:-2], steps[:-2], strict=True)
        columns.append([0] * missing + [0 if length == 1 else step for length, step in pairs])
    axes = []
    for axis in zip(shape, *columns, strict=True):
        if axis[0] == 1:
            continue
        length, *steps = axis
        if axes and all(outer == step * length for outer, step in zip(axes[-1][1:], steps)):
            axes[-1] = (axes[-1][0] * length, *steps)
        else:
            axes.append(axis)
    return axes


def _with_more_rows(axis, rows, inner, columns, steps):
    """Merges the matrices of a batch axis into one matrix with more rows, on the left and in the
    result. Returns its number of rows and the steps; None if they do not merge."""
    count, step, _, out_step = axis
    left, right, result = steps
    if rows == 1:
        left, result = (step, left[1]), (out_step, result[1])
    elif step != rows * left[0] or out_step != rows * result[0]:
        return None
    rows *= count
    if (
        rows > cublas.LARGEST
        or not _layout(rows, inner, *left)
        or not _layout(rows, columns, *result)
    ):
        return None
    return rows, [left, right, result]


def _layout(rows, columns, row_step, column_step):
    """Returns whether a matrix is read as a transpose, and its leading dimension; None if no axis
    is contiguous, or one is too long."""
    if max(rows, columns) > cublas.LARGEST:
        return None
    if (column_step == 1 or columns == 1) and (columns <= row_step or rows == 1):
        turn, lead = 0, row_step if rows > 1 else columns
    elif (row_step == 1 or rows == 1) and (rows <= column_step or columns == 1):
        turn, lead = 1, column_step if columns > 1 else rows
    else:
        return None
    return (turn, lead) if lead <= cublas.LARGEST else None


def _needs_copy(description):
    """Returns True for matrices that cuBLAS cannot read or write in place."""
    shape, steps = description
    return _layout(*shape[-2:], *steps[-2:]) is None or min(steps) < 0
