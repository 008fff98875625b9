"""Activation functions, element by element.

tanh is in _elementwise/arithmetic.py, softmax in _activation/softmax.py, dropout and random
activations in _random/dropout.py. Functions of several passes run over cache-sized blocks on a CPU
(`xp.blockwise`), which makes them three times as fast there.
"""

import math

from ..._backend.select import zero_of
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    InTensor,
    Number,
    ScalarOf,
    TensorOf,
    any_dtype,
    floating,
    integer,
    number,
    real,
)
from .._elementwise import blockwise  # noqa: F401 - it declares blockwise
from .._rules import Float16Or32, Floats, FloatsUpTo32, Inexact, Numbers, Operand, Reals

Held = InTensor(Number | Bool)
Loose = ScalarOf(Number | Bool, TypeError)
Bound = ScalarOf(Number, TypeError)
Slope = Number


# Rectifiers ---------------------------------------------------------------------------------------


@op(
    "ops.relu(input, inplace=False)",
    "ops.ReLU()(input)",
    "nn.ReLU()(input)",
    "mint.nn.functional.relu(input, inplace=False)",
    "mint.nn.ReLU(inplace=False)(input)",
    compute="native",
)
def relu(xp, input: TensorOf(number, "bool")):
    """Replaces every negative element by zero: max(input, 0).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.relu(ms.Tensor([-1.0, 0.0, 2.0])))
        [0. 0. 2.]
    """
    return xp.at_least(input, zero_of(xp, input))


relu.vjp(input=lambda xp, g, out: xp.keep(out > 0, g))


@op("ops.relu6(x)", "ops.ReLU6()(x)", "nn.ReLU6()(x)")
def relu6(xp, x: Float16Or32):
    """Moves each element into the interval from 0 to 6: min(max(x, 0), 6).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.relu6(ms.Tensor([-1.0, 2.0, 8.0])))
        [0. 2. 6.]
    """
    return xp.at_most(xp.at_least(x, 0), 6)


relu6.vjp(x=lambda xp, g, out: xp.keep((out > 0) & (out < 6), g))


@op("mint.nn.functional.relu6(input, inplace=False)", "mint.nn.ReLU6(inplace=False)(input)")
def relu6_ext(xp, input: TensorOf((integer | floating) - {"float64"})):
    """Moves each element into the interval from 0 to 6: min(max(input, 0), 6).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.relu6(ms.Tensor([-1.0, 2.0, 8.0])))
        [0. 2. 6.]
    """
    return xp.at_most(xp.at_least(input, 0), 6)


relu6_ext.vjp(input=lambda xp, g, out: xp.keep((out > 0) & (out < 6), g))


def _leaky(xp, x, slope):
    if x.dtype.kind in "iu":  # the slope is cut to a whole number first
        return x if x.dtype.kind == "u" else xp.where(x > 0, x, x * int(slope))
    if 0 <= slope <= 1:
        return xp.cast(xp.maximum(x, x * slope), x.dtype)
    return xp.cast(xp.where(x > 0, x, x * slope), x.dtype)


def _leaky_vjp(xp, g, x, slope):
    return xp.keep(x > 0, g) + xp.keep(x <= 0, g * slope)


@op("ops.leaky_relu(input, alpha=0.2)", "nn.LeakyReLU(alpha=0.2)(input)")
def leaky_relu(xp, input: TensorOf(number, "bool"), alpha: Slope = 0.2):
    """Keeps positive elements and multiplies the others by `alpha`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.leaky_relu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=0.1))
        [-0.1  0.   2. ]
    """
    return _leaky(xp, input, alpha)


leaky_relu.vjp(
    input=lambda xp, g, input, alpha: (
        _leaky_vjp(xp, g, input, alpha) + xp.keep(input == 0, g * (0.5 * (1 - alpha)))
    )
)  # the mean of both sides, at 0


@op("mint.nn.functional.leaky_relu(input, negative_slope=0.01)")
def leaky_relu_ext(xp, input: Numbers, negative_slope: Slope = 0.01):
    """Keeps positive elements and multiplies the others by `negative_slope`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.leaky_relu(ms.Tensor([-1.0, 0.0, 2.0]), negative_slope=0.1))
        [-0.1  0.   2. ]
    """
    return _leaky(xp, input, negative_slope)


