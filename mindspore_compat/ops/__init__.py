"""Operators, as functions (`ops.softmax`) and as Primitives (`ops.Softmax`).

`help(ops.softmax)` prints the description of one operator.
"""

import sys
import types

from .._core.declare.lazy_methods import attach_methods
from .._core.declare.public_api import build, facade
from .._core.gradients import custom, linearization, saved_tensors, taylor, transforms  # noqa: F401 - they declare grad, ...
from .._core.tensor.tensor import Tensor  # noqa: F401 - `from mindspore.ops import Tensor`
from . import _autocast, _declarations  # noqa: F401 - they make the names, and mark some
from .primitive import Primitive

attach_methods()


class _Package(types.ModuleType):
    """Keeps a function under its name when a submodule of the same name is imported."""

    def __setattr__(self, name, value):
        if not (isinstance(value, types.ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
_find, __dir__, __all__ = facade(__name__, classes=Primitive)


def __getattr__(name):
    """Returns a declared name; `acos_ext` and `narrow_view` are what `mint` calls `acos` and
    `narrow`."""
    for ending in ("_ext_view", "_ext", "_view"):
        if name.endswith(ending) and name not in __all__:
            for candidate in (name, name.removesuffix(ending)):
                for area in ("mint", "mint.nn.functional", "mint.linalg"):
                    result = build(area, candidate)
                    if result is not None:
                        return result
    return _find(name)
