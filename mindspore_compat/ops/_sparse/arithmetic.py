"""Methods of sparse tensors, and their operators with dense Tensors: `coo + dense`, `dense * coo`.

A sum or difference is dense. A product or quotient is sparse, with the indices of the sparse
operand.
"""

from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._elementwise import arithmetic, division
from .._indexing import getitem
from .._indexing.scatter import scatter_by
from .._rules import Anything
from .conversion import coo_to_csr, coo_to_dense, csr_to_coo, csr_to_dense
from .coo_csr import coo_add, csr_add, csr_mv, csr_reduce_sum, csr_times_dense


def _same_shape(sign, sparse, dense):
    if not isinstance(dense, Tensor):
        Anything.refuse_part(f"COOTensor {sign}", "the other side", dense)
    if dense.shape != sparse.shape:
        raise ValueError(
            f"For 'COOTensor {sign}', the other side must have the shape "
            f"{sparse.shape}, but got {dense.shape}."
        )


def _indices_of(sparse):
    at = sparse.indices._array
    return tuple(at[:, i] for i in range(at.shape[1]))


def _add_dense(sign, sparse, dense):
    """Adds the values of `sparse` to a dense Tensor; `sign` appears in error messages."""
    _same_shape(sign, sparse, dense)
    if dense.dtype != sparse.dtype:
        raise TypeError(
            f"For 'COOTensor {sign}', the dtypes must agree, but got {sparse.dtype} "
            f"and {dense.dtype}."
        )
    return scatter_by.run(dense, sparse.values, _indices_of(sparse), "add")


def _combine(sign, sparse, dense, combine):
    """Combines the values of `sparse` with the values of a dense Tensor at the same indices."""
    _same_shape(sign, sparse, dense)
    dense_values = getitem.getitem.run(dense, _indices_of(sparse))
    return COOTensor(sparse.indices, combine.run(sparse.values, dense_values), sparse.shape)


def _negative(self):
    return COOTensor(self.indices, arithmetic.neg.run(self.values), self.shape)


def _add(self, other):
    if isinstance(other, COOTensor):
        return coo_add(self, other, Tensor(0, self.dtype))
    return _add_dense("+", self, other)


def _sub(self, other):
    if isinstance(other, COOTensor):
        return coo_add(self, _negative(other), Tensor(0, self.dtype))
    _same_shape("-", self, other)
    return _add_dense("-", self, arithmetic.neg.run(other))


COOTensor.takes_dense = True  # a dense left operand uses the operators of the right one
COOTensor.__add__ = _add
COOTensor.__radd__ = _add
COOTensor.__sub__ = _sub
COOTensor.__rsub__ = lambda self, other: _add_dense("-", _negative(self), other)
COOTensor.__mul__ = lambda self, other: _combine("*", self, other, arithmetic.mul)
COOTensor.__rmul__ = COOTensor.__mul__
COOTensor.__truediv__ = lambda self, other: _combine("/", self, other, division.true_div)
COOTensor.__neg__ = _negative
CSRTensor.__neg__ = lambda self: CSRTensor(
    self.indptr, self.indices, arithmetic.neg.run(self.values), self.shape
)


# The methods, with MindSpore's argument names


def _method(kind):
    """Returns a decorator that adds the function to a class, under its name."""

    def give(function):
        name = function.__name__.rstrip("_")
        function.__name__, function.__qualname__ = name, f"{kind.__name__}.{name}"
        setattr(kind, name, function)
        return function

    return give


@_method(COOTensor)
def add(self, other, thresh):
    """Adds another COOTensor, and drops sums smaller than `thresh`; see `ops.coo_add`."""
    return coo_add(self, other, thresh)


@_method(COOTensor)
def to_csr(self):
    """Converts the matrix to a CSRTensor; see `ops.coo_to_csr`."""
    return coo_to_csr(self)


@_method(COOTensor)
def to_dense(self):
    """Converts the COOTensor to a dense Tensor; see `ops.coo_to_dense`."""
    return coo_to_dense(self)


@_method(CSRTensor)
def add_(self, b, alpha, beta):
    """Computes alpha * self + beta * b; see `ops.csr_add`."""
    return csr_add(self, b, alpha, beta)


@_method(CSRTensor)
def mv(self, dense_vector):
    """Multiplies the matrix by a vector, given as a matrix of one column; see `ops.csr_mv`."""
    return csr_mv(self, dense_vector)


@_method(CSRTensor)
def mm(self, matrix):
    """Multiplies the matrix by a dense matrix (dense result) or by a sparse one (sparse result)."""
    return csr_times_dense(self, matrix)


@_method(CSRTensor)
def sum_(self, axis):
    """Sums the elements of each row; `axis` must be 1; see `ops.csr_reduce_sum`."""
    return csr_reduce_sum(self, axis)


@_method(CSRTensor)
def to_coo(self):
    """Converts the matrix to a COOTensor; see `ops.csr_to_coo`."""
    return csr_to_coo(self)


@_method(CSRTensor)
def to_dense_(self):
    """Converts the CSRTensor to a dense Tensor; see `ops.csr_to_dense`."""
    return csr_to_dense(self)
