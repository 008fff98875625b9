"""The libraries of the extra "vision", and the decoding of image files.

Pillow and OpenCV come with `pip install mindspore-compat[vision]`; they are imported when something
first needs them.
"""

import importlib

import numpy as np


def pillow(api, name="Image"):
    """A module of Pillow.

    Raises:
        ImportError: Pillow is not installed.
    """
    return _library(api, f"PIL.{name}", "Pillow")


def opencv(api):
    """OpenCV.

    Raises:
        ImportError: OpenCV is not installed.
    """
    return _library(api, "cv2", "OpenCV")


def _library(api, module, name):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"'{api}' needs {name}, which comes with the extra 'vision': "
                          f"pip install 'mindspore-compat[vision]'.") from error


def image_bytes(api, image):
    """The content of an image file, from a column.

    Raises:
        RuntimeError: the column is no row of bytes.
    """
    if image.dtype.kind == "S" and image.size == 1:
        return image.tobytes()
    if image.dtype != np.uint8 or image.ndim != 1 or not image.size:
        raise RuntimeError(f"For '{api}', the input must be the bytes of an image file, one axis "
                           f"of uint8, but got shape {image.shape} and dtype {image.dtype}.")
    return image.tobytes()


def decoded(api, content):
    """The pixels of an image file, as RGB.

    Raises:
        RuntimeError: it is no image file.
    """
    cv2 = opencv(api)
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), flags)
    if pixels is None:
        raise RuntimeError(f"For '{api}', the input is not the content of an image file that "
                           f"OpenCV can read.")
    return np.ascontiguousarray(pixels[..., ::-1])


def grey(api, content):
    """The pixels of an image file in grey, two axes.

    Raises:
        RuntimeError: it is no image file.
    """
    cv2 = opencv(api)
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_GRAYSCALE)
    if pixels is None:
        raise RuntimeError(f"For '{api}', a file is not an image that OpenCV can read.")
    return pixels
