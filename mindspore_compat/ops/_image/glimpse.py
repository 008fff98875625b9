"""Glimpses, scaled and translated images, and random bounding boxes.

Images here are (N, H, W, C). Resizing is in _image/resize.py; predicted boxes are in
_image/boxes.py.
"""

import math

import numpy as np

from ..._backend.arrays import HOST
from ..._backend.host.taps import Taps
from ..._backend.random import streams
from ..._backend.space import implements
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Forbid,
    Int,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.tensor import Tensor
from .._conv.sizes import need_rank
from .._elementwise.cast import cast
from .._rules import Float32
from ..primitive import Primitive

Whole = TensorOf("int32")
Pair = TupleOf(Number, length=2) | ListOf(Number, length=2)
SINGLE = np.dtype(np.float32)


def _pair(api, name, tensor, positive=True):
    """Returns the two numbers of a Tensor of shape (2,)."""
    if tensor.shape != (2,):
        raise ValueError(f"For '{api}', '{name}' must have the shape (2,), but got {tensor.shape}.")
    values = tensor.asnumpy().tolist()
    if positive and min(values) <= 0:
        raise ValueError(f"For '{api}', '{name}' must be positive, but got {values}.")
    return values


# Glimpses -----------------------------------------------------------------------------------------


@implements
def glimpse_noise(xp, shape, kind):
    """Returns the noise around an image: uniform in [-1, 1), normal with mean 10 and standard
    deviation 0.5, or zeros.
    """
    if kind == "zero":
        return xp.zeros(shape, "float32")
    if kind == "uniform":
        return xp.random_uniform(shape, -1.0, 1.0)
    noise = streams.stream(0, 0).next(xp).standard_normal(shape, dtype=np.float32)
    return noise * 0.5 + 10.0


@op(compute="native")
def glimpse(
    xp,
    x: Float32,
    offsets: Float32,
    size: TupleOf(Int),
    centered: Bool = True,
    normalized: Bool = True,
    noise: OneOf("uniform", "gaussian", "zero") = "uniform",
):
    """Returns the window around the given centre of each image, with noise beyond the edges."""
    count, *image, channels = x.shape
    starts = xp.cast(xp.stop(offsets), "float32")
    whole, window = (xp.asarray(array, "float32") for array in (image, size))
    starts = starts * whole if normalized else starts
    starts = starts / 2 + whole / 2 if centered else starts
    starts = xp.cast(xp.trunc(starts - window / 2), "int64")
    rows = starts[:, :1] + xp.arange(size[0])
    columns = starts[:, 1:] + xp.arange(size[1])
    inside = xp.expand_dims((rows >= 0) & (rows < image[0]), 2) & xp.expand_dims(
        (columns >= 0) & (columns < image[1]), 1
    )
    rows, columns = xp.clip(rows, 0, image[0] - 1), xp.clip(columns, 0, image[1] - 1)
    first = xp.reshape(xp.arange(count), (count, 1, 1))
    pixels = x[first, xp.expand_dims(rows, 2), xp.expand_dims(columns, 1)]
    around = xp.cast(xp.glimpse_noise((count, *size, channels), noise), x.dtype)
    return xp.where(xp.expand_dims(inside, 3), pixels, around)


