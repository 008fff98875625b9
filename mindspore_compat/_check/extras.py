"""Which extras of this package a name needs.

Vision and text transforms reach an optional library through a function of `dataset/_extra.py`;
their code determines which one. The other extras belong to a few functions or arguments: a table.
"""

import functools
import inspect
import types
from importlib.util import find_spec

from .._paths import PACKAGE
from . import names

TABLE = {  # a function, or a function and its argument that needs it -> extra
    "communication.init": "mpi",
    "mint.distributed.init_process_group": "mpi",
    "load_checkpoint(dec_key)": "crypto",
    "save_checkpoint(enc_key)": "crypto",
    "mindrecord.set_enc_key": "crypto",
    "export(enc_key)": "crypto",
}
INSTALLS = {  # extra -> a module of each library that it installs
    "crypto": ("cryptography",),
    "mpi": ("mpi4py",),
    "text": ("fontTools", "sentencepiece"),
    "video": ("av",),
    "vision": ("PIL", "cv2"),
}
_DATASET = f"{PACKAGE}.dataset."


def extras_of(path, target, call):
    """Returns the extras that a use needs, of a public path without "mindspore."."""
    extras = set()
    for key, extra in TABLE.items():
        function, argument = names.function_and_argument(key)
        if function == path and (
            not argument or names.arguments(target, call).get(argument) is not None
        ):
            extras.add(extra)
    if (getattr(target, "__module__", None) or "").startswith(_DATASET):
        extras |= _extras_reached_by(target)
    return sorted(extras)


def is_installed(extra):
    """Whether the libraries of an extra can be imported."""
    return all(find_spec(module) is not None for module in INSTALLS[extra])


@functools.cache
def _extras_reached_by(target):
    """Returns the extras whose libraries the functions of an object of `dataset` reach."""
    extras, visited, waiting = set(), set(), [target]
    while waiting:
        function = waiting.pop()
        if inspect.isclass(function):
            waiting += [
                getattr(member, "fget", None) or getattr(member, "__func__", member)
                for base in function.__mro__
                if base.__module__.startswith(_DATASET)
                for member in vars(base).values()
            ]
        elif isinstance(function, types.FunctionType) and function not in visited:
            visited.add(function)
            if function.__module__ == f"{_DATASET}_extra" and function.__name__ in _libraries():
                extras.add(_libraries()[function.__name__])
            elif function.__module__.startswith(_DATASET):
                waiting += _functions_named_by(function)
    return frozenset(extras)


def _functions_named_by(function):
    """Returns the functions that a function names."""
    global_names, codes = set(), [inspect.unwrap(function).__code__]
    while codes:
        code = codes.pop()
        global_names.update(code.co_names)
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    values = (inspect.unwrap(function).__globals__.get(name) for name in global_names)
    return [value for value in values if isinstance(value, types.FunctionType)]


def _libraries():
    from ..dataset._extra import EXTRAS

    return EXTRAS
