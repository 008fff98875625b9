"""Batch normalization.

Layer norm is in _normalization/layer_norm.py, root mean square norm in rms_norm.py, group norm in
_normalization/group_norm.py, synchronized batch norm in _normalization/sync_batch_norm.py, the
layers in nn. Statistics are float64 for data of float64 and float32 for all other dtypes. They have
gradients, too.
"""

from math import prod

from ..._backend.arrays import space_of
from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import ELEMENT, ROW
from ..._backend.steps.journal import journal
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import Bool, Float, Number, OneOf, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Float16Or32, Floats
from ..primitive import Primitive
from .bodies import column, dots, planes_of, standardized

Epsilon = Float(gt=0.0, le=1.0)


def _factor(xp, scale, var, eps):
    """Computes scale / sqrt(var + eps), one per channel; without `scale`, it counts as 1."""
    rstd = 1 / xp.sqrt(at_least_float32(xp, var) + eps)
    return rstd if scale is None else rstd * at_least_float32(xp, scale)


def _affine(xp, x, factor, mean, shift):
    """Computes (x - mean) * factor + shift, channel by channel, in the dtype of `x`."""
    planes, mean = at_least_float32(xp, planes_of(xp, x), mean)
    factor, middle = column(xp, factor), column(xp, mean)
    if shift is None:
        out = xp.by_rows(lambda xp, part: (part - middle) * factor, planes)
    else:
        offset = column(xp, at_least_float32(xp, shift))
        out = xp.by_rows(lambda xp, part: (part - middle) * factor + offset, planes)
    return xp.cast(xp.reshape(out, x.shape), x.dtype)


@op(compute="native")
def batch_standardize(
    xp, x: Floats, scale: Floats = None, shift: Floats = None, eps: Number = 1e-5
):
    """Computes (x - mean) / sqrt(var + eps) * scale + shift, with the statistics of this batch.

    Returns:
        The result, and the mean and (biased) variance of each channel.
    """
    if x.size and (bodies := bodies_of(xp, x, scale, shift, least="BODY_NORMAL")):
        result = bodies.rows(
            standardized,
            _as_rows(x),
            (ELEMENT, ROW, ROW),
            elements=(x,),
            rows=(scale, shift),
            eps=eps,
            gives_rstd=False,
        )
        if result is not None:
            return result
    planes = at_least_float32(xp, planes_of(xp, x))
    count = planes.shape[0] * planes.shape[2]
    mean = xp.sum(xp.sum(planes, 2), 0) / count
    middle = column(xp, mean)

    def squares(xp, part):
        part = part - middle
        return dots(xp, part, part)

    var = xp.sum(xp.by_rows(squares, planes), 0) / count
    return _affine(xp, x, _factor(xp, scale, var, eps), mean, shift), mean, var


def _as_rows(x):
    """Returns the shape in which each channel is a row of a single kernel."""
    return x.shape[0], x.shape[1], prod(x.shape[2:])


def _standardized_vjp(xp, x, g, scale, mean, var, to_mean, to_var, *, eps):
    """Returns gradients of the rows, the scale and the shift of `standardized`."""
    rstd, part = 1 / xp.sqrt(var + eps), x - mean
    total, moment = xp.row_sum(g), xp.row_sum(part * g)
    factor = rstd if scale is None else rstd * scale
    by_part, by_one = _factors_of_input(factor, rstd, moment, total, to_mean, to_var)
    return (
        g * factor + (part * (by_part / xp.row_size()) + by_one / xp.row_size()),
        rstd * moment,
        total,
    )


def _factors_of_input(factor, rstd, moment, total, to_mean, to_var):
    """Returns two coefficients a, b: the gradient of x is `g * factor + (a * (x - mean) + b) / n`,
    where n is the number of elements. The gradients of mean and variance may be None.
    """
    by_part, by_one = -factor * rstd * rstd * moment, -factor * total
    by_part = by_part if to_var is None else 2 * to_var + by_part
    return by_part, by_one if to_mean is None else to_mean + by_one


