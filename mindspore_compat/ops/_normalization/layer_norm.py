"""Normalization of rows: layer norm.

A row consists of the elements along the last axes. Statistics are float64 for data of float64 and
float32 for all other dtypes. They have gradients, too. Root mean square norm is in rms_norm.py,
batch norm in batch_norm.py, group norm in group_norm.py.
"""

import functools
from math import prod

import numpy

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import COLUMN, ELEMENT, ROW
from ..._backend.space import implements
from ..._backend.updates.asynchronous import is_asynchronous
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import Bool, Float, Int, ListOf, Number, TupleOf, checked
from .._precision import at_least_float32
from .._rules import Floats, FloatsUpTo32
from ..primitive import Primitive
from .bodies import dots, standardized
from .own_rows import by_own_rows, has_own_rows

Epsilon = Float(ge=0.0, le=1.0)


def _rows(xp, x, axis):
    """Merges the axes from `axis` on into one, and the others into another."""
    axis = axis % x.ndim
    return xp.reshape(x, (prod(x.shape[:axis]), prod(x.shape[axis:])))


def _flat(xp, weight):
    return None if weight is None else xp.reshape(at_least_float32(xp, weight), (-1,))


def _bodies_for(xp, rows, flow, weight):
    """Returns the runner of bodies for these arrays, or None, and the first two arrays, upcast if
    necessary."""
    bodies = bodies_of(xp, rows, flow, weight, least="BODY_NORMAL")
    if bodies is None:
        rows, flow = at_least_float32(xp, rows, flow)
        bodies = bodies_of(xp, rows, flow, weight, least="BODY_NORMAL")
    return bodies if rows.size else None, rows, flow


@functools.lru_cache(maxsize=64)
def _ones(length, dtype):
    """Returns a column of ones; `xp.table` calls it and keeps the result."""
    return numpy.ones((length, 1), dtype)


def _row_statistics(xp, part, eps):
    """Returns the rows minus their mean, the mean, and the reciprocal of the standard deviation."""
    ones = xp.table(_ones, part.shape[1], part.dtype.str)
    mean = xp.matmul(part, ones) / part.shape[1]
    part = part - mean
    rest = xp.matmul(part, ones) / part.shape[1]  # the rounding error of the mean, large far from 0
    part, mean = part - rest, mean + rest
    var = xp.expand_dims(dots(xp, part, part), 1) / part.shape[1]
    return part, mean, 1 / xp.sqrt(var + eps)


def _row_vjp(xp, part, flow, rstd, by_mean=0, by_rstd=0):
    """Returns the gradient of rows, given the gradients of their normal form (`flow`), of their
    mean and of the reciprocal of their standard deviation.
    """
    moment = xp.expand_dims(dots(xp, part, flow), 1) + by_rstd
    total = by_mean - rstd * xp.sum(flow, 1, keepdims=True)
    return _input_gradient(part, flow, rstd, moment, total, part.shape[1])


def _input_gradient(part, flow, rstd, moment, total, size):
    """Returns the gradient of rows.

    Args:
        part: the rows minus their mean.
        flow: the gradient of their normal form, part * rstd.
        rstd: the reciprocals of their standard deviations.
        moment: the gradient of `rstd`: the sum of part * flow over each row, plus any gradient from
            outside.
        total: the gradient of their mean, minus what flows through `part`.
        size: the length of a row.
    """
    by_part, by_one = -moment * rstd * rstd * rstd / size, total / size
    return flow * rstd + (part * by_part + by_one)


