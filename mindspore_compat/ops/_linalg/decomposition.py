"""Decompositions, determinants, inverses and solvers of matrices; products with a sum (addmm and
kin).

Matrices are the last two axes; leading axes are a stack.
"""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Listed
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Int,
    ListOf,
    Number,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    floating,
    real,
)
from ..._core.tensor import promotion
from ..._core.tensor.promotion import adds_up_as_int64, met, scaled
from ..._core.tensor.tensor import Tensor

Matrix = TensorOf("float16", "float32", "float64", "complex64", "complex128")
Anything = TensorOf(any_dtype)
Fractions = TensorOf(floating | {"complex64", "complex128"})
Narrow = TensorOf("float16", "float32", "float64")
Summand = TensorOf(any_dtype, scalars=True)
Plain = TensorOf("float16", "float32", "float64", "int16", "int32", "int64")
Scale = Number | Bool


def _square(api, name, x):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"For '{api}', '{name}' must be square matrices, but got shape {x.shape}.")


def _same_rank(api, one, other):
    if one.ndim != other.ndim:
        raise ValueError(f"For '{api}', the inputs must have as many axes, but got shapes "
                         f"{one.shape} and {other.shape}.")


def _adjoint(xp, x):
    return xp.conj(xp.swapaxes(x, -1, -2))


@op("ops.inverse(input)", "Tensor.inverse()", "ops.matrix_inverse(x: input)")
def inverse(xp, input: Matrix):
    """The inverse of each matrix; a ValueError if one is singular."""
    _square("inverse", "input", input)
    return xp.linalg_inv(input)


@op("ops.MatrixInverse(adjoint=False)(x)")
def matrix_inverse(xp, x: Matrix, adjoint: Bool = False):
    """The inverse of each matrix, or of its adjoint."""
    _square("MatrixInverse", "x", x)
    return xp.linalg_inv(_adjoint(xp, x) if adjoint else x)


@op("ops.MatrixLogarithm()(x)")
def matrix_logarithm(xp, x: TensorOf("complex64", "complex128")):
    """The principal logarithm of each matrix."""
    _square("MatrixLogarithm", "x", x)
    return xp.linalg_logm(x)


@op("ops.det(input)", "ops.matrix_determinant(input)", "ops.MatrixDeterminant()(input)",
    "Tensor.det()",
    "Tensor.matrix_determinant()", "mint.det(input)", "mint.linalg.det(A: input)")
def det(xp, input: Matrix):
    """The determinant of each matrix."""
    _square("det", "input", input)
    return xp.linalg_det(input)


@op("ops.slogdet(input)", "ops.log_matrix_determinant(input)", "ops.LogMatrixDeterminant()(input)",
    "Tensor.slogdet()", "Tensor.log_matrix_determinant()")
def slogdet(xp, input: Matrix):
    """(sign, logarithm of the absolute value) of the determinant of each matrix, of its dtype."""
    _square("slogdet", "input", input)
    sign, size = xp.linalg_slogdet(input)
    return sign, xp.cast(size, input.dtype)


@op("ops.logdet(input)", "Tensor.logdet()")
def logdet(xp, input: Matrix):
    """The logarithm of the determinant; NaN where it is negative."""
    _square("logdet", "input", input)
    sign, size = xp.linalg_slogdet(input)
    return xp.where(sign > 0, size, float("nan"))


@op("ops.cholesky(input_x, upper=False)", "ops.Cholesky(upper=False)(input_x)",
    "Tensor.cholesky(upper=False)")
def cholesky(xp, input_x: Narrow, upper: Bool = False):
    """The triangle L of x = L Lᵀ for positive definite matrices (x = Uᵀ U with `upper`); a
    RuntimeError for others."""
    _square("cholesky", "input_x", input_x)
    try:
        lower = xp.linalg_cholesky(0.5 * (input_x + _adjoint(xp, input_x)))
    except ValueError as error:  # of the array library
        raise RuntimeError("For 'cholesky', 'input_x' must hold symmetric positive definite "
                           "matrices, but got one that is not.") from error
    return _adjoint(xp, lower) if upper else lower


