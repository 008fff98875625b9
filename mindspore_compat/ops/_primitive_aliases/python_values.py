"""The Primitives of the original whose inputs are Python's numbers and sequences.

The names of numbers are those of `ops.auto_generate`, the others those of
`ops.operations._sequence_ops`.
"""

import functools
import math
import operator

from ..._core.rules.vocabulary import InstanceOf
from .alias import ALIASES, alias
from .alias import made as made_of

_Slice = InstanceOf(slice)

AREAS = ("ops.auto_generate", "ops.operations._sequence_ops")


def _divisor(name, y):
    """`y`, with the error of the original if it is zero."""
    if not isinstance(y, (str, bytes)) and y == 0:
        raise ValueError(f"For '{name}', the divisor must not be zero, but got {y!r}.")
    return y


def _inserted(items, index, target):
    items = list(items)
    items.insert(index, target)
    return items


def _index_of(sequence, target, start, end):
    return sequence.index(target, start, len(sequence) if end is None else end)


def _replaced(seq, target, start, stop, step):
    items = list(seq)
    items[start:stop:step] = target
    return type(seq)(items)


def _part_of(given, attr):
    """`start`, `stop` or `step` of a slice."""
    if not isinstance(given, slice):
        _Slice.refuse("SliceGetItem", "slice", given)
    return getattr(given, attr)


def _numbers(start, limit, delta):
    return tuple(range(start) if limit is None else range(start, limit, delta))


alias("ops.auto_generate.ScalarAdd()(x, y)", lambda x, y: x + y)
alias("ops.auto_generate.ScalarBool()(x)", lambda x: bool(x))
alias("ops.auto_generate.ScalarDiv()(x, y)", lambda x, y: x / _divisor("ScalarDiv", y))
alias("ops.auto_generate.ScalarEq()(x, y)", lambda x, y: x == y)
alias("ops.auto_generate.ScalarFloorDiv()(x, y)", lambda x, y: x // _divisor("ScalarFloorDiv", y))
alias("ops.auto_generate.ScalarGe()(x, y)", lambda x, y: x >= y)
alias("ops.auto_generate.ScalarGt()(x, y)", lambda x, y: x > y)
alias("ops.auto_generate.ScalarLe()(x, y)", lambda x, y: x <= y)
alias("ops.auto_generate.ScalarLog()(x)", lambda x: math.log(x))
alias("ops.auto_generate.ScalarLt()(x, y)", lambda x, y: x < y)
alias("ops.auto_generate.ScalarMax()(x, y)", lambda x, y: max(x, y))
alias("ops.auto_generate.ScalarMin()(x, y)", lambda x, y: min(x, y))
alias("ops.auto_generate.ScalarMod()(x, y)", lambda x, y: x % _divisor("ScalarMod", y))
alias("ops.auto_generate.ScalarMul()(x, y)", lambda x, y: x * y)
alias("ops.auto_generate.ScalarPow()(x, y)", lambda x, y: x**y)
alias("ops.auto_generate.ScalarSub()(x, y)", lambda x, y: x - y)
alias("ops.auto_generate.ScalarUadd()(x)", lambda x: +x)
alias("ops.auto_generate.ScalarUsub()(x)", lambda x: -x)
alias(
    "ops.operations._sequence_ops.InSequence()(element, input_data)",
    lambda element, input_data: element in input_data,
)
alias(
    "ops.operations._sequence_ops.ListAppend()(input_data, target)",
    lambda input_data, target: [*input_data, target],
)
alias(
    "ops.operations._sequence_ops.ListInsert()(input_data, index, target)",
    lambda input_data, index, target: _inserted(input_data, index, target),
)
alias(
    "ops.operations._sequence_ops.SequenceAdd()(input_1, input_2)",
    lambda input_1, input_2: input_1 + input_2,
)
alias(
    "ops.operations._sequence_ops.SequenceCount()(sequence, target)",
    lambda sequence, target: sequence.count(target),
)
alias(
    "ops.operations._sequence_ops.SequenceIndex()(sequence, target, start=0, end=None)",
    lambda sequence, target, start, end: _index_of(sequence, target, start, end),
)
alias("ops.operations._sequence_ops.SequenceMax()(sequence)", lambda sequence: max(sequence))
alias("ops.operations._sequence_ops.SequenceMin()(sequence)", lambda sequence: min(sequence))
alias(
    "ops.operations._sequence_ops.SequenceMul()(sequence, scalar)",
    lambda sequence, scalar: sequence * scalar,
)
alias(
    "ops.operations._sequence_ops.SequenceSlice()(seq, start, stop, step)",
    lambda seq, start, stop, step: seq[start:stop:step],
)
alias(
    "ops.operations._sequence_ops.SequenceSliceSetItem()(seq, target, start, stop, step)",
    lambda seq, target, start, stop, step: _replaced(seq, target, start, stop, step),
)
alias(
    "ops.operations._sequence_ops.SliceGetItem()(slice, attr)",
    lambda slice, attr: _part_of(slice, attr),
)
alias("ops.operations._sequence_ops.list_equal()(x, y)", lambda x, y: x == y)
alias("ops.operations._sequence_ops.list_greater_equal()(x, y)", lambda x, y: x >= y)
alias("ops.operations._sequence_ops.list_greater_than()(x, y)", lambda x, y: x > y)
alias(
    "ops.operations._sequence_ops.make_range()(start, limit=None, delta=1)",
    lambda start, limit, delta: _numbers(start, limit, delta),
)
alias("ops.operations._sequence_ops.sequence_len()(sequence)", lambda sequence: len(sequence))
alias(
    "ops.operations._sequence_ops.shape_mul()(input_data)",
    lambda input_data: functools.reduce(operator.mul, input_data),
)
alias("ops.operations._sequence_ops.tuple_equal()(x, y)", lambda x, y: x == y)
alias("ops.operations._sequence_ops.tuple_greater_equal()(x, y)", lambda x, y: x >= y)
alias("ops.operations._sequence_ops.tuple_greater_than()(x, y)", lambda x, y: x > y)

__all__ = sorted(
    name
    for area in AREAS
    for name, (*_, target) in ALIASES[area].items()
    if getattr(target, "__module__", None) == __name__
)


def made(name):
    """The Primitive of this name, or None if no line declares it."""
    return next(filter(None, (made_of(area, name) for area in AREAS)), None)
