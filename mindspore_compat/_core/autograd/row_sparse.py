"""RowSparse: the gradient of an embedding table, stored as the few rows that were looked up.

    gradient = RowSparse(index, values, table.shape)

The tape adds two such gradients by joining their rows. If a gradient flows on to another operation,
it becomes an ordinary array. If it reaches a leaf, `Tensor._of_rows` wraps it in a Tensor. Code for
optimizers, loss scales and clipping reads the rows of this Tensor; all other code sees an ordinary
Tensor.

On a GPU, the number of different rows is known only if the host waits for it. There, such a Tensor
wraps a MarkedRows, which has as many rows as were looked up: each different row once, and rows of
zeros without a number. Loss scales and clipping read these rows without waiting. An optimizer that
updates only the different rows waits; all others use the whole array, and their steps can be
captured.
"""

import numpy

from ..._backend import arrays
from ..._backend.cuda.equal_numbers import first_equal
from ..._backend.steps import current
from ..._backend.steps.refused import Reason
from .overwritten import Overwritten
from .slice_sum import SliceSum


def gradient_of_rows(xp, g, index, shape):
    """Returns the gradient of a table of this shape, from which the rows at `index` were taken.

    Indices outside of the table add nothing; the lookup returned zeros for them. The gradient is a
    RowSparse for arrays on the host or a GPU outside of recorded steps, else an array.

    Args:
        xp: the array namespace.
        g: the gradient of the rows.
        index: the numbers of the rows.
        shape: the shape of the table.
    """
    index, g = xp.reshape(index, (-1,)), xp.reshape(g, (-1, *shape[1:]))
    in_range = (index >= 0) & (index < shape[0])
    space = arrays.SPACES.get(type(g))
    if type(index) is not type(g) or space is None or type(g) is not space.module.ndarray:
        rows = g * xp.cast(xp.expand_dims(in_range, -1), g.dtype)
        return xp.segment_sum(xp.where(in_range, index, 0), rows, shape[0])
    if space is not arrays.HOST:
        exists = xp.reshape(in_range, (-1,) + (1,) * (g.ndim - 1))
        rows = xp.where(exists, g, xp.zeros((), g.dtype))
        return RowSparse(xp.cast(xp.where(in_range, index, -1), "int64"), rows, shape)
    recorder = current.running() or current.suspended_recorder()
    if recorder is not None:
        recorder.refuse(Reason.SPARSE_GRADIENTS)
    if not in_range.all():
        index, g = index[in_range], g[in_range]
    return RowSparse(index.astype(numpy.int64, copy=False), g, shape)


class RowSparse:
    """Rows of an array whose other rows are zeros.

    Attributes:
        index: int64, the number of each row; a row that occurs twice has the sum. On a GPU, a row
            of zeros that the array does not have is numbered -1.
        values: the rows.
        shape: the shape of the whole array.
    """

    __slots__ = ("index", "values", "shape")
    __array_ufunc__ = None  # an array plus this is `__radd__`

    def __init__(self, index, values, shape):
        self.index = index
        self.values = values
        self.shape = tuple(shape)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self):
        """The number of axes of the whole array."""
        return len(self.shape)

    @property
    def space(self):
        """The array namespace of the values."""
        return arrays.space_of(self.values)

    def with_values(self, values):
        """Returns a RowSparse with the same rows and other values."""
        return RowSparse(self.index, values, self.shape)

    def whole(self):
        """Returns the whole array, in which the other rows are zeros."""
        xp, count = self.space, self.shape[0]
        if xp is arrays.HOST:
            return xp.segment_sum(self.index, self.values, count)
        # A row without a number goes to an additional one: scaled by infinity, it is NaN.
        index = xp.where(self.index < 0, count, self.index)
        return xp.segment_sum(index, self.values, count + 1)[:count]

    def summed(self):
        """Returns a RowSparse of the same array in which each row occurs once, in ascending order;
        values of repeated rows are added. On a GPU, returns a MarkedRows."""
        if self.space is not arrays.HOST:
            return MarkedRows(self)
        return self.added()

    def added(self):
        """Returns a RowSparse of the same array in which each row occurs once, in ascending order.
        On a GPU, every row must have a number (not -1), and the host waits for the GPU.
        """
        xp = self.space
        index, inverse = xp.unique(self.index, return_inverse=True)
        values = xp.segment_sum(xp.reshape(inverse, (-1,)), self.values, index.size)
        return RowSparse(index, values, self.shape)

    def __add__(self, other):
        if type(other) is SliceSum:
            return NotImplemented  # `other` has the operator
        if type(other) is Overwritten:
            other = other.array
        xp = self.space
        if type(other) is RowSparse:
            index = xp.concatenate([self.index, other.index], 0)
            return RowSparse(index, xp.concatenate([self.values, other.values], 0), self.shape)
        index = self.index if xp is arrays.HOST else xp.maximum(self.index, 0)
        return xp.scatter_add(other, (index,), self.values)

    __radd__ = __add__


class MarkedRows:
    """The same gradient on a GPU, in which each row occurs once.

    Args:
        rows (RowSparse): the rows; their numbers may be -1 and, unless `is_summed`, repeat.

    Attributes:
        values: the rows, one for each of `rows`: each different row once, and zeros.
        index: int64, the numbers of the different rows, in ascending order; waits for the GPU.
    """

    __slots__ = ("_rows", "_is_summed")

    def __init__(self, rows, is_summed=False):
        self._rows, self._is_summed = rows, is_summed

    shape = property(lambda self: self._rows.shape)
    dtype = property(lambda self: self._rows.dtype)
    ndim = property(lambda self: self._rows.ndim)
    values = property(lambda self: self._once().values)
    index = property(lambda self: self.chosen().index)

    def _once(self):
        """Adds each repeated row to its first occurrence, and returns the RowSparse. The other
        occurrences become rows of zeros without a number.
        """
        if not self._is_summed:
            rows, xp = self._rows, self._rows.space
            first, index = first_equal(xp.module, rows.index)
            values = xp.segment_sum(first, rows.values, rows.index.size)
            self._rows, self._is_summed = RowSparse(index, values, rows.shape), True
        return self._rows

    def with_values(self, values):
        """Returns the same rows with other values."""
        return MarkedRows(self._once().with_values(values), True)

    def whole(self):
        """Returns the whole array."""
        return self._rows.whole()

    def chosen(self):
        """Returns the RowSparse of the same array in which each row occurs once; waits for the
        GPU."""
        recorder = current.running()
        if recorder is not None:
            recorder.refuse(Reason.SPARSE_GRADIENTS)
        rows = self._rows
        exists = rows.index >= 0
        return RowSparse(rows.index[exists], rows.values[exists], rows.shape).added()