leaky_relu_ext.vjp(
    input=lambda xp, g, input, negative_slope: _leaky_vjp(xp, g, input, negative_slope)
)


@op(
    "ops.prelu(input, weight)",
    "ops.PReLU()(x: input, weight)",
    "mint.nn.functional.prelu(input, weight)",
    quirks=Quirks(
        rules={
            f"ops.{name}": {"input": Float16Or32, "weight": Float16Or32}
            for name in ("prelu", "PReLU")
        }
    ),
)
def prelu(xp, input: Floats, weight: Floats):
    """Keeps positive elements and multiplies the others by the weight of their channel.

    Shapes:
        `input` is (N, C, ...) and `weight` is (C,), or (1,) for all channels; an input with one
        axis is one channel. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.prelu(ms.Tensor([[-1.0, -1.0], [2.0, -3.0]]), ms.Tensor([0.1, 0.5])))
        [[-0.1 -0.5]
         [ 2.  -1.5]]
    """
    if weight.ndim != 1:
        raise ValueError(f"For 'prelu', 'weight' must have 1 dimension, but got {weight.ndim}.")
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.shape[0] not in (1, channels):
        raise ValueError(
            f"For 'prelu', 'weight' must have 1 element or one for each of {channels} channels, "
            f"but got {weight.shape[0]}."
        )
    shape = (1, -1) + (1,) * (input.ndim - 2) if input.ndim > 1 else (-1,) * input.ndim
    below = xp.reshape(xp.cast(weight, input.dtype), shape) * input
    return xp.where(input > 0, input, below)


# Exponential units --------------------------------------------------------------------------------


def _elu(xp, x, alpha, reach=1.0):
    """x where it is positive, alpha * (exp(x / reach) - 1) elsewhere."""
    return xp.where(x > 0, x, alpha * xp.expm1(xp.at_most(x, 0) / reach))


def _elu_vjp(xp, g, out, alpha):
    return xp.where(out > 0, g, g * (out + alpha))


@op("ops.elu(input_x, alpha=1.0)", "ops.Elu(alpha=1.0)(input_x)", "nn.ELU(alpha=1.0)(input_x)")
def elu(xp, input_x: Floats, alpha: ScalarOf(Float, TypeError) = 1.0):
    """Keeps positive elements and gives alpha * (exp(x) - 1) for the others; `alpha` must be 1.0.

    Shapes:
        `input_x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.elu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.63212055  0.          2.        ]
    """
    if alpha != 1.0:
        raise ValueError(f"For 'elu', 'alpha' must be 1.0, but got {alpha!r}.")
    return _elu(xp, input_x, alpha)


elu.vjp(input_x=lambda xp, g, out, alpha: _elu_vjp(xp, g, out, alpha))


@op(
    "mint.nn.functional.elu(input, alpha=1.0, inplace=False)",
    "mint.nn.ELU(alpha=1.0, inplace=False)(input)",
)
def elu_ext(xp, input: TensorOf(any_dtype), alpha: Float = 1.0):
    """Keeps positive elements and gives alpha * (exp(x) - 1) for the others.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor, or `alpha` is not a float.
        RuntimeError: if `input` is not of a floating dtype.

    Example:
        >>> print(ms.mint.nn.functional.elu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=0.5))
        [-0.31606027  0.          2.        ]
    """
    if input.dtype.kind in "biuc":
        raise RuntimeError(
            f"For 'elu', 'input' must be a Tensor of a floating dtype, but got {input.dtype}."
        )
    return _elu(xp, input, alpha)


elu_ext.vjp(
    input=lambda xp, g, input, alpha: (
        g * xp.where(input > 0, 1, alpha * xp.exp(xp.at_most(input, 0)))
    )
)


@op("ops.celu(x, alpha=1.0)", "ops.CeLU(alpha=1.0)(x)", "nn.CELU(alpha=1.0)(x)")
def celu(xp, x: Floats, alpha: ScalarOf(Float, TypeError) = 1.0):
    """Keeps positive elements and gives alpha * (exp(x / alpha) - 1) for the others; `alpha` is not
    0.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.celu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=2.0))
        [-0.78693867  0.          2.        ]
    """
    if alpha == 0:
        raise ValueError("For 'celu', 'alpha' must not be 0, but got 0.0.")
    return _elu(xp, x, alpha, alpha)


