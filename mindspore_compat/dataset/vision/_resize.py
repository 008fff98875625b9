"""Image resizing in NumPy with nearest and linear interpolation, bit-identical to OpenCV.

Linear interpolation of bytes uses fixed point, as in OpenCV: weights of 11 bits along a row, then a
product of 16 bits that is rounded once. Halving both sides averages four pixels. Other dtypes are
interpolated in float32 (float64 for float64) and rounded to the nearest even number. All functions
take arrays of shape (..., height, width, channels), so resizing a block of images costs little more
than resizing one.

Source: OpenCV, modules/imgproc/src/resize.cpp (the arithmetic, not the code).
"""

import functools

import numpy as np

_BITS = 11
_ONE = 1 << _BITS


def nearest(images, height, width):
    """Interpolates by nearest neighbour: takes the pixel at the coordinates, rounded down."""
    rows, columns = (
        _nearest_positions(*lengths)
        for lengths in ((images.shape[-3], height), (images.shape[-2], width))
    )
    return images.take(rows, -3).take(columns, -2)


@functools.lru_cache(maxsize=256)
def _nearest_positions(size, new_size):
    scale = 1.0 / (new_size / size)
    return np.minimum(np.floor(np.arange(new_size) * scale).astype(np.int64), size - 1)


def linear(images, height, width):
    """Interpolates bilinearly between the four pixels around the coordinates."""
    old_height, old_width = images.shape[-3:-1]
    if (old_height, old_width) == (2 * height, 2 * width):
        return _halve(images)
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
    return round_to(out, images.dtype)


def _linear_bytes(images, height, width):
    left, weight_left, weight_right = _positions(images.shape[-2], width)
    right = np.minimum(left + 1, images.shape[-2] - 1)
    rows = images.astype(np.int32)
    rows = (
        rows.take(left, -2) * _fixed_point(weight_left)[:, None]
        + rows.take(right, -2) * _fixed_point(weight_right)[:, None]
    ) >> 4
    top, bottom, weight_top, weight_bottom = _row_positions(images.shape[-3], height)
    upper = (rows.take(top, -3) * _fixed_point(weight_top)[:, None, None]) >> 16
    upper += (rows.take(bottom, -3) * _fixed_point(weight_bottom)[:, None, None]) >> 16
    upper += 2
    upper >>= 2
    return upper.astype(np.uint8)


def _fixed_point(weights):
    return np.rint(weights * np.float32(_ONE)).astype(np.int32)


@functools.lru_cache(maxsize=256)
def _raw_positions(size, new_size):
    """Returns the pixel before each coordinate, and the fraction after it."""
    scale = 1.0 / (new_size / size)
    coordinates = ((np.arange(new_size) + 0.5) * scale - 0.5).astype(np.float32)
    first = np.floor(coordinates)
    return first.astype(np.int64), coordinates - first


@functools.lru_cache(maxsize=256)
def _positions(size, new_size):
    """Returns, along a row, the left pixel, its weight, and the weight of its right neighbour."""
    first, fraction = _raw_positions(size, new_size)
    fraction = np.where((first < 0) | (first >= size - 1), np.float32(0), fraction)
    return np.clip(first, 0, size - 1), np.float32(1) - fraction, fraction


@functools.lru_cache(maxsize=256)
def _row_positions(size, new_size):
    """Returns, along a column, the upper pixel, the lower pixel and their weights. Edge pixels
    replace pixels beyond the edge; the weights stay the same."""
    first, fraction = _raw_positions(size, new_size)
    return (
        np.clip(first, 0, size - 1),
        np.clip(first + 1, 0, size - 1),
        np.float32(1) - fraction,
        fraction,
    )


def _halve(images):
    """Returns the mean of four pixels; for integers, one half is rounded up."""
    whole = images.dtype.kind != "f"
    parts = images.astype(np.int32, copy=False) if whole else images
    corners = [parts[..., y::2, x::2, :] for y in (0, 1) for x in (0, 1)]
    total = corners[0] + corners[1] + corners[2] + corners[3]
    if whole:
        return ((total + 2) >> 2).astype(images.dtype)
    vectors = _vector_pixels(total)
    if vectors:  # vector instructions add the two rows first
        row_sums = (corners[0] + corners[1]) + (corners[2] + corners[3])
        total[..., :vectors, :] = row_sums[..., :vectors, :]
    return total * images.dtype.type(0.25)


def _vector_pixels(total):
    """Returns the number of pixels of a row that OpenCV adds with vector instructions; 0 except for
    float32.
    """
    width, channels = total.shape[-2:]
    if total.dtype != np.float32 or channels not in (1, 4):
        return 0
    return width if channels == 4 else width // 4 * 4


def round_to(values, dtype):
    """Casts floats to another dtype, rounded to the nearest even number and clipped to its
    range."""
    if dtype.kind == "b":
        return np.rint(values).astype(dtype)
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
