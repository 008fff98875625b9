"""Image transforms of colours: brightness, contrast, saturation, hue, gamma, histograms, bits."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int, Number
from .._extra import opencv, pillow
from .._rules import FLOAT_MAX, Factor, Increasing, sequence
from . import _color
from ._image import (
    ImageOperation,
    PixelOperation,
    check_channels,
    check_dtype,
    check_rank,
    with_channels,
)
from ._resize import round_to

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "AutoContrast",
    "Equalize",
    "Invert",
    "Posterize",
    "Solarize",
]

_Ignored = Int(ge=0, le=255) | sequence(Int(ge=0, le=255))


# Adjustments by a factor --------------------------------------------------------------------------


class AdjustBrightness(PixelOperation):
    """Adjusts the brightness of an image: darker for a factor below 1, brighter above 1.

    Args:
        brightness_factor (float): 0 gives black, 1 the image itself.

    Raises:
        TypeError: if `brightness_factor` is not a number.
        ValueError: if `brightness_factor` is negative.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustBrightness(2.0)(np.full((1, 1, 3), 10, np.uint8)))
        [[[20 20 20]]]

    Source: mindspore.dataset.vision.AdjustBrightness of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, brightness_factor: Factor):
        self.brightness_factor = brightness_factor

    def _pil(self, image):
        return enhance("AdjustBrightness", "Brightness", image, self.brightness_factor)

    def _array(self, image, lead):
        check_rank("AdjustBrightness", image, lead, (2, 3))
        if image.ndim - lead == 3:
            check_channels("AdjustBrightness", image, (1, 3))
        return brighten(image, self.brightness_factor)


def enhance(api, kind, image, factor):
    """Applies one of Pillow's enhancements to a PIL image."""
    return getattr(pillow(api, "ImageEnhance"), kind)(image).enhance(factor)


def brighten(image, factor):
    """Multiplies pixels by a factor; rounds and clips the results."""
    if image.dtype == bool:
        return brighten(image.view(np.uint8), factor).view(bool)
    work = np.float64 if image.dtype in (np.float64, np.int32) else np.float32
    return round_to(image.astype(work) * work(np.float32(factor)), image.dtype)


class AdjustContrast(ImageOperation):
    """Adjusts the contrast of an RGB image: lower for a factor below 1, higher above 1.

    Args:
        contrast_factor (float): 0 gives grey, 1 the image itself.

    Raises:
        TypeError: if `contrast_factor` is not a number.
        ValueError: if `contrast_factor` is negative.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustContrast(1.0)(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.AdjustContrast of MindSpore 2.10.
    """

    @checked
    def __init__(self, contrast_factor: Factor):
        self.contrast_factor = contrast_factor

    def _pil(self, image):
        return enhance("AdjustContrast", "Contrast", image, self.contrast_factor)

    def _array(self, image, lead):
        check_rgb("AdjustContrast", image, lead)
        return adjust_contrast(image, self.contrast_factor)


def check_rgb(api, image, lead=0, dtypes=("uint8", "uint16", "float32")):
    """Refuses an array that is not an RGB image.

    Raises:
        RuntimeError: if it is of another shape or dtype.
    """
    check_rank(api, image, lead, (3,))
    check_channels(api, image, (3,))
    check_dtype(api, image, dtypes)


def adjust_contrast(image, factor):
    """Blends an RGB image with its mean grey value."""
    mean = float(_color.grey(image).mean(dtype=np.float64))
    mean = np.float32(mean) if image.dtype.kind == "f" else int(mean + 0.5)
    return _color.blend(image, mean, factor)


class AdjustSaturation(ImageOperation):
    """Adjusts the saturation of an RGB image: lower for a factor below 1, higher above 1.

    Args:
        saturation_factor (float): 0 gives shades of grey, 1 the image itself.

    Raises:
        TypeError: if `saturation_factor` is not a number.
        ValueError: if `saturation_factor` is negative.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustSaturation(1.0)(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.AdjustSaturation of MindSpore 2.10.
    """

    @checked
    def __init__(self, saturation_factor: Factor):
        self.saturation_factor = saturation_factor

    def _pil(self, image):
        return enhance("AdjustSaturation", "Color", image, self.saturation_factor)

    def _array(self, image, lead):
        check_rgb("AdjustSaturation", image, lead)
        return saturate(image, self.saturation_factor)


def saturate(image, factor):
    """Blends an RGB image with its grayscale version."""
    return _color.blend(image, _color.grey(image)[..., None], factor)


