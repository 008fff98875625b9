"""Householder factors, least squares, exponentials, norms and condition numbers of matrices.

Decompositions, determinants and solvers are in _linalg/decomposition.py. Matrices are the last two
axes.
"""

import math

import numpy

from ..._core.autograd.vjp_rules import no_gradient
from ..._core.declare.inputs import Promote, SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    CellOf,
    Float,
    Int,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
    integer,
    real,
)
from ..._core.tensor.tensor import Tensor
from .._normalization.batch_norm import wide
from .._reduction.norm import _vector_norm, norm
from .._rules import Anything, Float16Or32, Float16To64, InexactOfNumPy
from ..primitive import Primitive
from .decomposition import _adjoint, _square, complete_qr, reduced_qr, singular_values
from .inverse import inverse

_PADE = [
    64764752532480000,
    32382376266240000,
    7771770303897600,
    1187353796428800,
    129060195264000,
    10559470521600,
    670442572800,
    33522128640,
    1323241920,
    40840800,
    960960,
    16380,
    182,
    1,
]


@op("ops.matrix_exp(input)", "ops.MatrixExp()(input)", "Tensor.matrix_exp()")
def matrix_exp(xp, input: InexactOfNumPy):
    """Computes the exponential of each matrix, the sum of x^k / k! over all k.

    Shapes:
        `input` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.matrix_exp(ms.Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]
    """
    _square("matrix_exp", "input", input)
    dtype, input = input.dtype, wide(xp, input)
    size = float(xp.max(xp.sum(xp.abs(xp.stop(input)), -1))) if input.size else 0.0
    halvings = max(0, math.ceil(math.log2(size / 5.4))) if size > 5.4 else 0
    x = input / 2**halvings
    eye = xp.eye(input.shape[-1], dtype=input.dtype)
    square = xp.matmul(x, x)
    odd, even, power = 0, 0, eye
    for place in range(0, len(_PADE), 2):
        even = even + _PADE[place] * power
        odd = odd + _PADE[place + 1] * power
        power = xp.matmul(power, square)
    odd = xp.matmul(x, odd)
    out = xp.linalg_solve(even - odd, even + odd)
    for _ in range(halvings):
        out = xp.matmul(out, out)
    return xp.cast(out, dtype)


# Householder vectors ------------------------------------------------------------------------------


@op("ops.geqrf(input)", "ops.Geqrf()(input)", "Tensor.geqrf()")
def geqrf(xp, input: InexactOfNumPy):
    """Computes a QR decomposition in packed form: R on and above the diagonal, Householder vectors
    below, and their coefficients.

    Shapes:
        `input` is (..., M, N). The results are (..., M, N) and (..., min(M, N)), of the same dtype.

    Example:
        >>> packed, tau = ms.ops.geqrf(ms.Tensor([[3.0], [4.0]]))
        >>> print(packed[0], tau)
        [-5.] [1.6]
    """
    if input.ndim < 2:
        raise ValueError(f"For 'geqrf', 'input' must be matrices, but got {input.shape}.")
    packed, tau = xp.linalg_qr_raw(input)
    return xp.swapaxes(packed, -1, -2), tau


geqrf.vjp(input=no_gradient("geqrf"))


def _reflected(xp, vectors, tau, out, backwards=True):
    """`out` after the reflections that columns of `vectors` and `tau` stand for."""
    rows = xp.arange(vectors.shape[-2])
    order = range(tau.shape[-1])
    for i in reversed(order) if backwards else order:
        column = xp.where(rows > i, vectors[..., i], xp.zeros_like(vectors[..., i]))
        v = xp.expand_dims(column + xp.cast(rows == i, column.dtype), -1)
        out = out - tau[..., i][..., None, None] * xp.matmul(v, xp.matmul(_adjoint(xp, v), out))
    return out


