"""Whole numbers and their bits: shifts, common divisors and multiples, logic bit by bit."""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Int, TensorOf, integer

Bits = TensorOf(integer | {"bool"}) | Int | Bool

Places = TensorOf(integer)
Whole = TensorOf(integer) | Int | Bool
Divisors = TensorOf("int8", "uint8", "int16", "int32", "int64", "bool")
Divisible = TensorOf("int8", "uint8", "int16", "int32", "int64", "bool", scalars=True)


@op(
    "ops.gcd(input, other)",
    "Tensor.gcd(other)",
    "ops.Gcd()(input, other)",
    "mint.gcd(input, other)",
    types=Promote("input other"),
    quirks=Quirks(shapes_first=True),
)
def gcd(xp, input: Divisors, other: Divisors):
    """The greatest common divisor; int8 and uint8 must meet a wider dtype."""
    _need_wide("gcd", input)
    return xp.gcd(input, other)


def _need_wide(api, met):
    """Refuses what has met in int8 or uint8."""
    if met.dtype.kind in "iu" and met.dtype.itemsize == 1:
        raise TypeError(f"For '{api}', 'input' and 'other' must meet in int16, int32 or int64, but "
                        f"got {met.dtype.name}.")


@op(
    "ops.lcm(input, other)",
    "Tensor.lcm(other)",
    "ops.Lcm()(x1: input, x2: other)",
    types=Promote("input other"),
)
def lcm(xp, input: Divisible, other: Divisible):
    """The least common multiple; int8 and uint8 must meet a wider dtype."""
    _need_wide("lcm", input)
    return xp.lcm(input, other)


def _bits(count):
    """By how many bits 32 and 64 bits are shifted: `count` modulo their number."""
    return count & (8 * count.dtype.itemsize - 1) if count.dtype.itemsize >= 4 else count


@op(
    "ops.bitwise_left_shift(input, other)",
    "Tensor.bitwise_left_shift(other)",
    types=Promote("input other", need_tensor=True),
)
def bitwise_left_shift(xp, input: Whole, other: Whole):
    """The bits moved left, toward higher ones; by as many as processors do, see `_bits`."""
    return xp.left_shift(input, _bits(other))


@op("ops.LeftShift()(x1, x2)", types=SameDtype("x1 x2"))
def left_shift(xp, x1: Places, x2: Places):
    """The bits moved left, toward higher places."""
    return xp.left_shift(x1, x2)


@op(
    "ops.bitwise_right_shift(input, other)",
    "Tensor.bitwise_right_shift(other)",
    types=Promote("input other", need_tensor=True),
)
def bitwise_right_shift(xp, input: Whole, other: Whole):
    """The bits moved right, toward lower places; the sign stays."""
    return xp.right_shift(input, _bits(other))


@op(
    "ops.RightShift()(input_x, input_y)",
    types=SameDtype("input_x input_y"),
    quirks=Quirks(errors={"ops.RightShift": TypeError}),
)
def right_shift(xp, input_x: Places, input_y: Places):
    """The bits moved right, toward lower places; the sign stays."""
    return xp.right_shift(input_x, input_y)


@op(
    "ops.bitwise_and(input, other)",
    "ops.BitwiseAnd()(x: input, y: other)",
    "Tensor.bitwise_and(other)",
    "Tensor.__and__(other)",
    "Tensor.__rand__(other)",
    "mint.bitwise_and(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(rules={"mint.bitwise_and": {"input": TensorOf(integer, "bool")}}),
)
def bitwise_and(xp, input: Bits, other: Bits):
    """The bits set in both, element by element; logical and for bools."""
    return xp.bitwise_and(input, other)


@op(
    "ops.bitwise_or(input, other)",
    "ops.BitwiseOr()(x: input, y: other)",
    "Tensor.bitwise_or(other)",
    "Tensor.__or__(other)",
    "Tensor.__ror__(other)",
    "mint.bitwise_or(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(rules={"mint.bitwise_or": {"input": TensorOf(integer, "bool")}}),
)
def bitwise_or(xp, input: Bits, other: Bits):
    """The bits set in either, element by element; logical or for bools."""
    return xp.bitwise_or(input, other)


@op(
    "ops.bitwise_xor(input, other)",
    "ops.BitwiseXor()(x: input, y: other)",
    "Tensor.bitwise_xor(other)",
    "Tensor.__xor__(other)",
    "Tensor.__rxor__(other)",
    "mint.bitwise_xor(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(rules={"mint.bitwise_xor": {"input": TensorOf(integer, "bool")}}),
)
def bitwise_xor(xp, input: Bits, other: Bits):
    """The bits set in exactly one, element by element; logical xor for bools."""
    return xp.bitwise_xor(input, other)


@op(
    "ops.invert(x)",
    "ops.Invert()(x)",
    "Tensor.invert()",
    "ops.bitwise_not(input: x)",
    compute="native",
    quirks=Quirks(rules={f"{area}.{name}": {"x": TensorOf(integer)}
           for area, name in (("ops", "invert"), ("ops", "Invert"), ("Tensor", "invert"))}),
)
def invert(xp, x: TensorOf(integer | {"bool"})):
    """Every bit flipped."""
    return xp.invert(x)


@op("ops.population_count(input_x)", "ops.PopulationCount()(input_x)", compute="native")
def population_count(xp, input_x: TensorOf("int8", "int16", "int32", "int64", "uint8", "uint16",
                                           "uint32", "uint64")):
    """How many bits of each element are 1; uint8."""
    bits = xp.cast(input_x, "uint64")
    shown = [(bits >> xp.asarray(i, "uint64")) & xp.asarray(1, "uint64")
             for i in range(8 * input_x.dtype.itemsize)]
    return xp.cast(sum(shown), "uint8")
