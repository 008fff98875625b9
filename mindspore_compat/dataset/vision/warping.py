"""Image transforms that rotate or warp an image: Rotate, Affine, Perspective.

NumPy interpolates with NEAREST and LINEAR; AREA is the same as LINEAR. CUBIC needs OpenCV.
"""

import math

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Number, TupleOf
from .._extra import opencv, pillow
from .._rules import FLOAT_MAX, AnInstance, Fill, sequence
from . import _warp
from ._image import ImageOperation, check_rank, with_channels
from .resizing import pil_filter
from .utils import Inter

__all__ = ["Affine", "Perspective", "Rotate"]

_Angle = Number(ge=-180, le=180)
NumpyNumber = AnInstance(np.number).called("a NumPy number")
_Shift = Number(ge=-1.0, le=1.0)
_Points = sequence(sequence(Number, 2), 4)
_INTERPOLATED = ("bool", "uint8", "uint16", "int16", "float32", "float64")


def warp(api, image, matrix, size, interpolation, fill):
    """Warps an image by an affine (2, 3) or perspective (3, 3) matrix into another size.

    Args:
        api (str): the public name for errors.
        image (numpy.ndarray): (height, width) or (height, width, channels).
        matrix (numpy.ndarray): the map from new coordinates (x, y) to old ones.
        size (tuple): (width, height) of the result.
        interpolation (Inter): the interpolation method.
        fill (Union[int, tuple]): the pixel value outside the image.

    Raises:
        RuntimeError: if the shape or the dtype does not allow it.
    """
    check_rank(api, image, 0, (2, 3))
    nearest = interpolation is Inter.NEAREST
    dtypes = (*_INTERPOLATED, "int32") if nearest else _INTERPOLATED
    if image.dtype.name not in dtypes:
        raise RuntimeError(
            f"For '{api}', an image must hold {', '.join(dtypes)}, but got {image.dtype}."
        )
    plain, grey = with_channels(image, 0)
    plain = plain.view(np.uint8) if image.dtype == bool else plain
    fill = _fill_of_channels(fill, plain.shape[-1])
    where = _warp.affine_coordinates if len(matrix) == 2 else _warp.perspective_coordinates
    coordinates = where(matrix, size, nearest)
    if interpolation is Inter.CUBIC:
        out = _warp_cubic(api, plain, coordinates, fill)
    elif nearest or interpolation in (Inter.LINEAR, Inter.AREA):  # AREA is linear here
        out = _warp.warp(plain, coordinates, nearest, fill)
    else:
        raise RuntimeError(f"For '{api}', {interpolation.name} does not apply to arrays.")
    out = out.view(bool) if image.dtype == bool and nearest else out
    return out[..., 0] if grey else out


def _fill_of_channels(fill, channels):
    """Returns the values outside the image for each channel: three are given, the fourth is 0, and
    more channels repeat these four."""
    four = (*(fill if isinstance(fill, tuple) else (fill,) * 3), 0)
    return tuple(four[channel % 4] for channel in range(channels))


def _warp_cubic(api, image, coordinates, fill):
    """Interpolates at coordinates in steps of 1/32 of a pixel. The functions of OpenCV 5 that take
    a matrix do not round coordinates to such steps.
    """
    if image.shape[-1] > 4:
        raise RuntimeError(
            f"For '{api}', CUBIC applies to at most 4 channels, but got {image.shape[-1]}."
        )
    cv2 = opencv(api)
    x, y = coordinates
    pixels = np.clip(np.stack([x >> 5, y >> 5], -1), -(2**15), 2**15 - 1).astype(np.int16)
    steps = ((y & 31) * 32 + (x & 31)).astype(np.uint16)
    out = cv2.remap(image, pixels, steps, cv2.INTER_CUBIC, None, cv2.BORDER_CONSTANT, fill)
    return out.reshape(*out.shape[:2], image.shape[-1])


def rotate(api, image, degrees, interpolation, expand, center, fill):
    """Rotates an image counterclockwise around its center, or around `center` (x, y).

    As in MindSpore, the values of a tuple as `fill` belong to the channels in reverse order.
    """
    check_rank(api, image, 0, (2, 3))
    fill = fill[::-1] if isinstance(fill, tuple) else fill
    height, width = image.shape[:2]
    x, y = np.float32(center or ((width - 1) / 2.0, (height - 1) / 2.0)).tolist()
    angle = math.radians(degrees)
    cosine, sine = math.cos(angle), math.sin(angle)
    matrix = np.array(
        [[cosine, sine, (1 - cosine) * x - sine * y], [-sine, cosine, sine * x + (1 - cosine) * y]]
    )
    size = width, height
    if expand:
        around = _around(width, height, cosine, sine)
        matrix[:, 2] += [around[0] / 2.0 - width / 2.0, around[1] / 2.0 - height / 2.0]
        size = round(around[0]), round(around[1])
    return warp(api, image, _warp.inverse_affine(matrix), size, interpolation, fill)