def _fits(api, input, tau):
    if input.ndim < 2 or tau.ndim != input.ndim - 1 or tau.shape[-1] > input.shape[-1]:
        raise ValueError(
            f"For '{api}', the coefficients must be as many as columns, at most, but got shapes "
            f"{input.shape} and {tau.shape}."
        )


@op(
    "ops.orgqr(input, input2)",
    "ops.Orgqr()(x: input, tau: input2)",
    "Tensor.orgqr(input2)",
    types=SameDtype("input input2"),
)
def orgqr(xp, input: InexactOfNumPy, input2: InexactOfNumPy):
    """Computes the first columns of the product of Householder reflections, as `geqrf` gives them.

    Shapes:
        `input` is (..., M, N), `input2` is (..., K) with K at most N. The result is (..., M, N), of
        the same dtype.

    Example:
        >>> print(ms.ops.orgqr(*ms.ops.geqrf(ms.Tensor([[3.0], [4.0]]))))
        [[-0.6]
         [-0.8]]
    """
    _fits("orgqr", input, input2)
    if input.shape[-2] < input.shape[-1]:
        raise ValueError(
            f"For 'orgqr', 'input' must have at least as many rows as columns, but got "
            f"{input.shape}."
        )
    eye = xp.broadcast_to(xp.eye(*input.shape[-2:], dtype=input.dtype), input.shape)
    return _reflected(xp, input, input2, eye)


@op(
    "ops.ormqr(input, tau, other, left=True, transpose=False)",
    "ops.Ormqr(left=True, transpose=False)(x: input, tau, other)",
    "Tensor.ormqr(input2: tau, input3: other, left=True, transpose=False)",
    types=Promote("input tau other"),
)
def ormqr(
    xp,
    input: InexactOfNumPy,
    tau: InexactOfNumPy,
    other: InexactOfNumPy,
    left: Bool = True,
    transpose: Bool = False,
):
    """Multiplies `other` by the product of Householder reflections, or by its adjoint with
    `transpose`, from the left or else from the right.

    Shapes:
        `input` is (..., M, K), `tau` is (..., K), `other` is (..., M, N) for `left`. The result has
        the shape and dtype of `other`.

    Example:
        >>> packed, tau = ms.ops.geqrf(ms.Tensor([[3.0], [4.0]]))
        >>> print(ms.ops.ormqr(packed, tau, ms.Tensor([[3.0], [4.0]]), transpose=True))
        [[-5.]
         [ 0.]]
    """
    _fits("ormqr", input, tau)
    if other.ndim != input.ndim or other.shape[-2 if left else -1] != input.shape[-2]:
        raise ValueError(
            f"For 'ormqr', 'other' must fit {input.shape[-2]} rows of 'input', but got "
            f"{other.shape}."
        )
    other = other if left else _adjoint(xp, other)
    forward = transpose == left
    used = xp.conj(tau) if forward else tau
    out = _reflected(xp, input, used, other, not forward)
    return out if left else _adjoint(xp, out)


@op("ops.Qr(full_matrices=False)(x)")
def qr_full(xp, x: InexactOfNumPy, full_matrices: Bool = False):
    """Decomposes each matrix into an orthogonal matrix q and an upper triangle r, with x = q r.

    Shapes:
        `x` is (..., M, N). With K = min(M, N), q is (..., M, K) and r is (..., K, N); with
        `full_matrices` K is M.

    Example:
        >>> q, r = ms.ops.Qr()(ms.Tensor([[3.0], [4.0]]))
        >>> print(r)
        [[-5.]]
    """
    if x.ndim < 2:
        raise ValueError(f"For 'Qr', 'x' must have at least two axes, but got shape {x.shape}.")
    return (complete_qr if full_matrices else reduced_qr).body(xp, x)


# Solving ------------------------------------------------------------------------------------------


