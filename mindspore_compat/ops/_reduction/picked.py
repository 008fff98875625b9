"""The gradient of values that an operator picks along an axis and returns with their positions:
maxima, sorted values, cumulative extremes."""

from ..._core.autograd.slice_sum import expanded_zeros


def picked_vjp(xp, g, shape, out, axis, keepdims=True, add=False):
    """Returns the gradient of an input of this shape.

    Args:
        g: the gradients of the values and of their positions; only the first counts.
        shape: the shape of the input.
        out: the values and their positions.
        axis: the axis along which the values were picked.
        keepdims: whether the values have that axis.
        add: whether a value may be picked several times.
    """
    values, at = g[0], out[1]
    if not shape:
        return values
    if not keepdims:
        values, at = xp.expand_dims(values, axis), xp.expand_dims(at, axis)
    return xp.scatter_along_axis(expanded_zeros(xp, shape, values.dtype), at, values, axis, add)
