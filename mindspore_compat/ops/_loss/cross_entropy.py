"""Cross entropy of several classes, and the negative log likelihood loss.

The functions that one kernel computes row by row are in _loss/row_likelihoods.py. Losses of two
classes are in _loss/binary_cross_entropy.py, margin losses in _loss/margin.py, losses
of sequences in _loss/ctc.py.
"""

import math

import numpy

from ..._backend.bodies.gpu import bodies_of
from ..._backend.space import implements
from ..._core.autograd.slice_sum import expanded_zeros
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.values import upcast
from ..._core.rules.comparisons import Compared
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    InTensor,
    Number,
    ScalarOf,
    TensorOf,
    floating,
    number,
)
from .._indexing.gather import beyond
from .._precision import at_least_float32
from .._rules import Float16Or32, Floats, Index
from .reduction import Reduced, Reduction, need_shape, reduced
from .row_likelihoods import smoothed_shares


@implements
def pick_class(xp, x, target, axis):
    """Returns the elements of `x` at the indices `target` along `axis`."""
    if x.ndim == 2 and axis == 1:
        return xp.pick_column(x, target)
    return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(target, axis), axis), axis)


@implements
def place_class(xp, y, target, axis, size):
    """Returns zeros of length `size` along `axis` in which `y` is written at the indices `target`,
    the gradient of `pick_class`."""
    places, y = xp.expand_dims(target, axis), xp.expand_dims(y, axis)
    classes = xp.reshape(xp.arange(size), (size,) + (1,) * (y.ndim - axis - 1))
    if bodies := bodies_of(xp, y, places, classes):
        result = bodies.pointwise(_at_class, y, places, classes, size=size)
        if result is not None:
            return result
    if y.ndim == 2 and axis == 1:
        zeros = xp.zeros((y.shape[0], size), y.dtype)
        return xp.add_at_column(zeros, xp.squeeze(places, 1), xp.squeeze(y, 1))
    zeros = expanded_zeros(xp, (*y.shape[:axis], size, *y.shape[axis + 1 :]), y.dtype)
    return xp.scatter_along_axis(zeros, places, y, axis)


def _at_class(xp, y, place, column, *, size):
    place = xp.where(xp.less(place, 0), place + size, place)
    return xp.where(xp.equal(place, column), y, 0.0)


derive(
    "pick_class(x, target, axis)",
    arrays="x target",
    x=lambda xp, g, x_shape, target, axis: xp.place_class(g, target, axis, x_shape[axis]),
    upcast="low_precision_kernels",
)
derive(
    "place_class(y, target, axis, size)",
    arrays="y target",
    y=lambda xp, g, target, axis: xp.pick_class(g, target, axis),
    upcast="low_precision_kernels",
)


def _in_rows(xp, x, target):
    """Returns `target`, in which the classes may be columns of length 1, flattened for the rows of
    `x`."""
    single = x.ndim == 2 and tuple(target.shape) == (x.shape[0], 1) and target.dtype.kind in "iu"
    return xp.reshape(target, (-1,)) if single else target


def _misfit(xp, target, length):
    """Returns the exception for shapes that do not fit. MindSpore selects the classes first, and
    raises a RuntimeError if one does not exist."""
    return RuntimeError if bool(xp.any((target < -length) | (target >= length))) else ValueError


def _need_targets(xp, api, x, target, weight):
    """Rejects targets whose shape is not that of `x` without the class axis, and weights that are
    not one number per class."""
    axis = min(x.ndim, 2) - 1
    sizes, classes = (*x.shape[:axis], *x.shape[axis + 1 :]), x.shape[axis]
    if tuple(target.shape) != sizes:
        raise _misfit(xp, target, classes)(
            f"For '{api}', 'target' must have shape {sizes}, but got {tuple(target.shape)}."
        )
    if weight is not None and tuple(weight.shape) != (classes,):
        raise _misfit(xp, target, weight.shape[0] if weight.ndim else 0)(
            f"For '{api}', 'weight' must have shape ({classes},), but got {tuple(weight.shape)}."
        )


