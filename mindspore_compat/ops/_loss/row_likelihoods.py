"""Negative log likelihoods of the softmax of rows. On a GPU each is one kernel in the forward pass
and one in the backward pass: of target classes, of smoothed target classes, and of target
probabilities.
"""

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import ELEMENT, ROW
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.values import upcast


@implements
def class_nll(xp, x, target, counts):
    """Computes log(sum(exp(x))) - x[target] for each row of (N, C), and 0 where `counts` is
    false. For float16 and bfloat16 the result is float32."""
    if bodies := bodies_of(xp, x, target, counts, least="BODY_ROW"):
        result = bodies.rows(_row_nll, (1, *x.shape), (ROW,), elements=(x,), rows=(target, counts))
        if result is not None:
            return result
    return xp.by_rows(_row_nll, upcast(xp, x), target, counts)


def _row_nll(xp, x, target, counts):
    x = x - xp.max(x, 1, keepdims=True)
    losses = xp.log(xp.sum(xp.exp(x), 1)) - xp.pick_column(x, xp.where(counts, target, 0))
    return xp.where(counts, losses, 0)


def _class_nll_vjp(xp, g, x, target, counts):
    """Returns softmax(x) with 1 subtracted at the target; 0 for rows where `counts` is false."""
    if bodies := bodies_of(xp, x, target, counts, g, least="BODY_ROW"):
        result = bodies.rows(
            _row_vjp, (1, *x.shape), (ELEMENT,), elements=(x,), rows=(target, counts, g)
        )
        if result is not None:
            return result
    return xp.by_rows(_row_vjp, upcast(xp, x), target, counts, g)


def _row_vjp(xp, x, target, counts, g):
    """Computes the softmax again. The loss alone does not determine it: if the target's logit is
    very small, the other logits are lost in the loss by rounding."""
    target, g = xp.where(counts, target, 0), xp.where(counts, g, 0)
    largest = xp.where(counts, xp.max(x, 1), float("inf"))
    soft = xp.exp(x - xp.expand_dims(largest, 1))
    soft = soft * xp.expand_dims(g / xp.where(counts, xp.sum(soft, 1), 1), 1)
    return xp.add_at_column(soft, target, -g)


derive(
    "class_nll(x, target, counts)",
    arrays="x target counts",
    x=_class_nll_vjp,
    upcast="low_precision_kernels",
)


@implements
def smooth_nll(xp, x, target, counts, factor, share):
    """Computes factor (log(sum(exp(x))) - x[target]), plus the sum over the classes c of share[c]
    (log(sum(exp(x))) - x[c]), for each row of (N, C), and 0 where `counts` is false. `target`,
    `counts` and `factor` have one value per row, `share` has one per class. For float16 and
    bfloat16 the result is float32."""
    if bodies := bodies_of(xp, x, target, counts, factor, share, least="BODY_ROW"):
        result = bodies.rows(
            _row_smooth_nll,
            (1, *x.shape),
            (ROW,),
            elements=(x,),
            columns=(share,),
            rows=(target, counts, factor),
        )
        if result is not None:
            return result
    logs = xp.log_soft(upcast(xp, x), 1)
    picked = xp.pick_column(logs, xp.where(counts, target, 0))
    return xp.where(counts, -factor * picked - xp.matmul(logs, share), 0)


def _row_smooth_nll(xp, x, share, target, counts, factor):
    x = x - xp.row_max(x)
    logs = x - xp.log(xp.row_sum(xp.exp(x)))
    picked = xp.pick_column(logs, xp.where(counts, target, 0))
    return xp.where(counts, -factor * picked - xp.row_sum(logs * share), 0.0)


def _smooth_nll_vjp(xp, g, x, target, counts, factor, share):
    """Returns (factor + sum(share)) softmax(x) - share, with `factor` subtracted at the target; 0
    for rows where `counts` is false."""
    if bodies := bodies_of(xp, x, target, counts, factor, share, g, least="BODY_ROW"):
        result = bodies.rows(
            _row_smooth_vjp,
            (1, *x.shape),
            (ELEMENT,),
            elements=(x,),
            columns=(share,),
            rows=(target, counts, factor, g),
        )
        if result is not None:
            return result
    g = xp.where(counts, g, 0)
    logs = xp.log_soft(upcast(xp, x), 1)
    soft = xp.exp(logs) * xp.expand_dims(g * (factor + xp.sum(share)), 1)
    soft = soft - xp.expand_dims(g, 1) * share
    return xp.add_at_column(soft, xp.where(counts, target, 0), -g * factor)


