"""mindspore.ops.auto_generate: the ops, under the path of the original's generated sources.

Any name of `mindspore.ops` is found here, the Primitives that 2.10 shows only here, and those of
gradients (`TanhGrad`). A name such as `matmul_ext_op` is a Primitive made without settings,
`MatMulExt()`.
"""

import functools
import inspect

from .._core.declare.public_api import build, window
from . import __all__ as _of_ops
from . import __getattr__ as _find
from ._primitive_aliases import generated_grads, grad_ops
from ._primitive_aliases.generated import LINES, made
from .primitive import Primitive

__path__ = []  # further paths below this one are in _paths.py
_declared = window(__name__, Primitive, "ops.auto_generate")[2]
__all__ = sorted({*_of_ops, *_declared, *LINES, *generated_grads.LINES, *grad_ops.__all__})

# Made Primitives whose names say less than the class.
_MADE = {
    "bmm_ext_op": "BatchMatMulExt",
    "inplace_index_add_op": "InplaceIndexAddExt",
    "mm_ext_op": "Mm",
}


def __getattr__(name):
    """A name of this path alone, else of `mindspore.ops`."""
    found = None if name.startswith("__") else made(name) or generated_grads.made(name)
    if found is None:
        found = build("ops.auto_generate", name, Primitive)
    if found is None and name in grad_ops.__all__:
        found = getattr(grad_ops, name)
    if found is None and name.endswith("_op"):
        found = _instance(name)
    return _find(name) if found is None else found


@functools.cache
def _classes():
    """The Primitives' names by the same in small letters; the first of two that differ in case."""
    return {name.lower(): name for name in reversed(__all__) if name[0].isupper()}


@functools.cache
def _instance(name):
    """The Primitive that `roll_op` or the like stands for, or None."""
    small = name.removesuffix("_op").replace("_", "")
    shown = _MADE.get(name) or _classes().get(small)
    found = shown and __getattr__(shown)
    if not inspect.isclass(found):
        return None
    settings = inspect.signature(found).parameters.values()
    return None if any(each.default is each.empty for each in settings) else found()


def __dir__():
    return __all__
