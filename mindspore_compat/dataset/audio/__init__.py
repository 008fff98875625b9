"""`mindspore.dataset.audio`: transforms of sound."""

from . import filters, levels, utils
from .filters import *  # noqa: F403
from .levels import *  # noqa: F403
from .utils import *  # noqa: F403

_modules = (filters, levels, utils)
__all__ = sorted(name for module in _modules for name in module.__all__)

for _name in __all__:   # objects tell their public home
    globals()[_name].__module__ = __name__
