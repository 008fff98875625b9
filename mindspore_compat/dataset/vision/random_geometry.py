"""Random image transforms of the picture's position and shape: flips, crops, turns, erased patches.

With one worker and a seed, arrays are augmented exactly as the original augments them: the same
numbers are drawn in the same order (see engine/twister.py). PIL images draw from the same stream.
"""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Float, Int, Number, OneOf, TupleOf
from .._extra import decoded, image_bytes, pillow
from .._rules import AnInstance, Fill, Padding, Probability, Size, increasing, positive, sequence
from . import warping
from ._image import ImageOperation, PilOperation, check_least_rank, check_rank, pair, with_channels
from .geometry import cropped, flipped, padded_image, padded_pil, sides
from .resizing import pil_filter, resized
from .utils import Border, Inter

__all__ = [
    "CutOut",
    "RandomAffine",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomPerspective",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
]

_Range = increasing(Number(ge=0.0, le=16777216))
_Chance = Float(ge=0.0, le=1.0)
_Shear = Number(gt=0) | OneOf(True) | increasing(Number) | sequence(Number, 4)
_Degrees = Number(ge=0) | increasing(Number)


# Flips --------------------------------------------------------------------------------------------


class RandomHorizontalFlip(ImageOperation):
    """Mirrors an image left to right, or leaves it as it is.

    Args:
        prob (float, optional): how likely it is mirrored.

    Raises:
        TypeError: it is no number.
        ValueError: it is not in [0, 1].
        RuntimeError: an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomHorizontalFlip(prob=1.0)(np.array([[[1], [2]]],
        ...         np.uint8)).shape)
        (1, 2, 1)
    """

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _pil(self, image):
        how = pillow("RandomHorizontalFlip").Transpose.FLIP_LEFT_RIGHT
        return image.transpose(how) if self._random.chance(self.prob) else image

    def _array(self, image, lead):
        check_least_rank("RandomHorizontalFlip", image, lead)
        chosen = self._random.chance(self.prob)
        return flipped("RandomHorizontalFlip", image, lead, -2) if chosen else image


class RandomVerticalFlip(ImageOperation):
    """Turns an image upside down, or leaves it as it is.

    Args:
        prob (float, optional): how likely it is turned.

    Raises:
        TypeError: it is no number.
        ValueError: it is not in [0, 1].
        RuntimeError: an image has not two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomVerticalFlip(prob=1.0)(np.array([[[1], [2]]],
        ...         np.uint8)).shape)
        (1, 2, 1)
    """

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _pil(self, image):
        how = pillow("RandomVerticalFlip").Transpose.FLIP_TOP_BOTTOM
        return image.transpose(how) if self._random.chance(self.prob) else image

    def _array(self, image, lead):
        check_rank("RandomVerticalFlip", image, lead, (2, 3))
        chosen = self._random.chance(self.prob)
        return flipped("RandomVerticalFlip", image, lead, -3) if chosen else image


# Crops --------------------------------------------------------------------------------------------


