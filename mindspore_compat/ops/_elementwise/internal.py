"""Elementwise Primitives that MindSpore exposes under internal paths only."""

from .._primitive_aliases.alias import alias, ops, pull_back

alias("ops.operations._grad_ops.ACosGrad()(x, dout)", lambda x, dout: pull_back(dout, ops.acos, x))
alias("ops.operations._grad_ops.AbsGrad()(x, dout)", lambda x, dout: pull_back(dout, ops.abs, x))
alias("ops.operations._grad_ops.AsinGrad()(x, dout)", lambda x, dout: pull_back(dout, ops.asin, x))
alias("ops.operations._grad_ops.AtanGrad()(x, dout)", lambda x, dout: pull_back(dout, ops.atan, x))
alias(
    "ops.operations._grad_ops.LogitGrad(eps=-1.0)(grad, input)",
    lambda grad, input, eps: pull_back(grad, ops.Logit(eps), input),
)
alias(
    "ops.operations._grad_ops.MaximumGrad(grad_x=True, grad_y=True)(x, y, grads)",
    lambda x, y, grads, grad_x, grad_y: pull_back(grads, ops.maximum, x, y),
)
alias(
    "ops.operations._grad_ops.MinimumGrad(grad_x=True, grad_y=True)(x1, x2, grads)",
    lambda x1, x2, grads, grad_x, grad_y: pull_back(grads, ops.minimum, x1, x2),
)
alias(
    "ops.operations._grad_ops.MvlgammaGrad(p)(y_grad, x)",
    lambda y_grad, x, p: pull_back(y_grad, lambda x: ops.mvlgamma(x, p), x),
)
alias("ops.auto_generate.AShardIdentity()(input)", lambda input: input)
alias("ops.auto_generate.shard_identity(input)", lambda input: input)
alias("ops.auto_generate.TypeAs()(input, other)", lambda input, other: ops.cast(input, other.dtype))
