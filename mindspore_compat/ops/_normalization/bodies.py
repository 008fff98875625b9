"""The body of the kernel of batch, group and layer norm, and the shapes of their data.

The body `standardized` becomes one kernel. On a GPU, _backend/bodies/row_kernels.py writes it as
CUDA C, from the plan of _backend/bodies/row_plan.py. On a CPU, _backend/bodies/host.py compiles it
as a loop.
"""

from math import prod


def standardized(xp, x, scale, shift, *, eps, gives_rstd):
    """Standardizes each row to mean 0 and standard deviation 1, scales and shifts it, in a single
    kernel.

    Returns:
        The result, the mean, and the variance; if `gives_rstd`, the reciprocal of the standard
        deviation instead of the variance.
    """
    mean, rest, var = xp.row_moments(x)
    part = x - mean - rest
    rstd = 1 / xp.sqrt(var + eps)
    out = part * rstd if scale is None else part * (rstd * scale)
    out = out if shift is None else out + shift
    return out, mean + rest, rstd if gives_rstd else var


def planes_of(xp, x):
    """Returns data (N, C, ...) as (N, C, the product of the other axes)."""
    return xp.reshape(x, (x.shape[0], x.shape[1], prod(x.shape[2:])))


def column(xp, v):
    """Returns values per channel as (C, 1), which broadcasts over `planes_of`."""
    return xp.reshape(v, (-1, 1))


def dots(xp, x, y):
    """Computes inner products along the last axis."""
    if x.shape[-1] == 1:
        return xp.squeeze(x * y, -1)
    products = xp.matmul(xp.expand_dims(x, -2), xp.expand_dims(y, -1))
    return xp.reshape(products, x.shape[:-1])
