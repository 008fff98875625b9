"""Rules for arguments that MindSpore only compares with a bound, or only indexes.

Such an argument may be anything that Python compares: a number, a bool, a NumPy scalar, an array or
Tensor of one element. The function receives a Python number. A value that cannot be compared is a
TypeError; one beyond a bound, or of several elements, is a ValueError. NaN is beyond no single
bound. `Instead` changes the exception for a value of the wrong kind.
"""

import math
import operator
from dataclasses import dataclass

import numpy as np

from .base import Rule, Wrapper, as_rule, call, registered

_COMPARISONS = {"gt": operator.le, "ge": operator.lt, "lt": operator.ge, "le": operator.gt}
_WORDS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@dataclass(frozen=True, repr=False)
class Compared(Rule):
    """A value that Python can compare with the bounds, of one of the types `of` if any are given.

    `nan` decides whether NaN is in range, `as_number` whether the function receives arrays and
    Tensors of one element as numbers.
    """

    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    nan: bool = True
    as_number: bool = True
    of: tuple = ()

    def read(self, value):
        is_array = isinstance(value, (np.ndarray, np.generic))
        array = value if is_array else getattr(value, "_array", None)
        if not self.as_number or array is None or array.size != 1:
            return value
        return value.item() if is_array else value.asnumpy().item()

    def guard(self, name):
        types = "(float,)" if self.of else "(int, float, bool)"
        return f"(type({name}) in {types} and {self._bounds(name)})"

    def kind(self, name):
        return f"_verdict_{id(self)}({name}) is not TypeError"

    def value(self, name):
        return f"_verdict_{id(self)}({name}) is None"

    def verdict(self, value):
        return _verdict_of(self, value)

    def accepts(self, value):
        return self.verdict(value) is None

    def scope(self):
        return {"_inf": math.inf, f"_verdict_{id(self)}": self.verdict}

    def _bounds(self, name) -> str:
        tests = [
            f"{name} {_WORDS[key]} {'_inf' if bound == math.inf else bound}"
            for key, bound in self.limits().items()
        ]
        if self.nan and tests:
            return f"({' and '.join(tests)} or {name} != {name})"
        return " and ".join(tests) or "True"

    def limits(self) -> dict:
        """Returns the bounds that are given, by name."""
        bounds = {key: getattr(self, key) for key in _COMPARISONS}
        return {key: bound for key, bound in bounds.items() if bound is not None}

    def kind_noun(self):
        return "a float" if self.of else "a number"

    def noun(self):
        words = " and ".join(f"{_WORDS[key]} {bound!r}" for key, bound in self.limits().items())
        return f"{self.kind_noun()} {words}".rstrip()

    def samples(self):
        bounds = self.limits().values()
        near = [bound + step for bound in bounds for step in (-0.5, 0, 0.5)]
        return [*near, 0.5, True, np.float32(0.5), "0.5", None, np.array([1, 2])]

    def annotation(self):
        return "float"

    def source(self):
        return call("Compared", **self.limits(), **self._options())

    def _options(self) -> dict:
        defaults = {"nan": True, "as_number": True, "of": ()}
        options = {name: getattr(self, name) for name in defaults}
        return {name: value for name, value in options.items() if value != defaults[name]}


def _verdict_of(rule, value) -> type | None:
    """Returns the type of error that the comparisons of a rule end in for `value`."""
    if rule.of and not isinstance(value, rule.of):
        return TypeError
    try:
        below = [bool(_COMPARISONS[key](value, bound)) for key, bound in rule.limits().items()]
        is_nan = not rule.nan and bool(value != value)
    except (TypeError, ValueError) as error:
        return type(error) if type(error) in (TypeError, ValueError) else ValueError
    return ValueError if any(below) or is_nan else None