class AdjustHue(ImageOperation):
    """Adjusts the hue of an RGB image.

    Args:
        hue_factor (float): the shift as a fraction of the hue circle, in [-0.5, 0.5].

    Raises:
        TypeError: if `hue_factor` is not a number.
        ValueError: if `hue_factor` is out of range.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustHue(0.0)(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.AdjustHue of MindSpore 2.10.
    """

    @checked
    def __init__(self, hue_factor: Number(ge=-0.5, le=0.5)):
        self.hue_factor = hue_factor

    def _pil(self, image):
        return shift_hue_pil("AdjustHue", image, self.hue_factor)

    def _array(self, image, lead):
        check_rgb("AdjustHue", image, lead, ("uint8", "float32"))
        return shift_hue("AdjustHue", image, self.hue_factor)


def shift_hue_pil(api, image, factor):
    """Shifts the hue of a PIL image; a grayscale image is unchanged."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    shifted = (np.array(hue, np.int64) + int(factor * 255)) % 256
    hue = pillow(api).fromarray(shifted.astype(np.uint8))
    return pillow(api).merge("HSV", (hue, saturation, value)).convert(image.mode)


def shift_hue(api, image, factor):
    """Shifts the hue of an RGB image; OpenCV handles floats, whose hue is in degrees."""
    if image.dtype == np.uint8:
        return _color.shift_hue(image, factor)
    cv2 = opencv(api)
    hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV_FULL)
    hsv[..., 0] = (hsv[..., 0].astype(np.int64) + int(factor * 255.0)) % 256
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB_FULL)


class AdjustGamma(ImageOperation):
    """Applies gamma correction: 255 * gain * (pixel / 255) ** gamma.

    Args:
        gamma (float): above 1 makes shadows darker, below 1 lighter.
        gain (float, optional): the factor `gain`.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `gamma` is negative.
        RuntimeError: if an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustGamma(1.0)(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.AdjustGamma of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, gamma: Factor, gain: Number(ge=-FLOAT_MAX, le=FLOAT_MAX) = 1):
        self.gamma, self.gain = gamma, gain

    def _pil(self, image):
        mode = image.mode
        table = [
            int((255 + 1 - 1e-3) * self.gain * pow(value / 255.0, self.gamma))
            for value in range(256)
        ]
        rgb = image.convert("RGB")
        return rgb.point(table * 3).convert(mode)

    def _array(self, image, lead):
        check_rank("AdjustGamma", image, lead, (2, 3, 4))
        if image.ndim - lead > 2:
            check_channels("AdjustGamma", image, (1, 3))
        check_dtype(
            "AdjustGamma",
            image,
            (
                "bool",
                "uint8",
                "uint16",
                "int8",
                "int16",
                "int32",
                "uint32",
                "float16",
                "float32",
                "float64",
            ),
        )
        gamma, gain = np.float32(self.gamma), np.float32(self.gain)
        work = image.astype(np.float32)
        if image.dtype.kind == "f":
            return np.clip((work * gain) ** gamma, 0, 1)  # as MindSpore, against its page
        out = (work / np.float32(255)) ** gamma * gain * np.float32(256 - 1e-3)
        return np.clip(out, 0, 255).astype(image.dtype)


class AdjustSharpness(ImageOperation):
    """Adjusts the sharpness of an image: blurs it for a factor below 1, sharpens it above 1. Needs
    OpenCV.

    Args:
        sharpness_factor (float): 0 gives a blurred image, 1 the image itself.

    Raises:
        TypeError: if `sharpness_factor` is not a number.
        ValueError: if `sharpness_factor` is negative.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AdjustSharpness(1.0)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.AdjustSharpness of MindSpore 2.10.
    """

    @checked
    def __init__(self, sharpness_factor: Factor):
        self.sharpness_factor = sharpness_factor

    def _array(self, image, lead):
        return sharpen("AdjustSharpness", image, self.sharpness_factor)


def sharpen(api, image, factor):
    """Blends an image with a smoothed copy; the border pixels are unchanged. The factor is a
    float32, as in MindSpore."""
    factor = float(np.float32(factor))
    check_rank(api, image, 0, (2, 3))
    image = image.view(np.uint8) if image.dtype == bool else image
    check_dtype(api, image, ("uint8", "uint16", "int16", "float32", "float64"))
    cv2 = opencv(api)
    kernel = np.ones((3, 3), np.float32)
    kernel[1, 1] = 5
    smooth = cv2.filter2D(image, -1, kernel / np.float32(13)).reshape(image.shape)
    smoothed = image.copy()
    smoothed[1:-1, 1:-1] = smooth[1:-1, 1:-1]
    return cv2.addWeighted(image, factor, smoothed, 1.0 - factor, 0).reshape(image.shape)


# Histograms and bits ------------------------------------------------------------------------------


class Equalize(ImageOperation):
    """Equalizes the histogram of each channel of an image.

    Raises:
        RuntimeError: if an image does not hold bytes, or has neither one nor three channels; raised
            when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Equalize()(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.Equalize of MindSpore 2.10.
    """

    def _pil(self, image):
        return pillow("Equalize", "ImageOps").equalize(image)

    def _array(self, image, lead):
        return map_channels("Equalize", image, _color.equalizing)


