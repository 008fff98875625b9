"""`mindspore.dataset.vision.py_transforms_util`: image functions that scripts import.

Functions of PIL images call the transforms of this package. Functions of arrays follow below.
"""

import math
import random

import numpy as np
from PIL import Image, ImageEnhance

from .. import vision
from .._extra import pillow_image
from .utils import Border, Inter

augment_error_message = "'img' must be a PIL image, as Decode and ToPIL give, but got {}."


def _fill(value):
    """Returns a colour as a tuple, if it is a list."""
    return tuple(value) if isinstance(value, list) else value


def is_numpy(img):
    """Returns whether an image is an array."""
    return isinstance(img, np.ndarray)


def is_pil(img):
    """Returns whether an image is a PIL image."""
    return isinstance(img, Image.Image)


def _need_pil(img):
    if not is_pil(img):
        raise TypeError(augment_error_message.format(type(img)))


# Calls of transforms ------------------------------------------------------------------------------

# They raise the errors of the transform, and a TypeError for an image that is not a PIL image.


def adjust_brightness(img, brightness_factor):
    """Adjusts the brightness of a PIL image: `vision.AdjustBrightness`."""
    _need_pil(img)
    return vision.AdjustBrightness(brightness_factor)(img)


def adjust_contrast(img, contrast_factor):
    """Adjusts the contrast of a PIL image: `vision.AdjustContrast`."""
    _need_pil(img)
    return vision.AdjustContrast(contrast_factor)(img)


def adjust_gamma(img, gamma, gain):
    """Applies gamma correction to a PIL image: `vision.AdjustGamma`."""
    _need_pil(img)
    return vision.AdjustGamma(gamma, gain)(img)


def adjust_hue(img, hue_factor):
    """Adjusts the hue of a PIL image: `vision.AdjustHue`."""
    _need_pil(img)
    return vision.AdjustHue(hue_factor)(img)


def adjust_saturation(img, saturation_factor):
    """Adjusts the saturation of a PIL image: `vision.AdjustSaturation`."""
    _need_pil(img)
    return vision.AdjustSaturation(saturation_factor)(img)


def auto_contrast(img, cutoff, ignore):
    """Maximizes the contrast of a PIL image: `vision.AutoContrast`."""
    _need_pil(img)
    return vision.AutoContrast(cutoff, ignore)(img)


def center_crop(img, size):
    """Crops the center of a PIL image: `vision.CenterCrop`."""
    _need_pil(img)
    return vision.CenterCrop(size)(img)


def equalize(img):
    """Equalizes the histogram of a PIL image: `vision.Equalize`."""
    _need_pil(img)
    return vision.Equalize()(img)


def five_crop(img, size):
    """Crops the four corners and the center of a PIL image: `vision.FiveCrop`."""
    _need_pil(img)
    return vision.FiveCrop(size)(img)


def grayscale(img, num_output_channels):
    """Converts a PIL image to grayscale: `vision.Grayscale`."""
    _need_pil(img)
    return vision.Grayscale(num_output_channels)(img)


def invert_color(img):
    """Inverts the colours of a PIL image: `vision.Invert`."""
    _need_pil(img)
    return vision.Invert()(img)


def pad(img, padding, fill_value, padding_mode):
    """Pads a PIL image: `vision.Pad`."""
    _need_pil(img)
    return vision.Pad(padding, _fill(fill_value), Border(padding_mode))(img)


def perspective(img, start_points, end_points, interpolation=Inter.BICUBIC):
    """Applies a perspective transform to a PIL image: `vision.Perspective`."""
    _need_pil(img)
    return vision.Perspective(start_points, end_points, Inter(interpolation))(img)


def resize(img, size, interpolation=Inter.BILINEAR):
    """Resizes a PIL image: `vision.Resize`."""
    _need_pil(img)
    return vision.Resize(size, Inter(interpolation))(img)


def ten_crop(img, size, use_vertical_flip=False):
    """Crops a PIL image and its mirror image five times each: `vision.TenCrop`."""
    _need_pil(img)
    return vision.TenCrop(size, use_vertical_flip)(img)


# Pillow functions and random functions ------------------------------------------------------------


def crop(img, top, left, height, width):
    """Crops a PIL image."""
    _need_pil(img)
    return img.crop((left, top, left + width, top + height))


def horizontal_flip(img):
    """Flips a PIL image horizontally."""
    _need_pil(img)
    return img.transpose(Image.FLIP_LEFT_RIGHT)


def vertical_flip(img):
    """Flips a PIL image vertically."""
    _need_pil(img)
    return img.transpose(Image.FLIP_TOP_BOTTOM)


