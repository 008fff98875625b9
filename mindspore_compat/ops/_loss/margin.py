"""Margin losses: hinge, ranking, triplet and multi-class."""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, Float, Int, Number, OneOf, TensorOf, real
from .._rules import Float16Or32, Float16To64, Floats, FloatsUpTo32, Numbers
from .reduction import Reduced, Reduction, need_broadcast, need_shape, reduced


@op("ops.hinge_embedding_loss(inputs, targets, margin=1.0, reduction='mean')")
def hinge_embedding_loss(
    xp, inputs: Floats, targets: Floats, margin: Number | Bool = 1.0, reduction: Reduced = "mean"
):
    """Computes the hinge embedding loss: the input where the target is 1, and max(0, margin -
    input) where it is -1.

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
    """Computes the margin ranking loss, max(0, -target (input1 - input2) + margin). It is small if
    the first input is larger where the target is 1, and the second where it is -1.

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
    loss = -target * (input1 - input2)
    if loss.dtype.kind in "iu":
        loss = xp.cast(loss, "float32")
    return reduced(xp, xp.at_least(loss + margin, 0), reduction)


@op(
    "ops.soft_margin_loss(input, target, reduction='mean')",
    "ops.SoftMarginLoss(reduction='mean')(input, target)",
    "mint.nn.functional.soft_margin_loss(input, target, reduction='mean')",
)
def soft_margin_loss(xp, input: FloatsUpTo32, target: FloatsUpTo32, reduction: Reduction = "mean"):
    """Computes the soft margin loss of two classes marked by 1 and -1: log(1 + exp(-target *
    input)).

    Shapes:
        `input` and `target` have one shape. The result is (), or that shape for `reduction` "none".

    Example:
        >>> print(ms.ops.soft_margin_loss(ms.Tensor([0.5, -1.0]), ms.Tensor([1.0, -1.0])))
        0.3936693
    """
    need_shape("soft_margin_loss", "input", "target", input, target)
    return reduced(xp, xp.softplus(-target * input), reduction)


def _distance(xp, a, b, p, eps):
    """Computes the p-norm of a - b + eps along the last axis."""
    size = xp.abs(a - b + eps)
    if p == 2:
        return xp.sqrt(xp.sum_of_squares(size, -1))
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
    """Computes the triplet margin loss, max(0, d(anchor, positive) - d(anchor, negative) + margin),
    where d is the p-norm of the difference along the last axis.

    With `swap`, d(anchor, negative) is replaced by d(positive, negative) if that is smaller.

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
    """Computes the triplet margin loss, max(0, d(x, positive) - d(x, negative) + margin), where d
    is the p-norm of the difference along the last axis.

    With `swap`, d(x, negative) is replaced by d(positive, negative) if that is smaller.

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


def _multi_margin(xp, api, x, target, p, margin, weight, reduction):
    if x.ndim != 2 or target.ndim != 1 or x.shape[0] != target.shape[0]:
        raise ValueError(
            f"For '{api}', 'input' must have shape (N, C) and 'target' (N,), but got "
            f"{tuple(x.shape)} and {tuple(target.shape)}."
        )
    if weight is not None and (weight.ndim != 1 or weight.shape[0] != x.shape[1]):
        raise ValueError(
            f"For '{api}', 'weight' must have shape ({x.shape[1]},), but got {tuple(weight.shape)}."
        )
    if weight is not None and weight.dtype != x.dtype:
        raise TypeError(
            f"For '{api}', 'weight' must have the dtype of 'input', but got {weight.dtype} and "
            f"{x.dtype}."
        )
    if bool(xp.any((target < 0) | (target >= x.shape[1]))):
        raise ValueError(f"For '{api}', 'target' must be in [0, {x.shape[1]}).")
    target_score = xp.take_along_axis(x, xp.expand_dims(target, 1), 1)
    terms = margin - target_score + x
    terms = xp.where(terms > 0, terms, 0)  # has a gradient of 0 at 0
    terms = terms if p == 1 else xp.square(terms)
    if weight is not None:
        terms = terms * xp.expand_dims(xp.take(weight, target, 0), 1)
    other = xp.expand_dims(target, 1) != xp.arange(x.shape[1])
    return reduced(xp, xp.sum(xp.where(other, terms, 0), 1) / x.shape[1], reduction)


@op("ops.multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction='mean')")
def multi_margin_loss(
    xp,
    input: Float16To64,
    target: TensorOf("int64"),
    p: OneOf(1, 2) = 1,
    margin: Int | Bool = 1,
    weight: Float16To64 = None,
    reduction: Reduction = "mean",
):
    """Computes the multi-class margin loss: for each row the sum over the other classes i of max(0,
    margin - input[target] + input[i])^p / C.

    If `weight` is given, each row is multiplied by the weight of its target class.

    Shapes:
        `input` is (N, C) or (C,), `target` is (N,) or (). The result is (), or (N,) for `reduction`
        "none".

    Example:
        >>> print(ms.ops.multi_margin_loss(ms.Tensor([[0.1, 0.9, 0.4]]), ms.Tensor([1])))
        0.23333335
    """
    return _multi_margin(xp, "multi_margin_loss", input, target, p, margin, weight, reduction)


