"""Ops on sparse tensors: products, sums, and elementwise functions of their values.

Conversions are in _sparse/conversion.py.
"""

from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import build, public
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import Any, Bool, DType, Int, OneDtype, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._elementwise import arithmetic, division, elementary
from .._indexing.scatter import scatter_by
from .._rules import Anything, Index
from .._shape.join_split import cat
from ..primitive import Primitive
from .conversion import (
    Index16To64,
    _need,
    _need_indices,
    _rows_of,
    coo_to_csr,
    csr_to_coo,
    csr_to_dense,
    dense_to_sparse_coo,
)

# Products and sums --------------------------------------------------------------------------------


@op(compute="native")
def product_of(
    xp, values: Anything, dense: Anything, rows: Index16To64, columns: Index16To64, height: Int
):
    """Multiplies a sparse matrix, given by its values, rows and columns, by a dense one."""
    terms = xp.expand_dims(values, 1) * xp.take(dense, columns, 0)
    return xp.scatter_add(xp.zeros((height, dense.shape[1]), terms.dtype), (rows,), terms)


@public("ops.csr_mv")
def csr_mv(csr_tensor, dense):
    """Multiplies a CSRTensor by a vector of shape (columns, 1).

    Args:
        csr_tensor (CSRTensor): a matrix.
        dense (Tensor): shape (columns, 1).

    Returns:
        Tensor of shape (rows, 1).

    Raises:
        TypeError: if `csr_tensor` is not a CSRTensor or `dense` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_mv(x, ms.ops.ones((2, 1))))
        [[5.]
         [0.]]

    Source: mindspore.ops.csr_mv of MindSpore 2.10.
    """
    _need("csr_mv", "csr_tensor", csr_tensor, CSRTensor)
    _need("csr_mv", "dense", dense, Tensor)
    if dense.shape != (csr_tensor.shape[1], 1):
        raise ValueError(
            f"For 'csr_mv', 'dense' must have the shape ({csr_tensor.shape[1]}, 1), "
            f"but got {dense.shape}."
        )
    return product_of.run(
        csr_tensor.values, dense, _rows_of(csr_tensor), csr_tensor.indices, csr_tensor.shape[0]
    )


def csr_times_dense(csr_tensor, matrix):
    """Multiplies a CSRTensor by a dense Tensor (dense result) or by a CSRTensor (CSRTensor
    result)."""
    if isinstance(matrix, CSRTensor):
        return csr_mm(csr_tensor, matrix)
    _need("CSRTensor.mm", "matrix", matrix, Tensor)
    if matrix.ndim != 2 or matrix.shape[0] != csr_tensor.shape[1]:
        raise ValueError(
            f"For 'CSRTensor.mm', 'matrix' must have {csr_tensor.shape[1]} rows, but "
            f"got {matrix.shape}."
        )
    return product_of.run(
        csr_tensor.values, matrix, _rows_of(csr_tensor), csr_tensor.indices, csr_tensor.shape[0]
    )


@public("ops.csr_mm")
@checked
def csr_mm(
    a,
    b,
    trans_a: Bool = False,
    trans_b: Bool = False,
    adjoint_a: Bool = False,
    adjoint_b: Bool = False,
):
    """Multiplies two CSRTensors, each transposed (or adjoint) first if requested; returns a
    CSRTensor.

    Args:
        a (CSRTensor): the first factor.
        b (CSRTensor): the second factor.
        trans_a (bool): whether `a` is transposed first. Default: False.
        trans_b (bool): whether `b` is transposed first. Default: False.
        adjoint_a (bool): whether `a` is transposed and conjugated first. Default: False.
        adjoint_b (bool): whether `b` is transposed and conjugated first. Default: False.

    Returns:
        CSRTensor.

    Raises:
        TypeError: if `a` or `b` is not a CSRTensor, or another argument is not a bool.

    Example:
        >>> a = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([0, 1]), ms.Tensor([2.0, 3.0]), (2, 2))
        >>> print(ms.ops.csr_mm(a, a).to_dense())
        [[4. 0.]
         [0. 9.]]

    Source: mindspore.ops.csr_mm of MindSpore 2.10.
    """
    _need("csr_mm", "a", a, CSRTensor)
    _need("csr_mm", "b", b, CSRTensor)
    first, second = csr_to_dense(a), csr_to_dense(b)
    first = first.T if trans_a or adjoint_a else first
    second = second.T if trans_b or adjoint_b else second
    return coo_to_csr(dense_to_sparse_coo(first @ second))