@op("ops.cholesky_inverse(input_x, upper=False)", "ops.CholeskyInverse(upper=False)(input_x)",
    "Tensor.cholesky_inverse(upper=False)", rules={"ops.CholeskyInverse": {"upper": Any}})
def cholesky_inverse(xp, input_x: Narrow, upper: Bool = False):
    """The inverse of the matrix whose Cholesky triangle is given."""
    if type(upper) is not bool:  # which the class asks for only now
        raise TypeError(f"For 'CholeskyInverse', 'upper' must be a bool, but got {upper!r}.")
    if input_x.ndim != 2:
        raise ValueError(f"For 'cholesky_inverse', 'input_x' must be one matrix, but got shape "
                         f"{input_x.shape}.")
    _square("cholesky_inverse", "input_x", input_x)
    half = xp.linalg_inv(xp.triu(input_x) if upper else xp.tril(input_x))
    return xp.matmul(half, _adjoint(xp, half)) if upper else xp.matmul(_adjoint(xp, half), half)


@op("ops.cholesky_solve(input, input2, upper=False)",
    "ops.CholeskySolve(upper=False)(x1: input, x2: input2)",
    "Tensor.cholesky_solve(input2, upper=False)", alike="input input2")
def cholesky_solve(xp, input: TensorOf("float32", "float64"),
                   input2: TensorOf("float32", "float64"),
                   upper: Bool = False):
    """The solution y of A y = input, where input2 is the Cholesky triangle of A."""
    _same_rank("cholesky_solve", input, input2)
    lower = _adjoint(xp, xp.triu(input2)) if upper else xp.tril(input2)
    return xp.linalg_solve(_adjoint(xp, lower), xp.linalg_solve(lower, input))


@op("ops.matrix_solve(matrix, rhs, adjoint=False)", "ops.MatrixSolve(adjoint=False)(matrix, rhs)",
    alike="matrix rhs")
def matrix_solve(xp, matrix: Matrix, rhs: Matrix, adjoint: Bool = False):
    """The solution y of matrix y = rhs."""
    _square("matrix_solve", "matrix", matrix)
    _same_rank("matrix_solve", matrix, rhs)
    return xp.linalg_solve(_adjoint(xp, matrix) if adjoint else matrix, rhs)


@op("mint.triangular_solve(b, A, upper=True, transpose=False, unitriangular=False)",
    "Tensor.triangular_solve(A, upper=True, transpose=False, unitriangular=False)")
def triangular_solve(xp, b: Matrix, A: Matrix, upper: Bool = True, transpose: Bool = False,
                     unitriangular: Bool = False):
    """(the solution y of A y = b for triangular A, the triangle itself)."""
    triangle = xp.triu(A) if upper else xp.tril(A)
    if unitriangular:
        eye = xp.eye(A.shape[-1], dtype=A.dtype)
        triangle = triangle * (1 - eye) + eye
    return xp.linalg_solve(xp.swapaxes(triangle, -1, -2) if transpose else triangle, b), triangle


@op(widen=True)
def reduced_qr(xp, input: Matrix):
    """(q, r) of each matrix, reduced."""
    return tuple(xp.linalg_qr(input))


@op(widen=True)
def complete_qr(xp, input: Matrix):
    """(q, r) of each matrix, q square."""
    q, r = xp.linalg_qr_full(input)
    return q, r


