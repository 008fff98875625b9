"""Rectified linear units: ReLU, ReLU6, leaky ReLU and PReLU.

ReLU with random slopes (`rrelu`) is in _random/dropout.py.
"""

from math import prod

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import COLUMN, ELEMENT, ROW
from ..._backend.host.select import zero_of
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Number, TensorOf, floating, integer, number, real
from .._rules import Float16Or32, Floats

NegativeSlope = Number


@op(
    "ops.relu(input, inplace=False)",
    "ops.ReLU()(input)",
    "nn.ReLU()(input)",
    "mint.nn.functional.relu(input, inplace=False)",
    compute="native",
    quirks=Quirks(rules={"nn.ReLU": {"input": TensorOf(real, "bool")}}),
)
def relu(xp, input: TensorOf(number, "bool")):
    """Applies the ReLU activation: max(input, 0).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.relu(ms.Tensor([-1.0, 0.0, 2.0])))
        [0. 0. 2.]
    """
    return xp.at_least(input, zero_of(xp, input))


def _relu_vjp(xp, g, out):
    return xp.keep(out > 0, g)


relu.vjp(input=lambda xp, g, out: xp.pointwise(_relu_vjp, g, out))


@op("ops.relu6(x)", "ops.ReLU6()(x)", "nn.ReLU6()(x)")
def relu6(xp, x: Float16Or32):
    """Applies the ReLU6 activation: min(max(x, 0), 6).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.relu6(ms.Tensor([-1.0, 2.0, 8.0])))
        [0. 2. 6.]
    """
    return xp.pointwise(_relu6, x)


def _relu6(xp, x):
    return xp.at_most(xp.at_least(x, 0), 6)


relu6.vjp(x=lambda xp, g, x: xp.keep((x > 0) & (x <= 6), g))


@op("mint.nn.functional.relu6(input, inplace=False)", "mint.nn.ReLU6(inplace=False)(input)")
def relu6_ext(xp, input: TensorOf((integer | floating) - {"float64"})):
    """Applies the ReLU6 activation: min(max(input, 0), 6).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.relu6(ms.Tensor([-1.0, 2.0, 8.0])))
        [0. 2. 6.]
    """
    return xp.pointwise(_relu6, input)


relu6_ext.vjp(input=lambda xp, g, out: xp.keep((out > 0) & (out < 6), g))


def _leaky(xp, x, factor):
    if x.dtype.kind in "iu":  # MindSpore truncates the slope to an integer first
        return x if x.dtype.kind == "u" else xp.where(x > 0, x, x * int(factor))
    formula = _leaky_of_shallow if 0 <= factor <= 1 else _leaky_of_steep
    return xp.cast(xp.pointwise(formula, x, factor=factor), x.dtype)


def _leaky_of_shallow(xp, x, *, factor):
    return xp.maximum(x, x * factor)


def _leaky_of_steep(xp, x, *, factor):
    return xp.where(x > 0, x, x * factor)


def _leaky_vjp(xp, g, x, *, slope):
    return xp.keep(x > 0, g) + xp.keep(x <= 0, g * slope)


def _leaky_mean_vjp(xp, g, x, *, slope):
    """Returns the gradients as `_leaky_vjp` does, but with the mean of both slopes at 0."""
    return _leaky_vjp(xp, g, x, slope=slope) + xp.keep(x == 0, g * (0.5 * (1 - slope)))


@op("ops.leaky_relu(input, alpha=0.2)", "nn.LeakyReLU(alpha=0.2)(input)")
def leaky_relu(xp, input: TensorOf(number, "bool"), alpha: NegativeSlope = 0.2):
    """Applies the leaky ReLU activation: max(x, 0) + alpha min(x, 0).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.leaky_relu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=0.1))
        [-0.1  0.   2. ]
    """
    return _leaky(xp, input, alpha)


leaky_relu.vjp(
    input=lambda xp, g, input, alpha: xp.pointwise(_leaky_mean_vjp, g, input, slope=alpha)
)


