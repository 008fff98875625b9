"""Products of matrices on the host, cut into strips and stacks for the scheduler.

Small products stay one call on the calling thread. How a larger one is cut follows from its shape,
so its bits do not depend on the number of threads.
"""

import math

import numpy as np

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least, Most
from . import checksums

PIECE = 1 << 25  # multiplications of a piece, at least, where there are more than two
PIECES = 16  # of a product, at most


def matmul(xp, x, y, out=None):
    """The product of the last two axes; leading axes broadcast, vectors are rows or columns."""
    return product(x, y, out)


def conv_matmul(xp, x, y, out=None):
    """A product of matrices within a convolution."""
    return xp.matmul(x, y, out)


def matmul_add(xp, x, y, addend):
    """The product of two matrices, plus a vector that is added to each row."""
    same = x.dtype == y.dtype == addend.dtype
    if not same or type(x) is not np.ndarray or checksums.on:
        return xp.matmul(x, y) + addend
    if x.size * y.shape[1] >= Least.PRODUCT and x.shape[1] == y.shape[0]:
        with scheduler.hold:
            return _matrix(x, y, None, addend)
    return _plus(np.matmul(x, y), addend)


def product(x, y, out=None):
    """NumPy's `matmul` of arrays of the host, shared among threads where it is large."""
    if x.ndim < 2 or y.ndim < 2 or x.size * y.shape[-1] < Least.PRODUCT > y.size * x.shape[-2]:
        made = np.matmul(x, y, out)
    else:
        made = _large(x, y, out)
    return checksums.checked(np, x, y, made) if checksums.on else made


def _large(x, y, out):
    with scheduler.hold:
        if x.shape[-1] != y.shape[-2]:
            return np.matmul(x, y, out)  # which says what is wrong
        return _matrix(x, y, out) if x.ndim == y.ndim == 2 else _stack(x, y, out)


def _matrix(x, y, out, addend=None):
    """The product of two matrices, in strips of the longer side of the result; plus what is to be
    added to each row."""
    rows, columns = x.shape[0], y.shape[1]
    longer, work = max(rows, columns), x.size * columns
    if _of_itself(x, y):
        return _one(x, y, out, addend)
    if (made := door.call("matmul", x, y, out, addend)) is not None:
        return made
    if work < Least.PRODUCT_HALVES or longer < Least.PRODUCT_STRIP:
        return _one(x, y, out, addend)
    if out is None:
        out = np.empty((rows, columns), np.result_type(x, y))
    strips = max(min(work // PIECE, longer // Least.PRODUCT_STRIP, PIECES), 2)
    parts = scheduler.blocks(longer, -(-longer // (strips * 16)) * 16)

    def piece(number):
        part = parts[number]
        if rows >= columns:
            _one(x[part], y, out[part], addend)
        else:
            own = None if addend is None else addend[part]
            _one(x, y[:, part], out[:, part], own)

    scheduler.run(piece, len(parts))
    return out


def _one(x, y, out, addend):
    """The product of two matrices on the calling thread, plus what is added to each row.

    Libraries lay the right side out anew, which takes long if it is transposed and there are few
    rows; so that is the left side of y.T @ x.T.
    """
    if not (
        x.dtype == y.dtype == np.float32
        and len(x) <= Most.PRODUCT_TURNED_ROWS
        and x.size * y.shape[1] >= Least.PRODUCT_TURNED
        and x.flags.c_contiguous
        and y.flags.f_contiguous
    ):
        return _plus(np.matmul(x, y, out), addend)
    made = np.matmul(y.T, x.T).T
    out = np.empty(made.shape, made.dtype) if out is None else out
    out[...] = made
    return _plus(out, addend)


def _plus(made, addend):
    """A product, to which each row is added in place."""
    if addend is not None:
        made += addend
    return made


def _of_itself(x, y):
    """True for x @ x.T, of which libraries compute one half."""
    return (
        x.shape == y.shape[::-1] and x.strides == y.strides[::-1] and x.ctypes.data == y.ctypes.data
    )


def _stack(x, y, out):
    """The products of stacks of matrices, in parts of the longest leading axis."""
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    shape = (*lead, x.shape[-2], y.shape[-1])
    work = math.prod(shape) * x.shape[-1]
    if out is None and max(lead, default=0) > 1:
        if (made := door.call("matmul_stack", x, y, lead)) is not None:
            return made
    if work < Least.PRODUCT_HALVES or not lead:
        return np.matmul(x, y, out)
    if max(lead) < 2:
        made = _matrix(
            x.reshape(x.shape[-2:]),
            y.reshape(y.shape[-2:]),
            None if out is None else out.reshape(shape[-2:]),
        )
        return made.reshape(shape) if out is None else out
    if out is None:
        out = np.empty(shape, np.result_type(x, y))
    axis = lead.index(max(lead))
    x, y = (
        each if each.shape[:-2] == lead else np.broadcast_to(each, (*lead, *each.shape[-2:]))
        for each in (x, y)
    )
    count = min(max(work // PIECE, 2), lead[axis], PIECES)
    parts = scheduler.blocks(lead[axis], -(-lead[axis] // count))

    def piece(number):
        part = (slice(None),) * axis + (parts[number],)
        _unpacked(x[part], y[part], out[part])

    scheduler.run(piece, len(parts))
    return out


def _unpacked(x, y, out):
    """Writes the products of stacks. Some are cut in halves, which the library multiplies as they
    lie: packed first, they take up to twice the time."""
    rows, columns = out.shape[-2:]
    packed = rows * columns * x.shape[-1] / Most.PRODUCT_UNPACKED
    if rows >= Least.STACK_HALVES and rows % 2 == 0 and 1 < packed <= 2:
        x, out = (each.reshape(*each.shape[:-2], 2, rows // 2, each.shape[-1]) for each in (x, out))
        y = np.expand_dims(y, -3)
    np.matmul(x, y, out)
