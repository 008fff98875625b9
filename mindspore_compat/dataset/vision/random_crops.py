"""Random crops of images, and resizing by a random filter."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, OneOf
from .._extra import decoded, image_bytes
from .._rules import AnInstance, Fill, Padding, Size, positive
from ._image import ImageOperation, check_least_rank, check_rank, pair, with_channels
from .geometry import cropped, padded_image, padded_pil, sides
from .random_geometry import _Range
from .resizing import pil_filter, resized
from .utils import Border, Inter

__all__ = ["RandomCrop", "RandomCropDecodeResize", "RandomResize", "RandomResizedCrop"]


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

    Source: mindspore.dataset.vision.RandomCrop of MindSpore 2.10.
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
                f"For '{type(self).__name__}', 'size' must not exceed the image with its "
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
        image, _ = self._bordered(image)
        top, left = self._corner(*with_channels(image, 0)[0].shape[-3:-1])
        return cropped("RandomCrop", image, top, left, *self.size)

    def _bordered(self, image):
        """An image with its borders, and how many pixels were put (before the left, the top)."""
        left = top = 0
        if self.padding is not None:
            left, top, *_ = sides(self.padding)
            image = self._padded(image, sides(self.padding))
        needed = self._needed(*with_channels(image, 0)[0].shape[-3:-1])
        if any(needed):
            image = self._padded(image, needed)
        return image, (left + needed[0], top + needed[1])

    def _padded(self, image, padding):
        if image.ndim > 3:
            return np.stack([self._padded(each, padding) for each in image])
        api = type(self).__name__
        return padded_image(api, image, padding, self.fill_value, self.padding_mode)


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
            shape = float(np.float32(math.exp(self._random.uniform32(low, high))))
            box_width = _rounded(math.sqrt(height * width * share * shape))
            box_height = _rounded(box_width / shape)
            if 0 < box_width <= width and 0 < box_height <= height:
                left = self._random.integer(0, width - box_width)
                return self._random.integer(0, height - box_height), left, box_height, box_width
        shape = min(max(width / height, self.ratio[0]), self.ratio[1])
        box_width = min(width, _rounded(height * shape))
        box_height = min(height, _rounded(width / shape))
        return (height - box_height + 1) // 2, (width - box_width + 1) // 2, box_height, box_width

    def _pil(self, image):
        top, left, height, width = self._region(image.height, image.width)
        part = image.crop((left, top, left + width, top + height))
        return part.resize(self.size[::-1], pil_filter(type(self).__name__, self.interpolation))

    def _array(self, image, lead):
        api = type(self).__name__
        check_least_rank(api, image, lead)
        region = self._region(*with_channels(image, 0)[0].shape[-3:-1])
        return resized(api, cropped(api, image, *region), self.size, self.interpolation)


def _rounded(number):
    """The nearest whole number, the greater one of two that are as near."""
    return math.floor(number + 0.5)


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

    Source: mindspore.dataset.vision.RandomResizedCrop of MindSpore 2.10.
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

    Source: mindspore.dataset.vision.RandomCropDecodeResize of MindSpore 2.10.
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

    Source: mindspore.dataset.vision.RandomResize of MindSpore 2.10.
    """

    @checked
    def __init__(self, size: Size | OneOf(True)):
        self.size = 1 if size is True else size

    def _array(self, image, lead):
        check_rank("RandomResize", image, lead, (2, 3))
        return resized("RandomResize", image, self.size, self._way())

    def _way(self):
        """A way to interpolate, drawn at random."""
        ways = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)
        return ways[self._random.integer(0, 3)]
