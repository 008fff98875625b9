"""Random image transforms of colours: RandomColorAdjust, RandomSharpness, RandomEqualize and
others.

With one worker and a seed, arrays are augmented exactly as MindSpore augments them.
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, Number, OneOf
from .._rules import Factor, Increasing, NumpyInt, Probability, sequence
from . import _color
from ._image import (
    ImageOperation,
    PilOperation,
    PixelOperation,
    check_channels,
    check_dtype,
    check_rank,
    need_given,
)
from ._resize import round_to
from .arithmetic import to_pil
from .color import (
    adjust_contrast,
    brighten,
    check_rgb,
    enhance,
    invert,
    map_channels,
    posterize,
    saturate,
    sharpen,
    shift_hue,
    shift_hue_pil,
    solarize,
)
from .color_spaces import grey_pil

__all__ = [
    "RandomAdjustSharpness",
    "RandomAutoContrast",
    "RandomColor",
    "RandomColorAdjust",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomInvert",
    "RandomLighting",
    "RandomPosterize",
    "RandomSharpness",
    "RandomSolarize",
]

_Turn = Number(ge=0.0, le=0.5) | OneOf(False) | Increasing(Number(ge=-0.5, le=0.5))
_Factors = Factor | NumpyInt | Bool | Increasing(Factor)
_Range = Increasing(Number(ge=0.0), length_is_kind=False) | None
_Ignored = Int(ge=0, le=255) | sequence(Int(ge=0, le=255))
_Byte = Int(ge=0, le=255)


def _around_one(factor):
    """Converts a number to a range of factors around one."""
    if isinstance(factor, (int, float, np.integer)):
        return max(0.0, 1 - factor), 1 + factor
    return tuple(factor)


class RandomColorAdjust(ImageOperation):
    """Randomly adjusts the brightness, contrast, saturation and hue of an image, in random order.

    Args:
        brightness (Union[float, sequence], optional): (min, max) of the factor; a number n means (1
            - n, 1 + n).
        contrast (Union[float, sequence], optional): the same for the contrast.
        saturation (Union[float, sequence], optional): the same for the saturation.
        hue (Union[float, sequence], optional): (min, max) of the hue shift, in [-0.5, 0.5]; a
            number n means (-n, n).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomColorAdjust()(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.RandomColorAdjust of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        brightness: _Factors = (1, 1),
        contrast: _Factors = (1, 1),
        saturation: _Factors = (1, 1),
        hue: _Turn = (0, 0),
    ):
        self.brightness, self.contrast = _around_one(brightness), _around_one(contrast)
        self.saturation = _around_one(saturation)
        self.hue = (-hue, hue) if isinstance(hue, (int, float)) else tuple(hue)

    def _apply_changes(self, image, changes, always=()):
        """Applies four changes in random order; a change without effect draws no number, except
        those with an index in `always`."""
        ranges = [(*self.brightness, 1), (*self.contrast, 1), (*self.saturation, 1), (*self.hue, 0)]
        for index in self._random.shuffle([0, 1, 2, 3]):
            low, high, neutral = ranges[index]
            if low != high or low != neutral or index in always:
                image = changes[index](image, self._random.uniform32(low, high))
        return image

    def _pil(self, image):
        kinds = [
            lambda image, factor, kind=kind: enhance("RandomColorAdjust", kind, image, factor)
            for kind in ("Brightness", "Contrast", "Color")
        ]
        kinds.append(lambda image, factor: shift_hue_pil("RandomColorAdjust", image, factor))
        return self._apply_changes(
            image, kinds, always=(3,)
        )  # the conversion to HSV and back rounds

    def _array(self, image, lead):
        check_rgb("RandomColorAdjust", image, lead)
        return self._apply_changes(
            image,
            [
                brighten,
                adjust_contrast,
                saturate,
                lambda image, factor: shift_hue("RandomColorAdjust", image, factor),
            ],
        )


