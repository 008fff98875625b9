"""Looks up a path in this package: returns the object, or the nearest name if there is none.

Paths are those of `reading.py`. They are looked up in the modules themselves, so the answers are
those of a run. A part whose owner is not known for certain counts as present: a function's result,
a value, an attribute that only instances have.
"""

import difflib
import functools
import importlib
import inspect
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .._core import hints
from .._core.declare.missing import areas_with
from .._paths import PACKAGE
from .reading import CALL


class Name(NamedTuple):
    """The object behind a path.

    Args:
        missing: the path up to the first part that is absent, or None.
        target: the object, or None if it is missing or not known.
        is_instance: whether the path leads to an instance of `target`.
    """

    missing: tuple | None = None
    target: Any = None
    is_instance: bool = False


UNKNOWN = Name()


@functools.cache
def find(path):
    """Returns the Name of a path."""
    if len(path) == 1:
        return Name(target=importlib.import_module(PACKAGE))
    owner, part = find(path[:-1]), path[-1]
    if owner.missing or owner.target is None:
        return owner
    if part == CALL:
        return _result(owner)
    if not _has(owner, part):
        # `from package.name import part` reads the module `name`, even where the package has a
        # class of that name.
        owner = find_module(path[:-1])
        if owner.missing or not _has(owner, part):
            return Name(missing=path)
    target = inspect.getattr_static(owner.target, part, None)
    if inspect.ismodule(owner.target) or not isinstance(target, property):
        target = _attribute(owner.target, part)
    is_known = inspect.ismodule(target) or callable(target) or isinstance(target, property)
    return Name(target=target) if is_known else UNKNOWN


@functools.cache
def find_module(path):
    """Returns the Name of a path whose parts must all be modules, as in an `import` statement."""
    for i in range(1, len(path) + 1):
        try:
            module = importlib.import_module(_module(path[:i]))
        except ImportError:
            return Name(missing=path[:i])
    return Name(target=module)


def nearest(path):
    """Returns a sentence about the name that was probably meant, or ""."""
    *owner, name = path
    target = find(tuple(owner)).target
    area = ".".join(part for part in owner[1:] if part != CALL)
    kind = area.rpartition(".")[2] if inspect.isclass(target) else area
    if name in hints.NAMES.get(kind, ()):
        return hints.NAMES[kind][name]
    areas = [f"mindspore.{other}.{name}" for other in areas_with(name) if other != area]
    if areas and not inspect.isclass(target):
        return " or ".join(areas)
    attributes = [attribute for attribute in dir(target) if not attribute.startswith("_")]
    return "".join(
        f"{'.'.join((*owner, near))}".replace(f".{CALL}", "")
        for near in difflib.get_close_matches(name, attributes, 1)
    )


def arguments(target, call):
    """Returns a dict from the parameters of the target of a Call to its arguments."""
    parameters = list(inspect.signature(target).parameters)
    if parameters[:1] == ["self"]:
        del parameters[0]
    return {**dict(call.keywords), **dict(zip(parameters, call.positional))}


def function_and_argument(key):
    """Returns the parts of a key such as "ops.split(output_num)"; the argument is "" if none."""
    function, _, argument = key.rstrip(")").partition("(")
    return function, argument


def _has(owner, part):
    if inspect.ismodule(owner.target):
        return _attribute(owner.target, part) is not None or part in vars(owner.target)
    if not inspect.isclass(owner.target) or hasattr(owner.target, part):
        return True
    if not owner.is_instance and not part.startswith("_"):
        return False
    return part in instance_names(owner.target)


def _attribute(owner, part):
    """Returns an attribute or, as `from owner import part` does, the module below `owner`."""
    value = getattr(owner, part, None)
    if value is None and inspect.ismodule(owner):
        try:
            value = importlib.import_module(_below(owner, part))
        except ImportError:
            return None
    return value


def _module(path):
    """Returns the name of this package's module for a path."""
    return ".".join((PACKAGE, *path[1:]))


def _below(owner, part):
    return f"{owner.__name__}.{part}"


class _Everything:
    def __contains__(self, name):
        return True


@functools.cache
def instance_names(owner):
    """Returns the names that the files of a class and of its bases use of `self`; all names if a
    file is not at hand, or if the class computes attributes."""
    names = set()
    computing = {parent.__name__ for parent in owner.__mro__ if "__getattr__" in vars(parent)}
    if computing - {"Cell", "Parameter"}:  # they find what their methods assign
        return _Everything()
    for module in {cls.__module__ for cls in owner.__mro__[:-1]}:
        file = getattr(sys.modules[module], "__file__", None)
        if file is None or not os.path.exists(file):
            return _Everything()
        names |= _names_of_self(file)
    return names


@functools.cache
def _names_of_self(file):
    return set(re.findall(r"\bself\.(\w+)", Path(file).read_text("utf-8")))


def _result(owner):
    """Returns the Name of the result of a call of `owner`."""
    if inspect.isclass(owner.target) and not owner.is_instance:
        return Name(target=owner.target, is_instance=True)
    return UNKNOWN
