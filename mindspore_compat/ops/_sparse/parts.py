"""Shared parts of the primitives of sparse tensors: flat indices, sums, and CSR components.

A sparse tensor in CSR form, which may be a batch of matrices, consists of five Tensors: its shape,
the batch pointers, the row pointers, the columns and the values. `Csr` reads them.
"""

import functools

from ..._backend.arrays import extremes
from ..._core.autograd.devices import on_one_device
from ..._core.declare.op import space_for
from ..._core.tensor.tensor import Tensor
from .._indexing.scatter import scatter_by
from ..primitive import Primitive

AREA = "ops.operations.sparse_ops"


def _on_one_device(call):
    @functools.wraps(call)
    def moved(self, *args, **kwargs):
        values = on_one_device([*args, *kwargs.values()])
        return call(self, *values[: len(args)], **dict(zip(kwargs, values[len(args) :])))

    return moved


class SparsePrimitive(Primitive):
    """The base class of sparse Primitives; it is named as its class, and gets its Tensors on one
    device."""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls):
            cls.__call__ = _on_one_device(cls.__call__)

    def __init__(self):
        super().__init__(type(self).__name__)

    def refuse(self, text):
        """Raises a ValueError for an invalid input."""
        raise ValueError(f"For '{self.name}', {text}")

    def sizes(self, name, shape, rank=None):
        """Returns a shape that is given as a Tensor as a tuple."""
        if shape.ndim != 1 or (rank is not None and shape.size != rank):
            description = "lengths" if rank is None else f"{rank} lengths"
            self.refuse(f"'{name}' must hold {description}, but got the shape {shape.shape}.")
        return tuple(shape.asnumpy().tolist())

    def flat(self, name, indices, values, sizes):
        """Returns the int64 index of each row of `indices` in the flattened dense array, whose
        shape is `sizes`.

        Raises:
            ValueError: if there is not one row of indices per value, or an index is out of range.
        """
        if indices.shape != (values.shape[0] if values.ndim else 1, len(sizes)):
            self.refuse(
                f"'{name}' must have a row of {len(sizes)} numbers for each value, but got the "
                f"shapes {indices.shape} and {values.shape}."
            )
        xp = space_for(indices._array)
        at = indices._array.astype("int64")
        self.check_range(name, at, sizes)
        return ravel(xp, at, sizes)

    def check_range(self, name, at, sizes):
        """Raises an error if a row of indices is out of range."""
        if not at.size:
            return
        for axis, (low, high) in enumerate(zip(*extremes(at, 0), strict=True)):
            if low < 0 or high >= sizes[axis]:
                self.refuse(
                    f"'{name}' must be in [0, {sizes[axis]}) on axis {axis}, but it reaches from "
                    f"{low} to {high}."
                )


def ravel(xp, at, sizes):
    """Converts rows of indices to flat indices in row-major order."""
    flat = xp.zeros(at.shape[:1], "int64")
    for axis, size in enumerate(sizes):
        flat = flat * size + at[:, axis]
    return flat


def unravel(xp, flat, sizes):
    """Converts flat indices in row-major order to rows of indices."""
    columns = []
    for size in reversed(sizes):
        columns.append(flat % size)
        flat = flat // size
    return xp.stack(columns[::-1], 1) if columns else xp.zeros((*flat.shape, 0), "int64")


def picked(values, at):
    """Returns the values at the given flat indices."""
    return values[Tensor._wrap(at)]


def summed(values, owner, count):
    """Returns, for each of `count` owners, the sum of the values that belong to it."""
    xp = space_for(values._array)
    start = Tensor._wrap(xp.zeros((count, *values.shape[1:]), values._array.dtype))
    return scatter_by.run(start, values, (owner,), "add")


def softmax_of(values, owner, count):
    """Computes exp(values), scaled to a sum of one for each of `count` owners."""
    xp = space_for(values._array)
    lowest = Tensor._wrap(xp.full((count,), float("-inf"), values._array.dtype))
    top = scatter_by.run(lowest, Tensor._wrap(values._array), (owner,), "max")
    powers = (values - picked(top, owner)).exp()
    return powers / picked(summed(powers, owner, count), owner)


