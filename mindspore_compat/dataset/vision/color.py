"""Image transforms that change colours: brightness, contrast, hue, histograms, colour spaces."""

import numpy as np

from ..._core.checking import Forbid, checked
from ..._core.rules import Bool, Int, ListOf, Number, OneOf, TupleOf
from .._extra import opencv, pillow
from .._rules import AnInstance, increasing, sequence
from . import _color
from ._image import ImageOperation, PilOperation, check_channels, check_rank, pair, with_channels
from ._resize import rounded
from .utils import ConvertMode

__all__ = ["AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation",
           "AdjustSharpness", "AutoContrast", "ConvertColor", "Equalize", "GaussianBlur",
           "Grayscale", "HsvToRgb", "Invert", "Posterize", "RgbToHsv", "Solarize"]

_Factor = Number(ge=0.0)
_Ignored = Int(ge=0, le=255) | sequence(Int(ge=0, le=255))
_Sigma = Number(gt=0.0)


def _check_numbers(api, image, dtypes):
    """Refuses an image of another dtype.

    Raises:
        RuntimeError: it has another.
    """
    if image.dtype.name not in dtypes:
        raise RuntimeError(f"For '{api}', an image must hold {' or '.join(dtypes)}, but got "
                           f"{image.dtype}.")


# Adjustments by a factor --------------------------------------------------------------------------

class AdjustBrightness(ImageOperation):
    """Makes an image darker (factor below 1) or brighter (above 1).

    Args:
        brightness_factor (float): 0 gives black, 1 the image itself.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: an image has not two or three axes; told when it is used.
    """

    blockwise = True

    @checked
    def __init__(self, brightness_factor: _Factor):
        self.brightness_factor = brightness_factor

    def _pil(self, image):
        return enhanced("AdjustBrightness", "Brightness", image, self.brightness_factor)

    def _array(self, image, lead):
        check_rank("AdjustBrightness", image, lead, (2, 3))
        if image.ndim - lead == 3:
            check_channels("AdjustBrightness", image, (1, 3))
        return brightened(image, self.brightness_factor)


def enhanced(api, kind, image, factor):
    """What Pillow's enhancement of this kind makes of a PIL image."""
    return getattr(pillow(api, "ImageEnhance"), kind)(image).enhance(factor)


def brightened(image, factor):
    """Pixels times a factor, rounded and kept in range."""
    if image.dtype == bool:
        return brightened(image.view(np.uint8), factor).view(bool)
    work = np.float64 if image.dtype in (np.float64, np.int32) else np.float32
    return rounded(image.astype(work) * work(np.float32(factor)), image.dtype)


class AdjustContrast(ImageOperation):
    """Lowers (factor below 1) or raises (above 1) the contrast of an RGB image.

    Args:
        contrast_factor (float): 0 gives grey, 1 the image itself.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: an image is not of shape (height, width, 3); told when it is used.
    """

    @checked
    def __init__(self, contrast_factor: _Factor):
        self.contrast_factor = contrast_factor

    def _pil(self, image):
        return enhanced("AdjustContrast", "Contrast", image, self.contrast_factor)

    def _array(self, image, lead):
        check_rgb("AdjustContrast", image, lead)
        return contrasted(image, self.contrast_factor)


def check_rgb(api, image, lead=0, dtypes=("uint8", "uint16", "float32")):
    """Refuses what is not an RGB image.

    Raises:
        RuntimeError: it is of another shape or dtype.
    """
    check_rank(api, image, lead, (3,))
    check_channels(api, image, (3,))
    _check_numbers(api, image, dtypes)


def contrasted(image, factor):
    """An RGB image blended with its mean grey."""
    mean = float(_color.grey(image).mean(dtype=np.float64))
    mean = np.float32(mean) if image.dtype.kind == "f" else int(mean + 0.5)
    return _color.blended(image, mean, factor)


class AdjustSaturation(ImageOperation):
    """Lowers (factor below 1) or raises (above 1) the saturation of an RGB image.

    Args:
        saturation_factor (float): 0 gives shades of grey, 1 the image itself.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: an image is not of shape (height, width, 3); told when it is used.
    """

    @checked
    def __init__(self, saturation_factor: _Factor):
        self.saturation_factor = saturation_factor

    def _pil(self, image):
        return enhanced("AdjustSaturation", "Color", image, self.saturation_factor)

    def _array(self, image, lead):
        check_rgb("AdjustSaturation", image, lead)
        return saturated(image, self.saturation_factor)