@batch_standardize.vjp_joint
def batch_standardize_vjp(xp, g, x, scale, out, eps):
    """Returns the gradients of the data, the scale and the shift."""
    grad_out, grad_mean, grad_var = g
    grad_out = xp.zeros_like(x) if grad_out is None else grad_out
    mean, var = out[1], out[2]
    if x.size and (bodies := bodies_of(xp, x, grad_out, scale, least="BODY_NORMAL")):
        result = bodies.rows(
            _standardized_vjp,
            _as_rows(x),
            (ELEMENT, ROW, ROW),
            elements=(x, grad_out),
            rows=(scale, mean, var, grad_mean, grad_var),
            eps=eps,
        )
        if result is not None:
            return result
    planes, flow = at_least_float32(xp, planes_of(xp, x), planes_of(xp, grad_out))
    count = planes.shape[0] * planes.shape[2]
    middle, rstd = column(xp, mean), _factor(xp, None, var, eps)

    def sums(xp, part, flow):
        return xp.sum(flow, 2), dots(xp, part - middle, flow)

    total, moment = (xp.sum(terms, 0) for terms in xp.by_rows(sums, planes, flow))
    factor = rstd if scale is None else rstd * at_least_float32(xp, scale)
    both = _factors_of_input(factor, rstd, moment, total, grad_mean, grad_var)
    by_part, by_one = (column(xp, values / count) for values in both)
    factor = column(xp, factor)

    def input_gradient(xp, part, flow):
        return flow * factor + ((part - middle) * by_part + by_one)

    grad_x = xp.reshape(xp.by_rows(input_gradient, planes, flow), x.shape)
    return grad_x, rstd * moment, total


batch_standardize_vjp.fills = False  # no zeros: a layer uses only the first output


@op(compute="native")
def batch_rescale(
    xp,
    x: Floats,
    mean: Floats,
    var: Floats,
    scale: Floats = None,
    shift: Floats = None,
    eps: Number = 1e-5,
):
    """Computes (x - mean) / sqrt(var + eps) * scale + shift, with given statistics."""
    return _affine(xp, x, _factor(xp, scale, var, eps), mean, shift)


def _moment(xp, g, x, mean):
    """Computes the sum of (x - mean) g over each channel."""
    planes, flow, mean = at_least_float32(xp, planes_of(xp, x), planes_of(xp, g), mean)
    middle = column(xp, mean)
    return xp.sum(xp.by_rows(lambda xp, part, flow: dots(xp, part - middle, flow), planes, flow), 0)


def _total(xp, g):
    """Computes the sum of g over each channel."""
    return xp.sum(xp.sum(at_least_float32(xp, planes_of(xp, g)), 2), 0)


def _rescale_input(xp, g, scale, var, eps):
    factor, flow = column(xp, _factor(xp, scale, var, eps)), at_least_float32(xp, planes_of(xp, g))
    return xp.reshape(xp.by_rows(lambda xp, flow: flow * factor, flow), g.shape)


batch_rescale.vjp(
    x=_rescale_input,
    mean=lambda xp, g, scale, var, eps: -_total(xp, g) * _factor(xp, scale, var, eps),
    var=lambda xp, g, x, mean, var, scale, eps: (
        -0.5
        * _moment(xp, g, x, mean)
        * _factor(xp, scale, var, eps)
        / (at_least_float32(xp, var) + eps)
    ),
    scale=lambda xp, g, x, mean, var, eps: _moment(xp, g, x, mean) * _factor(xp, None, var, eps),
    shift=lambda xp, g: _total(xp, g),
)


