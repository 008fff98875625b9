"""mindspore.ops.auto_generate: the operators, under the path of MindSpore's generated sources.

It has every name of `mindspore.ops`, the Primitives that 2.10 shows only here, and the Primitives
of gradients (`TanhGrad`). A name such as `matmul_ext_op` is an instance of a Primitive that takes
no settings, `MatMulExt()`. `contiguous` calls `Contiguous()`; `pyboost_contiguous(primitive,
arguments)` makes the same call with inputs and settings in one list. The functions that convert
arguments for the generated sources are here too.
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

# Instances whose names are shorter than the name of their class.
_MADE = {
    "bmm_ext_op": "BatchMatMulExt",
    "inplace_index_add_op": "InplaceIndexAddExt",
    "mm_ext_op": "Mm",
}


def __getattr__(name):
    """Returns a name that only this path has, else the one in `mindspore.ops`."""
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
        result = _pyboost_function(name)
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
    """Returns a dict from the lowercase name of each Primitive to its name. If two names differ
    only in case, the dict has the first."""
    return {name.lower(): name for name in reversed(__all__) if name[0].isupper()}


@functools.cache
def instance(name):
    """Returns an instance of a Primitive. For example, "roll" gives the object that MindSpore calls
    `roll_op`. Returns None if the constructor has arguments without a default."""
    operator = _MADE.get(f"{name}_op") or _classes().get(name.replace("_", ""))
    result = operator and __getattr__(operator)
    if not inspect.isclass(result):
        return None
    settings = inspect.signature(result).parameters.values()
    return None if any(setting.default is setting.empty for setting in settings) else result()


@functools.cache
def _call_of(name):
    """Returns a function that calls a Primitive without settings, or None."""
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
def _pyboost_function(name):
    """Returns the function `pyboost_<name>(primitive, arguments)` of a Primitive, or None."""
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
