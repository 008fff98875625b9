"""The base of parameter rules: conditions, checks, error messages, examples, unions.

The vocabulary built on it (`Int`, `Float`, `TensorOf`, ...) is in vocabulary.py. The checks in
front of functions are in checked.py.

A value of the wrong kind raises a TypeError. A value of the right kind but out of range raises a
ValueError. So a rule has two conditions, `kind` and `value`, both Python expressions. `guard` joins
them for generated source.
"""

import functools
import re
from typing import NamedTuple

_registered: dict[str, type] = {}


def register_type(name: str, cls: type) -> None:
    """Registers the class that `name` ("Tensor", "Cell", ...) stands for in rules.

    Rules refer to the classes of higher layers by name instead of importing them.
    """
    _registered[name] = cls


def type_named(name: str) -> type:
    """Returns the class registered as `name`; raises a LookupError if none is registered yet."""
    if name not in _registered:
        raise LookupError(f"No class is registered as '{name}': its module is not imported.")
    return _registered[name]


def registered(name: str) -> type | tuple:
    """Returns the class registered as `name` for use in `isinstance`; () if none exists yet."""
    return _registered.get(name, ())


class Examples(NamedTuple):
    """Values that a rule accepts, and values that it refuses, by the error raised."""

    good: list
    type_errors: list
    value_errors: list


class Rule:
    """The values that one parameter accepts. Rules are immutable and comparable; `|` joins them.

    Functions that take NumPy scalars in place of Python numbers convert them before the rule sees
    them, unless `sees_numpy_scalars` is set.
    """

    sees_numpy_scalars = False

    def kind(self, name: str) -> str:
        """Returns a Python expression, true if the value bound to `name` has the right kind."""
        return "True"

    def value(self, name: str) -> str:
        """Returns a Python expression, evaluated after `kind`, true if the value is in range; '' if
        all values are."""
        return ""

    def guard(self, name: str) -> str:
        """Returns a Python expression, true exactly when the value bound to `name` is
        acceptable."""
        return both(self.kind(name), self.value(name))

    def scope(self) -> dict:
        """Returns the globals that the expressions need, by name."""
        return {}

    def noun(self) -> str:
        """Returns the acceptable values in words, with an article: "a float in (0.0, 1.0)"."""
        return "any value"

    def kind_noun(self) -> str:
        """Returns the acceptable kinds in words: "a float"."""
        return self.noun()

    def samples(self) -> list:
        """Returns values worth trying: acceptable ones and near misses."""
        return []

    def describe(self) -> str:
        """Returns the acceptable values in the form of a documentation line: "float in (0.0,
        1.0)"."""
        return re.sub(r"^an? ", "", self.allowed())

    def allowed(self) -> str:
        """Returns the acceptable values in the words of `noun`, with the other forms that are
        accepted."""
        return self.noun()

    def read(self, value):
        """Returns the argument that a function receives for `value`, usually `value` itself."""
        return value

    def verdict(self, value) -> type | None:
        """Returns the type of error that `value` raises: None, TypeError or ValueError."""
        scope = {**self.scope(), "_value": self.read(value)}
        if not eval(_compile_rule(self.kind("_value")), scope):
            return TypeError
        return None if eval(_compile_rule(self.guard("_value")), scope) else ValueError

    def accepts(self, value) -> bool:
        """Returns True if `value` is acceptable without conversion; each rule compiles its guard
        once."""
        classes, guard = self.__dict__.get("_compiled_guard", (None, None))
        if classes is not _registered:  # other classes may stand for the names
            guard = eval(_compile_rule(f"lambda _value: {self.guard('_value')}"), self.scope())
            self.__dict__["_compiled_guard"] = _registered, guard
        return guard(value)

    def refuse(self, api: str, name: str, value) -> None:
        """Raises the error for `value` as parameter `name` of `api`; returns if it is accepted."""
        self.refuse_part(api, f"'{name}'", value)

    def refuse_part(self, api: str, part: str, value, verb: str = "be") -> None:
        """Raises the error for a part of an argument, such as "each member" or "the input"."""
        if self.accepts(value):
            return
        error = self.verdict(value)
        if error is not None:
            text = show(value) if error is ValueError else show_with_type(value)
            raise error(f"For '{api}', {part} must {verb} {self.noun()}, but got {text}.")

    def examples(self) -> Examples:
        """Returns the sample values, sorted by outcome: accepted, TypeError or ValueError."""
        examples = Examples([], [], [])
        lists = {  # rules that raise other errors have no list for them
            None: examples.good,
            TypeError: examples.type_errors,
            ValueError: examples.value_errors,
        }
        for sample in self.samples():
            target = lists.get(self.verdict(sample), [])
            if not any(_same_outcome(sample, other) for other in target):
                target.append(sample)
        return examples

    def raises(self) -> list[tuple[str, str]]:
        """Returns the errors and their conditions: [("TypeError", "is not a float"), ...]."""
        rows = [] if self.kind("x") == "True" else [("TypeError", f"is not {self.kind_noun()}")]
        if self.value("x") and not (rows and self.noun() == self.kind_noun()):
            rows.append(("ValueError", f"is not {self.allowed()}"))
        return rows + self.further()

    def further(self) -> list[tuple[str, str]]:
        """Returns further errors that the two sentences of `raises` do not mention."""
        return []

    def annotation(self) -> str:
        """Returns the acceptable values as a Python type annotation: "float | None".

        Names have no module prefix: builtins, `Any`, `Callable`, `Literal`, `Sequence`, and
        MindSpore's classes.
        """
        return "Any"

    def source(self) -> str:
        """Returns the rule as source code: "Float(gt=0.0) | None"."""
        return type(self).__name__.lstrip("_")

    def called(self, noun: str) -> "Rule":
        """Returns the same rule with another description of the values: "a list of Parameters"."""
        return Called(self, noun)

    def __repr__(self):
        return self.annotation()  # what a signature shows

    def __or__(self, other) -> "Rule":
        return join(self, other)

    def __ror__(self, other) -> "Rule":
        return join(other, self)


