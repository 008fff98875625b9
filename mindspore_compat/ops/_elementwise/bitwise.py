"""Integer operations: bit shifts, bitwise logic, greatest common divisor and least common
multiple.
"""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Int, TensorOf, integer
from .._rules import Anything, Integers

Bits = TensorOf(integer | {"bool"}) | Int | Bool

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
    """Computes the greatest common divisor of two integers, element by element. A pair of int8 or
    uint8 inputs is rejected.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.gcd(ms.Tensor([12, 18]), ms.Tensor([8, 27])))
        [4 9]
    """
    _need_32_bits("gcd", input)
    return xp.gcd(input, other)


def _need_32_bits(api, promoted):
    """Rejects integers whose promoted dtype is int8 or uint8."""
    if promoted.dtype.kind in "iu" and promoted.dtype.itemsize == 1:
        raise TypeError(
            f"For '{api}', 'input' and 'other' must be promoted to int16, int32 or int64, but "
            f"got {promoted.dtype.name}."
        )


@op(
    "ops.lcm(input, other)",
    "Tensor.lcm(other)",
    "ops.Lcm()(x1: input, x2: other)",
    types=Promote("input other"),
)
def lcm(xp, input: Divisible, other: Divisible):
    """Computes the least common multiple of two integers, element by element. A pair of int8 or
    uint8 inputs is rejected.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.lcm(ms.Tensor([4, 6]), ms.Tensor([6, 8])))
        [12 24]
    """
    _need_32_bits("lcm", input)
    return xp.lcm(input, other)


def _bits(count):
    """Returns the count of a shift modulo the width of its dtype, if that is 32 or 64 bits."""
    return count & (8 * count.dtype.itemsize - 1) if count.dtype.itemsize >= 4 else count


@op(
    "ops.bitwise_left_shift(input, other)",
    "Tensor.bitwise_left_shift(other)",
    types=Promote("input other", need_tensor=True),
)
def bitwise_left_shift(xp, input: Whole, other: Whole):
    """Shifts the bits of each integer left by `other` places, which multiplies it by 2^other.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.bitwise_left_shift(ms.Tensor([1, 3]), ms.Tensor([2, 1])))
        [4 6]
    """
    return xp.left_shift(input, _bits(other))


@op("ops.LeftShift()(x1, x2)", types=SameDtype("x1 x2"))
def left_shift(xp, x1: Integers, x2: Integers):
    """Shifts the bits of each integer left by `x2` places, which multiplies it by 2^x2.

    Shapes:
        The shapes of `x1` and `x2` are broadcast. The result has the broadcast shape and the dtype
        to which both are promoted.

    Example:
        >>> print(ms.ops.LeftShift()(ms.Tensor([1, 3]), ms.Tensor([2, 1])))
        [4 6]
    """
    return xp.left_shift(x1, x2)


@op(
    "ops.bitwise_right_shift(input, other)",
    "Tensor.bitwise_right_shift(other)",
    types=Promote("input other", need_tensor=True),
)
def bitwise_right_shift(xp, input: Whole, other: Whole):
    """Shifts the bits of each integer right by `other` places; the sign is kept.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.bitwise_right_shift(ms.Tensor([8, -8]), ms.Tensor([2, 1])))
        [ 2 -4]
    """
    return xp.right_shift(input, _bits(other))


@op(
    "ops.RightShift()(input_x, input_y)",
    types=SameDtype("input_x input_y"),
    quirks=Quirks(errors={"ops.RightShift": TypeError}),
)
def right_shift(xp, input_x: Integers, input_y: Integers):
    """Shifts the bits of each integer right by `input_y` places; the sign is kept.

    Shapes:
        The shapes of `input_x` and `input_y` are broadcast. The result has the broadcast shape and
        the dtype to which both are promoted.

    Example:
        >>> print(ms.ops.RightShift()(ms.Tensor([8, -8]), ms.Tensor([2, 1])))
        [ 2 -4]
    """
    return xp.right_shift(input_x, input_y)


@op(
    "ops.bitwise_and(input, other)",
    "ops.BitwiseAnd()(x: input, y: other)",
    "Tensor.bitwise_and(other)",
    "Tensor.__and__(other)",
    "Tensor.__rand__(other)",
    "mint.bitwise_and(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(
        shapes_first=("mint.bitwise_and",),
        rules={"mint.bitwise_and": {"input": TensorOf(integer, "bool")}},
    ),
)
def bitwise_and(xp, input: Bits, other: Bits):
    """Computes the bitwise AND of two integers; for bools it is the logical AND.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.bitwise_and(ms.Tensor([6, 12]), ms.Tensor([3, 10])))
        [2 8]
    """
    return xp.bitwise_and(input, other)


