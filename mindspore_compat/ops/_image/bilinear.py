"""Sampling of images at fractional points: nearest neighbour and linear interpolation.

Linear interpolation averages 2, 4 or 8 pixels. All functions are composed of `xp` functions, so
image and coordinates both have gradients.
"""

from itertools import product
from math import prod

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive


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
    pixels = _rows_of_pixels(xp, x)
    total = 0
    for indices, weight in _corners_inside(xp, x.shape, images, ys, xs):
        total = total + pixels(indices) * xp.expand_dims(weight, -1)
    return total


@implements
def spread_inside(xp, g, images, ys, xs, x_shape):
    """Computes the gradient of `inside_points` for the images, which have the shape `x_shape`."""
    count, channels, height, width = x_shape
    corners = _corners_inside(xp, x_shape, images, ys, xs)
    parts = [g * xp.expand_dims(weight, -1) for _, weight in corners]
    indices = xp.reshape(xp.stack([indices for indices, _ in corners]), (-1,))
    rows = xp.reshape(xp.stack(parts), (-1, channels))
    sums = xp.segment_sum(indices, rows, count * height * width)
    return xp.moveaxis(xp.reshape(sums, (count, height, width, channels)), -1, 1)


@implements
def slope_inside(xp, g, x, images, ys, xs, by_ceil=False):
    """Computes the gradients of `inside_points` for the vertical and the horizontal coordinates;
    the catalogue explains `by_ceil`."""
    pixels = _rows_of_pixels(xp, x)
    sums = [
        xp.sum(pixels(indices) * g, -1)
        for indices, _ in _corners_inside(xp, x.shape, images, ys, xs, by_ceil)
    ]
    y, x = ys - xp.floor(ys), xs - xp.floor(xs)
    return (
        (1 - x) * (sums[2] - sums[0]) + x * (sums[3] - sums[1]),
        (1 - y) * (sums[1] - sums[0]) + y * (sums[3] - sums[2]),
    )


def _rows_of_pixels(xp, x):
    """Returns a function that takes flat positions (R, P) in images (N, C, H, W), and returns the
    pixels there, (R, P, C)."""
    rows = xp.reshape(xp.moveaxis(x, 1, -1), (-1, x.shape[1]))
    return lambda at: xp.reshape(xp.take(rows, xp.reshape(at, (-1,)), 0), (*at.shape, x.shape[1]))


def _corners_inside(xp, shape, images, ys, xs, by_ceil=False):
    """Returns the flat positions of the four pixels around points, and their weights: above first,
    then to the left."""
    height, width = shape[2:]
    start = xp.reshape(xp.cast(images, "int64") * (height * width), (-1, 1))
    y0, x0 = xp.floor(ys), xp.floor(xs)
    y1, x1 = (xp.ceil(ys), xp.ceil(xs)) if by_ceil else (y0 + 1, x0 + 1)
    y, x = ys - y0, xs - x0
    corners = []
    for at_y, share_y in ((y0, 1 - y), (xp.minimum(y1, height - 1), y)):
        for at_x, share_x in ((x0, 1 - x), (xp.minimum(x1, width - 1), x)):
            indices = start + xp.cast(at_y, "int64") * width + xp.cast(at_x, "int64")
            corners.append((indices, share_y * share_x))
    return corners


def _inside_points_vjp(xp, g, x, images, ys, xs, needs_grad):
    """Returns the gradients for the images and for the coordinates."""
    grad_x, slopes = None, (None, None)
    if needs_grad[0]:
        grad_x = xp.spread_inside(g, images, ys, xs, x.shape)
    if needs_grad[1] or needs_grad[2]:
        slopes = xp.slope_inside(g, x, images, ys, xs)
    return grad_x, *slopes


derive("inside_points(x, images, ys, xs)", arrays="x ys xs", joint=_inside_points_vjp)
