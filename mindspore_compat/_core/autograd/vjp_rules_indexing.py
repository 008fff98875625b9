"""vjp rules of indexing (gather and scatter, also along an axis), `keep`, `sort` and `top_k`, and
of the extremes along an axis.

vjp_rules.py describes the conventions.
"""

from .slice_sum import expanded_zeros, gradient_of_slice, gradient_of_take
from .vjp_rules import compose, derive

derive("getitem(x, index)", x=gradient_of_slice)
derive(
    "add_slices(slices, indices, shape)",
    arrays="*slices",
    joint=lambda xp, g, indices: ([xp.getitem(g, index) for index in indices],),
    upcast=False,
)
derive(
    "scatter_add(x, index, values)",
    arrays="x values",
    x=lambda xp, g: g,
    values=lambda xp, g, index: xp.getitem(g, index),
)
derive(
    "scatter_set(x, index, values)",
    arrays="x values",
    x=lambda xp, g, index: xp.scatter_set(g, index, 0),
    values=lambda xp, g, index: xp.getitem(g, index),
)
derive(
    "scatter_reduce(x, index, values, how)",
    arrays="x values",
    x=lambda xp, g, x, values, out, index, how: _reduced_x(xp, g, x, values, out, index, how),
    values=lambda xp, g, x, values, out, index, how: _reduced_values(
        xp, g, x, values, out, index, how
    ),
)
derive(
    "scatter_along_axis(x, index, values, axis, add=False)",
    arrays="x values",
    x=lambda xp, g, index, axis, add: g if add else xp.scatter_along_axis(g, index, 0, axis),
    values=lambda xp, g, index, axis: _along(xp, g, index, axis),
)
derive("take(x, indices, axis=None)", x=gradient_of_take, upcast=False)
derive(
    "segment_sum(index, values, count)",
    arrays="index values",
    values=lambda xp, g, index: xp.take(g, index, 0),
)
derive(
    "take_along_axis(x, indices, axis)",
    x=lambda xp, g, x_shape, indices, axis: xp.scatter_along_axis(
        expanded_zeros(xp, x_shape, g.dtype), indices, g, axis, add=True
    ),
)


def _along(xp, g, index, axis):
    """Returns the elements of `g` at `index` along an axis. `index` may be shorter than `g` along
    the other axes."""
    axis = axis % g.ndim
    part = tuple(slice(None) if i == axis else slice(0, n) for i, n in enumerate(index.shape))
    return xp.take_along_axis(g[part], index, axis)


def _reduced_x(xp, g, x, values, out, index, how):
    """Returns the gradient of `scatter_reduce` for `x`. The gradient of a maximum or minimum is
    divided equally among the elements that equal it."""
    if how in ("max", "min"):
        return xp.where(x == out, g / _ties(xp, x, values, out, index), 0)
    factors = xp.scatter_reduce(xp.ones_like(x), index, values, "mul")
    return g * factors if how == "mul" else g / factors


def _reduced_values(xp, g, x, values, out, index, how):
    if how in ("max", "min"):
        share = g / _ties(xp, x, values, out, index)
        return xp.where(values == out[index], share[index], 0)
    if how == "div":
        return -g[index] * out[index] / values
    return g[index] * x[index] * _others(xp, values, index, xp.zeros_like(x))


def _ties(xp, x, values, out, index):
    """Returns the number of elements of `x` and `values` that equal each extreme; 1 if it is
    NaN."""
    matches = xp.cast(x == out, out.dtype)
    count = xp.scatter_add(matches, index, xp.cast(values == out[index], out.dtype))
    return xp.where(count == 0, 1, count)


def _others(xp, values, index, zeros):
    """Returns, for each value, the product of the other values with the same index. Zeros are
    multiplied separately, so that second derivatives are right, too."""
    zero = values == 0
    safe = xp.where(zero, 1, values)
    product = xp.scatter_reduce(zeros + 1, index, safe, "mul")[index] / safe
    is_zero = xp.cast(zero, zeros.dtype)
    count = xp.scatter_add(zeros, index, is_zero)[index] - is_zero
    empty = xp.where(zero, values, 0)  # 0, but with a gradient
    lone = xp.scatter_add(zeros, index, empty)[index] - empty
    return product * xp.where(count == 0, 1, xp.where(count == 1, lone, 0))


def _sort_vjp(xp, g, x, axis):
    order = xp.argsort(x, axis=axis, kind="stable")
    return xp.scatter_along_axis(xp.zeros(x.shape, g.dtype), order, g, axis)


derive("keep(mask, x)", arrays="mask x", x=lambda xp, g, mask: xp.keep(mask, g))
derive("sort(x, axis=-1)", x=_sort_vjp)


@compose
def top_k(xp, x, k, axis=-1, largest=True):
    """Returns the k largest or smallest values, which carry a gradient, and their positions."""
    _, order = xp.base.top_k(x.array, k, axis, largest)
    order = xp.wrap(order, None)
    return xp.take_along_axis(x, order, axis), order


@compose
def extremes(xp, x, axis, largest=True):
    """Returns the maxima or minima along an axis, which carry a gradient, and their positions."""
    _, at = xp.base.extremes(x.array, axis, largest)
    at = xp.wrap(at, None)
    return xp.take_along_axis(x, at, axis), at


@compose
def extremes_so_far(xp, x, axis, largest=True):
    """Returns the cumulative maxima or minima, which carry a gradient, and their positions."""
    _, at = xp.base.extremes_so_far(x.array, axis, largest)
    at = xp.wrap(at, None)
    return xp.take_along_axis(x, at, axis), at