class Csr:
    """A matrix in CSR form, or a batch of them.

    Attributes:
        sizes (tuple[int]): the shape, of two or three axes.
        values (Tensor): the values.
        indices (array): one row of indices per value, int64; in row-major order.
    """

    def __init__(self, sizes, indices, values, dtype):
        self.sizes, self.indices, self.values, self._dtype = sizes, indices, values, dtype
        self.xp = space_for(indices)

    @classmethod
    def read(cls, primitive, shape, batches, rows, columns, values):
        """Makes a Csr of the five Tensors, after checks. None for `batches` does not check them.

        Raises:
            ValueError: if their lengths do not fit, or a column is out of range.
        """
        sizes = primitive.sizes("x_dense_shape", shape)
        count = sizes[0] if len(sizes) == 3 else 1
        fits = len(sizes) in (2, 3) and rows.shape == (count * (sizes[-2] + 1),)
        fits = fits and (batches is None or batches.shape == (count + 1,))
        if not fits or columns.shape != values.shape:
            shapes = [x.shape for x in (batches, rows, columns, values) if x is not None]
            primitive.refuse(
                f"the pointers and values must fit the shape {sizes}, but got the shapes "
                f"{', '.join(map(str, shapes))}."
            )
        xp = space_for(rows._array)
        counts = xp.diff(rows._array.reshape(count, -1), axis=1).reshape(-1)
        if int(counts.min()) < 0 or int(counts.sum()) != values.size:
            primitive.refuse("the pointers to rows must rise to the number of values.")
        row = xp.repeat(xp.arange(count * sizes[-2], dtype="int64"), counts)
        parts = [row // sizes[-2]] if len(sizes) == 3 else []
        parts += [row % sizes[-2], columns._array.astype("int64")]
        indices = xp.stack(parts, 1)
        primitive.check_range("x_col_indices", indices, sizes)
        return cls(sizes, indices, values, rows._array.dtype)

    def five(self):
        """Returns the five Tensors of the form."""
        xp, sizes = self.xp, self.sizes
        count = sizes[0] if len(sizes) == 3 else 1
        row = ravel(xp, self.indices[:, :-1], sizes[:-1])
        counts = xp.occurrences(row, count * sizes[-2]).reshape(count, sizes[-2])
        rows = xp.zeros((count, sizes[-2] + 1), "int64")
        rows[:, 1:] = xp.cumsum(counts, 1)
        batches = xp.zeros((count + 1,), "int64")
        batches[1:] = xp.cumsum(counts.sum(1))
        result = (xp.asarray(sizes), batches, rows.reshape(-1), self.indices[:, -1])
        shape, batches, rows, columns = (Tensor._wrap(x.astype(self._dtype)) for x in result)
        return shape, batches, rows, columns, self.values

    def with_values(self, values):
        """Returns a matrix with the same indices and other values."""
        return Csr(self.sizes, self.indices, values, self._dtype)

    def at(self, indices, sizes, order=None):
        """Returns a matrix of another shape with these values, in the given order, at other
        indices."""
        values = self.values if order is None else picked(self.values, order)
        return Csr(sizes, indices, values, self._dtype)

    def flat(self):
        """Returns the flat indices in row-major order."""
        return ravel(self.xp, self.indices, self.sizes)

    def dense(self):
        """Returns the matrix as a dense Tensor."""
        xp = self.xp
        start = Tensor._wrap(xp.zeros(self.sizes, self.values._array.dtype))
        at = tuple(self.indices[:, axis] for axis in range(len(self.sizes)))
        return scatter_by.run(start, self.values, at, "add")

    def transposed(self, conjugate=False):
        """Transposes the last two axes of the matrix, or of each of the batch."""
        axes = [*range(len(self.sizes) - 2), len(self.sizes) - 1, len(self.sizes) - 2]
        sizes = tuple(self.sizes[axis] for axis in axes)
        indices = self.indices[:, axes]
        order = self.xp.argsort(ravel(self.xp, indices, sizes), kind="stable")
        result = self.at(indices[order], sizes, order)
        return result.with_values(result.values.conj()) if conjugate else result