@public("ops.ExtractGlimpse")
class ExtractGlimpse(Primitive):
    """Extracts a window (glimpse) of each image, with noise beyond the edges.

    Args:
        centered (bool): whether offsets are relative to the centre of an image, in units of half
            its size; else to the upper left corner.
        normalized (bool): whether offsets are fractions of the image's size; else numbers of
            pixels.
        uniform_noise (bool): whether the noise is uniform.
        noise (str): "uniform" (in [-1, 1)), "gaussian" (mean 10, deviation 0.5) or "zero".

    Inputs:
        `x` (N, H, W, C) float32; `size` (2,) int32, rows and columns of the window; `offsets`
        (N, 2) float32, row and column of the window's centre.

    Returns:
        Tensor (N, rows, columns, C), float32.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if `noise` is unknown or contradicts `uniform_noise`, or shapes do not fit.

    Example:
        >>> x = ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
        >>> size, offsets = ms.Tensor([1, 1], ms.int32), ms.Tensor([[0.0, 0.0]])
        >>> print(ms.ops.ExtractGlimpse()(x, size, offsets).shape)
        (1, 1, 1, 1)

    Source: mindspore.ops.ExtractGlimpse of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "uniform_noise and noise != 'uniform'",
            reason="'noise' must be 'uniform' where 'uniform_noise' is True",
        )
    )
    def __init__(
        self,
        centered: Bool = True,
        normalized: Bool = True,
        uniform_noise: Bool = True,
        noise: OneOf("uniform", "gaussian", "zero") = "uniform",
    ):
        super().__init__("ExtractGlimpse")
        self.centered, self.normalized = centered, normalized
        self.uniform_noise, self.noise = uniform_noise, noise

    @checked
    def __call__(self, x: Float32, size: Whole, offsets: Float32):
        need_rank(self.name, "x", x, 4)
        size = tuple(_pair(self.name, "size", size))
        if offsets.shape != (x.shape[0], 2):
            raise ValueError(
                f"For '{self.name}', 'offsets' must have the shape {(x.shape[0], 2)}, but got "
                f"{offsets.shape}."
            )
        return glimpse.run(x, offsets, size, self.centered, self.normalized, self.noise)


# Scaling and translation --------------------------------------------------------------------------


def _lanczos(radius):
    def kernel(x):
        y = np.where(x <= 1e-3, 1, x)
        wave = radius * np.sin(np.pi * y) * np.sin(np.pi * y / radius) / (np.pi * y) ** 2
        return np.where(x <= 1e-3, 1, wave)

    return kernel


def _mitchell(x):
    near = (7 / 6 * x - 2) * x * x + 8 / 9
    return np.where(x >= 1, ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9, near)


def _keys(x):
    near = (1.5 * x - 2.5) * x * x + 1
    return np.where(x >= 1, ((-0.5 * x + 2.5) * x - 4) * x + 2, near)


_KERNELS = {  # name -> the weight at a distance of at least 0, and the radius
    "lanczos1": (_lanczos(1), 1),
    "lanczos3": (_lanczos(3), 3),
    "lanczos5": (_lanczos(5), 5),
    "gaussian": (lambda x: np.where(x < 1.5, np.exp(-2 * x * x), 0.0), 1.5),
    "box": (lambda x: np.where(x == 0.5, 0.5, 1.0), 0.5),
    "triangle": (lambda x: 1 - x, 1),
    "keyscubic": (_keys, 2),
    "mitchellcubic": (_mitchell, 2),
}


def _sampling(n, count, scale, move, kernel_type, antialias):
    """Returns the (count, n) matrix that scales and translates one axis; rows of outside
    coordinates are zero.
    """
    kernel, reach = _KERNELS[kernel_type]
    inverse = np.float32(1) / np.float32(scale)
    filter_scale = max(inverse, np.float32(1)) if antialias else np.float32(1)
    centres = (np.arange(count, dtype=np.float32) + np.float32(0.5)) * inverse
    centres = (centres - inverse * np.float32(move)).reshape(-1, 1)
    distance = np.abs((np.arange(n) + 0.5 - centres) / filter_scale)
    weights = np.where(distance <= reach, kernel(np.minimum(distance, reach)), 0.0)
    total = weights.sum(1, keepdims=True)
    inside = (np.abs(total) >= 1000 * np.finfo(np.float32).tiny) & (centres >= 0) & (centres <= n)
    return np.where(inside, weights / np.where(inside, total, 1), 0.0)


@op(compute="native")
def scaled_and_moved(xp, images: TensorOf("float32", "float64"), down: Any, across: Any):
    """Multiplies images (N, H, W, C) by a matrix along each of the two spatial axes."""
    return xp.apply_axes(images, (Taps.of(down), Taps.of(across), None))


@public("ops.ScaleAndTranslate")
class ScaleAndTranslate(Primitive):
    """Scales and translates images, resampled with a kernel.

    Args:
        kernel_type (str): "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle",
            "keyscubic" or "mitchellcubic".
        antialias (bool): whether the kernel is widened when images shrink.

    Inputs:
        `images` (N, H, W, C) of a signed integer or floating dtype; `size` (2,) int32, the new
        height and width; `scale` (2,) float32, positive; `translation` (2,) float32, in pixels of
        the output.

    Returns:
        Tensor (N, size[0], size[1], C), float32; zero outside of the image.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if a shape does not fit, or `size` or `scale` is not positive.

    Source: mindspore.ops.ScaleAndTranslate of MindSpore 2.10.
    """

    @checked
    def __init__(self, kernel_type: OneOf(*_KERNELS) = "lanczos3", antialias: Bool = True):
        super().__init__("ScaleAndTranslate")
        self.kernel_type, self.antialias = kernel_type, antialias

    @checked
    def __call__(
        self,
        images: TensorOf("int8", "int16", "int32", "int64", "float16", "float32", "float64"),
        size: Whole,
        scale: Float32,
        translation: Float32,
    ):
        need_rank(self.name, "images", images, 4)
        sizes, scales = _pair(self.name, "size", size), _pair(self.name, "scale", scale)
        moves = _pair(self.name, "translation", translation, positive=False)
        rules = (self.kernel_type, self.antialias)
        matrices = [
            _sampling(n, *moves_of_axis, *rules)
            for n, moves_of_axis in zip(images.shape[1:3], zip(sizes, scales, moves))
        ]
        return scaled_and_moved.run(cast.run(images, SINGLE), *matrices)


# Random boxes -------------------------------------------------------------------------------------


@public("ops.SampleDistortedBoundingBoxV2")
class SampleDistortedBoundingBoxV2(Primitive):
    """Draws a random bounding box of an image that covers enough of one of the boxes in it.

    Candidates are drawn until one has an aspect ratio and an area in range and covers at least a
    given fraction of a box. After `max_attempts` candidates, the whole image is returned. Sizes are
    rounded to pixels.

    Args:
        seed (int): the seed of the random numbers; if it and `seed2` are 0, the global generator is
            used.
        seed2 (int): a second seed.
        aspect_ratio_range (Union[list[float], tuple[float]]): the smallest and largest ratio of
            width to height.
        area_range (Union[list[float], tuple[float]]): the smallest and largest fraction of the
            image's area, in (0, 1].
        max_attempts (int): the maximum number of candidates.
        use_image_if_no_bounding_boxes (bool): whether the whole image is used as the box if none is
            given; else an error is raised.

    Inputs:
        `image_size` (3,), height, width and channels, of dtype uint8, int8, int16, int32 or int64;
        `bounding_boxes` (batch, N, 4) float32, y_min, x_min, y_max, x_max as fractions of the
        image; `min_object_covered`, one float32 in [0, 1].

    Returns:
        begin (3,): the first row and column of the box, and 0. size (3,): its height and width, and
            -1 (255 for uint8). bboxes (1, 1, 4) float32: the box as fractions of the image.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if a range or a shape is wrong, or there is no box.
        RuntimeError: if sizes, boxes or fractions are out of range.

    Source: mindspore.ops.SampleDistortedBoundingBoxV2 of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "any(isinstance(each, int) for each in (*aspect_ratio_range, *area_range))",
            TypeError,
            "'aspect_ratio_range' and 'area_range' must hold floats",
        ),
        Forbid("min(aspect_ratio_range) <= 0", reason="'aspect_ratio_range' must be positive"),
        Forbid(
            "min(area_range) <= 0 or max(area_range) > 1", reason="'area_range' must be in (0, 1]"
        ),
        Forbid(
            "aspect_ratio_range[1] <= aspect_ratio_range[0]",
            reason="'aspect_ratio_range' must rise",
        ),
        Forbid("area_range[1] <= area_range[0]", reason="'area_range' must rise"),
    )
    def __init__(
        self,
        seed: Int = 0,
        seed2: Int = 0,
        aspect_ratio_range: Pair = (0.75, 1.33),
        area_range: Pair = (0.05, 1.0),
        max_attempts: Int(ge=1) = 100,
        use_image_if_no_bounding_boxes: Bool = False,
    ):
        super().__init__("SampleDistortedBoundingBoxV2")
        self.seed, self.seed2, self.max_attempts = seed, seed2, max_attempts
        self.aspect_ratio_range, self.area_range = aspect_ratio_range, area_range
        self.use_image_if_no_bounding_boxes = use_image_if_no_bounding_boxes

    @checked
    def __call__(
        self,
        image_size: TensorOf("uint8", "int8", "int16", "int32", "int64"),
        bounding_boxes: Float32,
        min_object_covered: Float32,
    ):
        height, width = self._sizes(image_size)
        boxes = self._boxes(bounding_boxes)
        share = self._share(min_object_covered)
        numbers = streams.stream(self.seed, self.seed2).next(HOST)
        part = (0, 0, height, width)
        for _ in range(self.max_attempts):
            candidate = _part(numbers, height, width, self.aspect_ratio_range, self.area_range)
            if candidate is not None and _covers(candidate, boxes * ([height, width] * 2), share):
                part = candidate
                break
        return self._answer(image_size, part, height, width)

    def _sizes(self, image_size):
        if image_size.shape != (3,):
            raise ValueError(
                f"For '{self.name}', 'image_size' must have the shape (3,), but got "
                f"{image_size.shape}."
            )
        sizes = image_size.asnumpy().tolist()
        if min(sizes) <= 0:
            raise RuntimeError(
                f"For '{self.name}', 'image_size' must be positive, but got {sizes}."
            )
        return sizes[:2]

    def _boxes(self, bounding_boxes):
        if bounding_boxes.ndim != 3 or bounding_boxes.shape[2] != 4:
            raise ValueError(
                f"For '{self.name}', 'bounding_boxes' must have the shape (batch, N, 4), but got "
                f"{bounding_boxes.shape}."
            )
        boxes = bounding_boxes.asnumpy().astype(np.float64).reshape(-1, 4)
        if not len(boxes):
            if not self.use_image_if_no_bounding_boxes:
                raise ValueError(f"For '{self.name}', 'bounding_boxes' must hold a box.")
            return np.array([[0.0, 0.0, 1.0, 1.0]])
        inside = (boxes >= 0).all() and (boxes <= 1).all()
        if not inside or (boxes[:, 2:] <= boxes[:, :2]).any():
            raise RuntimeError(
                f"For '{self.name}', 'bounding_boxes' must hold y_min, x_min, y_max, x_max in "
                "[0, 1], each greatest value above the least."
            )
        return boxes

    def _share(self, min_object_covered):
        if min_object_covered.shape != (1,):
            raise ValueError(
                f"For '{self.name}', 'min_object_covered' must have the shape (1,), but got "
                f"{min_object_covered.shape}."
            )
        share = float(min_object_covered.asnumpy().reshape(()))
        if not 0 <= share <= 1:
            raise RuntimeError(
                f"For '{self.name}', 'min_object_covered' must be in [0, 1], but got {share}."
            )
        return share

    def _answer(self, image_size, part, height, width):
        top, left, bottom, right = part
        xp, kind = space_for(image_size._array), image_size._array.dtype
        last = 255 if kind == np.uint8 else -1
        box = [top / height, left / width, bottom / height, right / width]
        rows = ([top, left, 0], kind), ([bottom - top, right - left, last], kind)
        begin, size = (Tensor._wrap(xp.asarray(values, dtype)) for values, dtype in rows)
        return begin, size, Tensor._wrap(xp.asarray([[box]], "float32"))


