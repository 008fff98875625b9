"""`mindspore.scipy.linalg`: factorizations, solvers and eigenvalues of matrices, with gradients.

The arithmetic is in `ops`; this module has SciPy's signatures. As in MindSpore, the arguments
`overwrite_a`, `overwrite_b` and `check_finite` are checked and have no effect.
"""

import numpy

from .. import ops
from .._backend.arrays import space_of, to_host
from .._core.declare.op import op
from .._core.rules.comparisons import Instead
from .._core.rules.value_rules import AnyCase
from .._core.rules.vocabulary import InstanceOf, Int, OneOf, Str, TensorOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops._linalg import decomposition, inverse
from ..ops._shape.triangle import tril, triu
from ._checks import FLOATS, REALS, matrix, switches, tensor

_Trans = Int | Str
_Driver = AnyCase(OneOf("gels", "gelsy", "gelss", "gelsd")) | None
_Arrs = Instead(InstanceOf(Tensor).called("Tensors"), AttributeError)
_ATensor = InstanceOf(Tensor)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]


@op()
def _packed_lu(xp, a: TensorOf("float32", "float64")):
    """Computes L and U, packed in one matrix, of a matrix whose rows need no exchange."""
    return xp.linalg_lu(a)


def block_diag(*arrs):
    """Builds a block diagonal matrix of the given matrices.

    Args:
        arrs (Tensor): matrices; a vector counts as one row, a number as one element.

    Raises:
        AttributeError: if an argument is not a Tensor.
        ValueError: if `arrs` has more than two axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.block_diag(ms.Tensor([[1.0]]), ms.Tensor([[2.0]])))
        [[1. 0.]
         [0. 2.]]

    Source: mindspore.scipy.linalg.block_diag of MindSpore 2.10.
    """
    blocks = []
    for block in arrs or (Tensor(numpy.zeros((1, 0), numpy.float32)),):
        _Arrs.refuse("block_diag", "arrs", block)
        if block.ndim > 2:
            raise ValueError(
                f"For 'block_diag', 'arrs' must have at most 2 axes, but got shape {block.shape}."
            )
        blocks.append(ops.reshape(block, (1,) * (2 - block.ndim) + block.shape))
    dtype = blocks[0].dtype
    for block in blocks[1:]:
        dtype = dtypes.promote(dtype, block.dtype)
    width, before, rows = sum(block.shape[1] for block in blocks), 0, []
    for block in blocks:
        height, length = block.shape
        parts = [(height, before), None, (height, width - before - length)]
        row = [
            ops.cast(block, dtype) if shape is None else ops.zeros(shape, dtype)
            for shape in parts
            if shape is None or shape[1]
        ]
        rows.append(
            ops.concat([block for block in row if block.size], 1)
            if any(block.size for block in row)
            else ops.zeros((height, width), dtype)
        )
        before += length
    return ops.concat(rows, 0) if len(rows) > 1 else rows[0]