def _around(width, height, cosine, sine):
    """Returns the width and height of the bounding box of a rotated rectangle, in float32 as in
    MindSpore.
    """
    half = np.float32(0.5)
    across, along = np.float32(cosine) * half, np.float32(sine) * half
    width, height = np.float32(width), np.float32(height)
    x = along * height + across * width, along * height - across * width
    y = across * height - along * width, across * height + along * width
    return [float(max(map(abs, coordinates)) * 2) for coordinates in (x, y)]


def rotate_pil(api, image, degrees, interpolation, expand, center, fill):
    """Rotates a PIL image counterclockwise."""
    if isinstance(fill, int) and image.mode == "RGB":
        fill = (fill,) * 3
    return image.rotate(degrees, pil_filter(api, interpolation), expand, center, fillcolor=fill)


class Rotate(ImageOperation):
    """Rotates an image counterclockwise.

    Args:
        degrees (Union[int, float]): the angle in degrees.
        resample (Inter, optional): the interpolation method.
        expand (bool, optional): whether to enlarge the result to hold the whole rotated image.
        center (tuple, optional): the center of rotation, (x, y); by default the center of the
            image.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `fill_value` is out of range.
        RuntimeError: if an image has fewer than two axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Rotate(90)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.Rotate of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        degrees: Number(ge=-FLOAT_MAX, le=FLOAT_MAX),
        resample: AnInstance(Inter) = Inter.NEAREST,
        expand: Bool = False,
        center: TupleOf(Number, length=2) = None,
        fill_value: Fill = 0,
    ):
        self.degrees, self.resample, self.expand = degrees % 360, resample, expand
        self.center, self.fill_value = center, fill_value

    def _array(self, image, lead):
        if image.ndim > 3 and self.expand:
            check_rank("Rotate", image, 0, (2, 3))
        if image.ndim > 3:  # several images, all rotated by the same angle
            return np.stack([self._array(item, 0) for item in image])
        return rotate(
            "Rotate", image, self.degrees, self.resample, self.expand, self.center, self.fill_value
        )


def affine_matrix(center, degrees, translate, scale, shear):
    """Returns the matrix (2, 3), from new to old coordinates, of a rotation, a shift, a scaling and
    a shear.
    """
    turn = math.radians(degrees)
    shear_x, shear_y = (math.radians(angle) for angle in shear)
    a = math.cos(turn - shear_y) / math.cos(shear_y)
    b = -math.cos(turn - shear_y) * math.tan(shear_x) / math.cos(shear_y) - math.sin(turn)
    c = math.sin(turn - shear_y) / math.cos(shear_y)
    d = -math.sin(turn - shear_y) * math.tan(shear_x) / math.cos(shear_y) + math.cos(turn)
    matrix = np.array([[d, -b, 0.0], [-c, a, 0.0]]) / scale
    x, y = -center[0] - translate[0], -center[1] - translate[1]
    matrix[:, 2] = matrix[:, 0] * x + matrix[:, 1] * y + center
    return matrix


def affine(api, image, degrees, translate, scale, shear, interpolation, fill):
    """Rotates an image, shifts it by fractions of its size, scales and shears it around its
    center.
    """
    check_rank(api, image, 0, (2, 3))
    height, width = image.shape[:2]
    shift = width * translate[0], height * translate[1]
    center = (width - 1) / 2.0, (height - 1) / 2.0
    matrix = affine_matrix(center, degrees, shift, scale, shear)
    return warp(api, image, matrix, (width, height), interpolation, fill)


class Affine(ImageOperation):
    """Applies an affine transform around the center of an image: clockwise rotation, shift,
    scaling, shear.

    Args:
        degrees (float): the angle, in [-180, 180].
        translate (sequence): the shifts to the right and down, as fractions of the size, in [-1,
            1].
        scale (float): the scaling factor.
        shear (Union[float, sequence]): the angles along x and y, in [-180, 180]; a number is the
            angle along x.
        resample (Inter, optional): the interpolation method.
        fill_value (Union[int, tuple], optional): the pixel value outside the image, in [0, 255].

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.Affine(15.0, [0.1, 0.1], 1.0,
        ...                                [0.0, 0.0])(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.Affine of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        degrees: _Angle,
        translate: sequence(_Shift, 2),
        scale: Number(gt=0),
        shear: _Angle | NumpyNumber | Bool | sequence(_Angle, 2),
        resample: AnInstance(Inter) = Inter.NEAREST,
        fill_value: Fill = 0,
    ):
        self.degrees, self.translate, self.scale = degrees, translate, scale
        is_number = isinstance(shear, (int, float, np.number))
        self.shear = (shear, 0.0) if is_number else tuple(shear)
        self.resample, self.fill_value = resample, fill_value

    def _array(self, image, lead):
        return affine(
            "Affine",
            image,
            self.degrees,
            self.translate,
            self.scale,
            self.shear,
            self.resample,
            self.fill_value,
        )


