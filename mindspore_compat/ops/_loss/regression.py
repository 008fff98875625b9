"""Losses of regression and of margins: distances, divergences, hinges.

Classification is in _loss/classification.py, sequences in _loss/ctc.py, loss layers in nn. Every
loss but a few is a composition, reduced by "mean", "sum" or not at all.
"""

import math

from ..._core.declare.inputs import Promote, Quirks, SameDtype
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
)
from ..._core.tensor.promotion import halves_np
from .._reduction.norm import norm, rooted
from .._rules import Floats, FloatsUpTo32, Numbers, NumbersOrBools, RealsOrBools

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
            f"{tuple(one.shape)} and {tuple(other.shape)}."
        )


def need_broadcast(api, first, second, one, other):
    """Refuses two Tensors whose shapes do not broadcast."""
    for a, b in zip(reversed(one.shape), reversed(other.shape)):
        if a != b and 1 not in (a, b):
            raise ValueError(
                f"For '{api}', '{first}' and '{second}' must broadcast, but got shapes "
                f"{tuple(one.shape)} and {tuple(other.shape)}."
            )


# Distances ----------------------------------------------------------------------------------------


@op("ops.mse_loss(input, target, reduction='mean')", types=Promote("input target"))
def mse_loss(xp, input: NumbersOrBools, target: NumbersOrBools, reduction: Reduced = "mean"):
    """Computes the squared differences (input - target)^2, and their mean or sum unless `reduction`
    is "none".

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for "none"; integers give float32.

    Example:
        >>> print(ms.ops.mse_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        2.0
    """
    need_broadcast("mse_loss", "input", "target", input, target)
    if input.dtype.kind in "iub":
        input, target = xp.cast(input, "float32"), xp.cast(target, "float32")
    return reduced(xp, xp.square(input - target), reduction)


@op(
    "mint.nn.functional.mse_loss(input, target, reduction='mean')",
    "ops.mse_loss_ext(input, target, reduction='mean')",
    "mint.nn.MSELoss(reduction='mean')(input, target)",
)
def mse_loss_ext(xp, input: Numbers, target: Numbers, reduction: Reduction = "mean"):
    """Computes the squared differences (input - target)^2, and their mean or sum unless `reduction`
    is "none".

    Shapes:
        The shapes of `input` and `target` are broadcast and their dtypes equal. The result is (),
        or the broadcast shape for "none".

    Example:
        >>> print(ms.mint.nn.functional.mse_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        2.0
    """
    need_broadcast("mse_loss", "input", "target", input, target)
    if input.dtype != target.dtype:
        raise TypeError(
            f"For 'mse_loss', 'input' and 'target' must have the same dtype, but got "
            f"{input.dtype} and {target.dtype}."
        )
    return reduced(xp, xp.square(input - target), reduction)


@op(
    "ops.l1_loss(input, target, reduction='mean')",
    "mint.nn.functional.l1_loss(input, target, reduction='mean')",
    "mint.nn.L1Loss(reduction='mean')(input, target)",
    types=Promote("input target"),
)
def l1_loss(xp, input: NumbersOrBools, target: NumbersOrBools, reduction: Reduced = "mean"):
    """Computes the distances |input - target|, and their mean or sum unless `reduction` is "none".

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for "none".

    Example:
        >>> print(ms.ops.l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """
    need_broadcast("l1_loss", "input", "target", input, target)
    return reduced(xp, xp.abs(input - target), reduction)


def _smooth_l1(xp, api, x, y, beta, reduction):
    need_shape(api, "input", "target", x, y)
    size = xp.abs(x - y)
    if beta == 0:
        return reduced(xp, size, reduction)
    beta = float(beta)
    return reduced(
        xp, xp.where(size < beta, (0.5 / beta) * xp.square(size), size - 0.5 * beta), reduction
    )


