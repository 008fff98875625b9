"""Group normalization.

Each row holds one group of channels of one sample. layer_norm.py has the functions that all rows
share.
"""

from math import prod

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import CHANNEL, ELEMENT
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import Float, Int, Number, ScalarOf, checked
from .._precision import at_least_float32
from .._rules import Floats
from .batch_norm import need_channels
from .bodies import column, dots, standardized
from .layer_norm import _bodies_for, _gradient_kinds, _input_gradient, _row_normal_vjp


@public("ops.group_norm", "mint.nn.functional.group_norm")
@shapes_first
@checked
def group_norm(
    input: Floats,
    num_groups: ScalarOf(Int, TypeError),
    weight: Floats = None,
    bias: Floats = None,
    eps: Float = 1e-5,
):
    """Applies group normalization to data (N, C, ...): standardizes each group of channels to mean
    0 and standard deviation 1.

    Then each channel is multiplied by its `weight`, and its `bias` is added.

    Args:
        input (Tensor): of shape (N, C, ...).
        num_groups (int): the number of groups, which divides C.
        weight (Tensor): of shape (C,); None for ones.
        bias (Tensor): of shape (C,); None for zeros.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.group_norm(ms.Tensor([[1.0, 3.0]]), 1))
        [[-0.999995  0.999995]]

    Source: mindspore.ops.group_norm of MindSpore 2.10.
    """
    channels = input.shape[1] if input.ndim > 1 else 0
    if num_groups < 1 or channels % num_groups or not channels:
        raise ValueError(
            f"For 'group_norm', 'num_groups' must be positive and divide the channels, but got "
            f"{num_groups} and shape {input.shape}."
        )
    need_channels("group_norm", input, range(2, 9), weight=weight, bias=bias)
    return group_standardize.run(input, weight, bias, num_groups, eps)


@op(compute="native")
def group_standardize(
    xp, x: Floats, scale: Floats = None, shift: Floats = None, groups: Int = 1, eps: Number = 1e-5
):
    """Applies group normalization to (N, C, ...), then scales and shifts each channel."""
    shape, area = _as_groups(x, groups)
    if x.size and (bodies := bodies_of(xp, x, scale, shift, least="BODY_NORMAL")):
        result = bodies.rows(
            _grouped,
            (1, *shape),
            (ELEMENT,),
            elements=(x,),
            channels=(scale, shift),
            eps=eps,
            groups=groups,
            area=area,
        )
        if result is not None:
            return result
    normal = xp.row_normal(at_least_float32(xp, xp.reshape(x, shape)), eps)
    planes = xp.reshape(normal, (x.shape[0], x.shape[1], area))
    if scale is not None:
        planes = planes * column(xp, at_least_float32(xp, scale))
    if shift is not None:
        planes = planes + column(xp, at_least_float32(xp, shift))
    return xp.cast(xp.reshape(planes, x.shape), x.dtype)


def _as_groups(x, groups):
    """Returns the shape of `x` with one row per group, and the number of positions of a channel."""
    area = prod(x.shape[2:])
    return (x.shape[0] * groups, x.shape[1] // groups * area), area


# The kernels of these two bodies find the channel of an element by `groups` and `area`.
def _grouped(xp, x, scale, shift, *, eps, groups, area):
    return standardized(xp, x, scale, shift, eps=eps, gives_rstd=True)[0]


def _grouped_vjp(xp, x, g, scale, *, eps, groups, area):
    """Returns the gradient of rows, and the arrays whose sums are the gradients of scale and
    shift."""
    part = x - xp.row_sum(x) / xp.row_size()
    rstd = 1 / xp.sqrt(xp.row_sum(part * part) / xp.row_size() + eps)
    flow = g if scale is None else g * scale
    moment, total = xp.row_sum(part * flow), -rstd * xp.row_sum(flow)
    grad_x = _input_gradient(part, flow, rstd, moment, total, xp.row_size())
    return grad_x, part * rstd * g, g


@group_standardize.vjp_joint
def group_standardize_vjp(xp, g, x, scale, shift_shape, groups, eps):
    """Returns the gradients of the data, the scale and the shift; recomputes the statistics."""
    shape, area = _as_groups(x, groups)
    planes = (x.shape[0], x.shape[1], area)
    bodies, rows, flow = _bodies_for(xp, xp.reshape(x, shape), xp.reshape(g, shape), scale)
    if bodies:
        result = bodies.rows(
            _grouped_vjp,
            (1, *shape),
            _gradient_kinds(CHANNEL, scale, shift_shape),
            elements=(rows, flow),
            channels=(scale,),
            eps=eps,
            groups=groups,
            area=area,
        )
        if result is not None:
            return xp.reshape(result[0], x.shape), *result[1:]
    weighted, grad_scale = flow, None
    if scale is not None:
        weighted = xp.reshape(flow, planes) * column(xp, at_least_float32(xp, scale))
        normal = xp.reshape(xp.row_normal(rows, eps), planes)
        grad_scale = xp.sum(dots(xp, normal, xp.reshape(flow, planes)), 0)
    grad_x = _row_normal_vjp(xp, xp.reshape(weighted, shape), rows, eps)
    return (
        xp.reshape(grad_x, x.shape),
        grad_scale,
        None if shift_shape is None else xp.sum(xp.reshape(flow, planes), (0, 2)),
    )
