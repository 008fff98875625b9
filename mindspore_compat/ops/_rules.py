"""Rules of parameters that several packages of operators share. One name always has one meaning.

A rule that only one file needs is defined in that file.
"""

from dataclasses import dataclass

import numpy as np

from .._core.rules.base import Wrapper
from .._core.rules.vocabulary import (
    AsValue,
    Bool,
    Int,
    ListOf,
    Number,
    Rule,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    floating,
    integer,
    number,
    real,
)

# Tensors by dtype. An operand may also be a number.
Anything = TensorOf(any_dtype)
Operand = TensorOf(any_dtype, scalars=True)
Numbers = TensorOf(number)
NumbersOrBools = TensorOf(number, "bool")
Reals = TensorOf(real)
RealsOrBools = TensorOf(real, "bool")
RealOperand = TensorOf(real, "bool", scalars=True)
Integers = TensorOf(integer)
Bools = TensorOf("bool")
Index = TensorOf("int32", "int64")
IndexOfAnyInt = TensorOf("int8", "int16", "int32", "int64", "uint8")
WIDE_UNSIGNED = ("uint16", "uint32", "uint64")  # many kernels of MindSpore lack them
RealsUpTo64 = Reals.but("bfloat16")
Sortable = RealsOrBools.but("bfloat16", *WIDE_UNSIGNED)
Several = TupleOf(Anything) | ListOf(Anything)

# Floats, with and without bfloat16 (which NumPy lacks), and floats or complex numbers ("inexact").
Floats = TensorOf(floating)
Float16To64 = TensorOf("float16", "float32", "float64")
Float16Or32 = TensorOf("float16", "float32")
Float32Or64 = TensorOf("float32", "float64")
Float32 = TensorOf("float32")
FloatsUpTo32 = TensorOf("float16", "bfloat16", "float32")
HalfPrecision = TensorOf("float16", "bfloat16")
Inexact = TensorOf(floating, "complex64", "complex128")
InexactOfNumPy = TensorOf("float16", "float32", "float64", "complex64", "complex128")

# Python numbers. A ScalarInt may also be a 0-D Tensor.
Positive = Int(ge=1)
Natural = Int(ge=0)
ScalarInt = ScalarOf(Int, TypeError)
NumberOrBool = Number | Bool
TensorOrNumber = Number | Bool | Anything  # a number stands for a 0-D Tensor
Ints = TupleOf(Int) | ListOf(Int)
IntOrInts = Int | TupleOf(Int) | ListOf(Int)
Lengths = TupleOf(Int(ge=0)) | ListOf(Int(ge=0))


def several(rule, *lengths):
    """Accepts a number, or a tuple whose length is in `lengths`."""
    return rule | TupleOf(rule, length=lengths)


def listed(rule, *lengths):
    """Accepts a number, or a tuple or list whose length is in `lengths`."""
    return several(rule, *lengths) | ListOf(rule, length=lengths)


def sizes(rule, *lengths):
    """Accepts what `several` accepts; any other tuple is a ValueError, as in the Primitives of
    convolution and pooling.
    """
    return AsValue(several(rule, *lengths), TupleOf())


def listed_sizes(rule, *lengths):
    """Accepts what `listed` accepts; any other tuple or list is a ValueError."""
    return AsValue(listed(rule, *lengths), TupleOf() | ListOf())


@dataclass(frozen=True, repr=False)
class LengthFirst(Wrapper):
    """A number, or a tuple or list whose length is in `lengths`. Another length is a ValueError,
    even if members of the tuple or list have a wrong type.
    """

    rule: Rule
    lengths: tuple
    lists: bool = True

    def kind(self, name):
        types = "(tuple, list)" if self.lists else "tuple"
        other = f"isinstance({name}, {types}) and len({name}) not in {self.lengths!r}"
        return f"({other} or {self.rule.kind(name)})"

    def value(self, name):
        return self.rule.guard(name)

    def source(self):
        return f"LengthFirst({self.rule.source()}, {self.lengths!r}, {self.lists})"


def length_first(rule, *lengths, lists=True):
    """Accepts the values of `listed` if `lists` is true, else those of `several`. The length is
    checked before the numbers.
    """
    accept = listed if lists else several
    return LengthFirst(accept(rule, *lengths), lengths, lists)


class _Pair(Rule):
    """An int, or a tuple or list of two ints, that another rule accepts.

    A bool, a float, and a sequence of other values are TypeErrors; any other value, also a NumPy
    scalar, is a ValueError.
    """

    sees_numpy_scalars = True

    def __init__(self, rule):
        self.rule = rule
        self.pair = listed(rule, 2)

    def kind(self, name):
        return f"_may_be_pair({name})"

    def guard(self, name):
        return self.pair.guard(name)

    def value(self, name):
        return self.pair.guard(name)

    def scope(self):
        return {**self.pair.scope(), "_may_be_pair": _may_be_pair}

    def noun(self):
        return self.pair.noun()

    def samples(self):
        return [*self.pair.samples(), np.int64(1), None]

    def __eq__(self, other):
        return isinstance(other, _Pair) and self.rule == other.rule

    def __hash__(self):
        return hash((_Pair, self.rule))

    def annotation(self):
        return self.pair.annotation()

    def source(self):
        return f"pair_of({self.rule.source()})"


pair_of = _Pair


def _may_be_pair(value) -> bool:
    if isinstance(value, (tuple, list)):
        return all(type(item) is int for item in value)
    return not isinstance(value, (bool, float)) or isinstance(value, np.floating)
