"""`mindspore.dataset.vision`: transforms of images."""

from ..transforms import transforms as _any_data
from . import (
    arithmetic,
    color,
    color_spaces,
    files,
    geometry,
    mixing,
    policies,
    random_color,
    random_geometry,
    resizing,
    utils,
    warping,
)
from .arithmetic import *  # noqa: F403
from .color import *  # noqa: F403
from .color_spaces import *  # noqa: F403
from .files import *  # noqa: F403
from .geometry import *  # noqa: F403
from .mixing import *  # noqa: F403
from .policies import *  # noqa: F403
from .random_color import *  # noqa: F403
from .random_geometry import *  # noqa: F403
from .resizing import *  # noqa: F403
from .utils import *  # noqa: F403
from .warping import *  # noqa: F403

_modules = (
    arithmetic,
    color,
    color_spaces,
    files,
    geometry,
    mixing,
    policies,
    random_color,
    random_geometry,
    resizing,
    utils,
    warping,
)
__all__ = sorted(name for module in _modules for name in module.__all__)

for _name in __all__:  # objects tell their public home
    globals()[_name].__module__ = __name__

__all__ += ["not_random"]


def not_random(func):
    """Marks a function as one that gives the same result every time, and returns it."""
    return _any_data.not_random(func)
