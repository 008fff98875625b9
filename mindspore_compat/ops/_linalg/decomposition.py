"""Matrix decompositions and solvers. Inverses and determinants are in inverse.py.

Matrices are the last two axes; leading axes are a stack.
"""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import Any, Bool, TensorOf, checked, floating
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16To64, Floats, InexactOfNumPy
from ..primitive import Primitive

_Decomposed = TensorOf("float32", "float64", "complex64", "complex128").called(
    "a float32 or float64 Tensor"
)
_Square = InexactOfNumPy.called("a float or complex Tensor")


def _square(api, name, x):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"For '{api}', '{name}' must be square matrices, but got shape {x.shape}.")


def _same_rank(api, first, second):
    if first.ndim != second.ndim:
        raise ValueError(
            f"For '{api}', the inputs must have as many axes, but got shapes "
            f"{first.shape} and {second.shape}."
        )


def _adjoint(xp, x):
    return xp.conj(xp.swapaxes(x, -1, -2))


@op("ops.MatrixLogarithm()(x)")
def matrix_logarithm(xp, x: TensorOf("complex64", "complex128")):
    """Computes the principal logarithm of each matrix, the inverse of `matrix_exp`.

    Shapes:
        `x` is (..., M, M), complex. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.MatrixLogarithm()(ms.Tensor([[1 + 0j, 0j], [0j, 1 + 0j]])))
        [[0.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]
    """
    _square("MatrixLogarithm", "x", x)
    return xp.linalg_logm(x)


@op(
    "ops.cholesky(input_x, upper=False)",
    "ops.Cholesky(upper=False)(input_x)",
    "Tensor.cholesky(upper=False)",
)
def cholesky(xp, input_x: Float16To64, upper: Bool = False):
    """Computes the Cholesky decomposition of positive definite matrices: the lower triangle L with
    x = L L^T or, if `upper` is True, the upper triangle U with x = U^T U. Raises a RuntimeError if
    a matrix is not positive definite.

    Shapes:
        `input_x` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 5.0]])))
        [[2. 0.]
         [1. 2.]]
    """
    _square("cholesky", "input_x", input_x)
    try:
        lower = xp.linalg_cholesky(0.5 * (input_x + _adjoint(xp, input_x)))
    except ValueError as error:  # raised by the array library
        raise RuntimeError(
            "For 'cholesky', 'input_x' must hold symmetric positive definite "
            "matrices, but got one that is not."
        ) from error
    return _adjoint(xp, lower) if upper else lower


@op(
    "ops.cholesky_inverse(input_x, upper=False)",
    "ops.CholeskyInverse(upper=False)(input_x)",
    "Tensor.cholesky_inverse(upper=False)",
    quirks=Quirks(rules={"ops.CholeskyInverse": {"upper": Any}}),
)
def cholesky_inverse(xp, input_x: Float16To64, upper: Bool = False):
    """Computes the inverse of a matrix from its Cholesky factor: the lower one, or the upper one if
    `upper` is True.

    Shapes:
        `input_x` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.cholesky_inverse(ms.Tensor([[2.0, 0.0], [1.0, 2.0]])))
        [[ 0.3125 -0.125 ]
         [-0.125   0.25  ]]
    """
    if type(upper) is not bool:  # not checked by the constructor
        raise TypeError(f"For 'CholeskyInverse', 'upper' must be a bool, but got {upper!r}.")
    if input_x.ndim != 2:
        raise ValueError(
            f"For 'cholesky_inverse', 'input_x' must be one matrix, but got shape {input_x.shape}."
        )
    _square("cholesky_inverse", "input_x", input_x)
    half = xp.linalg_inv(xp.triu(input_x) if upper else xp.tril(input_x))
    return xp.matmul(half, _adjoint(xp, half)) if upper else xp.matmul(_adjoint(xp, half), half)


@op(
    "ops.cholesky_solve(input, input2, upper=False)",
    "ops.CholeskySolve(upper=False)(x1: input, x2: input2)",
    "Tensor.cholesky_solve(input2, upper=False)",
    types=SameDtype("input input2"),
)
def cholesky_solve(
    xp,
    input: TensorOf("float32", "float64"),
    input2: TensorOf("float32", "float64"),
    upper: Bool = False,
):
    """Solves A y = input, where `input2` is the Cholesky factor of A: the lower one, or the upper
    one if `upper` is True.

    Shapes:
        `input` is (..., M, K), `input2` is (..., M, M), of one dtype. The result is (..., M, K), of
        the same dtype.

    Example:
        >>> print(ms.ops.cholesky_solve(ms.Tensor([[4.0], [8.0]]),
        ...                             ms.Tensor([[2.0, 0.0], [0.0, 2.0]])))
        [[1.]
         [2.]]
    """
    _same_rank("cholesky_solve", input, input2)
    _square("cholesky_solve", "input2", input2)
    if input.shape[:-1] != input2.shape[:-1]:
        raise ValueError(
            f"For 'cholesky_solve', the inputs must have as many matrices and rows, but got shapes "
            f"{input.shape} and {input2.shape}."
        )
    lower = _adjoint(xp, xp.triu(input2)) if upper else xp.tril(input2)
    return xp.linalg_solve(_adjoint(xp, lower), xp.linalg_solve(lower, input))


