"""The Primitives of the original whose inputs are Python's numbers and sequences: one table.

A line is the inputs and what is made of them. The names of numbers are those of
`ops.auto_generate`, the others those of `ops.operations._sequence_ops`.
"""

import functools
import math
import operator

from ..._core.declare.source import compiled
from ..primitive import Primitive

_TABLE = """
ScalarAdd(x, y) = x + y
ScalarBool(x) = bool(x)
ScalarDiv(x, y) = x / divisor('ScalarDiv', y)
ScalarEq(x, y) = x == y
ScalarFloorDiv(x, y) = x // divisor('ScalarFloorDiv', y)
ScalarGe(x, y) = x >= y
ScalarGt(x, y) = x > y
ScalarLe(x, y) = x <= y
ScalarLog(x) = log(x)
ScalarLt(x, y) = x < y
ScalarMax(x, y) = max(x, y)
ScalarMin(x, y) = min(x, y)
ScalarMod(x, y) = x % divisor('ScalarMod', y)
ScalarMul(x, y) = x * y
ScalarPow(x, y) = x ** y
ScalarSub(x, y) = x - y
ScalarUadd(x) = +x
ScalarUsub(x) = -x
InSequence(element, input_data) = element in input_data
ListAppend(input_data, target) = [*input_data, target]
ListInsert(input_data, index, target) = inserted(input_data, index, target)
SequenceAdd(input_1, input_2) = input_1 + input_2
SequenceCount(sequence, target) = sequence.count(target)
SequenceIndex(sequence, target, start=0, end=None) = index_of(sequence, target, start, end)
SequenceMax(sequence) = max(sequence)
SequenceMin(sequence) = min(sequence)
SequenceMul(sequence, scalar) = sequence * scalar
SequenceSlice(seq, start, stop, step) = seq[start:stop:step]
SequenceSliceSetItem(seq, target, start, stop, step) = replaced(seq, target, start, stop, step)
SliceGetItem(slice, attr) = part_of(slice, attr)
list_equal(x, y) = x == y
list_greater_equal(x, y) = x >= y
list_greater_than(x, y) = x > y
make_range(start, limit=None, delta=1) = numbers(start, limit, delta)
sequence_len(sequence) = len(sequence)
shape_mul(input_data) = product(input_data)
tuple_equal(x, y) = x == y
tuple_greater_equal(x, y) = x >= y
tuple_greater_than(x, y) = x > y
"""

LINES = {line.split("(", 1)[0]: line for line in _TABLE.strip().split("\n")}
__all__ = sorted(LINES)


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
        raise TypeError(f"For 'SliceGetItem', 'slice' must be a slice, but got {given!r} of type "
                        f"{type(given).__name__}.")
    return getattr(given, attr)


def _numbers(start, limit, delta):
    return tuple(range(start) if limit is None else range(start, limit, delta))


_SCOPE = {"divisor": _divisor, "inserted": _inserted, "index_of": _index_of,
          "replaced": _replaced, "part_of": _part_of, "numbers": _numbers, "log": math.log,
          "product": functools.partial(functools.reduce, operator.mul)}


@functools.cache
def made(name):
    """The Primitive of this name, or None if the table has none."""
    if name not in LINES:
        return None
    head, _, result = LINES[name].partition(" = ")
    inputs = head.removeprefix(f"{name}(").removesuffix(")")
    lines = ["def __init__(self):",
             f"    base.__init__(self, {name!r})",
             "",
             f"def __call__(self, {inputs}):",
             f"    return {result}"]
    scope = compiled(lines, {"base": Primitive, **_SCOPE}, f"ops.auto_generate.{name}")
    room = "auto_generate" if name.startswith("Scalar") else "operations._sequence_ops"
    return type(name, (Primitive,), {
        "__init__": scope["__init__"], "__call__": scope["__call__"],
        "__module__": f"mindspore_compat.ops.{room}",
        "__doc__": f"`{name}()({inputs})` on Python's values: `{result}`.\n\n"
                   f"Source: mindspore.ops.{room}.{name} of MindSpore 2.10.\n"})
