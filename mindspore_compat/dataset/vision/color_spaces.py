"""Image transforms of colour spaces: Grayscale, ConvertColor, RgbToHsv, HsvToRgb; and
GaussianBlur.
"""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Int, OneOf
from .._extra import opencv
from .._rules import AnInstance, Factor, NumpyInt, sequence
from ..core.py_util_helpers import Implementation
from . import _color
from ._image import (
    ImageOperation,
    PilOperation,
    check_channels,
    check_dtype,
    check_rank,
    pair,
    with_channels,
)
from .utils import ConvertMode

__all__ = ["ConvertColor", "GaussianBlur", "Grayscale", "HsvToRgb", "RgbToHsv"]

_Sigma = Factor | NumpyInt | Bool


class Grayscale(PilOperation):
    """Converts a PIL image to grayscale.

    Args:
        num_output_channels (int, optional): 1, or 3 for three equal channels.

    Raises:
        TypeError: if `num_output_channels` is not an int, or the input is not a PIL image.
        ValueError: if `num_output_channels` is neither 1 nor 3.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Grayscale()(ms.dataset.vision.ToPIL()(np.zeros((4, 4, 3),
        ...         np.uint8))).mode)
        L

    Source: mindspore.dataset.vision.Grayscale of MindSpore 2.10.
    """

    @checked
    def __init__(self, num_output_channels: OneOf(1, 3) = 1):
        self.num_output_channels = num_output_channels

    def _pil(self, image):
        return grey_pil(image, self.num_output_channels)


def grey_pil(image, channels):
    """Converts a PIL image to grayscale with one channel or three equal channels."""
    image = image.convert("L")
    return image if channels == 1 else image.convert("RGB")


# Whether red and blue are swapped, and whether the output has an alpha channel.
_permuted = {
    ConvertMode.COLOR_BGR2BGRA: (False, True),
    ConvertMode.COLOR_BGRA2BGR: (False, False),
    ConvertMode.COLOR_BGR2RGBA: (True, True),
    ConvertMode.COLOR_RGBA2BGR: (True, False),
    ConvertMode.COLOR_BGR2RGB: (True, False),
    ConvertMode.COLOR_BGRA2RGBA: (True, True),
}
_from_grey = {ConvertMode.COLOR_GRAY2BGR: 3, ConvertMode.COLOR_GRAY2BGRA: 4}
_to_grey = {
    ConvertMode.COLOR_BGR2GRAY: (2, 1, 0),
    ConvertMode.COLOR_RGB2GRAY: (0, 1, 2),
    ConvertMode.COLOR_BGRA2GRAY: (2, 1, 0),
    ConvertMode.COLOR_RGBA2GRAY: (0, 1, 2),
}


