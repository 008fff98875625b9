"""Losses of regression and of margins: distances, divergences, hinges.

Classification is in _loss/classification.py, sequences in _loss/ctc.py, loss layers in nn. Every
loss but a few is a composition, reduced by "mean", "sum" or not at all.
"""

import math

from ..._core.declare.inputs import Promote, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Int,
    InTensor,
    ListOf,
    Number,
    OneOf,
    ScalarOf,
    TensorOf,
    TupleOf,
    floating,
    number,
    real,
)
from ..._core.tensor.promotion import halves_np
from .._reduction.reduce import norm, rooted

Anything = TensorOf(number | {"bool"})
Numbers = TensorOf(number)
Floats = TensorOf(floating)
Half = TensorOf("float16", "float32")
Small = TensorOf("float16", "float32", "bfloat16")
Real = TensorOf(real, "bool")
Reduction = OneOf("none", "mean", "sum")
Reduced = AsValue(Reduction)  # where pages and the original know a ValueError only
Batchwise = OneOf("none", "mean", "batchmean", "sum")
Divided = AsValue(Batchwise)


def reduced(xp, loss, reduction):
    """The loss of each element, their mean, or their sum."""
    if reduction == "none":
        return loss
    total = xp.mean(loss) if reduction == "mean" else xp.sum(loss)
    return xp.cast(total, loss.dtype)


def need_shape(api, first, second, one, other):
    """Refuses two Tensors of different shapes."""
    if tuple(one.shape) != tuple(other.shape):
        raise ValueError(
            f"For '{api}', '{first}' and '{second}' must have the same shape, but got "
            f"{tuple(one.shape)} and {tuple(other.shape)}.")


def need_broadcast(api, first, second, one, other):
    """Refuses two Tensors whose shapes do not broadcast."""
    for a, b in zip(reversed(one.shape), reversed(other.shape)):
        if a != b and 1 not in (a, b):
            raise ValueError(
                f"For '{api}', '{first}' and '{second}' must broadcast, but got shapes "
                f"{tuple(one.shape)} and {tuple(other.shape)}.")


# Distances ----------------------------------------------------------------------------------------


@op("ops.mse_loss(input, target, reduction='mean')", types=Promote("input target"))
def mse_loss(xp, input: Anything, target: Anything, reduction: Reduced = "mean"):
    """(input - target)^2; integers are taken as float32."""
    need_broadcast("mse_loss", "input", "target", input, target)
    if input.dtype.kind in "iub":
        input, target = xp.cast(input, "float32"), xp.cast(target, "float32")
    return reduced(xp, xp.square(input - target), reduction)


@op("mint.nn.functional.mse_loss(input, target, reduction='mean')",
    "ops.mse_loss_ext(input, target, "
    "reduction='mean')", "mint.nn.MSELoss(reduction='mean')(input, target)")
def mse_loss_ext(xp, input: Numbers, target: Numbers, reduction: Reduction = "mean"):
    """(input - target)^2, of two Tensors of one dtype."""
    need_broadcast("mse_loss", "input", "target", input, target)
    if input.dtype != target.dtype:
        raise TypeError(
            f"For 'mse_loss', 'input' and 'target' must have the same dtype, but got "
            f"{input.dtype} and {target.dtype}.")
    return reduced(xp, xp.square(input - target), reduction)


@op(
    "ops.l1_loss(input, target, reduction='mean')",
    "mint.nn.functional.l1_loss(input, target, reduction='mean')",
    "mint.nn.L1Loss(reduction='mean')(input, target)",
    types=Promote("input target"),
)
def l1_loss(xp, input: Anything, target: Anything, reduction: Reduced = "mean"):
    """|input - target|."""
    need_broadcast("l1_loss", "input", "target", input, target)
    return reduced(xp, xp.abs(input - target), reduction)


def _smooth_l1(xp, api, x, y, beta, reduction):
    need_shape(api, "input", "target", x, y)
    size = xp.abs(x - y)
    if beta == 0:
        return reduced(xp, size, reduction)
    beta = float(beta)
    return reduced(xp, xp.where(size < beta, (0.5 / beta) * xp.square(size), size - 0.5 * beta),
                   reduction)


@op("ops.smooth_l1_loss(input, target, beta=1.0, reduction='none')",
    "ops.SmoothL1Loss(beta=1.0, reduction='none')(input, target)")