@op(
    "ops.matrix_solve(matrix, rhs, adjoint=False)",
    "ops.MatrixSolve(adjoint=False)(matrix, rhs)",
    types=SameDtype("matrix rhs"),
)
def matrix_solve(xp, matrix: InexactOfNumPy, rhs: InexactOfNumPy, adjoint: Bool = False):
    """Solves the linear system matrix y = rhs; if `adjoint` is True, with the adjoint matrix.

    Shapes:
        `matrix` is (..., M, M), `rhs` is (..., M, K), of one dtype. The result is (..., M, K), of
        the same dtype.

    Example:
        >>> print(ms.ops.matrix_solve(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]),
        ...                           ms.Tensor([[2.0], [8.0]])))
        [[1.]
         [2.]]
    """
    _square("matrix_solve", "matrix", matrix)
    _same_rank("matrix_solve", matrix, rhs)
    return xp.linalg_solve(_adjoint(xp, matrix) if adjoint else matrix, rhs)


@op(
    "mint.triangular_solve(b, A, upper=True, transpose=False, unitriangular=False)",
    "Tensor.triangular_solve(A, upper=True, transpose=False, unitriangular=False)",
)
def triangular_solve(
    xp,
    b: InexactOfNumPy,
    A: InexactOfNumPy,
    upper: Bool = True,
    transpose: Bool = False,
    unitriangular: Bool = False,
):
    """Solves A y = b for a triangular matrix A, and returns the solution and A.

    `transpose` solves with the transpose of A; `unitriangular` assumes that the diagonal is 1.

    Shapes:
        `A` is (..., M, M), `b` is (..., M, K), of one dtype. The results have the shapes of `b` and
        `A`.

    Example:
        >>> y, _ = ms.mint.triangular_solve(ms.Tensor([[4.0], [2.0]]),
        ...                                 ms.Tensor([[1.0, 1.0], [0.0, 2.0]]))
        >>> print(y)
        [[3.]
         [1.]]
    """
    triangle = xp.triu(A) if upper else xp.tril(A)
    if unitriangular:
        eye = xp.eye(A.shape[-1], dtype=A.dtype)
        triangle = triangle * (1 - eye) + eye
    return xp.linalg_solve(xp.swapaxes(triangle, -1, -2) if transpose else triangle, b), triangle


@op()
def reduced_qr(xp, input: InexactOfNumPy):
    """Returns (q, r) of each matrix in reduced form."""
    return tuple(xp.linalg_qr(input))


@op()
def complete_qr(xp, input: InexactOfNumPy):
    """Returns (q, r) of each matrix, q square."""
    q, r = xp.linalg_qr_full(input)
    return q, r


@op()
def r_of_qr(xp, input: InexactOfNumPy):
    """Returns (an empty Tensor, r) of each matrix in reduced form."""
    return xp.zeros((0,), dtype=input.dtype), xp.linalg_qr(input)[1]


_QR_MODES = {"reduced": reduced_qr, "complete": complete_qr, "r": r_of_qr}


def _qr(name, x, mode, modes):
    """Decomposes `x`, the argument called `name`, in one of the allowed modes."""
    if not isinstance(mode, str) or mode not in modes:
        allowed = " or ".join(map(repr, modes))
        raise TypeError(f"For 'qr', 'mode' must be {allowed}, but got {mode!r}.")
    if x.ndim < 2:
        raise ValueError(
            f"For 'qr', '{name}' must have at least two axes, but got shape {x.shape}."
        )
    return _QR_MODES[mode].run(x)


@public("ops.qr")
@checked
def qr(input: Anything, mode="reduced"):
    """Computes the QR decomposition of each matrix: q (orthonormal columns) and r (upper
    triangular).

    Args:
        input (Tensor): matrices over the last two axes.
        mode (str): "reduced" for the smaller factors, "complete" for a square q. Default:
            "reduced".

    Raises:
        TypeError: if `input` is not a Tensor or `mode` is neither of these.
        ValueError: if `input` has fewer than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.qr(ms.Tensor([[3.0], [4.0]]))[1])
        [[-5.]]

    Source: mindspore.ops.qr of MindSpore 2.10.
    """
    return _qr("input", input, mode, ("reduced", "complete"))


