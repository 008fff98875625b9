"""`mindspore.dataset.audio`: audio transforms."""

from .._gathering import public_names as _public_names
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

__all__ = _public_names(globals())

for _name in __all__:  # objects report their public module
    globals()[_name].__module__ = __name__
