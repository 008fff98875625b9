"""`mindspore.dataset.transforms.py_transforms`: the path of MindSpore 1's transforms in Python.

They are the same classes; `OneHotOp` is MindSpore 1's name of OneHot.
"""

from . import *  # noqa: F403
from . import OneHot as _OneHot
from . import __all__ as _names

__all__ = list(_names)
__all__ += ["OneHotOp"]

OneHotOp = _OneHot
