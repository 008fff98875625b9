"""Small functions of MindSpore's Python code that scripts import: shapes, markers, warnings.

They are exposed as `mindspore.common._utils`, `common._decorator` and wherever MindSpore's files
import them.
"""

import contextlib
import functools
import importlib
import inspect
import numbers
import sys

from ... import log
from ..._core.dynamic_shape import Symbol
from ..._core.gradients.saved_tensors import register_saved_tensors_hooks, saved_tensors_hooks
from ..hook import HookHandle

__all__ = [
    "HookHandle",
    "Symbol",
    "deprecated",
    "get_func",
    "init_to_value",
    "is_dim_unknown",
    "is_shape_unknown",
    "jit_forbidden_register",
    "jit_view_unsupported",
    "mark_deprecated",
    "null_context_fn",
    "register_saved_tensors_hooks",
    "saved_tensors_hooks",
]
_warned = set()


# Shapes -------------------------------------------------------------------------------------------


def is_dim_unknown(shape):
    """Returns whether the number of axes of a shape is unknown: (-2,).

    Raises:
        ValueError: if -2 is given together with other lengths.
    """
    if -2 in shape and len(shape) != 1:
        raise ValueError(f"'shape' must have -2 alone or not at all, but got {shape}.")
    return -2 in shape


def is_shape_unknown(shape):
    """Returns whether a shape has an unknown length, -1, or is entirely unknown, (-2,).

    Raises:
        ValueError: if it has a length below -2, or -2 together with others.
    """
    if any(length < -2 for length in shape):
        raise ValueError(f"'shape' must have lengths >= -2, but got {shape}.")
    return is_dim_unknown(shape) or -1 in shape


# Functions ----------------------------------------------------------------------------------------


def get_func(func):
    """Returns the function of a bound method; any other object unchanged."""
    return func.__func__ if inspect.ismethod(func) else func


def _mark(fn, mark):
    setattr(fn, mark, True)

    def call(*args, **kwargs):
        return fn(*args, **kwargs)

    return functools.wraps(fn)(call) if inspect.isfunction(fn) else call


def jit_forbidden_register(fn):
    """Marks a function as forbidden in graphs by its attribute `__jit_forbidden__`; returns a
    function that calls it."""
    return _mark(fn, "__jit_forbidden__")


def jit_view_unsupported(fn):
    """Marks a function whose result is a view only in eager mode, by its attribute
    `__jit_view_unsupported__`; returns a function that calls it."""
    return _mark(fn, "__jit_view_unsupported__")


def null_context_fn():
    """Returns two contexts that do nothing, for `recompute`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def init_to_value(init):
    """Converts "zeros", "ones" or a number to a float.

    Raises:
        ValueError: if `init` is something else.
    """
    value = {"zeros": 0.0, "ones": 1.0}.get(init) if isinstance(init, str) else init
    if not isinstance(value, numbers.Number):
        raise ValueError(f"'init' must be 'zeros', 'ones' or a number, but got {init!r}.")
    return float(value)


# Warnings -----------------------------------------------------------------------------------------


def deprecated(version, substitute, use_substitute_name=False, module_prefix=""):
    """Returns a decorator for a deprecated function: its first call logs a warning.

    Args:
        version (str): the release that deprecates it.
        substitute (str): the replacement; None or "" for none.
        use_substitute_name (bool): whether to store the replacement as `substitute_name` on the
            class of the first argument. Default: ``False``.
        module_prefix (str): prefix of its name in the warning. Default: "".
    """

    def decorate(func):
        name = module_prefix + func.__qualname__.removesuffix(".__init__")

        @functools.wraps(func)
        def warned(*args, **kwargs):
            if (name, version) not in _warned:
                _warned.add((name, version))
                hint = f"; use '{substitute}' instead" if substitute else ""
                log.warning(f"'{name}' is deprecated from version {version} on{hint}.")
            if use_substitute_name and substitute and args:
                type(args[0]).substitute_name = substitute
            return func(*args, **kwargs)

        return warned

    return decorate


def mark_deprecated(deprecated_module_name, new_module_name, version="2.9.0"):
    """Makes a deprecated module expose the names of its replacement, and logs a warning.

    Args:
        deprecated_module_name (str): the deprecated module.
        new_module_name (str): its replacement.
        version (str): the release that deprecates it. Default: "2.9.0".
    """
    old = sys.modules.get(deprecated_module_name) or importlib.import_module(deprecated_module_name)
    new = importlib.import_module(new_module_name)
    vars(old).update(
        {
            name: value
            for name, value in vars(new).items()
            if not name.startswith("__") or name == "__all__"
        }
    )
    log.warning(
        f"Module '{deprecated_module_name}' is deprecated from version {version} on; use "
        f"'{new_module_name}' instead."
    )
