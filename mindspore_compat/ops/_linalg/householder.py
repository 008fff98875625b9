"""Householder reflections: factors of a QR decomposition, and products with them."""

from ..._core.autograd.vjp_rules import no_gradient
from ..._core.declare.inputs import Promote, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool
from .._rules import InexactOfNumPy
from .decomposition import _adjoint, complete_qr, reduced_qr


@op("ops.geqrf(input)", "ops.Geqrf()(input)", "Tensor.geqrf()")
def geqrf(xp, input: InexactOfNumPy):
    """Computes a QR decomposition in packed form: R on and above the diagonal, Householder vectors
    below it, and the coefficients of the reflections.

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


def _reflect(xp, vectors, tau, out, backwards=True):
    """Applies the reflections given by the columns of `vectors` and by `tau` to `out`."""
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
    """Computes the first columns of the product of Householder reflections, which are given as
    `geqrf` returns them.

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
    return _reflect(xp, input, input2, eye)


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
    """Multiplies `other` by the product of Householder reflections, from the left or, if `left` is
    False, from the right. `transpose` uses the adjoint of the product.

    Shapes:
        `input` is (..., M, K), `tau` is (..., K), `other` is (..., M, N) if `left` is True. The
        result has the shape and dtype of `other`.

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
    factors = xp.conj(tau) if forward else tau
    out = _reflect(xp, input, factors, other, not forward)
    return out if left else _adjoint(xp, out)


@op("ops.Qr(full_matrices=False)(x)")
def qr_full(xp, x: InexactOfNumPy, full_matrices: Bool = False):
    """Computes the QR decomposition of each matrix: an orthogonal matrix q and an upper triangle r
    with x = q r.

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
