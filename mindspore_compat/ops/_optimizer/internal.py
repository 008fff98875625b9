"""Optimizer Primitives that MindSpore exposes under internal paths only: AdamW."""

from .._primitive_aliases.alias import alias, ops


@alias(
    "ops.auto_generate.AdamW()(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, "
    "eps, amsgrad=False, maximize=False)"
)
def adam_w(
    var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False, maximize=False
):
    """Updates a parameter with AdamW, in place; returns (var, m, v). `step` counts from 1."""
    count = float(step)
    return _adam_step(
        var,
        m,
        v,
        max_v if amsgrad else None,
        -gradient if maximize else gradient,
        lr,
        beta1,
        beta2,
        decay,
        eps,
        1 - beta1**count,
        1 - beta2**count,
    )


@alias(
    "ops.auto_generate.ApplyAdamW()(var, m, v, beta1_power, beta2_power, lr, weight_decay, "
    "beta1, beta2, epsilon, grad, max_grad_norm=None, amsgrad=False, maximize=False)"
)
def apply_adam_w(
    var,
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    weight_decay,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm=None,
    amsgrad=False,
    maximize=False,
):
    """Updates a parameter with AdamW, in place; returns (var, m, v). The powers belong to
    the previous step.
    """
    return _adam_step(
        var,
        m,
        v,
        max_grad_norm if amsgrad else None,
        -grad if maximize else grad,
        lr,
        beta1,
        beta2,
        weight_decay,
        epsilon,
        1 - beta1_power * beta1,
        1 - beta2_power * beta2,
    )


def _adam_step(var, m, v, largest, grad, lr, beta1, beta2, decay, eps, unbias1, unbias2):
    ops.assign(m, beta1 * m + (1 - beta1) * grad)
    ops.assign(v, beta2 * v + (1 - beta2) * grad * grad)
    second = v
    if largest is not None:
        second = ops.assign(largest, ops.maximum(largest, v))
    step = (m / unbias1) / (ops.sqrt(second / unbias2) + eps)
    ops.assign(var, (1 - lr * decay) * var - lr * step)
    return var, m, v