def rotate(img, angle, resample, expand, center, fill_value):
    """Rotates a PIL image counterclockwise.

    Args:
        img (PIL.Image.Image): the image.
        angle (float): the angle in degrees.
        resample (Inter): NEAREST, BILINEAR or BICUBIC; ANTIALIAS only for multiples of 90 degrees
            about the center.
        expand (bool): whether to enlarge the result to hold the whole rotated image.
        center (tuple): the center of rotation, (x, y); None for the center of the image.
        fill_value (Union[int, tuple]): the colour outside the image.

    Raises:
        TypeError: if it is not a PIL image.
        ValueError: if `resample` does not fit.
    """
    _need_pil(img)
    angle %= 360.0
    if resample == Inter.ANTIALIAS and (angle not in (0, 90, 180, 270) or center):
        raise ValueError(
            f"'resample' must not be ANTIALIAS but for quarters about the middle, but "
            f"got angle {angle} about {center}."
        )
    if isinstance(fill_value, int) and len(img.getbands()) == 3:
        fill_value = (fill_value,) * 3
    return img.rotate(angle, resample, expand, center, fillcolor=_fill(fill_value))


def random_crop(img, size, padding, pad_if_needed, fill_value, padding_mode):
    """Crops a PIL image at a random position to a square, or to (height, width).

    Raises:
        TypeError: if it is not a PIL image, or the size is neither an int nor a pair.
        ValueError: if the crop is larger than the image.
    """
    _need_pil(img)
    height, width = _two(size)
    if padding is not None:
        img = pad(img, padding, fill_value, padding_mode)
    for lacking in ((width - img.width, 0), (0, height - img.height)):
        if pad_if_needed and max(lacking) > 0:
            img = pad(img, lacking, fill_value, padding_mode)
    if height > img.height or width > img.width:
        raise ValueError(
            f"'size' must be within the image's {(img.height, img.width)}, but got "
            f"{(height, width)}."
        )
    if (height, width) == (img.height, img.width):
        return crop(img, 0, 0, height, width)
    top = random.randint(0, img.height - height)
    return crop(img, top, random.randint(0, img.width - width), height, width)


def _two(size):
    if isinstance(size, int):
        return size, size
    if isinstance(size, (tuple, list)) and len(size) == 2:
        return size
    raise TypeError(f"'size' must be an int or a list or tuple (h, w), but got {size!r}.")


def random_resize_crop(img, size, scale, ratio, interpolation=Inter.BILINEAR, max_attempts=10):
    """Crops a PIL image to a random area and aspect ratio and resizes the crop.

    If no crop fits after `max_attempts` draws, the largest central crop with a ratio in the range
    is used.

    Raises:
        TypeError: if it is not a PIL image, or the size is neither an int nor a pair.
        ValueError: if a range is not valid.
    """
    _need_pil(img)
    size = _two(size)
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        raise ValueError(f"'scale' and 'ratio' must be ranges, but got {scale} and {ratio}.")
    return resize(crop(img, *_part(img, scale, ratio, max_attempts)), size, interpolation)


def _part(img, scale, ratio, max_attempts):
    """Returns top, left, height and width of a crop with random area and aspect ratio."""
    for _ in range(max_attempts):
        area = random.uniform(*scale) * (img.width * img.height)
        sides = math.exp(random.uniform(math.log(ratio[0]), math.log(ratio[1])))
        width = int(round(math.sqrt(area * sides)))
        height = int(round(width / sides))
        if 0 < width <= img.width and 0 < height <= img.height:
            top = random.randint(0, img.height - height)
            return top, random.randint(0, img.width - width), height, width
    width, height = img.size
    if width / height < ratio[0]:
        height = int(round(width / ratio[0]))
    elif width / height > ratio[1]:
        width = int(round(height * ratio[1]))
    middle = (img.height - height) / 2.0, (img.width - width) / 2.0
    return int(round(middle[0])), int(round(middle[1])), height, width


def random_color_adjust(img, brightness, contrast, saturation, hue):
    """Adjusts brightness, contrast, saturation and hue of a PIL image by random factors.

    The order of the adjustments is random, too. A range is a pair of numbers, or one number: the
    distance from 1, or from 0 for the hue.

    Raises:
        TypeError: if it is not a PIL image, or a range is neither a number nor a pair.
        ValueError: if a range is not valid, has negative factors, or hues outside [-0.5, 0.5].
    """
    _need_pil(img)
    changes = [
        (adjust_brightness, _factor("brightness", brightness)),
        (adjust_contrast, _factor("contrast", contrast)),
        (adjust_saturation, _factor("saturation", saturation)),
        (adjust_hue, _factor("hue", hue, 0, (-0.5, 0.5))),
    ]
    random.shuffle(changes)
    for change, factor in changes:
        img = change(img, factor)
    return img


def _factor(name, value, middle=1, bounds=(0, math.inf)):
    """Returns a random factor from a range: a pair of numbers, or a distance from `middle`."""
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"'{name}' must not be negative, but got {value}.")
        value = max(middle - value, bounds[0]), middle + value
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError(f"'{name}' must be a number or two, but got {value!r}.")
    if not bounds[0] <= value[0] <= value[1] <= bounds[1]:
        raise ValueError(f"'{name}' must be a range within {bounds}, but got {value}.")
    return random.uniform(*value)