def inv(a, overwrite_a=False, check_finite=True):
    """Computes the inverse of a square matrix.

    Args:
        a (Tensor): the matrix; float32, float64, int32 or int64; ints become float64.
        overwrite_a (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `a` is not a square matrix.
        numpy.linalg.LinAlgError: if the matrix is singular; it is a ValueError.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.inv(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]

    Source: mindspore.scipy.linalg.inv of MindSpore 2.10.
    """
    switches("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return inverse.inverse.run(matrix("inv", "a", a, shape_first=True))


def det(a, overwrite_a=False, check_finite=True):
    """Computes the determinant of a square matrix. Arguments and errors are those of `inv`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.det(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        8.0
    """
    switches("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return inverse.det.run(matrix("det", "a", a, shape_first=True))


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """Computes the Cholesky factor of a positive definite matrix: U with a = Uᵀ U, or L with a = L
    Lᵀ.

    Args:
        a (Tensor): the matrix; float32, float64, int32 or int64; ints become float64.
        lower (bool, optional): whether L is returned.
        overwrite_a (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `a` is not a square matrix.
        RuntimeError: if `a` is not positive definite.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.cholesky(ms.Tensor([[4.0, 0.0], [0.0, 9.0]]), lower=True))
        [[2. 0.]
         [0. 3.]]

    Source: mindspore.scipy.linalg.cholesky of MindSpore 2.10.
    """
    return _triangle("cholesky", a, lower, overwrite_a, check_finite)


def _triangle(api, a, lower, overwrite_a, check_finite):
    switches(api, lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return decomposition.cholesky.run(matrix(api, "a", a), not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """Computes (the Cholesky factor, `lower`) for `cho_solve`. Arguments and errors are those of
    `cholesky`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.cho_factor(ms.Tensor([[4.0, 0.0], [0.0, 9.0]]))[0])
        [[2. 0.]
         [0. 3.]]

    Source: mindspore.scipy.linalg.cho_factor of MindSpore 2.10.
    """
    return _triangle("cho_factor", a, lower, overwrite_a, check_finite), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves a x = b, given the Cholesky factor of a.

    Args:
        c_and_lower (tuple[Tensor, bool]): the result of `cho_factor` for a.
        b (Tensor): a vector or matrix.
        overwrite_b (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if shapes do not match.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import scipy
        >>> factor = scipy.linalg.cho_factor(ms.Tensor([[4.0, 0.0], [0.0, 9.0]]))
        >>> print(scipy.linalg.cho_solve(factor, ms.Tensor([8.0, 9.0])))
        [2. 1.]

    Source: mindspore.scipy.linalg.cho_solve of MindSpore 2.10.
    """
    triangle, lower = c_and_lower
    switches("cho_solve", lower=lower, overwrite_b=overwrite_b, check_finite=check_finite)
    triangle = matrix("cho_solve", "c", triangle)
    half = solve_triangular(triangle, tensor("cho_solve", "b", b), 0 if lower else 1, lower)
    return solve_triangular(triangle, half, 1 if lower else 0, lower)


def eigh(
    a,
    b=None,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    turbo=True,
    eigvals=None,
    type=1,
    check_finite=True,
):
    """Computes the eigenvalues, ascending, and the eigenvectors, as columns, of a symmetric matrix.

    Args:
        a (Tensor): the matrix; float32, float64, int32, int64 (which become float64), complex64 or
            complex128.
        b (Tensor, optional): must be None.
        lower (bool, optional): whether the lower triangle of `a` is read, or the upper one.
        eigvals_only (bool, optional): whether only the eigenvalues are returned.
        overwrite_a (bool, optional): without effect.
        overwrite_b (bool, optional): without effect.
        turbo (bool, optional): without effect.
        eigvals (tuple, optional): must be None.
        type (int, optional): without effect if `b` is None.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `a` is not a square matrix, or `b` or `eigvals` is given.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.eigh(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), eigvals_only=True))
        [2. 4.]

    Source: mindspore.scipy.linalg.eigh of MindSpore 2.10.
    """
    switches(
        "eigh",
        lower=lower,
        eigvals_only=eigvals_only,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        turbo=turbo,
        check_finite=check_finite,
    )
    Int.refuse("eigh", "type", type)
    kinds = (dtypes.int32, dtypes.int64, *FLOATS, dtypes.complex64, dtypes.complex128)
    a = matrix("eigh", "a", a, kinds)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise ValueError(f"For 'eigh', '{name}' must be None, but got {value!r}.")
    half = tril.run(a, -1) if lower else triu.run(a, 1)
    other = ops.conj(ops.transpose(half, (1, 0)))
    values, vectors = decomposition.eigh.run(half + other + (a - tril.run(a, -1) - triu.run(a, 1)))
    if a.dtype not in FLOATS:
        values = ops.cast(values, a.dtype)
    return values if eigvals_only else (values, vectors)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """Computes the LU decomposition a = P L U: L and U packed in one matrix, and the row exchanges
    of P.

    Args:
        a (Tensor): a square matrix; float32, float64, int32 or int64; ints become float64.
        overwrite_a (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Returns:
        tuple[Tensor]: U on and above the diagonal with L below it, without its unit diagonal; and
        for each row the row that it was exchanged with (int32, from 0).

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `a` is not a square matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.lu_factor(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]))[1])
        [0 1]

    Source: mindspore.scipy.linalg.lu_factor of MindSpore 2.10.
    """
    switches("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    a = matrix("lu_factor", "a", a)
    pivots, order = _exchanges(a)
    return _packed_lu.run(ops.gather(a, Tensor(order), 0)), Tensor(pivots)


def _exchanges(a):
    """Returns the row exchanges of partial pivoting, and the resulting order of rows; they have no
    gradient."""
    pivots = to_host(space_of(a._array).lu_factor(a._array)[1]).astype(numpy.int32)
    return pivots, _order(pivots, a.shape[0])


def _order(pivots, count):
    order = numpy.arange(count, dtype=numpy.int32)
    for row, other in enumerate(pivots):
        order[[row, other]] = order[[other, row]]
    return order


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """Computes the factors of a = P L U: a permutation matrix and two triangles.

    Args:
        a (Tensor): an (M, N) matrix; float32, float64, int32 or int64; ints become float64.
        permute_l (bool, optional): whether P L and U are returned.
        overwrite_a (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Returns:
        tuple[Tensor]: P (M, M) of int32, L (M, K) and U (K, N), K = min(M, N); or P L and U.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `a` is not a matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.lu(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]))[2])
        [[2. 0.]
         [0. 4.]]

    Source: mindspore.scipy.linalg.lu of MindSpore 2.10.
    """
    switches("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    a = matrix("lu", "a", a, square=False)
    rows, columns = a.shape
    count = min(rows, columns)
    _, order = _exchanges(a)
    a = ops.gather(a, Tensor(order), 0)
    factors = _packed_lu.run(a[:count, :count])
    lower = tril.run(factors, -1) + ops.eye(count, count, a.dtype)
    upper = triu.run(factors)
    if rows > count:  # the rows of L below the square part, from L U = a
        below = solve_triangular(upper, ops.transpose(a[count:], (1, 0)), 1)
        lower = ops.concat([lower, ops.transpose(below, (1, 0))], 0)
    if columns > count:
        right = solve_triangular(lower, a[:, count:], 0, True, True)
        upper = ops.concat([upper, right], 1)
    if permute_l:
        return ops.gather(lower, Tensor(numpy.argsort(order).astype(numpy.int32)), 0), upper
    permutation = numpy.zeros((rows, rows), numpy.int32)
    permutation[order, numpy.arange(rows)] = 1
    return Tensor(permutation), lower, upper


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solves a x = b, or aᵀ x = b, given the LU decomposition of a.

    Args:
        lu_and_piv (tuple[Tensor]): the result of `lu_factor` for a.
        b (Tensor): a vector or matrix.
        trans (int, optional): 0 for a x = b, 1 or 2 for aᵀ x = b.
        overwrite_b (bool, optional): without effect.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if an argument is of the wrong type or dtype.
        ValueError: if `trans` is not one of these, or shapes do not match.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import scipy
        >>> factors = scipy.linalg.lu_factor(ms.Tensor([[2.0, 0.0], [0.0, 5.0]]))
        >>> print(scipy.linalg.lu_solve(factors, ms.Tensor([4.0, 5.0])))
        [2. 1.]
    """
    switches("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    if trans not in (0, 1, 2) or isinstance(trans, bool):
        raise ValueError(f"For 'lu_solve', 'trans' must be 0, 1 or 2, but got {trans!r}.")
    factors, pivots = lu_and_piv
    factors, b = matrix("lu_solve", "lu", factors), tensor("lu_solve", "b", b)
    _check_rows("lu_solve", factors, b)
    order = _order(pivots.asnumpy(), factors.shape[0])
    if not trans:
        half = solve_triangular(factors, ops.gather(b, Tensor(order), 0), 0, True, True)
        return solve_triangular(factors, half)
    half = solve_triangular(factors, b, 1)
    solution = solve_triangular(factors, half, 1, True, True)
    return ops.gather(solution, Tensor(numpy.argsort(order).astype(numpy.int32)), 0)


def _check_rows(api, a, b):
    vector = b.ndim == a.ndim - 1
    if b.ndim not in (a.ndim - 1, a.ndim) or b.shape[-1 if vector else -2] != a.shape[-1]:
        raise ValueError(
            f"For '{api}', 'b' must have {a.shape[-1]} rows, but got shape {b.shape} "
            f"for a matrix of shape {a.shape}."
        )
    return vector


def solve_triangular(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    overwrite_b=False,
    debug=None,
    check_finite=True,
):
    """Solves a x = b, or aᵀ x = b, for a triangular matrix a.

    Args:
        a (Tensor): matrices (*, M, M); the other triangle is not read.
        b (Tensor): vectors (*, M) or matrices (*, M, N), of the dtype of `a`.
        trans (Union[int, str], optional): 0 or "N" for a, 1 or "T" for its transpose, 2 or "C" for
            its adjoint.
        lower (bool, optional): whether the lower triangle of `a` is read.
        unit_diagonal (bool, optional): whether the diagonal is assumed to be ones and not read.
        overwrite_b (bool, optional): without effect.
        debug (Any, optional): without effect.
        check_finite (bool, optional): without effect.

    Raises:
        TypeError: if `a` and `b` are not Tensors of one dtype, or `trans` is neither an int nor a
            str.
        ValueError: if `a` is not square, shapes do not match, or `trans` is not one of these.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.scipy.linalg.solve_triangular(ms.Tensor([[2.0, 0.0], [1.0, 4.0]]),
        ...                                        ms.Tensor([2.0, 9.0]), lower=True))
        [1. 2.]

    Source: mindspore.scipy.linalg.solve_triangular of MindSpore 2.10.
    """
    for name, value in (("a", a), ("b", b)):
        _ATensor.refuse("solve_triangular", name, value)
    switches("solve_triangular", lower=lower, unit_diagonal=unit_diagonal)
    if isinstance(trans, Tensor) and not trans.ndim and trans.dtype in REALS[:2]:
        trans = int(trans)
    _Trans.refuse("solve_triangular", "trans", trans)
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(
            f"For 'solve_triangular', 'trans' must be 0, 1, 2, 'N', 'T' or 'C', but got {trans!r}."
        )
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(
            f"For 'solve_triangular', 'a' must be square matrices, but got shape {a.shape}."
        )
    vector = _check_rows("solve_triangular", a, b)
    if a.dtype != b.dtype:
        raise TypeError(
            f"For 'solve_triangular', 'a' and 'b' must have one dtype, but got "
            f"{a.dtype} and {b.dtype}."
        )
    part = (
        tril.run(a, -1 if unit_diagonal else 0)
        if lower
        else (triu.run(a, 1 if unit_diagonal else 0))
    )
    if unit_diagonal:
        part = part + ops.eye(a.shape[-1], a.shape[-1], a.dtype)
    if trans not in (0, "N"):
        part = ops.swapaxes(part, -1, -2)
        part = ops.conj(part) if trans in (2, "C") else part
    solution = decomposition.matrix_solve.run(part, ops.expand_dims(b, -1) if vector else b)
    return ops.squeeze(solution, -1) if vector else solution


def lstsq(A, B, rcond=None, driver=None):
    """Computes the least-squares solution X of A X = B, and the residuals, rank and singular values
    of A.

    Args:
        A (Tensor): matrices (*, M, N) of float32 or float64.
        B (Tensor): matrices (*, M, K), or vectors (*, M), of the dtype of `A`. Leading axes of
            matrices are broadcast.
        rcond (number, optional): without effect.
        driver (str, optional): "gels", "gelsy", "gelss" or "gelsd", which determines the available
            results, as listed below; None means "gelsy".

    Returns:
        tuple[Tensor]: the solution (*, N, K), or (*, N) for vectors; the squared errors (*, K) if M
        > N, except with gelsy; the rank (*), except with gels; the singular values (*, min(M, N))
        with gelss and gelsd. A result that is not available is an empty Tensor.

    Raises:
        TypeError: if `A` and `B` are not Tensors of one dtype, or `driver` is not a str.
        ValueError: if `A` has fewer than 2 axes, shapes do not match, or `driver` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import scipy
        >>> a, b = ms.Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), ms.Tensor([3.0, 4.0, 5.0])
        >>> print(scipy.linalg.lstsq(a, b)[0])
        [3. 2.]

    Source: mindspore.scipy.linalg.lstsq of MindSpore 2.10.
    """
    A, B = tensor("lstsq", "A", A, FLOATS), tensor("lstsq", "B", B, FLOATS)
    vector = B.shape == A.shape[:-1]
    if A.ndim < 2 or B.ndim + vector < 2 or A.shape[-2] != B.shape[vector - 2]:
        raise ValueError(
            f"For 'lstsq', 'A' must be matrices and 'B' must have as many rows, but "
            f"got shapes {A.shape} and {B.shape}."
        )
    if A.dtype != B.dtype:
        raise TypeError(
            f"For 'lstsq', 'A' and 'B' must have one dtype, but got {A.dtype} and {B.dtype}."
        )
    _Driver.refuse("lstsq", "driver", driver)
    driver = _Driver.read(driver)
    B = ops.expand_dims(B, -1) if vector else B
    solution = ops.matmul(inverse.pinv.run(A), B)
    residual, rank, values = (
        Tensor(numpy.zeros(0, kind))
        for kind in (dtypes.to_numpy(A.dtype), numpy.int64, dtypes.to_numpy(A.dtype))
    )
    if driver not in (None, "gelsy") and A.shape[-2] > A.shape[-1]:
        residual = ops.sum(ops.square(ops.matmul(A, solution) - B), -2)
    if driver != "gels":
        singular = decomposition.singular_values.run(A)
        smallest = float(max(A.shape[-2:]) * numpy.finfo(dtypes.to_numpy(A.dtype)).eps)
        rank = ops.sum(ops.cast(singular > smallest * singular[..., :1], dtypes.int64), -1)
        values = singular if driver in ("gelss", "gelsd") else values
    return ops.squeeze(solution, -1) if vector else solution, residual, rank, values
