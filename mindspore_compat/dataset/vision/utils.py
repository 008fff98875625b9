"""Choices that image transforms take, and functions for image files."""

from enum import Enum, IntEnum

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
    """How pixels are interpolated.

    ANTIALIAS is for PIL images only; AREA, and PILCUBIC, which is Pillow's cubic, are for arrays
    only. BILINEAR and BICUBIC are other names of LINEAR and CUBIC.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> vision.Resize((2, 4), vision.Inter.NEAREST)(np.zeros((4, 6, 3), np.uint8)).shape
        (2, 4, 3)
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, Enum):
    """What lies beyond the edge of an image.

    A constant, the edge's pixel, or the image mirrored without its edge or with it.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> image = np.arange(1, 4, dtype=np.uint8).reshape(1, 3, 1)
        >>> vision.Pad([1, 0, 1, 0], padding_mode=vision.Border.EDGE)(image).ravel()
        array([1, 1, 2, 3, 3], dtype=uint8)
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageBatchFormat(IntEnum):
    """The order of the axes of a batch of images.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> vision.ImageBatchFormat.NHWC.name, vision.ImageBatchFormat.NCHW.name
        ('NHWC', 'NCHW')
    """

    NHWC = 0
    NCHW = 1


class ImageReadMode(IntEnum):
    """The channels wanted from an image file: its own, one of grey, or three of colour.

    Example:
        >>> from mindspore_compat.dataset import vision
        >>> [mode.name for mode in vision.ImageReadMode]
        ['UNCHANGED', 'GRAYSCALE', 'COLOR']
    """

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class SliceMode(IntEnum):
    """Whether an image that does not divide evenly is padded, or its rest dropped.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> patches = vision.SlicePatches(1, 2, vision.SliceMode.PAD)(np.zeros((2, 5, 3), np.uint8))
        >>> [patch.shape for patch in patches]
        [(2, 3, 3), (2, 3, 3)]
    """

    PAD = 0
    DROP = 1


class AutoAugmentPolicy(str, Enum):
    """The dataset on which a policy of AutoAugment was learned.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> augment = vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10)
        >>> augment(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6, 3)
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class ConvertMode(IntEnum):
    """From which order of channels to which.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> gray = vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)
        >>> gray(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6)
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
