"""mindspore.ops.operations._csr_ops: CSR Primitives whose component arrays are passed one by one.

Most take `indptr`, `indices`, `values` and `shape` of a CSRTensor, and then the other arguments of
the function of `mindspore.ops` for a CSRTensor. Each raises the errors of its function.
"""

from ..._core.declare.public_api import facade, public
from ...common.sparse_tensor import CSRTensor
from ..primitive import Primitive
from .components import csr_gather
from .conversion import coo2csr, csr2coo
from .coo_csr import csr_div, csr_mul, csr_mv, csr_reduce_sum, csr_times_dense

AREA = "ops.operations._csr_ops"


class _OfParts(Primitive):
    """The base class of Primitives that build a CSRTensor and pass it to a function."""

    def __init__(self):
        super().__init__(type(self).__name__)


@public("ops.operations._csr_ops.CSRReduceSum")
class CSRReduceSum(_OfParts):
    """Calls `ops.csr_reduce_sum` with components: `CSRReduceSum()(indptr, indices, values, shape,
    axis)`."""

    def __call__(self, indptr, indices, values, shape, axis):
        return csr_reduce_sum(CSRTensor(indptr, indices, values, tuple(shape)), axis)


@public("ops.operations._csr_ops.CSRMV")
class CSRMV(_OfParts):
    """Calls `ops.csr_mv` with components: `CSRMV()(indptr, indices, values, shape,
    dense_tensor)`."""

    def __call__(self, indptr, indices, values, shape, dense_tensor):
        return csr_mv(CSRTensor(indptr, indices, values, tuple(shape)), dense_tensor)


@public("ops.operations._csr_ops.CSRMM")
class CSRMM(_OfParts):
    """Multiplies by a dense matrix: `CSRMM()(indptr, indices, values, shape, dense_tensor)`."""

    def __call__(self, indptr, indices, values, shape, dense_tensor):
        return csr_times_dense(CSRTensor(indptr, indices, values, tuple(shape)), dense_tensor)


@public("ops.operations._csr_ops.CSRMul")
class CSRMul(_OfParts):
    """Returns the values of `ops.csr_mul`: `CSRMul()(indptr, indices, values, shape,
    dense_tensor)`."""

    def __call__(self, indptr, indices, values, shape, dense_tensor):
        return csr_mul(CSRTensor(indptr, indices, values, tuple(shape)), dense_tensor).values


@public("ops.operations._csr_ops.CSRDiv")
class CSRDiv(_OfParts):
    """Returns the values of `ops.csr_div`: `CSRDiv()(indptr, indices, values, shape,
    dense_tensor)`."""

    def __call__(self, indptr, indices, values, shape, dense_tensor):
        return csr_div(CSRTensor(indptr, indices, values, tuple(shape)), dense_tensor).values


@public("ops.operations._csr_ops.CSRGather")
class CSRGather(_OfParts):
    """The Primitive form of `ops.csr_gather`: `CSRGather()(indptr, indices, dense,
    sparse_shape)`."""

    def __call__(self, indptr, indices, dense, sparse_shape):
        return csr_gather(indptr, indices, dense, sparse_shape)


@public("ops.operations._csr_ops.CSR2COO")
class CSR2COO(_OfParts):
    """The Primitive form of `ops.csr2coo`: `CSR2COO()(indptr, nnz)`."""

    def __call__(self, indptr, nnz):
        return csr2coo(indptr, nnz)


@public("ops.operations._csr_ops.COO2CSR")
class COO2CSR(_OfParts):
    """The Primitive form of `ops.coo2csr`: `COO2CSR()(row_indices, height)`."""

    def __call__(self, row_indices, height):
        return coo2csr(row_indices, height)


__getattr__, __dir__, __all__ = facade(__name__, Primitive, AREA)