@op(compute="native")
def row_standardize(
    xp,
    x: Floats,
    scale: Floats = None,
    shift: Floats = None,
    axis: Int = -1,
    eps: Number = 1e-5,
    statistics: Bool = True,
):
    """Standardizes each row (the axes from `axis` on) to mean 0 and standard deviation 1, then
    scales and shifts it.

    `scale` and `shift` have the shape of a row.

    Returns:
        The result, the mean and the reciprocal standard deviation, both with reduced axes of length
        1. Without `statistics`, only the result; gradients need the statistics.
    """
    if has_own_rows(xp, x, axis):

        def own(xp, rows, columns):
            given = [None if array is None else columns.pop(0) for array in (scale, shift)]
            return list(row_standardize.body(xp, *rows, *given, -1, eps)), []

        columns = [array for array in (scale, shift) if array is not None]
        results = by_own_rows(xp, own, [x], columns)[0]
        return tuple(results) if statistics else results[0]
    if x.size and (bodies := bodies_of(xp, x, scale, shift, least="BODY_NORMAL")):
        result = _by_kernel(bodies, x, scale, shift, axis, eps, statistics)
        if result is not None:
            return result if statistics else result[0]
    scale, shift = _flat(xp, scale), _flat(xp, shift)

    def normal(xp, part):
        part, mean, rstd = _row_statistics(xp, part, eps)
        part = part * rstd
        part = part if scale is None else part * scale
        return part if shift is None else part + shift, mean, rstd

    out, mean, rstd = xp.by_rows(normal, at_least_float32(xp, _rows(xp, x, axis)))
    statistic_shape = _statistic_shape(x, axis)
    out = xp.cast(xp.reshape(out, x.shape), x.dtype)
    if not statistics:
        return out
    return out, xp.reshape(mean, statistic_shape), xp.reshape(rstd, statistic_shape)


def standardize_rows(x, scale, shift, axis, eps):
    """Returns the result of `row_standardize`, a Tensor. The statistics are returned only if a
    gradient is recorded."""
    unrecorded = x._node is None and (scale is None or scale._node is None)
    if unrecorded and (shift is None or shift._node is None):
        return row_standardize.run(x, scale, shift, axis, eps, False)
    return row_standardize.run(x, scale, shift, axis, eps)[0]


def _statistic_shape(x, axis):
    """Returns the shape of a statistic that has one value per row."""
    axis = axis % x.ndim
    return tuple(x.shape[:axis]) + (1,) * (x.ndim - axis)


@functools.lru_cache(maxsize=1024)
def _shapes_of_rows(shape, axis):
    """Returns the shape of a statistic, and (1, rows, columns), for data of a shape."""
    axis = axis % len(shape)
    row_shape = shape[:axis] + (1,) * (len(shape) - axis)
    return row_shape, (1, prod(shape[:axis]), prod(shape[axis:]))


def _by_kernel(bodies, x, scale, shift, axis, eps, statistics):
    """Runs `row_standardize` as one kernel, and returns its three results. Without `statistics`, a
    GPU does not store the last two, which are None. Returns None if there is no kernel."""
    row_shape, shape = _shapes_of_rows(x.shape, axis)
    kind = ROW if statistics or not is_asynchronous(x) else None
    return bodies.rows(
        standardized,
        shape,
        (ELEMENT, kind, kind),
        elements=(x,),
        columns=(scale, shift),
        row_shape=row_shape,
        eps=eps,
        gives_rstd=True,
    )


def _kernel_vjp(xp, x, g, scale, mean, rstd, by_mean, by_rstd):
    """Returns the gradient of rows, and the arrays whose sums are the gradients of scale and
    shift."""
    part, flow = x - mean, g if scale is None else g * scale
    moment, total = xp.row_sum(part * flow), -rstd * xp.row_sum(flow)
    moment = moment if by_rstd is None else moment + by_rstd
    total = total if by_mean is None else total + by_mean
    grad_x = _input_gradient(part, flow, rstd, moment, total, xp.row_size())
    return grad_x, part * rstd * g, g


def _gradient_kinds(kind, scale, shift_shape):
    """Returns the kinds of the gradients of data, scale and shift; None for those that are not
    requested."""
    return ELEMENT, None if scale is None else kind, None if shift_shape is None else kind


