"""Arithmetic and elementary functions, element by element.

Comparison and logic are in _compare.py, reductions in _reduce.py, activations in _activation.py.
"""

from .._core.op import op
from .._core.rules import TensorOf, any_dtype, number

Operand = TensorOf(any_dtype, scalars=True)


@op("ops.add(input, other)", "ops.Add()(input, other)", "ops.TensorAdd()(input, other)",
    "ops.tensor_add(input, other)", "Tensor.add(other)", "Tensor.__add__(other)",
    promote="input other", operator=True, slope="add")
def add(xp, input: Operand, other: Operand):
    """input + other, element by element; the shapes broadcast."""
    return xp.add(input, other)


@op("ops.mul(input, other)", "ops.Mul()(input, other)", "Tensor.mul(other)", "Tensor.__mul__(other)",
    promote="input other", operator=True, slope="multiply")
def mul(xp, input: Operand, other: Operand):
    """input * other, element by element; the shapes broadcast."""
    return xp.multiply(input, other)


@op("ops.tanh(input)", "ops.Tanh()(input)", "nn.Tanh()(input)", "Tensor.tanh()", "mint.tanh(input)",
    slope="tanh")
def tanh(xp, input: TensorOf(number)):
    """Hyperbolic tangent, element by element."""
    return xp.tanh(input)


@op("ops.mish(x)")
def mish(xp, x: TensorOf("float16", "float32")):
    """x * tanh(log(1 + exp(x))), element by element."""
    return x * xp.tanh(xp.softplus(x))