@op(
    "ops.bitwise_or(input, other)",
    "ops.BitwiseOr()(x: input, y: other)",
    "Tensor.bitwise_or(other)",
    "Tensor.__or__(other)",
    "Tensor.__ror__(other)",
    "mint.bitwise_or(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(
        shapes_first=("mint.bitwise_or",),
        rules={"mint.bitwise_or": {"input": TensorOf(integer, "bool")}},
    ),
)
def bitwise_or(xp, input: Bits, other: Bits):
    """Computes the bitwise OR of two integers; for bools it is the logical OR.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.bitwise_or(ms.Tensor([6, 12]), ms.Tensor([3, 10])))
        [ 7 14]
    """
    return xp.bitwise_or(input, other)


@op(
    "ops.bitwise_xor(input, other)",
    "ops.BitwiseXor()(x: input, y: other)",
    "Tensor.bitwise_xor(other)",
    "Tensor.__xor__(other)",
    "Tensor.__rxor__(other)",
    "mint.bitwise_xor(input, other)",
    types=Promote("input other", need_tensor=True),
    quirks=Quirks(
        shapes_first=("mint.bitwise_xor",),
        rules={"mint.bitwise_xor": {"input": TensorOf(integer, "bool")}},
    ),
)
def bitwise_xor(xp, input: Bits, other: Bits):
    """Computes the bitwise XOR of two integers; for bools it is the logical XOR.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.bitwise_xor(ms.Tensor([6, 12]), ms.Tensor([3, 10])))
        [5 6]
    """
    return xp.bitwise_xor(input, other)


@op(
    "ops.invert(x)",
    "ops.Invert()(x)",
    "Tensor.invert()",
    "ops.bitwise_not(input: x)",
    compute="native",
    quirks=Quirks(
        rules={
            f"{area}.{name}": {"x": TensorOf(integer)}
            for area, name in (("ops", "invert"), ("ops", "Invert"), ("Tensor", "invert"))
        }
    ),
)
def invert(xp, x: TensorOf(integer | {"bool"})):
    """Computes the bitwise NOT of each integer, -x - 1 in a signed dtype.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.invert(ms.Tensor([0, 5, -1])))
        [-1 -6  0]
    """
    return xp.invert(x)


@op("ops.population_count(input_x)", "ops.PopulationCount()(input_x)", compute="native")
def population_count(
    xp, input_x: TensorOf("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
):
    """Computes the population count of each integer, the number of bits that are 1.

    Shapes:
        `input_x` may have any shape. The result has the same shape and is uint8.

    Example:
        >>> print(ms.ops.population_count(ms.Tensor([0, 7, 8], ms.int16)))
        [0 3 1]
    """
    bits = xp.cast(xp.cast(input_x, f"uint{8 * input_x.dtype.itemsize}"), "uint64")
    bits = bits - ((bits >> 1) & 0x5555555555555555)  # the counts of pairs of bits
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)  # of four
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F  # of bytes
    return xp.cast(bits % 255, "uint8")  # a number modulo 255 is the sum of its bytes


@op("mint.bitwise_not(input)", "Tensor.bitwise_not()", compute="native")
def bitwise_not(xp, input: Anything):
    """Computes the bitwise NOT of each integer, or the logical NOT of each bool. A RuntimeError is
    raised for other dtypes.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.bitwise_not(ms.Tensor([0, 5])))
        [-1 -6]
    """
    if input.dtype.kind not in "iub":
        raise RuntimeError(
            f"For 'bitwise_not', 'input' must be a Tensor of ints or bools, but got "
            f"dtype {input.dtype}."
        )
    return xp.invert(input)


@op("ops.CompareAndBitpack()(x, threshold)", types=SameDtype("x threshold"), compute="native")
def compare_and_bitpack(
    xp,
    x: TensorOf("bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    threshold: Anything,
):
    """Compares elements with a threshold and packs eight results into one byte, the first one as
    its highest bit.

    Shapes:
        `x` is (..., 8 n), `threshold` a scalar of the same dtype. The result is (..., n), of uint8.

    Example:
        >>> print(ms.ops.CompareAndBitpack()(ms.Tensor([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]),
        ...                                  ms.Tensor(0.5)))
        [131]
    """
    if x.ndim == 0 or x.shape[-1] % 8:
        raise ValueError(
            f"For 'CompareAndBitpack', the last axis must be a multiple of 8, but got {x.shape}."
        )
    if threshold.ndim:
        raise ValueError(
            f"For 'CompareAndBitpack', 'threshold' must be one number, but got {threshold.shape}."
        )
    return xp.reshape(xp.packbits(x > threshold), (*x.shape[:-1], x.shape[-1] // 8))
