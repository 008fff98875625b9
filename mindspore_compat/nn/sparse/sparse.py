"""Layers that call the ops of sparse tensors in `ops/_sparse/coo_csr.py`."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, InstanceOf, checked
from ...common.sparse_tensor import COOTensor
from ...ops._sparse import coo_csr
from ..cell import Cell

__all__ = ["SparseToDense", "SparseTensorDenseMatmul"]


@public("nn.SparseToDense")
class SparseToDense(Cell):
    """Converts a COOTensor to a dense Tensor.

    Inputs:
        - **sparse_tensor** (COOTensor): any dtype.

    Outputs:
        Tensor with the shape and dtype of the COOTensor.

    Raises:
        TypeError: if the input is not a COOTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SparseToDense()(ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]),
        ...         (2, 2))))
        [[0. 5.]
         [0. 0.]]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, sparse_tensor: InstanceOf(COOTensor)):
        """Returns the dense Tensor."""
        return sparse_tensor.to_dense()


@public("nn.SparseTensorDenseMatmul")
class SparseTensorDenseMatmul(Cell):
    """Multiplies a sparse matrix by a dense matrix.

    Args:
        adjoint_st (bool): whether to transpose the sparse matrix first.
        adjoint_dt (bool): whether to transpose the dense matrix first.

    Inputs:
        - **indices** (Tensor): ints of shape (n, 2): the row and column of each value.
        - **values** (Tensor): the values, of shape (n,).
        - **sparse_shape** (tuple): the shape of the sparse matrix.
        - **dense** (Tensor): the dense matrix.

    Outputs:
        Tensor: the product, a dense matrix.

    Raises:
        TypeError: if a flag is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.nn.SparseTensorDenseMatmul()(x.indices, x.values, (2, 2), ms.ops.ones((2, 1))))
        [[5.]
         [0.]]
    """

    @checked
    def __init__(self, adjoint_st: Bool = False, adjoint_dt: Bool = False):
        super().__init__()
        self.adjoint_st = adjoint_st
        self.adjoint_dt = adjoint_dt
        self.sparse_dense_matmul = coo_csr.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        """Returns the product, a dense matrix."""
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