celu.vjp(x=lambda xp, g, x, alpha: g * xp.where(x > 0, 1, xp.exp(xp.at_most(x, 0) / alpha)))

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@op(
    "ops.selu(input_x)",
    "ops.SeLU()(input_x)",
    "nn.SeLU()(input_x)",
    "mint.nn.functional.selu(input: input_x)",
)
def selu(xp, input_x: TensorOf("int8", "int32", floating)):
    """Scales a curve that is straight above zero and exponential below: scale * x for positive x,
    else scale * alpha * (exp(x) - 1).

    The constants are alpha = 1.67326324 and scale = 1.05070098. With integers both factors and the
    exponential are cut to whole numbers.

    Shapes:
        `input_x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.selu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-1.1113307  0.         2.101402 ]
    """
    if input_x.dtype.kind == "i":
        curve = xp.expm1(xp.cast(xp.minimum(input_x, 0), "float32"))
        return xp.where(input_x >= 0, input_x, xp.cast(curve, input_x.dtype))
    return xp.cast(SELU_SCALE * _elu(xp, input_x, SELU_ALPHA), input_x.dtype)


selu.vjp(
    input_x=lambda xp, g, out: xp.where(
        out >= 0, g * SELU_SCALE, g * (out + SELU_SCALE * SELU_ALPHA)
    )
)


# Sigmoid and its kin ------------------------------------------------------------------------------


@op(
    "ops.sigmoid(input)",
    "ops.Sigmoid()(input)",
    "nn.Sigmoid()(input_x: input)",
    "Tensor.sigmoid()",
    "mint.sigmoid(input)",
    "mint.nn.functional.sigmoid(input)",
    "mint.nn.Sigmoid()(input)",
)
def sigmoid(xp, input: TensorOf(floating | {"complex64", "complex128"})):
    """Computes the logistic function 1 / (1 + exp(-x)) of each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.sigmoid(ms.Tensor([-1.0, 0.0, 2.0])))
        [0.2689414 0.5       0.880797 ]
    """
    if input.dtype.kind == "c":
        return 1 / (1 + xp.exp(-input))
    return xp.blockwise(_sigmoid, input)


def _sigmoid(xp, x):
    return xp.sigmoid(x)


sigmoid.vjp(input=lambda xp, g, out: g * xp.conj(out * (1 - out)))


@op(
    "ops.logsigmoid(x)",
    "nn.LogSigmoid()(x)",
    "mint.nn.functional.logsigmoid(input: x)",
    "mint.nn.LogSigmoid()(input: x)",
    quirks=Quirks(
        rules=dict.fromkeys(("mint.nn.functional.logsigmoid", "mint.nn.LogSigmoid"), {"x": Floats})
    ),
)
def logsigmoid(xp, x: Inexact):
    """Computes log(1 / (1 + exp(-x))) of each element, without overflow.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.logsigmoid(ms.Tensor([-1.0, 0.0, 2.0])))
        [-1.3132616 -0.6931472 -0.126928 ]
    """
    if x.dtype.kind == "c":
        return -xp.log(1 + xp.exp(-x))
    return -xp.softplus(-x)


logsigmoid.vjp(
    x=lambda xp, g, x: g * (xp.conj(1 / (1 + xp.exp(x))) if x.dtype.kind == "c" else xp.sigmoid(-x))
)


@op(
    "ops.softplus(input, beta=1, threshold=20)",
    "mint.nn.functional.softplus(input, beta=1, threshold=20)",
    "ops.Softplus()(input_x: input)",
    quirks=Quirks(on_tape=lambda *given: softplus_by_tensor.run(*given)),
)
def softplus(xp, input: Floats, beta: Held = 1, threshold: Held = 20):
    """Computes log(1 + exp(beta * x)) / beta of each element, a smooth relu. Where beta * x exceeds
    `threshold` it is x itself.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softplus(ms.Tensor([-1.0, 0.0, 30.0])))
        [ 0.31326163  0.6931472  30.        ]
    """
    if beta == 0:
        raise ValueError(f"For 'softplus', 'beta' must not be 0, but got {beta!r}.")
    scaled = input * beta
    return xp.where(scaled > threshold, input, xp.softplus(scaled) / beta)


