"""Matrix products on the host, cut into strips and stacks for the scheduler.

Small products are one call on the calling thread. The pieces of a larger product depend on its
shape alone, so its result is bitwise the same with any number of threads.
"""

import functools
import math

import numpy as np

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least, Most
from . import checksums

PIECE = 1 << 25  # least multiplications of a piece, if there are more than two pieces
PIECES = 16  # most pieces of a product
_BUFFERED = 512  # elements from which on OpenBLAS takes a buffer for a matrix times a vector
DOT = 1 << 12  # elements of a dot product in single precision; their sums are added in double


def matmul(xp, x, y, out=None):
    """Returns the matrix products over the last two axes. Leading axes broadcast; a vector counts
    as a row on the left side and as a column on the right."""
    return product(x, y, out)


def matmul_float32(xp, x, y, factor=1.0):
    """Computes the matrix product times a number, in float32 unless the arrays are wider."""
    x, y = (xp.cast(a, "float32") if a.dtype.itemsize == 2 else a for a in (x, y))
    return xp.matmul(x if factor == 1 else x * factor, y)


def vecdot(xp, x, y):
    """Returns the sums of x * y, of one shape, over the last axis."""
    if type(x) is type(y) is np.ndarray and x.dtype is y.dtype and x.dtype.char in "fd":
        return _dots(x, y)
    return xp.sum(x * y, -1)


def sum_of_squares(xp, x, axis=None, keepdims=False):
    """Returns the sums of the squares of real numbers. On the host, the BLAS library computes those
    over the last axis, or over all axes."""
    if type(x) is np.ndarray and x.dtype.char in "fd" and x.ndim:
        if axis is None and x.flags.c_contiguous:
            flat = x if x.ndim == 1 else x.reshape(-1)
            total = _dots(flat, flat)
            return np.asarray(total).reshape((1,) * x.ndim) if keepdims else total
        if type(axis) is int and axis in (-1, x.ndim - 1):
            total = _dots(x, x)
            return np.asarray(total)[..., None] if keepdims else total
    return xp.sum(xp.square(x), axis, keepdims=keepdims)


def _dots(x, y):
    """Returns dot products along the last axis. Long ones are cut, so that their error does not
    grow with the length, and their bits do not depend on the threads of the library."""
    length = x.shape[-1]
    if length <= 2 * DOT:
        return np.vecdot(x, y)
    whole = length // DOT * DOT
    shape = (*x.shape[:-1], -1, DOT)
    if whole == length:
        parts = np.vecdot(x.reshape(shape), y.reshape(shape))
        return np.add.reduce(parts, -1, np.float64).astype(x.dtype)
    parts = np.vecdot(x[..., :whole].reshape(shape), y[..., :whole].reshape(shape))
    rest = np.vecdot(x[..., whole:], y[..., whole:])
    return (np.add.reduce(parts, -1, np.float64) + rest).astype(x.dtype)


def of_library(function):
    """Wraps a function of NumPy that computes products: BLAS is ready for them."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        scheduler.prepare_library()
        return function(*args, **kwargs)

    return call


def conv_matmul(xp, x, y, out=None):
    """Returns a matrix product inside a convolution."""
    return xp.matmul(x, y, out)


def matmul_add(xp, x, y, addend):
    """Returns the product of two matrices, plus a vector that is added to each row."""
    same_dtype = x.dtype == y.dtype == addend.dtype
    if not same_dtype or type(x) is not np.ndarray or checksums.on:
        return xp.matmul(x, y) + addend
    if x.size * y.shape[1] >= Least.PRODUCT and x.shape[1] == y.shape[0]:
        with scheduler.hold:
            return _matrix(x, y, None, addend)
    return _add_row(np.matmul(x, y), addend)


def product(x, y, out=None):
    """Computes NumPy's `matmul` of arrays on the host; threads share a large one."""
    if x.ndim < 2 or y.ndim < 2 or x.size * y.shape[-1] < Least.PRODUCT > y.size * x.shape[-2]:
        if (x.ndim < 2 or y.ndim < 2) and x.size + y.size > _BUFFERED:
            scheduler.prepare_library()
        result = np.matmul(x, y, out)
    else:
        result = _large(x, y, out)
    return checksums.check(np, x, y, result) if checksums.on else result


def _large(x, y, out):
    with scheduler.hold:
        if x.shape[-1] != y.shape[-2]:
            return np.matmul(x, y, out)  # raises the error
        return _matrix(x, y, out) if x.ndim == y.ndim == 2 else _stack(x, y, out)


