"""Functions that read, write and encode image files, and return the size of an image.

Encoding and decoding need OpenCV, which the extra "vision" installs.
"""

import os

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, Str
from ..._core.tensor.tensor import Tensor
from ..._io.files import atomic_write
from ..._io.reading import check_name, content, reading
from .._extra import opencv, opencv_pixels
from .._rules import AnInstance
from ..transforms.base import is_pil
from .utils import ImageReadMode

__all__ = [
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]

_Image = AnInstance(np.ndarray, Tensor)


@checked
def read_file(filename: Str):
    """Reads a file and returns its bytes as a 1-D array.

    Args:
        filename: the path of the file.

    Raises:
        RuntimeError: if `filename` cannot be read.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.write_file("data.bin", np.array([1, 2, 3], np.uint8))
        >>> vision.read_file("data.bin")
        array([1, 2, 3], dtype=uint8)

    Source: mindspore.dataset.vision.read_file of MindSpore 2.10.
    """
    return np.frombuffer(_content("read_file", filename), np.uint8).copy()


def _content(api, filename):
    try:
        return content(filename)
    except (OSError, ValueError) as error:  # the latter for a name that no file can have
        raise RuntimeError(
            f"For '{api}', 'filename' must be a file that can be read, but got "
            f"{filename!r}: {error}"
        ) from error


@checked
def write_file(filename: Str, data: _Image):
    """Writes bytes to a file.

    Args:
        filename: the path of the file.
        data: the bytes: a one-dimensional uint8 array or Tensor.

    Raises:
        RuntimeError: if `data` is of another shape or dtype, or the file cannot be written.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.write_file("data.bin", np.array([1, 2, 3], np.uint8))
        >>> vision.read_file("data.bin")
        array([1, 2, 3], dtype=uint8)

    Source: mindspore.dataset.vision.write_file of MindSpore 2.10.
    """
    data = data.asnumpy() if isinstance(data, Tensor) else data
    if data.dtype != np.uint8 or data.ndim != 1:
        raise RuntimeError(
            f"For 'write_file', 'data' must have one axis of uint8, but got shape "
            f"{data.shape} and dtype {data.dtype}."
        )
    _write("write_file", filename, data)


def _write(api, filename, data):
    """Writes an array of bytes to a file, or the target of a link, for a public function."""
    try:
        check_name(filename)
        with atomic_write(os.path.realpath(filename), durable=False) as file:
            file.write(data.tobytes())
    except (OSError, ValueError) as error:
        raise RuntimeError(f"For '{api}', {filename!r} cannot be written: {error}") from error


@checked
def read_image(filename: Str, mode: AnInstance(ImageReadMode) = ImageReadMode.UNCHANGED):
    """Reads an image file.

    Args:
        filename: the path of the file.
        mode: the channels to return.

    Returns:
        numpy.ndarray, of shape (height, width, channels), in RGB.

    Raises:
        RuntimeError: if the file cannot be read, or is not an image.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.write_png("black.png", np.zeros((4, 6, 3), np.uint8))
        >>> vision.read_image("black.png", vision.ImageReadMode.GRAYSCALE).shape
        (4, 6, 1)

    Source: mindspore.dataset.vision.read_image of MindSpore 2.10.
    """
    data = _content("read_image", filename)
    flag = {
        ImageReadMode.UNCHANGED: "IMREAD_ANYCOLOR",
        ImageReadMode.GRAYSCALE: "IMREAD_GRAYSCALE",
        ImageReadMode.COLOR: "IMREAD_COLOR",
    }[mode]
    with reading(filename):
        pixels = opencv_pixels("read_image", data, flag) if data else None
    if pixels is None or data[:3] == b"GIF":
        raise RuntimeError(
            f"For 'read_image', 'filename' must be a JPEG, PNG, BMP or TIFF file, "
            f"but got {filename!r}."
        )
    return pixels[..., None] if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1])


def _encode(api, extension, image, *settings):
    """Returns the bytes of an image file with these pixels."""
    image = image.asnumpy() if isinstance(image, Tensor) else image
    fits = image.ndim == 2 or image.ndim == 3 and image.shape[-1] in (1, 3)
    if image.dtype != np.uint8 or not fits or not image.size:
        raise RuntimeError(
            f"For '{api}', 'image' must be of uint8 and of shape (height, width), "
            f"(height, width, 1) or (height, width, 3), but got shape "
            f"{image.shape} and dtype {image.dtype}."
        )
    image = image if image.ndim == 2 else image[..., ::-1]
    return opencv(api).imencode(extension, image, settings)[1].reshape(-1)


def _in_range(api, name, value, low, high):
    if not low <= value <= high:
        raise RuntimeError(f"For '{api}', '{name}' must be in [{low}, {high}], but got {value}.")