@op(
    "ops.lstsq(input, A)",
    "Tensor.lstsq(A)",
    "ops.Lstsq(fast=True, l2_regularizer=0.0)(x: input, a: A)",
    types=SameDtype("input A"),
)
def lstsq(xp, input: Float16To64, A: Float16To64, fast: Bool = True, l2_regularizer: Number = 0.0):
    """Finds the smallest y for which |input y - A| is least. The matrix has full rank.

    Shapes:
        `input` is (M, N), `A` is (M, K) or (M,). The result is (N, K), of the same dtype.

    Example:
        >>> print(ms.ops.lstsq(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [8.0]])))
        [[1.]
         [2.]]
    """
    if input.ndim != 2 or A.ndim not in (1, 2) or A.shape[0] != input.shape[0]:
        raise ValueError(
            f"For 'lstsq', 'input' must be a matrix and 'A' have as many rows, but got "
            f"{input.shape} and {A.shape}."
        )
    right = A if A.ndim == 2 else xp.expand_dims(A, -1)
    rows, columns = input.shape
    if l2_regularizer and fast:
        ridge = l2_regularizer * xp.eye(columns, dtype=input.dtype)
        across = xp.swapaxes(input, 0, 1)
        return xp.linalg_solve(xp.matmul(across, input) + ridge, xp.matmul(across, right))
    if rows >= columns:
        q, r = xp.linalg_qr(input)
        return xp.linalg_solve(r, xp.matmul(xp.swapaxes(q, 0, 1), right))
    q, r = xp.linalg_qr(xp.swapaxes(input, 0, 1))
    return xp.matmul(q, xp.linalg_solve(xp.swapaxes(r, 0, 1), right))


@op("ops.MatrixSolveLs(fast=True)(matrix, rhs, l2_regularizer)", types=SameDtype("matrix rhs"))
def matrix_solve_ls(
    xp,
    matrix: InexactOfNumPy,
    rhs: InexactOfNumPy,
    l2_regularizer: TensorOf("float64"),
    fast: Bool = True,
):
    """Finds the y for which |matrix y - rhs|^2 + l2_regularizer |y|^2 is least.

    Shapes:
        `matrix` is (..., M, N), `rhs` is (..., M, K), `l2_regularizer` a float64 scalar. The result
        is (..., N, K), of the same dtype.

    Example:
        >>> a, b = ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [8.0]])
        >>> print(ms.ops.MatrixSolveLs()(a, b, ms.Tensor(0.0, ms.float64)))
        [[1.]
         [2.]]
    """
    if matrix.ndim < 2 or rhs.shape[:-1] != matrix.shape[:-1]:
        raise ValueError(
            f"For 'MatrixSolveLs', 'rhs' must have the rows of 'matrix', but got {rhs.shape} and "
            f"{matrix.shape}."
        )
    if l2_regularizer.ndim:
        raise ValueError(
            f"For 'MatrixSolveLs', 'l2_regularizer' must have no axes, but got shape "
            f"{l2_regularizer.shape}."
        )
    across = _adjoint(xp, matrix)
    rows, columns = matrix.shape[-2:]
    eye = xp.cast(l2_regularizer, matrix.dtype) * xp.eye(min(rows, columns), dtype=matrix.dtype)
    if rows >= columns:
        return xp.linalg_solve(xp.matmul(across, matrix) + eye, xp.matmul(across, rhs))
    return xp.matmul(across, xp.linalg_solve(xp.matmul(matrix, across) + eye, rhs))


