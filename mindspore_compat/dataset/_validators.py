"""Decorators that check the arguments of user-defined transforms and datasets: `check_crop`.

Each decorator is named after a class of this package and refuses what that class refuses: it passes
the arguments that both have to the class and raises the class's error. A decorator named after a
method, such as `check_batch` for `Dataset.batch`, applies the rules in that method's signature. The
modules `validators` of `vision`, `audio`, `text`, `transforms` and `engine` export the decorators
of their classes. Functions that check single values are lines of a table, such as
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
    """Returns `__getattr__`, `__dir__` and `__all__` of a module of decorators.

    Args:
        module (str): the module's `__name__`.
        names (dict[str, object]): the classes and functions that decorators are made from, by name.
        targets (str): "other=Name" for decorators whose name differs from the name of the class.
        values (str): one line for each function that checks values.
    """
    renamed = dict(pair.split("=") for pair in targets.split())
    classes = {_snake(name): name for name in names if inspect.isclass(names[name])}
    targets_by_name = {
        name.replace("_", ""): target for name, target in {**classes, **renamed}.items()
    }
    lines = {line.partition("(")[0]: line for line in values.strip().split("\n") if line}
    names_shown = sorted({*(f"check_{name}" for name in (*renamed, *classes, *lines)), *_HELPERS})

    @functools.cache
    def find(name):
        plain = name.removeprefix("check_")
        if plain == name:
            return None
        if plain in lines:
            return _value_check(module, name, lines[plain], names)
        target = targets_by_name.get(plain.replace("_", ""))
        return None if target is None else _decorator(module, name, _resolve(target, names))

    def show(name):
        target = None if name.startswith("__") else find(name)
        if target is None and name in _HELPERS:
            target = getattr(validator_helpers, name)
        if target is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return target

    return show, lambda: names_shown, names_shown


def _snake(name):
    """Returns a class name in snake case: "random_crop" for "RandomCrop"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _resolve(path, names):
    """Returns the class, or the method of a class, at a dotted path."""
    first, *rest = path.split(".")
    return functools.reduce(getattr, rest, names[first])


def _decorator(module, name, target):
    """Returns the decorator that applies the checks of `target`, a class or a function."""
    refuse = _refuse_by_class if inspect.isclass(target) else _refuse_by_rules
    parameters = inspect.signature(target).parameters

    def check(method):
        signature = inspect.signature(method)

        @functools.wraps(method)
        def checked_method(self, *args, **kwargs):
            call = signature.bind(self, *args, **kwargs)
            call.apply_defaults()
            arguments = {
                key: value for key, value in list(call.arguments.items())[1:] if key in parameters
            }
            refuse(target, arguments)
            return method(self, *args, **kwargs)

        return checked_method

    check.__name__ = check.__qualname__ = name
    check.__module__ = module
    check.__doc__ = f"""Decorates a method: `{target.__qualname__}` checks its arguments.

    Source: mindspore.{module.partition(".")[2]}.{name} of MindSpore 2.10.
    """
    return check


def _refuse_by_class(target, arguments):
    """Makes an instance of the class for the errors that this raises."""
    target(**arguments)


def _refuse_by_rules(target, arguments):
    """Applies the rules and relations in a function's signature."""
    rules = {name: rule for name, rule in _rules(target).items() if name in arguments}
    refuse_all(target.__name__, rules, arguments)
    for relation in getattr(target, "relations", ()):
        if set(relation.names) <= arguments.keys() and eval(relation.condition, dict(arguments)):
            relation.refuse(target.__name__, arguments)


def _rules(function):
    """Returns the rules in a function's signature by parameter; a default of None is allowed."""
    parameters = inspect.signature(function).parameters.values()
    return {
        parameter.name: join(parameter.annotation, NoneRule())
        if parameter.default is None
        else parameter.annotation
        for parameter in parameters
        if isinstance(parameter.annotation, Rule)
    }


def _value_check(module, name, line, names):
    """Returns the validator that a line `head = expression` describes. The validator evaluates the
    expression, so that wrong arguments raise its errors.
    """
    head, _, expression = line.partition(" = ")
    head = f"check_{head}"
    text = [f"def {head}:", f"    {expression}"]
    function = compiled(text, dict(names), f"{module}.{name}")[name]
    function.__module__ = module
    function.__doc__ = f"""Refuses what `{expression}` refuses.

    Source: mindspore.{module.partition(".")[2]}.{name} of MindSpore 2.10.
    """
    return function