class RandomCrop(ImageOperation):
    """Crops a region at a random position.

    Args:
        size (Union[int, sequence]): (height, width) of the region; an int is a square.
        padding (Union[int, sequence], optional): borders put around the image first: at each side;
            or (left and right, top and bottom); or (left, top, right, bottom).
        pad_if_needed (bool, optional): whether an image that is too small gets borders.
        fill_value (Union[int, tuple], optional): the pixel of CONSTANT borders, in [0, 255].
        padding_mode (Border, optional): what the borders hold.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `size` is not positive, `padding` negative, or `fill_value` not in [0, 255].
        RuntimeError: an image is smaller than the region; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomCrop(2)(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 2, 3)
    """

    @checked
    def __init__(
        self,
        size: Size,
        padding: Padding = None,
        pad_if_needed: Bool = False,
        fill_value: Fill = 0,
        padding_mode: AnInstance(Border) = Border.CONSTANT,
    ):
        self.size, self.padding, self.pad_if_needed = pair(size), padding, pad_if_needed
        self.fill_value, self.padding_mode = fill_value, padding_mode

    def _corner(self, height, width):
        """(top, left) of the region in an image of this size.

        Raises:
            RuntimeError: the image is smaller.
        """
        if height < self.size[0] or width < self.size[1]:
            raise RuntimeError(
                f"For 'RandomCrop', 'size' must not exceed the image with its "
                f"borders, {height} x {width}, but got {self.size}."
            )
        left = self._random.integer(0, width - self.size[1])
        return self._random.integer(0, height - self.size[0]), left

    def _needed(self, height, width):
        """The borders (left, top, right, bottom) that an image of this size needs."""
        down = max(0, self.size[0] - height) if self.pad_if_needed else 0
        across = max(0, self.size[1] - width) if self.pad_if_needed else 0
        return across, down, across, down

    def _pil(self, image):
        if self.padding is not None:
            image = padded_pil(
                "RandomCrop", image, self.padding, self.fill_value, self.padding_mode
            )
        needed = self._needed(image.height, image.width)
        if any(needed):
            image = padded_pil("RandomCrop", image, needed, self.fill_value, self.padding_mode)
        top, left = self._corner(image.height, image.width)
        return image.crop((left, top, left + self.size[1], top + self.size[0]))

    def _array(self, image, lead):
        check_least_rank("RandomCrop", image, lead)
        several = image.ndim > 3
        pad = self._pad_each if several else self._pad
        if self.padding is not None:
            image = pad(image, sides(self.padding))
        needed = self._needed(*with_channels(image, 0)[0].shape[-3:-1])
        if any(needed):
            image = pad(image, needed)
        top, left = self._corner(*with_channels(image, 0)[0].shape[-3:-1])
        return cropped("RandomCrop", image, top, left, *self.size)

    def _pad(self, image, padding):
        return padded_image("RandomCrop", image, padding, self.fill_value, self.padding_mode)

    def _pad_each(self, images, padding):
        return np.stack([self._pad(each, padding) for each in images])


class _ResizedCrop(ImageOperation):
    """What RandomResizedCrop and RandomCropDecodeResize share."""

    @checked
    def __init__(
        self,
        size: Size,
        scale: _Range = (0.08, 1.0),
        ratio: _Range = (3 / 4, 4 / 3),
        interpolation: AnInstance(Inter) = Inter.LINEAR,
        max_attempts: positive = 10,
    ):
        api = type(self).__name__
        if scale[1] <= 0 or ratio[0] <= 0:
            raise ValueError(
                f"For '{api}', 'scale' must end, and 'ratio' begin, above 0, but got "
                f"{scale} and {ratio}."
            )
        self.size, self.scale, self.ratio = pair(size), scale, ratio
        self.interpolation, self.max_attempts = interpolation, max_attempts

    def _region(self, height, width):
        """(top, left, height, width) of a random region; the middle if no attempt fits."""
        low, high = (math.log(each) for each in self.ratio)
        for _ in range(self.max_attempts):
            share = self._random.uniform32(*self.scale)
            shape = math.exp(self._random.uniform32(low, high))
            wide = round(math.sqrt(height * width * share * shape))
            tall = round(wide / shape)
            if 0 < wide <= width and 0 < tall <= height:
                left = self._random.integer(0, width - wide)
                return self._random.integer(0, height - tall), left, tall, wide
        shape = min(max(width / height, self.ratio[0]), self.ratio[1])
        wide, tall = min(width, round(height * shape)), min(height, round(width / shape))
        return (height - tall + 1) // 2, (width - wide + 1) // 2, tall, wide

    def _pil(self, image):
        top, left, height, width = self._region(image.height, image.width)
        part = image.crop((left, top, left + width, top + height))
        return part.resize(self.size[::-1], pil_filter(type(self).__name__, self.interpolation))

    def _array(self, image, lead):
        api = type(self).__name__
        check_least_rank(api, image, lead)
        region = self._region(*with_channels(image, 0)[0].shape[-3:-1])
        return resized(api, cropped(api, image, *region), self.size, self.interpolation)


