"""Arithmetic, element by element.

Roots, exponentials and logarithms are in elementary.py, rounding in rounding.py, comparison in
comparison.py, special functions in special.py.
"""

from ..._backend.bodies.gpu import bodies_of
from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    Number,
    ScalarOf,
    TensorOf,
    any_dtype,
    checked,
    floating,
    number,
)
from ..._core.tensor.promotion import product_np
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from .._rules import Anything, NumbersOrBools, Operand


@op(
    "ops.add(input, other)",
    "ops.Add()(input, other)",
    "ops.TensorAdd()(input, other)",
    "ops.tensor_add(input, other)",
    "Tensor.__add__(other)",
    types=Promote("input other", lists=True),
)
def add(xp, input: Operand, other: Operand):
    """Adds two Tensors, or a Tensor and a number, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.add(ms.Tensor([1.0, 2.0]), ms.Tensor([[10.0], [20.0]])))
        [[11. 12.]
         [21. 22.]]
    """
    return xp.add(input, other)


add.vjp_of("add")


@op(
    "Tensor.add(other, *, alpha=1)",
    "mint.add(input, other, *, alpha=1)",
    "Tensor.add_(other, *, alpha=1)",
    types=Promote("input other", lists=True),
    quirks=Quirks(shapes_first=True),
)
def add_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """Adds `alpha` times `other` to the input, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.mint.add(ms.Tensor([1.0, 2.0]), ms.Tensor([10.0, 20.0]), alpha=0.5))
        [ 6. 12.]
    """
    return xp.add(input, _times("add", other, alpha))


def _times(api, other, alpha):
    """Returns alpha * other; rejects a float alpha unless the Tensor is floating."""
    if type(alpha) is float and other.dtype.kind in "biu":
        raise TypeError(
            f"For '{api}', 'alpha' must be an int where both inputs are whole numbers "
            f"or bools, but got {alpha}."
        )
    if type(alpha) is int and other.dtype.kind in "iu":
        alpha = _wrapped(alpha, other.dtype)
    return other if alpha == 1 else alpha * other


def _wrapped(number, dtype):
    """Returns an int modulo the range of a dtype of ints, as a cast in C does."""
    bits = 8 * dtype.itemsize
    lowest = -(1 << bits - 1) if dtype.kind == "i" else 0
    return (number - lowest) % (1 << bits) + lowest


@op("Tensor.__radd__(other)", types=Promote("input other", lists=True))
def radd(xp, input: Operand, other: Operand):
    """Computes the reflected sum, other + input, where the Tensor is the right operand.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(3 + ms.Tensor([1, 2]))
        [4 5]
    """
    return xp.add(other, input)


@op(
    "ops.sub(input, other)",
    "ops.Sub()(input, other)",
    "ops.tensor_sub(input, other)",
    types=Promote("input other", lists=True),
)
def sub(xp, input: Operand, other: Operand):
    """Subtracts `other` from the input, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.sub(ms.Tensor([5, 7]), ms.Tensor([1, 2])))
        [4 5]
    """
    return xp.subtract(input, other)


sub.vjp_of("subtract")


@op("Tensor.__sub__(other)", types=Promote("input other", lists=True))
def difference(xp, input: Operand, other: Operand):
    """Subtracts `other` from the input, element by element; for two bools it is the logical XOR.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.Tensor([5, 7]) - 2)
        [3 5]
    """
    return xp.not_equal(input, other) if input.dtype.kind == "b" else xp.subtract(input, other)


difference.vjp_of("subtract")


@op(
    "Tensor.subtract(other, *, alpha=1)",
    "mint.sub(input, other, *, alpha=1)",
    "Tensor.sub_(other, *, alpha=1)",
    types=Promote("input other", lists=True),
    quirks=Quirks(shapes_first=True),
)
def sub_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """Subtracts `alpha` times `other` from the input; for two bools it is the logical XOR.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.mint.sub(ms.Tensor([5.0, 7.0]), ms.Tensor([1.0, 2.0]), alpha=2))
        [3. 3.]
    """
    if input.dtype.kind == "b" and alpha == 1:
        return xp.not_equal(input, other)
    return xp.subtract(input, _times("sub", other, alpha))


@op("Tensor.__rsub__(other)", types=Promote("input other", lists=True))
def rsub(xp, input: Operand, other: Operand):
    """Computes the reflected difference, other - input, where the Tensor is the right operand.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(10 - ms.Tensor([1, 2]))
        [9 8]
    """
    return xp.subtract(other, input)