def _factors(xp, target, counts, weight):
    """Returns the weight of the class of each target, and 0 for an ignored one."""
    weights = at_least_float32(xp, xp.take(weight, xp.where(counts, target, 0), 0))
    return xp.where(counts, weights, 0)


def _smoothed(xp, x, target, counts, factors, weight, smoothing):
    """Returns the loss of each row of `x`, where the classes share `smoothing` of the target."""
    share = smoothing / x.shape[1]
    if weight is None:
        weight, factors = xp.ones((x.shape[1],), x.dtype), xp.ones(target.shape, x.dtype)
    shares = at_least_float32(xp, weight) * share
    factors = at_least_float32(xp, factors) * (1 - smoothing)
    return xp.smooth_nll(x, target, counts, factors, shares)


def _of_classes(xp, x, target, weight, ignore, reduction, smoothing):
    """Computes the cross entropy of logits and target classes, weighted, smoothed and reduced."""
    _need_targets(xp, "cross_entropy", x, target, weight)
    axis, count = min(x.ndim, 2) - 1, math.prod(target.shape)
    classes = x.shape[axis]
    rows = x if x.ndim == 2 else xp.reshape(xp.moveaxis(x, axis, -1), (count, classes))
    flat = target if target.ndim == 1 else xp.reshape(target, (count,))
    counts = flat != ignore
    factors = None if weight is None else _factors(xp, flat, counts, weight)
    if smoothing:
        loss = _smoothed(xp, rows, flat, counts, factors, weight, smoothing)
    else:
        loss = xp.class_nll(rows, flat, counts)
        loss = loss if weight is None else loss * factors
    if reduction == "mean":
        total = xp.sum(counts) if weight is None else xp.sum(factors)
        loss = xp.sum(loss) / xp.cast(total, loss.dtype)
    else:
        loss = loss if target.ndim == 1 else xp.reshape(loss, tuple(target.shape))
        loss = reduced(xp, loss, reduction)
    return xp.cast(loss, x.dtype)


def _class_weights(xp, weight, x, axis):
    """Returns the weights of the classes, shaped to multiply `x`."""
    return xp.reshape(weight, (-1,) + (1,) * (x.ndim - 1 - axis))


def _likelihood(xp, api, logs, target, weight, ignore, reduction, smoothing):
    """Computes the negative log likelihood of the classes `target`, weighted, smoothed and reduced.

    The classes are on axis 1, or on the only axis.
    """
    _need_targets(xp, api, logs, target, weight)
    axis = min(logs.ndim, 2) - 1
    counts = target != ignore
    picked = at_least_float32(xp, xp.pick_class(logs, xp.where(counts, target, 0), axis))
    if weight is None:
        factors = xp.cast(counts, picked.dtype)
    else:
        factors = _factors(xp, target, counts, weight)
    loss = -picked * factors
    if smoothing:
        terms = at_least_float32(xp, logs)
        if weight is not None:
            terms = terms * _class_weights(xp, xp.cast(weight, terms.dtype), logs, axis)
        uniform = -xp.sum(terms, axis) * xp.cast(counts, terms.dtype)
        loss = (1 - smoothing) * loss + (smoothing / logs.shape[axis]) * uniform
    if reduction == "mean":
        loss = xp.sum(loss) / xp.sum(factors)
    else:
        loss = reduced(xp, loss, reduction)
    return xp.cast(loss, logs.dtype)


def _against_probabilities(xp, x, target, weight, reduction, smoothing):
    """Returns the cross entropy of logits and target probabilities; the mean is over all axes but
    the classes."""
    if tuple(target.shape) != tuple(x.shape):
        raise ValueError(
            f"For 'cross_entropy', 'target' must have the shape of 'input', {tuple(x.shape)}, for "
            f"probabilities, or be integers for classes, but got {target.dtype} of shape "
            f"{tuple(target.shape)}."
        )
    axis = min(x.ndim, 2) - 1
    if weight is not None:
        shares = smoothed_shares(at_least_float32(xp, target), smoothing, axis)
        target = shares * _class_weights(xp, at_least_float32(xp, weight), x, axis)
        smoothing = 0.0
    if x.ndim <= 2 and x.size and target.shape == x.shape:
        rows = (xp.reshape(array, (-1, x.shape[-1])) for array in (x, target))
        loss = xp.reshape(xp.share_nll(*rows, smoothing), x.shape[:-1])
    else:
        shares = smoothed_shares(upcast(xp, target), smoothing, axis)
        loss = -xp.sum(xp.log_soft(upcast(xp, x), axis) * shares, axis)
    return reduced(xp, loss, reduction)