@public("Tensor.qr")
def tensor_qr(self, some=True):
    """Computes the QR decomposition of each matrix; in reduced form if `some` is True.

    Raises:
        TypeError: if `some` is not a bool.

    Source: mindspore.Tensor.qr of MindSpore 2.10.
    """
    Bool.refuse("Tensor.qr", "some", some)
    return qr(self, "reduced" if some else "complete")


@op()
def singular_values(xp, input: InexactOfNumPy):
    """Returns the singular values of each matrix, in descending order."""
    return xp.linalg_svd_values(input)


@op()
def reduced_svd(xp, input: InexactOfNumPy):
    """Returns (s, u, v) of each matrix in reduced form."""
    u, s, vh = xp.linalg_svd(input)
    return s, u, _adjoint(xp, vh)


@op()
def full_svd(xp, input: InexactOfNumPy):
    """Returns (s, u, v) of each matrix with square u and v."""
    u, s, vh = xp.linalg_svd_full(input)
    return s, u, _adjoint(xp, vh)


@public("ops.svd", "Tensor.svd")
def svd(input, full_matrices=False, compute_uv=True):
    """Computes the singular value decomposition: the singular values s of each matrix, in
    descending order, or (s, u, v) with `compute_uv`.

    Args:
        input (Tensor): float32 or float64 matrices over the last two axes.
        full_matrices (bool): True for square u and v. Default: False.
        compute_uv (bool): False for the singular values alone. Default: True.

    Raises:
        TypeError: if an argument has the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.svd(ms.Tensor([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False))
        [4. 3.]

    Source: mindspore.ops.svd of MindSpore 2.10.
    """
    for name, flag in (("full_matrices", full_matrices), ("compute_uv", compute_uv)):
        Bool.refuse("svd", name, flag)
    if isinstance(input, Tensor) and input.ndim < 2:
        raise ValueError(
            f"For 'svd', 'input' must have at least two axes, but got shape {input.shape}."
        )
    _Decomposed.refuse("svd", "input", input)
    if not compute_uv:
        return singular_values.run(input)
    square = input.shape[-1] == input.shape[-2]
    return (full_svd if full_matrices and not square else reduced_svd).run(input)


@public("ops.Svd")
class Svd(Primitive):
    """The class form of `ops.svd`; without `compute_uv`, u and v are empty Tensors.

    Args:
        full_matrices (bool): whether u and v are square. Default: False.
        compute_uv (bool): whether u and v are computed. Default: True.

    Inputs:
        - **input** (Tensor): float32 or float64 matrices of shape (*, M, N).

    Outputs:
        A tuple of three Tensors: the singular values, of shape (*, min(M, N)), u and v.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Svd(compute_uv=False)(ms.Tensor([[3.0, 0.0], [0.0, 4.0]]))[0])
        [4. 3.]
    """

    @checked
    def __init__(self, full_matrices: Bool = False, compute_uv: Bool = True):
        self.full_matrices, self.compute_uv = full_matrices, compute_uv

    def __call__(self, input):
        result = svd(input, self.full_matrices, self.compute_uv)
        if self.compute_uv:
            return result
        nothing = Tensor(0.0, input.dtype)
        return result, nothing, nothing


@op()
def eigh(xp, a: InexactOfNumPy):
    """Computes the eigenvalues, in ascending order, and the eigenvectors, as columns, of symmetric
    matrices.
    """
    return tuple(xp.linalg_eigh(a))


@op()
def general_eig(xp, A: TensorOf(floating, "complex64", "complex128")):
    """Computes the complex eigenvalues, and the eigenvectors, as columns, of square matrices."""
    return tuple(xp.linalg_eig(A))


@public("ops.eig")
@shapes_first
@checked
def eig(A: _Square):
    """Computes the complex eigenvalues, and the eigenvectors, as columns, of square matrices.

    Unlike in MindSpore, both have a gradient if no two eigenvalues are equal.

    Args:
        A (Tensor): float32, float64, complex64 or complex128 matrices of shape (*, N, N).

    Returns:
        A tuple of two complex Tensors: eigenvalues of shape (*, N), in no particular order, and
        eigenvectors of shape (*, N, N).

    Raises:
        TypeError: if `A` is not a float or complex Tensor.
        ValueError: if `A` does not hold square matrices.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.eig(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]))[0])
        [2.+0.j 4.+0.j]

    Source: mindspore.ops.eig of MindSpore 2.10.
    """
    _square("eig", "A", A)
    return general_eig.run(A)