@op(
    "ops.mul(input, other)",
    "ops.Mul()(input, other)",
    "ops.multiply(input, other)",
    "ops.tensor_mul(input, other)",
    "Tensor.mul(other)",
    "Tensor.multiply(value: other)",
    "Tensor.__mul__(other)",
    "mint.mul(input, other)",
    "Tensor.mul_(other)",
    types=Promote("input other", promote=product_np, lists=in_graph, weak_0d=True),
    quirks=Quirks(errors={"Tensor.mul_": RuntimeError}),
)
def mul(xp, input: Operand, other: Operand):
    """Multiplies two Tensors, or a Tensor and a number, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.mul(ms.Tensor([1.0, 2.0, 3.0]), 2.5))
        [2.5 5.  7.5]
    """
    return xp.multiply(input, other)


mul.vjp_of("multiply")


@public("ops.subtract")
@checked
def subtract(
    input: Operand | Number(numpy_scalars=True),
    other: Operand | Number(numpy_scalars=True),
    *,
    alpha: Number | Bool | TensorOf(any_dtype) = 1,
):
    """Computes input - alpha * other, element by element. The result has the dtype to which the
    product and the difference promote.

    Args:
        input (Union[Tensor, Number]): the first operand.
        other (Union[Tensor, Number]): the second operand; the shapes broadcast.
        alpha (Union[Number, bool]): the factor of `other`. Default: 1.

    Returns:
        Tensor of the broadcast shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.subtract(ms.Tensor([5, 7]), ms.Tensor([1, 2]), alpha=2))
        [3 3]

    Source: mindspore.ops.subtract of MindSpore 2.10.
    """
    if isinstance(other, Tensor):
        if type(alpha) is int and alpha == 1 and other._array.dtype.kind != "b":
            return sub.run(input, other)
    elif not isinstance(alpha, Tensor):
        return sub.run(input, alpha * other)
    return sub.run(input, mul.run(other, alpha))


@op(
    "Tensor.__rmul__(other)",
    types=Promote("input other", promote=product_np, lists=in_graph, weak_0d=True),
)
def rmul(xp, input: Operand, other: Operand):
    """Computes the reflected product, other * input, where the Tensor is the right operand.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(2 * ms.Tensor([1.5, 2.5]))
        [3. 5.]
    """
    return xp.multiply(other, input)


def _power(xp, x, y):
    """Computes x ** y; integers keep their dtype, and a negative power truncates, as in
    MindSpore."""
    if x.dtype.kind in "iu":
        return xp.cast(xp.power(xp.cast(x, "float64"), xp.cast(y, "float64")), x.dtype)
    return xp.power(x, y)


@op(
    "ops.pow(input, exponent: other)",
    "ops.Pow()(input, exponent: other)",
    "ops.pows(input, exponent: other)",
    "ops.tensor_pow(input, exponent: other)",
    "Tensor.pow(exponent: other)",
    "Tensor.__pow__(other)",
    "mint.pow(input, exponent: other)",
    types=Promote("input other", lists=in_graph),
)
def pow(xp, input: Operand, other: Operand):
    """Raises the input to a power, element by element. Input and exponent may not both be bools.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.pow(ms.Tensor([1.0, 2.0, 3.0]), 2))
        [1. 4. 9.]
    """
    if input.dtype.kind == "b":
        raise TypeError("For 'pow', 'input' and 'exponent' must not both be bools.")
    return _power(xp, input, other)


@op("Tensor.__rpow__(other)", types=Promote("input other", lists=True))
def rpow(xp, input: Operand, other: Operand):
    """Computes the reflected power, other ** input, where the Tensor is the exponent. Not both may
    be bools.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(2 ** ms.Tensor([1.0, 2.0, 3.0]))
        [2. 4. 8.]
    """
    if input.dtype.kind == "b":
        raise TypeError("For '__rpow__', 'input' and 'other' must not both be bools.")
    return _power(xp, other, input)


@op("ops.SquaredDifference()(x: input, y: other)", types=Promote("input other", lists=True))
def squared_difference(xp, input: Operand, other: Operand):
    """Squares the difference of two Tensors, element by element: (input - other)^2.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.SquaredDifference()(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [4. 9.]
    """
    difference = input - other
    return difference * difference