def _cross_entropy(xp, x, target, weight, ignore, reduction, smoothing):
    if target.dtype.kind in "iu":
        return _of_classes(xp, x, target, weight, ignore, reduction, smoothing)
    loss = _against_probabilities(xp, x, target, weight, reduction, smoothing)
    return xp.cast(loss, x.dtype) if target.dtype == x.dtype else loss


def _need_classes(api, x):
    if x.ndim == 0:
        raise ValueError(
            f"For '{api}', the input must have at least 1 dimension, but got a scalar."
        )


@op(
    "ops.cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)",
    "mint.nn.functional.cross_entropy(input, target, weight=None, ignore_index=-100, "
    "reduction='mean', label_smoothing=0.0)",
    "mint.nn.CrossEntropyLoss(weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)(input, target)",
    types=Promote("input weight"),
    quirks=Quirks(
        rules=dict.fromkeys(
            ("mint.nn.functional.cross_entropy", "mint.nn.CrossEntropyLoss"),
            {"label_smoothing": Compared(ge=0.0, le=1.0)},
        )
    ),
    compute="kernels",
)
def cross_entropy(
    xp,
    input: Floats,
    target: TensorOf("int32", "int64", floating),
    weight: Floats = None,
    ignore_index: Int = -100,
    reduction: Reduced = "mean",
    label_smoothing: Float(ge=0.0) = 0.0,
):
    """Computes the cross entropy of logits and target classes, or target probabilities.

    Integer targets are classes. Targets equal to `ignore_index` are ignored, and the mean is
    weighted by `weight`, one number per class. Floating targets are probabilities.
    `label_smoothing` is the share of the uniform distribution in the smoothed targets.

    Shapes:
        `input` is (N, C, ...) or (C,). Target classes have its shape without C, or (N, 1); target
        probabilities have its shape. The result is (), or the shape without C for `reduction`
        "none".

    Example:
        >>> print(ms.ops.cross_entropy(ms.Tensor([[2.0, 0.0], [0.0, 1.0]]),
        ...                            ms.Tensor([0, 0], ms.int32)))
        0.72009486
    """
    _need_classes("cross_entropy", input)
    target = _in_rows(xp, input, target)
    try:
        return _cross_entropy(xp, input, target, weight, ignore_index, reduction, label_smoothing)
    except IndexError as error:
        raise beyond("cross_entropy", "target", error) from error


@op(
    "ops.nll_loss(inputs, target, weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)",
    types=Promote("inputs weight"),
    compute="kernels",
    quirks=Quirks(shapes_first=True),
)
def nll_loss(
    xp,
    inputs: TensorOf(number),
    target: Index,
    weight: Floats = None,
    ignore_index: InTensor(Number | Bool | None) = -100,
    reduction: Any = "mean",
    label_smoothing: InTensor(Number | Bool) = 0.0,
):
    """Computes the negative log likelihood of the target classes, given log probabilities.

    Targets equal to `ignore_index` are ignored, and the mean is weighted by `weight`, one number
    per class. An unknown `reduction` counts as "none".

    Shapes:
        `inputs` is (N, C, ...) or (C,), `target` has its shape without C. The result is (), or that
        shape for "none".

    Example:
        >>> print(ms.ops.nll_loss(ms.Tensor([[-0.5, -1.0], [-2.0, -0.1]]),
        ...                       ms.Tensor([0, 1], ms.int32)))
        0.3
    """
    _need_classes("nll_loss", inputs)
    if not (isinstance(reduction, str) and reduction in ("mean", "sum")):
        reduction = "none"
    inputs = xp.cast(inputs, "float32") if inputs.dtype.kind in "iu" else inputs
    target = _in_rows(xp, inputs, target)
    try:
        return _likelihood(
            xp, "nll_loss", inputs, target, weight, ignore_index, reduction, label_smoothing
        )
    except IndexError as error:
        raise beyond("nll_loss", "target", error) from error


