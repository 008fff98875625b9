"""`mindspore.dataset.transforms.c_transforms`: the path of array transforms in MindSpore 1."""

from . import *  # noqa: F403
from . import __all__ as _names

__all__ = list(_names)
