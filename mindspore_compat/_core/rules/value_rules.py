"""Rules that convert a value: to its truth value, its only element, its first entry or a list, to
the case in which a rule has a string, or to None if the function ignores it.

MindSpore checks some arguments loosely, so scripts pass values that its pages do not mention. A
value of the documented kind passes the guard unchanged; other values are converted. In
tensor_rules.py, `ScalarOf` reads 0-d Tensors and `InTensor` reads Tensors of one element. Rules for
numbers, such as `Int(ge=1)`, are in vocabulary.py; base.py writes the error messages.
"""

from dataclasses import dataclass

from .base import Called, Rule, Union, Wrapper, is_hashable, join, registered
from .vocabulary import InTensor, OneOf, type_named


class _Truth(Rule):
    """Any value; the function receives its truth value."""

    def guard(self, name):
        return f"type({name}) is bool"

    def value(self, name):
        return f"_has_truth({name})"

    def read(self, value):
        return bool(value)

    def scope(self):
        return {"_has_truth": _has_truth}

    def noun(self):
        return "a bool, or a value that counts by its truth"

    def annotation(self):
        return "bool"

    def samples(self):
        return [True, False, 0, "text", None]

    def __eq__(self, other):
        return isinstance(other, _Truth)

    def __hash__(self):
        return hash(_Truth)


def _has_truth(value) -> bool:
    """Returns False for an array or Tensor of several elements."""
    try:
        bool(value)
    except ValueError:
        return False
    return True


Truth = _Truth()


@dataclass(frozen=True, repr=False)
class AnyCase(Wrapper):
    """One of a few strings (`OneOf`) in upper or lower case; the function receives it as the rule
    has it.
    """

    rule: OneOf

    def read(self, value):
        if not isinstance(value, str):
            return value
        alike = (c for c in self.rule.choices if isinstance(c, str) and c.lower() == value.lower())
        return next(alike, value)

    def kind_noun(self):
        return self.rule.kind_noun()

    def samples(self):
        return [*self.rule.samples(), *(c.swapcase() for c in self.rule.choices if c)]

    def source(self):
        return f"AnyCase({self.rule.source()})"


def in_any_case(rule: Rule) -> Rule:
    """Returns a rule that takes the strings of `rule` in upper and lower case."""
    if isinstance(rule, Union):
        return join(*map(in_any_case, rule.members))
    if isinstance(rule, Called):
        return Called(in_any_case(rule.rule), rule.words)
    is_enumeration = isinstance(rule, OneOf) and any(isinstance(c, str) for c in rule.choices)
    return AnyCase(rule) if is_enumeration else rule


class _TensorOrNothing(Rule):
    """Any value; the function receives None unless it is a Tensor."""

    def guard(self, name):
        return f"({name} is None or isinstance({name}, Tensor))"

    def read(self, value):
        return value if isinstance(value, registered("Tensor")) else None

    def scope(self):
        return {"Tensor": type_named("Tensor")}

    def noun(self):
        return "a Tensor (other values are ignored)"

    def samples(self):
        return [None, 1, "text"]

    def __eq__(self, other):
        return isinstance(other, _TensorOrNothing)

    def __hash__(self):
        return hash(_TensorOrNothing)


TensorOrNothing = _TensorOrNothing()


class _Falsy(Rule):
    """A falsy value other than None; the function receives False. Joined to `Bool`."""

    def kind(self, name):
        return f"{name} is False"

    def read(self, value):
        return False if isinstance(value, (int, float, str, tuple, list)) and not value else value

    def noun(self):
        return "a value that counts as false"

    def samples(self):
        return [0, "", (), 1]

    def __eq__(self, other):
        return isinstance(other, _Falsy)

    def __hash__(self):
        return hash(_Falsy)

    def annotation(self):
        return "bool"


Falsy = _Falsy()


class _Nothing(_Falsy):
    """A falsy value; the function receives None. Joined to a rule of objects."""

    def kind(self, name):
        return "False"

    def read(self, value):
        return None if _has_truth(value) and not value else value

    def noun(self):
        return "a value that counts as false"

    def annotation(self):
        return "None"


Nothing = _Nothing()


class _Alone(Rule):
    """One Tensor in place of several: the function receives a list of it. Joined to a rule of
    lists.
    """

    def kind(self, name):
        return "False"

    def read(self, value):
        return [value] if isinstance(value, registered("Tensor")) else value

    def noun(self):
        return "one Tensor"

    def __eq__(self, other):
        return isinstance(other, _Alone)

    def __hash__(self):
        return hash(_Alone)

    def annotation(self):
        return "Tensor"


Alone = _Alone()


class _Listed(Rule):
    """A tuple or list of numbers in place of a Tensor. Joined to a rule of Tensors."""

    def kind(self, name):
        return "False"

    def read(self, value):
        if not isinstance(value, (tuple, list)):
            return value
        try:
            return registered("Tensor")(value)
        except (TypeError, ValueError):
            return value

    def noun(self):
        return "a tuple or list of numbers"

    def __eq__(self, other):
        return isinstance(other, _Listed)

    def __hash__(self):
        return hash(_Listed)

    def annotation(self):
        return "Sequence[Any]"


Listed = _Listed()


class _Hashable(Rule):
    """A value that has a hash. In `AsValue`, for arguments that MindSpore looks up in a table:
    lists, dicts, sets and arrays raise a TypeError there."""

    def kind(self, name):
        return f"_is_hashable({name})"

    def scope(self):
        return {"_is_hashable": is_hashable}

    def noun(self):
        return "a hashable value"

    def samples(self):
        return [1, "text", None, [], {}]

    def __eq__(self, other):
        return isinstance(other, _Hashable)

    def __hash__(self):
        return hash(_Hashable)


Hashable = _Hashable()


@dataclass(frozen=True, repr=False)
class ElementOf(InTensor):
    """An int that may be the element of a Tensor; a fractional part is cut off."""

    def read(self, value):
        if not isinstance(value, registered("Tensor")) or value.size != 1:
            return value
        return int(value.asnumpy().item())

    def source(self):
        return super().source().replace("InTensor", "ElementOf", 1)


@dataclass(frozen=True, repr=False)
class FirstOf(Rule):
    """A value that another rule accepts, or a tuple or list whose first entry is such a value. The
    function receives the value or the first entry."""

    rule: Rule

    def read(self, value):
        return value[0] if isinstance(value, (tuple, list)) and value else value

    def kind(self, name):
        return self.rule.kind(name)

    def value(self, name):
        return self.rule.value(name)

    def scope(self):
        return self.rule.scope()

    def noun(self):
        return self.rule.noun()

    def samples(self):
        return [*self.rule.samples(), ()]

    def annotation(self):
        return f"{self.rule.annotation()} | Sequence[{self.rule.annotation()}]"

    def source(self):
        return f"FirstOf({self.rule.source()})"