@op("mint.nn.functional.leaky_relu(input, negative_slope=0.01)")
def leaky_relu_ext(xp, input: Floats, negative_slope: NegativeSlope = 0.01):
    """Applies the leaky ReLU activation: max(x, 0) + negative_slope min(x, 0).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.leaky_relu(ms.Tensor([-1.0, 0.0, 2.0]), negative_slope=0.1))
        [-0.1  0.   2. ]
    """
    return _leaky(xp, input, negative_slope)


leaky_relu_ext.vjp(
    input=lambda xp, g, input, negative_slope: xp.pointwise(
        _leaky_vjp, g, input, slope=negative_slope
    )
)


@op(
    "ops.prelu(input, weight)",
    "ops.PReLU()(x: input, weight)",
    "mint.nn.functional.prelu(input, weight)",
    quirks=Quirks(
        shapes_first=False,
        rules={
            f"ops.{name}": {"input": Float16Or32, "weight": Float16Or32}
            for name in ("prelu", "PReLU")
        },
    ),
    compute="kernels",
)
def prelu(xp, input: Floats, weight: Floats):
    """Applies the PReLU activation: keeps positive elements and multiplies the others by the weight
    of their channel.

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
    weight = xp.cast(weight, input.dtype)
    result = _rows_of_channels(xp, _prelu, (ELEMENT,), weight, input)
    if result is None:
        return xp.pointwise(_prelu, input, _of_channels(xp, weight, input))
    return result


def _prelu(xp, x, slope):
    return xp.where(x > 0, x, x * slope)


def _prelu_vjp(xp, x, g, slope):
    """Returns the gradient of the input, and the array whose sum is the gradient of the slope."""
    above = x > 0
    return xp.where(above, g, g * slope), xp.where(above, 0.0, g * x)


def _prelu_vjp_row(xp, x, g, slope):
    by_x, by_slope = _prelu_vjp(xp, x, g, slope)
    return by_x, xp.sum(by_slope, 1)


def _of_channels(xp, weight, x):
    """Returns `weight` reshaped to broadcast over `x`."""
    return xp.reshape(weight, (1, -1) + (1,) * (x.ndim - 2) if x.ndim > 1 else (-1,) * x.ndim)


def _rows_of_channels(xp, body, results, weight, *arrays):
    """Runs `body(xp, *arrays, weight)` as one kernel over the rows of arrays whose last axis is the
    channel or whose rows are one channel each; returns None if there is no such kernel."""
    first = arrays[0]
    if not (first.ndim > 1 and first.size and (bodies := bodies_of(xp, *arrays, weight))):
        return None
    count, channels, area = first.shape[0], first.shape[1], prod(first.shape[2:])
    if area == 1:
        weight = xp.broadcast_to(weight, (channels,))
        shape = 1, count, channels
        return bodies.rows(body, shape, results, elements=arrays, columns=(weight,))
    weight = xp.reshape(xp.broadcast_to(weight, (count, channels)), (-1,))
    shape = 1, count * channels, area
    return bodies.rows(body, shape, results, elements=arrays, rows=(weight,))


@prelu.vjp_joint
def prelu_vjp(xp, g, input, weight):
    """Returns gradients of the input and of the weight."""
    slope = xp.cast(weight, input.dtype)
    body, results = _prelu_vjp_row, (ELEMENT, ROW)
    if prod(input.shape[2:]) == 1:
        body, results = _prelu_vjp, (ELEMENT, COLUMN)
    result = _rows_of_channels(xp, body, results, slope, input, g)
    if result is None:
        by_input, by_weight = _prelu_vjp(xp, input, g, _of_channels(xp, slope, input))
        axes = tuple(axis for axis in range(input.ndim) if axis != 1)
        by_weight = xp.reshape(xp.sum(by_weight, axes), (-1,))
    else:
        by_input, by_weight = result
        by_weight = xp.sum(xp.reshape(by_weight, (-1, input.shape[1])), 0)
    return by_input, xp.sum(by_weight, 0, keepdims=True) if weight.shape[0] == 1 else by_weight