def map_channels(api, image, table_of):
    """Maps each channel of a byte image through a table computed from its histogram.

    Raises:
        RuntimeError: if the image is of another shape or dtype.
    """
    check_rank(api, image, 0, (2, 3))
    check_dtype(api, image, ("uint8", "bool"))
    image, alone = with_channels(image.view(np.uint8), 0)
    check_channels(api, image, (1, 3))
    out = _color.through_table(
        image, [table_of(histogram) for histogram in _color.histograms(image)]
    )
    return out[..., 0] if alone else out


class AutoContrast(ImageOperation):
    """Maximizes the contrast of an image: stretches the values of each channel to [0, 255].

    Args:
        cutoff (float, optional): the percentage of the darkest and of the lightest pixels that are
            ignored, in [0, 50).
        ignore (Union[int, sequence], optional): values that are not counted, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image does not hold bytes, or has neither one nor three channels; raised
            when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AutoContrast()(np.array([[[10, 10, 10], [20, 20, 20]]],
        ...         np.uint8)))
        [[[  0   0   0]
          [255 255 255]]]

    Source: mindspore.dataset.vision.AutoContrast of MindSpore 2.10.
    """

    @checked
    def __init__(self, cutoff: Number(ge=0.0, lt=50.0) = 0.0, ignore: _Ignored = None):
        self.cutoff = cutoff
        self.ignore = [] if ignore is None else [ignore] if isinstance(ignore, int) else ignore

    def _pil(self, image):
        return pillow("AutoContrast", "ImageOps").autocontrast(
            image, self.cutoff, self.ignore or None
        )

    def _array(self, image, lead):
        return map_channels(
            "AutoContrast",
            image,
            lambda counts: _color.stretching(counts, self.cutoff, self.ignore),
        )


class Posterize(ImageOperation):
    """Posterizes an image: keeps the upper bits of each byte.

    Args:
        bits (int): the number of bits, in [0, 8].

    Raises:
        TypeError: if `bits` is not an int.
        ValueError: if `bits` is out of range.
        RuntimeError: if an image does not hold bytes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Posterize(1)(np.array([[[0, 100, 255]]], np.uint8)))
        [[[  0   0 128]]]

    Source: mindspore.dataset.vision.Posterize of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, bits: Int(ge=0, le=8)):
        self.bits = bits

    def _array(self, image, lead):
        check_rank("Posterize", image, lead, (2, 3))
        return posterize("Posterize", image, self.bits)


def posterize(api, image, bits):
    """Keeps the upper bits of bytes."""
    check_dtype(api, image, ("uint8", "bool"))
    return image.view(np.uint8) & np.uint8(255 << (8 - bits) & 255)


class Solarize(PixelOperation):
    """Solarizes an image: inverts the pixels whose value lies in a range.

    Args:
        threshold (Union[float, sequence]): (min, max) of the range, in [0, 255]; with one value, or
            min = max, all pixels from that value on.

    Raises:
        TypeError: if `threshold` is neither.
        ValueError: if a value is out of range, or min > max.
        RuntimeError: if an image has neither one nor three channels; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Solarize((100, 255))(np.array([[[0, 100, 255]]], np.uint8)))
        [[[  0 155   0]]]

    Source: mindspore.dataset.vision.Solarize of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, threshold: Number(ge=0, le=255) | Increasing(Number(ge=0, le=255))):
        self.threshold = threshold

    def _array(self, image, lead):
        low, high = (
            (self.threshold,) * 2 if isinstance(self.threshold, (int, float)) else self.threshold
        )
        return solarize("Solarize", image, low, high, lead)


def solarize(api, image, low, high, lead=0):
    """Inverts the pixels in a range; all pixels from `low` on if the range is one value."""
    check_rank(api, image, lead, (2, 3))
    if image.ndim - lead == 3:
        check_channels(api, image, (1, 3))
    if image.dtype == bool:
        return solarize(api, image.view(np.uint8), low, high, lead).view(bool)
    inside = image >= low if low == high else (image >= low) & (image <= high)
    return np.where(inside, invert(image), image)


def invert(image):
    """Subtracts each pixel from 255; clips the results."""
    if image.dtype == bool:
        return np.ones_like(image)
    if image.dtype == np.uint8:
        return 255 - image
    return round_to(255.0 - image.astype(np.float64), image.dtype)


class Invert(PixelOperation):
    """Inverts the colours of an RGB image: 255 minus each pixel.

    Raises:
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Invert()(np.array([[[0, 100, 255]]], np.uint8)))
        [[[255 155   0]]]

    Source: mindspore.dataset.vision.Invert of MindSpore 2.10.
    """

    blockwise = True

    def _pil(self, image):
        return pillow("Invert", "ImageOps").invert(image)

    def _array(self, image, lead):
        check_rank("Invert", image, lead, (3,))
        check_channels("Invert", image, (3,))
        return invert(image)