def smooth_l1_loss(xp, input: Anything, target: Anything,
                   beta: ScalarOf(Number | Bool, TypeError) = 1.0, reduction: Reduction = "none"):
    """d^2 / (2 beta) where d = |input - target| is below `beta`, d - beta / 2 elsewhere; beta >
    0."""
    if beta <= 0:
        raise RuntimeError(f"For 'smooth_l1_loss', 'beta' must be greater than 0, but got "
                           f"{beta!r}.")
    if input.dtype.kind not in "fV" or target.dtype.kind not in "fV":
        raise RuntimeError(f"For 'smooth_l1_loss', 'input' and 'target' must be floats, but got "
                           f"{input.dtype} and {target.dtype}.")
    return _smooth_l1(xp, "smooth_l1_loss", input, target, beta, reduction)


@op(
    "mint.nn.functional.smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
    "mint.nn.SmoothL1Loss(reduction='mean', beta=1.0)(input, target)",
    types=Promote("input target"),
)
def smooth_l1_loss_ext(xp, input: Floats, target: Floats, reduction: Reduction = "mean",
                       beta: ScalarOf(Number | Bool, TypeError) = 1.0):
    """d^2 / (2 beta) where d = |input - target| is below `beta`, d - beta / 2 elsewhere; d for
    0."""
    if beta < 0:
        raise RuntimeError(f"For 'smooth_l1_loss', 'beta' must not be negative, but got {beta!r}.")
    return _smooth_l1(xp, "smooth_l1_loss", input, target, beta, reduction)


@op("ops.huber_loss(input, target, reduction='mean', delta=1.0)", types=Promote("input target"))
def huber_loss(xp, input: Anything, target: Anything, reduction: Reduced = "mean",
               delta: Number(gt=0) = 1.0):
    """d^2 / 2 where d = |input - target| is at most `delta`, delta (d - delta / 2) elsewhere."""
    need_broadcast("huber_loss", "input", "target", input, target)
    size = xp.abs(input - target)
    size = xp.cast(size, "float32") if size.dtype.kind in "iu" else size
    loss = xp.where(size <= delta, 0.5 * xp.square(size), delta * (size - 0.5 * delta))
    return reduced(xp, loss, reduction)


@op("ops.L2Loss()(input_x)")
def l2_loss(xp, input_x: TensorOf("float16", "float32", "float64")):
    """Half the sum of squares."""
    return xp.sum(xp.square(input_x)) / 2


l2_loss.vjp(input_x=lambda xp, g, input_x: g * input_x)


