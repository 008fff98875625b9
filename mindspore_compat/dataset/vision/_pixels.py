"""Pixels moved as they are, and bytes resized: by OpenCV where that is installed, else by NumPy.

OpenCV does so several times as fast and without the interpreter's lock, so that threads work side
by side. It is used only where both give the same bits.
"""

import functools
import platform

import numpy as np

_DTYPES = {np.dtype(np.uint8), np.dtype(np.float32)}


@functools.cache
def _installed():
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def _opencv_for(images):
    """OpenCV, if it is there and takes this array as one image of two to four channels."""
    if images.ndim != 3 or images.dtype not in _DTYPES:
        return None
    return _installed() if 2 <= images.shape[2] <= 4 and images.size else None


def channels_first(images):
    """Images (..., height, width, channels) as (..., channels, height, width), contiguous."""
    cv2 = _opencv_for(images)
    if cv2 is None:
        return np.ascontiguousarray(np.moveaxis(images, -1, -3))
    out = np.empty((images.shape[2], *images.shape[:2]), images.dtype)
    cv2.split(images, list(out))
    return out


def planes_by_tables(image, tables):
    """An image (height, width, channels) of uint8, each value replaced, its channels first.

    Args:
        image (numpy.ndarray): the image.
        tables (numpy.ndarray): of shape (channels, 256), what stands for each value.

    Returns:
        numpy.ndarray (channels, height, width), or None where OpenCV does not serve.
    """
    height, width, channels = image.shape
    cv2 = _installed() if image.size and channels <= 4 else None
    if cv2 is None:
        return None
    planes = np.empty((channels, height, width), np.uint8)
    cv2.split(image, list(planes))
    out = np.empty(planes.shape, tables.dtype)
    for plane, table, target in zip(planes, tables, out, strict=True):
        cv2.LUT(plane, table, target)
    return out


def mirrored(images, axis):
    """Images (..., height, width, channels) mirrored along an axis, -2 or -3; contiguous."""
    cv2 = _opencv_for(images)
    if cv2 is None:
        return np.ascontiguousarray(np.flip(images, axis))
    return cv2.flip(images, axis + 3)


@functools.cache
def _resizer():
    """OpenCV, where it is known to interpolate bytes as the original does.

    Its builds for processors of other vendors have kernels of their own, which may round otherwise.
    """
    return _installed() if platform.machine() in ("x86_64", "AMD64") else None


def linear_bytes(images, height, width):
    """Images (..., height, width, channels) of uint8 in another size, as OpenCV interpolates.

    Returns:
        numpy.ndarray, or None where OpenCV does not serve.
    """
    channels = images.shape[-1]
    # OpenCV 5 halves images of two channels in another way than `_resize` does.
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
