"""Image resizing: `Resize`, and `resize`, which other transforms call.

NumPy resizes with NEAREST and LINEAR (`_resize.py`), OpenCV with AREA and CUBIC, Pillow with
PILCUBIC and all PIL images.
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import OneOf
from .._extra import opencv, pillow, without_ipp
from .._rules import AnInstance, Size
from . import _pixels, _resize
from ._image import ImageOperation, check_least_rank, with_channels
from .utils import Inter

__all__ = ["Resize"]

_INTERPOLATED = {np.uint8, np.uint16, np.int16, np.float32, np.float64}


class Resize(ImageOperation):
    """Resizes an image.

    Args:
        size (Union[int, sequence]): (height, width); an int is the length of the shorter side, and
            the other side keeps the aspect ratio.
        interpolation (Inter, optional): the interpolation method; LINEAR and NEAREST need no
            library.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `size` is not positive.
        RuntimeError: if an image has fewer than two axes, or a dtype that cannot be interpolated;
            raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Resize((2, 3))(np.zeros((4, 4, 3), np.uint8)).shape)
        (2, 3, 3)

    Source: mindspore.dataset.vision.Resize of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, size: Size | OneOf(True), interpolation: AnInstance(Inter) = Inter.LINEAR):
        self.size, self.interpolation = 1 if size is True else size, interpolation

    def _pil(self, image):
        width, height = image.size
        height, width = target_size(self.size, height, width)
        return image.resize((width, height), pil_filter("Resize", self.interpolation))

    def _array(self, image, lead):
        return resize("Resize", image, self.size, self.interpolation, lead)


def target_size(size, height, width):
    """Returns (height, width) of an image after resizing."""
    if not isinstance(size, int):
        return tuple(size)
    if height < width:
        return size, int(size * width / height)
    return int(size * height / width), size


def pil_filter(api, interpolation):
    """Returns Pillow's number for an interpolation method.

    Raises:
        TypeError: if Pillow has none.
    """
    kind = pillow(api).Resampling
    filters = {
        Inter.NEAREST: kind.NEAREST,
        Inter.ANTIALIAS: kind.LANCZOS,
        Inter.LINEAR: kind.BILINEAR,
        Inter.CUBIC: kind.BICUBIC,
    }
    if interpolation not in filters:
        raise TypeError(f"For '{api}', {interpolation.name} does not apply to PIL images.")
    return filters[interpolation]


def resize(api, images, size, interpolation, lead=0):
    """Resizes images.

    Raises:
        TypeError: if the interpolation applies to PIL images only.
        RuntimeError: if the shape or the dtype does not allow it.
    """
    check_least_rank(api, images, lead)
    if interpolation is Inter.ANTIALIAS:
        raise TypeError(f"For '{api}', ANTIALIAS applies to PIL images only, but got an array.")
    if images.dtype.kind not in "biuf":
        raise RuntimeError(f"For '{api}', an image must hold numbers, but got {images.dtype}.")
    images, grey = with_channels(images, lead)
    height, width = target_size(size, *images.shape[-3:-1])
    if (height, width) != images.shape[-3:-1]:
        if interpolation is Inter.NEAREST:
            images = _resize.nearest(images, height, width)
        else:
            images = _interpolate(api, images, height, width, interpolation)
    return images[..., 0] if grey else images


def _interpolate(api, images, height, width, interpolation):
    if images.dtype == bool:
        return _interpolate(api, images.view(np.uint8), height, width, interpolation).view(bool)
    if images.dtype.type not in _INTERPOLATED:
        raise RuntimeError(
            f"For '{api}', an image that is interpolated must hold uint8, uint16, "
            f"int16, float32 or float64, but got {images.dtype}."
        )
    if interpolation is Inter.LINEAR:
        out = _pixels.linear_bytes(images, height, width)
        return _resize.linear(images, height, width) if out is None else out
    function = _pillow_cubic if interpolation is Inter.PILCUBIC else _opencv_resize
    shape = images.shape
    out = [
        function(api, image, height, width, interpolation)
        for image in images.reshape(-1, *shape[-3:])
    ]
    return np.stack(out).reshape(*shape[:-3], height, width, shape[-1])


def _opencv_resize(api, image, height, width, interpolation):
    cv2 = opencv(api)
    if interpolation is not Inter.CUBIC:
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        return image.reshape(height, width, -1)
    with without_ipp(cv2):
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC)
    return image.reshape(height, width, -1)


def _pillow_cubic(api, image, height, width, interpolation):
    if image.shape[-1] != 3:
        raise RuntimeError(
            f"For '{api}', PILCUBIC needs an image of 3 channels, but got shape {image.shape}."
        )
    library = pillow(api)
    kind = library.Resampling.BICUBIC
    if image.dtype == np.uint8:
        return np.array(library.fromarray(image).resize((width, height), kind))
    channels = [
        np.array(
            library.fromarray(image[..., index].astype(np.float32)).resize((width, height), kind)
        )
        for index in range(3)
    ]
    return _resize.round_to(np.stack(channels, -1), image.dtype)
