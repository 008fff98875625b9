"""Enumerations for the arguments of image transforms, and small helpers.

`to_c_type` converts a member to the matching member of MindSpore's compiled library, and
`to_python_type` to the value that Pillow and NumPy take. AFFINE, LINEAR and others are Pillow's
constants; Pillow is imported on the first access.
"""

import functools
import numbers
from dataclasses import dataclass
from enum import Enum, IntEnum

from .._extra import pillow

__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
]


class Inter(IntEnum):
    """The interpolation methods of image transforms.

    ANTIALIAS is for PIL images only; AREA, and PILCUBIC, which is Pillow's cubic, are for arrays
    only. BILINEAR and BICUBIC are aliases of LINEAR and CUBIC.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.Resize((2, 4), vision.Inter.NEAREST)(np.zeros((4, 6, 3), np.uint8)).shape
        (2, 4, 3)

    Source: mindspore.dataset.vision.Inter of MindSpore 2.10.
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5

    @staticmethod
    def to_c_type(inter_type):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member, or ANTIALIAS.
        """
        return _native(Inter, "DE_INTER_", inter_type)

    @staticmethod
    def to_python_type(inter_type):
        """Returns Pillow's filter.

        Raises:
            RuntimeError: if it is not a member, or one that Pillow has no filter for.
        """
        name = _PILLOW_FILTERS.get(_member(Inter, inter_type).name)
        if name is None:
            raise RuntimeError(
                f"For 'Inter', 'inter_type' must be NEAREST, ANTIALIAS, LINEAR or CUBIC, but got "
                f"{inter_type!r}."
            )
        return getattr(pillow("Inter").Resampling, name)


class Border(str, Enum):
    """The padding modes at the borders of an image.

    CONSTANT: a constant value; EDGE: the edge pixel; REFLECT and SYMMETRIC: the image mirrored
    without and with its edge pixel.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.arange(1, 4, dtype=np.uint8).reshape(1, 3, 1)
        >>> vision.Pad([1, 0, 1, 0], padding_mode=vision.Border.EDGE)(image).ravel()
        array([1, 1, 2, 3, 3], dtype=uint8)

    Source: mindspore.dataset.vision.Border of MindSpore 2.10.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"

    @staticmethod
    def to_c_type(border_type):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(Border, "DE_BORDER_", border_type)

    @staticmethod
    def to_python_type(border_type):
        """Returns the name of the padding, as NumPy and Pillow take it.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _member(Border, border_type).value


class ImageBatchFormat(IntEnum):
    """The axis order of a batch of images: NHWC or NCHW.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> vision.ImageBatchFormat.NHWC.name, vision.ImageBatchFormat.NCHW.name
        ('NHWC', 'NCHW')

    Source: mindspore.dataset.vision.ImageBatchFormat of MindSpore 2.10.
    """

    NHWC = 0
    NCHW = 1

    @staticmethod
    def to_c_type(image_batch_format):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(ImageBatchFormat, "DE_IMAGE_BATCH_FORMAT_", image_batch_format)


class ImageReadMode(IntEnum):
    """The channels to read from an image file: unchanged, one grayscale channel, or three colour
    channels.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> [mode.name for mode in vision.ImageReadMode]
        ['UNCHANGED', 'GRAYSCALE', 'COLOR']

    Source: mindspore.dataset.vision.ImageReadMode of MindSpore 2.10.
    """

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2

    @staticmethod
    def to_c_type(image_read_mode):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(ImageReadMode, "DE_IMAGE_READ_MODE_", image_read_mode)


class SliceMode(IntEnum):
    """How SlicePatches handles an image that does not divide evenly: pad it, or drop the rest.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> patches = vision.SlicePatches(1, 2, vision.SliceMode.PAD)(np.zeros((2, 5, 3), np.uint8))
        >>> [patch.shape for patch in patches]
        [(2, 3, 3), (2, 3, 3)]

    Source: mindspore.dataset.vision.SliceMode of MindSpore 2.10.
    """

    PAD = 0
    DROP = 1

    @staticmethod
    def to_c_type(mode):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(SliceMode, "DE_SLICE_", mode)


