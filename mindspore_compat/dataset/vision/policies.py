"""Augmentation policies for RGB images: AutoAugment, RandAugment, TrivialAugmentWide.

Each policy applies operations such as rotation or contrast, with magnitudes below the number of
bins. The tables of AutoAugment come from its paper, which MindSpore documents.

Sources: Cubuk et al., "AutoAugment" (2019) and "RandAugment" (2020); Müller and Hutter,
"TrivialAugment" (2021).
"""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Int
from .._rules import FLOAT_MAX, AnInstance, Fill, natural
from . import _color, warping
from ._image import ImageOperation
from .color import adjust_contrast, brighten, check_rgb, invert, saturate, sharpen, solarize
from .utils import AutoAugmentPolicy, Inter

__all__ = ["AutoAugment", "RandAugment", "TrivialAugmentWide"]

_IMAGENET = """
    Posterize 0.4 8, Rotate 0.6 9; Solarize 0.6 5, AutoContrast 0.6; Equalize 0.8, Equalize 0.6;
    Posterize 0.6 7, Posterize 0.6 6; Equalize 0.4, Solarize 0.2 4; Equalize 0.4, Rotate 0.8 8;
    Solarize 0.6 3, Equalize 0.6; Posterize 0.8 5, Equalize 1.0; Rotate 0.2 3, Solarize 0.6 8;
    Equalize 0.6, Posterize 0.4 6; Rotate 0.8 8, Color 0.4 0; Rotate 0.4 9, Equalize 0.6;
    Equalize 0.0, Equalize 0.8; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
    Rotate 0.8 8, Color 1.0 2; Color 0.8 8, Solarize 0.8 7; Sharpness 0.4 7, Invert 0.6;
    ShearX 0.6 5, Equalize 1.0; Color 0.4 0, Equalize 0.6; Equalize 0.4, Solarize 0.2 4;
    Solarize 0.6 5, AutoContrast 0.6; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
    Equalize 0.8, Equalize 0.6"""
_CIFAR10 = """
    Invert 0.1, Contrast 0.2 6; Rotate 0.7 2, TranslateX 0.3 9; Sharpness 0.8 1, Sharpness 0.9 3;
    ShearY 0.5 8, TranslateY 0.7 9; AutoContrast 0.5, Equalize 0.9; ShearY 0.2 7, Posterize 0.3 7;
    Color 0.4 3, Brightness 0.6 7; Sharpness 0.3 9, Brightness 0.7 9; Equalize 0.6, Equalize 0.5;
    Contrast 0.6 7, Sharpness 0.6 5; Color 0.7 7, TranslateX 0.5 8; Equalize 0.8, Invert 0.1;
    TranslateY 0.4 3, Sharpness 0.2 6; Brightness 0.9 6, Color 0.2 8; Solarize 0.5 2, Invert 0.0;
    TranslateY 0.9 9, TranslateY 0.7 9; Equalize 0.2, Equalize 0.6; Color 0.9 9, Equalize 0.6;
    AutoContrast 0.8, Solarize 0.2 8; Brightness 0.1 3, Color 0.7 0;
    Solarize 0.4 5, AutoContrast 0.9; AutoContrast 0.9, Solarize 0.8 3;
    TranslateY 0.7 9, AutoContrast 0.9;
    Equalize 0.3, AutoContrast 0.4; Equalize 0.2, AutoContrast 0.6"""
_SVHN = """
    ShearX 0.9 4, Invert 0.2; ShearY 0.9 8, Invert 0.7; Equalize 0.6, Solarize 0.6 6;
    Invert 0.9, Equalize 0.6; Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, AutoContrast 0.8;
    ShearY 0.9 8, Invert 0.4; ShearY 0.9 5, Solarize 0.2 6; Invert 0.9, AutoContrast 0.8;
    Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, Solarize 0.3 3; ShearY 0.8 8, Invert 0.7;
    Equalize 0.9, TranslateY 0.6 6; Invert 0.9, Equalize 0.6; Contrast 0.3 3, Rotate 0.8 4;
    Invert 0.8, TranslateY 0.0 2; ShearY 0.7 6, Solarize 0.4 8; Invert 0.6, Rotate 0.8 4;
    ShearY 0.3 7, TranslateX 0.9 3; ShearX 0.1 6, Invert 0.6; Solarize 0.7 2, TranslateY 0.6 7;
    ShearY 0.8 4, Invert 0.8; ShearX 0.7 9, TranslateY 0.8 3; ShearY 0.8 5, AutoContrast 0.7;
    ShearX 0.7 2, Invert 0.1"""