def need_channels(api, x, ranks, rank_error=ValueError, **tensors):
    """Rejects data of another rank, and per-channel values of another length."""
    if x.ndim not in ranks:
        raise rank_error(
            f"For '{api}', the input must have {ranks[0]} to {ranks[-1]} dimensions, but got "
            f"shape {x.shape}."
        )
    for name, value in tensors.items():
        if value is not None and value.shape != x.shape[1:2]:
            raise ValueError(
                f"For '{api}', '{name}' must have shape ({x.shape[1]},), but got {value.shape}."
            )


def running(old, new, momentum):
    """Moves a running statistic toward the statistic of a batch, in place. No gradient flows
    through it.
    """
    journal.note_replaced((old,))
    previous = old._array
    space = previous * (1 - momentum) + new._array * momentum
    old._array = space.astype(previous.dtype)


def normalize_batch(x, scale, shift, mean, var, training, momentum, eps):
    """Applies batch normalization to Tensors; training updates the running statistics.

    Args:
        x (Tensor): data, (N, C, ...).
        scale, shift, mean, var (Tensor): one value per channel.
        training (bool): whether the batch's own statistics are used.
        momentum (float): the weight of the batch in the running statistics.
        eps (float): added to the variance.

    Returns:
        The result and the statistics used: (Tensor, mean, biased variance).
    """
    if not training:
        return batch_rescale.run(x, mean, var, scale, shift, eps), mean, var
    out, own_mean, own_var = batch_standardize.run(x, scale, shift, eps)
    count = x.size // x.shape[1]
    unbiased = count / max(count - 1, 1)
    arrays = [tensor._array for tensor in (mean, var, own_mean, own_var)]
    if bodies := bodies_of(space_of(arrays[0]), *arrays, least="BODY_NORMAL"):
        result = bodies.pointwise(_update_running, *arrays, momentum=momentum, unbiased=unbiased)
        if result is not None:
            journal.note_replaced((mean, var))
            mean._array, var._array = result
            return out, own_mean, own_var
    running(mean, own_mean, momentum)
    running(var, Tensor._wrap(own_var._array * unbiased), momentum)
    return out, own_mean, own_var


def _update_running(xp, mean, var, own_mean, own_var, *, momentum, unbiased):
    """Returns both running statistics after a step toward the statistics of a batch."""
    return (
        mean * (1 - momentum) + own_mean * momentum,
        var * (1 - momentum) + own_var * unbiased * momentum,
    )


@public("ops.batch_norm")
@shapes_first
@checked
def batch_norm(
    input_x: Float16Or32,
    running_mean: Float16Or32,
    running_var: Float16Or32,
    weight: Float16Or32,
    bias: Float16Or32,
    training: Bool = False,
    momentum: Float(ge=0.0, le=1.0) = 0.1,
    eps: Epsilon = 1e-5,
):
    """Applies batch normalization to data (N, C, ...): standardizes each channel, multiplies it by
    `weight` and adds `bias`.

    With `training`, the statistics of the batch are used, and `running_mean` and `running_var`
    (unbiased) move toward them by `momentum`, in place. Otherwise the running statistics are used.

    Returns:
        Tensor of the shape and dtype of `input_x`.

    Example:
        >>> import mindspore_compat as ms
        >>> one, zero = ms.Tensor([1.0]), ms.Tensor([0.0])
        >>> print(ms.ops.batch_norm(ms.Tensor([[1.0], [3.0]]), zero, one, one, zero))
        [[0.999995]
         [2.999985]]

    Source: mindspore.ops.batch_norm of MindSpore 2.10.
    """
    need_channels(
        "batch_norm",
        input_x,
        (2, 3, 4),
        weight=weight,
        bias=bias,
        running_mean=running_mean,
        running_var=running_var,
    )
    return normalize_batch(
        input_x, weight, bias, running_mean, running_var, training, momentum, eps
    )[0]