@row_standardize.vjp_joint
def row_standardize_vjp(xp, g, x, scale, shift_shape, out, axis):
    """Returns the gradients of the data, the scale and the shift."""
    first = xp.zeros_like(x) if g[0] is None else g[0]
    if has_own_rows(xp, x, axis):
        return _own_gradients(xp, (first, *g[1:]), x, scale, shift_shape, out)
    rows, flow = _rows(xp, x, axis), _rows(xp, first, axis)
    mean, rstd, by_mean, by_rstd = (
        None if array is None else xp.reshape(array, (-1, 1)) for array in (*out[1:], *g[1:])
    )
    weight = _flat(xp, scale)
    bodies, rows, flow = _bodies_for(xp, rows, flow, weight)
    if bodies:
        result = bodies.rows(
            _kernel_vjp,
            (1, *rows.shape),
            _gradient_kinds(COLUMN, scale, shift_shape),
            elements=(rows, flow),
            columns=(weight,),
            rows=(mean, rstd, by_mean, by_rstd),
        )
        if result is not None:
            return (
                xp.reshape(result[0], x.shape),
                None if scale is None else xp.reshape(result[1], scale.shape),
                None if shift_shape is None else xp.reshape(result[2], shift_shape),
            )

    def input_gradient(xp, part, flow, mean, rstd, by_mean, by_rstd):
        flow = flow if weight is None else flow * weight
        return _row_vjp(xp, part - mean, flow, rstd, by_mean, by_rstd)

    by_mean, by_rstd = (
        xp.zeros_like(mean) if array is None else array for array in (by_mean, by_rstd)
    )
    grad_x = xp.reshape(
        xp.by_rows(input_gradient, rows, flow, mean, rstd, by_mean, by_rstd), x.shape
    )
    grad_scale = grad_shift = None
    if scale is not None:

        def moments(xp, part, flow, mean, rstd):
            return xp.sum((part - mean) * rstd * flow, 0)

        grad_scale = xp.reshape(xp.sum_by_rows(moments, rows, flow, mean, rstd), scale.shape)
    if shift_shape is not None:
        grad_shift = xp.reshape(xp.sum(flow, 0), shift_shape)
    return grad_x, grad_scale, grad_shift


def _own_gradients(xp, g, x, scale, shift_shape, out):
    """Returns the gradients of the data, the scale and the shift, from each rank's own rows."""

    def own(xp, rows, columns):
        x, *gradients, mean, rstd = rows
        weight = None if scale is None else columns[0]
        grads = row_standardize_vjp(
            xp, gradients, x, weight, shift_shape, (None, mean, rstd), x.ndim - 1
        )
        return [grads[0]], [sums for sums in grads[1:] if sums is not None]

    columns = [] if scale is None else [scale]
    columns += [] if shift_shape is None else [xp.zeros(x.shape[-1:], x.dtype)]
    (grad_x,), sums = by_own_rows(xp, own, [x, *g, *out[1:]], columns)
    sums = iter(sums)
    return grad_x, None if scale is None else next(sums), next(sums, None)


row_standardize_vjp.fills = False  # no zeros for unused outputs: most callers use only the first


@implements
def row_normal(xp, x, eps):
    """Standardizes the rows of a matrix to mean 0 and standard deviation 1."""

    def normal(xp, part):
        part, _, rstd = _row_statistics(xp, part, eps)
        return part * rstd

    return xp.by_rows(normal, x)


def _row_normal_vjp(xp, g, x, eps):
    def input_gradient(xp, part, flow):
        part, _, rstd = _row_statistics(xp, part, eps)
        return _row_vjp(xp, part, flow, rstd)

    return xp.by_rows(input_gradient, x, g)


derive("row_normal(x, eps)", x=_row_normal_vjp)


def _need_rows(api, x, shape, weight, bias):
    """Rejects a normalized shape that does not match the last axes of the data, and weights of
    another shape.
    """
    if not shape or x.shape[-len(shape) :] != shape:
        raise ValueError(
            f"For '{api}', 'normalized_shape' must be how the shape of 'input' ends, but got "
            f"{shape} and {x.shape}."
        )
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.shape != shape:
            raise ValueError(
                f"For '{api}', '{name}' must have shape {shape}, but got {value.shape}."
            )


