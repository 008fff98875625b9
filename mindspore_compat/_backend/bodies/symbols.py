"""Symbolic tracing: runs a formula once on symbols and records its operations. updates/fuse.py, the
other modules of bodies/ and steps/ generate kernels and loops from these records.

A `Trace` numbers its values: first the array arguments, then the result of each step. Numbers that
change from call to call are `Scalar`s. An expression of such numbers alone (`1 - beta1`) is
evaluated once per call, in float64, and passed to the program as `s0`, `s1`, ...
"""

import math
from dataclasses import dataclass

from ..elementwise import PRIMITIVES


@dataclass(frozen=True)
class Step:
    """One recorded operation.

    Attributes:
        name: the name of the operation, a key of `elementwise.PRIMITIVES` or a name that a
            subclass of SymbolSpace adds.
        operands: for each operand, the number of its value, or its text `s0`, ... if it is a
            scalar.
        result: the number of the result's value.
    """

    name: str
    operands: tuple
    result: int

    @property
    def is_bool(self):
        return self.name in PRIMITIVES and PRIMITIVES[self.name].is_bool

    def values(self):
        return [operand for operand in self.operands if type(operand) is int]


class Trace:
    """The operations of a formula on its arrays, for one setting of its flags.

    Args:
        formula: `formula(xp, *arrays, **numbers, **flags)`, which returns the new values of the
            written arrays.
        names: the names of the arrays.
        written: for each array, whether the formula writes to it.
        flags (dict): the arguments that select what the formula does.
        numbers: the names of the arguments that change from call to call.

    Attributes:
        outputs (dict): index of a written array -> the number of its new value.
    """

    def __init__(self, formula, names, written, flags, numbers):
        self.name = formula.__name__
        self.names = names
        self.written = written
        self.steps = []
        self._texts = {}  # expressions of numbers, in Python -> the same in C
        results = self._run_formula(formula, [True] * len(names), flags, numbers)
        targets = [index for index, writes in enumerate(written) if writes]
        self.outputs = {
            index: self._number(value) for index, value in zip(targets, results, strict=True)
        }
        self._prepare = self._preparation(numbers)

    def _run_formula(self, formula, present, flags, numbers):
        """Runs the formula on symbols and returns its results. `present` tells for each array
        whether it is a symbol or None."""
        arrays = [Symbol(self, index) if there else None for index, there in enumerate(present)]
        scalars = {key: Scalar(self, key, f"n_{key}") for key in numbers}
        return formula(self.space_type(self), *arrays, **scalars, **flags)

    def _preparation(self, numbers):
        """Returns a Python function that takes the numbers of a call and returns s0, s1, ... as a
        tuple."""
        codes = ", ".join(self._texts)
        source = f"lambda {', '.join(numbers)}: ({codes}{',' if codes else ''})"
        return eval(source, {"math": math, "inf": math.inf, "nan": math.nan})

    @property
    def space_type(self):
        """The type of the `xp` that the formula receives."""
        return SymbolSpace

    @property
    def scalar_count(self):
        return len(self._texts)

    def scalar_code(self):
        """Returns the expressions of s0, s1, ... in C, over numbers `n_lr`, ... of type double."""
        return list(self._texts.values())

    def scalars(self, numbers):
        """Returns the values of s0, s1, ... for the numbers of one call."""
        return self._prepare(**{key: float(value) for key, value in numbers.items()})

    def last_uses(self):
        """Returns a dict: number of a value -> index of the last step that reads it. It is -1 for a
        value that no step reads, and the number of steps for an output."""
        last = dict.fromkeys(range(len(self.names) + len(self.steps)), -1)
        last.update(
            {value: line for line, step in enumerate(self.steps) for value in step.values()}
        )
        last.update(dict.fromkeys(self.outputs.values(), len(self.steps)))
        return last

    def add(self, name, *operands):
        """Records an operation and returns the symbol of its result.

        Args:
            name (str): the name of the operation.
            operands: Symbols, Scalars and numbers.
        """
        operands = tuple(
            operand.number if isinstance(operand, Symbol) else self._scalar(operand)
            for operand in operands
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
        """Returns the number of a value that the formula returns. A plain number, which a formula
        may return in place of an array, becomes an array first."""
        if isinstance(value, Symbol):
            return value.number
        return self.add("add", Symbol(self, 0) * 0.0, value).number


class _Arithmetic:
    """The operators of Symbol and Scalar. An operator with a Symbol records a step; an operator
    with Scalars and numbers alone returns a longer Scalar expression."""

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
        if any(isinstance(operand, Symbol) for operand in operands):
            return self.trace.add(name, *operands)
        return _scalar(self.trace, name, operands)


class Symbol(_Arithmetic):
    """A placeholder for an array in a formula that is traced; `number` is the value's number."""

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
    """A placeholder for a number that changes from call to call. It holds the expression of the
    number in Python (`text`) and in C (`code`)."""

    __slots__ = ("trace", "text", "code")

    def __init__(self, trace, text, code):
        self.trace = trace
        self.text = text
        self.code = code


def _text(value):
    return value.text if type(value) is Scalar else repr(value)


def _scalar(trace, name, operands):
    """Returns the Scalar that applies the primitive `name` to operands that are all Scalars or
    numbers."""
    codes = [
        operand.code if type(operand) is Scalar else repr(float(operand)) for operand in operands
    ]
    primitive = PRIMITIVES[name]
    code = (primitive.c_number or primitive.number).format(*codes)
    return Scalar(trace, primitive.number.format(*map(_text, operands)), code)


class SymbolSpace:
    """The `xp` of a traced formula: its functions record steps of a trace."""

    def __init__(self, trace):
        self.trace = trace

    def where(self, condition, yes, no):
        """Returns `yes` where the condition holds, else `no`."""
        return self.trace.add("where", condition, yes, no)

    def at_least(self, x, low):
        """Computes max(x, low)."""
        return self._bounded("at_least", self.maximum, x, low)

    def at_most(self, x, high):
        """Computes min(x, high)."""
        return self._bounded("at_most", self.minimum, x, high)

    def clip(self, x, low, high):
        """Computes min(max(x, low), high)."""
        return self.at_most(self.at_least(x, low), high)

    def _bounded(self, name, general, x, bound):
        """Returns `x` bounded on one side, with the sign of `x` where both are zeros if the bound
        is a plain number."""
        if type(bound) in (int, float) and bound == bound and isinstance(x, Symbol):
            return self.trace.add(name, x, bound)
        return general(x, bound)

    def keep(self, mask, x):
        """Returns `x` where the mask holds, else 0."""
        return self.where(mask, x, 0.0)

    def square(self, x):
        """Computes x * x."""
        return x * x

    def sigmoid(self, x):
        """Computes 1 / (1 + exp(-x))."""
        return 1 / (1 + self.exp(-x))

    def softplus(self, x):
        """Computes log(1 + exp(x))."""
        return self.maximum(x, 0.0) + self.log1p(self.exp(-self.abs(x)))

    def quick_ndtr(self, x):
        """Computes the distribution function of the normal distribution."""
        return 0.5 * (1 + self.erf(x * math.sqrt(0.5)))

    def __getattr__(self, name):
        if name not in PRIMITIVES or not PRIMITIVES[name].c:
            raise AttributeError(f"'{name}' cannot be fused")
        trace = self.trace

        def note(*operands):
            if any(isinstance(operand, Symbol) for operand in operands):
                return trace.add(name, *operands)
            return _scalar(trace, name, operands)

        return note