class AutoAugmentPolicy(str, Enum):
    """The dataset that a policy of AutoAugment was learned on.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> augment = vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10)
        >>> augment(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.AutoAugmentPolicy of MindSpore 2.10.
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"

    @staticmethod
    def to_c_type(policy):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(AutoAugmentPolicy, "DE_AUTO_AUGMENT_POLICY_", policy)


class ConvertMode(IntEnum):
    """The colour conversions of ConvertColor.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> gray = vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)
        >>> gray(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6)

    Source: mindspore.dataset.vision.ConvertMode of MindSpore 2.10.
    """

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11

    @staticmethod
    def to_c_type(mode):
        """Returns the member of the compiled library's enumeration.

        Raises:
            RuntimeError: if it is not a member.
        """
        return _native(ConvertMode, "DE_", mode)


_PILLOW_FILTERS = {
    "NEAREST": "NEAREST",
    "ANTIALIAS": "LANCZOS",
    "BILINEAR": "BILINEAR",
    "BICUBIC": "BICUBIC",
}
_NATIVE_INTERPOLATIONS = ("LINEAR", "NEAREST_NEIGHBOUR", "CUBIC", "AREA", "PILCUBIC")
_NATIVE_NAMES = {"NEAREST": "NEAREST_NEIGHBOUR", "BILINEAR": "LINEAR", "BICUBIC": "CUBIC"}


def _member(kind, value):
    """Returns a member of an enumeration, from the member or its value.

    Raises:
        RuntimeError: if it is neither.
    """
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(member.name for member in kind)
        raise RuntimeError(
            f"For '{kind.__name__}', the member must be one of {names}, but got {value!r}."
        ) from None


def _native(kind, prefix, value):
    """Returns the member of the compiled library's enumeration for a member of `kind`."""
    member = _member(kind, value)
    natives = _native_enumeration(kind, prefix)
    name = prefix + _NATIVE_NAMES.get(member.name, member.name)
    if name not in natives.__members__:
        raise RuntimeError(
            f"For '{kind.__name__}', {member.name} applies to PIL images only, which the compiled "
            f"library does not take."
        )
    return natives[name]


@functools.cache
def _native_enumeration(kind, prefix):
    """Returns the enumeration of the compiled library that stands for `kind`."""
    is_inter = kind is Inter
    names = _NATIVE_INTERPOLATIONS if is_inter else [member.name for member in kind]
    title = {"Inter": "InterpolationMode", "Border": "BorderType"}.get(kind.__name__, kind.__name__)
    return IntEnum(title, {prefix + name: number for number, name in enumerate(names)})


_PILLOW_CONSTANTS = {
    "AFFINE": "Transform.AFFINE",
    "ANTIALIAS": "Resampling.LANCZOS",
    "CUBIC": "Resampling.BICUBIC",
    "FLIP_LEFT_RIGHT": "Transpose.FLIP_LEFT_RIGHT",
    "FLIP_TOP_BOTTOM": "Transpose.FLIP_TOP_BOTTOM",
    "LINEAR": "Resampling.BILINEAR",
    "NEAREST": "Resampling.NEAREST",
    "PERSPECTIVE": "Transform.PERSPECTIVE",
}


def __getattr__(name):
    if name not in _PILLOW_CONSTANTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    kind, _, member = _PILLOW_CONSTANTS[name].partition(".")
    return getattr(getattr(pillow(name), kind), member)


def parse_padding(padding):
    """Returns padding as (left, top, right, bottom).

    Args:
        padding (Union[number, sequence]): one width for all sides, (left and right, top and
            bottom), or one width per side. Sequences of other lengths are returned as tuples.

    Raises:
        TypeError: if `padding` is neither a number nor a sequence.

    Example:
        >>> from mindspore_compat.dataset.vision import utils
        >>> utils.parse_padding((1, 2))
        (1, 2, 1, 2)

    Source: mindspore.dataset.vision.utils.parse_padding of MindSpore 2.10.
    """
    if isinstance(padding, numbers.Number):
        return (padding,) * 4
    if len(padding) == 2:
        return (*padding, *padding)
    return tuple(padding) if isinstance(padding, list) else padding


@dataclass
class DecodeParams:
    """The part of a video stream to decode.

    Args:
        container (object): the open file.
        start_offset (int): the timestamp of the first frame.
        end_offset (int): the timestamp of the last frame.
        stream (object): the stream.

    Example:
        >>> from mindspore_compat.dataset.vision import utils
        >>> utils.DecodeParams("clip.mp4", 0, 90, 0).end_offset
        90

    Source: mindspore.dataset.vision.utils.DecodeParams of MindSpore 2.10.
    """

    container: object
    start_offset: int
    end_offset: int
    stream: object


class VideoFrameDvpp:
    """The decoding and presentation timestamps of a video frame.

    Args:
        dts (int, optional): the decoding timestamp.
        pts (int, optional): the presentation timestamp.

    Example:
        >>> from mindspore_compat.dataset.vision import utils
        >>> utils.VideoFrameDvpp(pts=3).pts
        3

    Source: mindspore.dataset.vision.utils.VideoFrameDvpp of MindSpore 2.10.
    """

    def __init__(self, dts=0, pts=0):
        self.dts, self.pts = dts, pts
