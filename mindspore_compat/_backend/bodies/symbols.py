"""Runs a formula once on symbols and keeps the note of what it did, for `fuse` to turn into a
program.

`Trace.steps` are calls by name with numbered values: the array arguments come first, then the
results of the steps. Numbers given per call are `Scalar`s: what a formula computes from them alone
(`1 - beta1`) is computed once per call, in float64, and handed to the program as `s0`, `s1`, ...
"""

import math
from dataclasses import dataclass

from ..elementwise import PRIMITIVES


@dataclass(frozen=True)
class Step:
    """One call: operands are numbers of values, or the texts of scalars."""

    name: str
    operands: tuple
    result: int

    @property
    def is_bool(self):
        return self.name in PRIMITIVES and PRIMITIVES[self.name].is_bool

    def values(self):
        return [each for each in self.operands if type(each) is int]


class Trace:
    """What a formula does to its arrays, for one setting of its flags."""

    def __init__(self, formula, names, written, flags, numbers):
        self.name = formula.__name__
        self.names = names
        self.written = written
        self.steps = []
        self._texts = {}  # what is computed from numbers, in Python -> the same in C
        results = self._noted(formula, [True] * len(names), flags, numbers)
        targets = [index for index, writes in enumerate(written) if writes]
        self.outputs = {
            index: self._number(value) for index, value in zip(targets, results, strict=True)
        }
        self._prepare = self._preparation(numbers)

    def _noted(self, formula, present, flags, numbers):
        """What the formula returns for symbols; an array that is not present is None."""
        arrays = [Symbol(self, index) if there else None for index, there in enumerate(present)]
        scalars = {key: Scalar(self, key, f"n_{key}") for key in numbers}
        return formula(self.space_type(self), *arrays, **scalars, **flags)

    def _preparation(self, numbers):
        """The function that works out s0, s1, ... from the numbers of a call."""
        listed = ", ".join(self._texts)
        source = f"lambda {', '.join(numbers)}: ({listed}{',' if listed else ''})"
        return eval(source, {"math": math, "inf": math.inf, "nan": math.nan})

    @property
    def space_type(self):
        """The type of `xp` that a formula is given."""
        return SymbolSpace

    @property
    def scalar_count(self):
        return len(self._texts)

    def scalar_code(self):
        """The expressions of s0, s1, ... in C, over numbers `n_lr`, ... of type double."""
        return list(self._texts.values())

    def scalars(self, numbers):
        """The values of s0, s1, ... for the numbers of one call."""
        return self._prepare(**{key: float(value) for key, value in numbers.items()})

    def last_uses(self):
        """For each value, the line that reads it last; outputs are needed to the end."""
        last = dict.fromkeys(range(len(self.names) + len(self.steps)), -1)
        last.update(
            {value: line for line, step in enumerate(self.steps) for value in step.values()}
        )
        last.update(dict.fromkeys(self.outputs.values(), len(self.steps)))
        return last

    def add(self, name, *operands):
        """Notes a call and returns the symbol of its result."""
        operands = tuple(
            each.number if isinstance(each, Symbol) else self._scalar(each) for each in operands
        )
        result = len(self.names) + len(self.steps)
        self.steps.append(Step(name, operands, result))
        return Symbol(self, result)

    def _scalar(self, value):
        text = _text(value) if type(value) is Scalar else repr(float(value))
        code = value.code if type(value) is Scalar else text.replace("inf", "INFINITY")
        self._texts.setdefault(text, code)
        return f"s{list(self._texts).index(text)}"

    def _number(self, value):
        """The number of a value; a formula may also return a plain scalar for an array."""
        if isinstance(value, Symbol):
            return value.number
        return self.add("add", Symbol(self, 0) * 0.0, value).number


class _Arithmetic:
    """The operators of symbols: each one notes a call, or lengthens a scalar's text."""

    __slots__ = ()

    def __add__(self, other):
        return self._join("add", self, other)

    def __radd__(self, other):
        return self._join("add", other, self)

    def __sub__(self, other):
        return self._join("subtract", self, other)

    def __rsub__(self, other):
        return self._join("subtract", other, self)

    def __mul__(self, other):
        return self._join("multiply", self, other)

    def __rmul__(self, other):
        return self._join("multiply", other, self)

    def __truediv__(self, other):
        return self._join("divide", self, other)

    def __rtruediv__(self, other):
        return self._join("divide", other, self)

    def __pow__(self, other):
        return self._join("power", self, other)

    def __gt__(self, other):
        return self._join("greater", self, other)

    def __ge__(self, other):
        return self._join("greater_equal", self, other)

    def __lt__(self, other):
        return self._join("less", self, other)

    def __le__(self, other):
        return self._join("less_equal", self, other)

    def __and__(self, other):
        return self._join("logical_and", self, other)

    def __or__(self, other):
        return self._join("logical_or", self, other)

    def __neg__(self):
        return self._join("negative", self)

    def __bool__(self):
        raise TypeError("A formula to be fused may not branch on a value; use xp.where.")

    def _join(self, name, *operands):
        if any(isinstance(each, Symbol) for each in operands):
            return self.trace.add(name, *operands)
        return _scalar(self.trace, name, operands)


class Symbol(_Arithmetic):
    """An array that is not there yet."""

    __slots__ = ("trace", "number")

    def __init__(self, trace, number):
        self.trace = trace
        self.number = number

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self._join("equal", self, other)

    def __ne__(self, other):
        return self._join("not_equal", self, other)


class Scalar(_Arithmetic):
    """A number that is known at each call, as an expression of Python and of C."""

    __slots__ = ("trace", "text", "code")

    def __init__(self, trace, text, code):
        self.trace = trace
        self.text = text
        self.code = code


def _text(value):
    return value.text if type(value) is Scalar else repr(value)


def _scalar(trace, name, operands):
    """What a function makes of numbers alone."""
    codes = [each.code if type(each) is Scalar else repr(float(each)) for each in operands]
    primitive = PRIMITIVES[name]
    code = (primitive.c_number or primitive.number).format(*codes)
    return Scalar(trace, primitive.number.format(*map(_text, operands)), code)


class SymbolSpace:
    """The `xp` of a traced formula."""

    def __init__(self, trace):
        self.trace = trace

    def where(self, condition, yes, no):
        """`yes` where the condition holds, else `no`."""
        return self.trace.add("where", condition, yes, no)

    def at_least(self, x, low):
        """max(x, low)."""
        return self.maximum(x, low)

    def at_most(self, x, high):
        """min(x, high)."""
        return self.minimum(x, high)

    def keep(self, mask, x):
        """`x` where the mask holds, else 0."""
        return self.where(mask, x, 0.0)

    def square(self, x):
        """x * x."""
        return x * x

    def sigmoid(self, x):
        """1 / (1 + exp(-x))."""
        return 1 / (1 + self.exp(-x))

    def softplus(self, x):
        """log(1 + exp(x))."""
        return self.maximum(x, 0.0) + self.log1p(self.exp(-self.abs(x)))

    def quick_ndtr(self, x):
        """The normal distribution function."""
        return 0.5 * (1 + self.erf(x * math.sqrt(0.5)))

    def __getattr__(self, name):
        if name not in PRIMITIVES or not PRIMITIVES[name].c:
            raise AttributeError(f"'{name}' cannot be fused")
        trace = self.trace

        def note(*operands):
            if any(isinstance(each, Symbol) for each in operands):
                return trace.add(name, *operands)
            return _scalar(trace, name, operands)

        return note