_policies = {
    AutoAugmentPolicy.IMAGENET: _IMAGENET,
    AutoAugmentPolicy.CIFAR10: _CIFAR10,
    AutoAugmentPolicy.SVHN: _SVHN,
}
_SIGNED = (
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
    "Rotate",
    "Brightness",
    "Color",
    "Contrast",
    "Sharpness",
)
_OPERATIONS = ("Identity", *_SIGNED, "Posterize", "Solarize", "AutoContrast", "Equalize")


def _pairs(policy):
    """Returns the pairs of (operation, probability, magnitude) of a table."""
    pairs = []
    for pair in _policies[policy].split(";"):
        words = [operation.split() for operation in pair.split(",")]
        pairs.append(
            [(name, float(prob), int(level[0]) if level else 0) for name, prob, *level in words]
        )
    return pairs


def _posterize(image, bits):
    return image & np.uint8(255 << (8 - bits) & 255)


def _through_histograms(image, table_of):
    return _color.through_table(
        image, [table_of(histogram) for histogram in _color.histograms(image)]
    )


class _Augmentation(ImageOperation):
    """Shared base class of the policies: applies one operation to an RGB image of bytes."""

    def _apply_operation(self, image, name, amount):
        """Applies the operation of this name by an amount in the operation's unit."""
        height, width = image.shape[:2]
        api = type(self).__name__
        moves = {
            "Rotate": (amount, (0, 0), (0, 0)),
            "ShearX": (0, (0, 0), (_angle(amount), 0)),
            "ShearY": (0, (0, 0), (0, _angle(amount))),
            "TranslateX": (0, (amount / width, 0), (0, 0)),
            "TranslateY": (0, (0, amount / height), (0, 0)),
        }
        if name in moves:
            degrees, shift, shear = moves[name]
            return warping.affine(
                api, image, degrees, shift, 1.0, shear, self.interpolation, self.fill_value
            )
        factors = {"Brightness": brighten, "Color": saturate, "Contrast": adjust_contrast}
        if name in factors:
            return factors[name](image, 1.0 + amount)
        others = {
            "Sharpness": lambda: sharpen(api, image, 1.0 + amount),
            "Posterize": lambda: _posterize(image, int(amount)),
            "Solarize": lambda: solarize(api, image, amount, amount),
            "Equalize": lambda: _through_histograms(image, _color.equalizing),
            "AutoContrast": lambda: _through_histograms(
                image, lambda counts: _color.stretching(counts, 0.0, ())
            ),
            "Invert": lambda: invert(image),
            "Identity": lambda: image,
        }
        return others[name]()

    def _amount(self, name, level, bins, most, is_negative):
        """Converts a magnitude to the unit of its operation.

        Args:
            name (str): the operation.
            level (int): the magnitude, below `bins`.
            bins (int): the number of magnitudes.
            most (dict): the largest amount of each operation.
            is_negative (Callable): returns the sign for operations that have one.
        """
        share = level / (bins - 1)
        if name == "Posterize":
            return 8 - round(most["Posterize"] * share)
        if name == "Solarize":
            return math.floor(255.0 * (1 - share)) + 1  # the lowest value that is inverted
        if name not in _SIGNED:
            return 0
        amount = most.get(name, most["other"]) * share
        return -amount if amount and is_negative() else amount

    def _toss(self):
        return self._random.chance(0.5)


def _angle(slope):
    return math.degrees(math.atan(slope))


def _usual(height, width):
    """Returns the largest amounts of AutoAugment and RandAugment for an image of this size."""
    return {
        "ShearX": 0.3,
        "ShearY": 0.3,
        "TranslateX": 150 / 331 * width,
        "TranslateY": 150 / 331 * height,
        "Rotate": 30.0,
        "Posterize": 4,
        "other": 0.9,
    }