def _row_smooth_vjp(xp, x, share, target, counts, factor, g):
    g = xp.where(counts, g, 0.0)
    soft = xp.exp(x - xp.row_max(x))
    soft = soft * (g * (factor + xp.row_sum(share)) / xp.row_sum(soft)) - share * g
    return xp.add_at_column(soft, xp.where(counts, target, 0), -g * factor)


def _smooth_nll_by_share(xp, g, x, counts):
    g = xp.where(counts, g, 0)
    return -xp.matmul(g, xp.log_soft(upcast(xp, x), 1))


derive(
    "smooth_nll(x, target, counts, factor, share)",
    arrays="x target counts factor share",
    x=_smooth_nll_vjp,
    factor=lambda xp, g, x, target, counts: g * xp.class_nll(x, target, counts),
    share=_smooth_nll_by_share,
    upcast="low_precision_kernels",
)


@implements
def share_nll(xp, x, target, smoothing):
    """Computes the sum over the classes c of -q[c] log(softmax(x)[c]) for each row of (N, C), with
    q = target (1 - smoothing) + smoothing / C. For float16 and bfloat16 the result is float32."""
    if bodies := bodies_of(xp, x, target, least="BODY_ROW"):
        result = bodies.rows(
            _row_share_nll, (1, *x.shape), (ROW,), elements=(x, target), smoothing=smoothing
        )
        if result is not None:
            return result
    shares = smoothed_shares(upcast(xp, target), smoothing)
    return -xp.sum(xp.log_soft(upcast(xp, x), 1) * shares, 1)


def smoothed_shares(target, smoothing, axis=1):
    """Returns target probabilities of which `smoothing` is shared by all classes, along `axis`."""
    return target * (1 - smoothing) + smoothing / target.shape[axis] if smoothing else target


def _row_shares(target, smoothing, classes):
    return target * (1 - smoothing) + smoothing / classes


def _row_share_nll(xp, x, target, *, smoothing):
    x = x - xp.row_max(x)
    logs = x - xp.log(xp.row_sum(xp.exp(x)))
    return -xp.row_sum(_row_shares(target, smoothing, xp.row_size()) * logs)


def _share_nll_vjp(xp, g, x, target, smoothing):
    """Returns g (sum(q) softmax(x) - q)."""
    if bodies := bodies_of(xp, x, target, g, least="BODY_ROW"):
        result = bodies.rows(
            _row_share_vjp,
            (1, *x.shape),
            (ELEMENT,),
            elements=(x, target),
            rows=(g,),
            smoothing=smoothing,
        )
        if result is not None:
            return result
    shares = smoothed_shares(upcast(xp, target), smoothing)
    soft = xp.exp(xp.log_soft(upcast(xp, x), 1)) * xp.sum(shares, 1, keepdims=True)
    return xp.expand_dims(g, 1) * (soft - shares)


def _row_share_vjp(xp, x, target, g, *, smoothing):
    shares = _row_shares(target, smoothing, xp.row_size())
    soft = xp.exp(x - xp.row_max(x))
    return soft * (g * xp.row_sum(shares) / xp.row_sum(soft)) - shares * g


def _share_nll_by_target(xp, g, x, target, smoothing):
    """Returns -g (1 - smoothing) log(softmax(x))."""
    if bodies := bodies_of(xp, x, target, g, least="BODY_ROW"):
        result = bodies.rows(
            _row_share_by_target,
            (1, *x.shape),
            (ELEMENT,),
            elements=(target, x),  # the result has the dtype of the first
            rows=(g,),
            smoothing=smoothing,
        )
        if result is not None:
            return result
    return xp.expand_dims(g * (smoothing - 1), 1) * xp.log_soft(upcast(xp, x), 1)


def _row_share_by_target(xp, target, x, g, *, smoothing):
    x = x - xp.row_max(x)
    return (x - xp.log(xp.row_sum(xp.exp(x)))) * (g * (smoothing - 1))


derive(
    "share_nll(x, target, smoothing)",
    arrays="x target",
    x=_share_nll_vjp,
    target=_share_nll_by_target,
    upcast="low_precision_kernels",
)
