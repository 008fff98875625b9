"""The vocabulary of parameter rules: `Int`, `Float`, `OneOf`, `TensorOf`, ... and `checked`.

A rule is written once, as the annotation of a parameter:

    @checked(Forbid("use_lazy and use_offload"))
    def __init__(self, params: Params, beta1: Float(gt=0.0, lt=1.0) = 0.9, axis: Int | None = None)

and provides the check, the error, the documentation line and the tests of the error. Calling a rule
returns a new, refined rule. `|` joins rules; `| None`, or a default of None, allows None. As in
MindSpore, `Float` refuses ints and `Int` refuses bools. Both accept instances of Python's float or
int: `numpy.float64`, but no other NumPy scalar; `numpy_scalars=True` accepts those too. The
functions of `ops`, `mint`, `numpy` and Tensor accept NumPy scalars in place of Python numbers
(`number_forms.plain_numbers`), except for the parameters listed in python_numbers.py.

The base of rules is in base.py. Rules for Tensors and dtypes are in tensor_rules.py, generated
checks in checked.py.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from .base import (
    AsValue,
    Examples,
    NoneRule,
    Rule,
    as_rule,
    both,
    call,
    join,
    register_type,
    registered,
    type_named,
)
from .checked import Forbid, OneDtype, checked, guard_all, refuse_all, rules_of
from .instance_rules import InstanceOf
from .tensor_rules import (
    InTensor,
    ScalarOf,
    TensorOf,
    _DType,
    _is_tensor,
    _NamedDType,
    any_dtype,
    floating,
    integer,
    number,
    real,
)

__all__ = [
    "OneDtype",
    "Any",
    "AsValue",
    "Bool",
    "Callable",
    "CellOf",
    "DType",
    "Examples",
    "Float",
    "Forbid",
    "InTensor",
    "Init",
    "InstanceOf",
    "Int",
    "ListOf",
    "Number",
    "OneOf",
    "Params",
    "Plain",
    "Rate",
    "Rule",
    "NamedDType",
    "ScalarOf",
    "Str",
    "TensorOf",
    "TupleOf",
    "any_dtype",
    "checked",
    "floating",
    "guard_all",
    "inf",
    "integer",
    "number",
    "real",
    "refuse_all",
    "register_type",
    "rules_of",
]

inf = math.inf


# Scalars ------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class _Scalar(Rule):
    """A number in a range, which never contains NaN. `numpy_scalars` also accepts NumPy scalars."""

    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    numpy_scalars: bool = False

    def __call__(self, **bounds):
        return type(self)(**bounds)

    def kind(self, name):
        return (self._with_numpy if self.numpy_scalars else self._python_only).format(name)

    def value(self, name):
        low, high = self._low(), self._high()
        below = "" if low is None else f"{_literal(low)} {'<=' if self.gt is None else '<'} "
        above = "" if high is None else f" {'<=' if self.lt is None else '<'} {_literal(high)}"
        return f"{below}{name}{above}" if below or above else ""

    def scope(self):
        numpy_scalars = (
            {"_integer": np.integer, "_floating": np.floating} if self.numpy_scalars else {}
        )
        return {"_inf": inf, **numpy_scalars}

    def kind_noun(self):
        return self._noun

    def noun(self):
        low, high = self._low(), self._high()
        if low is not None and high is not None:
            opening, closing = "[" if self.gt is None else "(", "]" if self.lt is None else ")"
            return f"{self._noun} in {opening}{low!r}, {high!r}{closing}"
        if low is not None:
            return f"{self._noun} {'>=' if self.gt is None else '>'} {low!r}"
        if high is not None:
            return f"{self._noun} {'<=' if self.lt is None else '<'} {high!r}"
        return self._noun

    def samples(self):
        low, high, step = self._low(), self._high(), self._step
        values = [1, 0, -2]
        if low is not None:
            values = [low + step, low, low - step]
        if high is not None and high != inf:
            values = [high - step, high, high + step]
        if low is not None and high is not None and high != inf:
            values = [low + (high - low) / 2, low, high, low - step, high + step]
        return [self._make(value) for value in values] + self._misses

    def _low(self):
        return self.ge if self.gt is None else self.gt

    def _high(self):
        return self.le if self.lt is None else self.lt

    def annotation(self):
        return self._type

    def source(self):
        bounds = {
            key: getattr(self, key)
            for key in ("gt", "ge", "lt", "le")
            if getattr(self, key) is not None
        }
        return call(self._name, **bounds, **({"numpy_scalars": True} if self.numpy_scalars else {}))


class _Int(_Scalar):
    _name, _noun, _type, _make, _step = "Int", "an int", "int", int, 1
    _python_only = "(type({0}) is int or isinstance({0}, int) and type({0}) is not bool)"
    _with_numpy = "(type({0}) is int or isinstance({0}, (int, _integer)) and type({0}) is not bool)"
    _misses = [1.0, "1", True, None]


class _Float(_Scalar):
    _name, _noun, _type, _make, _step = "Float", "a float", "float", float, 0.1
    _python_only = "isinstance({0}, float)"
    _with_numpy = "isinstance({0}, (float, _floating))"
    _misses = [1, "0.5", None, math.nan]


class _Number(_Scalar):
    _name, _noun, _type, _make, _step = "Number", "a number", "float", float, 0.5
    _python_only = "(isinstance({0}, (float, int)) and type({0}) is not bool)"
    _with_numpy = "(isinstance({0}, (float, int, _integer, _floating)) and type({0}) is not bool)"
    _misses = [1, "0.5", True, None, math.nan]


class _Plain(Rule):
    """A value of a built-in Python type, without refinement."""

    _type = "Any"

    def kind(self, name):
        return self._kind.format(name)

    def noun(self):
        return self._noun

    def samples(self):
        return list(self._samples)

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))

    def annotation(self):
        return self._type


class _Bool(_Plain):
    _type = "bool"
    _kind, _noun, _samples = "type({0}) is bool", "a bool", (True, False, 1, "True", None)


class _Str(_Plain):
    _type = "str"
    _kind, _noun, _samples = "isinstance({0}, str)", "a str", ("text", 1, None)


class _Callable(_Plain):
    _type = "Callable[..., Any]"
    _kind, _noun, _samples = "callable({0})", "a callable", (abs, 1, None)


class _Any(_Plain):
    _kind, _noun, _samples = "True", "any value", (1, "text", None)


@dataclass(frozen=True, repr=False)
class OneOf(Rule):
    """One of a few strings or numbers; a value of the wrong type raises a TypeError."""

    choices: tuple

    def __init__(self, *choices):
        object.__setattr__(self, "choices", choices)

    def _kinds(self):
        return join(*(_rule_of[type(choice)] for choice in self.choices))

    def kind(self, name):
        return self._kinds().kind(name)

    def value(self, name):
        return f"{name} in {self.choices!r}"

    def noun(self):
        return "one of " + ", ".join(map(repr, self.choices))

    def kind_noun(self):
        return self._kinds().noun()

    def samples(self):
        beyond = [
            max(c for c in self.choices if type(c) is kind) + 1
            for kind in (int, float)
            if any(type(c) is kind for c in self.choices)
        ]
        return [*self.choices, "no such choice", *beyond, 1, None]

    def annotation(self):
        return f"Literal[{', '.join(map(repr, self.choices))}]"

    def source(self):
        return call("OneOf", *self.choices)


# Containers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class _Sequence(Rule):
    """A tuple or list whose items obey a rule; `length` is a number, or a tuple of numbers.

    Another length is a ValueError; a TypeError if `length_is_kind`.
    """

    item: Rule | None = None
    length: int | tuple | None = None
    min_length: int = 0
    length_is_kind: bool = False

    def __call__(self, item=None, **refinement):
        return type(self)(item, **refinement)

    @property
    def _item(self) -> Rule:
        return Any if self.item is None else as_rule(self.item)

    def kind(self, name):
        kind = f"isinstance({name}, {self._type})"
        kind = both(kind, self._length(name)) if self.length_is_kind else kind
        return both(kind, self._check_items(name, self._item.kind))

    def value(self, name):
        item_lines = self._check_items(name, self._item.guard) if self._item.value("x") else ""
        length = "" if self.length_is_kind else self._length(name)
        return both(length, item_lines) if length else item_lines

    def guard(self, name):
        right_type = both(f"isinstance({name}, {self._type})", self._length(name))
        if type(self.length) is int and self.length < 4:  # a loop costs 0.3 us, one item 0.05
            items = [self._item.guard(f"{name}[{index}]") for index in range(self.length)]
            return " and ".join([right_type, *(item for item in items if item != "True")])
        return both(right_type, self._check_items(name, self._item.guard))

    def _check_items(self, name: str, condition) -> str:
        item_name = re.sub(r"\W", "_", name) + "_item"
        text = condition(item_name)
        return "" if text == "True" else f"all([{text} for {item_name} in {name}])"

    def _length(self, name: str) -> str:
        if self.length is not None:
            several = isinstance(self.length, tuple)
            return f"len({name}) {'in' if several else '=='} {self.length!r}"
        return f"len({name}) >= {self.min_length}" if self.min_length else ""

    def scope(self):
        return self._item.scope()

    def kind_noun(self):
        count = self._count() if self.length_is_kind else ""
        return self._words(count, _plural(self._item.kind_noun()))

    def noun(self):
        return self._words(self._count(), _plural(self._item.noun()))

    def _count(self) -> str:
        """Returns the words for the length."""
        if self.length is not None:
            lengths = self.length if isinstance(self.length, tuple) else (self.length,)
            return " or ".join(map(str, lengths)) + " "
        return f"at least {self.min_length} " if self.min_length else ""

    def _words(self, count: str, items: str) -> str:
        return f"a {self._type} of {count}{items}"

    def samples(self):
        good, type_errors, value_errors = self._item.examples()
        count = self.length[0] if isinstance(self.length, tuple) else self.length
        count = max(self.min_length, 1) if count is None else count
        first = [good[0]] * (count - 1)
        rows = [first + [sample] for sample in good + type_errors + value_errors if count]
        rows += [[good[0]] * (count + 7), []]
        return [self._make(row) for row in rows] + [good[0], "text", None]

    def annotation(self):
        item = self._item.annotation()
        if self._type == "list":
            return f"list[{item}]"
        exact = isinstance(self.length, int) and 0 < self.length < 5
        return f"tuple[{', '.join([item] * self.length) if exact else f'{item}, ...'}]"

    def source(self):
        options = {
            "length": self.length,
            "min_length": self.min_length or None,
            "length_is_kind": self.length_is_kind or None,
        }
        options = {key: value for key, value in options.items() if value is not None}
        return call(self._name, *([] if self.item is None else [self.item]), **options)


class _Tuple(_Sequence):
    _name, _type, _make = "TupleOf", "tuple", tuple


class _List(_Sequence):
    _name, _type, _make = "ListOf", "list", list


# MindSpore's own types ----------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class _CellOf(Rule):
    """A Cell, or an instance of the class registered under `name`."""

    name: str = "Cell"

    def __call__(self, name="Cell"):
        return type(self)(name)

    def kind(self, name):
        return f"isinstance({name}, {self.name})"

    def scope(self):
        return {self.name: type_named(self.name)}

    def noun(self):
        return f"an instance of {self.name}" if self.name != "Cell" else "a Cell"

    def samples(self):
        return [1, "text", None] + ([type_named("Cell")()] if self.name == "Cell" else [])

    def annotation(self):
        return self.name

    def source(self):
        return "CellOf" if self.name == "Cell" else f"CellOf({self.name!r})"


def _is_iterable(value) -> bool:
    """Returns whether a value is an iterable other than text; a 0-d array is not iterable."""
    return (
        hasattr(value, "__iter__")
        and not isinstance(value, (str, bytes))
        and getattr(value, "ndim", 1) > 0
    )


def _is_empty(value) -> bool:
    """Returns True for text, or a Tensor with axes, that holds nothing: like an empty list, a
    ValueError."""
    if _is_tensor(value):
        return value.shape[:1] == (0,)
    return isinstance(value, (str, bytes)) and not value


class _Params(_Plain):
    """The parameters that an optimizer trains; the optimizer checks the items."""

    _type = "Iterable[Parameter] | Iterable[dict[str, Any]] | None"
    _noun = "a non-empty iterable of Parameter or dict"

    def kind(self, name):
        iterable = f"_is_iterable({name}) and not _is_tensor({name})"
        return f"({name} is None or {iterable} or _is_empty({name}))"

    def value(self, name):
        return f"({name} is not None and (not hasattr({name}, '__len__') or len({name}) > 0))"

    def scope(self):
        return {"_is_iterable": _is_iterable, "_is_tensor": _is_tensor, "_is_empty": _is_empty}

    def kind_noun(self):
        return "an iterable"

    def refuse(self, api, name, value):
        """Raises the error for `value` as every rule does. The message for an empty
        value keeps the words that scripts look for."""
        try:
            super().refuse(api, name, value)
        except ValueError as error:
            if value is None:
                raise
            words = "For 'Optimizer', the argument parameters must not be empty."
            raise ValueError(f"{words} {error}") from None

    def samples(self):
        weight = type_named("Parameter")(type_named("Tensor")(np.ones(2, np.float32)), name="w")
        return [[weight], (weight,), [{"params": [weight]}], [], (), None, 1, "text", weight]


class _Rate(_Plain):
    """A learning rate: a number, a value per step, or a schedule."""

    _type = "float | Tensor | Iterable[float] | LearningRateSchedule"
    _noun = (
        "a non-negative finite number, a Tensor of 0 or 1 dimensions, an iterable or a "
        "LearningRateSchedule"
    )

    def kind(self, name):
        return (
            f"(isinstance({name}, (float, int)) or _is_tensor({name}) or _is_iterable({name})"
            f" or _is_schedule({name}))"
        )

    def value(self, name):
        return (
            f"(0 <= {name} < _inf if isinstance({name}, (float, int))"
            f" else not _is_tensor({name}) or len({name}.shape) < 2)"
        )

    def scope(self):
        return {
            "_is_iterable": _is_iterable,
            "_is_tensor": _is_tensor,
            "_is_schedule": _is_schedule,
            "_inf": inf,
        }

    def samples(self):
        tensor_class = type_named("Tensor")
        return [
            0.1,
            1,
            0.0,
            True,
            tensor_class(np.float32(0.1)),
            tensor_class(np.ones(3, np.float32)),
            [0.1, 0.2],
            tensor_class(np.ones((2, 2), np.float32)),
            -0.1,
            -1,
            math.nan,
            inf,
            "0.1",
            None,
            abs,
        ]


def _is_schedule(value) -> bool:
    """Returns whether a value is a learning rate schedule; False until a schedule module is
    imported."""
    return isinstance(value, registered("LearningRateSchedule"))


class _Init(_Plain):
    """The initial value of a parameter: a name, a number, a Tensor or an Initializer."""

    _type = "str | float | Tensor | Initializer"
    _noun = "a str, a number, a Tensor or an Initializer"

    def kind(self, name):
        return f"isinstance({name}, (str, int, float, _np_number, Tensor, Initializer))"

    def scope(self):
        return {
            "_np_number": (np.integer, np.floating),
            "Tensor": type_named("Tensor"),
            "Initializer": type_named("Initializer"),
        }

    def samples(self):
        return [
            "normal",
            "zeros",
            1,
            0.5,
            type_named("Tensor")(np.ones(2, np.float32)),
            [1.0],
            np.ones(2),
            None,
        ]


# The vocabulary -----------------------------------------------------------------------------------

Int, Float, Number, Bool, Str = _Int(), _Float(), _Number(), _Bool(), _Str()
Callable, Any = _Callable(), _Any()
TupleOf, ListOf = _Tuple(), _List()
DType, CellOf, Params, Rate, Init = _DType(), _CellOf(), _Params(), _Rate(), _Init()
NamedDType = _NamedDType()

LayerDType = AsValue(DType, NoneRule())  # without a dtype there is no initial value to make
Plain = join(None, Bool, Str, Number, TupleOf, ListOf)  # all but Tensors, for AsValue

_rule_of = {str: Str, bool: Bool, int: Int, float: Float, type(None): NoneRule()}


def _literal(bound) -> str:
    return repr(bound).replace("inf", "_inf")


def _plural(noun: str) -> str:
    """Returns the plural of a noun: "ints >= 1" for "an int >= 1"; several alternatives keep their
    singular."""
    if " or " in noun or noun.startswith("one of"):
        return f"({noun})"
    return re.sub(r"^an? (\w+)", r"\1s", noun)
