"""Sigmoid, and the smooth activations built from it.

tanh is in _elementwise/elementary.py. On a CPU, functions of several passes run over blocks that
fit the cache (`xp.blockwise`), which is three times as fast.
"""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, InTensor, Number, TensorOf, floating
from .._rules import Float16To64, Floats, Inexact, Operand

NumberOrTensor = InTensor(Number | Bool)


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
    """Computes the sigmoid (logistic function), 1 / (1 + exp(-x)), of each element.

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


def _sigmoid_vjp(xp, g, out):
    return g * (out * (1 - out))


def _sigmoid_vjp_of_any(xp, g, out):
    if out.dtype.kind == "c":
        return g * xp.conj(out * (1 - out))
    return xp.blockwise(_sigmoid_vjp, g, out)


sigmoid.vjp(input=_sigmoid_vjp_of_any)


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
    """Computes the log-sigmoid, log(1 / (1 + exp(-x))), of each element without overflow.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.logsigmoid(ms.Tensor([-1.0, 0.0, 2.0])))
        [-1.3132616 -0.6931472 -0.126928 ]
    """
    if x.dtype.kind == "c":
        return -xp.log(1 + xp.exp(-x))
    return xp.pointwise(_logsigmoid, x)


def _logsigmoid(xp, x):
    return -xp.softplus(-x)


def _logsigmoid_vjp(xp, g, x):
    return g * xp.sigmoid(-x)


def _logsigmoid_vjp_of_any(xp, g, x):
    if x.dtype.kind == "c":
        return g * xp.conj(1 / (1 + xp.exp(x)))
    return xp.pointwise(_logsigmoid_vjp, g, x)


logsigmoid.vjp(x=_logsigmoid_vjp_of_any)


@op(
    "ops.softplus(input, beta=1, threshold=20)",
    "mint.nn.functional.softplus(input, beta=1, threshold=20)",
    "ops.Softplus()(input_x: input)",
    quirks=Quirks(on_tape=lambda *given: softplus_by_tensor.run(*given)),
)
def softplus(xp, input: Floats, beta: NumberOrTensor = 1, threshold: NumberOrTensor = 20):
    """Computes softplus, log(1 + exp(beta * x)) / beta, a smooth ReLU. Where beta * x exceeds
    `threshold` it is x itself.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softplus(ms.Tensor([-1.0, 0.0, 30.0])))
        [ 0.31326163  0.6931472  30.        ]
    """
    if beta == 0:
        raise ValueError(f"For 'softplus', 'beta' must not be 0, but got {beta!r}.")
    return xp.pointwise(_softplus, input, beta=beta, threshold=threshold)


def _softplus(xp, x, *, beta, threshold):
    scaled = x * beta
    return xp.where(scaled > threshold, x, xp.softplus(scaled) / beta)


def _softplus_vjp(xp, g, x, *, beta, threshold):
    return g * xp.where(x * beta > threshold, 1, xp.sigmoid(x * beta))


softplus.vjp(
    input=lambda xp, g, input, beta, threshold: xp.pointwise(
        _softplus_vjp, g, input, beta=beta, threshold=threshold
    )
)


@op()
def softplus_by_tensor(xp, input: Floats, beta: Operand, threshold: Operand):
    """Computes softplus with a gradient for `beta`; `beta` and `threshold` are Tensors of one
    element."""
    beta, threshold = (xp.reshape(xp.cast(array, input.dtype), ()) for array in (beta, threshold))
    scaled = input * beta
    return xp.where(scaled > threshold, input, xp.softplus(scaled) / beta)


@op(
    "ops.silu(input)",
    "nn.SiLU()(x: input)",
    "mint.nn.functional.silu(input, inplace=False)",
    "mint.nn.SiLU(inplace=False)(input)",
)
def silu(xp, input: Inexact):
    """Applies the SiLU (swish) activation: x * sigmoid(x).

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
    """Applies the Mish activation: x * tanh(log(1 + exp(x))).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.mish(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.30340144  0.          1.943959  ]
    """
    return xp.blockwise(_mish, x)


def _mish_factor(xp, x):
    """Computes tanh(log(1 + exp(x))) with a single exp: n / (n + 2), where n = exp(x) (exp(x) +
    2)."""
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
def softsign(xp, x: Float16To64):
    """Applies the softsign activation: x / (1 + |x|), which lies in (-1, 1).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softsign(ms.Tensor([-1.0, 0.0, 3.0])))
        [-0.5   0.    0.75]
    """
    return x / (1 + xp.abs(x))


softsign.vjp(x=lambda xp, g, x: g / xp.square(1 + xp.abs(x)))