@public("ops.qr")
def qr(input, mode="reduced"):
    """The factors q (orthonormal columns) and r (upper triangle) of each matrix.

    Args:
        input (Tensor): matrices over the last two axes.
        mode (str): "reduced" for the smaller factors, "complete" for a square q. Default:
            "reduced".

    Raises:
        TypeError: if `input` is not a Tensor or `mode` neither of these.
        ValueError: if `input` has fewer than two axes.

    Source: mindspore.ops.qr of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'qr', 'input' must be a Tensor, but got {type(input).__name__}.")
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        raise TypeError(f"For 'qr', 'mode' must be 'reduced' or 'complete', but got {mode!r}.")
    if input.ndim < 2:
        raise ValueError(f"For 'qr', 'input' must have at least two axes, but got shape "
                         f"{input.shape}.")
    return (complete_qr if mode == "complete" else reduced_qr).run(input)


@public("Tensor.qr")
def tensor_qr(self, some=True):
    """The factors q and r; reduced if `some` is True, as MindSpore's method has it.

    Raises:
        TypeError: if `some` is not a bool.

    Source: mindspore.Tensor.qr of MindSpore 2.10.
    """
    if not isinstance(some, bool):
        raise TypeError(f"For 'Tensor.qr', 'some' must be a bool, but got {some!r} of type "
                        f"{type(some).__name__}.")
    return qr(self, "reduced" if some else "complete")


@op(widen=True)
def singular_values(xp, input: Matrix):
    """The singular values of each matrix, in descending order."""
    return xp.linalg_svd_values(input)


@op(widen=True)
def reduced_svd(xp, input: Matrix):
    """(s, u, v) of each matrix, reduced."""
    u, s, vh = xp.linalg_svd(input)
    return s, u, _adjoint(xp, vh)


@op(widen=True)
def full_svd(xp, input: Matrix):
    """(s, u, v) of each matrix, u and v square."""
    u, s, vh = xp.linalg_svd_full(input)
    return s, u, _adjoint(xp, vh)


@public("ops.svd", "Tensor.svd")
def svd(input, full_matrices=False, compute_uv=True):
    """The singular values s of each matrix, in descending order, and with `compute_uv` (s, u, v).

    Args:
        input (Tensor): float32 or float64 matrices over the last two axes.
        full_matrices (bool): True for square u and v. Default: False.
        compute_uv (bool): False for the singular values alone. Default: True.

    Raises:
        TypeError: if an argument has another type.

    Source: mindspore.ops.svd of MindSpore 2.10.
    """
    for name, flag in (("full_matrices", full_matrices), ("compute_uv", compute_uv)):
        if not isinstance(flag, bool):
            raise TypeError(f"For 'svd', '{name}' must be a bool, but got {flag!r} of type "
                            f"{type(flag).__name__}.")
    if not isinstance(input, Tensor) or input._array.dtype not in ("float32", "float64",
                                                                   "complex64", "complex128"):
        raise TypeError(f"For 'svd', 'input' must be a float32 or float64 Tensor, but got "
                        f"{getattr(input, 'dtype', type(input).__name__)}.")
    if input.ndim < 2:
        raise ValueError(f"For 'svd', 'input' must have at least two axes, but got shape "
                         f"{input.shape}.")
    if not compute_uv:
        return singular_values.run(input)
    square = input.shape[-1] == input.shape[-2]
    return (full_svd if full_matrices and not square else reduced_svd).run(input)


@public("ops.Svd")
class Svd:
    """The class form of `ops.svd`; without `compute_uv` u and v are empty."""

    def __init__(self, full_matrices=False, compute_uv=True):
        for name, flag in (("full_matrices", full_matrices), ("compute_uv", compute_uv)):
            if not isinstance(flag, bool):
                raise TypeError(f"For 'Svd', '{name}' must be a bool, but got {flag!r}.")
        self.full_matrices, self.compute_uv = full_matrices, compute_uv

    def __call__(self, input):
        found = svd(input, self.full_matrices, self.compute_uv)
        if self.compute_uv:
            return found
        nothing = Tensor(0.0, input.dtype)
        return found, nothing, nothing


@op(widen=True)
def eigh(xp, a: Matrix):
    """(eigenvalues in ascending order, eigenvectors as columns) of symmetric matrices."""
    return tuple(xp.linalg_eigh(a))


@op()
def general_eig(xp, A: TensorOf(floating, "complex64", "complex128")):
    """(complex eigenvalues, eigenvectors as columns) of square matrices."""
    return tuple(xp.linalg_eig(A))


@public("ops.eig")
def eig(A):
    """(complex eigenvalues, eigenvectors as columns) of square matrices.

    Unlike the original's they have a gradient, where no two eigenvalues are equal.

    Raises:
        TypeError: if `A` is not a float or complex Tensor.
        ValueError: if `A` is not made of square matrices.

    Source: mindspore.ops.eig of MindSpore 2.10.
    """
    if not isinstance(A, Tensor) or A._array.dtype.kind not in "fc":
        raise TypeError(f"For 'eig', 'A' must be a float or complex Tensor, but got "
                        f"{type(A).__name__}.")
    _square("eig", "A", A)
    return general_eig.run(A)


@public("ops.eigvals", "Tensor.eigvals")
def eigvals(A):
    """The complex eigenvalues of square matrices. Errors as for `ops.eig`."""
    return eig(A)[0]


@public("ops.Eig")
class Eig:
    """The class form of `ops.eig`; without `compute_v` the eigenvectors are empty."""

    def __init__(self, compute_v=False):
        if not isinstance(compute_v, bool):
            raise TypeError(f"For 'Eig', 'compute_v' must be a bool, but got {compute_v!r}.")
        self.compute_v = compute_v

    def __call__(self, x):
        values, vectors = eig(x)
        return values, vectors if self.compute_v else Tensor([], values.dtype)


Limit = Number | Bool | TensorOf(any_dtype)


@op("ops.pinv(x, *, atol=None, rtol=None, hermitian=False)",
    "Tensor.pinv(*, atol=None, rtol=None, hermitian=False)")
def pinv(xp, x: TensorOf("float32", "float64"), atol: Limit = None,
         rtol: Limit = None, hermitian: Bool = False):
    """The Moore-Penrose inverse: singular values up to max(atol, rtol * largest) count as 0."""
    if x.ndim < 2:
        raise ValueError(f"For 'pinv', 'x' must have at least two axes, but got shape {x.shape}.")
    u, s, vh = xp.linalg_svd(x)
    if rtol is None:
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * float(xp.finfo(x.dtype).eps)
    bound = xp.maximum(0.0 if atol is None else atol, rtol * xp.max(s, -1, keepdims=True))
    keep = s > bound
    inverted = xp.where(keep, 1 / xp.where(keep, s, xp.ones_like(s)), xp.zeros_like(s))
    return xp.matmul(_adjoint(xp, vh) * xp.expand_dims(inverted, -2), _adjoint(xp, u))


@op("ops.matrix_power(input, n)", "ops.MatrixPower(n)(x: input)", "Tensor.matrix_power(n)")
def matrix_power(xp, input: TensorOf(real), n: Int):
    """The n-th power of each matrix; a negative one, of floats only, is a power of the inverse."""
    if n < 0 and input.dtype.kind != "f":
        raise ValueError(f"For 'matrix_power', 'n' must be >= 0 for whole numbers, but got {n}.")
    _square("matrix_power", "input", input)
    base = xp.linalg_inv(input) if n < 0 else input
    out = xp.broadcast_to(xp.eye(input.shape[-1], dtype=input.dtype), input.shape)
    for bit in bin(-n if n < 0 else n)[2:]:
        out = xp.matmul(out, out)
        out = xp.matmul(out, base) if bit == "1" else out
    return out


@op("ops.lu_solve(b, LU_data, LU_pivots)", "Tensor.lu_solve(LU_data, LU_pivots)",
    "ops.LuSolve()(x: b, lu_data: LU_data, lu_pivots: LU_pivots)",
    alike="b LU_data")
def lu_solve(xp, b: Narrow, LU_data: Narrow, LU_pivots: TensorOf("int32", "int64")):
    """The solution y of A y = b, from the packed LU factors of A and its row exchanges (from 1)."""
    _square("lu_solve", "LU_data", LU_data)
    if LU_pivots.ndim < 1 or b.ndim < 2:
        raise ValueError(f"For 'lu_solve', 'b' must be matrices and 'LU_pivots' rows, but got "
                         f"{b.shape} and {LU_pivots.shape}.")
    if LU_data.shape[:-2] != LU_pivots.shape[:-1]:
        raise ValueError(f"For 'lu_solve', 'LU_data' and 'LU_pivots' must be stacked alike, but "
                         f"got shapes {LU_data.shape} and {LU_pivots.shape}.")
    count = LU_data.shape[-1]
    order = _row_order(xp, LU_pivots, count)
    rows = xp.take_along_axis(b, xp.broadcast_to(xp.expand_dims(order, -1), b.shape), -2)
    lower = xp.tril(LU_data, -1) + xp.eye(count, dtype=LU_data.dtype)
    return xp.linalg_solve(xp.triu(LU_data), xp.linalg_solve(lower, rows))


def _row_order(xp, pivots, count):
    """The order of rows after the exchanges have been made one after the other."""
    stack = pivots.shape[:-1]
    order = xp.broadcast_to(xp.arange(count), (*stack, count))
    places = xp.arange(count)
    for i in range(count):
        other = pivots[..., i:i + 1] - 1
        mine = order[..., i:i + 1]
        theirs = xp.take_along_axis(order, other, -1)
        order = xp.where(places == i, theirs, xp.where(places == other, mine, order))
    return order


# Products with a sum ------------------------------------------------------------------------------


def need_axes(api, count, **arrays):
    """Refuses arrays, by name, that have not `count` axes."""
    for name, array in arrays.items():
        if array.ndim != count:
            raise ValueError(f"For '{api}', '{name}' must have {count} axes, but got shape "
                             f"{tuple(array.shape)}.")


def _same_stack(api, one, other):
    if one.shape[:-2] != other.shape[:-2]:
        raise ValueError(f"For '{api}', 'batch1' and 'batch2' must be stacked alike, but got "
                         f"shapes {one.shape} and {other.shape}.")


@op("ops.addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    "Tensor.addmm(mat1, mat2, *, beta=1, alpha=1)",
    "mint.addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    "Tensor.addmm_(mat1, mat2, *, beta=1, alpha=1)", alike="mat1 mat2",
    rules={"ops.addmm": {"input": Summand | Listed}})
def addmm(xp, input: Summand, mat1: Anything, mat2: Anything, beta: Scale = 1, alpha: Scale = 1):
    """beta * input + alpha * (mat1 @ mat2)."""
    need_axes("addmm", 2, mat1=mat1, mat2=mat2)
    return _plus(xp, beta, input, alpha, xp.matmul(mat1, mat2))


def _plus(xp, beta, input, alpha, product):
    """beta * input + alpha * product, in the dtype in which the two meet."""
    one, two = met(xp, scaled(xp, beta, input), scaled(xp, alpha, product))
    return one + two


@op("ops.addmv(input, mat, vec, *, beta=1, alpha=1)", "Tensor.addmv(mat, vec, *, beta=1, alpha=1)",
    alike="mat vec", rules={"ops.addmv": {"input": Plain}})
def addmv(xp, input: Anything, mat: Anything, vec: Anything, beta: Scale = 1, alpha: Scale = 1):
    """beta * input + alpha * (mat @ vec)."""
    return _plus(xp, beta, input, alpha, _by_vector(xp, "addmv", mat, vec))


@op("mint.addmv(input, mat, vec, *, beta=1, alpha=1)", alike="mat vec")
def addmv_strict(xp, input: Anything, mat: Anything, vec: Anything, beta: Scale = 1,
                 alpha: Scale = 1):
    """beta * input + alpha * (mat @ vec)."""
    need_axes("addmv", 1, vec=vec)
    return addmv.body(xp, input, mat, vec, beta, alpha)


@op("ops.addr(x, vec1, vec2, *, beta=1, alpha=1)", "Tensor.addr(vec1, vec2, beta=1, alpha=1)",
    "mint.addr_(input: x, vec1, vec2, beta=1, alpha=1)", alike="vec1 vec2",
    rules={"ops.addr": {"x": Plain}})
def addr(xp, x: Anything, vec1: Anything, vec2: Anything, beta: Scale = 1, alpha: Scale = 1):
    """beta * x + alpha * (the outer product of vec1 and vec2)."""
    vec1, vec2 = (xp.ravel(vec) if vec.ndim > 1 and vec.size == max(vec.shape) else vec
                  for vec in (vec1, vec2))
    return _plus(xp, beta, x, alpha, xp.expand_dims(vec1, 1) * xp.expand_dims(vec2, 0))


@op("ops.addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    "Tensor.addbmm(batch1, batch2, *, beta=1, alpha=1)",
    "mint.addbmm(input, batch1, batch2, *, beta=1, alpha=1)", alike="batch1 batch2",
    rules={"ops.addbmm": {"input": Summand | Listed}})
def addbmm(xp, input: Summand, batch1: Anything, batch2: Anything, beta: Scale = 1,
           alpha: Scale = 1):
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
    _same_stack("addbmm", batch1, batch2)
    product = xp.matmul(batch1, batch2)
    product = xp.cast(product, "int64") if adds_up_as_int64(product.dtype) else product
    return _plus(xp, beta, input, alpha, xp.cast(xp.sum(product, 0), product.dtype))


@op("ops.baddbmm(input, batch1, batch2, beta=1, alpha=1)",
    "Tensor.baddbmm(batch1, batch2, *, beta=1, alpha=1)",
    "mint.baddbmm(input, batch1, batch2, *, beta=1, alpha=1)", alike="batch1 batch2")
def baddbmm(xp, input: Anything, batch1: Anything, batch2: Anything, beta: Number = 1,
            alpha: Number = 1):
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
    _same_stack("baddbmm", batch1, batch2)
    return _plus(xp, beta, input, alpha, xp.matmul(batch1, batch2))


@op("ops.mv(mat, vec)", "Tensor.mv(vec)", alike="mat vec")
def mv(xp, mat: Anything, vec: Anything):
    """The product of a matrix and a vector."""
    return _by_vector(xp, "mv", mat, vec)


def _by_vector(xp, api, mat, vec):
    """mat @ vec; the numbers of a vector may come with more axes."""
    if mat.ndim != 2 or not vec.ndim or vec.size != mat.shape[1]:
        raise ValueError(f"For '{api}', 'mat' must be a matrix and 'vec' hold a number for each of "
                         f"its columns, but got {mat.shape} and {vec.shape}.")
    return xp.matmul(mat, vec if vec.ndim == 1 else xp.ravel(vec))


@op("ops.ger(input, vec2)", "ops.Ger()(x1: input, x2: vec2)", "Tensor.ger(vec2)",
    alike="input vec2")
def ger(xp, input: Anything, vec2: Anything):
    """Every product of an element of one vector with an element of the other."""
    need_axes("ger", 1, input=input, vec2=vec2)
    return xp.expand_dims(input, 1) * xp.expand_dims(vec2, 0)


@op("ops.inner(input, other)", "Tensor.inner(other)", "mint.inner(input, other)")
def inner(xp, input: Anything, other: Anything):
    """Sums of products over the last axes; with a Tensor without axes a product."""
    if input.ndim == 0 or other.ndim == 0:
        one, two = met(xp, input, other)
        return one * two
    if input.dtype != other.dtype:
        raise TypeError(f"For 'inner', 'input' and 'other' must have one dtype, but got "
                        f"{input.dtype} and {other.dtype}.")
    return xp.tensordot(input, other, ((input.ndim - 1,), (other.ndim - 1,)))


@op("ops.kron(input, other)", "Tensor.kron(other)", promote="input other")
def kron(xp, input: Anything, other: Anything):
    """The Kronecker product: blocks of `other` scaled by each element of `input`."""
    rank = max(input.ndim, other.ndim)
    one = (1,) * (rank - input.ndim) + tuple(input.shape)
    two = (1,) * (rank - other.ndim) + tuple(other.shape)
    left = xp.reshape(input, tuple(n for pair in zip(one, (1,) * rank) for n in pair))
    right = xp.reshape(other, tuple(n for pair in zip((1,) * rank, two) for n in pair))
    return xp.reshape(left * right, tuple(a * b for a, b in zip(one, two)))


@op("ops.cross(input, other, dim=None)", "Tensor.cross(other, dim=None)",
    "mint.cross(input, other, dim=None)")
def cross(xp, input: Anything, other: Anything, dim: ScalarOf(Int, TypeError) = None):
    """The cross product of vectors of length 3 along an axis; the first such axis by default.

    It has the dtype of `input`, or that in which the two meet where one holds integers only.
    """
    if dim is None or dim == -65530:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
    at = 0 if dim is None else dim - input.ndim if dim >= 0 else dim     # counted from the end
    if not -input.ndim <= at < 0 or {input.shape[at], *other.shape[at:][:1]} != {3}:
        raise ValueError(f"For 'cross', 'dim' must be an axis of length 3, but got {input.shape} "
                         f"and {other.shape}.")
    whole = xp.broadcast_shapes(input.shape, other.shape)
    one, two = (xp.moveaxis(xp.broadcast_to(each, whole), at, 0)
                for each in met(xp, input, other))
    parts = [one[i - 2] * two[i - 1] - one[i - 1] * two[i - 2] for i in range(3)]
    out = xp.moveaxis(xp.stack(parts, 0), 0, at)
    return xp.cast(out, promotion.yielded_np(input.dtype, out.dtype))


@op("ops.Cross(dim=-65530)(x1: input, x2: other)")
def cross_of_one_rank(xp, input: Anything, other: Anything, dim: ScalarOf(Int) = -65530):
    """The cross product of vectors of length 3 along an axis; the first such axis by default."""
    _same_rank("Cross", input, other)
    return cross.body(xp, input, other, dim)


@op("ops.tensor_dot(x1, x2, axes)", alike="x1 x2")
def tensor_dot(xp, x1: Anything, x2: Anything,
               axes: Int(ge=0) | TupleOf(Int) | TupleOf(TupleOf(Int))):
    """Sums of products over the axes named: the last of x1 and first of x2, or a pair of lists."""
    if isinstance(axes, int):
        axes = (tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes)))
    return xp.tensordot(x1, x2, axes)


@op("ops.batch_dot(x1, x2, axes=None)", promote="x1 x2")
def batch_dot(xp, x1: Anything, x2: Anything,
              axes: AsValue(Int | TupleOf(Int) | ListOf(Int), Number | Str | Anything) = None):
    """Sums of products over one axis of each input, for each element of the shared first axis."""
    if axes is None:
        axes = (x1.ndim - 1, x2.ndim - 2 if x2.ndim > 2 else 1)
    first, second = (axes, axes) if isinstance(axes, int) else axes
    left = xp.moveaxis(x1, first, -1)
    right = xp.moveaxis(x2, second, 1)
    rows = xp.reshape(left, (left.shape[0], math.prod(left.shape[1:-1]), left.shape[-1]))
    columns = xp.reshape(right, (*right.shape[:2], math.prod(right.shape[2:])))
    shape = (*left.shape[:-1], *right.shape[2:])
    out = xp.reshape(xp.matmul(rows, columns), shape)
    return xp.expand_dims(out, 1) if out.ndim == 1 else out
