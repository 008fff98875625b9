"""Parameter rules of data pipelines: sizes, ranges, members of enumerations, columns.

They are built from the rules of `_core.rules` and stand in signatures in the same way.
"""

import os

import numpy as np

from .._core.rules.base import Rule
from .._core.rules.vocabulary import InstanceOf, Int, ListOf, Number, Str, TupleOf

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


class AnInstance(InstanceOf):
    """An instance of one of several classes; for an enumeration, a member."""

    def noun(self):
        return "an instance of " + " or ".join(class_.__name__ for class_ in self.classes)


class Increasing(Rule):
    """(min, max): a tuple or list of two items that obey a rule, with min <= max."""

    def __init__(self, item: Rule, length_is_kind=True):
        self.pair = sequence(item, 2, length_is_kind)

    def kind(self, name):
        return self.pair.kind(name)

    def value(self, name):
        return f"({self.pair.guard(name)}) and {name}[0] <= {name}[1]"

    def scope(self):
        return self.pair.scope()

    def kind_noun(self):
        return self.pair.kind_noun()

    def noun(self):
        return f"{self.pair.noun()}, (min, max) with min <= max"

    def samples(self):
        return self.pair.samples()

    def annotation(self):
        return self.pair.annotation()

    def __eq__(self, other):
        return isinstance(other, Increasing) and self.pair == other.pair

    def __hash__(self):
        return hash((Increasing, self.pair))


class _Cores(type(Int)):
    """A number of processor cores; the documentation does not state this machine's number."""

    def allowed(self):
        return "an int from 1 to the number of processor cores"


def sequence(item, length=None, length_is_kind=True) -> Rule:
    """Returns a tuple or a list of items that obey a rule.

    Another length is a TypeError, as in most transforms of MindSpore; a ValueError without
    `length_is_kind`.
    """
    fixed = {"length": length, "length_is_kind": length_is_kind and length is not None}
    return TupleOf(item, **fixed) | ListOf(item, **fixed)


positive = Int(ge=1, le=INT32_MAX)
natural = Int(ge=0, le=INT32_MAX)
Workers = _Cores(ge=1, le=os.cpu_count() or 1)
Size = Int(ge=1, le=16777216) | sequence(Int(ge=1, le=16777216), 2)
Probability = Number(ge=0.0, le=1.0)
FLOAT_MAX = 16777216  # the largest number that parameters of MindSpore's transforms take
Factor = Number(ge=0.0, le=FLOAT_MAX)
NumpyInt = AnInstance(np.integer).called("a NumPy integer")
Fill = Int(ge=0, le=255) | TupleOf(Int(ge=0, le=255), length=3, length_is_kind=True)
Padding = natural | sequence(natural, (2, 4), length_is_kind=False)
Columns = Str | ListOf(Str, min_length=1)
Samples = Int(ge=0, le=INT64_MAX)
Names = Str | ListOf(Str)
