"""What image transforms share: their base and checks of shapes."""

import numpy as np

from ..transforms.base import ImageTensorOperation, is_pil


class ImageOperation(ImageTensorOperation):
    """The base of the transforms of arrays and PIL images.

    A subclass defines `_array(image, lead)` for arrays and, if it treats PIL images in their own
    way, `_pil(image)`; otherwise a PIL image is taken as an array.
    """

    _pil = None

    def _taken(self, value):
        if type(value) is np.ndarray or is_pil(value):
            return value
        raise TypeError(
            f"For '{type(self).__name__}', the input must be a NumPy array or a PIL "
            f"image, but got {type(value).__name__}."
        )

    def _apply(self, *inputs):
        if len(inputs) != 1:
            return tuple(self._apply(each) for each in inputs)
        image = inputs[0]
        if is_pil(image):
            if self._pil is not None:
                return self._pil(image)
            image = np.array(image)
        return self._array(image, 0)


class PilOperation(ImageOperation):
    """The base of transforms of PIL images alone."""

    def _array(self, image, lead):
        raise TypeError(
            f"For '{type(self).__name__}', the input must be a PIL image, but got an "
            f"array; ToPIL or Decode(to_pil=True) makes one."
        )


def check_rank(api, image, lead, ranks):
    """Refuses an image of another number of axes.

    Raises:
        RuntimeError: it has another.
    """
    if image.ndim - lead not in ranks:
        raise RuntimeError(
            f"For '{api}', an image must have {' or '.join(map(str, ranks))} axes, "
            f"but got shape {image.shape[lead:]}."
        )


def check_channels(api, image, wanted):
    """Refuses an image whose last axis is not as long as it must be.

    Raises:
        RuntimeError: it is not.
    """
    if image.shape[-1] not in wanted:
        raise RuntimeError(
            f"For '{api}', an image must have {' or '.join(map(str, wanted))} "
            f"channels, but got shape {image.shape}."
        )


def check_least_rank(api, image, lead, least=2):
    """Refuses an image of fewer axes.

    Raises:
        RuntimeError: it has fewer.
    """
    if image.ndim - lead < least:
        raise RuntimeError(
            f"For '{api}', an image must have at least {least} axes, but got shape "
            f"{image.shape[lead:]}."
        )


def check_dtype(api, image, dtypes):
    """Refuses an image of another dtype.

    Raises:
        RuntimeError: it has another.
    """
    if image.dtype.name not in dtypes:
        raise RuntimeError(
            f"For '{api}', an image must hold {' or '.join(dtypes)}, but got {image.dtype}."
        )


def pair(size):
    """A size as (height, width); an int is a square."""
    return (size, size) if isinstance(size, int) else tuple(size)


def with_channels(images, lead):
    """Images as (..., height, width, channels), and whether an axis was added for it."""
    if images.ndim - lead == 2:
        return images[..., None], True
    return images, False
