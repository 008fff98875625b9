"""`mindspore.dataset.transforms.py_transforms`: the path of Python transforms in MindSpore 1.

They are the same classes; `OneHotOp` is the name of OneHot in MindSpore 1.
"""

from . import *  # noqa: F403
from . import OneHot as _OneHot
from . import __all__ as _names

__all__ = list(_names)
__all__ += ["OneHotOp"]

OneHotOp = _OneHot
