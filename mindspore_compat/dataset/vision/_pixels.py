"""Moves pixels and resizes bytes: by OpenCV if it is installed, otherwise by NumPy.

OpenCV is several times faster and releases the interpreter's lock, so threads run in parallel. It
is used only where both give identical bits.
"""

import functools
import platform

import numpy as np

_DTYPES = {np.dtype(np.uint8), np.dtype(np.float32)}


@functools.cache
def _import_opencv():
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def _opencv_for(images):
    """Returns OpenCV if it is installed and can process this array as one image of two to four
    channels; None otherwise."""
    if images.ndim != 3 or images.dtype not in _DTYPES:
        return None
    return _import_opencv() if 2 <= images.shape[2] <= 4 and images.size else None


def channels_first(images):
    """Moves channels first: returns a contiguous array (..., channels, height, width)."""
    cv2 = _opencv_for(images)
    if cv2 is None:
        return np.ascontiguousarray(np.moveaxis(images, -1, -3))
    out = np.empty((images.shape[2], *images.shape[:2]), images.dtype)
    cv2.split(images, list(out))
    return out


def planes_by_tables(image, tables):
    """Returns a uint8 image (height, width, channels) mapped through tables, with channels moved
    first.

    Args:
        image (numpy.ndarray): the image.
        tables (numpy.ndarray): of shape (channels, 256), the new value of each value.

    Returns:
        numpy.ndarray (channels, height, width), or None if OpenCV cannot be used.
    """
    height, width, channels = image.shape
    cv2 = _import_opencv() if image.size and channels <= 4 else None
    if cv2 is None:
        return None
    planes = np.empty((channels, height, width), np.uint8)
    cv2.split(image, list(planes))
    out = np.empty(planes.shape, tables.dtype)
    for plane, table, target in zip(planes, tables, out, strict=True):
        cv2.LUT(plane, table, target)
    return out


def mirror(images, axis):
    """Flips images (..., height, width, channels) along axis -2 or -3; returns a contiguous
    array."""
    cv2 = _opencv_for(images)
    if cv2 is None:
        return np.ascontiguousarray(np.flip(images, axis))
    return cv2.flip(images, axis + 3)


@functools.cache
def _resizer():
    """Returns OpenCV, on processors where it interpolates bytes as MindSpore does.

    Builds for processors of other vendors have their own kernels, which may round differently.
    """
    return _import_opencv() if platform.machine() in ("x86_64", "AMD64") else None


def linear_bytes(images, height, width):
    """Resizes uint8 images (..., height, width, channels) with OpenCV's linear interpolation.

    Returns:
        numpy.ndarray, or None if OpenCV cannot be used.
    """
    channels = images.shape[-1]
    # OpenCV 5 halves images of two channels differently from `_resize`.
    if images.dtype != np.uint8 or channels not in (1, 3, 4) or not images.size:
        return None
    cv2 = _resizer()
    if cv2 is None:
        return None
    out = np.empty((*images.shape[:-3], height, width, channels), np.uint8)
    if out.ndim == 3:
        cv2.resize(images, (width, height), out, interpolation=cv2.INTER_LINEAR)
        return out
    for image, target in zip(
        images.reshape(-1, *images.shape[-3:]),
        out.reshape(-1, height, width, channels),
        strict=True,
    ):
        cv2.resize(image, (width, height), target, interpolation=cv2.INTER_LINEAR)
    return out
