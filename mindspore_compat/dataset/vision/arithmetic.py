"""Image transforms of values, dtype and layout: Rescale, Normalize, HWC2CHW, ToTensor, Decode."""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Number, OneOf
from .._extra import decode_image, image_bytes, pillow, pillow_image
from .._rules import FLOAT_MAX, AnInstance, sequence
from ..core.py_util_helpers import Implementation
from ..engine.rows import as_column
from ..transforms.base import is_pil
from ..transforms.transforms import TypeCast, numeric_dtype
from ._image import ImageOperation, PixelOperation, check_least_rank, check_rank
from ._pixels import channels_first, planes_by_tables

__all__ = [
    "Decode",
    "HWC2CHW",
    "LinearTransformation",
    "Normalize",
    "NormalizePad",
    "Rescale",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
]

_Real = Number(ge=-FLOAT_MAX, le=FLOAT_MAX)
_Means = sequence(Number(ge=0.0, le=255.0))
_Deviations = sequence(Number(gt=0.0, le=255.0))
_as_many = Forbid("len(mean) != len(std)", ValueError, "'mean' and 'std' must be as long")


class Rescale(PixelOperation):
    """Rescales an image: multiplies by `rescale`, adds `shift` and returns float32.

    Args:
        rescale (float): the factor.
        shift (float): the number to add.

    Raises:
        TypeError: if an argument is not a number.
        RuntimeError: if the factor is negative; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Rescale(1 / 255, 0.0)(np.array([[[0, 51, 255]]], np.uint8)))
        [[[0.         0.20000002 1.        ]]]

    Source: mindspore.dataset.vision.Rescale of MindSpore 2.10.
    """

    blockwise = _by_value = True

    @checked
    def __init__(self, rescale: _Real, shift: _Real):
        self.rescale, self.shift = rescale, shift

    def _array(self, image, lead):
        check_least_rank("Rescale", image, lead)
        if self.rescale < 0:
            raise RuntimeError(
                f"For 'Rescale', 'rescale' must be >= 0 when an image is transformed, but got "
                f"{self.rescale!r}."
            )
        rescale, shift = np.float32(self.rescale), np.float32(self.shift)
        if shift == 0:
            return np.multiply(image, rescale, dtype=np.float32)
        out = np.multiply(image, np.float64(rescale), dtype=np.float64)
        out += np.float64(shift)  # rounded once, like MindSpore's fused multiply-add
        return out.astype(np.float32)


class _Normalizing(ImageOperation):
    """Shared base class of Normalize and NormalizePad."""

    def _normalize(self, image, lead):
        api = type(self).__name__
        if image.dtype.kind in "SU":
            raise RuntimeError(f"For '{api}', an image must hold numbers, but got text.")
        grey = image.ndim - lead == 2
        axis = -1 if self.is_hwc or grey else -3
        channels = 1 if grey else image.shape[axis]
        mean, std = (np.asarray(value, np.float32) for value in (self.mean, self.std))
        if len(mean) == 1:  # one mean for all channels
            mean, std = np.repeat(mean, channels), np.repeat(std, channels)
        if len(mean) != channels:
            raise RuntimeError(
                f"For '{api}', 'mean' and 'std' must have one value or one per "
                f"channel, {channels}, but got {len(mean)}."
            )
        out = image.astype(np.float32, order="C")
        if grey:
            flat = out
        elif axis == -3:
            flat, mean, std = out, mean[:, None, None], std[:, None, None]
        else:  # along rows, which are longer than the channels of a pixel
            width = image.shape[-2]
            flat = out.reshape(*image.shape[:-2], width * channels)
            mean, std = np.tile(mean, width), np.tile(std, width)
        flat -= mean
        flat /= std
        return out


class Normalize(_Normalizing):
    """Normalizes an image by the mean and standard deviation of each channel; returns float32.

    Args:
        mean (sequence): one value in [0, 255] per channel, or one for all channels.
        std (sequence): one value in (0, 255] per channel, or one for all channels.
        is_hwc (bool, optional): whether the channels are the last axis instead of the first.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a value is out of range, or the two differ in length.
        RuntimeError: if an image has the wrong number of channels; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.full((1, 2, 3), 100, np.uint8)
        >>> vision.Normalize(mean=[100.0, 90.0, 50.0], std=[10.0, 10.0, 50.0])(image)
        array([[[0., 1., 1.],
                [0., 1., 1.]]], dtype=float32)

    Source: mindspore.dataset.vision.Normalize of MindSpore 2.10.
    """

    blockwise = True

    @checked(_as_many)
    def __init__(self, mean: _Means, std: _Deviations, is_hwc: Bool = True):
        self.mean, self.std, self.is_hwc = mean, std, is_hwc

    def _array(self, image, lead):
        check_least_rank("Normalize", image, lead)
        return self._normalize(image, lead)

    @property
    def _by_value(self):
        """True if the channels are the last axis."""
        return self.is_hwc


