"""Transforms of images together with the bounding boxes of objects in them.

They take an image and a float32 array with one box per row: x and y of the upper left corner, width
and height, in pixels; further columns are unchanged. The inputs are not modified.
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import OneOf
from .._rules import AnInstance, Probability, Size
from ..transforms.base import CompoundOperation, TensorOperation, copy_with_seed, is_pil, is_python
from ._image import ImageOperation, PilOperation, check_rank
from .arithmetic import ToPIL
from .geometry import crop, flip
from .random_crops import RandomCrop, RandomResize, RandomResizedCrop
from .resizing import resize
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
    """Base class of transforms of an image and its boxes.

    A subclass defines `_apply_to_both(image, boxes)`.
    """

    def _apply(self, *inputs):
        api = type(self).__name__
        if len(inputs) != 2:
            raise RuntimeError(
                f"For '{api}', there must be two inputs, an image and boxes, but got {len(inputs)}."
            )
        image, boxes = (np.array(input_) if is_pil(input_) else input_ for input_ in inputs)
        check_rank(api, image, 0, (2, 3))
        _check_boxes(api, boxes, *image.shape[:2])
        return self._apply_to_both(image, boxes.copy())


def _check_boxes(api, boxes, height, width):
    """Raises RuntimeError for an array that does not hold boxes within an image.

    Raises:
        RuntimeError: if they are not.
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
    """Flips an image and its bounding boxes horizontally, with a probability.

    Args:
        prob (float, optional): the probability of a flip.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

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

    def _apply_to_both(self, image, boxes):
        if not self._random.chance(self.prob):
            return image, boxes
        start, length = boxes[:, self._column], boxes[:, self._column + 2]
        size = np.float32(image.shape[1 - self._column])
        boxes[:, self._column] = size - (start + length)
        return flip(type(self).__name__, image, 0, self._axis), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Flips an image and its bounding boxes vertically, with a probability.

    Args:
        prob (float, optional): the probability of a flip.

    Raises:
        TypeError: if `prob` is not a number.
        ValueError: if `prob` is not in [0, 1].
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

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
    """Resizes an image and its bounding boxes.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side, and
            the other side keeps the aspect ratio.
        interpolation (Inter, optional): the interpolation method; LINEAR and NEAREST need no
            library.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `size` is not positive.
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

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

    def _apply_to_both(self, image, boxes):
        return _resize_both("ResizeWithBBox", image, boxes, self.size, self.interpolation)


class RandomResizeWithBBox(_BoxOperation, RandomResize):
    """Resizes an image and its bounding boxes with a random interpolation method.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side.

    Raises:
        TypeError: if `size` is neither.
        ValueError: if `size` is not positive.
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[1, 2, 3, 2]], np.float32)
        >>> vision.RandomResizeWithBBox(2)(image, boxes)[1]
        array([[0.5, 1. , 1.5, 1. ]], dtype=float32)

    Source: mindspore.dataset.vision.RandomResizeWithBBox of MindSpore 2.10.
    """

    def _apply_to_both(self, image, boxes):
        return _resize_both("RandomResizeWithBBox", image, boxes, self.size, self._method())


def _resize_both(api, image, boxes, size, interpolation):
    """Resizes an image and its boxes."""
    before = image.shape[:2]
    image = resize(api, image, size, interpolation)
    ratios = np.array(image.shape[:2], np.float32) / np.array(before, np.float32)
    boxes[:, :4] *= np.tile(ratios[::-1], 2)
    return image, boxes


# Regions ------------------------------------------------------------------------------------------


class RandomCropWithBBox(_BoxOperation, RandomCrop):
    """Crops an image at a random position; boxes are clipped to the crop, boxes outside are
    dropped.

    Boxes move with all borders. MindSpore 2.10 moves them with the borders of `padding`, but not
    with those of `pad_if_needed`, so they no longer enclose their objects.

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
        RuntimeError: if an image is smaller than the region, or the inputs are not an image and
            boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[0, 0, 8, 4]], np.float32)
        >>> vision.RandomCropWithBBox((2, 3))(image, boxes)[1]
        array([[0., 0., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomCropWithBBox of MindSpore 2.10.
    """

    def _apply_to_both(self, image, boxes):
        image, (left, top) = self._add_borders(image)
        boxes[:, :2] += np.array([left, top], np.float32)
        top, left = self._corner(*image.shape[:2])
        height, width = self.size
        image = crop("RandomCropWithBBox", image, top, left, height, width)
        return image, _cut(boxes, left, top, width, height)


class RandomResizedCropWithBBox(_BoxOperation, RandomResizedCrop):
    """Crops a random region of random area and aspect ratio and resizes it, with its bounding
    boxes.

    Boxes are clipped to the region; boxes outside are dropped.

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
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image, boxes = np.zeros((4, 8, 3), np.uint8), np.array([[0, 0, 8, 4]], np.float32)
        >>> vision.RandomResizedCropWithBBox((2, 3))(image, boxes)[1]
        array([[0., 0., 3., 2.]], dtype=float32)

    Source: mindspore.dataset.vision.RandomResizedCropWithBBox of MindSpore 2.10.
    """

    def _apply_to_both(self, image, boxes):
        api = "RandomResizedCropWithBBox"
        top, left, height, width = self._region(*image.shape[:2])
        image = crop(api, image, top, left, height, width)
        boxes = _cut(boxes, left, top, width, height)
        return _resize_both(api, image, boxes, self.size, self.interpolation)


def _cut(boxes, left, top, width, height):
    """Clips boxes to a region; boxes outside are dropped."""
    start = np.array([left, top], np.float32)
    end = start + np.array([width, height], np.float32)
    ends = boxes[:, :2] + boxes[:, 2:4]
    inside = ((boxes[:, :2] <= end) & (ends >= start)).all(1)
    boxes, ends = boxes[inside], np.minimum(ends[inside], end)
    boxes[:, :2] = np.maximum(boxes[:, :2], start) - start
    boxes[:, 2:4] = ends - start - boxes[:, :2]
    return boxes


class BoundingBoxAugment(_BoxOperation):
    """Applies an image transform to the content of randomly chosen bounding boxes.

    Args:
        transform (TensorOperation): the transform; its result is resized to the box.
        ratio (float, optional): the probability that a box is chosen.

    Raises:
        TypeError: if `transform` is not a transform of arrays, or `ratio` no number.
        ValueError: if `ratio` is not in [0, 1].
        RuntimeError: if the inputs are not an image and boxes within it; raised when it is used.

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

    def _copy_with_seed(self, seed):
        copy = super()._copy_with_seed(seed)
        copy.transform = copy_with_seed(self.transform, seed)
        return copy

    def _apply_to_both(self, image, boxes):
        image = image.copy()
        for left, top, width, height in boxes[:, :4].astype(int).tolist():
            if self._random.unit32() >= self.ratio:
                continue
            part = self.transform(image[top : top + height, left : left + width].copy())
            part = resize("BoundingBoxAugment", part, (height, width), Inter.LINEAR)
            image[top : top + height, left : left + width] = part
        return image, boxes
