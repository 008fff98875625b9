"""mindspore.ops.auto_generate: the ops, under the path of the original's generated sources.

Any name of `mindspore.ops` is found here, the Primitives that 2.10 shows only here, and those of
gradients (`TanhGrad`).
"""

from .._core.surface import build
from . import __all__ as _of_ops
from . import __getattr__ as _find
from . import _generated_grads, _grad_ops
from ._generated import LINES, made
from .primitive import Primitive

__path__ = []  # further paths below this one are in _paths.py
__all__ = sorted({*_of_ops, *LINES, *_generated_grads.LINES, *_grad_ops.__all__})


def __getattr__(name):
    """A name of this path alone, else of `mindspore.ops`."""
    found = None if name.startswith("__") else made(name) or _generated_grads.made(name)
    if found is None:
        found = build("ops.auto_generate", name, Primitive)
    if found is None and name in _grad_ops.__all__:
        found = getattr(_grad_ops, name)
    return _find(name) if found is None else found


def __dir__():
    return __all__
