"""Inverses, determinants and powers of matrices."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, Int, Number, TensorOf, any_dtype, real
from .._rules import WIDE_UNSIGNED, InexactOfNumPy
from .decomposition import _adjoint, _square

Limit = Number | Bool | TensorOf(any_dtype)


@op("ops.inverse(input)", "Tensor.inverse()", "ops.matrix_inverse(x: input)")
def inverse(xp, input: InexactOfNumPy.but("float16")):
    """Computes the inverse of each matrix. Raises a ValueError if a matrix is singular.

    Shapes:
        `input` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.inverse(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    _square("inverse", "input", input)
    return xp.linalg_inv(input)


@op("ops.MatrixInverse(adjoint=False)(x)")
def matrix_inverse(xp, x: InexactOfNumPy.but("float16"), adjoint: Bool = False):
    """Computes the inverse of each matrix, or of its adjoint if `adjoint` is True.

    Shapes:
        `x` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.MatrixInverse()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    _square("MatrixInverse", "x", x)
    return xp.linalg_inv(_adjoint(xp, x) if adjoint else x)


@op(
    "ops.det(input)",
    "ops.matrix_determinant(input)",
    "ops.MatrixDeterminant()(input)",
    "Tensor.det()",
    "Tensor.matrix_determinant()",
    "mint.det(input)",
    "mint.linalg.det(A: input)",
)
def det(xp, input: InexactOfNumPy):
    """Computes the determinant of each matrix.

    Shapes:
        `input` is (..., M, M). The result is (...), of the same dtype.

    Example:
        >>> print(ms.ops.det(ms.Tensor([[2.0, 1.0], [1.0, 4.0]])))
        7.0
    """
    _square("det", "input", input)
    return xp.linalg_det(input)


@op(
    "ops.slogdet(input)",
    "ops.log_matrix_determinant(input)",
    "ops.LogMatrixDeterminant()(input)",
    "Tensor.slogdet()",
    "Tensor.log_matrix_determinant()",
)
def slogdet(xp, input: InexactOfNumPy):
    """Computes the sign and the logarithm of the absolute value of the determinant of each matrix.

    Shapes:
        `input` is (..., M, M). Both results are (...), of the same dtype.

    Example:
        >>> sign, logarithm = ms.ops.slogdet(ms.Tensor([[1.0, 0.0], [0.0, -4.0]]))
        >>> print(sign, logarithm)
        -1.0 1.3862944
    """
    _square("slogdet", "input", input)
    sign, size = xp.linalg_slogdet(input)
    return sign, xp.cast(size, input.dtype)


@op("ops.logdet(input)", "Tensor.logdet()", quirks=Quirks(shapes_first=True))
def logdet(xp, input: InexactOfNumPy):
    """Computes the logarithm of the determinant of each matrix; it is NaN where the determinant is
    negative.

    Shapes:
        `input` is (..., M, M). The result is (...), of the same dtype.

    Example:
        >>> print(ms.ops.logdet(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        2.0794415
    """
    _square("logdet", "input", input)
    sign, size = xp.linalg_slogdet(input)
    return xp.where(sign > 0, size, float("nan"))


@op(
    "ops.pinv(x, *, atol=None, rtol=None, hermitian=False)",
    "Tensor.pinv(*, atol=None, rtol=None, hermitian=False)",
    quirks=Quirks(shapes_first=True),
)
def pinv(
    xp,
    x: TensorOf("float32", "float64"),
    atol: Limit = None,
    rtol: Limit = None,
    hermitian: Bool = False,
):
    """Computes the Moore-Penrose pseudoinverse of each matrix. Singular values up to max(atol, rtol
    * the largest one) count as 0. With `hermitian`, only the lower triangle of the matrix is read.

    Shapes:
        `x` is (..., M, N). The result is (..., N, M), of the same dtype. If `atol` or `rtol` is a
        Tensor, its shape is broadcast with the leading axes of `x`, one limit for each matrix.

    Example:
        >>> print(ms.ops.pinv(ms.Tensor([[2.0, 0.0], [0.0, 0.0]])))
        [[0.5 0. ]
         [0.  0. ]]
    """
    if x.ndim < 2:
        raise ValueError(f"For 'pinv', 'x' must have at least two axes, but got shape {x.shape}.")
    if hermitian:
        x = xp.tril(x) + xp.swapaxes(xp.tril(x, -1), -1, -2)
    return pseudo_inverse(xp, x, atol, rtol)


def pseudo_inverse(xp, x, atol=None, rtol=None):
    """Returns the pseudoinverse of each matrix; `pinv` explains the limits."""
    u, s, vh = xp.linalg_svd(x)
    if rtol is None:
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * float(xp.finfo(x.dtype).eps)
    atol, rtol = (
        xp.expand_dims(limit, -1) if getattr(limit, "ndim", 0) else limit for limit in (atol, rtol)
    )
    bound = xp.maximum(0.0 if atol is None else atol, rtol * xp.max(s, -1, keepdims=True))
    keep = s > bound
    inverted = xp.where(keep, 1 / xp.where(keep, s, xp.ones_like(s)), xp.zeros_like(s))
    return xp.matmul(_adjoint(xp, vh) * xp.expand_dims(inverted, -2), _adjoint(xp, u))


@op("ops.matrix_power(input, n)", "ops.MatrixPower(n)(x: input)", "Tensor.matrix_power(n)")
def matrix_power(xp, input: TensorOf(real).but("float16", "bfloat16", *WIDE_UNSIGNED), n: Int):
    """Raises each matrix to the integer power `n`. A negative power, of floats only, is a power of
    the inverse.

    Shapes:
        `input` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.matrix_power(ms.Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]
    """
    if n < 0 and input.dtype.kind != "f":
        raise ValueError(f"For 'matrix_power', 'n' must be >= 0 for whole numbers, but got {n}.")
    _square("matrix_power", "input", input)
    base = xp.linalg_inv(input) if n < 0 else input
    out = xp.broadcast_to(xp.eye(input.shape[-1], dtype=input.dtype), input.shape)
    for bit in bin(-n if n < 0 else n)[2:]:
        out = xp.matmul(out, out)
        out = xp.matmul(out, base) if bit == "1" else out
    return out


@op("mint.inverse(input)", "mint.linalg.inv(input)")
def mint_inverse(xp, input: AsValue(TensorOf("float32", "float64"), TensorOf(any_dtype))):
    """Computes the inverse of each matrix. Raises a ValueError if a matrix is singular.

    Shapes:
        `input` is (..., M, M), with at most four leading axes, of dtype float32 or
        float64. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.inverse(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    if input.ndim > 6:
        raise ValueError(f"For 'inverse', 'input' must have at most 6 axes, but got {input.ndim}.")
    return inverse.body(xp, input)
