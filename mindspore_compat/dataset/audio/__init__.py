"""`mindspore.dataset.audio`: transforms of sound."""

from . import (
    coefficients,
    effects,
    filters,
    inverse_mel,
    levels,
    masks,
    spectra,
    speech,
    stretching,
    utils,
)
from .coefficients import *  # noqa: F403
from .effects import *  # noqa: F403
from .filters import *  # noqa: F403
from .inverse_mel import *  # noqa: F403
from .levels import *  # noqa: F403
from .masks import *  # noqa: F403
from .spectra import *  # noqa: F403
from .speech import *  # noqa: F403
from .stretching import *  # noqa: F403
from .utils import *  # noqa: F403

_modules = (
    coefficients,
    effects,
    filters,
    inverse_mel,
    levels,
    masks,
    spectra,
    speech,
    stretching,
    utils,
)
__all__ = sorted(name for module in _modules for name in module.__all__)

for _name in __all__:  # objects tell their public home
    globals()[_name].__module__ = __name__
