"""Sparse tensors: COOTensor (coordinates and values), CSRTensor (compressed rows), RowTensor (some
rows).

They store Tensors and check them; the files of ops/_sparse add the arithmetic.
"""

from .._core.context.config import GRAPH_MODE, config
from .._core.gradients.transforms import Sparse, stop_gradient
from .._core.rules.vocabulary import InstanceOf, Int
from .._core.tensor import printing
from .._core.tensor.tensor import Tensor

_Ints = Int.called("ints")

_ATensor = InstanceOf(Tensor)
_ATuple = InstanceOf(tuple)

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "SparseTensor"]


def _constant(positions):
    """Returns positions through which no gradient flows."""
    return positions if positions._node is None else stop_gradient(positions)


def _need_ints(api, name, tensor):
    if tensor._array.dtype.kind != "i":
        raise TypeError(f"For '{api}', '{name}' must be of ints, but got {tensor.dtype}.")


def _need_shape(api, shape):
    _ATuple.refuse(api, "shape", shape)
    for length in shape:
        _Ints.refuse_part(api, "'shape'", length, verb="hold")
        if length <= 0:
            raise ValueError(f"For '{api}', 'shape' must hold positive ints, but got {shape}.")


class _Sparse(Sparse):
    """Base class: the dense shape, and the methods of the values."""

    init_finished = True

    @property
    def shape(self):
        """The shape of the dense Tensor."""
        return self._shape

    @property
    def values(self):
        """The stored values."""
        return self._values

    @property
    def indices(self):
        """The positions of the values."""
        return self._indices

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._values.dtype

    @property
    def size(self):
        """The number of stored values."""
        return self._values.size

    @property
    def itemsize(self):
        """The bytes of one value."""
        return self._values.itemsize

    @property
    def ndim(self):
        """The number of axes of the dense Tensor."""
        return len(self._shape)

    def _parts(self):
        return {"indices": self._indices, "values": self._values}

    def __repr__(self):
        parts = [
            f"{name}={printing.tensor_repr(t.asnumpy(), commas=False)}"
            for name, t in self._parts().items()
        ]
        head = f"shape={list(self._shape)}, dtype={self.dtype}"
        return f"{type(self).__name__}({', '.join([head, *parts])})"


class COOTensor(_Sparse):
    """Sparse matrix in coordinate (COO) format: coordinates and values.

    Args:
        indices (Tensor): ints of shape (count, 2), one row and column per value.
        values (Tensor): the values, of shape (count,).
        shape (tuple[int]): the dense shape, of length 2.
        coo_tensor (COOTensor): a COOTensor to copy, instead of the other three arguments.

    Raises:
        TypeError: if an argument has the wrong type, or `indices` is not of ints.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2)).to_dense())
        [[0. 5.]
         [0. 0.]]

    Source: mindspore.COOTensor of MindSpore 2.10.
    """

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            InstanceOf(COOTensor).refuse("COOTensor", "coo_tensor", coo_tensor)
            if indices is not None or values is not None or shape is not None:
                raise TypeError("For 'COOTensor', 'coo_tensor' must be given alone.")
            indices, values, shape = coo_tensor.to_tuple()
        _ATensor.refuse("COOTensor", "indices", indices)
        _ATensor.refuse("COOTensor", "values", values)
        _need_shape("COOTensor", shape)
        if indices.ndim != 2:
            raise ValueError(
                f"For 'COOTensor', 'indices' must have two axes, but got shape {indices.shape}."
            )
        if values.ndim != 1 or values.shape[0] != indices.shape[0]:
            raise ValueError(
                f"For 'COOTensor', 'values' must have one value for each of "
                f"{indices.shape[0]} positions, "
                f"but got shape {values.shape}."
            )
        if len(shape) != 2 or indices.shape[1] != 2:
            raise ValueError(
                f"For 'COOTensor', 'shape' and the rows of 'indices' must have "
                f"length 2, but got {shape} and "
                f"{indices.shape}."
            )
        _need_ints("COOTensor", "indices", indices)
        self._indices, self._values, self._shape = _constant(indices), values, shape

    def to_tuple(self):
        """Returns (indices, values, shape)."""
        return self._indices, self._values, self._shape

    def astype(self, dtype):
        """Returns a COOTensor with the values cast to another dtype."""
        return COOTensor(self._indices, self._values.astype(dtype), self._shape)


