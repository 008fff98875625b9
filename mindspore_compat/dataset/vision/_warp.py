"""Affine and perspective warps of images in NumPy, bit-identical to OpenCV 4.

Coordinates are in fixed point: in steps of 1/1024 of a pixel along a row, and of 1/32 for
interpolation. The four weights of a byte are integers whose sum is 2**15.

Source: OpenCV 4, modules/imgproc/src/imgwarp.cpp (the arithmetic, not the code).
"""

import numpy as np

from ._resize import round_to

_STEPS = 32
_FRACTION = 10


def inverse_affine(matrix):
    """Returns the inverse of an affine matrix (2, 3), computed in OpenCV's order."""
    (a, b, c), (d, e, f) = matrix.tolist()
    scale = a * e - b * d
    scale = 1.0 / scale if scale else 0.0
    a, e = e * scale, a * scale
    b, d = b * -scale, d * -scale
    return np.array([[a, b, -a * c - b * f], [d, e, -d * c - e * f]])


def affine_coordinates(matrix, size, nearest):
    """Returns the source coordinates (x, y), in integer steps, of each pixel of the result.

    Args:
        matrix (numpy.ndarray): (2, 3), from new coordinates to old ones.
        size (tuple): (width, height).
        nearest (bool): whether a step is one pixel; otherwise it is 1/32 of a pixel.
    """
    width, height = size
    unit = 1 << _FRACTION
    half = unit // 2 if nearest else unit // _STEPS // 2
    shift = _FRACTION if nearest else _FRACTION - 5
    x, y = np.arange(width), np.arange(height)
    coordinates = []
    for along_x, along_y, start in matrix.tolist():
        steps = np.rint(along_x * x * unit).astype(np.int64)
        starts = np.rint((along_y * y + start) * unit).astype(np.int64) + half
        coordinates.append((starts[:, None] + steps) >> shift)
    return coordinates


def perspective_coordinates(matrix, size, nearest):
    """Returns the source coordinates of `affine_coordinates` for a perspective matrix (3, 3)."""
    width, height = size
    x, y = np.arange(width), np.arange(height)[:, None]
    start = x // 32 * 32  # OpenCV steps within blocks of 32 pixels
    rows = [(a * start + b * y + c) + a * (x - start) for a, b, c in matrix.tolist()]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(rows[2] != 0, (1.0 if nearest else _STEPS) / rows[2], 0.0)
        return [
            np.rint(np.clip(row * scale, -(2**31), 2**31 - 1)).astype(np.int64) for row in rows[:2]
        ]


def warp(image, coordinates, nearest, fill):
    """Returns the pixels of an image (height, width, channels) at coordinates; `fill` outside the
    image."""
    fill = np.asarray(fill).astype(image.dtype)
    x, y = coordinates
    if nearest:
        return np.where(_inside(image, x, y)[..., None], _at(image, x, y), fill)
    x, y, part_x, part_y = x >> 5, y >> 5, x & 31, y & 31
    whole = image.dtype == np.uint8
    corners = [
        (
            _pixel(image, x + right, y + low, fill),
            _weight(part_x, right, whole),
            _weight(part_y, low, whole),
        )
        for low in (0, 1)
        for right in (0, 1)
    ]
    if whole:
        total = sum(
            pixel.astype(np.int64) * (across * down * 32)[..., None]
            for pixel, across, down in corners
        )
        return ((total + (1 << 14)) >> 15).astype(np.uint8)
    work = np.float64 if image.dtype == np.float64 else np.float32
    total = 0
    for pixel, across, down in corners:
        total = total + pixel.astype(work) * (across * down)[..., None].astype(work)
    return round_to(total, image.dtype)


def _weight(part, beyond, whole):
    """Returns the weight of the pixel before (0) or after (1) a coordinate; for bytes, an integer
    of 32."""
    steps = part if beyond else _STEPS - part
    return steps if whole else (steps * np.float32(1 / _STEPS)).astype(np.float32)


def _inside(image, x, y):
    return (x >= 0) & (x < image.shape[1]) & (y >= 0) & (y < image.shape[0])


def _at(image, x, y):
    return image[np.clip(y, 0, image.shape[0] - 1), np.clip(x, 0, image.shape[1] - 1)]


def _pixel(image, x, y, fill):
    return np.where(_inside(image, x, y)[..., None], _at(image, x, y), fill)
