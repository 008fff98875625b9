"""Random geometric image transforms: flips, rotations, affine and perspective maps; CutOut and
RandomErasing.

Crops are in random_crops.py.

With one worker and a seed, arrays are augmented exactly as MindSpore augments them: the same
numbers are drawn in the same order (see engine/twister.py). PIL images draw from the same stream.
"""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import AsValue, Bool, Float, Int, Number, OneOf, Str, TupleOf
from .._extra import pillow
from .._rules import (
    FLOAT_MAX,
    AnInstance,
    Fill,
    Increasing,
    NumpyInt,
    Probability,
    positive,
    sequence,
)
from ..core.py_util_helpers import Implementation
from . import warping
from ._image import ImageOperation, PilOperation, PixelOperation, check_least_rank, check_rank
from .geometry import flip
from .resizing import pil_filter
from .utils import Inter

__all__ = [
    "CutOut",
    "RandomAffine",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomPerspective",
    "RandomRotation",
    "RandomVerticalFlip",
]

_Range = Increasing(Number(ge=0.0, le=FLOAT_MAX))
_Chance = Float(ge=0.0, le=1.0)
_Shear = Number(gt=0) | NumpyInt | OneOf(True) | Increasing(Number) | sequence(Number, 4)
_Degrees = Number(ge=0, le=FLOAT_MAX) | Increasing(Number)


# Flips --------------------------------------------------------------------------------------------


class RandomHorizontalFlip(PixelOperation):
    """Flips an image horizontally, with a probability.

    Args:
        prob (float, optional): the probability of a flip.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomHorizontalFlip(prob=1.0)(np.array([[[1], [2]]],
        ...         np.uint8)).shape)
        (1, 2, 1)

    Source: mindspore.dataset.vision.RandomHorizontalFlip of MindSpore 2.10.
    """

    _takes_columns = True

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _pil(self, image):
        direction = pillow("RandomHorizontalFlip").Transpose.FLIP_LEFT_RIGHT
        return image.transpose(direction) if self._random.chance(self.prob) else image

    def _array(self, image, lead):
        check_least_rank("RandomHorizontalFlip", image, lead)
        is_chosen = self._random.chance(self.prob)
        return flip("RandomHorizontalFlip", image, lead, -2) if is_chosen else image


class RandomVerticalFlip(PixelOperation):
    """Flips an image vertically, with a probability.

    Args:
        prob (float, optional): the probability of a flip.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomVerticalFlip(prob=1.0)(np.array([[[1], [2]]],
        ...         np.uint8)).shape)
        (1, 2, 1)

    Source: mindspore.dataset.vision.RandomVerticalFlip of MindSpore 2.10.
    """

    _takes_columns = True

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _pil(self, image):
        direction = pillow("RandomVerticalFlip").Transpose.FLIP_TOP_BOTTOM
        return image.transpose(direction) if self._random.chance(self.prob) else image

    def _array(self, image, lead):
        check_rank("RandomVerticalFlip", image, lead, (2, 3))
        is_chosen = self._random.chance(self.prob)
        return flip("RandomVerticalFlip", image, lead, -3) if is_chosen else image


# Rotations ----------------------------------------------------------------------------------------


