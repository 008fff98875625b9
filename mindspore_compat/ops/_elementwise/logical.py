"""Logical operations on truth values, element by element."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, TensorOf, any_dtype
from .._rules import Anything

Truth = TensorOf(any_dtype) | Bool


@op(
    "ops.logical_and(input, other)",
    "ops.LogicalAnd()(x: input, y: other)",
    "mint.logical_and(input, other)",
)
def logical_and(xp, input: Truth, other: Truth):
    """Computes the logical AND, element by element; an element is true if it is not 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.logical_and(ms.Tensor([True, True, False]),
        ...                          ms.Tensor([True, False, False])))
        [ True False False]
    """
    return xp.logical_and(input, other)


@op(
    "ops.logical_or(input, other)",
    "ops.LogicalOr()(x: input, y: other)",
    "mint.logical_or(input, other)",
)
def logical_or(xp, input: Truth, other: Truth):
    """Computes the logical OR, element by element; an element is true if it is not 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.logical_or(ms.Tensor([True, True, False]),
        ...                         ms.Tensor([True, False, False])))
        [ True  True False]
    """
    return xp.logical_or(input, other)


@op(
    "ops.logical_xor(input, other)",
    "ops.LogicalXor()(x: input, y: other)",
    "mint.logical_xor(input, other)",
)
def logical_xor(xp, input: Truth, other: Truth):
    """Computes the logical XOR, element by element; an element is true if it is not 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.logical_xor(ms.Tensor([True, True, False]),
        ...                          ms.Tensor([True, False, False])))
        [False  True False]
    """
    return xp.logical_xor(input, other)


@op(
    "ops.logical_not(input)",
    "ops.LogicalNot()(input)",
    "Tensor.logical_not()",
    "mint.logical_not(input)",
    "Tensor.__invert__()",
)
def logical_not(xp, input: Anything):
    """Computes the logical NOT of each element; an element is true if it is not 0.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.logical_not(ms.Tensor([True, False])))
        [False  True]
    """
    return xp.logical_not(input)
