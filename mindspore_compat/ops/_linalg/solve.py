"""Least squares, triangular systems, and the factors of LU decompositions.

Decompositions and further solvers are in _linalg/decomposition.py. Matrices are the last two axes.
"""

import numpy

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Number, TensorOf, checked, real
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16To64, InexactOfNumPy
from ..primitive import Primitive
from .decomposition import _adjoint, _square
from .inverse import pseudo_inverse


@op(
    "ops.lstsq(input, A)",
    "Tensor.lstsq(A)",
    "ops.Lstsq(fast=True, l2_regularizer=0.0)(x: input, a: A)",
    types=SameDtype("input A"),
)
def lstsq(xp, input: Float16To64, A: Float16To64, fast: Bool = True, l2_regularizer: Number = 0.0):
    """Solves the least-squares problem: finds the y of least norm that minimizes |input y - A|.
    `input` must have full rank.

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
    """Solves the regularized least-squares problem: finds the y that minimizes |matrix y - rhs|^2 +
    l2_regularizer |y|^2. If `fast` is False, it ignores `l2_regularizer`, and y is the shortest.

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
    if not fast:
        return xp.matmul(pseudo_inverse(xp, matrix), rhs)
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
    """Solves the triangular system matrix y = rhs with the lower triangle of the matrix, or the
    upper one if `lower` is False. `adjoint` solves with the adjoint.

    Shapes:
        `matrix` is (..., M, M), `rhs` is (..., M, K); `rhs` may have additional leading axes. The
        result has the shape of `rhs` and the same dtype.

    Example:
        >>> print(ms.ops.MatrixTriangularSolve()(ms.Tensor([[2.0, 0.0], [1.0, 4.0]]),
        ...                                      ms.Tensor([[2.0], [9.0]])))
        [[1.]
         [2.]]
    """
    _square("MatrixTriangularSolve", "matrix", matrix)
    lead = rhs.ndim - matrix.ndim
    if lead < 0 or matrix.shape[:-2] != rhs.shape[lead:-2]:
        raise ValueError(
            f"For 'MatrixTriangularSolve', 'matrix' and 'rhs' must have one stacked shape, "
            f"but got shapes {matrix.shape} and {rhs.shape}."
        )
    triangle = xp.tril(matrix) if lower else xp.triu(matrix)
    return xp.linalg_solve(_adjoint(xp, triangle) if adjoint else triangle, rhs)


@op(compute="native")
def triangles(xp, LU_data: Anything):
    """Returns L, with ones on its diagonal, and U, from the packed factors."""
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
    """Unpacks an LU decomposition into (P, L, U); None for factors that are not requested.

    Args:
        LU_data (Tensor): L below the diagonal and U on and above it.
        LU_pivots (Tensor): the row, counted from 1, that each row was swapped with.
        unpack_data (bool): whether L and U are returned.
        unpack_pivots (bool): whether P is returned.

    Raises:
        TypeError: if an argument has the wrong type.
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
    swaps = _permutation(LU_data, LU_pivots) if unpack_pivots else None
    lower, upper = triangles.run(LU_data) if unpack_data else (None, None)
    return swaps, lower, upper


def _permutation(data, pivots):
    """Returns the permutation matrices that undo the row exchanges."""
    rows = data.shape[-2]
    order = numpy.broadcast_to(numpy.arange(rows), (*data.shape[:-2], rows)).copy()
    for row, indices in zip(
        order.reshape(-1, rows), pivots.asnumpy().reshape(-1, pivots.shape[-1]), strict=True
    ):
        for i, index in enumerate(indices - 1):
            row[[i, index]] = row[[index, i]]
    swaps = numpy.swapaxes(numpy.eye(rows)[order], -1, -2)
    return Tensor._wrap(space_for(data._array).asarray(swaps, dtype=data._array.dtype))


@public("ops.LuUnpack")
class LuUnpack(Primitive):
    """The class form of `ops.lu_unpack`.

    Args:
        unpack_data (bool): whether L and U are computed. Default: True.
        unpack_pivots (bool): whether P is computed. Default: True.

    Inputs:
        - **LU_data** (Tensor): the factors in one matrix, shape (*, M, N).
        - **LU_pivots** (Tensor): the pivots, shape (*, min(M, N)).

    Outputs:
        A tuple of three Tensors: P, L and U.

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
