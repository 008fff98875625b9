"""`mindspore.dataset.vision.c_transforms`: the path of array transforms in MindSpore 1.

Later releases use one class for arrays and PIL images, and both paths export these classes. The one
difference of MindSpore 1 is reproduced: `Decode(rgb)`.
"""

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import OneOf
from . import *  # noqa: F403
from . import Decode as _Decode
from . import __all__ as _names

__all__ = list(_names)


class Decode(_Decode):
    """Decodes the bytes of an image file to RGB.

    Args:
        rgb (bool, optional): must be True.

    Raises:
        ValueError: if `rgb` is not True.
    """

    @checked
    def __init__(self, rgb: OneOf(True) = True):
        super().__init__(to_pil=False)
