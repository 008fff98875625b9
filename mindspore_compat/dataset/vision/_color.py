"""Colour arithmetic on arrays (height, width, channels): grayscale, blending, hue, histograms.

Bytes are computed as in OpenCV, in fixed point where OpenCV uses it, so results are bit-identical.
PIL images are handled elsewhere, by Pillow.

Source: OpenCV, modules/imgproc/src/color_*.cpp (the arithmetic, not the code).
"""

import numpy as np

from ._resize import round_to

_GREY = np.array([9798, 19235, 3735])  # 0.299, 0.587, 0.114 times 2**15
_GREY_FLOAT = np.array([0.299, 0.587, 0.114], np.float32)


def grey(image, order=(0, 1, 2)):
    """Returns the luminance of each pixel; `order` gives the channels of red, green and blue."""
    red, green, blue = (image[..., index] for index in order)
    if image.dtype.kind == "f":
        r, g, b = _GREY_FLOAT.astype(np.float64)
        return _fma(blue, b, _fma(green, g, red * np.float32(r))).astype(image.dtype)
    parts = [
        channel.astype(np.int64) * weight
        for channel, weight in zip((red, green, blue), _GREY, strict=True)
    ]
    return ((sum(parts) + (1 << 14)) >> 15).astype(image.dtype)


def blend(image, other, factor):
    """Returns `image * factor + other * (1 - factor)`, rounded and clipped to its range."""
    factor = np.float32(factor)
    rest = np.float32(1) - factor
    if image.dtype.kind == "f":
        return (image * np.float64(factor) + other * np.float64(rest)).astype(image.dtype)
    first = image.astype(np.float32) * factor
    return round_to(_fma(np.asarray(other, np.float32), float(rest), first), image.dtype)


def _fma(values, factor, others):
    """Returns `values * factor + others`, rounded once to float32, like a fused multiply-add of a
    processor.
    """
    return (np.multiply(values, factor, dtype=np.float64) + others).astype(np.float32)


def shift_hue(image, factor):
    """Rotates the hue of RGB bytes by a fraction of the circle, in [-0.5, 0.5]."""
    hue, saturation, value = rgb_to_hsv_bytes(image)
    shifted = (hue.astype(np.int64) + int(factor * 255.0)) % 256
    return hsv_to_rgb_bytes(shifted, saturation, value)


def _divisions(numerator):
    """Returns OpenCV's table of `numerator / i` in fixed point with 12 fractional bits; 0 at 0."""
    table = np.zeros(256, np.int64)
    table[1:] = np.rint((numerator << 12) / np.arange(1.0, 256.0)).astype(np.int64)
    return table


_saturations = _divisions(255)
_hues = np.zeros(256, np.int64)
_hues[1:] = np.rint((256 << 12) / (6.0 * np.arange(1.0, 256.0))).astype(np.int64)


def rgb_to_hsv_bytes(image):
    """Converts RGB bytes to hue, saturation and value, all three from 0 to 255."""
    red, green, blue = (image[..., index].astype(np.int64) for index in range(3))
    value = np.maximum(np.maximum(red, green), blue)
    chroma = value - np.minimum(np.minimum(red, green), blue)
    saturation = (chroma * _saturations[value] + (1 << 11)) >> 12
    sixth = np.where(
        value == red,
        green - blue,
        np.where(value == green, blue - red + 2 * chroma, red - green + 4 * chroma),
    )
    hue = (sixth * _hues[chroma] + (1 << 11)) >> 12
    return np.where(hue < 0, hue + 256, hue), saturation, value


def hsv_to_rgb_bytes(hue, saturation, value):
    """Converts hue, saturation and value, all three from 0 to 255, to RGB bytes."""
    one = np.float32(1)
    h = hue.astype(np.float32) * np.float32(6.0 / 255.0)
    s, v = (channel.astype(np.float32) * np.float32(1.0 / 255.0) for channel in (saturation, value))
    sector = np.floor(h).astype(np.int64)
    h = h - sector.astype(np.float32)
    sector %= 6
    choices = np.stack([v, v * (one - s), v * (one - s * h), v * (one - s * (one - h))])
    picks = np.array([[1, 3, 0], [1, 0, 2], [3, 0, 1], [0, 2, 1], [0, 1, 3], [2, 1, 0]])
    channels = [
        np.take_along_axis(choices, picks[sector, index][None], 0)[0] for index in (2, 1, 0)
    ]
    out = np.stack(channels, -1) * np.float32(255)
    fast = out.shape[-2] // 32 * 32  # MindSpore processes whole blocks of 32 pixels of a row
    out[..., :fast, :] = np.floor(out[..., :fast, :])
    return round_to(out, np.dtype(np.uint8))


def through_table(image, table):
    """Maps bytes through one lookup table per channel, (channels, 256)."""
    return np.stack([table[index][image[..., index]] for index in range(image.shape[-1])], -1)


def equalizing(counts):
    """Returns the lookup table that equalizes a channel whose histogram is `counts`."""
    first = np.flatnonzero(counts)[0]
    others = counts.sum() - counts[first]
    if others == 0:
        return np.arange(256, dtype=np.uint8)
    upto = np.maximum(np.cumsum(counts) - counts[first], 0).astype(np.float32)
    return round_to(upto * (np.float32(255) / np.float32(others)), np.dtype(np.uint8))


def stretching(counts, cutoff, ignored):
    """Returns the lookup table that stretches the values of a channel to [0, 255].

    Args:
        counts (numpy.ndarray): the channel's histogram.
        cutoff (float): the percentage of the darkest and of the lightest pixels that are ignored;
            as in MindSpore, a fraction of a percent is cut off.
        ignored (Iterable[int]): values that are not counted.
    """
    counts = counts.copy()
    counts[list(ignored)] = 0
    spare = int(counts.sum()) * int(cutoff) // 100
    for direction in (1, -1):
        remaining = spare
        for value in range(256)[::direction]:
            count = min(remaining, int(counts[value]))
            counts[value] -= count
            remaining -= count
    present = np.flatnonzero(counts)
    low, high = (int(present[0]), int(present[-1])) if len(present) else (0, 0)
    if high <= low:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255) / np.float32(high - low)
    values = np.arange(256, dtype=np.float32) * scale + np.float32(-low) * scale
    return np.clip(values.astype(np.int64), 0, 255).astype(np.uint8)


def histograms(image):
    """Returns the histogram of each channel of bytes, (channels, 256)."""
    return [
        np.bincount(image[..., index].ravel(), minlength=256) for index in range(image.shape[-1])
    ]