def saturated(image, factor):
    """An RGB image blended with its grey."""
    return _color.blended(image, _color.grey(image)[..., None], factor)


class AdjustHue(ImageOperation):
    """Turns the hue of an RGB image.

    Args:
        hue_factor (float): a part of the circle, in [-0.5, 0.5].

    Raises:
        TypeError: it is no number.
        ValueError: it is out of range.
        RuntimeError: an image is not of shape (height, width, 3); told when it is used.
    """

    @checked
    def __init__(self, hue_factor: Number(ge=-0.5, le=0.5)):
        self.hue_factor = hue_factor

    def _pil(self, image):
        return hue_moved_pil("AdjustHue", image, self.hue_factor)

    def _array(self, image, lead):
        check_rgb("AdjustHue", image, lead, ("uint8", "float32"))
        return hue_moved("AdjustHue", image, self.hue_factor)


def hue_moved_pil(api, image, factor):
    """A PIL image with its hue turned; an image without hue stays as it is."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = (np.array(hue, np.int64) + int(factor * 255)) % 256
    hue = pillow(api).fromarray(turned.astype(np.uint8))
    return pillow(api).merge("HSV", (hue, saturation, value)).convert(image.mode)


def hue_moved(api, image, factor):
    """An RGB image with its hue turned; floats, whose hue counts in degrees, by OpenCV."""
    if image.dtype == np.uint8:
        return _color.hue_moved(image, factor)
    cv2 = opencv(api)
    hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV_FULL)
    hsv[..., 0] = (hsv[..., 0].astype(np.int64) + int(factor * 255.0)) % 256
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB_FULL)


class AdjustGamma(ImageOperation):
    """Corrects by a power: 255 * gain * (pixel / 255) ** gamma.

    Args:
        gamma (float): above 1 makes shadows darker, below 1 lighter.
        gain (float, optional): a factor.

    Raises:
        TypeError: one is no number.
        ValueError: `gamma` is negative.
        RuntimeError: an image has fewer than two axes; told when it is used.
    """

    blockwise = True

    @checked
    def __init__(self, gamma: _Factor, gain: Number = 1):
        self.gamma, self.gain = gamma, gain

    def _pil(self, image):
        mode = image.mode
        table = [int((255 + 1 - 1e-3) * self.gain * pow(value / 255.0, self.gamma))
                 for value in range(256)]
        converted = image.convert("RGB")
        return converted.point(table * 3).convert(mode)

    def _array(self, image, lead):
        check_rank("AdjustGamma", image, lead, (2, 3, 4))
        if image.ndim - lead > 2:
            check_channels("AdjustGamma", image, (1, 3))
        _check_numbers("AdjustGamma", image, (
            "bool", "uint8", "uint16", "int8", "int16", "int32", "uint32", "float16", "float32",
            "float64"))
        gamma, gain = np.float32(self.gamma), np.float32(self.gain)
        work = image.astype(np.float32)
        if image.dtype.kind == "f":
            return np.clip(work ** gamma * gain, 0, 1)
        out = (work / np.float32(255)) ** gamma * gain * np.float32(256 - 1e-3)
        return np.clip(out, 0, 255).astype(image.dtype)


class AdjustSharpness(ImageOperation):
    """Blurs (factor below 1) or sharpens (above 1) an image. Needs OpenCV.

    Args:
        sharpness_factor (float): 0 gives a blurred image, 1 the image itself.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
        RuntimeError: an image has not two or three axes; told when it is used.
    """

    @checked
    def __init__(self, sharpness_factor: _Factor):
        self.sharpness_factor = sharpness_factor

    def _array(self, image, lead):
        return sharpened("AdjustSharpness", image, self.sharpness_factor)


def sharpened(api, image, factor):
    """An image blended with a smoothed one; the outermost pixels stay as they are."""
    check_rank(api, image, 0, (2, 3))
    image = image.view(np.uint8) if image.dtype == bool else image
    _check_numbers(api, image, ("uint8", "uint16", "int16", "float32", "float64"))
    cv2 = opencv(api)
    kernel = np.ones((3, 3), np.float32)
    kernel[1, 1] = 5
    smooth = cv2.filter2D(image, -1, kernel / np.float32(13)).reshape(image.shape)
    mixed = image.copy()
    mixed[1:-1, 1:-1] = smooth[1:-1, 1:-1]
    return cv2.addWeighted(image, factor, mixed, 1.0 - factor, 0).reshape(image.shape)


# Histograms and bits ------------------------------------------------------------------------------

class Equalize(ImageOperation):
    """Spreads the values of each channel evenly.

    Raises:
        RuntimeError: an image does not hold bytes, or has neither one nor three channels; told when
            it is used.
    """

    def _pil(self, image):
        return pillow("Equalize", "ImageOps").equalize(image)

    def _array(self, image, lead):
        return retabled("Equalize", image, _color.equalizing)


def retabled(api, image, table_of):
    """An image of bytes, each channel replaced through the table made of its histogram.

    Raises:
        RuntimeError: the image is of another shape or dtype.
    """
    check_rank(api, image, 0, (2, 3))
    _check_numbers(api, image, ("uint8", "bool"))
    image, alone = with_channels(image.view(np.uint8), 0)
    check_channels(api, image, (1, 3))
    out = _color.through_table(image, [table_of(each) for each in _color.histograms(image)])
    return out[..., 0] if alone else out


class AutoContrast(ImageOperation):
    """Stretches the values of each channel from 0 to 255.

    Args:
        cutoff (float, optional): how many percent of the darkest, and of the lightest, pixels are
            left out, in [0, 50).
        ignore (Union[int, sequence], optional): values that do not count, in [0, 255].

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: an image does not hold bytes, or has neither one nor three channels; told when
            it is used.
    """

    @checked
    def __init__(self, cutoff: Number(ge=0.0, lt=50.0) = 0.0, ignore: _Ignored = None):
        self.cutoff = cutoff
        self.ignore = [] if ignore is None else [ignore] if isinstance(ignore, int) else ignore

    def _pil(self, image):
        return pillow("AutoContrast", "ImageOps").autocontrast(image, self.cutoff,
                                                               self.ignore or None)

    def _array(self, image, lead):
        return retabled("AutoContrast", image,
                        lambda counts: _color.stretching(counts, self.cutoff, self.ignore))


class Posterize(ImageOperation):
    """Keeps the upper bits of each byte.

    Args:
        bits (int): how many, in [0, 8].

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
        RuntimeError: an image does not hold bytes; told when it is used.
    """

    blockwise = True

    @checked
    def __init__(self, bits: Int(ge=0, le=8)):
        self.bits = bits

    def _array(self, image, lead):
        check_rank("Posterize", image, lead, (2, 3))
        return posterized("Posterize", image, self.bits)


def posterized(api, image, bits):
    """The upper bits of bytes."""
    _check_numbers(api, image, ("uint8", "bool"))
    return image.view(np.uint8) & np.uint8(255 << (8 - bits) & 255)


class Solarize(ImageOperation):
    """Inverts the pixels whose value lies in a range.

    Args:
        threshold (Union[float, sequence]): (min, max) of the range, in [0, 255]; with one value, or
            min = max, all from there on.

    Raises:
        TypeError: it is neither.
        ValueError: a value is out of range, or min > max.
        RuntimeError: an image has neither one nor three channels; told when it is used.
    """

    blockwise = True

    @checked
    def __init__(self, threshold: Number(ge=0, le=255) | increasing(Number(ge=0, le=255))):
        self.threshold = threshold

    def _array(self, image, lead):
        low, high = ((self.threshold,) * 2 if isinstance(self.threshold, (int, float))
                     else self.threshold)
        return solarized("Solarize", image, low, high, lead)


def solarized(api, image, low, high, lead=0):
    """An image with the pixels of a range inverted; all from `low` on if the range is one value."""
    check_rank(api, image, lead, (2, 3))
    if image.ndim - lead == 3:
        check_channels(api, image, (1, 3))
    if image.dtype == bool:
        return solarized(api, image.view(np.uint8), low, high, lead).view(bool)
    inside = image >= low if low == high else (image >= low) & (image <= high)
    return np.where(inside, inverted(image), image)


def inverted(image):
    """255 minus each pixel, kept in range."""
    if image.dtype == bool:
        return np.ones_like(image)
    if image.dtype == np.uint8:
        return 255 - image
    return rounded(255.0 - image.astype(np.float64), image.dtype)


class Invert(ImageOperation):
    """Replaces each pixel of an RGB image by 255 minus it.

    Raises:
        RuntimeError: an image is not of shape (height, width, 3); told when it is used.
    """

    blockwise = True

    def _pil(self, image):
        return pillow("Invert", "ImageOps").invert(image)

    def _array(self, image, lead):
        check_rank("Invert", image, lead, (3,))
        check_channels("Invert", image, (3,))
        return inverted(image)


# Colour spaces ------------------------------------------------------------------------------------

class Grayscale(PilOperation):
    """Makes a PIL image grey.

    Args:
        num_output_channels (int, optional): 1, or 3 for three alike.

    Raises:
        TypeError: it is no int; or the input is no PIL image.
        ValueError: it is another number.
    """

    @checked
    def __init__(self, num_output_channels: OneOf(1, 3) = 1):
        self.num_output_channels = num_output_channels

    def _pil(self, image):
        return grey_pil(image, self.num_output_channels)


def grey_pil(image, channels):
    """A PIL image in grey, with one channel or three alike."""
    image = image.convert("L")
    return image if channels == 1 else image.convert("RGB")


# Whether red and blue change places, whether there is an alpha channel before and after.
_permuted = {
    ConvertMode.COLOR_BGR2BGRA: (False, True), ConvertMode.COLOR_BGRA2BGR: (False, False),
    ConvertMode.COLOR_BGR2RGBA: (True, True), ConvertMode.COLOR_RGBA2BGR: (True, False),
    ConvertMode.COLOR_BGR2RGB: (True, False), ConvertMode.COLOR_BGRA2RGBA: (True, True)}
_from_grey = {ConvertMode.COLOR_GRAY2BGR: 3, ConvertMode.COLOR_GRAY2BGRA: 4}
_to_grey = {ConvertMode.COLOR_BGR2GRAY: (2, 1, 0), ConvertMode.COLOR_RGB2GRAY: (0, 1, 2),
            ConvertMode.COLOR_BGRA2GRAY: (2, 1, 0), ConvertMode.COLOR_RGBA2GRAY: (0, 1, 2)}
_four = (ConvertMode.COLOR_BGRA2BGR, ConvertMode.COLOR_RGBA2BGR, ConvertMode.COLOR_BGRA2RGBA,
         ConvertMode.COLOR_BGRA2GRAY, ConvertMode.COLOR_RGBA2GRAY)


class ConvertColor(ImageOperation):
    """Changes the order or the number of the channels.

    Args:
        convert_mode (ConvertMode): from which to which.

    Raises:
        TypeError: it is no ConvertMode.
        RuntimeError: an image has another number of channels; told when it is used.
    """

    blockwise = True

    @checked
    def __init__(self, convert_mode: AnInstance(ConvertMode)):
        self.convert_mode = convert_mode

    def _array(self, image, lead):
        check_rank("ConvertColor", image, lead, (2, 3))
        if image.dtype == bool:
            return self._array(image.view(np.uint8), lead).view(bool)
        _check_numbers("ConvertColor", image, ("uint8", "uint16", "float32"))
        image = with_channels(image, lead)[0]
        mode = self.convert_mode
        if mode in _from_grey:
            check_channels("ConvertColor", image, (1,))
            return _with_alpha(np.repeat(image, 3, -1), _from_grey[mode] == 4)
        check_channels("ConvertColor", image, (4,) if mode in _four else (3, 4))
        if mode in _to_grey:
            return _color.grey(image, _to_grey[mode])
        swapped, alpha = _permuted[mode]
        colours = image[..., 2::-1] if swapped else image[..., :3]
        if alpha and mode in _four:
            return np.concatenate([colours, image[..., 3:]], -1)
        return _with_alpha(np.ascontiguousarray(colours), alpha)


def _with_alpha(image, alpha):
    if not alpha:
        return image
    opaque = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
    return np.concatenate([image, np.full_like(image[..., :1], opaque)], -1)


class _Space(ImageOperation):
    """What RgbToHsv and HsvToRgb share: arrays alone, channels first or last."""

    @checked
    def __init__(self, is_hwc: Bool = False):
        self.is_hwc = is_hwc

    def _pil(self, image):
        raise TypeError(f"For '{type(self).__name__}', the input must be an array, but got a PIL "
                        f"image.")

    def _array(self, image, lead):
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise TypeError(f"For '{type(self).__name__}', the input must be one image or several "
                            f"with 3 channels, but got shape {image.shape}.")
        return np.stack(self._convert(*np.moveaxis(image, axis, 0)), axis)


class RgbToHsv(_Space):
    """Converts arrays from red, green and blue to hue, saturation and value; hue is in [0, 1).

    Args:
        is_hwc (bool, optional): whether channels are the last axis, not the first.

    Raises:
        TypeError: `is_hwc` is no bool; or the input has not three channels.
    """

    def _array(self, image, lead):
        if image.dtype == bool:
            raise TypeError("For 'RgbToHsv', an image must hold numbers, but got bool.")
        return super()._array(image, lead)

    @staticmethod
    def _convert(red, green, blue):
        high = np.maximum(np.maximum(red, green), blue)
        low = np.minimum(np.minimum(red, green), blue)
        spread = np.where(high == low, 1, high - low).astype(np.float64)
        from_red, from_green, from_blue = (((high - each) / spread) for each in (red, green, blue))
        hue = np.where(red == high, from_blue - from_green,
                       np.where(green == high, 2.0 + from_red - from_blue,
                                4.0 + from_green - from_red))
        hue = np.where(high == low, 0.0, (hue / 6.0) % 1.0)
        saturation = (high - low) / np.where(high == 0, 1, high)
        return hue, saturation, high.astype(np.float64)


class HsvToRgb(_Space):
    """Converts arrays from hue, saturation and value to red, green and blue; hue is in [0, 1].

    Args:
        is_hwc (bool, optional): whether channels are the last axis, not the first.

    Raises:
        TypeError: `is_hwc` is no bool; or the input has not three channels.
    """

    @staticmethod
    def _convert(hue, saturation, value):
        hue, saturation, value = (each.astype(np.float64) for each in (hue, saturation, value))
        sector = np.trunc(hue * 6.0).astype(np.int64)
        beyond = hue * 6.0 - sector
        p, q, t = (value * (1.0 - saturation), value * (1.0 - saturation * beyond),
                   value * (1.0 - saturation * (1.0 - beyond)))
        turns = [(value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value),
                 (value, p, q)]
        return [np.choose(sector % 6, [turn[place] for turn in turns]) for place in range(3)]


class GaussianBlur(ImageOperation):
    """Blurs an image with a Gaussian kernel. Needs OpenCV.

    Args:
        kernel_size (Union[int, sequence]): (width, height) of the kernel, odd; an int is both.
        sigma (Union[float, sequence], optional): the standard deviation along the width and the
            height; by default ((kernel_size - 1) * 0.5 - 1) * 0.3 + 0.8.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `kernel_size` is not positive and odd, or `sigma` not positive.
        RuntimeError: an image has not two or three axes; told when it is used.
    """

    @checked(Forbid("any(each % 2 == 0 for each in ([kernel_size] if isinstance(kernel_size, int) "
                    "else kernel_size))", ValueError, "'kernel_size' must be odd"))
    def __init__(self, kernel_size: Int(ge=1) | sequence(Int(ge=1), (1, 2)),
                 sigma: _Sigma | TupleOf(_Sigma, length=(1, 2)) | ListOf(_Sigma, length=(1, 2))
                 = None):
        whole = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        self.kernel_size = pair(whole[0]) if len(whole) == 1 else whole
        if sigma is None:
            self.sigma = tuple(((each - 1) * 0.5 - 1) * 0.3 + 0.8 for each in self.kernel_size)
        else:
            sigma = (sigma,) if isinstance(sigma, (int, float)) else tuple(sigma)
            self.sigma = sigma * 2 if len(sigma) == 1 else sigma

    def _array(self, image, lead):
        check_rank("GaussianBlur", image, lead, (2, 3))
        image = image.view(np.uint8) if image.dtype == bool else image
        _check_numbers("GaussianBlur", image, ("uint8", "uint16", "int16", "float32", "float64"))
        cv2 = opencv("GaussianBlur")
        return cv2.GaussianBlur(image, self.kernel_size, sigmaX=self.sigma[0],
                                sigmaY=self.sigma[1]).reshape(image.shape)