@public("ops.eigvals", "Tensor.eigvals")
def eigvals(A):
    """Computes the complex eigenvalues of square matrices. It raises the same errors as `ops.eig`.

    Args:
        A (Tensor): float32, float64, complex64 or complex128 matrices of shape (*, N, N).

    Returns:
        Complex Tensor of shape (*, N).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.eigvals(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [2.+0.j 4.+0.j]
    """
    return eig(A)[0]


@public("ops.Eig")
class Eig(Primitive):
    """The class form of `ops.eig`; without `compute_v`, the eigenvectors are an empty Tensor.

    Args:
        compute_v (bool): whether eigenvectors are computed. Default: False.

    Inputs:
        - **x** (Tensor): float32, float64, complex64 or complex128 matrices of shape (*, N, N).

    Outputs:
        A tuple of two complex Tensors: the eigenvalues, of shape (*, N), and the eigenvectors, of
        shape (*, N, N).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Eig()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]))[0])
        [2.+0.j 4.+0.j]
    """

    @checked
    def __init__(self, compute_v: Bool = False):
        self.compute_v = compute_v

    def __call__(self, x):
        values, vectors = eig(x)
        return values, vectors if self.compute_v else Tensor([], values.dtype)


@op(
    "ops.lu_solve(b, LU_data, LU_pivots)",
    "Tensor.lu_solve(LU_data, LU_pivots)",
    "ops.LuSolve()(x: b, lu_data: LU_data, lu_pivots: LU_pivots)",
    types=SameDtype("b LU_data"),
)
def lu_solve(xp, b: Float16To64, LU_data: Float16To64, LU_pivots: TensorOf("int32")):
    """Solves A y = b, given the packed LU factors of A = P L U and its row exchanges, which count
    from 1.

    Shapes:
        `b` is (..., M, K), `LU_data` is (..., M, M), `LU_pivots` is (..., M) of int32. The result
        has the shape and dtype of `b`.

    Example:
        >>> print(ms.ops.lu_solve(ms.Tensor([[2.0], [8.0]]), ms.Tensor([[2.0, 0.0], [0.0, 4.0]]),
        ...                       ms.Tensor([1, 2], ms.int32)))
        [[1.]
         [2.]]
    """
    _square("lu_solve", "LU_data", LU_data)
    if LU_pivots.ndim < 1 or b.ndim < 2:
        raise ValueError(
            f"For 'lu_solve', 'b' must be matrices and 'LU_pivots' rows, but got "
            f"{b.shape} and {LU_pivots.shape}."
        )
    if LU_data.shape[:-1] != LU_pivots.shape:
        raise ValueError(
            f"For 'lu_solve', 'LU_pivots' must have one number for each row of 'LU_data', but "
            f"got shapes {LU_data.shape} and {LU_pivots.shape}."
        )
    count = LU_data.shape[-1]
    order = _row_order(xp, LU_pivots, count)
    rows = xp.take_along_axis(b, xp.broadcast_to(xp.expand_dims(order, -1), b.shape), -2)
    lower = xp.tril(LU_data, -1) + xp.eye(count, dtype=LU_data.dtype)
    return xp.linalg_solve(xp.triu(LU_data), xp.linalg_solve(lower, rows))


def _row_order(xp, pivots, count):
    """Returns the order of the rows after all row exchanges."""
    stack = pivots.shape[:-1]
    order = xp.broadcast_to(xp.arange(count), (*stack, count))
    indices = xp.arange(count)
    for i in range(count):
        other = pivots[..., i : i + 1] - 1
        mine = order[..., i : i + 1]
        theirs = xp.take_along_axis(order, other, -1)
        order = xp.where(indices == i, theirs, xp.where(indices == other, mine, order))
    return order


# Checks -------------------------------------------------------------------------------------------


def need_axes(api, count, **arrays):
    """Rejects arrays, given by name, that do not have `count` axes."""
    for name, array in arrays.items():
        if array.ndim != count:
            raise ValueError(
                f"For '{api}', '{name}' must have {count} axes, but got shape {tuple(array.shape)}."
            )


@public("mint.linalg.qr")
@checked
def mint_qr(A: Floats, mode="reduced"):
    """Computes the QR decomposition of each matrix: q (orthonormal columns) and r (upper
    triangular).

    Args:
        A (Tensor): matrices over the last two axes.
        mode (str): "reduced" for the smaller factors, "complete" for a square q, "r" for the
            smaller r and an empty q. Default: "reduced".

    Raises:
        TypeError: if `A` is not a Tensor or `mode` is none of these.
        ValueError: if `A` has fewer than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.linalg.qr(ms.Tensor([[3.0], [4.0]]))[1])
        [[-5.]]

    Source: mindspore.mint.linalg.qr of MindSpore 2.10.
    """
    return _qr("A", A, mode, _QR_MODES)