@checked
def encode_jpeg(image: _Image, quality: Int | Bool = 75):
    """Encodes an image as JPEG.

    Args:
        image: an array or Tensor of uint8, of shape (height, width), or with 1 or 3 channels as the
            last axis.
        quality: from 1 to 100.

    Returns:
        numpy.ndarray, the bytes.

    Raises:
        RuntimeError: if `image` is of another shape or dtype, or `quality` out of range.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> encoded = vision.encode_jpeg(np.zeros((4, 6, 3), np.uint8), quality=90)
        >>> bytes(encoded[6:10])
        b'JFIF'

    Source: mindspore.dataset.vision.encode_jpeg of MindSpore 2.10.
    """
    _in_range("encode_jpeg", "quality", quality, 1, 100)
    quality_flag = opencv("encode_jpeg").IMWRITE_JPEG_QUALITY
    return _encode("encode_jpeg", ".jpeg", image, quality_flag, int(quality))


@checked
def encode_png(image: _Image, compression_level: Int | Bool = 6):
    """Encodes an image as PNG.

    Args:
        image: an array or Tensor of uint8, of shape (height, width), or with 1 or 3 channels as the
            last axis.
        compression_level: from 0 to 9.

    Returns:
        numpy.ndarray, the bytes.

    Raises:
        RuntimeError: if `image` is of another shape or dtype, or `compression_level` out of range.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> encoded = vision.encode_png(np.zeros((4, 6, 3), np.uint8))
        >>> bytes(encoded[1:4])
        b'PNG'

    Source: mindspore.dataset.vision.encode_png of MindSpore 2.10.
    """
    _in_range("encode_png", "compression_level", compression_level, 0, 9)
    level_flag = opencv("encode_png").IMWRITE_PNG_COMPRESSION
    return _encode("encode_png", ".png", image, level_flag, int(compression_level))


@checked
def write_jpeg(filename: Str, image: _Image, quality: Int | Bool = 75):
    """Writes an image as a JPEG file; see `encode_jpeg`.

    Args:
        filename: the path of the file.
        image: the pixels.
        quality: from 1 to 100.

    Raises:
        RuntimeError: as for `encode_jpeg`; also if the file cannot be written.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.write_jpeg("black.jpg", np.zeros((4, 6, 3), np.uint8))
        >>> vision.read_image("black.jpg").shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.write_jpeg of MindSpore 2.10.
    """
    _write("write_jpeg", filename, encode_jpeg(image, quality))


@checked
def write_png(filename: Str, image: _Image, compression_level: Int | Bool = 6):
    """Writes an image as a PNG file; see `encode_png`.

    Args:
        filename: the path of the file.
        image: the pixels.
        compression_level: from 0 to 9.

    Raises:
        RuntimeError: as for `encode_png`; also if the file cannot be written.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.write_png("black.png", np.zeros((4, 6, 3), np.uint8))
        >>> vision.read_image("black.png").shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.write_png of MindSpore 2.10.
    """
    _write("write_png", filename, encode_png(image, compression_level))


def _shape(api, image):
    """Returns (height, width, channels) of an image.

    Raises:
        TypeError: if it is not an image.
        RuntimeError: if it has fewer than two axes.
    """
    if is_pil(image):
        return image.height, image.width, len(image.getbands())
    InstanceOf(np.ndarray).called("an array or a PIL image").refuse(api, "image", image)
    if image.ndim < 2:
        raise RuntimeError(
            f"For '{api}', 'image' must have at least two axes, but got shape {image.shape}."
        )
    if image.dtype.kind == "c":
        raise RuntimeError(
            f"For '{api}', 'image' must hold no complex numbers, but got {image.dtype}."
        )
    return (*image.shape, 1) if image.ndim == 2 else image.shape[-3:]


def get_image_size(image):
    """Returns the height and width of an image, as a list.

    Args:
        image (Union[numpy.ndarray, PIL.Image.Image]): whose size is asked for.

    Raises:
        TypeError: if `image` is neither.
        RuntimeError: if `image` has fewer than two axes.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.get_image_size(np.zeros((4, 6, 3), np.uint8))
        [4, 6]

    Source: mindspore.dataset.vision.get_image_size of MindSpore 2.10.
    """
    return list(_shape("get_image_size", image)[:2])


def get_image_num_channels(image):
    """Returns the number of channels of an image.

    Args:
        image (Union[numpy.ndarray, PIL.Image.Image]): the image.

    Raises:
        TypeError: if `image` is neither.
        RuntimeError: if `image` has fewer than two axes.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.get_image_num_channels(np.zeros((4, 6, 3), np.uint8))
        3

    Source: mindspore.dataset.vision.get_image_num_channels of MindSpore 2.10.
    """
    return _shape("get_image_num_channels", image)[2]
