"""`mindspore.dataset.vision`: image transforms."""

import contextlib as _contextlib

from .._gathering import public_names as _public_names
from ..transforms import transforms as _any_data
from .arithmetic import *  # noqa: F403
from .boxes import *  # noqa: F403
from .color import *  # noqa: F403
from .color_spaces import *  # noqa: F403
from .files import *  # noqa: F403
from .geometry import *  # noqa: F403
from .mixing import *  # noqa: F403
from .policies import *  # noqa: F403
from .random_color import *  # noqa: F403
from .random_crops import *  # noqa: F403
from .random_geometry import *  # noqa: F403
from .resizing import *  # noqa: F403
from .utils import *  # noqa: F403
from .video import *  # noqa: F403
from .warping import *  # noqa: F403

with _contextlib.suppress(ImportError):  # scripts that import only PIL use PIL.Image
    import PIL.Image as _  # noqa: F401

__all__ = _public_names(globals())

for _name in __all__:  # objects report their public module
    globals()[_name].__module__ = __name__

__all__ += ["not_random"]


def not_random(func):
    """Marks a function as one that gives the same result every time, and returns it.

    Source: mindspore.dataset.vision.not_random of MindSpore 2.10.
    """
    return _any_data.not_random(func)
