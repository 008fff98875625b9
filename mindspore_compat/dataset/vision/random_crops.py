"""Random crops of images, and resizing with a random interpolation method."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, OneOf
from .._extra import decode_image, image_bytes
from .._rules import AnInstance, Fill, Padding, Size, positive
from ._image import (
    ImageOperation,
    PixelOperation,
    check_least_rank,
    check_rank,
    need_given,
    pair,
    with_channels,
)
from .geometry import crop, padded_image, padded_pil, sides
from .random_geometry import _Range
from .resizing import pil_filter, resize
from .utils import Border, Inter

__all__ = ["RandomCrop", "RandomCropDecodeResize", "RandomResize", "RandomResizedCrop"]


class RandomCrop(PixelOperation):
    """Crops an image at a random position.

    Args:
        size (Union[int, sequence]): (height, width) of the region; an int is a square.
        padding (Union[int, sequence], optional): the borders that are added first: one width for
            all sides; or (left and right, top and bottom); or (left, top, right, bottom).
        pad_if_needed (bool, optional): whether to pad an image that is too small.
        fill_value (Union[int, tuple], optional): the pixel value of CONSTANT borders, in [0, 255].
        padding_mode (Border, optional): the kind of border.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `size` is not positive, `padding` negative, or `fill_value` not in [0, 255].
        RuntimeError: if an image is smaller than the region; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomCrop(2)(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 2, 3)

    Source: mindspore.dataset.vision.RandomCrop of MindSpore 2.10.
    """

    _takes_columns = True

    @checked
    def __init__(
        self,
        size: Size,
        padding: Padding = None,
        pad_if_needed: Bool = False,
        fill_value: Fill | None = 0,
        padding_mode: AnInstance(Border) | None = Border.CONSTANT,
    ):
        self.size, self.padding, self.pad_if_needed = pair(size), padding, pad_if_needed
        self.fill_value, self.padding_mode = fill_value, padding_mode

    def _corner(self, height, width):
        """Returns (top, left) of the region in an image of this size.

        Raises:
            RuntimeError: if the image is smaller.
        """
        if height < self.size[0] or width < self.size[1]:
            raise RuntimeError(
                f"For '{type(self).__name__}', 'size' must not exceed the image with its "
                f"borders, {height} x {width}, but got {self.size}."
            )
        left = self._random.integer(0, width - self.size[1])
        return self._random.integer(0, height - self.size[0]), left

    def _border_widths(self, height, width):
        """Returns the borders (left, top, right, bottom) that an image of this size requires."""
        down = max(0, self.size[0] - height) if self.pad_if_needed else 0
        across = max(0, self.size[1] - width) if self.pad_if_needed else 0
        return across, down, across, down

    def _need_borders(self):
        """Raises an error if the kind or the pixel value of the borders is None."""
        api = type(self).__name__
        need_given(api, fill_value=self.fill_value)
        need_given(api, RuntimeError, padding_mode=self.padding_mode)

    def _pil(self, image):
        self._need_borders()
        if self.padding is not None:
            image = padded_pil(
                "RandomCrop", image, self.padding, self.fill_value, self.padding_mode
            )
        borders = self._border_widths(image.height, image.width)
        if any(borders):
            image = padded_pil("RandomCrop", image, borders, self.fill_value, self.padding_mode)
        top, left = self._corner(image.height, image.width)
        return image.crop((left, top, left + self.size[1], top + self.size[0]))

    def _array(self, image, lead):
        check_least_rank("RandomCrop", image, lead)
        image, _ = self._add_borders(image)
        top, left = self._corner(*with_channels(image, 0)[0].shape[-3:-1])
        return crop("RandomCrop", image, top, left, *self.size)

    def _add_borders(self, image):
        """Adds the borders; returns the image and the widths of its left and top borders."""
        self._need_borders()
        left = top = 0
        if self.padding is not None:
            left, top, *_ = sides(self.padding)
            image = self._pad(image, sides(self.padding))
        borders = self._border_widths(*with_channels(image, 0)[0].shape[-3:-1])
        if any(borders):
            image = self._pad(image, borders)
        return image, (left + borders[0], top + borders[1])

    def _pad(self, image, padding):
        if image.ndim > 3:
            return np.stack([self._pad(item, padding) for item in image])
        api = type(self).__name__
        return padded_image(api, image, padding, self.fill_value, self.padding_mode)


class _ResizedCrop(ImageOperation):
    """Shared base class of RandomResizedCrop and RandomCropDecodeResize."""

    @checked
    def __init__(
        self,
        size: Size,
        scale: _Range | None = (0.08, 1.0),
        ratio: _Range | None = (3 / 4, 4 / 3),
        interpolation: AnInstance(Inter) | None = Inter.LINEAR,
        max_attempts: positive | None = 10,
    ):
        api = type(self).__name__
        if scale is not None and scale[1] <= 0 or ratio is not None and ratio[0] <= 0:
            raise ValueError(
                f"For '{api}', 'scale' must end, and 'ratio' begin, above 0, but got "
                f"{scale} and {ratio}."
            )
        self.size, self.scale, self.ratio = pair(size), scale, ratio
        self.interpolation, self.max_attempts = interpolation, max_attempts

    def _region(self, height, width):
        """Returns (top, left, height, width) of a random region; the central one if no attempt
        fits."""
        api = type(self).__name__
        need_given(api, scale=self.scale, ratio=self.ratio, max_attempts=self.max_attempts)
        need_given(api, RuntimeError, interpolation=self.interpolation)
        low, high = (math.log(edge) for edge in self.ratio)
        for _ in range(self.max_attempts):
            share = self._random.uniform32(*self.scale)
            shape = float(np.float32(math.exp(self._random.uniform32(low, high))))
            box_width = _round(math.sqrt(height * width * share * shape))
            box_height = _round(box_width / shape)
            if 0 < box_width <= width and 0 < box_height <= height:
                left = self._random.integer(0, width - box_width)
                return self._random.integer(0, height - box_height), left, box_height, box_width
        shape = min(max(width / height, self.ratio[0]), self.ratio[1])
        box_width = min(width, _round(height * shape))
        box_height = min(height, _round(width / shape))
        return (height - box_height + 1) // 2, (width - box_width + 1) // 2, box_height, box_width

    def _pil(self, image):
        top, left, height, width = self._region(image.height, image.width)
        part = image.crop((left, top, left + width, top + height))
        return part.resize(self.size[::-1], pil_filter(type(self).__name__, self.interpolation))

    def _array(self, image, lead):
        api = type(self).__name__
        check_least_rank(api, image, lead)
        region = self._region(*with_channels(image, 0)[0].shape[-3:-1])
        return resize(api, crop(api, image, *region), self.size, self.interpolation)


def _round(number):
    """Rounds to the nearest integer; one half is rounded up."""
    return math.floor(number + 0.5)


class RandomResizedCrop(_ResizedCrop):
    """Crops a region of random position, area and aspect ratio and resizes it.

    Args:
        size (Union[int, sequence]): (height, width) of the result; an int is a square.
        scale (sequence, optional): (min, max) of the region's area, as a fraction of the image's
            area.
        ratio (sequence, optional): (min, max) of the region's aspect ratio, width / height.
        interpolation (Inter, optional): the interpolation method.
        max_attempts (int, optional): the number of attempts to draw a region; after them, the
            center is taken.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomResizedCrop(2)(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 2, 3)

    Source: mindspore.dataset.vision.RandomResizedCrop of MindSpore 2.10.
    """

    _takes_columns = True


class RandomCropDecodeResize(_ResizedCrop):
    """Decodes the bytes of an image file and applies RandomResizedCrop. Needs OpenCV.

    Args:
        size (Union[int, sequence]): (height, width) of the result; an int is a square.
        scale (sequence, optional): (min, max) of the region's area, as a fraction of the image's
            area.
        ratio (sequence, optional): (min, max) of the region's aspect ratio, width / height.
        interpolation (Inter, optional): the interpolation method.
        max_attempts (int, optional): the number of attempts to draw a region; after them, the
            center is taken.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is not the bytes of an image file; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> encoded = vision.encode_png(np.zeros((9, 9, 3), np.uint8))
        >>> vision.RandomCropDecodeResize((4, 6))(encoded).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.RandomCropDecodeResize of MindSpore 2.10.
    """

    _takes_one = True

    def _array(self, image, lead):
        api = "RandomCropDecodeResize"
        return super()._array(decode_image(api, image_bytes(api, image)), lead)


class RandomResize(ImageOperation):
    """Resizes an image with a random interpolation method: LINEAR, NEAREST, CUBIC or AREA.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side.

    Raises:
        TypeError: if `size` is neither.
        ValueError: if `size` is not positive.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.RandomResize((2, 3))(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 3, 3)

    Source: mindspore.dataset.vision.RandomResize of MindSpore 2.10.
    """

    _takes_columns = True

    @checked
    def __init__(self, size: Size | OneOf(True)):
        self.size = 1 if size is True else size

    def _array(self, image, lead):
        check_rank("RandomResize", image, lead, (2, 3))
        return resize("RandomResize", image, self.size, self._method())

    def _method(self):
        """Returns a random interpolation method."""
        ways = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)
        return ways[self._random.integer(0, 3)]
