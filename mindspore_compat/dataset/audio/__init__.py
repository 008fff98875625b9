"""`mindspore.dataset.audio`: transforms of sound."""

from . import effects, filters, levels, masks, utils
from .effects import *  # noqa: F403
from .filters import *  # noqa: F403
from .levels import *  # noqa: F403
from .masks import *  # noqa: F403
from .utils import *  # noqa: F403

_modules = (effects, filters, levels, masks, utils)
__all__ = sorted(name for module in _modules for name in module.__all__)

for _name in __all__:   # objects tell their public home
    globals()[_name].__module__ = __name__