def random_horizontal_flip(img, prob):
    """Flips a PIL image horizontally, with a probability."""
    _need_pil(img)
    return horizontal_flip(img) if prob > random.random() else img


def random_vertical_flip(img, prob):
    """Flips a PIL image vertically, with a probability."""
    _need_pil(img)
    return vertical_flip(img) if prob > random.random() else img


def random_rotation(img, degrees, resample, expand, center, fill_value):
    """Rotates a PIL image by a random angle from (min, max), or from (-number, number)."""
    _need_pil(img)
    least, most = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
    if least > most:
        raise ValueError(f"'degrees' must be a range or not negative, but got {degrees}.")
    return rotate(img, random.uniform(least, most), resample, expand, center, fill_value)


def random_color(img, degrees):
    """Adjusts the saturation of a PIL image by a random factor from a range."""
    _need_pil(img)
    return ImageEnhance.Color(img).enhance(random.uniform(degrees[0], degrees[1]))


def random_sharpness(img, degrees):
    """Adjusts the sharpness of a PIL image by a random factor from a range."""
    _need_pil(img)
    return ImageEnhance.Sharpness(img).enhance(random.uniform(degrees[0], degrees[1]))


# Arrays -------------------------------------------------------------------------------------------


def _need_array(img, axes):
    if not is_numpy(img):
        raise TypeError(f"'img' must be a NumPy array, but got {type(img)}.")
    if img.ndim not in axes:
        raise TypeError(f"'img' must have {' or '.join(map(str, axes))} axes, but got {img.ndim}.")


def decode(img):
    """Decodes the bytes of an image file to a PIL image in RGB.

    Raises:
        TypeError: if the input is not bytes.
        ValueError: if the bytes are not an image file.
    """
    return pillow_image("decode", img, ValueError)


def hwc_to_chw(img):
    """Transposes an array from (H, W, C) to (C, H, W); an array (H, W) is unchanged.

    Raises:
        TypeError: if it is not an array, or has the wrong number of axes.
    """
    _need_array(img, (2, 3))
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def normalize(img, mean, std, pad_channel=False, dtype="float32"):
    """Normalizes a float array (C, H, W): (img - mean) / std for each channel.

    Args:
        img (numpy.ndarray): the image.
        mean (Sequence[float]): the mean of each channel, or one for all channels.
        std (Sequence[float]): the standard deviation of each channel, or one for all channels.
        pad_channel (bool): whether to append a channel of zeros. Default: False.
        dtype (str): the dtype of the result with such a channel, "float16" or "float32". Default:
            "float32".

    Raises:
        TypeError: if it is not a 3-D array.
        NotImplementedError: if it holds integers.
        ValueError: if the number of values differs from the number of channels.
    """
    _need_array(img, (3,))
    if np.issubdtype(img.dtype, np.integer):
        raise NotImplementedError(
            f"'img' must hold floats, as ToTensor makes them, but got {img.dtype}."
        )
    if len(mean) != len(std) or len(mean) not in (1, len(img)):
        raise ValueError(
            f"'mean' and 'std' must have 1 number or {len(img)}, but got {len(mean)} "
            f"and {len(std)}."
        )
    mean, std = (np.reshape(np.array(values, img.dtype), (-1, 1, 1)) for values in (mean, std))
    out = (img - mean) / std
    if not pad_channel:
        return out
    out = np.concatenate([out, np.zeros((1, *out.shape[1:]), np.float32)])
    return out.astype(np.float16) if dtype == "float16" else out


def rgb_to_bgr(np_rgb_img, is_hwc):
    """Reverses the channels of an array, on the last axis or the first."""
    return np_rgb_img[:, :, ::-1] if is_hwc else np_rgb_img[::-1]


def to_pil(img):
    """Converts an array to a PIL image; a PIL image is returned as it is.

    Raises:
        TypeError: if it is neither, or of a dtype that images do not have.
        ValueError: if it has more than four channels, or another number of axes.
    """
    return img if is_pil(img) else vision.ToPIL()(img)


def to_tensor(img, output_type):
    """Converts a PIL image or an array to an array (C, H, W) and divides its values by 255.

    Raises:
        TypeError: if `img` is neither a PIL image nor an array, or does not have 2 or 3 axes.
        RuntimeError: if `output_type` is not a dtype.
    """
    if not is_pil(img) and not is_numpy(img):
        raise TypeError(f"'img' must be a NumPy array or a PIL image, but got {type(img)}.")
    img = np.asarray(img)
    _need_array(img, (2, 3))
    return to_type(hwc_to_chw(img[:, :, None] if img.ndim == 2 else img) / 255.0, output_type)


def to_type(img, output_type):
    """Casts an array to another dtype.

    Raises:
        TypeError: if it is not an array.
        RuntimeError: if `output_type` is not a dtype.
    """
    if not is_numpy(img):
        raise TypeError(f"'img' must be a NumPy array, but got {type(img)}.")
    try:
        return img.astype(output_type)
    except (TypeError, ValueError) as error:
        raise RuntimeError(f"'output_type' must be a dtype, but got {output_type!r}.") from error