softplus.vjp(
    input=lambda xp, g, input, beta, threshold: (
        g * xp.where(input * beta > threshold, 1, xp.sigmoid(input * beta))
    )
)


@op()
def softplus_by_tensor(xp, input: Floats, beta: Operand, threshold: Operand):
    """softplus, with gradients of `beta`; each of the two numbers is one, however many its axes."""
    beta, threshold = (xp.reshape(xp.cast(each, input.dtype), ()) for each in (beta, threshold))
    scaled = input * beta
    return xp.where(scaled > threshold, input, xp.softplus(scaled) / beta)


@op(
    "ops.silu(input)",
    "nn.SiLU()(x: input)",
    "mint.nn.functional.silu(input, inplace=False)",
    "mint.nn.SiLU(inplace=False)(input)",
)
def silu(xp, input: Inexact):
    """Multiplies each element by its sigmoid: x / (1 + exp(-x)).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.silu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.2689414  0.         1.761594 ]
    """
    if input.dtype.kind == "c":
        return input / (1 + xp.exp(-input))
    return xp.blockwise(_silu, input)


def _silu(xp, x):
    return x * xp.sigmoid(x)


def _silu_vjp(xp, g, x):
    s = xp.sigmoid(x)
    return g * s * (1 + x * (1 - s))


def _silu_vjp_of_any(xp, g, input):
    if input.dtype.kind != "c":
        return xp.blockwise(_silu_vjp, g, input)
    s = 1 / (1 + xp.exp(-input))
    return g * xp.conj(s * (1 + input * (1 - s)))


silu.vjp(input=_silu_vjp_of_any)


@op("ops.mish(x)", "ops.Mish()(x)", "nn.Mish()(x)", "mint.nn.functional.mish(input: x)")
def mish(xp, x: Floats):
    """Computes x * tanh(log(1 + exp(x))) of each element.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.mish(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.30340144  0.          1.943959  ]
    """
    return xp.blockwise(_mish, x)


def _mish_factor(xp, x):
    """tanh(log(1 + exp(x))) from one exp: n / (n + 2) with n = exp(x) (exp(x) + 2)."""
    e = xp.exp(xp.at_most(x, 20))
    n = e * (e + 2)
    return n / (n + 2)


def _mish(xp, x):
    return x * _mish_factor(xp, x)


def _mish_vjp(xp, g, x):
    t = _mish_factor(xp, x)
    return g * (t + x * xp.sigmoid(x) * (1 - t * t))


mish.vjp(x=lambda xp, g, x: xp.blockwise(_mish_vjp, g, x))


@op("ops.softsign(x)", "ops.Softsign()(input_x: x)", "nn.Softsign()(x)")
def softsign(xp, x: Floats):
    """Computes x / (1 + |x|) of each element, which lies in (-1, 1).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softsign(ms.Tensor([-1.0, 0.0, 3.0])))
        [-0.5   0.    0.75]
    """
    return x / (1 + xp.abs(x))


softsign.vjp(x=lambda xp, g, x: g / xp.square(1 + xp.abs(x)))


@op("ops.tanhshrink(input)", "nn.Tanhshrink()(input)", "mint.nn.Tanhshrink()(input)")
def tanhshrink(xp, input: Numbers):
    """Subtracts from each element its hyperbolic tangent: x - tanh(x).

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.tanhshrink(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.23840582  0.          1.0359724 ]
    """
    if input.dtype.kind in "iu":
        input = xp.cast(input, "float32")
    return input - xp.tanh(input)


tanhshrink.vjp(input=lambda xp, g, input: g * xp.square(xp.tanh(input)))


# Gaussian error units -----------------------------------------------------------------------------

_ROOT = math.sqrt(2 / math.pi)


def _gelu_erf(xp, x):
    return 0.5 * x * (1 + xp.quick_erf(x * math.sqrt(0.5)))


def _gelu_erf_vjp(xp, g, x):
    density = xp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return g * (0.5 * (1 + xp.quick_erf(x * math.sqrt(0.5))) + x * density)