@op("ops.MultiMarginLoss(p=1, margin=1.0, reduction='mean')(inputs, target, weight=None)")
def multi_margin_loss_primitive(
    xp,
    inputs: Float16To64,
    target: TensorOf("int64"),
    weight: Float16To64 = None,
    p: OneOf(1, 2) = 1,
    margin: Float = 1.0,
    reduction: Reduced = "mean",
):
    """Computes the multi-class margin loss: for each row the sum over the other classes i of max(0,
    margin - inputs[target] + inputs[i])^p / C.

    If `weight` is given, each row is multiplied by the weight of its target class.

    Shapes:
        `inputs` is (N, C) or (C,), `target` is (N,) or () of int64. The result is (), or (N,) for
        `reduction` "none".

    Example:
        >>> print(ms.ops.MultiMarginLoss()(ms.Tensor([[0.1, 0.9, 0.4]]), ms.Tensor([1])))
        0.23333335
    """
    return _multi_margin(xp, "MultiMarginLoss", inputs, target, p, margin, weight, reduction)


def _multilabel(xp, api, x, target, reduction):
    """Returns the loss, reduced."""
    need_shape(api, "input", "target", x, target)
    if x.ndim not in (1, 2):
        raise ValueError(f"For '{api}', 'input' must have 1 or 2 dimensions, but got {x.ndim}.")
    return reduced(xp, xp.label_hinges(x, target) / x.shape[-1], reduction)


@op("ops.multilabel_margin_loss(input, target, reduction='mean')")
def multilabel_margin_loss(
    xp, input: Float16Or32, target: TensorOf("int32"), reduction: AsValue(Reduction) = "mean"
):
    """Computes the multi-label margin loss: for each row the sum over targets t and other classes i
    of max(0, 1 - (input[t] - input[i])) / C.

    The targets of a row are the entries of `target` before the first negative one.

    Shapes:
        `input` and `target` are (N, C) or (C,). The result is (), or (N,) for `reduction` "none".

    Example:
        >>> print(ms.ops.multilabel_margin_loss(ms.Tensor([[0.1, 0.9, 0.4]]),
        ...                                     ms.Tensor([[1, -1, 0]], ms.int32)))
        0.23333335
    """
    return _multilabel(xp, "multilabel_margin_loss", input, target, reduction)


@op("ops.MultilabelMarginLoss(reduction='mean')(x, target)")
def multilabel_margin_loss_primitive(
    xp, x: Float16Or32, target: TensorOf("int32"), reduction: AsValue(Reduction) = "mean"
):
    """Computes the multi-label margin loss: for each row the sum over targets t and other classes i
    of max(0, 1 - (x[t] - x[i])) / C.

    The targets of a row are the entries of `target` before the first negative one.

    Shapes:
        `x` and `target` are (N, C) or (C,). The loss is (), or (N,) for `reduction` "none".

    Returns:
        The loss, and int32 ones for the classes that are targets.

    Example:
        >>> loss, marks = ms.ops.MultilabelMarginLoss()(ms.Tensor([[0.1, 0.9]]),
        ...         ms.Tensor([[1, -1]], ms.int32))
        >>> print(loss, marks)
        0.100000024 [[0 1]]
    """
    loss = _multilabel(xp, "MultilabelMarginLoss", x, target, reduction)
    return loss, xp.cast(xp.label_marks(target), "int32")


@op(
    "ops.multilabel_soft_margin_loss(input, target, weight=None, reduction='mean')",
    types=Promote("input target weight"),
    quirks=Quirks(shapes_first=True),
)
def multilabel_soft_margin_loss(
    xp,
    input: Floats,
    target: TensorOf(real, "bool"),
    weight: TensorOf(real, "bool", scalars=True) = None,
    reduction: Reduced = "mean",
):
    """Computes the multi-label soft margin loss: the mean over the classes of the binary cross
    entropy of sigmoid(input) and `target`.

    Shapes:
        `input` and `target` are (N, C), `weight` is broadcast. The result is (), or (N,) for
        `reduction` "none", of the dtype to which the inputs are promoted.

    Example:
        >>> print(ms.ops.multilabel_soft_margin_loss(ms.Tensor([[2.0, -1.0]]),
        ...         ms.Tensor([[1.0, 0.0]])))
        0.22009481
    """
    need_broadcast("multilabel_soft_margin_loss", "input", "target", input, target)
    loss = xp.logistic_loss(input, target)
    loss = loss if weight is None else loss * weight
    return reduced(xp, xp.sum(loss, input.ndim - 1) / input.shape[-1], reduction)
