"""Image transforms that select or move whole pixels: crops, padding, flips, patches, erasing.

Transforms that resize an image are in `resizing`, those that rotate or warp it in `warping`.
"""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Int, Number
from .._extra import pillow
from .._rules import AnInstance, Fill, Padding, Size, natural, positive, sequence
from . import _pixels
from ._image import (
    ImageOperation,
    PilOperation,
    PixelOperation,
    check_channels,
    check_least_rank,
    check_rank,
    pair,
    with_channels,
)
from ._resize import round_to
from .resizing import resize
from .utils import Border, Inter, SliceMode

__all__ = [
    "CenterCrop",
    "Crop",
    "Erase",
    "FiveCrop",
    "HorizontalFlip",
    "Pad",
    "PadToSize",
    "ResizedCrop",
    "SlicePatches",
    "TenCrop",
    "VerticalFlip",
]

_Coordinate = Int(ge=0, le=2**31 - 1)
Value = Number(ge=0, le=255) | sequence(Number(ge=0, le=255), 3)
_modes = {Border.EDGE: "edge", Border.REFLECT: "reflect", Border.SYMMETRIC: "symmetric"}


# Crops --------------------------------------------------------------------------------------------


def check_inside(api, image, top, left, height, width):
    """Raises RuntimeError for a region that is not within the image."""
    if top + height > image.shape[-3] or left + width > image.shape[-2]:
        raise RuntimeError(
            f"For '{api}', the region of {height} x {width} pixels at "
            f"({top}, {left}) reaches out of an image of shape {image.shape}."
        )


def crop(api, images, top, left, height, width, lead=0):
    """Crops a region of images.

    Raises:
        RuntimeError: if the region is not within the images.
    """
    images, grey = with_channels(images, lead)
    check_inside(api, images, top, left, height, width)
    images = images[..., top : top + height, left : left + width, :]
    return images[..., 0] if grey else images