@op(
    "ops.smooth_l1_loss(input, target, beta=1.0, reduction='none')",
    "ops.SmoothL1Loss(beta=1.0, reduction='none')(input, target)",
)
def smooth_l1_loss(
    xp,
    input: NumbersOrBools,
    target: NumbersOrBools,
    beta: ScalarOf(Number | Bool, TypeError) = 1.0,
    reduction: Reduction = "none",
):
    """Computes a loss that is quadratic for small distances d = |input - target| and linear for
    others: d^2 / (2 beta) where d is below `beta`, else d - beta / 2.

    Shapes:
        `input` and `target` have one shape and dtype. The result has them too for `reduction`
        "none", else its shape is ().

    Example:
        >>> print(ms.ops.smooth_l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0])))
        [0.125 2.5  ]
    """
    if beta <= 0:
        raise RuntimeError(
            f"For 'smooth_l1_loss', 'beta' must be greater than 0, but got {beta!r}."
        )
    if input.dtype.kind not in "fV" or target.dtype.kind not in "fV":
        raise RuntimeError(
            f"For 'smooth_l1_loss', 'input' and 'target' must be floats, but got "
            f"{input.dtype} and {target.dtype}."
        )
    return _smooth_l1(xp, "smooth_l1_loss", input, target, beta, reduction)


@op(
    "mint.nn.functional.smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
    "mint.nn.SmoothL1Loss(reduction='mean', beta=1.0)(input, target)",
    types=Promote("input target"),
)
def smooth_l1_loss_ext(
    xp,
    input: Floats,
    target: Floats,
    reduction: Reduction = "mean",
    beta: ScalarOf(Number | Bool, TypeError) = 1.0,
):
    """Computes a loss that is quadratic for small distances d = |input - target| and linear for
    others: d^2 / (2 beta) where d is below `beta`, else d - beta / 2. With a `beta` of 0 it is
    d.

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.smooth_l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0]),
        ...         "none"))
        [0.125 2.5  ]
    """
    if beta < 0:
        raise RuntimeError(f"For 'smooth_l1_loss', 'beta' must not be negative, but got {beta!r}.")
    return _smooth_l1(xp, "smooth_l1_loss", input, target, beta, reduction)


@op("ops.huber_loss(input, target, reduction='mean', delta=1.0)", types=Promote("input target"))
def huber_loss(
    xp,
    input: NumbersOrBools,
    target: NumbersOrBools,
    reduction: Reduced = "mean",
    delta: Number(gt=0) = 1.0,
):
    """Computes a loss that is quadratic for small distances d = |input - target| and linear for
    others: d^2 / 2 where d is at most `delta`, else delta (d - delta / 2).

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Example:
        >>> print(ms.ops.huber_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0]), reduction="none"))
        [0.125 2.5  ]
    """
    need_broadcast("huber_loss", "input", "target", input, target)
    size = xp.abs(input - target)
    size = xp.cast(size, "float32") if size.dtype.kind in "iu" else size
    loss = xp.where(size <= delta, 0.5 * xp.square(size), delta * (size - 0.5 * delta))
    return reduced(xp, loss, reduction)


@op("ops.L2Loss()(input_x)")
def l2_loss(xp, input_x: TensorOf("float16", "float32", "float64")):
    """Computes half the sum of the squared elements.

    Shapes:
        `input_x` may have any shape. The result is (), of the same dtype.

    Example:
        >>> print(ms.ops.L2Loss()(ms.Tensor([3.0, 4.0])))
        12.5
    """
    return xp.sum(xp.square(input_x)) / 2


l2_loss.vjp(input_x=lambda xp, g, input_x: g * input_x)