@op(
    "mint.nn.functional.nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean')",
    "mint.nn.NLLLoss(weight=None, ignore_index=-100, reduction='mean')(input, target)",
    quirks=Quirks(shapes_first=True),
    compute="kernels",
)
def nll_loss_ext(
    xp,
    input: Floats,
    target: TensorOf("int16", "int32", "int64"),
    weight: Floats = None,
    ignore_index: ScalarOf(Int, TypeError) = -100,
    reduction: Reduction = "mean",
):
    """Computes the negative log likelihood of the target classes, given log probabilities.

    Targets equal to `ignore_index` are ignored, and the mean is weighted by `weight`, one number
    per class.

    Shapes:
        `input` is (N, C, ...) or (C,), `target` has its shape without C. The result is (), or that
        shape for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.nll_loss(ms.Tensor([[-0.5, -1.0], [-2.0, -0.1]]),
        ...                                      ms.Tensor([0, 1])))
        0.3
    """
    _need_classes("nll_loss", input)
    classes, expected_shape = input.shape[min(input.ndim, 2) - 1], input.shape[:1] + input.shape[2:]
    if input.ndim > 1 and tuple(target.shape) != tuple(expected_shape):
        raise ValueError(
            f"For 'nll_loss', 'target' must have shape {tuple(expected_shape)}, but got "
            f"{tuple(target.shape)}."
        )
    if input.ndim == 1 and target.ndim or weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"For 'nll_loss', 'target' must have the shape of 'input' without the classes, and "
            f"'weight' ({classes},), but got {tuple(input.shape)}, {tuple(target.shape)} and "
            f"{None if weight is None else tuple(weight.shape)}."
        )
    return _likelihood(xp, "nll_loss", input, target, weight, ignore_index, reduction, 0.0)


def _share_of_rows(xp, g, target, weight, ignore_index, reduction):
    """Returns where targets count, their factors, and the gradient of each factor times its
    logarithm."""
    g, counts = at_least_float32(xp, g), target != ignore_index
    factors = xp.cast(counts, g.dtype) if weight is None else _factors(xp, target, counts, weight)
    return counts, factors, g / xp.sum(factors) if reduction == "mean" else g


def _nll_vjp(xp, g, input_shape, target, weight, ignore_index, reduction):
    counts, factors, share = _share_of_rows(xp, g, target, weight, ignore_index, reduction)
    axis = min(len(input_shape), 2) - 1
    target = xp.where(counts, target, 0)
    return xp.place_class(-(share * factors), target, axis, input_shape[axis])


def _nll_weight_vjp(xp, g, input, target, weight, ignore_index, reduction):
    counts, factors, share = _share_of_rows(xp, g, target, weight, ignore_index, reduction)
    target = xp.where(counts, target, 0)
    loss = -at_least_float32(xp, xp.pick_class(input, target, min(input.ndim, 2) - 1))
    if reduction == "mean":
        loss = loss - xp.sum(loss * factors) / xp.sum(factors)
    zeros = xp.zeros_like(at_least_float32(xp, weight))
    return xp.scatter_add(zeros, target, xp.where(counts, loss * share, 0))


nll_loss_ext.vjp(input=_nll_vjp, weight=_nll_weight_vjp)


