"""Binary cross entropy, of probabilities and of logits."""

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue
from .._rules import Floats, FloatsUpTo32
from .reduction import Reduction, need_shape, reduced


def _yes_no(xp, api, x, y, weight, reduction):
    need_shape(api, "logits", "labels", x, y)
    if x.dtype != y.dtype or weight is not None and weight.dtype != x.dtype:
        raise TypeError(
            f"For '{api}', all inputs must have the same dtype, but got {x.dtype} and {y.dtype}."
        )
    loss = xp.bernoulli_loss(x, y)
    return reduced(xp, loss if weight is None else loss * weight, reduction)


@implements
def bernoulli_loss(xp, x, y):
    """Computes -(y log(x) + (1 - y) log(1 - x)), with logarithms of at least log(1e-12)."""
    return xp.blockwise(_bernoulli, x, y)


def _bernoulli(xp, x, y):
    return -(y * xp.log(xp.maximum(x, 1e-12)) + (1 - y) * xp.log(xp.maximum(1 - x, 1e-12)))


def _bernoulli_by_x(xp, g, x, y):
    return g * (x - y) / xp.maximum(x * (1 - x), 1e-12)


def _bernoulli_by_y(xp, g, x):
    return g * (xp.log(xp.maximum(1 - x, 1e-12)) - xp.log(xp.maximum(x, 1e-12)))


derive(
    "bernoulli_loss(x, y)",
    x=lambda xp, g, x, y: xp.blockwise(_bernoulli_by_x, g, x, y),
    y=lambda xp, g, x: xp.blockwise(_bernoulli_by_y, g, x),
)


@implements
def logistic_loss(xp, x, y):
    """Computes (1 - y) x + log(1 + exp(-x)), the cross entropy of sigmoid(x) with the target y."""
    if x.dtype == y.dtype and x.dtype.kind == "f":
        return xp.blockwise(_logistic, x, y)
    return _logistic(xp, x, y)


def _logistic(xp, x, y):
    return (1 - y) * x + xp.softplus(-x)


def _logistic_by_x(xp, g, x, y):
    return g * (xp.sigmoid(x) - y)


def _logistic_by_x_vjp(xp, g, x, y):
    if g.dtype == x.dtype == y.dtype:
        return xp.blockwise(_logistic_by_x, g, x, y)
    return _logistic_by_x(xp, g, x, y)


derive("logistic_loss(x, y)", x=_logistic_by_x_vjp, y=lambda xp, g, x: -g * x)


@op(
    "ops.binary_cross_entropy(logits, labels, weight=None, reduction='mean')",
    "ops.BinaryCrossEntropy(reduction='mean')(logits, labels, weight=None)",
)
def binary_cross_entropy(
    xp,
    logits: FloatsUpTo32,
    labels: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the binary cross entropy of probabilities and targets: -(labels log(logits) + (1 -
    labels) log(1 - logits)).

    Shapes:
        `logits`, `labels` and `weight` have one shape. The result is (), or that shape for
        `reduction` "none".

    Example:
        >>> print(ms.ops.binary_cross_entropy(ms.Tensor([0.9, 0.2]), ms.Tensor([1.0, 0.0])))
        0.16425204
    """
    if weight is not None:
        need_shape("binary_cross_entropy", "logits", "weight", logits, weight)
    return _yes_no(xp, "binary_cross_entropy", logits, labels, weight, reduction)


@op(
    "mint.nn.functional.binary_cross_entropy(input, target, weight=None, reduction='mean')",
    "mint.nn.BCELoss(weight=None, reduction='mean')(input, target)",
    quirks=Quirks(
        shapes_first=True,
        rules={"mint.nn.BCELoss": {"reduction": AsValue(Reduction)}},
        checked_at_once=("mint.nn.BCELoss",),
    ),
)
def binary_cross_entropy_ext(
    xp,
    input: FloatsUpTo32,
    target: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the binary cross entropy of probabilities and targets: -(target log(input) + (1 -
    target) log(1 - input)).

    Shapes:
        `input` and `target` have one shape, `weight` is broadcast. The result is (), or that shape
        for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.binary_cross_entropy(ms.Tensor([0.9, 0.2]),
        ...         ms.Tensor([1.0, 0.0])))
        0.16425204
    """
    if weight is not None:
        _need_fit("binary_cross_entropy", "weight", weight, input)
    return _yes_no(xp, "binary_cross_entropy", input, target, weight, reduction)


@op(
    "ops.binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, "
    "reduction='mean')",
    "mint.nn.functional.binary_cross_entropy_with_logits(input, target, weight=None, "
    "reduction='mean', pos_weight=None)",
    "mint.nn.BCEWithLogitsLoss(weight=None, reduction='mean', pos_weight=None)(input, target)",
    "ops.BCEWithLogitsLoss(reduction='mean')(input, target, weight=None, pos_weight=None)",
    compute="body",
    quirks=Quirks(checked_at_once=("mint.nn.BCEWithLogitsLoss",)),
)
def binary_cross_entropy_with_logits(
    xp,
    input: FloatsUpTo32,
    target: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    pos_weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the binary cross entropy of logits and targets, without overflow.

    `pos_weight` multiplies the loss of positive targets, `weight` the whole loss; both are
    broadcast.

    Shapes:
        `input` and `target` have one shape. The result is (), or that shape for `reduction` "none",
        of the dtype of `target`.

    Example:
        >>> print(ms.ops.binary_cross_entropy_with_logits(ms.Tensor([2.0, -1.0]),
        ...         ms.Tensor([1.0, 0.0])))
        0.22009481
    """
    dtype = target.dtype
    input, target, weight, pos_weight = (
        array if array is None or array.dtype.itemsize > 2 else xp.cast(array, "float32")
        for array in (input, target, weight, pos_weight)
    )
    api = "binary_cross_entropy_with_logits"
    need_shape(api, "input", "target", input, target)
    for name, factor in (("weight", weight), ("pos_weight", pos_weight)):
        if factor is not None:
            _need_fit(api, name, factor, input)
    if pos_weight is None:
        loss = xp.logistic_loss(input, target)
    else:
        tail = xp.softplus(-input) * (1 + (pos_weight - 1) * target)
        loss = (1 - target) * input + tail
    return xp.cast(reduced(xp, loss if weight is None else loss * weight, reduction), dtype)


def _need_fit(api, name, factor, x):
    """Rejects a Tensor that does not broadcast to the shape of `x`."""
    pairs = zip(reversed(factor.shape), reversed(x.shape))
    if factor.ndim > x.ndim or any(own not in (1, length) for own, length in pairs):
        raise ValueError(
            f"For '{api}', '{name}' must broadcast to {tuple(x.shape)}, but got "
            f"{tuple(factor.shape)}."
        )


@op("ops.SigmoidCrossEntropyWithLogits()(logits, label)", types=SameDtype("logits label"))
def sigmoid_cross_entropy_with_logits(xp, logits: Floats, label: Floats):
    """Computes the binary cross entropy of logits and targets, element by element, without a
    reduction.

    Shapes:
        `logits` and `label` have one shape and dtype. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.SigmoidCrossEntropyWithLogits()(ms.Tensor([2.0, -1.0]),
        ...         ms.Tensor([1.0, 0.0])))
        [0.126928   0.31326163]
    """
    need_shape("SigmoidCrossEntropyWithLogits", "logits", "label", logits, label)
    return xp.logistic_loss(logits, label)


sigmoid_cross_entropy_with_logits.vjp(
    logits=lambda xp, g, logits, label: _logistic_by_x_vjp(xp, g, logits, label),
    label=lambda xp, g, logits: -g * logits,
)