def _gelu_tanh(xp, x):
    return 0.5 * x * (1 + xp.tanh(_ROOT * x * (1 + 0.044715 * x * x)))


def _gelu_tanh_vjp(xp, g, x):
    square = x * x
    t = xp.tanh(_ROOT * x * (1 + 0.044715 * square))
    return g * 0.5 * (1 + t + x * (1 - t * t) * (_ROOT * (1 + 0.134145 * square)))


_gelu = {"none": (_gelu_erf, _gelu_erf_vjp), "tanh": (_gelu_tanh, _gelu_tanh_vjp)}


@op(
    "ops.gelu(input, approximate='none')",
    "mint.nn.functional.gelu(input, *, approximate='none')",
    "mint.nn.GELU(approximate='none')(input)",
    "mint.npu_gelu(input, approximate='none')",
)
def gelu(xp, input: Floats, approximate: Any = "none"):
    """Multiplies each element x by the probability that a standard normal number is at most x.

    With `approximate` "tanh" it is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype.
        ValueError: if `approximate` is neither 'none' nor 'tanh'.

    Example:
        >>> print(ms.ops.gelu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.15865523  0.          1.9544997 ]
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(
            f"For 'gelu', 'approximate' must be 'none' or 'tanh', but got {approximate!r}."
        )
    return xp.blockwise(_gelu[approximate][0], input)


gelu.vjp(input=lambda xp, g, input, approximate: xp.blockwise(_gelu[approximate][1], g, input))


@op("ops.GeLU()(x)", "ops.Gelu()(x)")
def gelu_primitive(xp, x: Floats):
    """Computes the Gaussian error linear unit by its tanh formula: 0.5 x (1 + tanh(sqrt(2 / pi) (x
    + 0.044715 x^3))).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.GeLU()(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.158808   0.         1.9545977]
    """
    return xp.blockwise(_gelu_tanh, x)


gelu_primitive.vjp(x=lambda xp, g, x: xp.blockwise(_gelu_tanh_vjp, g, x))


@op("nn.GELU(approximate=True)(x)")
def gelu_layer(xp, x: Floats, approximate: Bool = True):
    """Computes the Gaussian error linear unit, by its tanh formula unless `approximate` is False.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.nn.GELU()(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.158808   0.         1.9545977]
    """
    return xp.blockwise(_gelu["tanh" if approximate else "none"][0], x)


gelu_layer.vjp(
    x=lambda xp, g, x, approximate: xp.blockwise(_gelu["tanh" if approximate else "none"][1], g, x)
)


@op("ops.fast_gelu(x)", "ops.FastGeLU()(x)", "ops.FastGelu()(x)", "nn.FastGelu()(x)")
def fast_gelu(xp, x: Float16Or32):
    """Approximates the Gaussian error linear unit by x * sigmoid(1.702 x).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.fast_gelu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.15420423  0.          1.9356586 ]
    """
    return x * xp.sigmoid(1.702 * x)


def _fast_gelu_vjp(xp, g, x):
    s = xp.sigmoid(1.702 * x)
    return g * s * (1 + 1.702 * x * (1 - s))


fast_gelu.vjp(x=lambda xp, g, x: _fast_gelu_vjp(xp, g, x))


# Piecewise linear ---------------------------------------------------------------------------------


@op(
    "ops.hardsigmoid(input)",
    "ops.HSigmoid()(input)",
    "nn.HSigmoid()(input)",
    "mint.nn.functional.hardsigmoid(input)",
    "mint.nn.Hardsigmoid()(input)",
)
def hardsigmoid(xp, input: Reals):
    """Approximates the sigmoid by straight lines: max(0, min(1, (x + 3) / 6)).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardsigmoid(ms.Tensor([-4.0, 0.0, 1.0])))
        [0.        0.5       0.6666667]
    """
    return xp.cast(xp.at_most(xp.at_least(input / 6 + 0.5, 0), 1), input.dtype)


hardsigmoid.vjp(input=lambda xp, g, input: xp.where((input > -3) & (input < 3), g / 6, 0))


@op(
    "ops.hardswish(input)",
    "ops.HSwish()(input)",
    "nn.HSwish()(input)",
    "mint.nn.functional.hardswish(input)",
    "mint.nn.Hardswish()(input)",
)
def hardswish(xp, input: Reals):
    """Multiplies each element by a sigmoid of straight lines: x * max(0, min(6, x + 3)) / 6.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardswish(ms.Tensor([-4.0, 0.0, 1.0])))
        [-0.         0.         0.6666667]
    """
    return xp.cast(input * xp.at_most(xp.at_least(input + 3, 0), 6) / 6, input.dtype)


hardswish.vjp(
    input=lambda xp, g, input: g * xp.where(input < -3, 0, xp.where(input > 3, 1, input / 3 + 0.5))
)


@op(
    "ops.hardshrink(input, lambd=0.5)",
    "ops.HShrink(lambd=0.5)(input)",
    "nn.HShrink(lambd=0.5)(input)",
    "Tensor.hardshrink(lambd=0.5)",
    "mint.nn.functional.hardshrink(input, lambd=0.5)",
    "mint.nn.Hardshrink(lambd=0.5)(input)",
    quirks=Quirks(
        rules=dict.fromkeys(
            ("ops.HShrink", "nn.HShrink", "mint.nn.Hardshrink"), {"lambd": Number | Bool}
        )
    ),
)
def hardshrink(xp, input: FloatsUpTo32, lambd: Loose = 0.5):
    """Keeps the elements whose magnitude exceeds `lambd` and replaces the others by 0.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardshrink(ms.Tensor([-1.0, 0.3, 0.7])))
        [-1.   0.   0.7]
    """
    return xp.where((input > lambd) | (input < -lambd), input, 0)


hardshrink.vjp(input=lambda xp, g, out: xp.where(out != 0, g, 0))


@op(
    "ops.softshrink(input, lambd=0.5)",
    "ops.SoftShrink(lambd=0.5)(input)",
    "ops.soft_shrink(input, lambd=0.5)",
    "nn.SoftShrink(lambd=0.5)(input)",
    "Tensor.soft_shrink(lambd=0.5)",
    "mint.nn.functional.softshrink(input, lambd=0.5)",
    "mint.nn.Softshrink(lambd=0.5)(input)",
    quirks=Quirks(
        rules=dict.fromkeys(
            (
                "ops.SoftShrink",
                "ops.soft_shrink",
                "nn.SoftShrink",
                "Tensor.soft_shrink",
                "mint.nn.Softshrink",
            ),
            {"lambd": Number | Bool},
        )
    ),
)
def softshrink(xp, input: FloatsUpTo32, lambd: Loose = 0.5):
    """Moves each element toward 0 by `lambd`; those that would cross it become 0. `lambd` is not
    negative.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softshrink(ms.Tensor([-1.0, 0.3, 0.7])))
        [-0.5         0.          0.19999999]
    """
    if lambd < 0:
        raise RuntimeError(f"For 'softshrink', 'lambd' must be at least 0, but got {lambd!r}.")
    return xp.where(input > lambd, input - lambd, xp.where(input < -lambd, input + lambd, 0))


softshrink.vjp(input=lambda xp, g, out: xp.where(out != 0, g, 0))


@op("ops.hardtanh(input, min_val=-1.0, max_val=1.0)")
def hardtanh(xp, input: TensorOf(real, "bool"), min_val: Number = -1.0, max_val: Number = 1.0):
    """Cuts the elements off below `min_val` and above `max_val`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


