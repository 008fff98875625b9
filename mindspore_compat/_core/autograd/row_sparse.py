"""RowSparse: the gradient of an embedding table, stored as the few rows that were looked up.

    gradient = RowSparse(index, values, table.shape)

The tape adds two such gradients by joining their rows. If a gradient flows on to another operation,
it becomes an ordinary array. If it reaches a leaf, `Tensor._of_rows` wraps it in a Tensor. Code for
optimizers, loss scales and clipping reads the rows of this Tensor; all other code sees an ordinary
Tensor.

How many different rows there are, a GPU tells only if the host waits for it. There, such a Tensor
wraps a MarkedRows, which is read as rows or as the whole array. An optimizer that updates only
these rows waits; all others use the whole array, and their steps can be captured.
"""

import numpy

from ..._backend import arrays
from ..._backend.steps import current
from ..._backend.steps.refused import Reason


def gradient_of_rows(xp, g, index, shape):
    """Returns the gradient of a table of this shape, from which the rows at `index` were taken.

    Indices outside of the table, for which the lookup returned zeros, add nothing. The gradient is
    a RowSparse for arrays of the host or a GPU outside of recorded steps, else an array.

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
        return xp.add_rows(xp.where(in_range, index, 0), rows, shape[0])
    if space is not arrays.HOST:
        rows = g * xp.cast(xp.expand_dims(in_range, -1), g.dtype)
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
        return self.space.add_rows(self._existing(), self.values, self.shape[0])

    def _existing(self):
        """Returns `index` with 0 in place of -1."""
        xp = self.space
        return self.index if xp is arrays.HOST else xp.maximum(self.index, 0)

    def summed(self):
        """Returns a RowSparse of the same array in which each row occurs once, in ascending order;
        values of repeated rows are added. On a GPU, returns a MarkedRows."""
        if self.space is not arrays.HOST:
            return MarkedRows(self)
        return self.added()

    def added(self):
        """Returns the result of `summed` as a RowSparse on a GPU, too, for rows that exist; waits
        for the GPU."""
        xp = self.space
        index, inverse = xp.unique(self.index, return_inverse=True)
        values = xp.add_rows(xp.reshape(inverse, (-1,)), self.values, index.size)
        return RowSparse(index, values, self.shape)

    def __add__(self, other):
        xp = self.space
        if type(other) is RowSparse:
            index = xp.concatenate([self.index, other.index], 0)
            return RowSparse(index, xp.concatenate([self.values, other.values], 0), self.shape)
        return xp.scatter_add(other, (self._existing(),), self.values)

    __radd__ = __add__


class MarkedRows:
    """The same gradient on a GPU: it can be read as the whole array, or as its rows, each once.
    Reading the rows waits for the GPU.

    Args:
        rows (RowSparse): the rows; their numbers may repeat and be -1.
        values: the whole array if its rows have other values than `rows`.

    Attributes:
        values: the whole array.
        index: int64, the number of each row, in ascending order, each once.
    """

    __slots__ = ("_rows", "_values")

    def __init__(self, rows, values=None):
        self._rows, self._values = rows, values

    shape = property(lambda self: self._rows.shape)
    dtype = property(lambda self: (self._rows if self._values is None else self._values).dtype)
    ndim = property(lambda self: self._rows.ndim)

    @property
    def values(self):
        if self._values is None:
            self._values = self._rows.whole()
        return self._values

    @property
    def index(self):
        return self.chosen().index

    def with_values(self, values):
        """Returns the same rows of another array."""
        return MarkedRows(self._rows, values)

    def whole(self):
        """Returns the whole array."""
        return self.values

    def chosen(self):
        """Returns the RowSparse of the same array in which each row occurs once; waits for the
        GPU."""
        recorder = current.running()
        if recorder is not None:
            recorder.refuse(Reason.SPARSE_GRADIENTS)
        rows = self._rows
        exists = rows.index >= 0
        if self._values is not None:
            index = rows.space.unique(rows.index[exists])
            return RowSparse(index, self._values[index], rows.shape)
        return RowSparse(rows.index[exists], rows.values[exists], rows.shape).added()