class RandomResizedCrop(_ResizedCrop):
    """Takes a random region of random size and shape, and resizes it.

    Args:
        size (Union[int, sequence]): (height, width) of the result; an int is a square.
        scale (sequence, optional): (min, max) of the region's area, as a part of the image's.
        ratio (sequence, optional): (min, max) of the region's width by its height.
        interpolation (Inter, optional): how it is resized.
        max_attempts (int, optional): how often a region is drawn before the middle is taken.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomResizedCrop(2)(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 2, 3)
    """


class RandomCropDecodeResize(_ResizedCrop):
    """Decodes the bytes of an image file and does what RandomResizedCrop does. Needs OpenCV.

    Args:
        size (Union[int, sequence]): (height, width) of the result; an int is a square.
        scale (sequence, optional): (min, max) of the region's area, as a part of the image's.
        ratio (sequence, optional): (min, max) of the region's width by its height.
        interpolation (Inter, optional): how it is resized.
        max_attempts (int, optional): how often a region is drawn before the middle is taken.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the input is not the bytes of an image file; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> encoded = vision.encode_png(np.zeros((9, 9, 3), np.uint8))
        >>> vision.RandomCropDecodeResize((4, 6))(encoded).shape
        (4, 6, 3)
    """

    def _array(self, image, lead):
        api = "RandomCropDecodeResize"
        return super()._array(decoded(api, image_bytes(api, image)), lead)


class RandomResize(ImageOperation):
    """Resizes an image in a randomly chosen way: LINEAR, NEAREST, CUBIC or AREA.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side.

    Raises:
        TypeError: it is neither.
        ValueError: it is not positive.
        RuntimeError: an image has not two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomResize((2, 3))(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 3, 3)
    """

    @checked
    def __init__(self, size: Size | OneOf(True)):
        self.size = 1 if size is True else size

    def _array(self, image, lead):
        check_rank("RandomResize", image, lead, (2, 3))
        ways = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)
        return resized("RandomResize", image, self.size, ways[self._random.integer(0, 3)])


# Turns --------------------------------------------------------------------------------------------


