"""`mindspore.dataset.text`: text transforms, tokenizers and vocabularies."""

from . import transforms, utils
from .transforms import *  # noqa: F403
from .utils import *  # noqa: F403

_NOT_SHOWN = {"DE_C_INTER_SENTENCEPIECE_MODE", "TextTensorOperation"}
__all__ = sorted({*transforms.__all__, *utils.__all__} - _NOT_SHOWN)

for _name in __all__:  # objects report their public module
    globals()[_name].__module__ = __name__