@public("ops.csr_reduce_sum")
def csr_reduce_sum(csr_tensor, axis):
    """Sums the elements of each row of a CSRTensor into a column; `axis` is 1 or -1.

    Args:
        csr_tensor (CSRTensor): a matrix.
        axis (int): 1 or -1.

    Returns:
        Tensor of shape (rows, 1).

    Raises:
        TypeError: if `csr_tensor` is not a CSRTensor or `axis` is not an int.
        ValueError: if `axis` is neither 1 nor -1.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_reduce_sum(x, 1))
        [[5.]
         [0.]]

    Source: mindspore.ops.csr_reduce_sum of MindSpore 2.10.
    """
    _need("csr_reduce_sum", "csr_tensor", csr_tensor, CSRTensor)
    if isinstance(axis, bool) or not isinstance(axis, int):
        Int.refuse("csr_reduce_sum", "axis", axis)
    if axis not in (1, 1 - csr_tensor.ndim):
        raise ValueError(
            f"For 'csr_reduce_sum', 'axis' must be 1 or {1 - csr_tensor.ndim}, but got {axis}."
        )
    values = csr_tensor.values
    start = Tensor._wrap(
        space_for(values._array).zeros(
            (csr_tensor.shape[0], *values.shape[1:]), values._array.dtype
        )
    )
    sums = scatter_by.run(start, values, (_rows_of(csr_tensor)._array,), "add")
    return sums.reshape((csr_tensor.shape[0], 1, *values.shape[1:]))


def _gather(csr, dense):
    """Returns the elements of a dense Tensor, broadcast to the matrix, at the indices of a
    CSRTensor."""
    if not isinstance(dense, Tensor):
        return dense
    whole = dense.broadcast_to(csr.shape) if dense.shape != csr.shape else dense
    return whole[_rows_of(csr), csr.indices]


@public("ops.csr_mul")
def csr_mul(x, y):
    """Multiplies a CSRTensor by a Tensor or number, element by element; returns a CSRTensor.

    Args:
        x (CSRTensor): the first operand.
        y (Union[Tensor, Number]): the second operand, which broadcasts to the shape of `x`.

    Returns:
        CSRTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_mul(x, ms.Tensor([[2.0]])).values)
        [10.]
    """
    _need("csr_mul", "x", x, CSRTensor)
    return CSRTensor(x.indptr, x.indices, arithmetic.mul.run(x.values, _gather(x, y)), x.shape)


@public("ops.csr_div")
def csr_div(x, y):
    """Divides a CSRTensor by a Tensor or number, element by element; returns a CSRTensor.

    Args:
        x (CSRTensor): the first operand.
        y (Union[Tensor, Number]): the second operand, which broadcasts to the shape of `x`.

    Returns:
        CSRTensor.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([6.0]), (2, 2))
        >>> print(ms.ops.csr_div(x, ms.Tensor([[2.0]])).values)
        [3.]
    """
    _need("csr_div", "x", x, CSRTensor)
    quotient = division.true_div.run(x.values, _gather(x, y))
    return CSRTensor(x.indptr, x.indices, quotient, x.shape)


