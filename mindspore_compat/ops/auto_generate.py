"""mindspore.ops.auto_generate: the ops, under the path of the original's generated sources.

Any name of `mindspore.ops` is found here, the Primitives that 2.10 shows only here, and those of
gradients (`TanhGrad`). A name such as `matmul_ext_op` is a Primitive made without settings,
`MatMulExt()`; `contiguous` is the call of `Contiguous()`, and `pyboost_contiguous(primitive,
arguments)` that call with its inputs, and then its settings, as one list.
The functions that the generated sources prepare their arguments with are here too.
"""

import functools
import inspect

from .._core.declare.public_api import build, facade
from . import __all__ as _of_ops
from . import __getattr__ as _find
from ._primitive_aliases import (  # noqa: F401 - declarations makes names
    alias,
    constant_folding,
    declarations,
    grad_ops,
    pyboost_inner_prim,
    python_values,
)
from .primitive import Primitive

_declared = facade(__name__, Primitive, "ops.auto_generate")[2]
__all__ = sorted(
    {
        *_of_ops,
        *_declared,
        *alias.ALIASES["ops.auto_generate"],
        *grad_ops.__all__,
        *constant_folding.__all__,
        *python_values.__all__,
    }
)
_TABLES = (
    functools.partial(alias.find_alias, "ops.auto_generate"),
    constant_folding.find_inference,
    python_values.find_value,
)

# Made Primitives whose names say less than the class.
_MADE = {
    "bmm_ext_op": "BatchMatMulExt",
    "inplace_index_add_op": "InplaceIndexAddExt",
    "mm_ext_op": "Mm",
}


def __getattr__(name):
    """A name of this path alone, else of `mindspore.ops`."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    result = next(filter(None, (table(name) for table in _TABLES)), None)
    if result is None:
        result = build("ops.auto_generate", name, Primitive)
    if result is None and name in grad_ops.__all__:
        result = getattr(grad_ops, name)
    if result is None and name.endswith("_op"):
        result = instance(name.removesuffix("_op"))
    if result is None and name.startswith("pyboost_"):
        result = _boosted(name)
    if result is not None:
        return result
    try:
        return _find(name)
    except AttributeError:
        result = None if name.startswith("_") else _call_of(name)
        if result is None:
            raise
        return result


@functools.cache
def _classes():
    """The Primitives' names by the same in small letters; the first of two that differ in case."""
    return {name.lower(): name for name in reversed(__all__) if name[0].isupper()}


@functools.cache
def instance(name):
    """The Primitive without settings that `roll`, of `roll_op`, stands for, or None."""
    shown = _MADE.get(f"{name}_op") or _classes().get(name.replace("_", ""))
    result = shown and __getattr__(shown)
    if not inspect.isclass(result):
        return None
    settings = inspect.signature(result).parameters.values()
    return None if any(setting.default is setting.empty for setting in settings) else result()


@functools.cache
def _call_of(name):
    """The call of a Primitive without settings as a function, or None."""
    prim = instance(name)
    if prim is None or name != name.lower():
        return None

    @functools.wraps(type(prim).__call__)
    def call(*args, **kwargs):
        return prim(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    call.__signature__ = inspect.signature(prim)
    return call


@functools.cache
def _boosted(name):
    """The function of a Primitive and the list of all that its kernel takes, or None."""
    plain = name.removeprefix("pyboost_")
    call = getattr(pyboost_inner_prim, f"{plain}_impl", None) or instance(plain)
    if call is None:
        return None

    def run(*args):
        if len(args) != 2:
            raise RuntimeError(
                f"For '{name}', two arguments are needed, a Primitive and a list "
                f"of its inputs and settings, but got {len(args)}."
            )
        return call(*args[1])

    run.__name__ = run.__qualname__ = name
    run.__module__ = __name__
    run.__doc__ = f"""The Primitive of `{plain}` on a list of its inputs, and then its settings.

    Source: mindspore.ops.auto_generate.{name} of MindSpore 2.10.
    """
    return run


def __dir__():
    return __all__