@op(
    "ops.MatrixTriangularSolve(lower=True, adjoint=False)(matrix, rhs)",
    types=SameDtype("matrix rhs"),
)
def matrix_triangular_solve(
    xp, matrix: InexactOfNumPy, rhs: InexactOfNumPy, lower: Bool = True, adjoint: Bool = False
):
    """Solves matrix y = rhs, reading one triangle of the matrix: the lower one, or else the upper
    one. `adjoint` solves with the adjoint.

    Shapes:
        `matrix` is (..., M, M), `rhs` is (..., M, K); it may have axes of a stack before those of
        the matrix. The result has the shape of `rhs` and the same dtype.

    Example:
        >>> print(ms.ops.MatrixTriangularSolve()(ms.Tensor([[2.0, 0.0], [1.0, 4.0]]),
        ...                                      ms.Tensor([[2.0], [9.0]])))
        [[1.]
         [2.]]
    """
    _square("MatrixTriangularSolve", "matrix", matrix)
    more = rhs.ndim - matrix.ndim
    if more < 0 or matrix.shape[:-2] != rhs.shape[more:-2]:
        raise ValueError(
            f"For 'MatrixTriangularSolve', 'matrix' and 'rhs' must be stacked alike, "
            f"but got shapes {matrix.shape} and {rhs.shape}."
        )
    triangle = xp.tril(matrix) if lower else xp.triu(matrix)
    return xp.linalg_solve(_adjoint(xp, triangle) if adjoint else triangle, rhs)


@op(compute="native")
def triangles(xp, LU_data: Anything):
    """(L with ones on its diagonal, U) of packed factors."""
    rows, columns = LU_data.shape[-2:]
    least = min(rows, columns)
    eye = xp.eye(rows, least, dtype=LU_data.dtype)
    return xp.tril(LU_data[..., :least], -1) + eye, xp.triu(LU_data[..., :least, :])


@public("ops.lu_unpack")
@checked
def lu_unpack(
    LU_data: TensorOf(real),
    LU_pivots: TensorOf("int8", "uint8", "int16", "int32", "int64"),
    unpack_data: Any = True,
    unpack_pivots: Any = True,
):
    """(P, L, U) of a packed LU decomposition; None for what is not asked for.

    Args:
        LU_data (Tensor): L below the diagonal and U on and above it.
        LU_pivots (Tensor): the row, counted from 1, that each row was swapped with.
        unpack_data (bool): whether L and U are wanted.
        unpack_pivots (bool): whether P is wanted.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.lu_unpack(ms.Tensor([[2.0, 1.0], [0.5, 3.0]]),
        ...                        ms.Tensor([1, 2], ms.int32))[1])
        [[1.  0. ]
         [0.5 1. ]]

    Source: mindspore.ops.lu_unpack of MindSpore 2.10.
    """
    if LU_data.ndim < 2 or LU_pivots.shape != (*LU_data.shape[:-2], min(LU_data.shape[-2:])):
        raise ValueError(
            f"For 'lu_unpack', 'LU_pivots' must have a pivot for each diagonal element, but got "
            f"{LU_pivots.shape} for {LU_data.shape}."
        )
    swaps = _swapped(LU_data, LU_pivots) if unpack_pivots else None
    lower, upper = triangles.run(LU_data) if unpack_data else (None, None)
    return swaps, lower, upper


def _swapped(data, pivots):
    """The matrices that put the rows back into the order before the swaps."""
    rows = data.shape[-2]
    order = numpy.broadcast_to(numpy.arange(rows), (*data.shape[:-2], rows)).copy()
    for row, places in zip(
        order.reshape(-1, rows), pivots.asnumpy().reshape(-1, pivots.shape[-1]), strict=True
    ):
        for i, place in enumerate(places - 1):
            row[[i, place]] = row[[place, i]]
    swaps = numpy.swapaxes(numpy.eye(rows)[order], -1, -2)
    return Tensor._wrap(space_for(data._array).asarray(swaps, dtype=data._array.dtype))


@public("ops.LuUnpack")
class LuUnpack(Primitive):
    """The class form of `ops.lu_unpack`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LuUnpack()(ms.Tensor([[2.0, 1.0], [0.5, 3.0]]),
        ...                         ms.Tensor([1, 2], ms.int32))[1])
        [[1.  0. ]
         [0.5 1. ]]
    """

    @checked
    def __init__(self, unpack_data: Bool = True, unpack_pivots: Bool = True):
        super().__init__("LuUnpack")
        self.unpack_data, self.unpack_pivots = unpack_data, unpack_pivots

    def __call__(self, LU_data, LU_pivots):
        return lu_unpack(LU_data, LU_pivots, self.unpack_data, self.unpack_pivots)


