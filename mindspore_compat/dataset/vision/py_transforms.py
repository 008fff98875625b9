"""`mindspore.dataset.vision.py_transforms`: the path of PIL image transforms in MindSpore 1.

Later releases use one class for arrays and PIL images, and both paths export these classes. The
differences of MindSpore 1 are reproduced: `Decode()` returns a PIL image, and the transforms that
follow `ToTensor` expect the channels first.
"""

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Number, OneOf
from .._rules import positive, sequence
from . import *  # noqa: F403
from . import CutOut as _CutOut
from . import Decode as _Decode
from . import Normalize as _Normalize
from . import NormalizePad as _NormalizePad
from . import __all__ as _names

__all__ = list(_names)
__all__ += ["Cutout"]

_Values = sequence(Number)
_as_many = Forbid("len(mean) != len(std)", ValueError, "'mean' and 'std' must be as long")


class Decode(_Decode):
    """Decodes the bytes of an image file to a PIL image in RGB. Needs Pillow."""

    def __init__(self):
        super().__init__(to_pil=True)


class Normalize(_Normalize):
    """Normalizes an image (channels first) by the mean and standard deviation of each channel.

    Args:
        mean (sequence): one value per channel; the channels are the first axis.
        std (sequence): one value per channel.

    Raises:
        TypeError: if an argument is not a sequence of numbers.
        ValueError: if the two differ in length.
    """

    @checked(_as_many)
    def __init__(self, mean: _Values, std: _Values):
        super().__init__(mean, std, is_hwc=False)


class NormalizePad(_NormalizePad):
    """Normalizes an image like `Normalize` and appends a channel of zeros.

    Args:
        mean (sequence): one value per channel; the channels are the first axis.
        std (sequence): one value per channel.
        dtype (str, optional): "float32" or "float16", the dtype of the result.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if the two differ in length.
    """

    @checked(_as_many)
    def __init__(self, mean: _Values, std: _Values, dtype: OneOf("float32", "float16") = "float32"):
        super().__init__(mean, std, dtype, is_hwc=False)


class Cutout(_CutOut):
    """Fills random square patches of an array (channels first) with 0.

    Args:
        length (int): the side length of a patch.
        num_patches (int, optional): the number of patches.
    """

    @checked
    def __init__(self, length: positive, num_patches: positive = 1):
        super().__init__(length, num_patches, is_hwc=False)


CutOut = Cutout