class NoneRule(Rule):
    """None and nothing else; written `| None`."""

    def kind(self, name):
        return f"{name} is None"

    def noun(self):
        return "None"

    def samples(self):
        return [None]

    def __eq__(self, other):
        return isinstance(other, NoneRule)

    def __hash__(self):
        return hash(NoneRule)

    def annotation(self):
        return "None"

    def source(self):
        return "None"


class Wrapper(Rule):
    """Base class of rules that differ in one respect from another rule, their attribute `rule`."""

    rule: Rule

    def read(self, value):
        return self.rule.read(value)

    def accepts(self, value):
        return self.rule.accepts(value)

    def kind(self, name):
        return self.rule.kind(name)

    def value(self, name):
        return self.rule.value(name)

    def guard(self, name):
        return self.rule.guard(name)

    def scope(self):
        return self.rule.scope()

    def noun(self):
        return self.rule.noun()

    def further(self):
        return self.rule.further()

    def samples(self):
        return self.rule.samples()

    def annotation(self):
        return self.rule.annotation()


class Called(Wrapper):
    """A rule that accepts the values of another rule, but describes them in other words."""

    def __init__(self, rule: Rule, words: str):
        self.rule = rule
        self.words = words

    def noun(self):
        return self.words

    def __eq__(self, other):
        return isinstance(other, Called) and (self.rule, self.words) == (other.rule, other.words)

    def __hash__(self):
        return hash((Called, self.rule, self.words))

    def source(self):
        return f"{wrapped_union(self.rule.source())}.called({self.words!r})"


class AsValue(Rule):
    """A rule that accepts the values of another rule, and raises a ValueError also for a value of
    the wrong kind.

    MindSpore documents this for many settings of its optimizers. With a second rule `wrong`,
    only a value of a kind that `wrong` accepts raises a ValueError; any other raises a TypeError.
    """

    def __init__(self, rule: Rule, wrong: Rule | None = None):
        self.rule = as_rule(rule)
        self.wrong = wrong

    def read(self, value):
        return self.rule.read(value)

    def kind(self, name):
        return "True" if self.wrong is None else join(self.rule, self.wrong).kind(name)

    def value(self, name):
        return self.rule.guard(name)

    def guard(self, name):
        return self.rule.guard(name)

    def scope(self):
        return {**self.rule.scope(), **(self.wrong.scope() if self.wrong else {})}

    def noun(self):
        return self.rule.noun()

    def kind_noun(self):
        return (self.rule if self.wrong is None else join(self.rule, self.wrong)).kind_noun()

    def samples(self):
        return self.rule.samples() + (self.wrong.samples() if self.wrong else [])

    def __eq__(self, other):
        return isinstance(other, AsValue) and (self.rule, self.wrong) == (other.rule, other.wrong)

    def __hash__(self):
        return hash((AsValue, self.rule, self.wrong))

    def annotation(self):
        return self.rule.annotation()

    def source(self):
        return call("AsValue", self.rule, *([self.wrong] if self.wrong else []))