def _matrix(x, y, out, addend=None):
    """Returns the product of two matrices, in strips along the longer side of the result, plus
    `addend` on each row."""
    rows, columns = x.shape[0], y.shape[1]
    longer, work = max(rows, columns), x.size * columns
    if _of_itself(x, y):
        return _multiply_pair(x, y, out, addend)
    if (result := door.call("matmul", x, y, out, addend)) is not None:
        return result
    if work < Least.PRODUCT_HALVES or longer < Least.PRODUCT_STRIP:
        return _multiply_pair(x, y, out, addend)
    if out is None:
        out = np.empty((rows, columns), np.result_type(x, y))
    strips = max(min(work // PIECE, longer // Least.PRODUCT_STRIP, PIECES), 2)
    parts = scheduler.blocks(longer, -(-longer // (strips * 16)) * 16)

    def piece(number):
        part = parts[number]
        if rows >= columns:
            _multiply_pair(x[part], y, out[part], addend)
        else:
            part_addend = None if addend is None else addend[part]
            _multiply_pair(x, y[:, part], out[:, part], part_addend)

    scheduler.run(piece, len(parts))
    return out


def _multiply_pair(x, y, out, addend):
    """Returns the product of two matrices on the calling thread, plus `addend` on each row.

    BLAS libraries pack the right side. With few rows and a transposed right side that takes long,
    so y.T @ x.T is computed instead.
    """
    if not (
        x.dtype == y.dtype == np.float32
        and len(x) <= Most.PRODUCT_TURNED_ROWS
        and x.size * y.shape[1] >= Least.PRODUCT_TURNED
        and x.flags.c_contiguous
        and y.flags.f_contiguous
    ):
        return _add_row(np.matmul(x, y, out), addend)
    result = np.matmul(y.T, x.T).T
    out = np.empty(result.shape, result.dtype) if out is None else out
    out[...] = result
    return _add_row(out, addend)


def _add_row(product, addend):
    """Adds a row to each row of a product, in place."""
    if addend is not None:
        product += addend
    return product


def _of_itself(x, y):
    """Returns True if `y` is the transpose of `x`, in the same memory. BLAS libraries then compute
    one half of the product."""
    return (
        x.shape == y.shape[::-1] and x.strides == y.strides[::-1] and x.ctypes.data == y.ctypes.data
    )


def _stack(x, y, out):
    """Returns the products of stacks of matrices, in pieces along the longest leading axis."""
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    shape = (*lead, x.shape[-2], y.shape[-1])
    work = math.prod(shape) * x.shape[-1]
    if out is None and max(lead, default=0) > 1:
        if (result := door.call("matmul_stack", x, y, lead)) is not None:
            return result
    columns = _unpacked_columns(*shape[-2:], x.shape[-1])
    if columns:
        return _by_columns(
            x, y, np.empty(shape, np.result_type(x, y)) if out is None else out, columns
        )
    if work < Least.PRODUCT_HALVES or not lead:
        return np.matmul(x, y, out)
    if max(lead) < 2:
        result = _matrix(
            x.reshape(x.shape[-2:]),
            y.reshape(y.shape[-2:]),
            None if out is None else out.reshape(shape[-2:]),
        )
        return result.reshape(shape) if out is None else out
    if out is None:
        out = np.empty(shape, np.result_type(x, y))
    axis = lead.index(max(lead))
    x, y = (
        side if side.shape[:-2] == lead else np.broadcast_to(side, (*lead, *side.shape[-2:]))
        for side in (x, y)
    )
    count = min(max(work // PIECE, 2), lead[axis], PIECES)
    parts = scheduler.blocks(lead[axis], -(-lead[axis] // count))

    def piece(number):
        part = (slice(None),) * axis + (parts[number],)
        _multiply_stack(x[part], y[part], out[part])

    scheduler.run(piece, len(parts))
    return out


def _unpacked_columns(rows, columns, depth):
    """Returns the width of the strips of columns in which to compute a product of few rows.

    In strips of this width BLAS packs no operand. 0 means that the whole product is computed at
    once: it is small enough, or the strips would be too narrow to pay.
    """
    if rows > Most.PRODUCT_FLAT or rows * columns * depth <= Most.PRODUCT_UNPACKED:
        return 0
    count = Most.PRODUCT_UNPACKED // max(rows * depth, 1) // 16 * 16
    return count if count >= Least.PRODUCT_STRIP else 0


def _by_columns(x, y, out, columns):
    """Writes the matrix products of two stacks to `out`, some columns of all at a time."""
    parts = scheduler.blocks(out.shape[-1], columns)

    def piece(number):
        part = (..., parts[number])
        np.matmul(x, y[part], out[part])

    scheduler.run(piece, len(parts))
    return out


def _multiply_stack(x, y, out):
    """Writes the matrix products of two stacks to `out`. Matrices slightly above the size that BLAS
    multiplies without packing are cut in halves; packing would take up to twice the time."""
    rows, columns = out.shape[-2:]
    packed = rows * columns * x.shape[-1] / Most.PRODUCT_UNPACKED
    if rows >= Least.STACK_HALVES and rows % 2 == 0 and 1 < packed <= 2:
        x, out = (m.reshape(*m.shape[:-2], 2, rows // 2, m.shape[-1]) for m in (x, out))
        y = np.expand_dims(y, -3)
    np.matmul(x, y, out)
