"""Operators between sparse tensors and dense ones: `coo + dense`, `dense * coo`, `-csr`.

A sum or difference is dense; a product or quotient has the places of the sparse side.
"""

from .._core.tensor import Tensor
from ..common.sparse_tensor import COOTensor, CSRTensor
from . import _index, _math
from ._scatter import scatter_by
from ._sparse import coo_add


def _same_shape(sign, sparse, dense):
    if not isinstance(dense, Tensor):
        raise TypeError(
            f"For 'COOTensor {sign}', the other side must be a Tensor, but got "
            f"{dense!r} of type {type(dense).__name__}."
        )
    if dense.shape != sparse.shape:
        raise ValueError(
            f"For 'COOTensor {sign}', the other side must have the shape "
            f"{sparse.shape}, but got {dense.shape}."
        )


def _places(sparse):
    at = sparse.indices._array
    return tuple(at[:, i] for i in range(at.shape[1]))


def _added(sign, sparse, dense):
    """The values of `sparse` added to a dense Tensor."""
    _same_shape(sign, sparse, dense)
    if dense.dtype != sparse.dtype:
        raise TypeError(
            f"For 'COOTensor {sign}', the dtypes must agree, but got {sparse.dtype} "
            f"and {dense.dtype}."
        )
    return scatter_by.run(dense, sparse.values, _places(sparse), "add")


def _scaled(sign, sparse, dense, combine):
    """The values of `sparse` combined with those of a dense Tensor at the same places."""
    _same_shape(sign, sparse, dense)
    beside = _index.getitem.run(dense, _places(sparse))
    return COOTensor(sparse.indices, combine.run(sparse.values, beside), sparse.shape)


def _negative(self):
    return COOTensor(self.indices, _math.neg.run(self.values), self.shape)


def _add(self, other):
    if isinstance(other, COOTensor):
        return coo_add(self, other, Tensor(0, self.dtype))
    return _added("+", self, other)


def _sub(self, other):
    if isinstance(other, COOTensor):
        return coo_add(self, _negative(other), Tensor(0, self.dtype))
    _same_shape("-", self, other)
    return _added("-", self, _math.neg.run(other))


COOTensor.takes_dense = True  # a Tensor on the left leaves the operator to it
COOTensor.__add__ = _add
COOTensor.__radd__ = _add
COOTensor.__sub__ = _sub
COOTensor.__rsub__ = lambda self, other: _added("-", _negative(self), other)
COOTensor.__mul__ = lambda self, other: _scaled("*", self, other, _math.mul)
COOTensor.__rmul__ = COOTensor.__mul__
COOTensor.__truediv__ = lambda self, other: _scaled("/", self, other, _math.real_div)
COOTensor.__neg__ = _negative
CSRTensor.__neg__ = lambda self: CSRTensor(
    self.indptr, self.indices, _math.neg.run(self.values), self.shape
)