class CSRTensor(_Sparse):
    """Sparse matrix in compressed sparse row (CSR) format; values may have additional axes.

    Args:
        indptr (Tensor): ints of shape (rows + 1,): the offsets at which each row's values start and
            end.
        indices (Tensor): ints of shape (count,): the columns.
        values (Tensor): the values, of shape (count, ...).
        shape (tuple[int]): the dense shape.
        csr_tensor (CSRTensor): a CSRTensor to copy, instead of the other four arguments.

    Raises:
        TypeError: if an argument has the wrong type, or `indptr` or `indices` is not of ints.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]),
        ...                    (2, 2)).to_dense())
        [[0. 5.]
         [0. 0.]]

    Source: mindspore.CSRTensor of MindSpore 2.10.
    """

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            InstanceOf(CSRTensor).refuse("CSRTensor", "csr_tensor", csr_tensor)
            if indptr is not None or indices is not None or values is not None or shape is not None:
                raise TypeError("For 'CSRTensor', 'csr_tensor' must be given alone.")
            indptr, indices, values, shape = csr_tensor.to_tuple()
        for name, value in (("indptr", indptr), ("indices", indices), ("values", values)):
            _ATensor.refuse("CSRTensor", name, value)
        _need_shape("CSRTensor", shape)
        if values.ndim != len(shape) - 1:
            raise ValueError(
                f"For 'CSRTensor', 'values' must have {len(shape) - 1} axes, but got "
                f"shape {values.shape}."
            )
        if indptr.shape != (shape[0] + 1,):
            raise ValueError(
                f"For 'CSRTensor', 'indptr' must have shape ({shape[0] + 1},), but "
                f"got {indptr.shape}."
            )
        if indices.ndim != 1 or indices.shape[0] != values.shape[0]:
            raise ValueError(
                f"For 'CSRTensor', 'indices' must have one column for each of "
                f"{values.shape[0]} values, but "
                f"got shape {indices.shape}."
            )
        _need_ints("CSRTensor", "indptr", indptr)
        _need_ints("CSRTensor", "indices", indices)
        self._indptr, self._indices = _constant(indptr), _constant(indices)
        self._values, self._shape = values, shape

    @property
    def indptr(self):
        """The offsets at which each row's values start and end."""
        return self._indptr

    def to_tuple(self):
        """Returns (indptr, indices, values, shape)."""
        return self._indptr, self._indices, self._values, self._shape

    def astype(self, dtype):
        """Returns a CSRTensor with the values cast to another dtype."""
        return CSRTensor(self._indptr, self._indices, self._values.astype(dtype), self._shape)

    def _parts(self):
        return {"indptr": self._indptr, **super()._parts()}


class RowTensor(_Sparse):
    """Sparse Tensor of some rows: slices along the first axis and their indices.

    Args:
        indices (Tensor): the indices, ints of shape (count,).
        values (Tensor): the slices, of shape (count, ...).
        shape (tuple[int]): the dense shape.
        row_tensor (RowTensor): a RowTensor to copy, instead of the other three arguments.

    Raises:
        TypeError: if `values` is not a Tensor, or `shape` not a tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.RowTensor(ms.Tensor([0]), ms.Tensor([[5.0]]), (2, 1)).values)
        [[5.]]

    Source: mindspore.RowTensor of MindSpore 2.10.
    """

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        if row_tensor is not None:
            InstanceOf(RowTensor).refuse("RowTensor", "row_tensor", row_tensor)
            indices, values, shape = row_tensor._indices, row_tensor._values, row_tensor._shape
        _ATensor.refuse("RowTensor", "values", values)
        _ATuple.refuse("RowTensor", "shape", shape)
        self._indices, self._values, self._shape = indices, values, shape

    @property
    def dense_shape(self):
        """The shape of the dense Tensor."""
        return self._shape


class RowTensorInner(_Sparse):
    """Rows of a Tensor as passed to optimizers in graph mode; like a RowTensor, but its shapes are
    compared only in graph mode.

    Args:
        indices (Tensor): the indices, ints of shape (count,).
        values (Tensor): the slices, of shape (count, ...).
        shape (tuple[int]): the dense shape.
        row_tensor (RowTensorInner): a RowTensorInner to copy, instead of the other three arguments.

    Raises:
        TypeError: if an argument has the wrong type, or in graph mode if the shapes do not fit.

    Source: mindspore.common.sparse_tensor.RowTensorInner of MindSpore 2.10.
    """

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        if row_tensor is not None:
            indices, values, shape = row_tensor._indices, row_tensor._values, row_tensor._shape
        _ATensor.refuse("RowTensorInner", "indices", indices)
        _ATensor.refuse("RowTensorInner", "values", values)
        _need_shape("RowTensorInner", shape)
        rows = (indices.size, *shape[1:])
        if config.mode == GRAPH_MODE and values.shape != rows:
            raise TypeError(
                f"For 'RowTensorInner', 'values' must have the shape {rows}, but got "
                f"{values.shape}."
            )
        self._indices, self._values, self._shape = _constant(indices), values, shape

    @property
    def dense_shape(self):
        """The shape of the dense Tensor."""
        return self._shape


class SparseTensor(COOTensor):
    """The name that COOTensor had before MindSpore 1.7; its shape is also called `dense_shape`.

    The shapes of the arguments and the dtype of `indices` are not checked.

    Args:
        indices (Tensor): ints of shape (count, 2), one row and column per value.
        values (Tensor): the values, of shape (count,).
        shape (tuple[int]): the dense shape, of length 2.

    Raises:
        TypeError: if `indices` or `values` is not a Tensor, or `shape` not a tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.SparseTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2)).shape)
        (2, 2)

    Source: mindspore.SparseTensor of MindSpore 2.10.
    """

    def __init__(self, indices, values, shape):
        _ATensor.refuse("SparseTensor", "indices", indices)
        _ATensor.refuse("SparseTensor", "values", values)
        _ATuple.refuse("SparseTensor", "shape", shape)
        self._indices, self._values, self._shape = _constant(indices), values, shape

    @property
    def dense_shape(self):
        """The shape of the dense Tensor."""
        return self._shape