@public("ops.csr_add")
def csr_add(a, b, alpha, beta):
    """Computes alpha * a + beta * b of two CSRTensors; returns a CSRTensor.

    Args:
        a (CSRTensor): the first summand.
        b (CSRTensor): the second summand, of the same shape.
        alpha (Tensor): the factor of `a`, a scalar.
        beta (Tensor): the factor of `b`, a scalar.

    Returns:
        CSRTensor.

    Raises:
        TypeError: if `a` or `b` is not a CSRTensor, or `alpha` or `beta` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.csr_add(x, x, ms.Tensor(1.0), ms.Tensor(2.0)).values)
        [15.]

    Source: mindspore.ops.csr_add of MindSpore 2.10.
    """
    for name, value, kind in (
        ("a", a, CSRTensor),
        ("b", b, CSRTensor),
        ("alpha", alpha, Tensor),
        ("beta", beta, Tensor),
    ):
        _need("csr_add", name, value, kind)
    first, second = csr_to_coo(a), csr_to_coo(b)
    scaled = arithmetic.mul.run(first.values, alpha), arithmetic.mul.run(second.values, beta)
    total = _merge(first, second, *scaled)
    return coo_to_csr(total)


def _merge(one, two, values_one, values_two, thresh=None):
    """Adds two COOTensors: sums values at equal indices and drops small sums."""
    xp = space_for(one.indices._array)
    positions = xp.concatenate([one.indices._array, two.indices._array])
    flat = positions[:, 0].astype("int64") * one.shape[1] + positions[:, 1]
    unique, owner = xp.unique(flat, return_inverse=True)
    start = Tensor._wrap(xp.zeros(unique.shape, values_one._array.dtype))
    values = scatter_by.run(
        start, cat.run([values_one, values_two], 0), (owner.reshape(-1),), "add"
    )
    indices = xp.stack([unique // one.shape[1], unique % one.shape[1]], -1).astype(
        one.indices._array.dtype
    )
    if thresh is not None:
        large = xp.abs(values._array) >= thresh._array
        indices, values = indices[large], values[Tensor._wrap(xp.nonzero(large)[0])]
    return COOTensor(Tensor._wrap(indices), values, one.shape)


@public("ops.coo_add")
def coo_add(x1, x2, thresh):
    """Adds two COOTensors, and drops sums smaller than `thresh`.

    Args:
        x1 (COOTensor): the first summand.
        x2 (COOTensor): the second summand, of the same shape.
        thresh (Tensor): the threshold, a scalar.

    Returns:
        COOTensor.

    Raises:
        TypeError: if `x1` or `x2` is not a COOTensor.
        AttributeError: if `thresh` is not a Tensor.
        ValueError: if the shapes differ, or `thresh` is not a scalar.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2))
        >>> print(ms.ops.coo_add(x, x, ms.Tensor(0.0)).to_dense())
        [[ 0. 10.]
         [ 0.  0.]]

    Source: mindspore.ops.coo_add of MindSpore 2.10.
    """
    _need("coo_add", "x1", x1, COOTensor)
    _need("coo_add", "x2", x2, COOTensor)
    Instead(Anything, AttributeError).refuse("coo_add", "thresh", thresh)
    if x1.shape != x2.shape or thresh.ndim:
        raise ValueError(
            f"For 'coo_add', the shapes must agree and 'thresh' be 0-d, but got "
            f"{x1.shape}, {x2.shape}, {thresh.shape}."
        )
    return _merge(x1, x2, x1.values, x2.values, thresh)


def coalesce(self):
    """Returns the same matrix with sorted indices; values at equal indices are summed."""
    nothing = COOTensor(self.indices[:0], self.values[:0], self.shape) if self.size else self
    return _merge(self, nothing, self.values, nothing.values)


@public("ops.csr_softmax")
@checked
def csr_softmax(logits: Any, dtype: DType("float32", "float64")):
    """Computes the softmax of the stored values of each row; returns a CSRTensor of the given
    dtype.

    Args:
        logits (CSRTensor): a matrix.
        dtype (mindspore.dtype): float32 or float64.

    Returns:
        CSRTensor with values at the same positions.

    Raises:
        TypeError: if `logits` is not a CSRTensor or `dtype` is neither float32 nor float64.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 2, 2]), ms.Tensor([0, 1]), ms.Tensor([0.0, 0.0]), (2, 2))
        >>> print(ms.ops.csr_softmax(x, ms.float32).values)
        [0.5 0.5]

    Source: mindspore.ops.csr_softmax of MindSpore 2.10.
    """
    _need("csr_softmax", "logits", logits, CSRTensor)
    rows = _rows_of(logits)
    count = logits.shape[0]
    xp = space_for(rows._array)
    lowest = Tensor._wrap(xp.full((count,), float("-inf"), logits.values._array.dtype))
    top = scatter_by.run(lowest, Tensor._wrap(logits.values._array), (rows._array,), "max")
    powers = elementary.exp.run(logits.values - top[rows])
    start = Tensor._wrap(xp.zeros((count,), powers._array.dtype))
    total = scatter_by.run(start, powers, (rows._array,), "add")
    return CSRTensor(
        logits.indptr, logits.indices, (powers / total[rows]).astype(dtype), logits.shape
    )


@public("ops.SparseTensorDenseMatmul")
class SparseTensorDenseMatmul(Primitive):
    """Multiplies a sparse matrix by a dense one: `ops.SparseTensorDenseMatmul()(indices, values,
    shape, dense)`.

    Args:
        adjoint_st (bool): whether the sparse matrix is transposed first. Default: False.
        adjoint_dt (bool): whether the dense matrix is transposed first. Default: False.

    Inputs:
        - **indices** (Tensor): int32 or int64 of shape (n, 2): the row and column of each value.
        - **values** (Tensor): the values, of shape (n,).
        - **sparse_shape** (Union[tuple[int], Tensor]): the shape of the sparse matrix.
        - **dense** (Tensor): a matrix of the dtype of `values`.

    Outputs:
        Tensor of the dtype of `values`: the product.

    Raises:
        TypeError: if an input has the wrong type, or the dtypes differ.
        ValueError: if the shapes do not fit or an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> indices, values = ms.Tensor([[0, 1]]), ms.Tensor([5.0])
        >>> print(ms.ops.SparseTensorDenseMatmul()(indices, values, (2, 2), ms.ops.ones((2, 1))))
        [[5.]
         [0.]]

    Source: mindspore.ops.SparseTensorDenseMatmul of MindSpore 2.10.
    """

    @checked
    def __init__(self, adjoint_st: Bool = False, adjoint_dt: Bool = False):
        super().__init__("SparseTensorDenseMatmul")
        self.adjoint_st, self.adjoint_dt = adjoint_st, adjoint_dt

    @checked(OneDtype("values dense"))
    def __call__(
        self,
        indices: Index,
        values: TensorOf(
            "float16", "float32", "float64", "int32", "int64", "complex64", "complex128"
        ),
        sparse_shape: TupleOf(Int, length=2) | Index,
        dense: Anything,
    ):
        if dense.ndim != 2 or len(sparse_shape) != 2:
            raise ValueError(
                f"For '{self.name}', both matrices must have two axes, but got "
                f"{sparse_shape} and {dense.shape}."
            )
        sizes = [int(n) for n in sparse_shape]
        dense = dense.T if self.adjoint_dt else dense
        step = -1 if self.adjoint_st else 1  # transposes pairs of (row, column)
        height = sizes[::step][0]
        _need_indices(self.name, indices, values, (height, dense.shape[0])[::step])
        rows, columns = (indices[:, 0], indices[:, 1])[::step]
        return product_of.run(values, dense, rows, columns, height)


# Elementwise --------------------------------------------------------------------------------------


def _on_values(coo, csr):
    """Declares the functions `coo` and `csr`, which apply the op of the same name to the stored
    values."""
    name = coo.removeprefix("ops.coo_")

    def of_coo(x):
        _need(coo.removeprefix("ops."), "x", x, COOTensor)
        return COOTensor(x.indices, build("ops", name)(x.values), x.shape)

    def of_csr(x):
        _need(csr.removeprefix("ops."), "x", x, CSRTensor)
        return CSRTensor(x.indptr, x.indices, build("ops", name)(x.values), x.shape)

    for function, path, kind in ((of_coo, coo, "COOTensor"), (of_csr, csr, "CSRTensor")):
        function.__name__ = path.removeprefix("ops.")
        result = (
            "ms.COOTensor(ms.Tensor([[0, 1]])"
            if kind == "COOTensor"
            else "ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1])"
        )
        function.__doc__ = f"""Computes `ops.{name}` of the stored values of a {kind}.

        Args:
            x ({kind}): the input, with values of a dtype that `ops.{name}` takes.

        Returns:
            {kind} of the same shape, with values at the same positions.

        Raises:
            TypeError: if `x` is not a {kind}, or has values of another dtype.

        Example:
            >>> import mindspore_compat as ms
            >>> x = {result}, ms.Tensor([0.5]), (2, 2))
            >>> print(ms.ops.{function.__name__}(x).shape)
            (2, 2)
        """
        public(path)(function)


_on_values("ops.coo_abs", "ops.csr_abs")
_on_values("ops.coo_acos", "ops.csr_acos")
_on_values("ops.coo_acosh", "ops.csr_acosh")
_on_values("ops.coo_asin", "ops.csr_asin")
_on_values("ops.coo_asinh", "ops.csr_asinh")
_on_values("ops.coo_atan", "ops.csr_atan")
_on_values("ops.coo_atanh", "ops.csr_atanh")
_on_values("ops.coo_ceil", "ops.csr_ceil")
_on_values("ops.coo_cos", "ops.csr_cos")
_on_values("ops.coo_cosh", "ops.csr_cosh")
_on_values("ops.coo_exp", "ops.csr_exp")
_on_values("ops.coo_expm1", "ops.csr_expm1")
_on_values("ops.coo_floor", "ops.csr_floor")
_on_values("ops.coo_inv", "ops.csr_inv")
_on_values("ops.coo_isfinite", "ops.csr_isfinite")
_on_values("ops.coo_isinf", "ops.csr_isinf")
_on_values("ops.coo_isnan", "ops.csr_isnan")
_on_values("ops.coo_log", "ops.csr_log")
_on_values("ops.coo_log1p", "ops.csr_log1p")
_on_values("ops.coo_neg", "ops.csr_neg")
_on_values("ops.coo_relu", "ops.csr_relu")
_on_values("ops.coo_relu6", "ops.csr_relu6")
_on_values("ops.coo_round", "ops.csr_round")
_on_values("ops.coo_sigmoid", "ops.csr_sigmoid")
_on_values("ops.coo_sin", "ops.csr_sin")
_on_values("ops.coo_sinh", "ops.csr_sinh")
_on_values("ops.coo_softsign", "ops.csr_softsign")
_on_values("ops.coo_sqrt", "ops.csr_sqrt")
_on_values("ops.coo_square", "ops.csr_square")
_on_values("ops.coo_tan", "ops.csr_tan")
_on_values("ops.coo_tanh", "ops.csr_tanh")


def _absolute(self):
    """Returns the sparse Tensor with the absolute values of this one."""
    values = arithmetic.abs.run(self.values)
    if isinstance(self, COOTensor):
        return COOTensor(self.indices, values, self.shape)
    return CSRTensor(self.indptr, self.indices, values, self.shape)


COOTensor.coalesce = coalesce
COOTensor.abs = CSRTensor.abs = _absolute
CSRTensor.__add__ = lambda self, other: csr_add(
    self, other, Tensor(1, self.dtype), Tensor(1, self.dtype)
)
CSRTensor.__sub__ = lambda self, other: csr_add(
    self, other, Tensor(1, self.dtype), Tensor(-1, self.dtype)
)
CSRTensor.__mul__ = csr_mul
CSRTensor.__truediv__ = csr_div