def _part(numbers, height, width, ratios, areas):
    """Draws a box (top, left, bottom, right) whose aspect ratio and area are in range; None if it
    does not fit."""
    ratio = numbers.uniform(*ratios)
    least, most = (share * height * width for share in areas)
    low, high = (round(math.sqrt(area / ratio)) for area in (least, most))
    if round(high * ratio) > width:
        high = int((width + 0.5 - 1e-7) / ratio)
        high -= round(high * ratio) > width
    high = min(high, height)
    box_height = int(numbers.integers(low, high + 1)) if low < high else high
    for change in (0, 1, -1):  # rounding may have moved the area out of range
        box_width = round((box_height + change) * ratio)
        if least <= box_width * (box_height + change) <= most and 0 < box_width <= width:
            box_height += change
            break
    else:
        return None
    if not 0 < box_height <= height:
        return None
    top, left = (
        int(numbers.integers(0, free_space + 1))
        for free_space in (height - box_height, width - box_width)
    )
    return top, left, top + box_height, left + box_width


def _covers(part, boxes, share):
    """Returns whether a candidate covers at least a fraction of one of the boxes, all in pixels."""
    size = np.maximum(np.minimum(boxes[:, 2:], part[2:]) - np.maximum(boxes[:, :2], part[:2]), 0)
    whole = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    return bool((size.prod(1) >= share * whole).any())
