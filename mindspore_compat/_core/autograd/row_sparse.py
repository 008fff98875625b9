"""RowSparse: the gradient of an embedding table, stored as the few rows that were looked up.

    gradient = RowSparse(index, values, table.shape)

The tape adds two such gradients by joining their rows. If a gradient flows on to another operation,
it becomes an ordinary array. If it reaches a leaf, `Tensor._of_rows` wraps it in a Tensor. Code for
optimizers, loss scales and clipping reads the rows of this Tensor; all other code sees an ordinary
Tensor.
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
    recorder = current.running() or current.suspended_recorder()
    if recorder is not None:
        recorder.refuse(Reason.SPARSE_GRADIENTS)
    if not in_range.all():
        index, g = index[in_range], g[in_range]
    return RowSparse(index.astype(numpy.int64, copy=False), g, shape)


class RowSparse:
    """Rows of an array whose other rows are zeros.

    Attributes:
        index: int64, the number of each row; a row that occurs twice has the sum.
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
        return self.space.add_rows(self.index, self.values, self.shape[0])

    def summed(self):
        """Returns a RowSparse of the same array in which each row occurs once, in ascending order;
        values of repeated rows are added."""
        xp = self.space
        index, inverse = xp.unique(self.index, return_inverse=True)
        values = xp.add_rows(xp.reshape(inverse, (-1,)), self.values, index.size)
        return RowSparse(index, values, self.shape)

    def __add__(self, other):
        xp = self.space
        if type(other) is RowSparse:
            index = xp.concatenate([self.index, other.index], 0)
            return RowSparse(index, xp.concatenate([self.values, other.values], 0), self.shape)
        return xp.scatter_add(other, (self.index,), self.values)

    __radd__ = __add__
