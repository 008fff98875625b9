"""vjp rules of special functions: the error, gamma, beta, Bessel and zeta functions.

vjp_rules.py describes the conventions. Derivatives with respect to a parameter (the order of an
incomplete gamma function) are finite differences (_backend/special_grads.py).
"""

import math

from .vjp_rules import derive

_HALF_ROOT_PI = math.sqrt(math.pi) / 2


def _over(xp, out, x):
    """Computes out / x of a function with out = x / 2 near 0."""
    near = xp.abs(x) < 1e-30  # nearer to 0, `out` would be subnormal
    return xp.where(near, 0.5, out / xp.where(near, 1, x))


def _i1_slope(xp, x, out):
    """Returns the derivative of i1; infinite where i1 is, not the difference of infinities."""
    return xp.where(xp.isinf(out), xp.abs(out), xp.i0(x) - _over(xp, out, x))


def _logit_width(xp, x):
    """Computes x (1 - x); NaN outside of [0, 1], where the logit is NaN."""
    return xp.where((x < 0) | (x > 1), math.nan, x * (1 - x))


derive("erf(x)", x=lambda xp, g, x: g * xp.exp(-x * x) / _HALF_ROOT_PI)
derive("erfc(x)", x=lambda xp, g, x: -g * xp.exp(-x * x) / _HALF_ROOT_PI)
derive("erfinv(x)", x=lambda xp, g, out: g * _HALF_ROOT_PI * xp.exp(out * out))
derive("gammaln(x)", x=lambda xp, g, x: g * xp.digamma(x))
derive("digamma(x)", x=lambda xp, g, x: g * xp.polygamma(1, x))
derive("polygamma(n, x)", arrays="n x", x=lambda xp, g, n, x: g * xp.polygamma(n + 1, x))
derive("i0(x)", x=lambda xp, g, x: g * xp.i1(x))
derive("i1(x)", x=lambda xp, g, x, out: g * _i1_slope(xp, x, out))
derive("i0e(x)", x=lambda xp, g, x, out: g * (xp.i1e(x) - xp.sign(x) * out))
derive("i1e(x)", x=lambda xp, g, x, out: g * (xp.i0e(x) - out * xp.sign(x) - _over(xp, out, x)))
derive("k0(x)", x=lambda xp, g, x: -g * xp.k1(x))
derive("k1(x)", x=lambda xp, g, x, out: -g * (xp.k0(x) + out / x))
derive("k0e(x)", x=lambda xp, g, x, out: g * (out - xp.k1e(x)))
derive("k1e(x)", x=lambda xp, g, x, out: g * (out * (1 - 1 / x) - xp.k0e(x)))
derive("j0(x)", x=lambda xp, g, x: -g * xp.j1(x))
derive("j1(x)", x=lambda xp, g, x, out: g * (xp.j0(x) - _over(xp, out, x)))
derive("y0(x)", x=lambda xp, g, x: -g * xp.y1(x))
derive("y1(x)", x=lambda xp, g, x, out: g * (xp.y0(x) - out / x))
derive("logit(x)", x=lambda xp, g, x: g / _logit_width(xp, x))
derive(
    "xlogy(x, y)",
    x=lambda xp, g, x, y: (
        g * xp.where((x == 0) & (y == 0), 0, xp.log(xp.where((x == 0) & (y == 0), 1, y)))
    ),
    y=lambda xp, g, x, y: g * x / y,
)
derive("nextafter(x, y)", arrays="x y", x=lambda xp, g: g)
derive("quick_ndtr(x)", x=lambda xp, g, x: g * xp.exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi)))
derive("ndtr(x)", x=lambda xp, g, x: g * xp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))

# Incomplete functions and the zeta function, by their parameters too ------------------------------


def _gamma_density(xp, a, x):
    """Returns the derivative of gammainc with respect to x."""
    return xp.exp((a - 1) * xp.log(x) - x - xp.gammaln(a))


def _beta_density(xp, a, b, x):
    """Returns the derivative of betainc with respect to x."""
    return xp.exp(
        (a - 1) * xp.log(x)
        + (b - 1) * xp.log1p(-x)
        + xp.gammaln(a + b)
        - xp.gammaln(a)
        - xp.gammaln(b)
    )


derive(
    "gammainc(a, x)",
    a=lambda xp, g, a, x: g * xp.gammainc_a(a, x),
    x=lambda xp, g, a, x: g * _gamma_density(xp, a, x),
)
derive(
    "gammaincc(a, x)",
    a=lambda xp, g, a, x: -g * xp.gammainc_a(a, x),
    x=lambda xp, g, a, x: -g * _gamma_density(xp, a, x),
)
derive(
    "gammainc_a(a, x)",
    a=lambda xp, g, a, x: g * xp.gammainc_aa(a, x),
    x=lambda xp, g, a, x: g * _gamma_density(xp, a, x) * (xp.log(x) - xp.digamma(a)),
)
derive(
    "betainc(a, b, x)",
    a=lambda xp, g, a, b, x: g * xp.betainc_a(a, b, x),
    b=lambda xp, g, a, b, x: g * xp.betainc_b(a, b, x),
    x=lambda xp, g, a, b, x: g * _beta_density(xp, a, b, x),
)
derive(
    "betainc_a(a, b, x)",
    a=lambda xp, g, a, b, x: g * xp.betainc_aa(a, b, x),
    b=lambda xp, g, a, b, x: g * xp.betainc_ab(a, b, x),
    x=lambda xp, g, a, b, x: (
        g * _beta_density(xp, a, b, x) * (xp.log(x) - xp.digamma(a) + xp.digamma(a + b))
    ),
)
derive(
    "betainc_b(a, b, x)",
    a=lambda xp, g, a, b, x: g * xp.betainc_ab(a, b, x),
    b=lambda xp, g, a, b, x: -g * xp.betainc_aa(b, a, 1 - x),
    x=lambda xp, g, a, b, x: (
        g * _beta_density(xp, a, b, x) * (xp.log1p(-x) - xp.digamma(b) + xp.digamma(a + b))
    ),
)
derive(
    "zeta(x, q)",
    x=lambda xp, g, x, q: g * xp.zeta_x(x, q),
    q=lambda xp, g, x, q: -g * x * xp.zeta(x + 1, q),
)
derive(
    "zeta_x(x, q)",
    x=lambda xp, g, x, q: g * xp.zeta_xx(x, q),
    q=lambda xp, g, x, q: -g * (xp.zeta(x + 1, q) + x * xp.zeta_x(x + 1, q)),
)
