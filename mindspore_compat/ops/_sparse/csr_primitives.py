"""Primitives on CSR matrices, and on batches of them, given by their five components.

`parts.Csr` holds the components and has the methods. Unlike MindSpore's on a CPU, these never write
into their arguments.
"""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, DType, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index
from .parts import Csr, SparsePrimitive, picked, ravel, softmax_of, summed


@public("ops.operations.sparse_ops.CSRSparseMatrixToSparseTensor")
class CSRSparseMatrixToSparseTensor(SparsePrimitive):
    """Converts a CSR matrix to a sparse tensor; returns (indices, values, shape).

    Raises:
        ValueError: if the components do not fit together.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> print(sparse_ops.CSRSparseMatrixToSparseTensor()(*parts)[0])
        [[0 2]
         [1 0]]

    Source: mindspore.ops.operations.sparse_ops.CSRSparseMatrixToSparseTensor of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x_dense_shape: Index,
        x_batch_pointers: Index,
        x_row_pointers: Index,
        x_col_indices: Index,
        x_values: Anything,
    ):
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
        matrix = Csr.read(self, *components)
        positions = matrix.indices.astype(x_col_indices._array.dtype)
        return Tensor._wrap(positions), x_values, x_dense_shape


@public("ops.operations.sparse_ops.CSRSparseMatrixToDense")
class CSRSparseMatrixToDense(SparsePrimitive):
    """Converts a CSR matrix to a dense Tensor.

    Raises:
        ValueError: if the components do not fit together.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> print(sparse_ops.CSRSparseMatrixToDense()(*parts))
        [[0. 0. 5.]
         [6. 0. 0.]]

    Source: mindspore.ops.operations.sparse_ops.CSRSparseMatrixToDense of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x_dense_shape: Index,
        x_batch_pointers: Index,
        x_row_pointers: Index,
        x_col_indices: Index,
        x_values: Anything,
    ):
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
        return Csr.read(self, *components).dense()


@public("ops.operations.sparse_ops.DenseToCSRSparseMatrix")
class DenseToCSRSparseMatrix(SparsePrimitive):
    """Converts the elements at `indices` of a dense matrix, or of a batch of matrices, to CSR form.
    Returns the five components of the CSR matrix.

    Raises:
        ValueError: if `dense_input` does not have two or three axes, or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> dense, indices = ms.Tensor([[0.0, 5.0], [6.0, 0.0]]), ms.Tensor([[0, 1], [1, 0]])
        >>> print(sparse_ops.DenseToCSRSparseMatrix()(dense, indices)[2])
        [0 1 2]

    Source: mindspore.ops.operations.sparse_ops.DenseToCSRSparseMatrix of MindSpore 2.10.
    """

    @checked
    def __call__(self, dense_input: Anything, indices: Index):
        if dense_input.ndim not in (2, 3) or indices.shape[1:] != (dense_input.ndim,):
            self.refuse(
                f"'dense_input' must have two or three axes and 'indices' as many columns, but "
                f"got the shapes {dense_input.shape} and {indices.shape}."
            )
        self.check_range("indices", indices._array, dense_input.shape)
        values = dense_input[tuple(indices[:, axis] for axis in range(dense_input.ndim))]
        positions = indices._array.astype("int64")
        return Csr(dense_input.shape, positions, values, indices._array.dtype).five()


@public("ops.operations.sparse_ops.SparseTensorToCSRSparseMatrix")
class SparseTensorToCSRSparseMatrix(SparsePrimitive):
    """Converts a sparse tensor with two or three axes, whose indices are in row-major order, to CSR
    form; returns five components.

    Raises:
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> to_csr = sparse_ops.SparseTensorToCSRSparseMatrix()
        >>> print(to_csr(ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([5.0, 6.0]), ms.Tensor([2, 2]))[3])
        [1 0]

    Source: mindspore.ops.operations.sparse_ops.SparseTensorToCSRSparseMatrix of MindSpore 2.10.
    """

    @checked
    def __call__(self, x_indices: Index, x_values: Anything, x_dense_shape: Index):
        sizes = self.sizes("x_dense_shape", x_dense_shape)
        if len(sizes) not in (2, 3):
            self.refuse(f"'x_dense_shape' must hold two or three lengths, but got {sizes}.")
        self.flat("x_indices", x_indices, x_values, sizes)
        positions = x_indices._array.astype("int64")
        return Csr(sizes, positions, x_values, x_indices._array.dtype).five()


