"""MindSpore's Primitives whose inputs or results are Python numbers and sequences.

Primitives of numbers are shown in `ops.auto_generate`, those of sequences in
`ops.operations._sequence_ops`.
"""

import functools
import math
import operator

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    InstanceOf,
    ListOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive
from .alias import ALIASES, alias, find_alias

_Slice = InstanceOf(slice)

AREAS = ("ops.auto_generate", "ops.operations._sequence_ops")


def _divisor(name, y):
    """Returns `y`; raises MindSpore's error if it is zero."""
    if not isinstance(y, (str, bytes)) and y == 0:
        raise ValueError(f"For '{name}', the divisor must not be zero, but got {y!r}.")
    return y


def _insert(items, index, target):
    items = list(items)
    items.insert(index, target)
    return items


def _index_of(sequence, target, start, end):
    return sequence.index(target, start, len(sequence) if end is None else end)


def _replace(seq, target, start, stop, step):
    items = list(seq)
    items[start:stop:step] = target
    return type(seq)(items)


def _part_of(bounds, attr):
    """Returns `start`, `stop` or `step` of a slice."""
    if not isinstance(bounds, slice):
        _Slice.refuse("SliceGetItem", "slice", bounds)
    return getattr(bounds, attr)


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
    lambda input_data, index, target: _insert(input_data, index, target),
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
    lambda seq, target, start, stop, step: _replace(seq, target, start, stop, step),
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


@public("ops.auto_generate.BoolNot")
class BoolNot(Primitive):
    """Computes `not x` of a bool, as a Tensor.

    Raises:
        TypeError: if `x` is not a bool.

    Source: mindspore.ops.auto_generate.BoolNot of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("BoolNot")

    @checked
    def __call__(self, x: Bool):
        return Tensor(not x)


@public("ops.auto_generate.TensorToScalar")
class TensorToScalar(Primitive):
    """Returns the number in a Tensor of one element, as a Python number.

    Raises:
        TypeError: if `x` is not a Tensor.
        ValueError: if `x` does not have exactly one element.

    Source: mindspore.ops.auto_generate.TensorToScalar of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("TensorToScalar")

    @checked
    def __call__(self, x: TensorOf(any_dtype)):
        if x.size != 1:
            raise ValueError(
                f"For 'TensorToScalar', 'x' must have one element, but got shape {x.shape}."
            )
        return x.item()


@public("ops.auto_generate.TupleToTensor")
class TupleToTensor(Primitive):
    """Makes a Tensor of a tuple of numbers, which all have one type.

    Inputs: the tuple, and a dtype. Without a dtype, bools stay bools, ints become int64, and floats
    float32.

    Raises:
        TypeError: if `input_tuple` is not a tuple or list of numbers, or `dtype` is not one of
            these.
        ValueError: if the tuple is empty and no dtype is given.
        RuntimeError: if the numbers have different types.

    Source: mindspore.ops.auto_generate.TupleToTensor of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("TupleToTensor")

    @checked
    def __call__(self, input_tuple: TupleOf() | ListOf(), dtype: DType = None):
        kinds = {type(number) for number in input_tuple}
        if not kinds <= {bool, int, float}:
            raise TypeError(
                f"For 'TupleToTensor', 'input_tuple' must hold numbers, but got {input_tuple!r}."
            )
        if len(kinds) > 1:
            raise RuntimeError(
                f"For 'TupleToTensor', 'input_tuple' must hold numbers of one type, but got "
                f"{input_tuple!r}."
            )
        if dtype is None and not kinds:
            raise ValueError("For 'TupleToTensor', 'dtype' must be given for an empty tuple.")
        of_kind = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float32}
        return Tensor(list(input_tuple), dtype or of_kind[kinds.pop()])


__all__ = sorted(
    name
    for area in AREAS
    for name, (*_, target) in ALIASES[area].items()
    if getattr(target, "__module__", None) == __name__
)


def find_value(name):
    """Returns the Primitive of this name, or None if no line declares it."""
    return next(filter(None, (find_alias(area, name) for area in AREAS)), None)