hardtanh.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.keep((input > min_val) & (input < max_val), g)
)


@op(
    "mint.nn.functional.hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)",
    "mint.nn.Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)(input)",
    quirks=Quirks(rules={"mint.nn.Hardtanh": {"min_val": Any, "max_val": Any}}),
)
def hardtanh_ext(
    xp,
    input: TensorOf((integer | floating) - {"float64"}),
    min_val: Bound = -1.0,
    max_val: Bound = 1.0,
):
    """Cuts the elements off below `min_val` and above `max_val`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    for name, bound in (("min_val", min_val), ("max_val", max_val)):
        if not isinstance(bound, (int, float)):  # which the class asks for only now
            raise TypeError(f"For 'Hardtanh', '{name}' must be a number, but got {bound!r}.")
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


hardtanh_ext.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.keep((input > min_val) & (input < max_val), g)
)


def _threshold(xp, x, limit, value):
    return xp.cast(xp.where(x > limit, x, value), x.dtype)


@op("ops.threshold(input, thr, value)", "nn.Threshold(threshold: thr, value)(input)")
def threshold(xp, input: TensorOf(number, "bool"), thr: Number, value: Number):
    """Keeps the elements that exceed `thr` and replaces the others by `value`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.threshold(ms.Tensor([-2.0, 0.5, 3.0]), 0.6, 9.0))
        [9. 9. 3.]
    """
    return _threshold(xp, input, thr, value)


threshold.vjp(input=lambda xp, g, input, thr: xp.where(input > thr, g, 0))


@op(
    "mint.nn.functional.threshold(input, threshold, value, inplace=False)",
    "mint.nn.Threshold(threshold, value, inplace=False)(input)",
)
def threshold_ext(xp, input: Numbers, threshold: Number, value: Number):
    """Keeps the elements that exceed `threshold` and replaces the others by `value`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.threshold(ms.Tensor([-2.0, 0.5, 3.0]), 0.6, 9.0))
        [9. 9. 3.]
    """
    return _threshold(xp, input, threshold, value)


threshold_ext.vjp(input=lambda xp, g, input, threshold: xp.where(input > threshold, g, 0))


# Gated units --------------------------------------------------------------------------------------


def _halves(xp, api, x, axis, error):
    """The two halves of `x` along `axis`."""
    if not -x.ndim <= axis < x.ndim:
        kind = IndexError if error is RuntimeError else ValueError
        raise kind(f"For '{api}', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}.")
    axis = axis % x.ndim
    if x.shape[axis] % 2:
        raise error(f"For '{api}', the length along 'axis' must be even, but got {x.shape[axis]}.")
    middle = x.shape[axis] // 2
    front = (slice(None),) * axis
    return x[front + (slice(None, middle),)], x[front + (slice(middle, None),)]


@op("ops.glu(x, axis=-1)", "nn.GLU(axis=-1)(x)")
def glu(xp, x: TensorOf(floating, "complex64", "complex128"), axis: ScalarOf(Int) = -1):
    """Multiplies the first half of `x` along `axis` by the sigmoid of the second half.

    Shapes:
        `x` has an even length 2 n along `axis`. The result has length n there, and the dtype of
        `x`.

    Example:
        >>> print(ms.ops.glu(ms.Tensor([[1.0, 2.0, 0.0, 3.0]])))
        [[0.5       1.9051483]]
    """
    a, b = _halves(xp, "glu", x, axis, ValueError)
    return a * xp.sigmoid(b)


@op(
    "ops.GLU(axis=-1)(x)",
    "mint.nn.functional.glu(input: x, dim: axis=-1)",
    "mint.nn.GLU(dim: axis=-1)(input: x)",
)
def glu_primitive(xp, x: Floats, axis: ScalarOf(Int, TypeError) = -1):
    """Multiplies the first half of `x` along `axis` by the sigmoid of the second half.

    Shapes:
        `x` has an even length 2 n along `axis`. The result has length n there, and the dtype of
        `x`.

    Raises:
        TypeError: if `x` is not a Tensor of a floating dtype, or `axis` is not an int.
        IndexError: if `axis` is not one of the axes of `x`.
        RuntimeError: if the length along `axis` is odd.

    Example:
        >>> print(ms.ops.GLU()(ms.Tensor([[1.0, 2.0, 0.0, 3.0]])))
        [[0.5       1.9051483]]
    """
    a, b = _halves(xp, "GLU", x, axis, RuntimeError)
    return a * xp.sigmoid(b)


@op("ops.swiglu(input, dim=-1)")
def swiglu(xp, input: FloatsUpTo32, dim: Int = -1):
    """Multiplies the silu of the first half of `input` along `dim` by the second half.

    Shapes:
        `input` has an even length 2 n along `dim`. The result has length n there, and the dtype of
        `input`.

    Example:
        >>> print(ms.ops.swiglu(ms.Tensor([[1.0, 2.0, 0.5, 3.0]])))
        [[0.3655293 5.2847824]]
    """
    a, b = _halves(xp, "swiglu", input, dim, RuntimeError)
    return a * xp.sigmoid(a) * b
