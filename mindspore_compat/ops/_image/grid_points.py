"""Samples of images and volumes at the points of a grid, and their gradients.

`sample_points` is a function of `xp`, and so are its gradients for the images (`spread_points`) and
for the grid (`slope_points`). The gradients are composed of `xp` functions, so derivatives of every
order exist. On the host, compiled loops compute float32 images (_backend/loops/grid_points.py).
"""

from itertools import product
from math import prod

import numpy

from ..._backend.compiled import door
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from .bilinear import between, nearest, pixel_indices


def _reflect(xp, at, low, high):
    """Returns coordinates reflected into [low, high], and the derivative: 1, -1 or 0."""
    if high <= low:
        return at * 0, at * 0
    span = high - low
    away = xp.abs(at - low)
    extra = xp.fmod(away, span)
    even = xp.fmod(xp.floor(away / span), 2) == 0
    turn = xp.where(even, 1, -1) * xp.sign(at - low)
    return xp.where(even, extra + low, span - extra + low), turn


def _positions(xp, grid, size, padding, corners):
    """Returns the pixel coordinates of a grid in [-1, 1], slowest dimension first, and their
    derivatives with respect to its numbers; (N, P) arrays. If `corners` is None, the grid has pixel
    coordinates, with the padding "zeros"."""
    count = len(size)
    flat = xp.reshape(grid, (grid.shape[0], prod(grid.shape[1:-1]), count))
    points, slopes = [], []
    for i, n in enumerate(size):
        at = flat[:, :, count - 1 - i]
        if corners is None:  # pixels further outside count as 0, too
            points.append(xp.minimum(xp.fmax(at, -2), n + 1))
            slopes.append(1)
            continue
        at = (at + 1) * ((n - 1) / 2) if corners else ((at + 1) * n - 1) / 2
        slope = (n - 1) / 2 if corners else n / 2
        if padding == "reflection":
            at, turn = _reflect(xp, at, *((0, n - 1) if corners else (-0.5, n - 0.5)))
            slope = slope * turn
        low, high = (-2, n + 1) if padding == "zeros" else (0, n - 1)  # a NaN becomes `low`
        inside = (at > low) & (at < high)
        outermost = xp.stop(xp.minimum(xp.where(at > low, at, low), high))
        points.append(xp.where(inside, at, outermost))
        slopes.append(xp.where(inside, slope, 0))
    return points, slopes


def _on_host(*arrays):
    return all(type(array) is numpy.ndarray for array in arrays)


@implements
def sample_points(xp, x, grid, mode, padding, corners):
    """Samples images (N, C, ...) at the points of a grid (N, ..., dimensions), x first; returns
    (N, C, ...)."""
    if _on_host(x, grid):
        out = door.call("sample_points", x, grid, mode, padding, corners)
        if out is not None:
            return out
    points, _ = _positions(xp, grid, x.shape[2:], padding, corners)
    result = (between if mode == "bilinear" else nearest)(xp, x, points)
    return xp.reshape(xp.moveaxis(result, 2, 1), (*x.shape[:2], *grid.shape[1:-1]))


@implements
def spread_points(xp, g, grid, x_shape, mode, padding, corners):
    """Computes the gradient of `sample_points` for images of the shape `x_shape`."""
    if _on_host(g, grid):
        out = door.call("spread_points", g, grid, x_shape, mode, padding, corners)
        if out is not None:
            return out
    count, channels, *size = x_shape
    area = prod(size)
    values = _of_points(xp, g)
    points, _ = _positions(xp, grid, size, padding, corners)
    first = xp.reshape(xp.arange(count) * area, (-1, 1))
    indices, rows = [], []
    for pixels, weight in _corners(xp, points, mode):
        flat, inside = pixel_indices(xp, pixels, size)
        indices.append(flat + first)
        part = values if weight is None else values * xp.expand_dims(weight, -1)
        rows.append(xp.where(xp.expand_dims(inside, -1), part, 0))
    rows = xp.reshape(xp.stack(rows), (-1, channels))
    sums = xp.segment_sum(xp.reshape(xp.stack(indices), (-1,)), rows, count * area)
    return xp.reshape(xp.moveaxis(xp.reshape(sums, (count, area, channels)), 2, 1), x_shape)


@implements
def slope_points(xp, g, x, grid, mode, padding, corners):
    """Computes the gradient of `sample_points` for the grid; 0 for the nearest pixel."""
    if mode == "nearest":
        return xp.zeros_like(grid)
    if _on_host(g, x, grid):
        out = door.call("slope_points", g, x, grid, padding, corners)
        if out is not None:
            return out
    values = _of_points(xp, g)
    points, slopes = _positions(xp, grid, x.shape[2:], padding, corners)
    shares = [at - xp.floor(at) for at in points]
    totals = [0] * len(points)
    for corner in product((0, 1), repeat=len(points)):
        pixels = [xp.stop(xp.floor(at)) + c for at, c in zip(points, corner)]
        samples = nearest(xp, x, pixels)
        along = xp.sum(samples * values, -1)
        for axis, c in enumerate(corner):
            part = along if c else -along
            for other, share in enumerate(shares):
                if other != axis:
                    part = part * (share if corner[other] else 1 - share)
            totals[axis] = totals[axis] + part
    parts = [total * slope for total, slope in zip(totals, slopes)]
    return xp.reshape(xp.stack(parts[::-1], -1), grid.shape)


def _of_points(xp, g):
    """Returns gradients (N, C, ...) as (N, points, C)."""
    count, channels = g.shape[:2]
    return xp.moveaxis(xp.reshape(g, (count, channels, prod(g.shape[2:]))), 1, 2)


def _corners(xp, points, mode):
    """Returns, for each pixel around the points, its coordinates and its weight; None for a weight
    of 1."""
    if mode == "nearest":
        return [([xp.rint(at) for at in points], None)]
    lows = [xp.floor(at) for at in points]
    shares = [at - low for at, low in zip(points, lows)]
    corners = []
    for corner in product((0, 1), repeat=len(points)):
        weight = 1
        for share, c in zip(shares, corner):
            weight = weight * (share if c else 1 - share)
        corners.append(([low + c for low, c in zip(lows, corner)], weight))
    return corners


derive(
    "sample_points(x, grid, mode, padding, corners)",
    x=lambda xp, g, grid, x_shape, mode, padding, corners: xp.spread_points(
        g, grid, x_shape, mode, padding, corners
    ),
    grid=lambda xp, g, x, grid, mode, padding, corners: xp.slope_points(
        g, x, grid, mode, padding, corners
    ),
)
