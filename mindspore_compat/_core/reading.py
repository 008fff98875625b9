"""Rules that read a value: a function is given its truth, its one element or its first entry.

The original asks no more of some arguments, so scripts give it more than its pages name. What is of
the plain kind already passes the guard untouched; only then is a value read. Tensors without axes
are read by `ScalarOf` of `rules`.
"""

from dataclasses import dataclass

from .rule import Rule, registered
from .rules import ScalarOf


class _Truth(Rule):
    """Any value; the function is given its truth."""

    def guard(self, name):
        return f"type({name}) is bool"

    def read(self, value):
        return bool(value)

    def noun(self):
        return "a bool, or a value that counts by its truth"

    def samples(self):
        return [True, False, 0, "text", None]

    def __eq__(self, other):
        return isinstance(other, _Truth)

    def __hash__(self):
        return hash(_Truth)

    def __repr__(self):
        return "Truth"


Truth = _Truth()


@dataclass(frozen=True, repr=False)
class ElementOf(ScalarOf):
    """As `ScalarOf`, for a Tensor of one element with any number of axes.

    Where the rule wants an int, a fraction is cut off.
    """

    def read(self, value):
        if not isinstance(value, registered("Tensor")) or value.size != 1:
            return value
        number = value.asnumpy().item()
        return number if self.rule.verdict(number) is None else int(number)

    def raises(self):
        return [*self.rule.raises(), (self.error.__name__, "is a Tensor of several elements")]

    def __repr__(self):
        return super().__repr__().replace("ScalarOf", "ElementOf", 1)


@dataclass(frozen=True)
class FirstOf(Rule):
    """What another rule accepts, or a tuple or list that starts with it: the rest is not read."""

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

    def __repr__(self):
        return f"FirstOf({self.rule!r})"