def perspective_matrix(start, end):
    """Returns the matrix (3, 3), from new to old coordinates, that maps `end` to `start`."""
    rows, goals = [], []
    for axis_number in (0, 1):
        for old, new in zip(start, end, strict=True):
            (x, y), goal = old, new[axis_number]
            first = [x, y, 1] if axis_number == 0 else [0, 0, 0]
            second = [0, 0, 0] if axis_number == 0 else [x, y, 1]
            rows.append([*first, *second, -x * goal, -y * goal])
            goals.append(goal)
    solution = np.linalg.solve(np.array(rows, np.float64), np.array(goals, np.float64))
    return _adjugate_inverse(*solution.tolist(), 1.0)


def _adjugate_inverse(a, b, c, d, e, f, g, h, i):
    """Returns the inverse of a matrix (3, 3), computed in the order of OpenCV."""
    scale = 1.0 / (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    return np.array(
        [
            [(e * i - f * h) * scale, (c * h - b * i) * scale, (b * f - c * e) * scale],
            [(f * g - d * i) * scale, (a * i - c * g) * scale, (c * d - a * f) * scale],
            [(d * h - e * g) * scale, (b * g - a * h) * scale, (a * e - b * d) * scale],
        ]
    )


def perspective_coefficients(start, end):
    """Returns the eight coefficients of Pillow's map from new to old coordinates."""
    rows, goals = [], []
    for (x, y), (new_x, new_y) in zip(start, end, strict=True):
        rows.append([new_x, new_y, 1, 0, 0, 0, -x * new_x, -x * new_y])
        rows.append([0, 0, 0, new_x, new_y, 1, -y * new_x, -y * new_y])
        goals += [x, y]
    solution = np.linalg.lstsq(np.array(rows, np.float64), np.array(goals, np.float64), rcond=None)
    return solution[0].tolist()


def perspective_pil(api, image, start, end, interpolation):
    """Applies a perspective transform to a PIL image."""
    coefficients = perspective_coefficients(start, end)
    kind = pillow(api).Transform.PERSPECTIVE
    return image.transform(image.size, kind, coefficients, pil_filter(api, interpolation))


class Perspective(ImageOperation):
    """Applies a perspective transform to an image: moves four points to other coordinates.

    Args:
        start_points (sequence): the points (x, y): top left, top right, bottom right, bottom left.
        end_points (sequence): the new coordinates of the points.
        interpolation (Inter, optional): the interpolation method.

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if an image does not have two or three axes; raised when it is used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> corners = [[0, 0], [5, 0], [5, 3], [0, 3]]
        >>> vision.Perspective(corners, corners)(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.Perspective of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "interpolation.name in ('ANTIALIAS', 'AREA', 'PILCUBIC')",
            RuntimeError,
            "'interpolation' must be LINEAR, NEAREST or CUBIC",
        )
    )
    def __init__(
        self,
        start_points: _Points,
        end_points: _Points,
        interpolation: AnInstance(Inter) = Inter.LINEAR,
    ):
        self.start_points, self.end_points = start_points, end_points
        self.interpolation = interpolation

    def _pil(self, image):
        return perspective_pil(
            "Perspective", image, self.start_points, self.end_points, self.interpolation
        )

    def _array(self, image, lead):
        check_rank("Perspective", image, lead, (2, 3))
        matrix = perspective_matrix(self.start_points, self.end_points)
        height, width = image.shape[:2]
        return warp("Perspective", image, matrix, (width, height), self.interpolation, 0)
