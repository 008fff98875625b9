"""Sampling of images at fractional points: nearest neighbour and linear interpolation.

Linear interpolation averages 2, 4 or 8 pixels. All functions are composed of `xp` functions, so
image and coordinates both have gradients.
"""

from itertools import product
from math import prod

from ..._backend.space import implements


def _pixels(xp, x, indices, inside=None):
    """Returns the pixels of (N, C, ...) at flat positions (N, P), as (N, P, C); 0 where not
    `inside`."""
    count, channels, area = x.shape[0], x.shape[1], prod(x.shape[2:])
    rows = xp.reshape(xp.moveaxis(xp.reshape(x, (count, channels, area)), 1, 2), (-1, channels))
    flat = xp.reshape(indices + xp.reshape(xp.arange(count) * area, (-1, 1)), (-1,))
    result = xp.reshape(xp.take(rows, flat, 0), (*indices.shape, channels))
    return result if inside is None else xp.where(xp.expand_dims(inside, -1), result, 0)


def pixel_indices(xp, points, size):
    """Converts integer points, one array per dimension, to flat positions; also returns whether
    each lies inside."""
    inside, flat = None, 0
    for at, n in zip(points, size):
        good = (at >= 0) & (at < n)
        inside = good if inside is None else inside & good
        flat = flat * n + xp.minimum(xp.maximum(at, 0), n - 1)
    return xp.cast(flat, "int64"), inside


def grid(xp, rows, columns):
    """Returns the points of grids, given their rows (N, H) and columns (N, W): the vertical and the
    horizontal coordinates, (N, H * W) each."""
    shape = (*rows.shape, columns.shape[1])
    flat = (shape[0], shape[1] * shape[2])
    ys = xp.reshape(xp.broadcast_to(xp.expand_dims(rows, 2), shape), flat)
    xs = xp.reshape(xp.broadcast_to(xp.expand_dims(columns, 1), shape), flat)
    return ys, xs


def between(xp, x, points):
    """Interpolates (N, C, ...) at fractional points, one (N, P) array per dimension; returns (N, P,
    C).

    Pixels outside the image count as 0.
    """
    size = tuple(x.shape[2:])
    lows = [xp.floor(at) for at in points]
    total = 0
    for corner in product((0, 1), repeat=len(size)):
        at = [low + c for low, c in zip(lows, corner)]
        weight = 1
        for value, low, c in zip(points, lows, corner):
            share = value - low
            weight = weight * (share if c else 1 - share)
        total = total + _pixels(xp, x, *pixel_indices(xp, at, size)) * xp.expand_dims(weight, -1)
    return total


def nearest(xp, x, points):
    """Returns values of the pixels nearest to fractional points, 0 outside the image."""
    return _pixels(xp, x, *pixel_indices(xp, [xp.rint(at) for at in points], tuple(x.shape[2:])))


@implements
def inside_points(xp, x, images, ys, xs):
    """Interpolates (N, C, H, W) linearly at points (R, P) inside the images at the indices `images`
    (R,); returns (R, P, C)."""
    channels, area, width = x.shape[1], x.shape[2] * x.shape[3], x.shape[3]
    rows = xp.reshape(xp.moveaxis(x, 1, -1), (-1, channels))
    start = xp.reshape(xp.cast(images, "int64") * area, (-1, 1))
    y0, x0 = xp.floor(ys), xp.floor(xs)
    total = 0
    for down, right in product((0, 1), repeat=2):
        at_y = xp.minimum(y0 + down, x.shape[2] - 1)
        at_x = xp.minimum(x0 + right, width - 1)
        indices = start + xp.cast(at_y, "int64") * width + xp.cast(at_x, "int64")
        share_y, share_x = ys - y0, xs - x0
        weight = (share_y if down else 1 - share_y) * (share_x if right else 1 - share_x)
        result = xp.reshape(
            xp.take(rows, xp.reshape(indices, (-1,)), 0), (*indices.shape, channels)
        )
        total = total + result * xp.expand_dims(weight, -1)
    return total
