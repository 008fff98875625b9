"""Transforms of images together with bounding boxes of what is seen on them.

They take an image and a float32 array of one box a row: x and y of the left upper corner, width and
height, in pixels; further columns stay as they are. Neither input is written to.
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import OneOf
from .._rules import AnInstance, Probability, Size
from ..transforms.base import CompoundOperation, TensorOperation, is_pil, is_python, seeded
from ._image import ImageOperation, PilOperation, check_rank
from .arithmetic import ToPIL
from .geometry import cropped, flipped
from .random_crops import RandomCrop, RandomResize, RandomResizedCrop
from .resizing import resized
from .utils import Inter

__all__ = [
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]


class _BoxOperation(ImageOperation):
    """The base of transforms of an image and boxes; a subclass defines `_both(image, boxes)`."""

    def _apply(self, *inputs):
        api = type(self).__name__
        if len(inputs) != 2:
            raise RuntimeError(
                f"For '{api}', there must be two inputs, an image and boxes, but got {len(inputs)}."
            )
        image, boxes = (np.array(each) if is_pil(each) else each for each in inputs)
        check_rank(api, image, 0, (2, 3))
        _check_boxes(api, boxes, *image.shape[:2])
        return self._both(image, boxes.copy())


def _check_boxes(api, boxes, height, width):
    """Refuses what are no boxes within an image.

    Raises:
        RuntimeError: they are not.
    """
    if boxes.dtype != np.float32 or boxes.ndim != 2 or boxes.shape[1] < 4 or not boxes.size:
        raise RuntimeError(
            f"For '{api}', boxes must be float32 of shape (boxes, 4 or more), but got "
            f"{boxes.dtype} of shape {boxes.shape}."
        )
    corners = boxes[:, :2]
    if (corners < 0).any() or (corners + boxes[:, 2:4] > (width, height)).any():
        raise RuntimeError(
            f"For '{api}', boxes must lie within the image of {width} x {height} pixels, but got "
            f"{boxes.tolist()}."
        )


# Flips --------------------------------------------------------------------------------------------


class RandomHorizontalFlipWithBBox(_BoxOperation):
    """Mirrors an image and its boxes left to right, or leaves them as they are.

    Args:
        prob (float, optional): how likely they are mirrored.

    Raises:
        TypeError: it is no number.
        ValueError: it is not in [0, 1].
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[1, 2, 3, 2]], np.float32)
        >>> vision.RandomHorizontalFlipWithBBox(1.0)(image, boxes)[1]
        array([[4., 2., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomHorizontalFlipWithBBox of MindSpore 2.10.
    """

    _axis, _column = -2, 0

    @checked
    def __init__(self, prob: Probability = 0.5):
        self.prob = prob

    def _both(self, image, boxes):
        if not self._random.chance(self.prob):
            return image, boxes
        start, length = boxes[:, self._column], boxes[:, self._column + 2]
        size = np.float32(image.shape[1 - self._column])
        boxes[:, self._column] = size - (start + length)
        return flipped(type(self).__name__, image, 0, self._axis), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Turns an image and its boxes upside down, or leaves them as they are.

    Args:
        prob (float, optional): how likely they are turned.

    Raises:
        TypeError: it is no number.
        ValueError: it is not in [0, 1].
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[1, 1, 3, 2]], np.float32)
        >>> vision.RandomVerticalFlipWithBBox(1.0)(image, boxes)[1]
        array([[1., 1., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomVerticalFlipWithBBox of MindSpore 2.10.
    """

    _axis, _column = -3, 1


# Sizes --------------------------------------------------------------------------------------------


class ResizeWithBBox(_BoxOperation):
    """Resizes an image and its boxes.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side, and
            the other follows in proportion.
        interpolation (Inter, optional): how; LINEAR and NEAREST need no library.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `size` is not positive.
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[1, 2, 3, 2]], np.float32)
        >>> vision.ResizeWithBBox((8, 4))(image, boxes)[1]
        array([[0.5, 4. , 1.5, 4. ]], dtype=float32)

    Source: mindspore.dataset.vision.ResizeWithBBox of MindSpore 2.10.
    """

    @checked
    def __init__(self, size: Size | OneOf(True), interpolation: AnInstance(Inter) = Inter.LINEAR):
        self.size, self.interpolation = 1 if size is True else size, interpolation

    def _both(self, image, boxes):
        return _both_resized("ResizeWithBBox", image, boxes, self.size, self.interpolation)


class RandomResizeWithBBox(_BoxOperation, RandomResize):
    """Resizes an image, in a randomly chosen way, and its boxes.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side.

    Raises:
        TypeError: it is neither.
        ValueError: it is not positive.
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[1, 2, 3, 2]], np.float32)
        >>> vision.RandomResizeWithBBox(2)(image, boxes)[1]
        array([[0.5, 1. , 1.5, 1. ]], dtype=float32)

    Source: mindspore.dataset.vision.RandomResizeWithBBox of MindSpore 2.10.
    """

    def _both(self, image, boxes):
        return _both_resized("RandomResizeWithBBox", image, boxes, self.size, self._way())


def _both_resized(api, image, boxes, size, interpolation):
    """An image and its boxes in another size."""
    before = image.shape[:2]
    image = resized(api, image, size, interpolation)
    ratios = np.array(image.shape[:2], np.float32) / np.array(before, np.float32)
    boxes[:, :4] *= np.tile(ratios[::-1], 2)
    return image, boxes


# Regions ------------------------------------------------------------------------------------------


class RandomCropWithBBox(_BoxOperation, RandomCrop):
    """Crops a region at a random position; the boxes are cut to it, those outside are left out.

    Boxes move with all borders. MindSpore 2.10 moves them with those of `padding`, but not with
    those of `pad_if_needed`, which leaves them beside what they enclosed.

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
        RuntimeError: an image is smaller than the region, or the inputs are not an image and boxes
            within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[0, 0, 8, 4]], np.float32)
        >>> vision.RandomCropWithBBox((2, 3))(image, boxes)[1]
        array([[0., 0., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomCropWithBBox of MindSpore 2.10.
    """

    def _both(self, image, boxes):
        image, (left, top) = self._bordered(image)
        boxes[:, :2] += np.array([left, top], np.float32)
        top, left = self._corner(*image.shape[:2])
        height, width = self.size
        image = cropped("RandomCropWithBBox", image, top, left, height, width)
        return image, _cut(boxes, left, top, width, height)


class RandomResizedCropWithBBox(_BoxOperation, RandomResizedCrop):
    """Takes a random region of random size and shape, and resizes it, with the boxes cut to it.

    Boxes outside of the region are left out.

    Args:
        size (Union[int, sequence]): (height, width) of the result; an int is a square.
        scale (sequence, optional): (min, max) of the region's area, as a part of the image's.
        ratio (sequence, optional): (min, max) of the region's width by its height.
        interpolation (Inter, optional): how it is resized.
        max_attempts (int, optional): how often a region is drawn before the middle is taken.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range.
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[0, 0, 8, 4]], np.float32)
        >>> vision.RandomResizedCropWithBBox((2, 3))(image, boxes)[1]
        array([[0., 0., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomResizedCropWithBBox of MindSpore 2.10.
    """

    def _both(self, image, boxes):
        api = "RandomResizedCropWithBBox"
        top, left, height, width = self._region(*image.shape[:2])
        image = cropped(api, image, top, left, height, width)
        boxes = _cut(boxes, left, top, width, height)
        return _both_resized(api, image, boxes, self.size, self.interpolation)


def _cut(boxes, left, top, width, height):
    """The parts of boxes within a region; those that lie outside are left out."""
    start = np.array([left, top], np.float32)
    end = start + np.array([width, height], np.float32)
    ends = boxes[:, :2] + boxes[:, 2:4]
    seen = ((boxes[:, :2] <= end) & (ends >= start)).all(1)
    boxes, ends = boxes[seen], np.minimum(ends[seen], end)
    boxes[:, :2] = np.maximum(boxes[:, :2], start) - start
    boxes[:, 2:4] = ends - start - boxes[:, :2]
    return boxes


class BoundingBoxAugment(_BoxOperation):
    """Applies a transform of images to what lies in boxes, or leaves it, for each box at random.

    Args:
        transform (TensorOperation): the transform; what it gives is resized to the box.
        ratio (float, optional): how likely a box is chosen.

    Raises:
        TypeError: `transform` is no transform of arrays, or `ratio` no number.
        ValueError: `ratio` is not in [0, 1].
        RuntimeError: the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((1, 4, 1), np.uint8), np.array([[1, 0, 2, 1]], np.float32)
        >>> vision.BoundingBoxAugment(vision.Invert(), 1.0)(image.repeat(3, 2), boxes)[0][..., 0]
        array([[  0, 255, 255,   0]], dtype=uint8)

    Source: mindspore.dataset.vision.BoundingBoxAugment of MindSpore 2.10.
    """

    @checked
    def __init__(self, transform: AnInstance(TensorOperation), ratio: Probability = 0.3):
        if isinstance(transform, (CompoundOperation, PilOperation, ToPIL)) or is_python(transform):
            raise TypeError(
                f"For 'BoundingBoxAugment', 'transform' must be a transform of arrays, but got "
                f"{transform!r}."
            )
        self.transform, self.ratio = transform, ratio

    def _seeded(self, seed):
        made = super()._seeded(seed)
        made.transform = seeded(self.transform, seed)
        return made

    def _both(self, image, boxes):
        image = image.copy()
        for left, top, width, height in boxes[:, :4].astype(int).tolist():
            if self._random.unit32() >= self.ratio:
                continue
            part = self.transform(image[top : top + height, left : left + width].copy())
            part = resized("BoundingBoxAugment", part, (height, width), Inter.LINEAR)
            image[top : top + height, left : left + width] = part
        return image, boxes