class NormalizePad(_Normalizing):
    """Normalizes an image like `Normalize` and appends a channel of zeros.

    Args:
        mean (sequence): one value in [0, 255] per channel, or one for all channels.
        std (sequence): one value in (0, 255] per channel, or one for all channels.
        dtype (str, optional): "float32" or "float16", the dtype of the result.
        is_hwc (bool, optional): whether the channels are the last axis instead of the first.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a value is out of range, or the two differ in length.
        RuntimeError: if an image has the wrong number of axes or channels; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.full((1, 2, 3), 100, np.uint8)
        >>> vision.NormalizePad(mean=[100.0, 90.0, 50.0], std=[10.0, 10.0, 50.0])(image).shape
        (1, 2, 4)

    Source: mindspore.dataset.vision.NormalizePad of MindSpore 2.10.
    """

    blockwise = True

    @checked(_as_many)
    def __init__(
        self,
        mean: _Means,
        std: _Deviations,
        dtype: OneOf("float32", "float16") = "float32",
        is_hwc: Bool = True,
    ):
        self.mean, self.std, self.dtype, self.is_hwc = mean, std, dtype, is_hwc

    def _array(self, image, lead):
        check_rank("NormalizePad", image, lead, (2, 3))
        if image.ndim - lead == 2:
            image = image[..., None] if self.is_hwc else image[..., None, :, :]
        axis = image.ndim - (1 if self.is_hwc else 3)
        out = self._normalize(image, lead)
        zeros = np.zeros(
            [1 if index == axis else length for index, length in enumerate(out.shape)], np.float32
        )
        return np.concatenate([out, zeros], axis).astype(self.dtype, copy=False)


class HWC2CHW(PixelOperation):
    """Transposes an image from (height, width, channels) to (channels, height, width).

    Raises:
        RuntimeError: if an image does not have two or three axes.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.HWC2CHW()(np.zeros((4, 5, 3), np.uint8)).shape)
        (3, 4, 5)

    Source: mindspore.dataset.vision.HWC2CHW of MindSpore 2.10.
    """

    blockwise = True

    def _array(self, image, lead):
        check_rank("HWC2CHW", image, lead, (2, 3))
        if image.ndim - lead == 2:
            return image
        return channels_first(image)

    def _fuse(self, before):
        return _Tables(before)


class _Tables:
    """Transforms of bytes by value followed by HWC2CHW, computed with one lookup table.

    Args:
        transforms (list): the transforms, without HWC2CHW.
    """

    def __init__(self, transforms):
        self._transforms, self._by_channels = transforms, {}

    def __call__(self, *images):
        if len(images) > 1 or type(images[0]) is not np.ndarray:
            return None
        image = images[0]
        if image.ndim != 3 or image.dtype != np.uint8:
            return None
        channels = image.shape[2]
        if channels not in self._by_channels:
            self._by_channels[channels] = self._of(channels)
        tables = self._by_channels[channels]
        return None if tables is None else planes_by_tables(image, tables)

    def _of(self, channels):
        """Returns the tables (channels, 256); None if a transform refuses this number of
        channels."""
        values = np.arange(256, dtype=np.uint8)[None, :, None].repeat(channels, 2)
        try:
            for transform in self._transforms:
                values = transform._array(values, 0)
        except RuntimeError:
            return None
        return np.ascontiguousarray(values[0].T)


class ToTensor(PixelOperation):
    """Converts an image to an array in [0, 1] with the channels first: divides by 255, transposes
    and casts.

    Args:
        output_type (Union[mindspore.dtype, numpy.dtype], optional): the dtype of the result.

    Raises:
        TypeError: if `output_type` is not a dtype, or the input is not an image.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.ToTensor()(np.zeros((4, 5, 3), np.uint8)).shape)
        (3, 4, 5)

    Source: mindspore.dataset.vision.ToTensor of MindSpore 2.10.
    """

    blockwise = True

    def __init__(self, output_type=np.float32):
        self.output_type = numeric_dtype("ToTensor", output_type)

    def _pil(self, image):  # MindSpore divides PIL images by 255, but multiplies arrays by 1/255
        pixels = np.array(image)
        pixels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
        return (pixels / 255.0).astype(self.output_type)

    def _array(self, image, lead):
        check_rank("ToTensor", image, lead, (2, 3))
        out = np.multiply(image, np.float32(1 / 255), dtype=np.float32)
        out = out[..., None, :, :] if image.ndim - lead == 2 else channels_first(out)
        return out.astype(self.output_type, copy=False)


