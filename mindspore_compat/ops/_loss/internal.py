"""Primitives of losses that MindSpore exposes only under internal paths: gradient operators and
kernels."""

from .._primitive_aliases.alias import alias, functional, ops, pull_back


@alias(
    "ops.auto_generate.BinaryCrossEntropyWithLogitsBackward()(grad_output, input, target, "
    "weight=None, posWeight=None, reduction='mean')"
)
def binary_cross_entropy_with_logits_backward(
    grad_output, input, target, weight, posWeight, reduction
):
    return pull_back(
        grad_output,
        lambda input: functional.binary_cross_entropy_with_logits(
            input, target, weight, reduction, posWeight
        ),
        input,
    )


@alias(
    "ops.auto_generate.KLDivGrad()(grad_output, input, target, reduction='mean', log_target=False)"
)
def kl_div_grad(grad_output, input, target, reduction, log_target):
    return pull_back(
        grad_output, lambda input: functional.kl_div(input, target, reduction, log_target), input
    )


@alias("ops.auto_generate.L1LossBackwardExt()(grad_output, input, target, reduction='mean')")
def l1_loss_backward_ext(grad_output, input, target, reduction):
    return pull_back(grad_output, lambda input: functional.l1_loss(input, target, reduction), input)


@alias("ops.auto_generate.MSELossGradExt()(dout, x, target, reduction='mean')")
def mse_loss_grad_ext(dout, x, target, reduction):
    return pull_back(dout, lambda x: functional.mse_loss(x, target, reduction), x)


@alias(
    "ops.operations._grad_ops.BinaryCrossEntropyGrad(reduction='mean')(input, target, "
    "grad_output, weight=None)"
)
def binary_cross_entropy_grad(input, target, grad_output, weight, reduction):
    return pull_back(
        grad_output, lambda input: ops.binary_cross_entropy(input, target, weight, reduction), input
    )


@alias("ops.operations._grad_ops.KLDivLossGrad(reduction='mean')(grad, x, target)")
def kl_div_loss_grad(grad, x, target, reduction):
    return pull_back(grad, lambda x: ops.KLDivLoss(reduction)(x, target), x)


@alias(
    "ops.operations._grad_ops.MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(y_grad, "
    "x, target, weight=None)"
)
def multi_margin_loss_grad(y_grad, x, target, weight, p, margin, reduction):
    loss = ops.MultiMarginLoss(p, margin, reduction)
    return pull_back(y_grad, lambda x: loss(x, target, weight), x)


@alias(
    "ops.operations._grad_ops.MultilabelMarginLossGrad(reduction='mean')(y_grad, x, target, "
    "is_target)"
)
def multilabel_margin_loss_grad(y_grad, x, target, is_target, reduction):
    return pull_back(y_grad, lambda x: ops.multilabel_margin_loss(x, target, reduction), x)


@alias(
    "ops.operations._grad_ops.NLLLossGrad(reduction='mean', ignore_index=-100)(logits, "
    "loss_grad, labels, weight, total_weight)"
)
def nll_loss_grad(logits, loss_grad, labels, weight, total_weight, reduction, ignore_index):
    return pull_back(
        loss_grad,
        lambda logits: ops.NLLLoss(reduction, ignore_index)(logits, labels, weight)[0],
        logits,
    )


alias(
    "ops.operations._grad_ops.SigmoidCrossEntropyWithLogitsGrad()(x, y, dout)",
    lambda x, y, dout: pull_back(dout, lambda x: ops.SigmoidCrossEntropyWithLogits()(x, y), x),
)


@alias(
    "ops.operations._grad_ops.SmoothL1LossGrad(beta=1.0, reduction='none')(prediction, target, "
    "dout)"
)
def smooth_l1_loss_grad(prediction, target, dout, beta, reduction):
    return pull_back(
        dout, lambda prediction: ops.SmoothL1Loss(beta, reduction)(prediction, target), prediction
    )


@alias("ops.operations._grad_ops.SoftMarginLossGrad(reduction='mean')(predict, label, dout)")
def soft_margin_loss_grad(predict, label, dout, reduction):
    return pull_back(dout, lambda predict: ops.SoftMarginLoss(reduction)(predict, label), predict)


@alias(
    "ops.auto_generate.CrossEntropyLoss()(input, target, weight=None, reduction='mean', "
    "ignore_index=-100, label_smoothing=0.0, lse_square_scale_for_zloss=0.0, "
    "return_zloss=False)"
)
def cross_entropy_loss(
    input,
    target,
    weight,
    reduction,
    ignore_index,
    label_smoothing,
    lse_square_scale_for_zloss,
    return_zloss,
):
    """Returns (loss of at least one axis, log-softmax, scale * logsumexp(input)**2,
    logsumexp(input)).

    The third result is empty unless `return_zloss` is set. The fourth is empty if the scale,
    `lse_square_scale_for_zloss`, is 0.
    """
    scale = lse_square_scale_for_zloss
    loss = functional.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    total = ops.logsumexp(input, 1)
    empty = ops.zeros((0,), input.dtype)
    zloss = scale * total * total if return_zloss else empty
    log_prob = input - ops.expand_dims(total, 1)
    return ops.reshape(loss, (-1,)), log_prob, zloss, total if scale else empty


@alias("ops.auto_generate.NLLLoss2d()(input, target, weight, reduction='mean', ignore_index=-100)")
def nll_loss_2d(input, target, weight, reduction, ignore_index):
    """Returns (the loss, the sum of the weights of the target classes)."""
    loss = functional.nll_loss(input, target, weight, ignore_index, reduction)
    keep_mask = (target != ignore_index).astype(input.dtype)
    losses = (
        keep_mask
        if weight is None
        else keep_mask
        * ops.gather(weight, ops.select(target != ignore_index, target, ops.zeros_like(target)), 0)
    )
    return loss, ops.sum(losses)


@alias(
    "ops.auto_generate.CrossEntropyLossGrad()(grad_loss, log_prob, target, weight=None, "
    "grad_zloss=None, lse_for_zloss=None, reduction='mean', ignore_index=-100, "
    "label_smoothing=0.0, lse_square_scale_for_zloss=0.0)"
)
def cross_entropy_loss_grad(
    grad_loss,
    log_prob,
    target,
    weight,
    grad_zloss,
    lse_for_zloss,
    reduction,
    ignore_index,
    label_smoothing,
    lse_square_scale_for_zloss,
):
    gradients = pull_back(
        ops.reshape(grad_loss, (-1,) if reduction == "none" else ()),
        lambda log_prob: functional.cross_entropy(
            log_prob, target, weight, ignore_index, reduction, label_smoothing
        ),
        log_prob,
    )
    if grad_zloss is None:
        return gradients
    gradient = 2 * lse_square_scale_for_zloss * grad_zloss * lse_for_zloss
    return gradients + ops.expand_dims(gradient, 1) * ops.exp(log_prob)


@alias(
    "ops.auto_generate.NLLLoss2dGrad()(loss_grad, input, target, weight, reduction, "
    "ignore_index, total_weight)"
)
def nll_loss2d_grad(loss_grad, input, target, weight, reduction, ignore_index, total_weight):
    return pull_back(
        loss_grad,
        lambda input: functional.nll_loss(input, target, weight, ignore_index, reduction),
        input,
    )