@op(
    "ops.gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction='mean')",
    types=Promote("x target var"),
)
def gaussian_nll_loss(xp, x: Real, target: Real, var: Real, full: Bool = False,
                      eps: Float(gt=0.0) = 1e-6, reduction: Reduced = "mean"):
    """(log(max(var, eps)) + (x - target)^2 / max(var, eps)) / 2; with `full` plus log(2 pi) / 2.

    `var` has the shape of `x`, or lacks its last axis, or broadcasts with it.
    """
    need_broadcast("gaussian_nll_loss", "x", "target", x, target)
    if tuple(var.shape) == tuple(x.shape[:-1]):
        var = xp.expand_dims(var, -1)
    need_broadcast("gaussian_nll_loss", "x", "var", x, var)
    if x.dtype.kind in "iub":
        x, target, var = (xp.cast(each, "float32") for each in (x, target, var))
    # The bound is a constant of the loss: where it acts, no gradient reaches `var`, only the data.
    var = xp.maximum(var, eps)
    loss = 0.5 * (xp.log(var) + xp.square(x - target) / var)
    return reduced(xp, loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# Divergences --------------------------------------------------------------------------------------


def _divided(xp, loss, reduction):
    if reduction != "batchmean":
        return reduced(xp, loss, reduction)
    return xp.cast(xp.sum(loss) / loss.shape[0], loss.dtype)


def _need_batch(api, x, reduction):
    if reduction == "batchmean" and x.ndim == 0:
        raise ValueError(f"For '{api}', a scalar has no batch to take the mean of.")


@op(
    "ops.kl_div(logits, labels, reduction='mean')",
    "ops.KLDivLoss(reduction='mean')(logits, labels)",
    types=SameDtype("logits labels"),
)
def kl_div(xp, logits: TensorOf("float16", "float32", "float64"),
           labels: TensorOf("float16", "float32", "float64"), reduction: Batchwise = "mean"):
    """labels (log(labels) - logits), and 0 where labels are not positive."""
    need_shape("kl_div", "logits", "labels", logits, labels)
    _need_batch("kl_div", logits, reduction)
    positive = labels > 0
    safe = xp.where(positive, labels, 1)
    return _divided(xp, xp.where(positive, safe * (xp.log(safe) - logits), 0), reduction)


@op("mint.nn.functional.kl_div(input, target, reduction='mean', log_target=False)",
    "mint.nn.KLDivLoss(reduction='mean', log_target=False)(input, target)")
def kl_div_ext(xp, input: Floats, target: Floats, reduction: Divided = "mean",
               log_target: Bool = False):
    """target (log(target) - input), 0 where target is 0; `target` may be given by its logarithm."""
    need_broadcast("kl_div", "input", "target", input, target)
    _need_batch("kl_div", input, reduction)
    if log_target:
        return _divided(xp, xp.exp(target) * (target - input), reduction)
    positive = target > 0
    safe = xp.where(positive, target, 1)
    return _divided(xp, xp.where(positive, safe * (xp.log(safe) - input), 0), reduction)


# Cosines ------------------------------------------------------------------------------------------


def _cosine(xp, a, b, axis, eps):
    """Inner product over the product of lengths, which is at least `eps`."""
    if isinstance(axis, int):
        one, two = (rooted(xp, xp.sum(xp.square(v), axis), 2) for v in (a, b))
    else:
        one, two = (norm.body(xp, v, 2, axis, False) for v in (a, b))
    return xp.sum(a * b, axis) / xp.maximum(one * two, eps)


@op("ops.cosine_similarity(x1, x2, dim=1, eps=1e-08)", types=Promote("x1 x2", meet=halves_np))
def cosine_similarity(xp, x1: Floats, x2: Floats, dim: Int | TupleOf(Int) | ListOf(Int) | None = 1,
                      eps: InTensor(AsValue(Number, Bool | None)) = 1e-8):
    """The cosine of the angle between `x1` and `x2` along `dim`.

    Over two axes, or all of a matrix if `dim` is None, lengths are the largest singular values.
    """
    need_broadcast("cosine_similarity", "x1", "x2", x1, x2)
    return _cosine(xp, x1, x2, dim, eps)


def _by_cosine(xp, x1, x2, target, margin, reduction, axis):
    """1 - cosine for pairs that belong together (1), what exceeds the margin for others (-1)."""
    cosine = xp.sum(x1 * x2, axis) / xp.sqrt(
        (xp.sum(xp.square(x1), axis) + 1e-12) * (xp.sum(xp.square(x2), axis) + 1e-12))
    apart = xp.maximum(cosine - margin, 0)
    loss = xp.where(target == 1, 1 - cosine, 0) + xp.where(target == -1, apart, 0)
    return reduced(xp, xp.cast(loss, x1.dtype), reduction)


@op(
    "ops.cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean')",
    types=SameDtype("input1 input2"),
)
def cosine_embedding_loss(xp, input1: Floats, input2: Floats, target: Anything,
                          margin: Number(ge=-1.0, le=1.0) | Bool = 0.0,
                          reduction: Reduced = "mean"):
    """1 - cos for pairs marked 1 by `target`, max(0, cos - margin) for those marked -1; along axis
    1."""
    need_broadcast("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != (input1.shape[0], *input1.shape[2:]):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape "
            f"{(input1.shape[0], *input1.shape[2:])}, but got {tuple(target.shape)}.")
    return _by_cosine(xp, input1, input2, target, margin, reduction, 1)


@op("mint.nn.functional.cosine_embedding_loss(input1, input2, target, margin=0.0, "
    "reduction='mean')",
    "mint.nn.CosineEmbeddingLoss(margin=0.0, reduction='mean')(input1, input2, target)")
def cosine_embedding_loss_ext(xp, input1: Floats, input2: Floats, target: Numbers,
                              margin: Number = 0.0, reduction: Reduction = "mean"):
    """1 - cos for pairs marked 1 by `target`, max(0, cos - margin) for those marked -1; last
    axis."""
    need_shape("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != tuple(input1.shape[:-1]) or input1.ndim not in (1, 2):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape {tuple(input1.shape[:-1])}, "
            f"but got {tuple(target.shape)}.")
    return _by_cosine(xp, input1, input2, target, margin, reduction, -1)


# Margins ------------------------------------------------------------------------------------------


@op("ops.hinge_embedding_loss(inputs, targets, margin=1.0, reduction='mean')")
def hinge_embedding_loss(xp, inputs: Floats, targets: Floats, margin: Number | Bool = 1.0,
                         reduction: Reduced = "mean"):
    """The input where the target is positive (1), max(0, margin - input) where negative (-1)."""
    need_broadcast("hinge_embedding_loss", "inputs", "targets", inputs, targets)
    near = xp.where(targets > 0, inputs, 0)
    far = xp.where(targets < 0, xp.maximum(margin - inputs, 0), 0)
    return reduced(xp, near + far, reduction)


@op("ops.margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean')")
def margin_ranking_loss(xp, input1: Numbers, input2: Numbers, target: Numbers,
                        margin: Float = 0.0, reduction: Reduced = "mean"):
    """max(0, -target (input1 - input2) + margin)."""
    need_broadcast("margin_ranking_loss", "input1", "input2", input1, input2)
    need_broadcast("margin_ranking_loss", "input1", "target", input1, target)
    if not input1.dtype == input2.dtype == target.dtype:
        raise TypeError(
            f"For 'margin_ranking_loss', the inputs must have the same dtype, but got "
            f"{input1.dtype}, {input2.dtype} and {target.dtype}.")
    return reduced(xp, xp.maximum(-target * (input1 - input2) + margin, 0), reduction)


@op("ops.soft_margin_loss(input, target, reduction='mean')",
    "ops.SoftMarginLoss(reduction='mean')(input, target)",
    "mint.nn.functional.soft_margin_loss(input, target, reduction='mean')")
def soft_margin_loss(xp, input: Small, target: Small, reduction: Reduction = "mean"):
    """log(1 + exp(-target * input))."""
    need_shape("soft_margin_loss", "input", "target", input, target)
    return reduced(xp, xp.softplus(-target * input), reduction)


def _distance(xp, a, b, p, eps):
    """The p-norm of a - b + eps along the last axis."""
    size = xp.abs(a - b + eps)
    if p == 2:
        return xp.sqrt(xp.sum(xp.square(size), -1))
    return xp.power(xp.sum(xp.power(size, float(p)), -1), 1.0 / p)


def _triplet(xp, api, anchor, positive, negative, margin, p, eps, swap, reduction):
    ranks = [x.ndim for x in (anchor, positive, negative)]
    if max(ranks) <= 1 or max(ranks) >= 8:
        raise ValueError(f"For '{api}', the inputs must have 2 to 7 dimensions, but got {ranks}.")
    if not anchor.dtype == positive.dtype == negative.dtype:
        raise TypeError(
            f"For '{api}', the inputs must have the same dtype, but got {anchor.dtype}, "
            f"{positive.dtype} and {negative.dtype}.")
    need_broadcast(api, "anchor", "positive", anchor, positive)
    need_broadcast(api, "anchor", "negative", anchor, negative)
    near, far = _distance(xp, anchor, positive, p, eps), _distance(xp, anchor, negative, p, eps)
    if swap:
        far = xp.minimum(far, _distance(xp, positive, negative, p, eps))
    return reduced(xp, xp.maximum(near - far + margin, 0), reduction)


@op("ops.triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, "
    "reduction='mean')")
def triplet_margin_loss(xp, anchor: Numbers, positive: Numbers, negative: Numbers,
                        margin: Float = 1.0, p: Int = 2, eps: Float = 1e-6, swap: Bool = False,
                        reduction: Reduction = "mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm along the last axis.

    With `swap` the nearer of anchor and positive counts for the negative.
    """
    return _triplet(xp, "triplet_margin_loss", anchor, positive, negative, margin, p, eps, swap,
                    reduction)


@op("ops.TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')(x, positive, negative, "
    "margin)")
def triplet_margin_loss_primitive(xp, x: Numbers, positive: Numbers, negative: Numbers,
                                  margin: TensorOf("float32"), p: Int = 2, swap: Bool = False,
                                  eps: Float = 1e-6, reduction: Reduction = "mean"):
    """max(0, d(x, positive) - d(x, negative) + margin), d the p-norm along the last axis."""
    if margin.ndim:
        raise ValueError(
            f"For 'TripletMarginLoss', 'margin' must have 0 dimensions, but got {margin.ndim}.")
    return _triplet(xp, "TripletMarginLoss", x, positive, negative, margin, p, eps, swap, reduction)