@dataclass(frozen=True, repr=False)
class Items(Rule):
    """A value whose first items obey one rule each; further items may be anything: `betas`.

    Indexing decides the exception of other values: an IndexError if there are too few items, a
    KeyError for a dict. The function receives a tuple of these items.
    """

    rules: tuple

    def __init__(self, *rules):
        object.__setattr__(self, "rules", tuple(map(as_rule, rules)))

    def read(self, value):
        return tuple(rule.read(value[index]) for index, rule in enumerate(self.rules))

    def guard(self, name):
        items = " and ".join(rule.guard(f"{name}[{i}]") for i, rule in enumerate(self.rules))
        return f"(type({name}) is tuple and len({name}) == {len(self.rules)} and {items})"

    def verdict(self, value):
        for index, rule in enumerate(self.rules):
            try:
                item = value[index]
            except Exception as error:
                return type(error)
            if rule.verdict(item) is not None:
                return rule.verdict(item)
        return None

    def accepts(self, value):
        return self.verdict(value) is None

    def kind(self, name):
        return f"_verdict_{id(self)}({name}) is not TypeError"

    def value(self, name):
        return f"_verdict_{id(self)}({name}) is None"

    def scope(self):
        scope = {f"_verdict_{id(self)}": self.verdict}
        for rule in self.rules:
            scope.update(rule.scope())
        return scope

    def kind_noun(self):
        return "a tuple or list"

    def noun(self):
        nouns = [rule.noun() for rule in self.rules]
        return f"a tuple or list of {' and '.join(nouns)}"

    def samples(self):
        good = tuple(rule.examples().good[0] for rule in self.rules)
        bad = [(sample, *good[1:]) for sample in self.rules[0].samples()]
        return [good, list(good), *bad, 1.5, None]

    def annotation(self):
        items = ", ".join(rule.annotation() for rule in self.rules)
        same = len({rule.annotation() for rule in self.rules}) == 1
        return f"tuple[{items}]" + (f" | list[{self.rules[0].annotation()}]" if same else "")

    def source(self):
        return call("Items", *self.rules)


@dataclass(frozen=True, repr=False)
class Instead(Wrapper):
    """A rule that accepts the values of another rule, and raises `error` in place of a TypeError.

    If MindSpore uses a value without a check, a wrong value raises, for example, an
    AttributeError that no page mentions. A value that the rule `kept` accepts still raises a
    TypeError.
    """

    rule: Rule
    error: type
    kept: Rule | None = None

    def verdict(self, value):
        verdict = self.rule.verdict(value)
        if verdict is TypeError and not (self.kept and self.kept.verdict(value) is None):
            return self.error
        return verdict

    def raises(self):
        return [
            (self.error.__name__ if name == "TypeError" else name, condition)
            for name, condition in self.rule.raises()
        ]

    def source(self):
        argument = f", {self.kept.source()}" if self.kept else ""
        return f"Instead({self.rule.source()}, {self.error.__name__}{argument})"


@dataclass(frozen=True, repr=False)
class AsFloat(Rule):
    """Whatever `float` converts: a number, a bool, the text of a number, an array or Tensor of one
    element. The function receives the float. A ValueError of the conversion stays one.
    """

    def read(self, value):
        return value if self.verdict(value) else _as_float(value)

    def guard(self, name):
        return f"type({name}) is float"

    def verdict(self, value):
        try:
            _as_float(value)
        except (TypeError, ValueError) as error:
            return type(error)
        return None

    def accepts(self, value):
        return self.verdict(value) is None

    def kind(self, name):
        return f"_verdict_of_float({name}) is not TypeError"

    def value(self, name):
        return f"_verdict_of_float({name}) is None"

    def scope(self):
        return {"_verdict_of_float": self.verdict}

    def noun(self):
        return "a number"

    def samples(self):
        return [1, 0.5, True, "0.5", "text", None, np.array(1.5), np.array([])]

    def annotation(self):
        return "float"


def _as_float(value) -> float:
    return float(value.asnumpy().item() if isinstance(value, registered("Tensor")) else value)
