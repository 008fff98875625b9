"""Derivatives of special functions with respect to parameters: of the incomplete gamma and beta
functions and of the Hurwitz zeta function. No library offers these derivatives.

Each is a central difference of four values in float64, with an error of the fourth order in the
step; the step follows the scale on which the function changes. A first derivative has about 11
correct digits, a second one 8.
"""


def _central_difference(xp, function, at, distance, width):
    """Returns the derivative of `function` at `at`.

    Args:
        function (callable): a function of one array.
        at (array): float64.
        distance (array): the distance from `at` down to the end of the function's domain.
        width (array): the scale on which the function changes.
    """
    step = xp.minimum(1e-3 * width, 0.2 * distance)
    near = function(at + step) - function(at - step)
    far = function(at + 2 * step) - function(at - 2 * step)
    return (8 * near - far) / (12 * step)


def _upcast(xp, *arrays):
    """Returns the arguments as float64 arrays of one shape, and the dtype of the result."""
    upcast = xp.broadcast_arrays(*[xp.cast(xp.asarray(a), "float64") for a in arrays])
    return upcast, xp.result_type(*arrays)


def _gamma_width(xp, a, x):
    return xp.sqrt(1 + a) / (1 + xp.abs(xp.log(xp.where(x > 0, x, 1))))


def gammainc_a(xp, a, x):
    """Returns the derivative of the regularized lower incomplete gamma function with respect to its
    order."""
    (a, x), dtype = _upcast(xp, a, x)
    beyond = x > a  # there the upper function is the smaller one, which is more precise

    def lower(order):  # P, or P - 1, which has the same derivative
        return xp.where(beyond, -xp.gammaincc(order, x), xp.gammainc(order, x))

    slope = _central_difference(xp, lower, a, a, _gamma_width(xp, a, x))
    return xp.cast(xp.where(x > 0, slope, 0), dtype)


def gammainc_aa(xp, a, x):
    """Returns the second derivative of the regularized lower incomplete gamma function with respect
    to its order."""
    (a, x), dtype = _upcast(xp, a, x)
    width = 4 * _gamma_width(xp, a, x)
    curvature = _central_difference(xp, lambda order: xp.gammainc_a(order, x), a, a, width)
    return xp.cast(xp.where(x > 0, curvature, 0), dtype)


def _beta_width(xp, parameter, x):
    inside = (x > 0) & (x < 1)
    safe = xp.where(inside, x, 0.5)
    return inside, xp.sqrt(1 + parameter) / (1 - xp.log(safe) - xp.log1p(-safe))


def betainc_a(xp, a, b, x):
    """Returns the derivative of the regularized incomplete beta function with respect to its first
    parameter."""
    (a, b, x), dtype = _upcast(xp, a, b, x)
    inside, width = _beta_width(xp, a, x)
    slope = _central_difference(xp, lambda parameter: xp.betainc(parameter, b, x), a, a, width)
    return xp.cast(xp.where(inside, slope, 0), dtype)


def betainc_b(xp, a, b, x):
    """Returns the derivative of the regularized incomplete beta function with respect to its second
    parameter."""
    return -xp.betainc_a(b, a, 1 - x)


def betainc_aa(xp, a, b, x):
    """Returns the second derivative of the regularized incomplete beta function with respect to its
    first parameter."""
    (a, b, x), dtype = _upcast(xp, a, b, x)
    inside, width = _beta_width(xp, a, x)
    curvature = _central_difference(
        xp, lambda parameter: xp.betainc_a(parameter, b, x), a, a, 4 * width
    )
    return xp.cast(xp.where(inside, curvature, 0), dtype)


def betainc_ab(xp, a, b, x):
    """Returns the derivative of `betainc_a` with respect to the second parameter."""
    (a, b, x), dtype = _upcast(xp, a, b, x)
    inside, width = _beta_width(xp, b, x)
    slope = _central_difference(xp, lambda two: xp.betainc_a(a, two, x), b, b, 4 * width)
    return xp.cast(xp.where(inside, slope, 0), dtype)


def _zeta_width(xp, x, q):
    return (x - 1) / (1 + xp.abs(xp.log(xp.where(q > 0, q, 1))))


def zeta_x(xp, x, q):
    """Returns the derivative of the Hurwitz zeta function with respect to its exponent."""
    (x, q), dtype = _upcast(xp, x, q)
    slope = _central_difference(
        xp, lambda power: xp.zeta(power, q), x, x - 1, _zeta_width(xp, x, q)
    )
    return xp.cast(slope, dtype)


def zeta_xx(xp, x, q):
    """Returns the second derivative of the Hurwitz zeta function with respect to its exponent."""
    (x, q), dtype = _upcast(xp, x, q)
    width = 4 * _zeta_width(xp, x, q)
    curvature = _central_difference(xp, lambda power: xp.zeta_x(power, q), x, x - 1, width)
    return xp.cast(curvature, dtype)
