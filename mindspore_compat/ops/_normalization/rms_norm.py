"""Root mean square normalization of rows: the elements along the last axes."""

from math import prod

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import COLUMN, ELEMENT, ROW
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from .._precision import at_least_float32
from .._rules import FloatsUpTo32
from .bodies import column, dots
from .layer_norm import Epsilon, _bodies_for, _flat, _rows, _statistic_shape
from .own_rows import by_own_rows, has_own_rows


def _root_mean_square(xp, api, x, gamma, epsilon):
    if gamma.ndim > x.ndim or tuple(gamma.shape) != tuple(x.shape[x.ndim - gamma.ndim :]):
        raise ValueError(
            f"For '{api}', 'gamma' must have the shape of the last axes of the input, but got "
            f"{tuple(gamma.shape)} and {tuple(x.shape)}."
        )
    axis = x.ndim - gamma.ndim
    if gamma.ndim and x.size and (bodies := bodies_of(xp, x, gamma, least="BODY_NORMAL")):
        rows = _rows(xp, x, axis)
        result = bodies.rows(
            _scaled_rows,
            (1, *rows.shape),
            (ELEMENT, ROW),
            elements=(rows,),
            columns=(gamma,),
            eps=epsilon,
        )
        if result is not None:
            return xp.reshape(result[0], x.shape), xp.reshape(result[1], _statistic_shape(x, axis))
    rows, gamma = at_least_float32(xp, x, gamma)
    axes = tuple(range(axis, x.ndim))
    rstd = 1 / xp.sqrt(xp.mean(xp.square(rows), axes, keepdims=True) + epsilon)
    return xp.cast(rows * rstd * gamma, x.dtype), rstd


def _scaled_rows(xp, x, gamma, *, eps):
    """Divides each row by its root mean square and multiplies it by `gamma`; also returns the
    reciprocal root."""
    rstd = 1 / xp.sqrt(xp.row_sum(x * x) / xp.row_size() + eps)
    return x * rstd * gamma, rstd


def _scaled_rows_vjp(xp, x, g, gamma, rstd, by_rstd):
    """Returns the gradient of rows, and the array whose sum is the gradient of `gamma`."""
    flow = g * gamma
    by_part = -(xp.row_sum(flow * x) + by_rstd) * rstd * rstd * rstd / xp.row_size()
    return flow * rstd + x * by_part, g * x * rstd


def _root_mean_square_vjp(xp, g, by_rstd, x, gamma, rstd):
    """Returns the gradients of the data and of `gamma`; the mean square is taken over the axes of
    `gamma`."""
    if gamma.ndim == 1 and has_own_rows(xp, x, -1):

        def own(xp, rows, columns):
            grad_x, grad_gamma = _root_mean_square_vjp(xp, *rows[:3], *columns, rows[3])
            return [grad_x], [grad_gamma]

        (grad,), (total,) = by_own_rows(xp, own, [g, by_rstd, x, rstd], [gamma])
        return grad, total
    shape = (prod(rstd.shape), prod(gamma.shape))
    rows, flow = (xp.reshape(array, shape) for array in (x, g))
    weight, rstd, by_rstd = _flat(xp, gamma), column(xp, rstd), column(xp, by_rstd)
    bodies, rows, flow = _bodies_for(xp, rows, flow, weight)
    if bodies:
        result = bodies.rows(
            _scaled_rows_vjp,
            (1, *shape),
            (ELEMENT, COLUMN),
            elements=(rows, flow),
            columns=(weight,),
            rows=(rstd, by_rstd),
        )
        if result is not None:
            return xp.reshape(result[0], x.shape), xp.reshape(result[1], gamma.shape)

    def input_gradient(xp, x, g, rstd, by_rstd):
        flow = g * weight
        by_part = -(column(xp, dots(xp, flow, x)) + by_rstd) * rstd * rstd * rstd / shape[1]
        return flow * rstd + x * by_part

    def moments(xp, x, g, rstd):
        return xp.sum(g * x * rstd, 0)

    grad = xp.reshape(xp.by_rows(input_gradient, rows, flow, rstd, by_rstd), x.shape)
    return grad, xp.reshape(xp.sum_by_rows(moments, rows, flow, rstd), gamma.shape)


@op(
    "ops.rms_norm(x, gamma, epsilon=1e-06)",
    "ops.RmsNorm(epsilon=1e-06)(x, gamma)",
    compute="native",
)
def rms_norm(xp, x: FloatsUpTo32, gamma: FloatsUpTo32, epsilon: Epsilon = 1e-6):
    """Applies root mean square (RMS) normalization over the axes of `gamma`: x / sqrt(mean(x^2) +
    epsilon) * gamma.

    Shapes:
        `x` is (..., *gamma.shape). The result has its shape and dtype.

    Returns:
        The result, and the reciprocal root mean square, float32, whose reduced axes have length 1.

    Example:
        >>> out, rstd = ms.ops.rms_norm(ms.Tensor([[3.0, 4.0]]), ms.Tensor([1.0, 1.0]))
        >>> print(out, rstd)
        [[0.8485281 1.1313708]] [[0.2828427]]
    """
    if x.dtype != gamma.dtype:
        raise TypeError(
            f"For 'rms_norm', 'x' and 'gamma' must have the same dtype, but got {x.dtype} and "
            f"{gamma.dtype}."
        )
    return _root_mean_square(xp, "rms_norm", x, gamma, epsilon)


@rms_norm.vjp_joint
def rms_norm_vjp(xp, g, x, gamma, out):
    """Returns the gradients of the data and of `gamma`."""
    return _root_mean_square_vjp(xp, *g, x, gamma, out[1])


@op(
    "ops.add_rms_norm(x1, x2, gamma, epsilon=1e-06)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def add_rms_norm(
    xp, x1: FloatsUpTo32, x2: FloatsUpTo32, gamma: FloatsUpTo32, epsilon: Epsilon = 1e-6
):
    """Applies root mean square (RMS) normalization to the sum of two Tensors, as `rms_norm` does.

    Shapes:
        `x1` and `x2` are (..., *gamma.shape), of one dtype. The result and the sum have the same
        dtype.

    Returns:
        The result, the reciprocal root mean square, and the sum.

    Example:
        >>> x = ms.Tensor([[1.5, 2.0]])
        >>> print(ms.ops.add_rms_norm(x, x, ms.Tensor([1.0, 1.0]))[0])
        [[0.8485281 1.1313708]]
    """
    if tuple(x1.shape) != tuple(x2.shape):
        raise RuntimeError(
            f"For 'add_rms_norm', 'x1' and 'x2' must have the same shape, but got "
            f"{tuple(x1.shape)} and {tuple(x2.shape)}."
        )
    total = x1 + x2
    out, rstd = _root_mean_square(xp, "add_rms_norm", total, gamma, epsilon)
    return out, rstd, total


@add_rms_norm.vjp_joint
def add_rms_norm_vjp(xp, g, gamma, out):
    """Returns the gradients of both summands, which are equal, and of `gamma`."""
    grad, grad_gamma = _root_mean_square_vjp(xp, g[0], g[1], out[2], gamma, out[1])
    grad = grad + at_least_float32(xp, g[2])
    return grad, grad, grad_gamma