@public("ops.operations.sparse_ops.SparseMatrixNNZ")
class SparseMatrixNNZ(SparsePrimitive):
    """Counts the stored values of a CSR matrix, or of each of a batch: int32 of shape (batches,).

    Raises:
        ValueError: if the components do not fit together.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> print(sparse_ops.SparseMatrixNNZ()(*parts))
        [2]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixNNZ of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x_dense_shape: Index,
        x_batch_pointers: Index,
        x_row_pointers: Index,
        x_col_indices: Index,
        x_values: Anything,
    ):
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
        Csr.read(self, *components)
        xp = space_for(x_batch_pointers._array)
        return Tensor._wrap(xp.diff(x_batch_pointers._array).astype("int32"))


@public("ops.operations.sparse_ops.SparseMatrixSoftmax")
class SparseMatrixSoftmax(SparsePrimitive):
    """Computes the softmax of each row of a CSR matrix over its stored values; returns five
    components.

    Args:
        dtype: the dtype of the resulting values, float32 or float64.

    Raises:
        ValueError: if the components do not fit together.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([1, 3], [0, 2], [0, 2], [0, 2], [5.0, 5.0])]
        >>> print(sparse_ops.SparseMatrixSoftmax(ms.float32)(*parts)[4])
        [0.5 0.5]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixSoftmax of MindSpore 2.10.
    """

    @checked
    def __init__(self, dtype: DType("float32", "float64")):
        super().__init__()
        self.dtype = dtype

    @checked
    def __call__(
        self,
        x_dense_shape: Index,
        x_batch_pointers: Index,
        x_row_pointers: Index,
        x_col_indices: Index,
        x_values: TensorOf("float32", "float64"),
    ):
        # The pointers to batches of a single matrix are returned and otherwise ignored.
        batches = None if x_dense_shape.size == 2 else x_batch_pointers
        matrix = Csr.read(self, x_dense_shape, batches, x_row_pointers, x_col_indices, x_values)
        rows = matrix.sizes[:-1]
        owner = ravel(matrix.xp, matrix.indices[:, :-1], rows)
        count = rows[0] * rows[-1] if len(rows) == 2 else rows[0]
        values = softmax_of(x_values, owner, count)
        values = values.astype(self.dtype)
        return x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, values


@public("ops.operations.sparse_ops.SparseMatrixTranspose")
class SparseMatrixTranspose(SparsePrimitive):
    """Transposes a CSR matrix, or each of a batch; returns five components.

    Args:
        conjugate (bool): whether the values are conjugated. Default: False.

    Raises:
        ValueError: if the components do not fit together.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> print(sparse_ops.SparseMatrixTranspose()(*parts)[4])
        [6. 5.]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixTranspose of MindSpore 2.10.
    """

    @checked
    def __init__(self, conjugate: Bool = False):
        super().__init__()
        self.conjugate = conjugate

    @checked
    def __call__(
        self,
        x_dense_shape: Index,
        x_batch_pointers: Index,
        x_row_pointers: Index,
        x_col_indices: Index,
        x_values: Anything,
    ):
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
        return Csr.read(self, *components).transposed(self.conjugate).five()


@public("ops.operations.sparse_ops.SparseMatrixAdd")
class SparseMatrixAdd(SparsePrimitive):
    """Computes alpha * a + beta * b of two CSR matrices; returns five components.

    The result has each index of either matrix, even if its value is 0.

    Raises:
        ValueError: if the components do not fit together or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> added = sparse_ops.SparseMatrixAdd()(*parts, *parts, ms.Tensor(1.0), ms.Tensor(2.0))
        >>> print(added[4])
        [15. 18.]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixAdd of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        x1_dense_shape: Index,
        x1_batch_pointers: Index,
        x1_row_pointers: Index,
        x1_col_indices: Index,
        x1_values: Anything,
        x2_dense_shape: Index,
        x2_batch_pointers: Index,
        x2_row_pointers: Index,
        x2_col_indices: Index,
        x2_values: Anything,
        alpha: Anything,
        beta: Anything,
    ):
        matrix = Csr.read(
            self, x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values
        )
        other = Csr.read(
            self, x2_dense_shape, x2_batch_pointers, x2_row_pointers, x2_col_indices, x2_values
        )
        if matrix.sizes != other.sizes:
            self.refuse(f"the shapes must agree, but got {matrix.sizes} and {other.sizes}.")
        xp = matrix.xp
        positions = xp.concatenate([matrix.indices, other.indices])
        _, first, owner = xp.unique(
            xp.concatenate([matrix.flat(), other.flat()]), return_index=True, return_inverse=True
        )
        owner, count = owner.reshape(-1), len(first)
        values = summed(matrix.values * alpha, owner[: len(matrix.indices)], count)
        values = values + summed(other.values * beta, owner[len(matrix.indices) :], count)
        return matrix.at(positions[first], matrix.sizes).with_values(values).five()