@public("ops.layer_norm", "mint.nn.functional.layer_norm")
@checked
def layer_norm(
    input: Floats,
    normalized_shape: Int | TupleOf(Int) | ListOf(Int),
    weight: Floats = None,
    bias: Floats = None,
    eps: Float = 1e-5,
):
    """Applies layer normalization over the last axes, whose shape is `normalized_shape`:
    standardizes each row, multiplies it by `weight` and adds `bias`.

    Args:
        input (Tensor): float16, bfloat16 or float32.
        normalized_shape (Union[int, tuple[int], list[int]]): the lengths of the last axes.
        weight (Tensor): of shape `normalized_shape`; None for ones.
        bias (Tensor): of shape `normalized_shape`; None for zeros.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.layer_norm(ms.Tensor([[1.0, 3.0]]), (2,), ms.Tensor([1.0, 1.0]),
        ...                         ms.Tensor([0.0, 0.0])))
        [[-0.999995  0.999995]]

    Source: mindspore.ops.layer_norm of MindSpore 2.10.
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    _need_rows("layer_norm", input, shape, weight, bias)
    return standardize_rows(input, weight, bias, -len(shape), eps)


@public("ops.LayerNorm")
class LayerNorm(Primitive):
    """Applies layer normalization over the axes from `begin_norm_axis` on: standardizes each row,
    multiplies it by `gamma` and adds `beta`.

    Args:
        begin_norm_axis (int): the first axis of the mean and variance, in [-1, rank).
        begin_params_axis (int): the first axis of `gamma` and `beta`, in [-1, rank).
        epsilon (float): added to the variance.

    Inputs:
        input_x, gamma, beta (Tensor): the data, the scale and the shift.

    Returns:
        Three Tensors: the result, and the mean and the variance, whose reduced axes have length 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.LayerNorm()(ms.Tensor([[1.0, 3.0]]), ms.Tensor([1.0, 1.0]),
        ...                          ms.Tensor([0.0, 0.0]))[0])
        [[-1.  1.]]

    Source: mindspore.ops.LayerNorm of MindSpore 2.10.
    """

    @checked
    def __init__(self, begin_norm_axis: Int = 1, begin_params_axis: Int = 1, epsilon: Float = 1e-7):
        super().__init__("LayerNorm")
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon

    @shapes_first
    @checked
    def __call__(self, input_x: Floats, gamma: Floats, beta: Floats):
        rank = input_x.ndim
        for name in ("begin_norm_axis", "begin_params_axis"):
            if not -1 <= getattr(self, name) < rank:
                raise RuntimeError(
                    f"For 'LayerNorm', '{name}' must be in [-1, {rank}), but got "
                    f"{getattr(self, name)}."
                )
        shape = input_x.shape[self.begin_params_axis % rank :]
        for name, value in (("gamma", gamma), ("beta", beta)):
            if value.shape != shape:
                raise ValueError(
                    f"For 'LayerNorm', '{name}' must have shape {shape}, but got {value.shape}."
                )
        same_axis = self.begin_norm_axis % rank == self.begin_params_axis % rank
        out, mean, rstd = row_standardize.run(
            input_x,
            gamma if same_axis else None,
            beta if same_axis else None,
            self.begin_norm_axis,
            self.epsilon,
        )
        variance = variance_of.run(rstd, self.epsilon)
        return out if same_axis else multiply_add.run(out, gamma, beta), mean, variance


@op(compute="native")
def variance_of(xp, rstd: Floats, eps: Number):
    """Returns the variance, given the reciprocal of the standard deviation."""
    return xp.pointwise(_variance, rstd, eps=eps)


def _variance(xp, rstd, *, eps):
    return xp.maximum(1 / (rstd * rstd) - eps, 0)


@op(compute="body")
def multiply_add(xp, x: Floats, scale: Floats, shift: Floats):
    """Computes x * scale + shift, in the dtype of `x`."""
    rows, scale, shift = at_least_float32(xp, x, scale, shift)
    return xp.cast(rows * scale + shift, x.dtype)


@op(
    "ops.add_layer_norm(x1, x2, gamma, beta, epsilon=1e-05, additional_output=False)",
    compute="native",
)
def add_layer_norm(
    xp,
    x1: FloatsUpTo32,
    x2: FloatsUpTo32,
    gamma: FloatsUpTo32,
    beta: FloatsUpTo32,
    epsilon: Float = 1e-5,
    additional_output: Bool = False,
):
    """Applies layer normalization over the last axis to the sum of two Tensors, scaled by `gamma`
    and shifted by `beta`.

    Shapes:
        `x1` and `x2` are (..., D), `gamma` and `beta` are (D,). The sum and its normalised form are
        (..., D), mean and reciprocal of the standard deviation are (..., 1) of float32.

    Returns:
        The normalized sum, its mean and reciprocal of the standard deviation, and the sum itself.

    Example:
        >>> x, one, zero = ms.Tensor([[1.0, 3.0]]), ms.Tensor([1.0, 1.0]), ms.Tensor([0.0, 0.0])
        >>> print(ms.ops.add_layer_norm(x, x, one, zero)[0])
        [[-0.9999988  0.9999988]]
    """
    total = x1 + x2
    rows = at_least_float32(xp, total)
    mean = xp.mean(rows, -1, keepdims=True)
    rstd = 1 / xp.sqrt(xp.mean(xp.square(rows - mean), -1, keepdims=True) + epsilon)
    out = (rows - mean) * rstd * at_least_float32(xp, gamma) + at_least_float32(xp, beta)
    return xp.cast(out, x1.dtype), mean, rstd, total
