"""Base classes and shape checks of image transforms."""

import numpy as np

from ..._core.rules.base import show_with_type
from ..core.py_util_helpers import Implementation
from ..transforms.base import ImageTensorOperation, is_pil

_PIXELS = ("bool", "uint8", "int8", "uint16", "int16", "int32", "float16", "float32", "float64")


class ImageOperation(ImageTensorOperation):
    """Base class of transforms of arrays and PIL images.

    A subclass defines `_array(image, lead)` for arrays and, if PIL images need separate code,
    `_pil(image)`; otherwise PIL images are converted to arrays.
    """

    _pil = None
    _takes_columns = False  # whether each of several inputs is an image
    _unfit = TypeError  # the error for an input that is not an image

    def _as_input(self, value):
        if is_pil(value) or type(value) is np.ndarray and value.dtype.kind in "biufSU":
            return value
        raise self._unfit(
            f"For '{type(self).__name__}', the input must be a NumPy array or a PIL "
            f"image, but got {show_with_type(value)}."
        )

    def _apply(self, *inputs):
        if self._takes_columns and len(inputs) > 1:
            return tuple(self._apply(image) for image in inputs)
        if len(inputs) != 1:
            raise RuntimeError(
                f"For '{type(self).__name__}', there must be one input, but got {len(inputs)}."
            )
        image = inputs[0]
        if is_pil(image):
            if self._pil is not None:
                return self._pil(image)
            image = np.array(image)
        return self._array(image, 0)


class PixelOperation(ImageOperation):
    """Base class of transforms whose arrays hold bools, floats, or integers of 8, 16 or signed 32
    bits."""

    def _as_input(self, value):
        value = super()._as_input(value)
        if not is_pil(value):
            check_dtype(type(self).__name__, value, _PIXELS)
        return value


class PilOperation(ImageOperation):
    """Base class of transforms of PIL images only."""

    implementation = Implementation.PY

    def _array(self, image, lead):
        raise self._unfit(
            f"For '{type(self).__name__}', the input must be a PIL image, but got an "
            f"array; ToPIL or Decode(to_pil=True) makes one."
        )


def check_rank(api, image, lead, ranks):
    """Raises RuntimeError unless the number of axes of an image, without `lead` leading ones, is in
    `ranks`."""
    if image.ndim - lead not in ranks:
        raise RuntimeError(
            f"For '{api}', an image must have {' or '.join(map(str, ranks))} axes, "
            f"but got shape {image.shape[lead:]}."
        )


def check_channels(api, image, counts):
    """Raises RuntimeError unless the number of channels, the length of the last axis, is in
    `counts`."""
    if image.shape[-1] not in counts:
        raise RuntimeError(
            f"For '{api}', an image must have {' or '.join(map(str, counts))} "
            f"channels, but got shape {image.shape}."
        )


def check_least_rank(api, image, lead, least=2):
    """Raises RuntimeError for an image with fewer than `least` axes, not counting `lead` leading
    ones."""
    if image.ndim - lead < least:
        raise RuntimeError(
            f"For '{api}', an image must have at least {least} axes, but got shape "
            f"{image.shape[lead:]}."
        )


def check_dtype(api, image, dtypes):
    """Raises RuntimeError unless the dtype of an image is one of the names in `dtypes`."""
    if image.dtype.name not in dtypes:
        raise RuntimeError(
            f"For '{api}', an image must hold {' or '.join(dtypes)}, but got {image.dtype}."
        )


def pair(size):
    """Returns a size as (height, width); an int gives a square."""
    return (size, size) if isinstance(size, int) else tuple(size)


def with_channels(images, lead):
    """Returns images as (..., height, width, channels), and whether a channel axis was added."""
    if images.ndim - lead == 2:
        return images[..., None], True
    return images, False


def need_given(api, error=TypeError, **arguments):
    """Raises `error` if one of the named arguments, which a constructor may leave open, is None."""
    for name, value in arguments.items():
        if value is None:
            raise error(
                f"For '{api}', '{name}' must be given when an image is transformed, but got None."
            )