@op(
    "ops.gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction='mean')",
    types=Promote("x target var"),
)
def gaussian_nll_loss(
    xp,
    x: RealsOrBools,
    target: RealsOrBools,
    var: RealsOrBools,
    full: Bool = False,
    eps: Float(gt=0.0) = 1e-6,
    reduction: Reduced = "mean",
):
    """Computes the negative logarithm of the density of a normal distribution: (log(v) + (x -
    target)^2 / v) / 2 with v = max(var, eps). With `full` log(2 pi) / 2 is added.

    Shapes:
        `x` and `target` have one shape; `var` has it too, or lacks its last axis, or is broadcast
        with it. The result is (), or that shape for `reduction` "none".

    Example:
        >>> print(ms.ops.gaussian_nll_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0]),
        ...                                ms.Tensor([1.0, 4.0])))
        0.5965736
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
    quirks=Quirks(rules={"ops.KLDivLoss": {"reduction": Divided}}),
)
def kl_div(
    xp,
    logits: TensorOf("float16", "float32", "float64"),
    labels: TensorOf("float16", "float32", "float64"),
    reduction: Batchwise = "mean",
):
    """Computes the Kullback-Leibler divergence labels (log(labels) - logits), which is 0 where the
    labels are not positive. `logits` are logarithms of probabilities.

    Shapes:
        `logits` and `labels` have one shape and dtype. The result is (), or that shape for
        `reduction` "none".

    Example:
        >>> print(ms.ops.kl_div(ms.Tensor([-1.0, -0.5]), ms.Tensor([0.4, 0.6]), "sum"))
        0.026988376
    """
    need_shape("kl_div", "logits", "labels", logits, labels)
    _need_batch("kl_div", logits, reduction)
    positive = labels > 0
    safe = xp.where(positive, labels, 1)
    return _divided(xp, xp.where(positive, safe * (xp.log(safe) - logits), 0), reduction)


@kl_div.vjp_joint
def kl_div_vjp(xp, g, labels, reduction):
    """The gradient of the logits, also where labels are not positive; labels have none."""
    count = {"mean": labels.size, "batchmean": labels.shape[0] if labels.ndim else 1}
    return -labels * g / count.get(reduction, 1), None


@op(
    "mint.nn.functional.kl_div(input, target, reduction='mean', log_target=False)",
    "mint.nn.KLDivLoss(reduction='mean', log_target=False)(input, target)",
)
def kl_div_ext(
    xp, input: Floats, target: Floats, reduction: Divided = "mean", log_target: Bool = False
):
    """Computes the Kullback-Leibler divergence target (log(target) - input), which is 0 where the
    target is 0. With `log_target` the target is given by its logarithm.

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.kl_div(ms.Tensor([-1.0, -0.5]), ms.Tensor([0.4, 0.6]),
        ...                                    "sum"))
        0.026988376
    """
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
def cosine_similarity(
    xp,
    x1: Floats,
    x2: Floats,
    dim: Int | TupleOf(Int) | ListOf(Int) | None = 1,
    eps: InTensor(AsValue(Number, Bool | None)) = 1e-8,
):
    """Computes the cosine of the angle between `x1` and `x2` along `dim`. The product of the
    lengths is at least `eps`.

    Over two axes, or all of a matrix if `dim` is None, the lengths are the largest singular values.

    Shapes:
        The shapes of `x1` and `x2` are broadcast. The result is the broadcast shape without `dim`.

    Example:
        >>> print(ms.ops.cosine_similarity(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])))
        [0.70710677]
    """
    need_broadcast("cosine_similarity", "x1", "x2", x1, x2)
    return _cosine(xp, x1, x2, dim, eps)


def _by_cosine(xp, x1, x2, target, margin, reduction, axis):
    """1 - cosine for pairs that belong together (1), what exceeds the margin for others (-1)."""
    cosine = xp.sum(x1 * x2, axis) / xp.sqrt(
        (xp.sum(xp.square(x1), axis) + 1e-12) * (xp.sum(xp.square(x2), axis) + 1e-12)
    )
    apart = xp.maximum(cosine - margin, 0)
    loss = xp.where(target == 1, 1 - cosine, 0) + xp.where(target == -1, apart, 0)
    return reduced(xp, xp.cast(loss, x1.dtype), reduction)


@op(
    "ops.cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean')",
    types=SameDtype("input1 input2"),
)
def cosine_embedding_loss(
    xp,
    input1: Floats,
    input2: Floats,
    target: NumbersOrBools,
    margin: Number(ge=-1.0, le=1.0) | Bool = 0.0,
    reduction: Reduced = "mean",
):
    """Computes 1 - cos for pairs that `target` marks by 1, and max(0, cos - margin) for those
    marked by -1, with the cosine along axis 1.

    Shapes:
        `input1` and `input2` are (N, D, ...), `target` is (N, ...). The result is (), or the shape
        of `target` for `reduction` "none".

    Example:
        >>> print(ms.ops.cosine_embedding_loss(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]]),
        ...                                    ms.Tensor([-1])))
        0.70710677
    """
    need_broadcast("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != (input1.shape[0], *input1.shape[2:]):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape "
            f"{(input1.shape[0], *input1.shape[2:])}, but got {tuple(target.shape)}."
        )
    return _by_cosine(xp, input1, input2, target, margin, reduction, 1)


@op(
    "mint.nn.functional.cosine_embedding_loss(input1, input2, target, margin=0.0, "
    "reduction='mean')",
    "mint.nn.CosineEmbeddingLoss(margin=0.0, reduction='mean')(input1, input2, target)",
)
def cosine_embedding_loss_ext(
    xp,
    input1: Floats,
    input2: Floats,
    target: Numbers,
    margin: Number = 0.0,
    reduction: Reduction = "mean",
):
    """Computes 1 - cos for pairs that `target` marks by 1, and max(0, cos - margin) for those
    marked by -1, with the cosine along the last axis.

    Shapes:
        `input1` and `input2` are (N, D) or (D,), `target` is (N,) or (). The result is (), or the
        shape of `target` for `reduction` "none".

    Example:
        >>> x, y = ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])
        >>> print(ms.mint.nn.functional.cosine_embedding_loss(x, y, ms.Tensor([-1])))
        0.70710677
    """
    need_shape("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != tuple(input1.shape[:-1]) or input1.ndim not in (1, 2):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape {tuple(input1.shape[:-1])}, "
            f"but got {tuple(target.shape)}."
        )
    return _by_cosine(xp, input1, input2, target, margin, reduction, -1)


# Margins ------------------------------------------------------------------------------------------


@op("ops.hinge_embedding_loss(inputs, targets, margin=1.0, reduction='mean')")
def hinge_embedding_loss(
    xp, inputs: Floats, targets: Floats, margin: Number | Bool = 1.0, reduction: Reduced = "mean"
):
    """Computes the input itself where the target is 1, and max(0, margin - input) where it is -1.

    Shapes:
        The shapes of `inputs` and `targets` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Example:
        >>> print(ms.ops.hinge_embedding_loss(ms.Tensor([0.5, 0.3]), ms.Tensor([1.0, -1.0]),
        ...                                   reduction="none"))
        [0.5 0.7]
    """
    need_broadcast("hinge_embedding_loss", "inputs", "targets", inputs, targets)
    near = xp.where(targets > 0, inputs, 0)
    far = xp.where(targets < 0, xp.maximum(margin - inputs, 0), 0)
    return reduced(xp, near + far, reduction)


@op("ops.margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean')")
def margin_ranking_loss(
    xp,
    input1: Numbers,
    input2: Numbers,
    target: Numbers,
    margin: Float = 0.0,
    reduction: Reduced = "mean",
):
    """Computes max(0, -target (input1 - input2) + margin), which is small if the inputs stand in
    the order that `target` tells: 1 for the first larger, -1 for the second.

    Shapes:
        `input1`, `input2` and `target` have one shape. The result is (), or that shape for
        `reduction` "none".

    Example:
        >>> print(ms.ops.margin_ranking_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, 3.0]),
        ...                                  ms.Tensor([1.0, 1.0])))
        0.5
    """
    need_broadcast("margin_ranking_loss", "input1", "input2", input1, input2)
    need_broadcast("margin_ranking_loss", "input1", "target", input1, target)
    if not input1.dtype == input2.dtype == target.dtype:
        raise TypeError(
            f"For 'margin_ranking_loss', the inputs must have the same dtype, but got "
            f"{input1.dtype}, {input2.dtype} and {target.dtype}."
        )
    return reduced(xp, xp.maximum(-target * (input1 - input2) + margin, 0), reduction)


@op(
    "ops.soft_margin_loss(input, target, reduction='mean')",
    "ops.SoftMarginLoss(reduction='mean')(input, target)",
    "mint.nn.functional.soft_margin_loss(input, target, reduction='mean')",
)
def soft_margin_loss(xp, input: FloatsUpTo32, target: FloatsUpTo32, reduction: Reduction = "mean"):
    """Computes log(1 + exp(-target * input)), a loss of two classes marked by 1 and -1.

    Shapes:
        `input` and `target` have one shape. The result is (), or that shape for `reduction` "none".

    Example:
        >>> print(ms.ops.soft_margin_loss(ms.Tensor([0.5, -1.0]), ms.Tensor([1.0, -1.0])))
        0.3936693
    """
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
            f"{positive.dtype} and {negative.dtype}."
        )
    need_broadcast(api, "anchor", "positive", anchor, positive)
    need_broadcast(api, "anchor", "negative", anchor, negative)
    near, far = _distance(xp, anchor, positive, p, eps), _distance(xp, anchor, negative, p, eps)
    if swap:
        far = xp.minimum(far, _distance(xp, positive, negative, p, eps))
    return reduced(xp, xp.maximum(near - far + margin, 0), reduction)


@op(
    "ops.triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, "
    "reduction='mean')"
)
def triplet_margin_loss(
    xp,
    anchor: Numbers,
    positive: Numbers,
    negative: Numbers,
    margin: Float = 1.0,
    p: Int = 2,
    eps: Float = 1e-6,
    swap: Bool = False,
    reduction: Reduction = "mean",
):
    """Computes max(0, d(anchor, positive) - d(anchor, negative) + margin), where d is the p-norm of
    the difference along the last axis.

    With `swap` the nearer one of anchor and positive counts for the negative.

    Shapes:
        The three inputs are (N, D), or (D,). The result is (), or (N,) for `reduction` "none".

    Example:
        >>> a, p, n = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[1.0, 0.0]])
        >>> print(ms.ops.triplet_margin_loss(a, p, n))
        4.9999995
    """
    return _triplet(
        xp, "triplet_margin_loss", anchor, positive, negative, margin, p, eps, swap, reduction
    )


@op(
    "ops.TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')(x, positive, negative, "
    "margin)"
)
def triplet_margin_loss_primitive(
    xp,
    x: Numbers,
    positive: Numbers,
    negative: Numbers,
    margin: TensorOf("float32"),
    p: Int = 2,
    swap: Bool = False,
    eps: Float = 1e-6,
    reduction: Reduced = "mean",
):
    """Computes max(0, d(x, positive) - d(x, negative) + margin), where d is the p-norm of the
    difference along the last axis.

    With `swap` the nearer one of `x` and positive counts for the negative.

    Shapes:
        The three inputs are (N, D), `margin` is a float32 scalar. The result is (), or (N,) for
        `reduction` "none".

    Example:
        >>> a, p, n = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[1.0, 0.0]])
        >>> print(ms.ops.TripletMarginLoss()(a, p, n, ms.Tensor(1.0)))
        4.9999995
    """
    if margin.ndim:
        raise ValueError(
            f"For 'TripletMarginLoss', 'margin' must have 0 dimensions, but got {margin.ndim}."
        )
    return _triplet(xp, "TripletMarginLoss", x, positive, negative, margin, p, eps, swap, reduction)