class RandomRotation(ImageOperation):
    """Turns an image by a random angle.

    Args:
        degrees (Union[int, float, sequence]): (min, max) of the angle; a number is (-it, it).
        resample (Inter, optional): how pixels are interpolated.
        expand (bool, optional): whether the result is large enough for all of the turned image.
        center (tuple, optional): (x, y), around which it is turned; by default the middle.
        fill_value (Union[int, tuple], optional): what lies outside, in [0, 255].

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `degrees` or `fill_value` is out of range.
        RuntimeError: an image has not two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomRotation(15)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)
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
        return warping.rotated_pil("RandomRotation", image, angle, *self.settings)

    def _array(self, image, lead):
        angle = self._random.uniform32(*self.degrees)
        return warping.rotated("RandomRotation", image, angle, *self.settings)


def around_zero(degrees):
    """A number as the range around zero that it stands for."""
    return (-degrees, degrees) if isinstance(degrees, (int, float)) else tuple(degrees)


class RandomAffine(ImageOperation):
    """Turns, shifts, scales and shears an image at random, around its middle.

    Args:
        degrees (Union[int, float, sequence]): (min, max) of the angle; a number is (-it, it).
        translate (sequence, optional): (min, max) of the shift to the right, and perhaps down, as
            parts of the size, in [-1, 1].
        scale (sequence, optional): (min, max) of the factor of the size.
        shear (Union[float, sequence], optional): (min, max) of the angle along x, and perhaps y; a
            number is (-it, it).
        resample (Inter, optional): how pixels are interpolated.
        fill_value (Union[int, tuple], optional): what lies outside, in [0, 255].

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: an image has not two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomAffine(15)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)
    """

    @checked(Forbid("scale is not None and scale[1] == 0", ValueError, "'scale' must end above 0"))
    def __init__(
        self,
        degrees: _Degrees,
        translate: sequence(Number(ge=-1.0, le=1.0), (2, 4)) = None,
        scale: _Range = None,
        shear: _Shear = None,
        resample: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill = 0,
    ):
        nothing = (0.0, 0.0)
        translate = tuple(translate or nothing)
        shear = tuple(around_zero(shear) if shear is not None else nothing)
        self.degrees, self.scale = around_zero(degrees), scale or (1.0, 1.0)
        self.translate = translate if len(translate) == 4 else translate + nothing
        self.shear = shear if len(shear) == 4 else shear + nothing
        self.resample, self.fill_value = resample, fill_value

    def _drawn(self):
        """An angle, shifts, a factor and shears."""
        draw = self._random.uniform32
        angle = draw(*self.degrees)
        shift = draw(*self.translate[:2]), draw(*self.translate[2:])
        return angle, shift, draw(*self.scale), (draw(*self.shear[:2]), draw(*self.shear[2:]))

    def _pil(self, image):
        angle, shift, scale, shear = self._drawn()
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
        return warping.affine("RandomAffine", image, *self._drawn(), self.resample, self.fill_value)


class RandomPerspective(PilOperation):
    """Moves the corners of a PIL image at random, or leaves it as it is.

    Args:
        distortion_scale (float, optional): how far, in [0, 1].
        prob (float, optional): how likely.
        interpolation (Inter, optional): how pixels are interpolated.

    Raises:
        TypeError: an argument is of the wrong type; or the input is no PIL image.
        ValueError: one is out of range.
    """

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
        return warping.in_perspective_pil(
            "RandomPerspective", image, start, end, self.interpolation
        )


# Erased patches -----------------------------------------------------------------------------------


class CutOut(ImageOperation):
    """Blackens square patches at random positions; they may reach over the edge.

    Args:
        length (int): the side of a patch.
        num_patches (int, optional): how many there are.
        is_hwc (bool, optional): whether channels are the last axis, not the first.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a number is not positive.
        RuntimeError: an image has not three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.CutOut(1)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)
    """

    @checked
    def __init__(self, length: positive, num_patches: positive = 1, is_hwc: Bool = True):
        self.length, self.num_patches, self.is_hwc = length, num_patches, is_hwc

    def _array(self, image, lead):
        check_rank("CutOut", image, lead, (3,))
        out = image.copy()
        view = out if self.is_hwc else out.transpose(1, 2, 0)
        size = self.length
        for _ in range(self.num_patches):
            top = self._random.integer(0, view.shape[0] + size) - size
            left = self._random.integer(0, view.shape[1] + size) - size
            view[max(0, top) : max(0, top + size), max(0, left) : max(0, left + size)] = 0
        return out


class RandomErasing(ImageOperation):
    """Fills a random rectangle of an array (channels, height, width), or leaves it as it is.

    Args:
        prob (float, optional): how likely.
        scale (sequence, optional): (min, max) of the rectangle's area, as a part of the image's.
        ratio (sequence, optional): (min, max) of its height by its width.
        value (Union[int, str, sequence], optional): what fills it: a value, one per channel, or
            "random" for normal numbers.
        inplace (bool, optional): whether the input itself is changed.
        max_attempts (int, optional): how often a rectangle is drawn before the image is left.

    Raises:
        TypeError: an argument is of the wrong type; or the input is no array of numbers.
        ValueError: one is out of range.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.zeros((3, 8, 8), np.float32)
        >>> float(vision.RandomErasing(prob=1.0, value=1)(image).max())
        1.0
    """

    @checked
    def __init__(
        self,
        prob: Probability = 0.5,
        scale: _Range = (0.02, 0.33),
        ratio: _Range = (0.3, 3.3),
        value: Int(ge=0, le=255) | OneOf("random") | sequence(Int(ge=0, le=255), 3) = 0,
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
        low, high = (math.log(max(each, 1e-12)) for each in self.ratio)
        for _ in range(self.max_attempts):
            area = height * width * self._random.uniform(*self.scale)
            shape = math.exp(self._random.uniform(low, high))
            tall, wide = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < tall < height and 0 < wide < width:
                return (
                    self._random.integer(0, height - tall),
                    self._random.integer(0, width - wide),
                    tall,
                    wide,
                )
        return None

    def _filling(self, channels, height, width):
        if self.value == "random":
            count = channels * height * width
            normal = [self._random.normal() for _ in range(count)]
            return np.array(normal).reshape(channels, height, width)
        return np.reshape(self.value, (-1, 1, 1))