@op(
    "ops.neg(input)",
    "ops.Neg()(input)",
    "ops.negative(input)",
    "Tensor.neg()",
    "Tensor.negative()",
    "Tensor.__neg__()",
    "mint.neg(input)",
    "mint.negative(input)",
)
def neg(xp, input: TensorOf(number)):
    """Negates each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.neg(ms.Tensor([1.0, -2.0])))
        [-1.  2.]
    """
    return xp.negative(input)


neg.vjp_of("negative")


def _unchanged(run):
    def itself(input):
        return input if isinstance(input, Tensor) and not in_graph() else run(input)

    return itself


@op(
    "Tensor.__pos__()", "ops.positive(input)", "Tensor.positive()", quirks=Quirks(around=_unchanged)
)
def positive(xp, input: NumbersOrBools):
    """Returns the input unchanged.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.positive(ms.Tensor([1.0, -2.0])))
        [ 1. -2.]
    """
    return xp.logical_or(input, input) if input.dtype.kind == "b" else xp.positive(input)


positive.vjp_of("positive")


@op(
    "ops.abs(input)",
    "ops.Abs()(input)",
    "ops.absolute(input)",
    "Tensor.abs()",
    "Tensor.absolute()",
    "Tensor.__abs__()",
    "mint.abs(input)",
)
def abs(xp, input: TensorOf(any_dtype)):
    """Computes the absolute value of each element; for a complex number it is the modulus, which is
    real.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype; complex64 gives float32
        and complex128 gives float64.

    Example:
        >>> print(ms.ops.abs(ms.Tensor([-1.5, 0.0, 2.0])))
        [1.5 0.  2. ]
    """
    return xp.abs(input)


abs.vjp_of("abs")


@op("ops.square(input)", "ops.Square()(input)", "Tensor.square()", "mint.square(input)")
def square(xp, input: TensorOf(number)):
    """Squares each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.square(ms.Tensor([-1.5, 2.0])))
        [2.25 4.  ]
    """
    return xp.square(input)


square.vjp_of("square")


@op("ops.sign(input)", "ops.Sign()(input)", "Tensor.sign()", "mint.sign(input)", "Tensor.sign_()")
def sign(xp, input: TensorOf("bool", "int32", "int64", floating, "complex64", "complex128")):
    """Computes the sign of each element: -1, 0 or 1, and 0 for NaN.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.sign(ms.Tensor([-3.0, 0.0, 2.0])))
        [-1.  0.  1.]
    """
    if input.dtype.kind in "biu":
        return xp.sign(input)
    if input.dtype.kind == "c":
        return xp.where(xp.isnan(input), 0, xp.sign(input))
    bodies = bodies_of(xp, input, least="BODY_POINT")
    if bodies and (signs := bodies.pointwise(_sign, input)) is not None:
        return signs
    return xp.cast(input > 0, input.dtype) - xp.cast(input < 0, input.dtype)


def _sign(xp, x):
    return xp.where(x > 0, 1.0, xp.where(x < 0, -1.0, xp.keep(x == x, xp.abs(x))))


@op("ops.MulNoNan()(x, y)", types=Promote("x y"))
def mul_no_nan(xp, x: TensorOf(any_dtype, scalars=True), y: TensorOf(any_dtype, scalars=True)):
    """Multiplies `x` by `y`, element by element; the product is 0 wherever `y` is 0, even if `x` is
    infinite or NaN.

    Shapes:
        The shapes of `x` and `y` are broadcast. The result has the broadcast shape and the dtype to
        which both are promoted.

    Example:
        >>> print(ms.ops.MulNoNan()(ms.Tensor([np.inf, 2.0]), ms.Tensor([0.0, 3.0])))
        [0. 6.]
    """
    product = x * xp.where(y == 0, xp.ones_like(y), y)
    return xp.where(y == 0, xp.zeros_like(product), product)


mul_no_nan.vjp(x=lambda xp, g, y: g * y, y=lambda xp, g, x: xp.where(g == 0, 0, g * x))


@public("ops.tensor_muls")
@checked
def tensor_muls(input: Anything, other: Number | Bool):
    """Multiplies a Tensor by a Python number; the result has the dtype of `input * other`.

    Raises:
        TypeError: if `input` is not a Tensor or `other` not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tensor_muls(ms.Tensor([1.0, 2.0]), 3))
        [3. 6.]

    Source: mindspore.ops.tensor_muls of MindSpore 2.10.
    """
    return mul.run(input, other)