class Crop(PixelOperation):
    """Crops a region of an image.

    Args:
        coordinates (sequence): (top, left) of the region.
        size (Union[int, sequence]): (height, width) of the region; an int is a square.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a coordinate is negative, or `size` not positive.
        RuntimeError: if the region is not within the image; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Crop((0, 0), (2, 3))(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 3, 3)

    Source: mindspore.dataset.vision.Crop of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, coordinates: sequence(_Coordinate, 2), size: Size):
        self.coordinates, self.size = coordinates, size

    def _array(self, image, lead):
        check_rank("Crop", image, lead, (2, 3))
        return crop("Crop", image, *self.coordinates, *pair(self.size), lead)


class CenterCrop(PixelOperation):
    """Crops the center of an image; a smaller image is padded with 0.

    Args:
        size (Union[int, sequence]): (height, width); an int is a square.

    Raises:
        TypeError: if `size` is neither an int nor a sequence.
        ValueError: if `size` is not positive.
        RuntimeError: if an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.CenterCrop(2)(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 2, 3)

    Source: mindspore.dataset.vision.CenterCrop of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, size: Size):
        self.size = size

    def _pil(self, image):
        height, width = pair(self.size)
        left, top = (
            int(round((have - want) / 2.0))
            for have, want in zip(image.size, (width, height), strict=True)
        )
        return image.crop((left, top, left + width, top + height))

    def _array(self, image, lead):
        check_least_rank("CenterCrop", image, lead)
        image, grey = with_channels(image, lead)
        height, width = pair(self.size)
        spare = image.shape[-3] - height, image.shape[-2] - width
        if min(spare) < 0:
            before = [max(0, (1 - gap) // 2) for gap in spare]
            after = [max(0, -gap) - first for gap, first in zip(spare, before, strict=True)]
            image = _pad(image, before[0], after[0], before[1], after[1], 0, Border.CONSTANT)
        top, left = (max(0, gap) // 2 for gap in spare)
        image = image[..., top : top + height, left : left + width, :]
        return image[..., 0] if grey else image


class ResizedCrop(ImageOperation):
    """Crops a region of an image and resizes it.

    Args:
        top (int): the region's upper edge.
        left (int): the region's left edge.
        height (int): the region's height.
        width (int): the region's width.
        size (Union[int, sequence]): (height, width) of the result; an int is the shorter side.
        interpolation (Inter, optional): the interpolation method.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an edge is negative, or a length not positive.
        RuntimeError: if the region is not within the image; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.ResizedCrop(0, 0, 2, 2,
        ...                                     (3, 3))(np.zeros((4, 4, 3), np.uint8)).shape)
        (3, 3, 3)

    Source: mindspore.dataset.vision.ResizedCrop of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(
        self,
        top: natural,
        left: natural,
        height: positive,
        width: positive,
        size: Size,
        interpolation: AnInstance(Inter) = Inter.LINEAR,
    ):
        self.top, self.left, self.height, self.width = top, left, height, width
        self.size, self.interpolation = size, interpolation

    def _array(self, image, lead):
        check_rank("ResizedCrop", image, lead, (2, 3))
        region = self.top, self.left, self.height, self.width
        part = crop("ResizedCrop", image, *region, lead)
        return resize("ResizedCrop", part, self.size, self.interpolation, lead)


class FiveCrop(PilOperation):
    """Crops the four corners and the center of an image; returns a tuple of five images.

    Args:
        size (Union[int, sequence]): (height, width); an int is a square.

    Raises:
        TypeError: if `size` is neither an int nor a sequence.
        ValueError: if it is not positive, or larger than the image; the latter raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = vision.ToPIL()(np.zeros((4, 6, 3), np.uint8))
        >>> [crop.size for crop in vision.FiveCrop(2)(image)]
        [(2, 2), (2, 2), (2, 2), (2, 2), (2, 2)]

    Source: mindspore.dataset.vision.FiveCrop of MindSpore 2.10.
    """

    @checked
    def __init__(self, size: Size):
        self.size = size

    def _pil(self, image):
        return five_crops("FiveCrop", image, self.size)


def five_crops(api, image, size):
    """Returns the four corners and the center of a PIL image.

    Raises:
        ValueError: if it is too small.
    """
    (have_width, have_height), (height, width) = image.size, pair(size)
    if height > have_height or width > have_width:
        raise ValueError(
            f"For '{api}', 'size' must not exceed the image, {have_height} x "
            f"{have_width}, but got {(height, width)}."
        )
    right, low = have_width - width, have_height - height
    corners = [(0, 0), (right, 0), (0, low), (right, low)]
    crops = [image.crop((left, top, left + width, top + height)) for left, top in corners]
    return (*crops, CenterCrop((height, width))(image))


class TenCrop(PilOperation):
    """Crops the four corners and the center of an image and flips them; returns a tuple of ten
    images.

    Args:
        size (Union[int, sequence]): (height, width); an int is a square.
        use_vertical_flip (bool, optional): whether to flip vertically instead of horizontally.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `size` is not positive, or larger than the image; the latter raised when it
            is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = vision.ToPIL()(np.zeros((4, 6, 3), np.uint8))
        >>> len(vision.TenCrop(2)(image))
        10

    Source: mindspore.dataset.vision.TenCrop of MindSpore 2.10.
    """

    @checked
    def __init__(self, size: Size, use_vertical_flip: Bool | None = False):
        self.size, self.use_vertical_flip = size, use_vertical_flip

    def _pil(self, image):
        turn = pillow("TenCrop").Transpose
        direction = turn.FLIP_TOP_BOTTOM if self.use_vertical_flip else turn.FLIP_LEFT_RIGHT
        return (
            *five_crops("TenCrop", image, self.size),
            *five_crops("TenCrop", image.transpose(direction), self.size),
        )


# Pads ---------------------------------------------------------------------------------------------


def sides(padding):
    """Returns `padding` as (left, top, right, bottom)."""
    if isinstance(padding, int):
        return (padding,) * 4
    return (*padding, *padding) if len(padding) == 2 else tuple(padding)


def _pad(images, top, bottom, left, right, fill, mode):
    """Pads images (..., height, width, channels)."""
    around = [(0, 0)] * (images.ndim - 3) + [(top, bottom), (left, right), (0, 0)]
    if mode is not Border.CONSTANT:
        return np.pad(images, around, _modes[mode])
    shape = [length + sum(widths) for length, widths in zip(images.shape, around, strict=True)]
    out = np.empty(shape, images.dtype)
    out[...] = np.asarray(fill[: images.shape[-1]] if isinstance(fill, tuple) else fill).astype(
        images.dtype
    )
    out[..., top : top + images.shape[-3], left : left + images.shape[-2], :] = images
    return out


def padded_image(api, images, padding, fill, mode, lead=0):
    """Pads images with (left, top, right, bottom) pixels.

    Raises:
        RuntimeError: if the number of channels does not allow it.
    """
    check_rank(api, images, lead, (2, 3))
    images, grey = with_channels(images, lead)
    if images.shape[-1] not in (1, 3) and not grey:
        raise RuntimeError(
            f"For '{api}', an image must have 1 or 3 channels, but got shape {images.shape[lead:]}."
        )
    images = images.view(np.uint8) if images.dtype == bool else images
    left, top, right, bottom = padding
    images = _pad(images, top, bottom, left, right, fill, mode)
    return images[..., 0] if grey else images


class Pad(PixelOperation):
    """Pads an image on all sides.

    Args:
        padding (Union[int, sequence]): the width of the borders: one for all sides; or (left and
            right, top and bottom); or (left, top, right, bottom).
        fill_value (Union[int, tuple], optional): the pixel value of CONSTANT borders, in [0, 255].
        padding_mode (Border, optional): the kind of border.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `padding` is negative, or `fill_value` not in [0, 255].
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Pad(1)(np.zeros((2, 2, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.Pad of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(
        self,
        padding: Padding,
        fill_value: Fill = 0,
        padding_mode: AnInstance(Border) = Border.CONSTANT,
    ):
        self.padding, self.fill_value, self.padding_mode = padding, fill_value, padding_mode

    def _pil(self, image):
        return padded_pil("Pad", image, self.padding, self.fill_value, self.padding_mode)

    def _array(self, image, lead):
        return padded_image(
            "Pad", image, sides(self.padding), self.fill_value, self.padding_mode, lead
        )


def padded_pil(api, image, padding, fill, mode):
    """Pads a PIL image."""
    if mode is Border.CONSTANT:
        fill = fill[0] if isinstance(fill, tuple) and image.mode == "L" else fill
        if isinstance(fill, int) and image.mode == "RGB":
            fill = (fill,) * 3
        return pillow(api, "ImageOps").expand(image, sides(padding), fill)
    left, top, right, bottom = sides(padding)
    around = [(top, bottom), (left, right)] + [(0, 0)] * (image.mode != "L")
    return pillow(api).fromarray(np.pad(np.asarray(image), around, _modes[mode]))


class PadToSize(PixelOperation):
    """Pads an image to a target size.

    Args:
        size (Union[int, sequence]): (height, width); an int is a square.
        offset (Union[int, sequence], optional): the borders (top, left); by default the image is
            centered.
        fill_value (Union[int, tuple], optional): the pixel value of CONSTANT borders, in [0, 255].
        padding_mode (Border, optional): the kind of border.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `size` is not positive, `offset` negative, or `fill_value` not in [0, 255].
        RuntimeError: if an image is larger; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.PadToSize(4)(np.zeros((2, 2, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.PadToSize of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(
        self,
        size: positive | sequence(positive, 2, length_is_kind=False),
        offset: natural | sequence(natural, (0, 2), length_is_kind=False) = None,
        fill_value: Fill = 0,
        padding_mode: AnInstance(Border) = Border.CONSTANT,
    ):
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        offset = () if offset is None else offset
        self.offset = (offset, offset) if isinstance(offset, int) else tuple(offset)
        self.fill_value, self.padding_mode = fill_value, padding_mode

    def _array(self, image, lead):
        check_rank("PadToSize", image, lead, (2, 3))
        height, width = with_channels(image, lead)[0].shape[-3:-1]
        spare = self.size[0] - height, self.size[1] - width
        top, left = self.offset or [gap // 2 for gap in spare]
        if min(spare) < 0 or top > spare[0] or left > spare[1]:
            raise RuntimeError(
                f"For 'PadToSize', an image of {height} x {width} does not fit into "
                f"{self.size} at {(top, left)}."
            )
        around = left, top, spare[1] - left, spare[0] - top
        return padded_image("PadToSize", image, around, self.fill_value, self.padding_mode, lead)


# Flips, patches, erasing --------------------------------------------------------------------------


class HorizontalFlip(PixelOperation):
    """Flips an image horizontally.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.HorizontalFlip()(np.array([[[1, 1, 1], [2, 2, 2]]], np.uint8)))
        [[[2 2 2]
          [1 1 1]]]

    Source: mindspore.dataset.vision.HorizontalFlip of MindSpore 2.10.
    """

    blockwise = True

    def _array(self, image, lead):
        return flip("HorizontalFlip", image, lead, -2)


class VerticalFlip(PixelOperation):
    """Flips an image vertically.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.VerticalFlip()(np.array([[[1, 1, 1]], [[2, 2, 2]]],
        ...         np.uint8)).shape)
        (2, 1, 3)

    Source: mindspore.dataset.vision.VerticalFlip of MindSpore 2.10.
    """

    blockwise = True

    def _array(self, image, lead):
        return flip("VerticalFlip", image, lead, -3)


def flip(api, images, lead, axis):
    """Flips images along an axis of (height, width, channels).

    Raises:
        RuntimeError: if they have fewer than two axes.
    """
    check_least_rank(api, images, lead)
    images, grey = with_channels(images, lead)
    images = _pixels.mirror(images, axis)
    return images[..., 0] if grey else images


class SlicePatches(PixelOperation):
    """Slices an image into patches, row by row; returns a tuple.

    Args:
        num_height (int, optional): the number of patches from top to bottom.
        num_width (int, optional): the number of patches from left to right.
        slice_mode (SliceMode, optional): how to handle an image that does not divide evenly: pad or
            drop.
        fill_value (int, optional): the padding value, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is not positive, or `fill_value` not in [0, 255].
        RuntimeError: if an image does not have two or three axes, or fewer pixels than patches;
            raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(len(ms.dataset.vision.SlicePatches(2, 2)(np.zeros((4, 4, 3), np.uint8))))
        4

    Source: mindspore.dataset.vision.SlicePatches of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        num_height: positive = 1,
        num_width: positive = 1,
        slice_mode: AnInstance(SliceMode) = SliceMode.PAD,
        fill_value: Int(ge=0, le=255) = 0,
    ):
        self.counts = num_height, num_width
        self.slice_mode, self.fill_value = slice_mode, fill_value

    def _array(self, image, lead):
        check_rank("SlicePatches", image, lead, (2, 3))
        if self.counts == (1, 1):
            return image
        image, grey = with_channels(image, lead)
        lengths = image.shape[:2]
        if any(count > length for count, length in zip(self.counts, lengths, strict=True)):
            raise RuntimeError(
                f"For 'SlicePatches', an image of {lengths} has fewer pixels than "
                f"patches, {self.counts}."
            )
        if self.slice_mode is SliceMode.PAD:
            low, right = (
                -length % count for length, count in zip(lengths, self.counts, strict=True)
            )
            image = _pad(image, 0, low, 0, right, self.fill_value, Border.CONSTANT)
        height, width = (
            length // count for length, count in zip(image.shape[:2], self.counts, strict=True)
        )
        patches = [
            image[y * height : (y + 1) * height, x * width : (x + 1) * width]
            for y in range(self.counts[0])
            for x in range(self.counts[1])
        ]
        return tuple(patch[..., 0] if grey else patch for patch in patches)


class Erase(PixelOperation):
    """Erases a region of an image: fills it with one value.

    Args:
        top (int): the region's upper edge.
        left (int): the region's left edge.
        height (int): the region's height.
        width (int): the region's width.
        value (Union[float, sequence], optional): the value, or one value per channel, in [0, 255].
        inplace (bool, optional): whether to modify the input itself.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an edge is negative, a length not positive, or `value` not in [0, 255].
        RuntimeError: if an image is not of shape (height, width, 3); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Erase(0, 0, 1, 1)(np.full((1, 2, 3), 9, np.uint8)))
        [[[0 0 0]
          [9 9 9]]]

    Source: mindspore.dataset.vision.Erase of MindSpore 2.10.
    """

    @checked(Forbid("height == 0 or width == 0", ValueError, "'height' and 'width' must be > 0"))
    def __init__(
        self,
        top: natural,
        left: natural,
        height: natural,
        width: natural,
        value: Value = 0.0,
        inplace: Bool = False,
    ):
        self.top, self.left, self.height, self.width = top, left, height, width
        self.value, self.inplace = value, inplace

    def _array(self, image, lead):
        check_rank("Erase", image, lead, (3,))
        check_channels("Erase", image, (3,))
        height, width = image.shape[-3:-1]
        if max(self.top, self.height) > height or max(self.left, self.width) > width:
            raise RuntimeError(
                f"For 'Erase', the region must begin in the image and be no larger, but the image "
                f"has size {(height, width)}."
            )
        out = image if self.inplace and image.flags.writeable else image.copy()
        part = out[self.top : self.top + self.height, self.left : self.left + self.width]
        part[...] = round_to(np.asarray(self.value), image.dtype)
        return out
