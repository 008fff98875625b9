"""Conversions between dense, COO and CSR tensors."""

from ..._backend import arrays
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, InstanceOf, Int, ListOf, TensorOf, TupleOf, checked, real
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._indexing import masks
from .._indexing.scatter import scatter_by
from .._rules import Anything, Index
from ..primitive import Primitive

Index16To64 = TensorOf("int16", "int32", "int64")


def _need(api, name, value, kind):
    if not isinstance(value, kind):
        InstanceOf(kind).refuse(api, name, value)


def _rows_of(csr):
    """Returns the row of each value, given the row pointers."""
    pointers = csr.indptr._array
    xp = space_for(pointers)
    counts = arrays.to_host(pointers[1:] - pointers[:-1])
    return Tensor._wrap(
        xp.repeat(xp.arange(len(counts)), counts.tolist()).astype(csr.indices._array.dtype)
    )


@op(compute="native")
def dense_from(xp, values: Anything, rows: Index16To64, columns: Index16To64, shape: Any):
    """Returns a dense array of zeros with values added at rows and columns."""
    return xp.scatter_add(xp.zeros(shape, values.dtype), (rows, columns), values)


@public("ops.csr_to_dense")
def csr_to_dense(csr_tensor):
    """Converts a CSRTensor to a dense Tensor; gradients reach its values.

    Args:
        csr_tensor (CSRTensor): the input.

    Returns:
        Tensor.

    Raises:
        TypeError: if `csr_tensor` is not a CSRTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_to_dense(x))
        [[0. 5.]
         [0. 0.]]

    Source: mindspore.ops.csr_to_dense of MindSpore 2.10.
    """
    _need("csr_to_dense", "csr_tensor", csr_tensor, CSRTensor)
    return dense_from.run(
        csr_tensor.values, _rows_of(csr_tensor), csr_tensor.indices, csr_tensor.shape
    )


@public("ops.csr_to_coo")
def csr_to_coo(tensor):
    """Converts a CSRTensor to a COOTensor.

    Args:
        tensor (CSRTensor): a matrix.

    Returns:
        COOTensor.

    Raises:
        TypeError: if `tensor` is not a CSRTensor.
        ValueError: if `tensor` has more than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_to_coo(x).indices)
        [[0 1]]

    Source: mindspore.ops.csr_to_coo of MindSpore 2.10.
    """
    _need("csr_to_coo", "tensor", tensor, CSRTensor)
    if tensor.ndim != 2:
        raise ValueError(
            f"For 'csr_to_coo', 'tensor' must have two axes, but got shape {tensor.shape}."
        )
    xp = space_for(tensor.indices._array)
    positions = xp.stack([_rows_of(tensor)._array, tensor.indices._array], -1)
    return COOTensor(Tensor._wrap(positions), tensor.values, tensor.shape)


def coo_to_csr(tensor):
    """Converts a COOTensor to a CSRTensor, whose values are sorted by row."""
    positions, values, shape = tensor.to_tuple()
    xp = space_for(positions._array)
    order = xp.argsort(positions._array[:, 0], kind="stable")
    rows, columns = positions._array[order, 0], positions._array[order, 1]
    pointers = xp.searchsorted(rows, xp.arange(shape[0] + 1)).astype(positions._array.dtype)
    return CSRTensor(
        Tensor._wrap(pointers), Tensor._wrap(columns), values[Tensor._wrap(order)], shape
    )


def coo_to_dense(self):
    """Converts a COOTensor to a dense Tensor; gradients reach the values."""
    return dense_from.run(self.values, self.indices[:, 0], self.indices[:, 1], self.shape)


@public("ops.dense_to_sparse_coo")
def dense_to_sparse_coo(tensor):
    """Converts a dense matrix to a COOTensor of its nonzero elements.

    Args:
        tensor (Tensor): a matrix.

    Returns:
        COOTensor.

    Raises:
        TypeError: if `tensor` is not a Tensor.
        ValueError: if `tensor` does not have two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dense_to_sparse_coo(ms.Tensor([[0.0, 5.0]])).values)
        [5.]

    Source: mindspore.ops.dense_to_sparse_coo of MindSpore 2.10.
    """
    _need("dense_to_sparse_coo", "tensor", tensor, Tensor)
    if tensor.ndim != 2:
        raise ValueError(
            f"For 'dense_to_sparse_coo', 'tensor' must have two axes, but got shape {tensor.shape}."
        )
    positions = masks.argwhere.run(tensor).astype(dtypes.int32)
    return COOTensor(positions, tensor[positions[:, 0], positions[:, 1]], tensor.shape)


