"""The Kullback-Leibler divergence."""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, OneOf, TensorOf
from .._rules import Floats
from .reduction import need_broadcast, need_shape, reduced

Batchwise = OneOf("none", "mean", "batchmean", "sum")
Divided = AsValue(Batchwise)


def _divide(xp, loss, reduction):
    if reduction != "batchmean":
        return reduced(xp, loss, reduction)
    return xp.cast(xp.sum(loss) / loss.shape[0], loss.dtype)


def _need_batch(x, reduction):
    if reduction == "batchmean" and x.ndim == 0:
        raise ValueError("For 'kl_div', a scalar has no batch to take the mean of.")


@op(
    "ops.kl_div(logits, labels, reduction='mean')",
    "ops.KLDivLoss(reduction='mean')(logits, labels)",
    types=SameDtype("logits labels"),
    quirks=Quirks(shapes_first=True, rules={"ops.KLDivLoss": {"reduction": Divided}}),
)
def kl_div(
    xp,
    logits: TensorOf("float16", "float32", "float64"),
    labels: TensorOf("float16", "float32", "float64"),
    reduction: Batchwise = "mean",
):
    """Computes the Kullback-Leibler divergence, labels (log(labels) - logits), which is 0 where the
    labels are not positive. `logits` are log probabilities.

    Shapes:
        `logits` and `labels` have one shape and dtype. The result is (), or that shape for
        `reduction` "none".

    Example:
        >>> print(ms.ops.kl_div(ms.Tensor([-1.0, -0.5]), ms.Tensor([0.4, 0.6]), "sum"))
        0.026988376
    """
    need_shape("kl_div", "logits", "labels", logits, labels)
    _need_batch(logits, reduction)
    positive = labels > 0
    safe = xp.where(positive, labels, 1)
    return _divide(xp, xp.where(positive, safe * (xp.log(safe) - logits), 0), reduction)


@kl_div.vjp_joint
def kl_div_vjp(xp, g, labels, reduction):
    """Returns the gradient of the logits, even where labels are not positive; labels have no
    gradient."""
    count = {"mean": labels.size, "batchmean": labels.shape[0] if labels.ndim else 1}
    return -labels * g / count.get(reduction, 1), None


@op(
    "mint.nn.functional.kl_div(input, target, reduction='mean', log_target=False)",
    "mint.nn.KLDivLoss(reduction='mean', log_target=False)(input, target)",
    quirks=Quirks(shapes_first=True),
)
def kl_div_ext(
    xp, input: Floats, target: Floats, reduction: Divided = "mean", log_target: Bool = False
):
    """Computes the Kullback-Leibler divergence, target (log(target) - input), which is 0 where the
    target is 0. With `log_target`, `target` holds the logarithms.

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.kl_div(ms.Tensor([-1.0, -0.5]), ms.Tensor([0.4, 0.6]),
        ...                                    "sum"))
        0.026988376
    """
    need_broadcast("kl_div", "input", "target", input, target)
    _need_batch(input, reduction)
    if log_target:
        return _divide(xp, xp.exp(target) * (target - input), reduction)
    positive = target > 0
    safe = xp.where(positive, target, 1)
    return _divide(xp, xp.where(positive, safe * (xp.log(safe) - input), 0), reduction)
