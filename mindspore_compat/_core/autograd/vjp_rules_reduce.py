"""Gradient rules of reductions: sums, means, extremes, products, variances, cumulative sums and
products."""

import math

from .vjp_rules import _inverse, conj, derive


def restore_axes(xp, value, shape, axis, keepdims):
    """Restores the reduced axes of `value`, a reduction over `axis`, with length 1."""
    if keepdims or axis is None and not keepdims and value.ndim == len(shape):
        return value
    rank = len(shape)
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = {a % rank for a in axes} if rank else set()
    return xp.reshape(value, tuple(1 if i in reduced else n for i, n in enumerate(shape)))


def _count(shape, axis):
    rank = len(shape)
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    return math.prod(shape[a] for a in axes) if rank else 1


def _sum_vjp(xp, g, x_shape, axis, keepdims):
    return xp.broadcast_to(restore_axes(xp, g, x_shape, axis, keepdims), x_shape)


def _mean_vjp(xp, g, x_shape, axis, keepdims):
    return _sum_vjp(xp, g / _count(x_shape, axis), x_shape, axis, keepdims)


def _extreme_vjp(xp, g, x, out, axis, keepdims):
    """Returns the gradient of a maximum or minimum over axes. It is divided equally among the
    elements that equal the result."""
    hit = x == restore_axes(xp, out, x.shape, axis, keepdims)
    share = restore_axes(xp, g, x.shape, axis, keepdims) / xp.sum(hit, axis, keepdims=True)
    return xp.where(hit, share, 0)


def _prod_vjp(xp, g, x, axis, keepdims):
    """Returns the gradient of a product: for each element, `g` times the product of all others."""
    rank = x.ndim
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = sorted(a % rank for a in axes)
    order = tuple(a for a in range(rank) if a not in reduced) + tuple(reduced)
    rows = xp.transpose(x, order)
    lead = rows.shape[: rank - len(reduced)]
    flat = xp.reshape(rows, (*lead, math.prod(rows.shape[len(lead) :])))
    flat = xp.conj(flat) if x.dtype.kind == "c" else flat
    others = xp.reshape(xp.products_of_others(flat), rows.shape)
    others = xp.transpose(others, _inverse(order))
    return restore_axes(xp, g, x.shape, axis, keepdims) * others


def _var_vjp(xp, g, x, axis, ddof, keepdims):
    count = max(_count(x.shape, axis) - ddof, 0)
    scale = 2 / count if count else math.inf
    centred = x - xp.mean(x, axis, keepdims=True)
    return restore_axes(xp, g, x.shape, axis, keepdims) * centred * scale


def _std_vjp(xp, g, x, out, axis, ddof, keepdims):
    safe = xp.where(out == 0, 1, out)
    return _var_vjp(xp, g / (2 * safe), x, axis, ddof, keepdims)


derive("sum(x, axis=None, keepdims=False)", x=_sum_vjp)
derive("mean(x, axis=None, keepdims=False)", x=_mean_vjp)
derive("max(x, axis=None, keepdims=False)", x=_extreme_vjp)
derive("min(x, axis=None, keepdims=False)", x=_extreme_vjp)
derive("prod(x, axis=None, keepdims=False)", x=_prod_vjp)
derive("var(x, axis=None, ddof=0, keepdims=False)", x=_var_vjp)
derive("std(x, axis=None, ddof=0, keepdims=False)", x=_std_vjp)
derive("cumsum(x, axis=None)", x=lambda xp, g, x_shape, axis: _cumsum_vjp(xp, g, x_shape, axis))
derive("cumprod(x, axis=None)", x=lambda xp, g, x, axis: _cumprod_vjp(xp, g, x, axis))


def _cumsum_vjp(xp, g, x_shape, axis):
    if axis is None:
        return xp.reshape(xp.flip(xp.cumsum(xp.flip(g))), x_shape)
    return xp.flip(xp.cumsum(xp.flip(g, axis), axis), axis)


def _cumprod_vjp(xp, g, x, axis):
    """Returns the gradient of a cumulative product, without a division, so that it is exact for
    elements that are 0. Element i gets the product of the elements before it, times the sum over j
    >= i of g[j] times the elements after i up to j."""
    if axis is None:
        return xp.reshape(_cumprod_vjp(xp, g, xp.ravel(x), 0), x.shape)
    x = xp.conj(x)
    if 0 in x.shape:
        return g
    first = xp.take(x, xp.arange(1), axis)
    others = xp.take(x, xp.arange(x.shape[axis] - 1), axis)
    before = xp.cumprod(xp.concatenate([xp.ones_like(first), others], axis), axis)
    return before * _recurrence_from_the_end(xp, x, g, axis)


def _recurrence_from_the_end(xp, factors, g, axis):
    """Computes y[i] = factors[i + 1] * y[i + 1] + g[i] along an axis, and y[-1] = g[-1]."""
    after = xp.roll(factors, -1, axis)
    return xp.flip(xp.linear_recurrence(xp.flip(after, axis), xp.flip(g, axis), axis), axis)


def _recurrence_factors_vjp(xp, g, factors, out, axis):
    """Returns the gradient of a linear recurrence for its factors. Each factor multiplies the
    result of the step before; the first factor multiplies nothing."""
    first = xp.zeros_like(xp.take(out, xp.arange(1), axis))
    before = xp.take(out, xp.arange(out.shape[axis] - 1), axis)
    before = conj(xp, xp.concatenate([first, before], axis))
    return _recurrence_from_the_end(xp, conj(xp, factors), g, axis) * before


derive(
    "linear_recurrence(factors, terms, axis)",
    factors=_recurrence_factors_vjp,
    terms=lambda xp, g, factors, axis: _recurrence_from_the_end(xp, conj(xp, factors), g, axis),
)