class AutoAugment(_Augmentation):
    """Applies AutoAugment: one of 25 pairs of operations learned on a dataset.

    Args:
        policy (AutoAugmentPolicy, optional): the dataset.
        interpolation (Inter, optional): the interpolation method.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `fill_value` is out of range.
        RuntimeError: if an image is not of uint8 and shape (height, width, 3); raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.AutoAugment()(np.zeros((8, 8, 3), np.uint8)).shape)
        (8, 8, 3)

    Source: mindspore.dataset.vision.AutoAugment of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        policy: AnInstance(AutoAugmentPolicy) = AutoAugmentPolicy.IMAGENET,
        interpolation: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill = 0,
    ):
        self.pairs = _pairs(policy)
        self.interpolation, self.fill_value = interpolation, fill_value

    def _array(self, image, lead):
        check_rgb("AutoAugment", image, lead, ("uint8",))
        draw, unit = self._random.integer, self._random.unit32
        pair = self.pairs[draw(0, len(self.pairs) - 1)]
        chances = [unit(), unit()]
        negative = [draw(0, 1) == 0, draw(0, 1) == 0]
        for (name, prob, level), chance, sign in zip(pair, chances, negative, strict=True):
            if chance <= prob:
                sign ^= name == "Rotate"  # its angle has the opposite sign
                amount = self._amount(
                    name, level, 10, _usual(*image.shape[:2]), lambda sign=sign: sign
                )
                image = self._apply_operation(image, name, amount)
        return image


class RandAugment(_Augmentation):
    """Applies RandAugment: some random operations, all with the same magnitude.

    Args:
        num_ops (int, optional): the number of operations.
        magnitude (int, optional): the magnitude, below `num_magnitude_bins`.
        num_magnitude_bins (int, optional): the number of magnitudes, at least 2.
        interpolation (Inter, optional): the interpolation method.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image is not of uint8 and shape (height, width, 3); raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandAugment()(np.zeros((8, 8, 3), np.uint8)).shape)
        (8, 8, 3)

    Source: mindspore.dataset.vision.RandAugment of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "magnitude >= num_magnitude_bins",
            ValueError,
            "'magnitude' must be below 'num_magnitude_bins'",
        )
    )
    def __init__(
        self,
        num_ops: natural = 2,
        magnitude: natural = 9,
        num_magnitude_bins: Int(ge=2, le=FLOAT_MAX) = 31,
        interpolation: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill = 0,
    ):
        self.num_ops, self.magnitude, self.num_magnitude_bins = (
            num_ops,
            magnitude,
            num_magnitude_bins,
        )
        self.interpolation, self.fill_value = interpolation, fill_value

    def _array(self, image, lead):
        check_rgb("RandAugment", image, lead, ("uint8",))
        for _ in range(self.num_ops):
            name = _OPERATIONS[self._random.integer(0, len(_OPERATIONS) - 1)]
            amount = self._amount(
                name, self.magnitude, self.num_magnitude_bins, _usual(*image.shape[:2]), self._toss
            )
            image = self._apply_operation(image, name, amount)
        return image


class TrivialAugmentWide(_Augmentation):
    """Applies TrivialAugmentWide: one random operation with a random magnitude.

    Args:
        num_magnitude_bins (int, optional): the number of magnitudes, at least 2.
        interpolation (Inter, optional): the interpolation method.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image is not of uint8 and shape (height, width, 3); raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.TrivialAugmentWide()(np.zeros((8, 8, 3), np.uint8)).shape)
        (8, 8, 3)

    Source: mindspore.dataset.vision.TrivialAugmentWide of MindSpore 2.10.
    """

    _most = {
        "ShearX": 0.99,
        "ShearY": 0.99,
        "TranslateX": 32.0,
        "TranslateY": 32.0,
        "Rotate": 135.0,
        "Posterize": 6,
        "other": 0.99,
    }

    @checked
    def __init__(
        self,
        num_magnitude_bins: Int(ge=2, le=FLOAT_MAX) = 31,
        interpolation: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill = 0,
    ):
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation, self.fill_value = interpolation, fill_value

    def _array(self, image, lead):
        check_rgb("TrivialAugmentWide", image, lead, ("uint8",))
        name = _OPERATIONS[self._random.integer(0, len(_OPERATIONS) - 1)]
        level = self._random.integer(0, self.num_magnitude_bins - 1)
        return self._apply_operation(
            image, name, self._amount(name, level, self.num_magnitude_bins, self._most, self._toss)
        )