class RandomColor(ImageOperation):
    """Randomly adjusts the saturation of an RGB image.

    Args:
        degrees (sequence, optional): (min, max) of the factor.

    Raises:
        TypeError: if `degrees` is not a pair of numbers.
        ValueError: if one is negative, or min > max.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomColor((1.0, 1.0))(np.full((1, 1, 3), 10, np.uint8)))
        [[[10 10 10]]]

    Source: mindspore.dataset.vision.RandomColor of MindSpore 2.10.
    """

    @checked
    def __init__(self, degrees: _Range = (0.1, 1.9)):
        self.degrees = degrees

    def _pil(self, image):
        need_given("RandomColor", degrees=self.degrees)
        return enhance("RandomColor", "Color", image, self._random.uniform32(*self.degrees))

    def _array(self, image, lead):
        need_given("RandomColor", degrees=self.degrees)
        check_rgb("RandomColor", image, lead)
        return saturate(image, self._random.uniform32(*self.degrees))


class RandomSharpness(ImageOperation):
    """Randomly adjusts the sharpness of an image. Needs OpenCV; for PIL images, Pillow.

    Args:
        degrees (sequence, optional): (min, max) of the factor; 0 blurs, 1 does nothing.

    Raises:
        TypeError: if `degrees` is not a pair of numbers.
        ValueError: if one is negative, or min > max.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomSharpness()(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomSharpness of MindSpore 2.10.
    """

    @checked
    def __init__(self, degrees: _Range = (0.1, 1.9)):
        self.degrees = degrees

    def _pil(self, image):
        need_given("RandomSharpness", degrees=self.degrees)
        return enhance("RandomSharpness", "Sharpness", image, self._random.uniform32(*self.degrees))

    def _array(self, image, lead):
        need_given("RandomSharpness", degrees=self.degrees)
        return sharpen("RandomSharpness", image, self._random.uniform32(*self.degrees))


class RandomAdjustSharpness(PixelOperation):
    """Adjusts the sharpness of an image by a factor, with a probability. Needs OpenCV.

    Args:
        degree (float): the factor; 0 blurs, 1 does nothing.
        prob (float, optional): the probability that it is applied.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if `degree` is negative, or `prob` not in [0, 1].
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomAdjustSharpness(2.0,
        ...         0.0)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomAdjustSharpness of MindSpore 2.10.
    """

    @checked
    def __init__(self, degree: Factor, prob: Probability = 0.5):
        self.degree, self.prob = degree, prob

    def _array(self, image, lead):
        check_rank("RandomAdjustSharpness", image, lead, (2, 3))
        if not self._random.chance(self.prob):
            return image
        return sharpen("RandomAdjustSharpness", image, self.degree)


class RandomEqualize(ImageOperation):
    """Equalizes the histogram of each channel of an image, with a probability.

    Args:
        prob (float, optional): the probability that it is applied.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if an image does not hold bytes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomEqualize(prob=0.0)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomEqualize of MindSpore 2.10.
    """

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _array(self, image, lead):
        check_rank("RandomEqualize", image, lead, (2, 3))
        check_dtype("RandomEqualize", image, ("uint8",))
        is_chosen = self._random.chance(self.prob)
        return map_channels("RandomEqualize", image, _color.equalizing) if is_chosen else image


