"""Optional libraries of the extras "vision", "video" and "text", and decoding of image files.

Pillow and OpenCV come with `pip install mindspore-compat[vision]`, PyAV with
`mindspore-compat[video]`, fontTools and SentencePiece with `mindspore-compat[text]`; each is
imported on first use.
"""

import contextlib
import importlib
import io
import sys

import numpy as np

from .._io.reading import check_growth, reading
from ._headers import pixels_of

EXTRAS = {  # the functions below that return a library -> the extra that installs it
    "pillow": "vision",
    "opencv": "vision",
    "pyav": "video",
    "sentencepiece": "text",
    "unicode_tables": "text",
}
_CHANNELS = 3
_imported = {}  # modules by name: asking `importlib` takes microseconds for every image


def pillow(api, name="Image"):
    """Returns a module of Pillow, imported on first use.

    Raises:
        ImportError: if Pillow is not installed.
    """
    return _library(api, f"PIL.{name}", "Pillow", EXTRAS["pillow"])


def opencv(api):
    """Returns the module `cv2` of OpenCV.

    Raises:
        ImportError: if OpenCV is not installed.
    """
    return _library(api, "cv2", "OpenCV", EXTRAS["opencv"])


@contextlib.contextmanager
def without_ipp(cv2):
    """Turns off Intel's primitives of OpenCV in this thread. MindSpore is built without them, and
    they round a few pixels differently.
    """
    before = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(False)
    try:
        yield
    finally:
        cv2.ipp.setUseIPP(before)


def pyav(api):
    """Returns the module `av` of PyAV.

    Raises:
        ImportError: if PyAV is not installed.
    """
    return _library(api, "av", "PyAV", EXTRAS["pyav"])


def sentencepiece(api):
    """Returns the package SentencePiece.

    Raises:
        ImportError: if SentencePiece is not installed.
    """
    return _library(api, "sentencepiece", "SentencePiece", EXTRAS["sentencepiece"])


def unicode_tables(api):
    """Returns the Unicode data of fontTools: the scripts of characters.

    Raises:
        ImportError: if fontTools is not installed.
    """
    return _library(api, "fontTools.unicodedata", "fontTools", EXTRAS["unicode_tables"])


def _library(api, module, name, extra):
    library = _imported.get(module)
    if library is not None and sys.modules.get(module) is library:
        return library
    try:
        _imported[module] = importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"'{api}' needs {name}, which comes with the extra '{extra}': "
            f"pip install 'mindspore-compat[{extra}]'."
        ) from error
    return _imported[module]


def image_bytes(api, image):
    """Returns the bytes of an image file, read from a column.

    Raises:
        RuntimeError: if the column is not a row of bytes.
    """
    if image.dtype.kind == "S" and image.size == 1:
        return image.tobytes()
    if image.dtype != np.uint8 or image.ndim != 1 or not image.size:
        raise RuntimeError(
            f"For '{api}', the input must be the bytes of an image file, one axis "
            f"of uint8, but got shape {image.shape} and dtype {image.dtype}."
        )
    return image.tobytes()


def decode_image(api, content):
    """Returns the pixels of an image file, decoded to RGB.

    Raises:
        RuntimeError: if it is not an image file, or decodes to more memory than a file of its size
            may; see `_io.reading.most_bytes`.
    """
    cv2 = opencv(api)
    if content[:2] == b"\xff\xd8" and hasattr(cv2, "IMREAD_COLOR_RGB"):
        return _pixels(api, content, "IMREAD_COLOR_RGB")  # JPEG: its library writes either order
    pixels = _pixels(api, content, "IMREAD_COLOR")
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB, pixels)


def grey(api, content):
    """Returns the pixels of an image file, decoded to grayscale with two axes; see
    `decode_image`."""
    return _pixels(api, content, "IMREAD_GRAYSCALE")


def _pixels(api, content, mode):
    pixels = opencv_pixels(api, content, mode)
    if pixels is None:
        raise RuntimeError(
            f"For '{api}', the input is not the content of an image file that OpenCV can read."
        )
    return pixels


def opencv_pixels(api, content, mode):
    """Returns the pixels of an image file, decoded by OpenCV; None if it is not an image file.

    Args:
        api (str): the public name, for errors.
        content (bytes): the content of the file.
        mode (str): the name of OpenCV's flag.

    Raises:
        RuntimeError: if the image decodes to more memory than a file of its size may.
    """
    cv2 = opencv(api)
    with reading(problem="is no image that OpenCV can read", api=api):
        check_growth(_CHANNELS * pixels_of(content), len(content))
        return cv2.imdecode(
            np.frombuffer(content, np.uint8), getattr(cv2, mode) | cv2.IMREAD_IGNORE_ORIENTATION
        )


def pillow_image(api, content, raises=RuntimeError):
    """Returns an image file as a PIL image in RGB.

    Raises:
        RuntimeError: or `raises`, if it is not an image file, or decodes to more memory than a file
            of its size may.
    """
    library, file = pillow(api), io.BytesIO(content)
    with reading(raises=raises, problem="is no image that Pillow can read", api=api):
        image = library.open(file)
        check_growth(_CHANNELS * image.width * image.height, len(content))
        return image.convert("RGB")