@op("ops.NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)", compute="kernels")
def nll_loss_primitive(
    xp,
    logits: Floats,
    labels: TensorOf("int16", "int32", "int64", "uint8"),
    weight: Floats,
    reduction: Reduction = "mean",
    ignore_index: ScalarOf(Int) = -100,
):
    """Computes the negative log likelihood of the target classes, weighted by class.

    Shapes:
        `logits` is (N, C) or (C,), `labels` is (N,) or (), `weight` is (C,). The loss is (), or
        (N,) for `reduction` "none".

    Returns:
        The loss, and the sum of the weights of the targets that were not ignored.

    Example:
        >>> loss, weight = ms.ops.NLLLoss()(ms.Tensor([[-0.5, -1.0]]), ms.Tensor([1], ms.int32),
        ...                                 ms.Tensor([1.0, 2.0]))
        >>> print(loss, weight)
        1.0 2.0
    """
    if (
        logits.ndim not in (1, 2)
        or tuple(labels.shape) != tuple(logits.shape[:-1])
        or tuple(weight.shape) != tuple(logits.shape[-1:])
    ):
        raise RuntimeError(
            f"For 'NLLLoss', 'logits' must have shape (N, C), 'labels' (N,) and 'weight' (C,), but "
            f"got {tuple(logits.shape)}, {tuple(labels.shape)} and {tuple(weight.shape)}."
        )
    loss = _likelihood(xp, "NLLLoss", logits, labels, weight, ignore_index, reduction, 0.0)
    counts = labels != ignore_index
    factor = xp.take(weight, xp.where(counts, labels, 0), 0) * xp.cast(counts, weight.dtype)
    return loss, xp.cast(xp.sum(factor), logits.dtype)


@op("ops.SoftmaxCrossEntropyWithLogits()(logits, labels)")
def softmax_cross_entropy_with_logits(xp, logits: Float16Or32, labels: Float16Or32):
    """Computes the softmax cross entropy of each row of logits with a row of probabilities, and its
    gradient.

    Shapes:
        `logits` and `labels` are (N, C), of one dtype. The results have the same dtype.

    Returns:
        The losses, (N,), and their gradient with respect to the logits, softmax(logits) - labels.

    Example:
        >>> rows = ms.ops.SoftmaxCrossEntropyWithLogits()
        >>> loss, grad = rows(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]]))
        >>> print(loss, grad)
        [0.6931472] [[-0.5  0.5]]
    """
    if logits.ndim != 2:
        raise ValueError(
            f"For 'SoftmaxCrossEntropyWithLogits', 'logits' must have 2 dimensions, but got "
            f"{logits.ndim}."
        )
    need_shape("SoftmaxCrossEntropyWithLogits", "logits", "labels", logits, labels)
    logs = xp.log_soft(logits, 1)
    return -xp.sum(logs * labels, 1), xp.exp(logs) - labels


@op("ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)")
def sparse_softmax_cross_entropy_with_logits(
    xp, logits: Float16Or32, labels: Index, is_grad: Bool = False
):
    """Computes the mean softmax cross entropy of logits and target classes, or its gradient if
    `is_grad` is True.

    Shapes:
        `logits` is (N, C), `labels` is (N,) of integers. The result is (), or (N, C) for the
        gradient.

    Example:
        >>> print(ms.ops.SparseSoftmaxCrossEntropyWithLogits()(ms.Tensor([[0.0, 0.0]]),
        ...         ms.Tensor([1], ms.int32)))
        0.6931472
    """
    if logits.ndim != 2 or tuple(labels.shape) != tuple(logits.shape[:1]):
        raise ValueError(
            f"For 'SparseSoftmaxCrossEntropyWithLogits', 'logits' must have shape (N, C) and "
            f"'labels' (N,), but got {tuple(logits.shape)} and {tuple(labels.shape)}."
        )
    if type(labels) is numpy.ndarray and labels.size and labels.min() < 0:
        raise RuntimeError(
            "For 'SparseSoftmaxCrossEntropyWithLogits', 'labels' must not be negative."
        )
    logs = xp.log_soft(logits, 1)
    if not is_grad:
        return -xp.mean(xp.pick_class(logs, labels, 1))
    hit = xp.expand_dims(labels, 1) == xp.arange(logits.shape[1])
    return (xp.exp(logs) - xp.cast(hit, logits.dtype)) / logits.shape[0]
