"""`mindspore.dataset.transforms.c_transforms`: the path of MindSpore 1's transforms of arrays."""

from . import *  # noqa: F403
from . import __all__ as _names

__all__ = list(_names)
