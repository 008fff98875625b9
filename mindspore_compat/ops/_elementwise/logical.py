"""Logic of truth values, element by element."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, TensorOf, any_dtype

Anything = TensorOf(any_dtype)
Truth = TensorOf(any_dtype) | Bool


@op("ops.logical_and(input, other)", "ops.LogicalAnd()(x: input, y: other)",
    "mint.logical_and(input, other)")
def logical_and(xp, input: Truth, other: Truth):
    """True where both elements are true."""
    return xp.logical_and(input, other)


@op("ops.logical_or(input, other)", "ops.LogicalOr()(x: input, y: other)",
    "mint.logical_or(input, other)")
def logical_or(xp, input: Truth, other: Truth):
    """True where either element is true."""
    return xp.logical_or(input, other)


@op("ops.logical_xor(input, other)", "ops.LogicalXor()(x: input, y: other)",
    "mint.logical_xor(input, other)")
def logical_xor(xp, input: Truth, other: Truth):
    """True where exactly one element is true."""
    return xp.logical_xor(input, other)


@op("ops.logical_not(input)", "ops.LogicalNot()(input)", "Tensor.logical_not()",
    "mint.logical_not(input)",
    "Tensor.__invert__()")
def logical_not(xp, input: Anything):
    """True where the element is false."""
    return xp.logical_not(input)