@public("ops.dense_to_sparse_csr")
@checked
def dense_to_sparse_csr(tensor: TensorOf("float32", "float64", "complex64", "complex128")):
    """Converts a dense floating matrix to a CSRTensor of its nonzero elements; it raises the same
    errors as `dense_to_sparse_coo`.

    Args:
        tensor (Tensor): a matrix.

    Returns:
        CSRTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dense_to_sparse_csr(ms.Tensor([[0.0, 5.0]])).values)
        [5.]
    """
    return coo_to_csr(dense_to_sparse_coo(tensor))


@public("Tensor.to_coo")
def tensor_to_coo(self):
    """Converts this matrix to a COOTensor; see `ops.dense_to_sparse_coo`."""
    return dense_to_sparse_coo(self)


@public("Tensor.to_csr")
def tensor_to_csr(self):
    """Converts this matrix to a CSRTensor; see `ops.dense_to_sparse_csr`."""
    return dense_to_sparse_csr(self)


@public("ops.coo2csr")
def coo2csr(row_indices, height):
    """Converts sorted COO row indices to CSR row pointers, for `height` rows.

    Args:
        row_indices (Tensor): the row of each value, in ascending order.
        height (int): the number of rows.

    Returns:
        Tensor of shape (height + 1,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.coo2csr(ms.Tensor([0, 1, 1]), 2))
        [0 1 3]
    """
    xp = space_for(row_indices._array)
    return Tensor._wrap(
        xp.searchsorted(row_indices._array, xp.arange(height + 1)).astype(row_indices._array.dtype)
    )


@public("ops.csr2coo")
def csr2coo(indptr, nnz):
    """Converts CSR row pointers to the COO row index of each of `nnz` values.

    Args:
        indptr (Tensor): the row pointers.
        nnz (int): the number of values.

    Returns:
        Tensor of shape (nnz,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.csr2coo(ms.Tensor([0, 1, 3]), 3))
        [0 1 1]
    """
    xp = space_for(indptr._array)
    return Tensor._wrap(
        (xp.searchsorted(indptr._array, xp.arange(nnz), "right") - 1).astype(indptr._array.dtype)
    )


def _need_indices(api, indices, values, sizes):
    """Rejects indices that do not have one row per value, or that are out of range."""
    if indices.ndim != 2 or indices.shape != (values.size, len(sizes)) or values.ndim != 1:
        raise ValueError(
            f"For '{api}', 'indices' must have a row of {len(sizes)} indices for each "
            f"value, but got {indices.shape} and {values.shape}."
        )
    result = arrays.to_host(indices._array)
    if result.size and not ((result >= 0) & (result < sizes)).all():
        raise ValueError(
            f"For '{api}', 'indices' must be in [0, {sizes}), but they reach from "
            f"{result.min(0).tolist()} to {result.max(0).tolist()}."
        )


@public("ops.SparseToDense")
class SparseToDense(Primitive):
    """Converts indices and values to a dense Tensor: `ops.SparseToDense()(indices, values, shape)`.

    Raises:
        TypeError: if an input has the wrong type or dtype.
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.SparseToDense()(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2)))
        [[0. 5.]
         [0. 0.]]

    Source: mindspore.ops.SparseToDense of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("SparseToDense")

    @checked
    def __call__(
        self,
        indices: Index,
        values: TensorOf(real - {"bfloat16"}, "bool"),
        sparse_shape: TupleOf(Int) | ListOf(Int),
    ):
        _need_indices(self.name, indices, values, sparse_shape)
        xp = space_for(values._array)
        start = Tensor._wrap(xp.zeros(tuple(sparse_shape), values._array.dtype))
        positions = arrays.to_space(xp, indices._array)
        positions = tuple(positions[:, i] for i in range(len(sparse_shape)))
        return scatter_by.run(start, values, positions, "update")