class RandomAutoContrast(PixelOperation):
    """Maximizes the contrast of an image, with a probability: stretches each channel to [0, 255].

    Args:
        cutoff (float, optional): the percentage of the darkest and of the lightest pixels that are
            ignored, in [0, 50).
        ignore (Union[int, sequence], optional): values that are not counted, in [0, 255].
        prob (float, optional): the probability that it is applied.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image does not hold bytes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomAutoContrast(prob=0.0)(np.zeros((4, 4, 3),
        ...         np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomAutoContrast of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        cutoff: Number(ge=0.0, lt=50.0) = 0.0,
        ignore: _Ignored = None,
        prob: Probability = 0.5,
    ):
        self.cutoff, self.prob = cutoff, prob
        self.ignore = [] if ignore is None else [ignore] if isinstance(ignore, int) else ignore

    def _array(self, image, lead):
        check_rank("RandomAutoContrast", image, lead, (2, 3))
        if not self._random.chance(self.prob):
            return image
        return map_channels(
            "RandomAutoContrast",
            image,
            lambda counts: _color.stretching(counts, self.cutoff, self.ignore),
        )


class RandomInvert(PixelOperation):
    """Inverts the colours of an RGB image, with a probability.

    Args:
        prob (float, optional): the probability of an inversion.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomInvert(prob=1.0)(np.array([[[0, 100, 255]]], np.uint8)))
        [[[255 155   0]]]

    Source: mindspore.dataset.vision.RandomInvert of MindSpore 2.10.
    """

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _array(self, image, lead):
        check_rank("RandomInvert", image, lead, (3,))
        check_channels("RandomInvert", image, (3,))
        return invert(image) if self._random.chance(self.prob) else image


class RandomPosterize(ImageOperation):
    """Posterizes an image: keeps a random number of the upper bits of each byte.

    Args:
        bits (Union[int, sequence], optional): (min, max) of the number, in [1, 8].

    Raises:
        TypeError: if `bits` is neither.
        ValueError: if a number is out of range, or min > max.
        RuntimeError: if an image does not hold bytes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomPosterize((1, 1))(np.array([[[0, 100, 255]]], np.uint8)))
        [[[  0   0 128]]]

    Source: mindspore.dataset.vision.RandomPosterize of MindSpore 2.10.
    """

    @checked
    def __init__(self, bits: Int(ge=1, le=8) | Increasing(Int(ge=1, le=8)) | None = (8, 8)):
        self.bits = (bits, bits) if isinstance(bits, int) else bits

    def _array(self, image, lead):
        need_given("RandomPosterize", bits=self.bits)
        check_rank("RandomPosterize", image, lead, (2, 3))
        return posterize("RandomPosterize", image, self._random.integer(*self.bits))


class RandomSolarize(PixelOperation):
    """Solarizes an image: inverts the pixels whose value lies in a random part of a range.

    Args:
        threshold (tuple, optional): (min, max) of the range, in [0, 255]; with min = max, all
            pixels from that value on.

    Raises:
        TypeError: if `threshold` is not a pair of ints.
        ValueError: if an argument is out of range, or min > max.
        RuntimeError: if an image has neither one nor three channels; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomSolarize((200, 255))(np.array([[[0, 100, 150]]],
        ...         np.uint8)).shape)
        (1, 1, 3)

    Source: mindspore.dataset.vision.RandomSolarize of MindSpore 2.10.
    """

    @checked
    def __init__(self, threshold: Increasing(_Byte, length_is_kind=False) = (0, 255)):
        self.threshold = threshold

    def _array(self, image, lead):
        ends = sorted(self._random.integer(*self.threshold) for _ in range(2))
        return solarize("RandomSolarize", image, *ends)


class RandomLighting(ImageOperation):
    """Applies AlexNet's PCA colour augmentation: adds a random colour along the principal axes of
    ImageNet (Krizhevsky, Sutskever, Hinton: "ImageNet Classification with Deep Convolutional Neural
    Networks", 2012, section 4.1).

    Args:
        alpha (float, optional): the standard deviation of the random factors.

    Raises:
        TypeError: if `alpha` is not a number.
        ValueError: if `alpha` is negative.
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.RandomLighting(alpha=0.1)(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.RandomLighting of MindSpore 2.10.
    """

    _values = np.array([0.2175, 0.0188, 0.0045]) * 255
    _axes = np.array(
        [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
    )

    @checked
    def __init__(self, alpha: Factor = 0.05):
        self.alpha = alpha

    def _pil(self, image):
        return to_pil("RandomLighting", self._array(np.array(image.convert("RGB")), 0))

    def _array(self, image, lead):
        check_rgb("RandomLighting", image, lead, ("uint8", "uint16", "float32", "float64"))
        factors = np.array([self.alpha * self._random.normal32() for _ in range(3)])
        return round_to(image + self._axes @ (factors * self._values), image.dtype)


class RandomGrayscale(PilOperation):
    """Converts a PIL image to grayscale, with a probability.

    An image of mode "L" keeps its one channel; any other becomes RGB with three equal channels.

    Args:
        prob (float, optional): the probability of a conversion.

    Raises:
        TypeError: if `prob` is not a number, or the input is not a PIL image.
        ValueError: if `prob` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = vision.ToPIL()(np.zeros((4, 6, 3), np.uint8))
        >>> vision.RandomGrayscale(prob=1.0)(image).size
        (6, 4)

    Source: mindspore.dataset.vision.RandomGrayscale of MindSpore 2.10.
    """

    _unfit = AttributeError

    @checked
    def __init__(self, prob: Probability = 0.1):
        self.prob = prob

    def _pil(self, image):
        channels = 1 if image.mode == "L" else 3
        return grey_pil(image, channels) if self._random.chance(self.prob) else image
