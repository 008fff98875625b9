"""`mindspore.dataset.text`: transforms of text, and Vocab."""

from . import transforms, utils
from .transforms import *  # noqa: F403
from .utils import *  # noqa: F403

__all__ = sorted({*transforms.__all__, *utils.__all__} - {"TextTensorOperation"})

for _name in __all__:  # objects report their public module
    globals()[_name].__module__ = __name__
