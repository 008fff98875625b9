"""Resizing in NumPy, for nearest and linear interpolation: the values of OpenCV, bit for bit.

Linear interpolation of bytes is done in fixed point, as OpenCV does it: weights of 11 bits along a
row, then a product of 16 bits that is rounded once. Halving both sides is a mean of four pixels.
Other dtypes are interpolated in float32 (float64 for float64) and rounded to the nearest even
number. All functions take arrays of shape (..., height, width, channels), so a block of images
costs little more than one.

Source: OpenCV, modules/imgproc/src/resize.cpp (the arithmetic, not the code).
"""

import functools

import numpy as np

_BITS = 11
_ONE = 1 << _BITS


def nearest(images, height, width):
    """Each pixel from the one at its coordinates, rounded down."""
    rows, columns = (
        _nearest_positions(*each)
        for each in ((images.shape[-3], height), (images.shape[-2], width))
    )
    return images.take(rows, -3).take(columns, -2)


@functools.lru_cache(maxsize=256)
def _nearest_positions(size, wanted):
    scale = 1.0 / (wanted / size)
    return np.minimum(np.floor(np.arange(wanted) * scale).astype(np.int64), size - 1)


def linear(images, height, width):
    """Each pixel from the four around its coordinates."""
    old_height, old_width = images.shape[-3:-1]
    if (old_height, old_width) == (2 * height, 2 * width):
        return _halved(images)
    if images.dtype == np.uint8:
        return _linear_bytes(images, height, width)
    work = np.float64 if images.dtype == np.float64 else np.float32
    left, weight_left, weight_right = _positions(old_width, width)
    rows = images.astype(work, copy=False)
    right = np.minimum(left + 1, old_width - 1)
    rows = rows.take(left, -2) * weight_left[:, None].astype(work) + rows.take(
        right, -2
    ) * weight_right[:, None].astype(work)
    top, bottom, weight_top, weight_bottom = _row_positions(old_height, height)
    out = rows.take(top, -3) * weight_top[:, None, None].astype(work) + rows.take(
        bottom, -3
    ) * weight_bottom[:, None, None].astype(work)
    return rounded(out, images.dtype)


def _linear_bytes(images, height, width):
    left, weight_left, weight_right = _positions(images.shape[-2], width)
    right = np.minimum(left + 1, images.shape[-2] - 1)
    rows = images.astype(np.int32)
    rows = (
        rows.take(left, -2) * _fixed(weight_left)[:, None]
        + rows.take(right, -2) * _fixed(weight_right)[:, None]
    ) >> 4
    top, bottom, weight_top, weight_bottom = _row_positions(images.shape[-3], height)
    upper = (rows.take(top, -3) * _fixed(weight_top)[:, None, None]) >> 16
    upper += (rows.take(bottom, -3) * _fixed(weight_bottom)[:, None, None]) >> 16
    upper += 2
    upper >>= 2
    return upper.astype(np.uint8)


def _fixed(weights):
    return np.rint(weights * np.float32(_ONE)).astype(np.int32)


@functools.lru_cache(maxsize=256)
def _raw_positions(size, wanted):
    """The pixel before each coordinate, and the fraction after it."""
    scale = 1.0 / (wanted / size)
    coordinates = ((np.arange(wanted) + 0.5) * scale - 0.5).astype(np.float32)
    first = np.floor(coordinates)
    return first.astype(np.int64), coordinates - first


@functools.lru_cache(maxsize=256)
def _positions(size, wanted):
    """Along a row: the left pixel and the weights of it and its right neighbour."""
    first, fraction = _raw_positions(size, wanted)
    fraction = np.where((first < 0) | (first >= size - 1), np.float32(0), fraction)
    return np.clip(first, 0, size - 1), np.float32(1) - fraction, fraction


@functools.lru_cache(maxsize=256)
def _row_positions(size, wanted):
    """Along a column: both pixels and their weights, which stay what they are at the edges."""
    first, fraction = _raw_positions(size, wanted)
    return (
        np.clip(first, 0, size - 1),
        np.clip(first + 1, 0, size - 1),
        np.float32(1) - fraction,
        fraction,
    )


def _halved(images):
    """The mean of four pixels: of integers rounded up at one half."""
    whole = images.dtype.kind != "f"
    parts = images.astype(np.int32, copy=False) if whole else images
    corners = [parts[..., y::2, x::2, :] for y in (0, 1) for x in (0, 1)]
    total = corners[0] + corners[1] + corners[2] + corners[3]
    if whole:
        return ((total + 2) >> 2).astype(images.dtype)
    vectors = _added_as_vectors(total)
    if vectors:  # the processor's vector instructions add the two rows first
        paired = (corners[0] + corners[1]) + (corners[2] + corners[3])
        total[..., :vectors, :] = paired[..., :vectors, :]
    return total * images.dtype.type(0.25)


def _added_as_vectors(total):
    """How many pixels of a row OpenCV adds with vector instructions: only of float32."""
    width, channels = total.shape[-2:]
    if total.dtype != np.float32 or channels not in (1, 4):
        return 0
    return width if channels == 4 else width // 4 * 4


def rounded(values, dtype):
    """Floats as another dtype, rounded to the nearest even number and clipped to its range."""
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