# Norms and distances ------------------------------------------------------------------------------

_ORDERS = (2, -2, 1, -1, float("inf"), float("-inf"), "fro", "nuc")


def _matrix_norm(A, order, axis, keep, dtype):
    """The norm of matrices over two axes; refused where `order` or an axis is none."""
    if not isinstance(axis, tuple) or not all(type(one) is int for one in axis):
        raise TypeError(f"For 'matrix_norm', 'axis' must be a tuple of two ints, but got {axis!r}.")
    if len(axis) != 2 or any(not -A.ndim <= one < A.ndim for one in axis):
        raise ValueError(
            f"For 'matrix_norm', 'axis' must be two ints in [{-A.ndim}, {A.ndim}), but got {axis}."
        )
    if axis[0] % A.ndim == axis[1] % A.ndim:
        raise ValueError(f"For 'matrix_norm', the two of 'axis' must differ, but got {axis}.")
    if isinstance(order, Tensor) and order.size == 1:
        order = order.item()
    if order not in _ORDERS:
        raise ValueError(f"For 'matrix_norm', 'ord' must be one of {_ORDERS}, but got {order!r}.")
    A = A if dtype is None else A.astype(dtype)
    return norm.run(A, order, axis, keep)


@public("ops.matrix_norm")
@checked
def matrix_norm(A: Anything, ord="fro", axis=(-2, -1), keepdims: Truth = False, *, dtype=None):
    """The norm of each matrix.

    Args:
        A (Tensor): matrices.
        ord (Union[int, float, str]): 2 or -2 (largest, smallest singular value), 1 or -1 (largest,
            smallest column sum), inf or -inf (row sum), "fro" or "nuc" (sum of singular values); or
            a Tensor that holds the number.
        axis (tuple[int]): the axes of rows and columns.
        keepdims (bool): True to keep both axes with length 1.
        dtype (mindspore.dtype): what `A` is cast to first.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `ord` is none of these, or the axes are out of range or the same.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.matrix_norm(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0

    Source: mindspore.ops.matrix_norm of MindSpore 2.10.
    """
    return _matrix_norm(A, ord, axis, keepdims, dtype)


