"""Elementwise maximum and minimum."""

from ..._core.declare.inputs import Promote
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, real
from .._rules import Operand, RealOperand


@op(
    "ops.maximum(input, other)",
    "ops.Maximum()(input, other)",
    "Tensor.maximum(other)",
    "mint.maximum(input, other)",
    types=Promote("input other", lists=True),
)
def maximum(xp, input: Operand, other: Operand):
    """Computes the elementwise maximum of two Tensors; NaN where either element is NaN.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.maximum(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [3. 5.]
    """
    return xp.maximum(input, other)


maximum.vjp_of("maximum")


@op(
    "ops.minimum(input, other)",
    "ops.Minimum()(input, other)",
    "Tensor.minimum(other)",
    "mint.minimum(input, other)",
    types=Promote("input other", lists=True),
)
def minimum(xp, input: RealOperand, other: RealOperand):
    """Computes the elementwise minimum of two Tensors; NaN where either element is NaN.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.minimum(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [1. 2.]
    """
    return xp.minimum(input, other)


minimum.vjp_of("minimum")


@op(
    "ops.fmax(input, other)",
    "ops.Fmax()(x1: input, x2: other)",
    "Tensor.fmax(other)",
    types=Promote("input other"),
)
def fmax(xp, input: RealOperand, other: RealOperand):
    """Computes the elementwise maximum of two Tensors, ignoring NaN where the other element is a
    number.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.fmax(ms.Tensor([1.0, np.nan]), ms.Tensor([3.0, 2.0])))
        [3. 2.]
    """
    return xp.fmax(input, other)


fmax.vjp_of("fmax")


@op(
    "ops.fmin(input, other)",
    "ops.Fmin()(x1: input, x2: other)",
    "Tensor.fmin(other)",
    types=Promote("input other"),
)
def fmin(xp, input: TensorOf(real), other: TensorOf(real)):
    """Computes the elementwise minimum of two Tensors, ignoring NaN where the other element is a
    number.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.fmin(ms.Tensor([1.0, np.nan]), ms.Tensor([3.0, 2.0])))
        [1. 2.]
    """
    return xp.fmin(input, other)


fmin.vjp_of("fmin")