class ConvertColor(ImageOperation):
    """Converts the colour space of an image: changes the order or the number of its channels.

    Args:
        convert_mode (ConvertMode): the conversion.

    Raises:
        TypeError: if `convert_mode` is not a ConvertMode.
        RuntimeError: if an image has the wrong number of channels; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> convert = ms.dataset.vision.ConvertColor(ms.dataset.vision.ConvertMode.COLOR_BGR2RGB)
        >>> print(convert(np.array([[[1, 2, 3]]], np.uint8)))
        [[[3 2 1]]]

    Source: mindspore.dataset.vision.ConvertColor of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, convert_mode: AnInstance(ConvertMode)):
        self.convert_mode = convert_mode

    def _array(self, image, lead):
        check_rank("ConvertColor", image, lead, (2, 3))
        if image.dtype == bool:
            return self._array(image.view(np.uint8), lead).view(bool)
        check_dtype("ConvertColor", image, ("uint8", "uint16", "float32"))
        image = with_channels(image, lead)[0]
        mode = self.convert_mode
        if mode in _from_grey:
            check_channels("ConvertColor", image, (1,))
            return _with_alpha(np.repeat(image, 3, -1), _from_grey[mode] == 4)
        check_channels("ConvertColor", image, (3, 4) if mode in _to_grey else (1, 3, 4))
        if mode in _to_grey:
            return _color.grey(image, _to_grey[mode])
        if image.shape[-1] == 1:
            image = np.repeat(image, 3, -1)
        is_swapped, alpha = _permuted[mode]
        colours = image[..., 2::-1] if is_swapped else image[..., :3]
        if alpha and image.shape[-1] == 4:
            return np.concatenate([colours, image[..., 3:]], -1)
        return _with_alpha(np.ascontiguousarray(colours), alpha)


def _with_alpha(image, alpha):
    if not alpha:
        return image
    opaque = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
    return np.concatenate([image, np.full_like(image[..., :1], opaque)], -1)


class _Space(ImageOperation):
    """Shared base class of RgbToHsv and HsvToRgb: arrays only, with channels first or last."""

    implementation = Implementation.PY

    @checked
    def __init__(self, is_hwc: Bool = False):
        self.is_hwc = is_hwc

    def _pil(self, image):
        raise TypeError(
            f"For '{type(self).__name__}', the input must be an array, but got a PIL image."
        )

    def _array(self, image, lead):
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise TypeError(
                f"For '{type(self).__name__}', the input must be one image or several "
                f"with 3 channels, but got shape {image.shape}."
            )
        if image.dtype.kind in "SU":
            raise TypeError(
                f"For '{type(self).__name__}', an image must hold numbers, but got text."
            )
        return np.stack(self._convert(*np.moveaxis(image, axis, 0)), axis)


class RgbToHsv(_Space):
    """Converts arrays from RGB to HSV (hue, saturation, value); hue is in [0, 1).

    Args:
        is_hwc (bool, optional): whether the channels are the last axis instead of the first.

    Raises:
        TypeError: if `is_hwc` is not a bool, or the input has not three channels.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RgbToHsv(is_hwc=True)(np.array([[[1.0, 0.5, 0.5]]],
        ...         np.float32)))
        [[[0.  0.5 1. ]]]

    Source: mindspore.dataset.vision.RgbToHsv of MindSpore 2.10.
    """

    def _array(self, image, lead):
        if image.dtype == bool:
            raise TypeError("For 'RgbToHsv', an image must hold numbers, but got bool.")
        return super()._array(image, lead)

    @staticmethod
    def _convert(red, green, blue):
        high = np.maximum(np.maximum(red, green), blue)
        low = np.minimum(np.minimum(red, green), blue)
        chroma = np.where(high == low, 1, high - low).astype(np.float64)
        red_distance, green_distance, blue_distance = (
            ((high - channel) / chroma) for channel in (red, green, blue)
        )
        hue = np.where(
            red == high,
            blue_distance - green_distance,
            np.where(
                green == high,
                2.0 + red_distance - blue_distance,
                4.0 + green_distance - red_distance,
            ),
        )
        hue = np.where(high == low, 0.0, (hue / 6.0) % 1.0)
        saturation = (high - low) / np.where(high == 0, 1, high)
        return hue, saturation, high.astype(np.float64)


class HsvToRgb(_Space):
    """Converts arrays from HSV (hue, saturation, value) to RGB; hue is in [0, 1].

    Args:
        is_hwc (bool, optional): whether the channels are the last axis instead of the first.

    Raises:
        TypeError: if `is_hwc` is not a bool, or the input has not three channels.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.HsvToRgb(is_hwc=True)(np.array([[[0.0, 0.5, 1.0]]],
        ...         np.float32)))
        [[[1.  0.5 0.5]]]

    Source: mindspore.dataset.vision.HsvToRgb of MindSpore 2.10.
    """

    @staticmethod
    def _convert(hue, saturation, value):
        hue, saturation, value = (
            channel.astype(np.float64) for channel in (hue, saturation, value)
        )
        sector = np.trunc(hue * 6.0).astype(np.int64)
        beyond = hue * 6.0 - sector
        p, q, t = (
            value * (1.0 - saturation),
            value * (1.0 - saturation * beyond),
            value * (1.0 - saturation * (1.0 - beyond)),
        )
        turns = [
            (value, t, p),
            (q, value, p),
            (p, value, t),
            (p, q, value),
            (t, p, value),
            (value, p, q),
        ]
        return [np.choose(sector % 6, [turn[index] for turn in turns]) for index in range(3)]


class GaussianBlur(ImageOperation):
    """Blurs an image with a Gaussian kernel. Needs OpenCV.

    Args:
        kernel_size (Union[int, sequence]): (width, height) of the kernel, both odd; an int stands
            for both.
        sigma (Union[float, sequence], optional): the standard deviation along the width and the
            height; 0 and the default mean ((kernel_size - 1) * 0.5 - 1) * 0.3 + 0.8.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `kernel_size` is not positive and odd, or `sigma` negative.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.GaussianBlur(3)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.GaussianBlur of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "any(each % 2 == 0 for each in ([kernel_size] if isinstance(kernel_size, int) "
            "else kernel_size))",
            ValueError,
            "'kernel_size' must be odd",
        )
    )
    def __init__(
        self,
        kernel_size: Int(ge=1) | sequence(Int(ge=1), 2),
        sigma: _Sigma | sequence(_Sigma, 2) = None,
    ):
        self.kernel_size = pair(kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
        sigma = tuple(sigma) if isinstance(sigma, (tuple, list)) else (sigma, sigma)
        self.sigma = tuple(
            float(deviation or ((size - 1) * 0.5 - 1) * 0.3 + 0.8)
            for deviation, size in zip(sigma, self.kernel_size, strict=True)
        )

    def _array(self, image, lead):
        check_rank("GaussianBlur", image, lead, (2, 3))
        image = image.view(np.uint8) if image.dtype == bool else image
        check_dtype("GaussianBlur", image, ("uint8", "uint16", "int16", "float32", "float64"))
        cv2 = opencv("GaussianBlur")
        return cv2.GaussianBlur(
            image, self.kernel_size, sigmaX=self.sigma[0], sigmaY=self.sigma[1]
        ).reshape(image.shape)
