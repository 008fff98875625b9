"""Gradient rules of matrix decompositions, solvers and Fourier transforms.

Sources: Giles (2008), "Collected matrix derivative results for forward and reverse mode"; Walter
and Lehmann (2018) for QR and eigenvectors. The functions themselves are in _backend/host/linalg.py.
"""

from .vjp_rules import compose, conj, derive
from .vjp_rules_products import adjoint


def _product(xp, *factors):
    out = factors[0]
    for factor in factors[1:]:
        out = xp.matmul(out, factor)
    return out


def _as_matrix(xp, x):
    """Returns numbers as matrices of one element."""
    return xp.expand_dims(xp.expand_dims(x, -1), -1)


def _divide(xp, x, values):
    """Computes x / values, and 0 where a value is 0."""
    is_zero = values == 0
    return xp.where(is_zero, 0, x / xp.where(is_zero, 1, values))


def _inv_vjp(xp, g, out):
    back = adjoint(xp, out)
    return -_product(xp, back, g, back)


def _solve_left(xp, g, a, out):
    back = xp.linalg_solve(adjoint(xp, a), g)
    return -xp.matmul(back, adjoint(xp, out))


def _cofactors_vjp(xp, g, x):
    """Computes the gradient of the cofactors of invertible matrices. It follows from the formula
    that the cofactors are the adjoint of det(x) times the inverse."""
    back = adjoint(xp, xp.linalg_inv(x))
    size = conj(xp, _as_matrix(xp, xp.linalg_det(x)))
    inner = xp.sum(conj(xp, g) * back, (-2, -1), keepdims=True)
    return size * (inner * back - _product(xp, back, adjoint(xp, g), back))


def _lower_half(xp, x):
    """Returns the lower triangle with half of the diagonal."""
    return xp.tril(x) - 0.5 * xp.scatter_diagonal(xp.diagonal(x, 0, -2, -1), x.shape, 0, -2, -1)


def _cholesky_vjp(xp, g, out):
    back = adjoint(xp, out)
    middle = _lower_half(xp, xp.matmul(back, g))
    middle = middle + adjoint(xp, middle)
    inner = xp.linalg_solve(back, middle)
    whole = adjoint(xp, xp.linalg_solve(back, adjoint(xp, inner)))
    return 0.5 * whole


def _lu_vjp(xp, g, out):
    lower, upper = xp.tril(out, -1) + xp.eye(out.shape[-1], dtype=out.dtype), xp.triu(out)
    inner = xp.tril(xp.matmul(adjoint(xp, lower), xp.tril(g, -1)), -1) + xp.triu(
        xp.matmul(xp.triu(g), adjoint(xp, upper))
    )
    lower_part = xp.linalg_solve(adjoint(xp, lower), inner)
    return adjoint(xp, xp.linalg_solve(upper, adjoint(xp, lower_part)))


def _gaps(xp, values):
    """Computes 1 / (values_j - values_i) off the diagonal, 0 on it and between equal values."""
    gap = xp.expand_dims(values, -2) - xp.expand_dims(values, -1)
    apart = gap != 0
    return xp.where(apart, 1 / xp.where(apart, gap, xp.ones_like(gap)), xp.zeros_like(gap))


def _eigh_vjp(xp, g, out):
    g_values, g_vectors = g
    values, vectors = out
    back = adjoint(xp, vectors)
    diagonal = xp.expand_dims(g_values, -1) * xp.eye(values.shape[-1], dtype=values.dtype)
    inner = diagonal + _gaps(xp, values) * xp.matmul(back, g_vectors)
    return (_product(xp, vectors, inner, back),)


def _eig_vjp(xp, g, out):
    """Computes the gradient of eigenvalues and eigenvectors of unit length. It is right only if the
    loss does not depend on the arbitrary phase of the eigenvectors."""
    g_values, g_vectors = g
    values, vectors = out
    back = adjoint(xp, vectors)
    eye = xp.eye(values.shape[-1], dtype=values.dtype)
    projected = xp.matmul(back, g_vectors)
    along = xp.real(xp.diagonal(projected, 0, -2, -1))
    inner = projected - xp.matmul(back, vectors) * xp.expand_dims(along, -2)
    inner = conj(xp, _gaps(xp, values)) * inner + xp.expand_dims(g_values, -1) * eye
    return (xp.linalg_solve(back, xp.matmul(inner, back)),)


def _qr_vjp(xp, g, out):
    """Computes the gradient of QR; of a wide matrix only the first columns are factored:
    x = q [r', qᴴ y]."""
    g_q, g_r = g
    q, r = out
    rows, columns = r.shape[-2:]
    if columns > rows:
        beyond = xp.matmul(q, g_r[..., rows:])
        rest = xp.matmul(xp.matmul(q, r[..., rows:]), adjoint(xp, g_r[..., rows:]))
        (first,) = _qr_vjp(xp, (g_q + rest, g_r[..., :rows]), (q, r[..., :rows]))
        return (xp.concatenate([first, beyond], -1),)
    middle = xp.matmul(r, adjoint(xp, g_r)) - xp.matmul(adjoint(xp, g_q), q)
    lower = xp.tril(middle, -1)
    real = xp.cast(xp.real(xp.diagonal(middle, 0, -2, -1)), middle.dtype)
    diagonal = xp.scatter_diagonal(real, middle.shape, 0, -2, -1)
    right = g_q + xp.matmul(q, lower + adjoint(xp, lower) + diagonal)
    return (adjoint(xp, xp.linalg_solve(r, adjoint(xp, right))),)