@public("mint.nn.functional.batch_norm")
@shapes_first
@checked
def batch_norm_ext(
    input: Floats,
    running_mean: Floats | None,
    running_var: Floats | None,
    weight: Floats = None,
    bias: Floats = None,
    training: Bool = False,
    momentum: Float = 0.1,
    eps: Float = 1e-5,
):
    """Applies batch normalization to data (N, C, ...); absent weights are 1, absent biases 0.

    With `training`, the running statistics may be None; they are then not tracked.

    Args:
        input (Tensor): of shape (N, C, ...).
        running_mean (Tensor): of shape (C,).
        running_var (Tensor): of shape (C,).
        weight (Tensor): of shape (C,); None for ones.
        bias (Tensor): of shape (C,); None for zeros.
        training (bool): whether the statistics of the batch are used. Default: False.
        momentum (float): the weight of the batch in the running statistics. Default: 0.1.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.functional.batch_norm(ms.Tensor([[1.0], [3.0]]), None, None,
        ...                                        training=True))
        [[-0.999995]
         [ 0.999995]]

    Source: mindspore.mint.nn.functional.batch_norm of MindSpore 2.10.
    """
    need_channels(
        "batch_norm",
        input,
        range(2, 9),
        weight=weight,
        bias=bias,
        running_mean=running_mean,
        running_var=running_var,
    )
    if running_mean is None or running_var is None:
        if not training:
            raise ValueError("For 'batch_norm', running statistics must be given outside training.")
        return batch_standardize.run(input, weight, bias, eps)[0]
    return normalize_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)[
        0
    ]


@public("ops.BatchNorm")
class BatchNorm(Primitive):
    """Batch normalization of data (N, C, ...), with running statistics that training updates.

    Args:
        is_training (bool): whether the batch's own statistics are used.
        epsilon (float): added to the variance.
        momentum (float): the weight of the batch in the running statistics.
        data_format (str): "NCHW", or "NHWC" for channels last.

    Inputs:
        input_x, scale, bias, mean, variance (Tensor): the data, and one value per channel each.

    Returns:
        Five Tensors: the result, then the mean and the variance that were used, twice (MindSpore
        keeps the second pair for its gradient).

    Example:
        >>> import mindspore_compat as ms
        >>> one, zero = ms.Tensor([1.0]), ms.Tensor([0.0])
        >>> print(ms.ops.BatchNorm()(ms.Tensor([[1.0], [3.0]]), one, zero, zero, one)[0])
        [[0.999995]
         [2.999985]]

    Source: mindspore.ops.BatchNorm of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        is_training: Bool = False,
        epsilon: Epsilon = 1e-5,
        momentum: Float(ge=0.0, le=1.0) = 0.1,
        data_format: AnyCase(OneOf("NCHW", "NHWC")) = "NCHW",
    ):
        super().__init__("BatchNorm")
        self.is_training = is_training
        self.epsilon = epsilon
        self.momentum = momentum
        self.data_format = data_format

    @shapes_first
    @checked
    def __call__(
        self,
        input_x: Float16Or32,
        scale: Float16Or32,
        bias: Float16Or32,
        mean: Float16Or32,
        variance: Float16Or32,
    ):
        last = self.data_format == "NHWC"
        x = channels_first.run(input_x) if last else input_x
        need_channels(
            "BatchNorm", x, (2, 3, 4), scale=scale, bias=bias, mean=mean, variance=variance
        )
        out, used_mean, used_var = normalize_batch(
            x, scale, bias, mean, variance, self.is_training, self.momentum, self.epsilon
        )
        out = channels_last.run(out) if last else out
        return out, used_mean, used_var, used_mean, used_var


@op(compute="native")
def channels_first(xp, x: TensorOf()):
    """Rearranges (N, ..., C) to (N, C, ...)."""
    return xp.moveaxis(x, -1, 1)


@op(compute="native")
def channels_last(xp, x: TensorOf()):
    """Rearranges (N, C, ...) to (N, ..., C)."""
    return xp.moveaxis(x, 1, -1)
