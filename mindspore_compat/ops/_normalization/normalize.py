"""L2 and p-norm normalization, and local response normalization (lrn)."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Float,
    Int,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
)
from .._reduction.norm import _vector_norm
from .._rules import Float16Or32, Floats
from .._shape.axes import as_list


@op(
    "ops.L2Normalize(axis=0, epsilon=1e-4)(x)",
    quirks=Quirks(stored={"ops.L2Normalize": {"axis": as_list}}),
)
def l2_normalize(
    xp,
    x: TensorOf("float16", "float32", "float64"),
    axis: Int | TupleOf(Int) | ListOf(Int) = 0,
    epsilon: Float = 1e-4,
):
    """Applies L2 normalization along `axis`: x / sqrt(max(sum(x^2), epsilon)). The axis is an int,
    or a tuple or list of one int.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.L2Normalize(axis=0)(ms.Tensor([3.0, 4.0])))
        [0.6 0.8]
    """
    if not isinstance(axis, int) and len(axis) != 1:
        raise TypeError(f"For 'L2Normalize', 'axis' must be an int or hold one, but got {axis}.")
    axis = axis if isinstance(axis, int) else axis[0]
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"For 'L2Normalize', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    square = xp.sum_of_squares(x, axis, keepdims=True)
    return x / xp.sqrt(xp.maximum(square, epsilon))


@op("mint.nn.functional.normalize(input, p=2.0, dim=1, eps=1e-12)")
def normalize(xp, input: Floats, p: AsValue(Number) = 2.0, dim: Any = 1, eps: Number = 1e-12):
    """Divides the input by its p-norm along `dim`, which is an axis or a tuple of axes: input /
    max(norm, eps).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.normalize(ms.Tensor([[3.0, 4.0]])))
        [[0.6 0.8]]
    """
    return input / xp.maximum(_vector_norm(xp, input, p, dim, keepdims=True), eps)


@op(
    "ops.lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')",
    "ops.LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(x)",
    quirks=Quirks(checked_at_once=("nn.LRN",)),
)
def lrn(
    xp,
    x: Float16Or32,
    depth_radius: Int(ge=0) = 5,
    bias: Float = 1.0,
    alpha: Float = 1.0,
    beta: Float = 0.5,
    norm_region: OneOf("ACROSS_CHANNELS") = "ACROSS_CHANNELS",
):
    """Applies local response normalization to images: input / (bias + alpha * s)^beta, where s is
    the sum of squares of the channels at most `depth_radius` away.

    Shapes:
        `x` is (N, C, H, W), float16 or float32. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.lrn(ms.Tensor([[[[1.0]], [[2.0]]]]), depth_radius=1))
        [[[[0.40824828]]
        <BLANKLINE>
          [[0.81649655]]]]
    """
    if x.ndim != 4:
        raise ValueError(f"For 'lrn', 'x' must have 4 dimensions, but got {x.ndim}.")
    planes = xp.reshape(xp.square(x), (x.shape[0], x.shape[1], x.shape[2] * x.shape[3]))
    reach = (2 * depth_radius + 1, 1)
    near = ((depth_radius, depth_radius), (0, 0))
    window = xp.average_pool(planes, reach, (1, 1), near, False, True, 1)
    return x / xp.power(bias + alpha * xp.reshape(window, x.shape), beta)