@public("mint.linalg.matrix_norm")
@checked
def mint_matrix_norm(A: Anything, ord="fro", dim=(-2, -1), keepdim: Bool = False, *, dtype=None):
    """The norm of each matrix, as `ops.matrix_norm`.

    Example:
        >>> print(ms.mint.linalg.matrix_norm(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    return _matrix_norm(A, ord, dim, keepdim, dtype)


@op("ops.NuclearNorm(dim=None, keepdim=False)(x)")
def nuclear_norm(
    xp, x: Float16To64, dim: TupleOf(Int, length=(1, 2)) | None = None, keepdim: Bool = False
):
    """Computes the sum of the singular values of matrices over two axes.

    Shapes:
        `x` has at least two axes. The result lacks the axes of `dim`, or has length 1 there with
        `keepdim`; the dtype stays.

    Example:
        >>> print(ms.ops.NuclearNorm()(ms.Tensor([[3.0, 0.0], [0.0, 4.0]])))
        7.0
    """
    return norm.body(xp, x, "nuc", (0, 1) if dim is None else dim, keepdim)


@public("ops.cond")
@checked
def cond(
    A: Anything, p: AsValue(Number | Bool | OneOf("fro", "nuc") | CellOf("Tensor"), TupleOf) = None
):
    """The condition number of each matrix: its norm times that of its inverse.

    Args:
        A (Tensor): matrices over the last two axes.
        p (Union[int, float, str, Tensor]): the norm, as for `ops.matrix_norm`; None is 2. A Tensor
            that holds the order of one asks for the Frobenius norm.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `p` is no norm of matrices.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.cond(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        2.0

    Source: mindspore.ops.cond of MindSpore 2.10.
    """
    if A.ndim < 2 or A._array.dtype.kind not in "fc":
        raise (ValueError if A.ndim < 2 else TypeError)(
            f"For 'cond', 'A' must be matrices of floats or complex numbers, but got shape "
            f"{A.shape} and dtype {A.dtype}."
        )
    if isinstance(p, Tensor):
        held = p.asnumpy().reshape(-1).tolist()
        p = "fro" if len(held) == 1 and held[0] in _ORDERS else tuple(held)
    if p is None or p in (2, -2):
        sizes = singular_values.run(A)
        top, bottom = sizes[..., 0], sizes[..., -1]
        return bottom / top if p == -2 else top / bottom
    return _matrix_norm(A, p, (-2, -1), False, None) * _matrix_norm(
        inverse.run(A), p, (-2, -1), False, None
    )


@op("ops.dist(input, other, p=2)", types=Promote("input other"), compute="native")
def dist(
    xp,
    input: TensorOf(integer | Float16Or32.dtypes, "bool", "bfloat16"),
    other: TensorOf(integer | Float16Or32.dtypes, "bool", "bfloat16"),
    p: Int = 2,
):
    """Computes the p-norm of the difference of two Tensors; for a `p` of 0 it counts the places
    that differ.

    At least one of them holds floats. A negative `p` is a TypeError.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is ().

    Example:
        >>> print(ms.ops.dist(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 6.0])))
        5.0
    """
    if p < 0:
        raise TypeError(f"For 'dist', 'p' must be an int >= 0, but got {p}.")
    if input.dtype.kind != "f":  # both have the dtype in which they meet
        raise TypeError(
            f"For 'dist', 'input' or 'other' must hold float16 or float32, but got {input.dtype}."
        )
    wide = "float32" if input.dtype.itemsize == 2 else input.dtype
    apart = xp.ravel(xp.cast(input, wide) - xp.cast(other, wide))
    return xp.cast(_vector_norm(xp, apart, p, 0, False), input.dtype)


@op("ops.pdist(input, p=2.0)", "ops.Pdist(p=2.0)(x: input)")
def pdist(xp, input: Float16To64, p: Float(ge=0.0) = 2.0):
    """Computes the p-norm distances between each row and the rows after it.

    Shapes:
        `input` is (N, M). The result is (N (N - 1) / 2,), of the same dtype.

    Example:
        >>> print(ms.ops.pdist(ms.Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
        [5.        1.        4.2426405]
    """
    if input.ndim != 2:
        raise ValueError(f"For 'pdist', 'input' must be matrices, but got {input.shape}.")
    first, second = numpy.triu_indices(input.shape[-2], 1)
    one, other = (xp.take(input, xp.asarray(each), -2) for each in (first, second))
    return _vector_norm(xp, one - other, p, -1, False)


@op("ops.ReduceStd(axis=[], unbiased=True, keep_dims=False)(input_x)")
def reduce_std(
    xp, input_x: Float16To64, axis: Any = (), unbiased: Bool = True, keep_dims: Bool = False
):
    """Computes the standard deviation and the mean over the axes given, by default over all.
    `unbiased` divides by the count less one.

    Shapes:
        `input_x` is float16 or float32 of any shape. Both results lack the axes given, or have
        length 1 there with `keep_dims`; the dtype stays.

    Example:
        >>> deviation, mean = ms.ops.ReduceStd()(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0
    """
    if not isinstance(axis, (tuple, list)) and type(axis) is not int:
        raise ValueError(f"For 'ReduceStd', 'axis' must be ints, but got {axis!r}.")
    axes = None if axis in ((), [], None) else tuple(axis) if isinstance(axis, list) else axis
    mean = xp.mean(input_x, axes, keepdims=True)
    count = input_x.size // max(mean.size, 1)
    total = xp.sum(xp.square(input_x - mean), axes, keepdims=keep_dims)
    spread = xp.sqrt(total / (count - 1 if unbiased else count))
    return spread, mean if keep_dims else xp.mean(input_x, axes)