class Union(Rule):
    """The union of several rules: accepts a value that any of them accepts."""

    def __init__(self, members: tuple):
        self.members = members

    def kind(self, name):
        kinds = [member.kind(name) for member in self.members]
        return "True" if "True" in kinds else f"({' or '.join(map(wrapped, kinds))})"

    def value(self, name):
        return self.guard(name) if any(member.value(name) for member in self.members) else ""

    def guard(self, name):
        guards = [member.guard(name) for member in self.members]
        return "True" if "True" in guards else f"({' or '.join(map(wrapped, guards))})"

    def scope(self):
        return {name: value for member in self.members for name, value in member.scope().items()}

    def noun(self):
        return " or ".join(member.noun() for member in self.members)

    def kind_noun(self):
        return " or ".join(dict.fromkeys(member.kind_noun() for member in self.members))

    def read(self, value):
        return functools.reduce(lambda result, member: member.read(result), self.members, value)

    def allowed(self):
        return " or ".join(member.allowed() for member in self.members)

    def further(self):
        return [row for member in self.members for row in member.further()]

    def samples(self):
        return [sample for member in self.members for sample in member.samples()]

    def __eq__(self, other):
        return isinstance(other, Union) and set(self.members) == set(other.members)

    def __hash__(self):
        return hash(frozenset(self.members))

    def annotation(self):
        annotations = dict.fromkeys(member.annotation() for member in self.members)
        return "Any" if "Any" in annotations else " | ".join(annotations)

    def source(self):
        return " | ".join(member.source() for member in self.members)


def join(*parts) -> Rule:
    """Returns the union of `parts`, which are rules or None."""
    members = []
    for part in map(as_rule, parts):
        members += part.members if isinstance(part, Union) else [part]
    members = tuple(dict.fromkeys(members))
    return members[0] if len(members) == 1 else Union(members)


def parts_of(rule) -> list[Rule]:
    """Returns the members of a union, or `rule` alone. A rule that only changes the error is
    unwrapped first."""
    if isinstance(rule, Union):
        return [part for member in rule.members for part in parts_of(member)]
    return parts_of(rule.rule) if isinstance(rule, (AsValue, Called)) else [rule]


def as_rule(part) -> Rule:
    """Returns `part` as a rule: a rule unchanged, None as the rule that accepts None."""
    if part is None:
        return NoneRule()
    if not isinstance(part, Rule):
        raise TypeError(f"A rule or None is needed here, but got {part!r}.")
    return part


def call(name: str, *args, **options) -> str:
    """Returns the source of a call with these arguments, or `name` if there are none."""
    inside = [_argument(argument) for argument in args]
    inside += [f"{key}={_argument(value)}" for key, value in options.items()]
    return f"{name}({', '.join(inside)})" if inside else name


def _argument(value) -> str:
    return value.source() if isinstance(value, Rule) else repr(value)


def both(first: str, second: str) -> str:
    """Returns the source of the condition that both conditions hold; the first may be "True", the
    second empty."""
    if not second:
        return first
    return second if first == "True" else f"{first} and {second}"


def wrapped(condition: str) -> str:
    """Returns `condition` in brackets if it would bind weaker than an `or`."""
    return f"({condition})" if " and " in condition else condition


def wrapped_union(source: str) -> str:
    """Returns the source of a rule in brackets if it would bind weaker than a dot."""
    return f"({source})" if " | " in source else source


def show(value) -> str:
    """Returns the text of `value` for error messages. It never shows the values of a Tensor, and
    those of a NumPy array only on one line."""
    if isinstance(value, registered("Tensor")):
        return f"a {type(value).__name__} of shape {value.shape} and dtype {value.dtype}"
    text = value.__name__ if isinstance(value, type) else repr(value)
    if "\n" in text and type(value).__name__ == "ndarray":
        return f"a NumPy array of shape {value.shape} and dtype {value.dtype}"
    return text if len(text) <= 200 else text[:197] + "..."


def show_with_type(value) -> str:
    """Returns `value` with the name of its type, unless the text contains it already."""
    text = show(value)
    is_plain = value is None or text.startswith("a ")
    return text if is_plain else f"{text} of type {type(value).__name__}"


def is_hashable(value) -> bool:
    """Returns False for lists, dicts and arrays, including within tuples. A set counts as hashable,
    as in `in` of a set."""
    if isinstance(value, set):
        return True
    try:
        hash(value)
    except TypeError:
        return False
    return True


@functools.lru_cache(maxsize=1024)
def _compile_rule(expression: str):
    return compile(expression, "<rule>", "eval")


def _same_outcome(first, second) -> bool:
    return first is second or (type(first) is type(second) and repr(first) == repr(second))