def _svd_vjp(xp, g, out):
    """Computes the gradient of the reduced singular value decomposition u, s, vh. For complex
    matrices, only functions that do not depend on the phases of the singular vectors have a
    gradient. Singular vectors of equal singular values, or of 0, are treated as constants."""
    g_u, g_s, g_vh = g
    u, s, vh = out
    v, g_v = adjoint(xp, vh), adjoint(xp, g_vh)
    count = s.shape[-1]
    eye = xp.eye(count, dtype=s.dtype)
    gaps = _gaps(xp, s * s)
    column, row = xp.expand_dims(s, -1), xp.expand_dims(s, -2)
    turned_u = xp.matmul(adjoint(xp, u), g_u)
    inner_u = gaps * turned_u
    inner_v = gaps * xp.matmul(adjoint(xp, v), g_v)
    inner = (
        (inner_u + adjoint(xp, inner_u)) * row
        + column * (inner_v + adjoint(xp, inner_v))
        + (xp.expand_dims(g_s, -1) * eye)
    )
    if u.dtype.kind == "c":  # the phase between a left and a right singular vector
        inner = inner + _divide(xp, eye * (turned_u - adjoint(xp, turned_u)), 2 * row)
    grad = _product(xp, u, inner, vh)
    rows, columns = u.shape[-2], v.shape[-2]
    if rows > count:
        rest = xp.eye(rows, dtype=u.dtype) - xp.matmul(u, adjoint(xp, u))
        grad = grad + _product(xp, rest, _divide(xp, g_u, row), vh)
    if columns > count:
        rest = xp.eye(columns, dtype=v.dtype) - xp.matmul(v, adjoint(xp, v))
        grad = grad + _product(xp, _divide(xp, u, row), adjoint(xp, g_v), rest)
    return (grad,)


def _rest_turned(xp, g, whole, count):
    """Returns the gradient with respect to the first `count` columns of a square orthogonal matrix.

    The other columns must stay orthogonal to these, so they rotate with them; their gradient is
    added accordingly."""
    first, rest = whole[..., :count], whole[..., count:]
    return g[..., :count] - _product(xp, rest, adjoint(xp, g[..., count:]), first)


def _svd_full_vjp(xp, g, out):
    g_u, g_s, g_vh = g
    u, s, vh = out
    count, v = s.shape[-1], adjoint(xp, vh)
    g_u = _rest_turned(xp, g_u, u, count)
    g_v = _rest_turned(xp, adjoint(xp, g_vh), v, count)
    return _svd_vjp(xp, (g_u, g_s, adjoint(xp, g_v)), (u[..., :count], s, vh[..., :count, :]))


def _qr_full_vjp(xp, g, out):
    g_q, g_r = g
    q, r = out
    count = min(r.shape[-2:])
    return _qr_vjp(
        xp,
        (_rest_turned(xp, g_q, q, count), g_r[..., :count, :]),
        (q[..., :count], r[..., :count, :]),
    )


def _logm_vjp(xp, g, x):
    """Computes the gradient of the matrix logarithm: the upper right block of
    log([[xᴴ, g], [0, xᴴ]]). The formula holds for any matrix function (Mathias, 1996)."""
    back, count = adjoint(xp, x), x.shape[-1]
    above = xp.concatenate([back, g], -1)
    below = xp.concatenate([xp.zeros_like(back), back], -1)
    return xp.linalg_logm(xp.concatenate([above, below], -2))[..., :count, count:]


def _slogdet_vjp(xp, g, x, out):
    """Computes the gradient of the logarithm, and of the phase of a complex determinant. The sign
    of a real determinant is constant."""
    g_sign, g_size = g
    if x.dtype.kind == "c":
        g_size = g_size - 1j * xp.imag(conj(xp, g_sign) * out[0])
    return (_as_matrix(xp, g_size) * adjoint(xp, xp.linalg_inv(x)),)


derive("linalg_inv(x)", x=_inv_vjp)
derive("linalg_logm(x)", x=_logm_vjp)
derive("linalg_det(x)", x=lambda xp, g, x: _as_matrix(xp, g) * xp.linalg_cofactors(x))
derive("linalg_cofactors(x)", x=_cofactors_vjp)
derive("linalg_slogdet(x)", arrays="x", several=True, joint=_slogdet_vjp)
derive("linalg_solve(a, b)", a=_solve_left, b=lambda xp, g, a: xp.linalg_solve(adjoint(xp, a), g))
derive("linalg_cholesky(x)", x=_cholesky_vjp)
derive("linalg_lu(x)", x=_lu_vjp)
derive("linalg_eigh(x)", arrays="x", several=True, joint=_eigh_vjp)
derive("linalg_eig(x)", arrays="x", several=True, joint=_eig_vjp)
derive("linalg_qr(x)", arrays="x", several=True, joint=_qr_vjp)
derive("linalg_svd(x)", arrays="x", several=True, joint=_svd_vjp)
derive("linalg_qr_full(x)", arrays="x", several=True, joint=_qr_full_vjp)
derive("linalg_svd_full(x)", arrays="x", several=True, joint=_svd_full_vjp)


@compose
def linalg_svd_values(xp, x):
    """Returns the singular values alone."""
    return xp.linalg_svd(x)[1]


# Fourier transforms: the adjoint is the inverse, with the scale on the other side.
_OTHER = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
derive(
    "fft_c2c(x, axes, norm, inverse)",
    x=lambda xp, g, axes, norm, inverse: xp.fft_c2c(g, axes, _OTHER[norm], not inverse),
)