class ToType(TypeCast):
    """Casts an image to another dtype, like TypeCast.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): the dtype of the result.

    Raises:
        TypeError: if `data_type` is not a dtype.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.ToType(np.float32)(np.zeros((4, 4, 3), np.uint8)).dtype)
        float32

    Source: mindspore.dataset.vision.ToType of MindSpore 2.10.
    """

    def _apply(self, *inputs):
        return super()._apply(
            *[np.array(input_) if is_pil(input_) else input_ for input_ in inputs]
        )


class ToNumpy(ImageOperation):
    """Converts a PIL image to a NumPy array.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.ToNumpy()(ms.dataset.vision.ToPIL()(np.zeros((4, 5, 3),
        ...         np.uint8))).shape)
        (4, 5, 3)

    Source: mindspore.dataset.vision.ToNumpy of MindSpore 2.10.
    """

    _takes_one = True

    def _as_input(self, value):
        return value if is_pil(value) else as_column(value)

    def _array(self, image, lead):
        return image


class ToPIL(ImageOperation):
    """Converts an array to a PIL image. Needs Pillow.

    Raises:
        TypeError: if the input is neither an array of pixels nor a PIL image.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.ToPIL()(np.zeros((4, 5, 3), np.uint8)).size)
        (5, 4)

    Source: mindspore.dataset.vision.ToPIL of MindSpore 2.10.
    """

    implementation = Implementation.PY

    def _pil(self, image):
        return image

    def _array(self, image, lead):
        return to_pil("ToPIL", image)


def to_pil(api, image):
    """Returns an array of pixels as a PIL image.

    Raises:
        TypeError: if its dtype is not a dtype of pixels.
        ValueError: if it does not have two or three axes.
    """
    if image.ndim not in (2, 3):
        raise ValueError(
            f"For '{api}', an image must have 2 or 3 axes, but got shape {image.shape}."
        )
    if image.ndim == 3 and image.shape[-1] == 1:
        image = image[..., 0]
    try:
        return pillow(api).fromarray(image)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"For '{api}', the input must be an array of pixels, but got shape "
            f"{image.shape} and dtype {image.dtype}."
        ) from error


class Decode(ImageOperation):
    """Decodes the bytes of an image file to RGB.

    Args:
        to_pil (bool, optional): whether to give a PIL image, with Pillow; otherwise an array of
            shape (height, width, 3), with OpenCV.

    Raises:
        RuntimeError: if the input is not the bytes of an image file; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> encoded = vision.encode_png(np.zeros((4, 6, 3), np.uint8))
        >>> vision.Decode()(encoded).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.Decode of MindSpore 2.10.
    """

    _takes_one = True

    @checked
    def __init__(self, to_pil: Bool = False):
        self.to_pil = to_pil
        if to_pil:
            self.implementation = Implementation.PY

    def _pil(self, image):
        raise TypeError(
            "For 'Decode', the input must be the bytes of an image file, but got a PIL image."
        )

    def _array(self, image, lead):
        content = image_bytes("Decode", image)
        if self.to_pil:
            return pillow_image("Decode", content)
        return decode_image("Decode", content)


class LinearTransformation(ImageOperation):
    """Flattens an image, subtracts a vector, multiplies by a square matrix, and shapes it back.

    Args:
        transformation_matrix (numpy.ndarray): the matrix, (D, D), where D is the image's size.
        mean_vector (numpy.ndarray): the vector, (D,).

    Raises:
        TypeError: if one is not an array.
        ValueError: if the matrix is not square, or the vector of another length.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> swap = vision.LinearTransformation(np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros(2))
        >>> swap(np.array([[[3.0]], [[7.0]]])).ravel()
        array([7., 3.])

    Source: mindspore.dataset.vision.LinearTransformation of MindSpore 2.10.
    """

    implementation = Implementation.PY

    implementation = Implementation.PY

    @checked(
        Forbid(
            "transformation_matrix.ndim != 2 or "
            "transformation_matrix.shape[0] != transformation_matrix.shape[1]",
            ValueError,
            "'transformation_matrix' must be square",
        ),
        Forbid(
            "mean_vector.shape != transformation_matrix.shape[:1]",
            ValueError,
            "'mean_vector' must be as long as the matrix",
        ),
    )
    def __init__(
        self, transformation_matrix: AnInstance(np.ndarray), mean_vector: AnInstance(np.ndarray)
    ):
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def _pil(self, image):
        raise TypeError(
            "For 'LinearTransformation', the input must be an array, but got a PIL image."
        )

    def _array(self, image, lead):
        if image.size != len(self.mean_vector):
            raise ValueError(
                f"For 'LinearTransformation', an image must have "
                f"{len(self.mean_vector)} values, but got shape {image.shape}."
            )
        flat = image.reshape(1, -1) - self.mean_vector
        return (flat @ self.transformation_matrix).reshape(image.shape)