class RandomRotation(ImageOperation):
    """Rotates an image by a random angle.

    Args:
        degrees (Union[int, float, sequence]): (min, max) of the angle in degrees; a number n means
            (-n, n).
        resample (Inter, optional): the interpolation method.
        expand (bool, optional): whether to enlarge the result to hold the whole rotated image.
        center (tuple, optional): the center of rotation, (x, y); by default the center of the
            image.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `degrees` or `fill_value` is out of range.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomRotation(15)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomRotation of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        degrees: _Degrees,
        resample: AnInstance(Inter) = Inter.NEAREST,
        expand: Bool = False,
        center: TupleOf(Number, length=2) = None,
        fill_value: Fill = 0,
    ):
        self.degrees = around_zero(degrees)
        self.settings = resample, expand, center, fill_value

    def _pil(self, image):
        angle = self._random.uniform32(*self.degrees)
        return warping.rotate_pil("RandomRotation", image, angle, *self.settings)

    def _array(self, image, lead):
        angle = self._random.uniform32(*self.degrees)
        return warping.rotate("RandomRotation", image, angle, *self.settings)


def around_zero(degrees):
    """Converts a number to a range around zero."""
    if isinstance(degrees, (int, float, np.integer)):
        return -degrees, degrees
    return tuple(degrees)


class RandomAffine(ImageOperation):
    """Applies a random affine transform around the center of an image: rotation, shift, scaling and
    shear.

    Args:
        degrees (Union[int, float, sequence]): (min, max) of the angle in degrees; a number n means
            (-n, n).
        translate (sequence, optional): (min, max) of the shift to the right and, optionally, down,
            as fractions of the size, in [-1, 1].
        scale (sequence, optional): (min, max) of the scaling factor.
        shear (Union[float, sequence], optional): (min, max) of the angle along x and, optionally,
            y; a number n means (-n, n).
        resample (Inter, optional): the interpolation method.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomAffine(15)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.RandomAffine of MindSpore 2.10.
    """

    @checked(Forbid("scale is not None and scale[1] == 0", ValueError, "'scale' must end above 0"))
    def __init__(
        self,
        degrees: _Degrees,
        translate: sequence(Number(ge=-1.0, le=1.0), (2, 4)) = None,
        scale: _Range = None,
        shear: _Shear = None,
        resample: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill | None = 0,
    ):
        nothing = (0.0, 0.0)
        translate = tuple(translate or nothing)
        shear = tuple(around_zero(shear) if shear is not None else nothing)
        self.degrees, self.scale = around_zero(degrees), scale or (1.0, 1.0)
        self.translate = translate if len(translate) == 4 else translate + nothing
        self.shear = shear if len(shear) == 4 else shear + nothing
        self.resample, self.fill_value = resample, 0 if fill_value is None else fill_value

    def _draw(self):
        """Draws an angle, shifts, a factor and shears."""
        draw = self._random.uniform32
        angle = draw(*self.degrees)
        shift = draw(*self.translate[:2]), draw(*self.translate[2:])
        return angle, shift, draw(*self.scale), (draw(*self.shear[:2]), draw(*self.shear[2:]))

    def _pil(self, image):
        angle, shift, scale, shear = self._draw()
        shift = [round(part * length) for part, length in zip(shift, image.size, strict=True)]
        center = image.width / 2 + 0.5, image.height / 2 + 0.5
        matrix = warping.affine_matrix(center, angle, shift, scale, shear).ravel().tolist()
        kind = pillow("RandomAffine").Transform.AFFINE
        return image.transform(
            image.size,
            kind,
            matrix,
            pil_filter("RandomAffine", self.resample),
            fillcolor=self.fill_value,
        )

    def _array(self, image, lead):
        return warping.affine("RandomAffine", image, *self._draw(), self.resample, self.fill_value)


class RandomPerspective(PilOperation):
    """Applies a random perspective transform to a PIL image, with a probability.

    Args:
        distortion_scale (float, optional): the degree of distortion, in [0, 1].
        prob (float, optional): the probability of a change.
        interpolation (Inter, optional): the interpolation method.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.

    Example:
        >>> from PIL import Image
        >>> from mindspore_compat.dataset import vision
        >>> vision.RandomPerspective(0.3, prob=1.0)(Image.new("RGB", (6, 4))).size
        (6, 4)

    Source: mindspore.dataset.vision.RandomPerspective of MindSpore 2.10.
    """

    _unfit = ValueError

    @checked
    def __init__(
        self,
        distortion_scale: _Chance = 0.5,
        prob: _Chance = 0.5,
        interpolation: AnInstance(Inter) = Inter.CUBIC,
    ):
        self.distortion_scale, self.prob = distortion_scale, prob
        self.interpolation = interpolation

    def _pil(self, image):
        if not self._random.chance(self.prob):
            return image
        width, height = image.size
        across, down = (int(self.distortion_scale * (length // 2)) for length in image.size)
        draw = self._random.integer
        left, right = (0, across), (width - across - 1, width - 1)
        top, low = (0, down), (height - down - 1, height - 1)
        start = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        end = [
            (draw(*x), draw(*y)) for x, y in ((left, top), (right, top), (right, low), (left, low))
        ]
        return warping.perspective_pil("RandomPerspective", image, start, end, self.interpolation)


# Erased patches -----------------------------------------------------------------------------------


class CutOut(ImageOperation):
    """Fills square patches at random positions with 0; patches may cross the edge.

    Args:
        length (int): the side length of a patch.
        num_patches (int, optional): the number of patches.
        is_hwc (bool, optional): whether the channels are the last axis instead of the first.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is not positive.
        RuntimeError: if an image does not have three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.CutOut(1)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.CutOut of MindSpore 2.10.
    """

    @checked
    def __init__(self, length: positive, num_patches: positive = 1, is_hwc: Bool = True):
        self.length, self.num_patches, self.is_hwc = length, num_patches, is_hwc

    def _array(self, image, lead):
        check_rank("CutOut", image, lead, (3,))
        if image.dtype.kind in "SU":
            raise RuntimeError("For 'CutOut', an image must hold numbers, but got text.")
        out = image.copy()
        view = out if self.is_hwc else out.transpose(1, 2, 0)
        size = self.length
        for _ in range(self.num_patches):
            top = self._random.integer(0, view.shape[0] + size) - size
            left = self._random.integer(0, view.shape[1] + size) - size
            view[max(0, top) : max(0, top + size), max(0, left) : max(0, left + size)] = 0
        return out


class RandomErasing(ImageOperation):
    """Erases a random rectangle of an array (channels, height, width), with a probability.

    Args:
        prob (float, optional): the probability of a change.
        scale (sequence, optional): (min, max) of the rectangle's area, as a fraction of the image's
            area.
        ratio (sequence, optional): (min, max) of the rectangle's aspect ratio, height / width.
        value (Union[int, str, sequence], optional): the fill: a value, one value per channel, or
            "random" for normally distributed values.
        inplace (bool, optional): whether to modify the input itself.
        max_attempts (int, optional): the number of attempts to draw a rectangle; after them, the
            image stays unchanged.

    Raises:
        TypeError: if an argument is of the wrong type, or the input is not an array of numbers.
        ValueError: if an argument is out of range.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.zeros((3, 8, 8), np.float32)
        >>> float(vision.RandomErasing(prob=1.0, value=1)(image).max())
        1.0

    Source: mindspore.dataset.vision.RandomErasing of MindSpore 2.10.
    """

    implementation = Implementation.PY

    @checked
    def __init__(
        self,
        prob: Probability = 0.5,
        scale: _Range = (0.02, 0.33),
        ratio: _Range = (0.3, 3.3),
        value: AsValue(
            Int(ge=0, le=255) | OneOf("random") | sequence(Int(ge=0, le=255), 3),
            Int() | Str | AnInstance(list, tuple),
        ) = 0,
        inplace: Bool = False,
        max_attempts: positive = 10,
    ):
        self.prob, self.scale, self.ratio, self.value = prob, scale, ratio, value
        self.inplace, self.max_attempts = inplace, max_attempts

    def _pil(self, image):
        raise TypeError("For 'RandomErasing', the input must be an array, but got a PIL image.")

    def _array(self, image, lead):
        if image.ndim != 3:
            raise TypeError(
                f"For 'RandomErasing', an image must have shape (channels, height, "
                f"width), but got {image.shape}."
            )
        if not self._random.chance(self.prob):
            return image
        region = self._region(*image.shape[1:])
        if region is None:
            return image
        top, left, height, width = region
        out = image if self.inplace and image.flags.writeable else image.copy()
        out[:, top : top + height, left : left + width] = self._filling(len(image), height, width)
        return out

    def _region(self, height, width):
        low, high = (math.log(max(edge, 1e-12)) for edge in self.ratio)
        for _ in range(self.max_attempts):
            area = height * width * self._random.uniform(*self.scale)
            shape = math.exp(self._random.uniform(low, high))
            box_height, box_width = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < box_height < height and 0 < box_width < width:
                return (
                    self._random.integer(0, height - box_height),
                    self._random.integer(0, width - box_width),
                    box_height,
                    box_width,
                )
        return None

    def _filling(self, channels, height, width):
        if self.value == "random":
            count = channels * height * width
            normal = [self._random.normal() for _ in range(count)]
            return np.array(normal).reshape(channels, height, width)
        return np.reshape(self.value, (-1, 1, 1))
