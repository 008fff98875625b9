"""Decorators that check the arguments of scripts' own transforms and datasets: `check_crop`.

Each is named after a class of this package, and refuses what that class refuses: the arguments
that the class has too are given to it, and what it says is raised. A decorator of a method,
`check_batch` of `Dataset.batch`, applies the rules in that method's signature. The modules
`validators` of `vision`, `audio`, `text`, `transforms` and `engine` show those of their classes;
besides, functions that check single values are lines of a table,
`crop_size(size) = CenterCrop(size)`.
"""

import functools
import inspect
import re

from .._core.rules.base import NoneRule, Rule, join
from .._core.rules.checked import refuse_all
from .._core.source import compiled
from .core import validator_helpers

_HELPERS = frozenset(validator_helpers.__all__)


def validators(module, names, targets, values=""):
    """`__getattr__`, `__dir__` and `__all__` of a module of such decorators.

    Args:
        module (str): the module's `__name__`.
        names (dict[str, object]): classes and functions by name, of which decorators are made.
        targets (str): "other=Name" for decorators that are not called as what they check is.
        values (str): a line for each check of values.
    """
    given = dict(each.split("=") for each in targets.split())
    classes = {_snake(name): name for name in names if inspect.isclass(names[name])}
    checked = {name.replace("_", ""): target for name, target in {**classes, **given}.items()}
    lines = {line.partition("(")[0]: line for line in values.strip().split("\n") if line}
    shown = sorted({*(f"check_{name}" for name in (*given, *classes, *lines)), *_HELPERS})

    @functools.cache
    def find(name):
        plain = name.removeprefix("check_")
        if plain == name:
            return None
        if plain in lines:
            return _value_check(module, name, lines[plain], names)
        target = checked.get(plain.replace("_", ""))
        return None if target is None else _decorator(module, name, _reached(target, names))

    def show(name):
        found = None if name.startswith("__") else find(name)
        if found is None and name in _HELPERS:
            found = getattr(validator_helpers, name)
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return found

    return show, lambda: shown, shown


def _snake(name):
    """The name of a class in a decorator's: "RandomCrop" is "random_crop"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _reached(path, names):
    """The class, or method of a class, that a target names."""
    first, *rest = path.split(".")
    return functools.reduce(getattr, rest, names[first])


def _decorator(module, name, target):
    """The decorator that refuses what `target`, a class or a function, refuses."""
    refuse = _refuse_by_class if inspect.isclass(target) else _refuse_by_rules
    taken = inspect.signature(target).parameters

    def check(method):
        signature = inspect.signature(method)

        @functools.wraps(method)
        def checked_method(self, *args, **kwargs):
            bound = signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            given = {key: value for key, value in list(bound.arguments.items())[1:] if key in taken}
            refuse(target, given)
            return method(self, *args, **kwargs)

        return checked_method

    check.__name__ = check.__qualname__ = name
    check.__module__ = module
    check.__doc__ = f"""Decorates a method: `{target.__qualname__}` checks its arguments.

    Source: mindspore.{module.partition(".")[2]}.{name} of MindSpore 2.10.
    """
    return check


def _refuse_by_class(target, given):
    """Makes one of the class, for the errors that this raises."""
    target(**given)


def _refuse_by_rules(target, given):
    """Asks the rules and relations in a function's signature."""
    rules = {name: rule for name, rule in _rules(target).items() if name in given}
    refuse_all(target.__name__, rules, given)
    for relation in getattr(target, "relations", ()):
        if set(relation.names) <= given.keys() and eval(relation.condition, dict(given)):
            relation.refuse(target.__name__, given)


def _rules(function):
    """The rules in a function's signature by parameter, None allowed by default."""
    parameters = inspect.signature(function).parameters.values()
    return {
        each.name: join(each.annotation, NoneRule()) if each.default is None else each.annotation
        for each in parameters
        if isinstance(each.annotation, Rule)
    }


def _value_check(module, name, line, names):
    """The function of a line: it makes what stands on the right, for the errors this raises."""
    head, _, made = line.partition(" = ")
    head = f"check_{head}"
    function = compiled([f"def {head}:", f"    {made}"], dict(names), f"{module}.{name}")[name]
    function.__module__ = module
    function.__doc__ = f"""Refuses what `{made}` refuses.

    Source: mindspore.{module.partition(".")[2]}.{name} of MindSpore 2.10.
    """
    return function
