"""`mindspore.dataset.transforms`: transforms for data of any kind."""

from . import transforms
from .transforms import *  # noqa: F403

__all__ = sorted(transforms.__all__)

for _name in __all__:  # objects report their public module
    globals()[_name].__module__ = __name__