class _Product(SparsePrimitive):
    """The base class of products, whose factors may be transposed or replaced by their adjoints."""

    def _check_ways(self, first, second):
        for name in (first, second):
            if getattr(self, f"transpose_{name}") and getattr(self, f"adjoint_{name}"):
                self.refuse(f"'transpose_{name}' and 'adjoint_{name}' must not both be True.")

    def _transposed_operand(self, matrix, name):
        if getattr(self, f"adjoint_{name}"):
            return matrix.transposed(conjugate=True)
        return matrix.transposed() if getattr(self, f"transpose_{name}") else matrix


@public("ops.operations.sparse_ops.SparseMatrixMatMul")
class SparseMatrixMatMul(_Product):
    """Multiplies a CSR matrix by a dense one, or batches of them.

    Args:
        transpose_x1 (bool), transpose_x2 (bool): whether a factor is transposed. Default: False.
        adjoint_x1 (bool), adjoint_x2 (bool): whether a factor is transposed and conjugated.
            Default: False.
        transpose_output (bool), conjugate_output (bool): whether the product is transposed or
            conjugated. Default: False.

    Raises:
        ValueError: if a factor is to be both transposed and adjoint, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 3], [0, 2], [0, 1, 2], [2, 0], [5.0, 6.0])]
        >>> print(sparse_ops.SparseMatrixMatMul()(*parts, ms.Tensor([[1.0], [2.0], [3.0]])))
        [[15.]
         [ 6.]]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixMatMul of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        transpose_x1: Bool = False,
        transpose_x2: Bool = False,
        adjoint_x1: Bool = False,
        adjoint_x2: Bool = False,
        transpose_output: Bool = False,
        conjugate_output: Bool = False,
    ):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2
        self.adjoint_x1, self.adjoint_x2 = adjoint_x1, adjoint_x2
        self.transpose_output, self.conjugate_output = transpose_output, conjugate_output
        self._check_ways("x1", "x2")

    @checked
    def __call__(
        self,
        x1_dense_shape: Index,
        x1_batch_pointers: Index,
        x1_row_pointers: Index,
        x1_col_indices: Index,
        x1_values: Anything,
        x2_dense: Anything,
    ):
        matrix = Csr.read(
            self, x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values
        )
        matrix = self._transposed_operand(matrix, "x1")
        if self.transpose_x2 or self.adjoint_x2:
            x2_dense = x2_dense.swapaxes(-1, -2)
        if self.adjoint_x2:
            x2_dense = x2_dense.conj()
        lead = matrix.sizes[:-2]
        if x2_dense.ndim != len(lead) + 2 or x2_dense.shape[:-1] != (*lead, matrix.sizes[-1]):
            self.refuse(f"the shapes {matrix.sizes} and {x2_dense.shape} have no product.")
        out = self._product(matrix, x2_dense)
        out = out.swapaxes(-1, -2) if self.transpose_output else out
        return out.conj() if self.conjugate_output else out

    @staticmethod
    def _product(matrix, dense):
        """Multiplies each value by its row of the dense matrix, and sums by the rows of the sparse
        one."""
        columns = dense.shape[-1]
        rows = dense.reshape(-1, columns)
        lead = matrix.indices[:, :-2]
        height, width = matrix.sizes[-2:]
        batch = lead[:, 0] if lead.shape[1] else 0
        terms = picked(rows, batch * width + matrix.indices[:, -1]) * matrix.values.reshape(-1, 1)
        count = matrix.sizes[0] * height if lead.shape[1] else height
        result = summed(terms, batch * height + matrix.indices[:, -2], count)
        return result.reshape(*matrix.sizes[:-1], columns)


@public("ops.operations.sparse_ops.SparseMatrixSparseMatMul")
class SparseMatrixSparseMatMul(_Product):
    """Multiplies two CSR matrices, or batches of them; returns five components.

    The product has a value wherever a value of the first factor meets one of the second.

    Args:
        transpose_a (bool), transpose_b (bool): whether a factor is transposed. Default: False.
        adjoint_a (bool), adjoint_b (bool): whether a factor is transposed and conjugated. Default:
            False.

    Raises:
        ValueError: if a factor is to be both transposed and adjoint, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations import sparse_ops
        >>> parts = [ms.Tensor(x) for x in ([2, 2], [0, 2], [0, 1, 2], [1, 0], [5.0, 6.0])]
        >>> print(sparse_ops.SparseMatrixSparseMatMul()(*parts, *parts)[4])
        [30. 30.]

    Source: mindspore.ops.operations.sparse_ops.SparseMatrixSparseMatMul of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        transpose_a: Bool = False,
        transpose_b: Bool = False,
        adjoint_a: Bool = False,
        adjoint_b: Bool = False,
    ):
        super().__init__()
        self.transpose_a, self.transpose_b = transpose_a, transpose_b
        self.adjoint_a, self.adjoint_b = adjoint_a, adjoint_b
        self._check_ways("a", "b")

    @checked
    def __call__(
        self,
        a_shape: Index,
        a_batch_pointers: Index,
        a_row_pointers: Index,
        a_col_indices: Index,
        a_values: Anything,
        b_shape: Index,
        b_batch_pointers: Index,
        b_row_pointers: Index,
        b_col_indices: Index,
        b_values: Anything,
    ):
        a = Csr.read(self, a_shape, a_batch_pointers, a_row_pointers, a_col_indices, a_values)
        b = Csr.read(self, b_shape, b_batch_pointers, b_row_pointers, b_col_indices, b_values)
        a, b = self._transposed_operand(a, "a"), self._transposed_operand(b, "b")
        if a.sizes[:-2] != b.sizes[:-2] or a.sizes[-1] != b.sizes[-2]:
            self.refuse(f"the shapes {a.sizes} and {b.sizes} have no product.")
        left, right = _multiplied_pairs(a, b)
        positions = a.xp.concatenate([a.indices[left][:, :-1], b.indices[right][:, -1:]], 1)
        sizes = (*a.sizes[:-1], b.sizes[-1])
        _, first, owner = a.xp.unique(
            ravel(a.xp, positions, sizes), return_index=True, return_inverse=True
        )
        terms = picked(a.values, left) * picked(b.values, right)
        values = summed(terms, owner.reshape(-1), len(first))
        return a.at(positions[first], sizes).with_values(values).five()


def _multiplied_pairs(a, b):
    """Returns the positions of the pairs of values of `a` and `b` that are multiplied: both are in
    the same matrix of the batch, and the column of the first is the row of the second."""
    xp = a.xp
    keys = xp.concatenate([a.indices[:, :-2], a.indices[:, -1:]], 1)
    keys = ravel(xp, keys, (*a.sizes[:-2], a.sizes[-1]))
    rows = ravel(xp, b.indices[:, :-1], b.sizes[:-1])
    order = xp.argsort(rows, kind="stable")
    first = xp.searchsorted(rows[order], keys, side="left")
    counts = xp.searchsorted(rows[order], keys, side="right") - first
    left = xp.repeat(xp.arange(len(keys)), counts)
    start = xp.cumsum(counts) - counts
    step = xp.arange(len(left)) - xp.repeat(start, counts)
    return left, order[xp.repeat(first, counts) + step]
