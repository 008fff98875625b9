"""Gradient Primitives of activations that MindSpore exposes under internal paths only."""

from .._primitive_aliases.alias import alias, functional, mint, ops, pull_back


@alias("ops.auto_generate.GeluGradExt()(grad, input, approximate='none')")
def gelu_grad_ext(grad, input, approximate):
    return pull_back(grad, lambda input: functional.gelu(input, approximate=approximate), input)


@alias("ops.auto_generate.HardtanhGrad()(dout, input, min_val=-1, max_val=1)")
def hardtanh_grad(dout, input, min_val, max_val):
    return pull_back(dout, lambda input: functional.hardtanh(input, min_val, max_val), input)


alias(
    "ops.auto_generate.LogSigmoidGrad()(dy, input, buffer)",
    lambda dy, input, buffer: pull_back(dy, functional.logsigmoid, input),
)
alias(
    "ops.auto_generate.MishGradExt()(dout, x)", lambda dout, x: pull_back(dout, functional.mish, x)
)


@alias("ops.auto_generate.SoftplusGradExt()(dout, x, beta=1, threshold=20)")
def softplus_grad_ext(dout, x, beta, threshold):
    return pull_back(dout, lambda x: functional.softplus(x, beta, threshold), x)


@alias("ops.auto_generate.SwigluGrad()(grad_output, input, dim=-1)")
def swiglu_grad(grad_output, input, dim):
    return pull_back(grad_output, lambda input: ops.swiglu(input, dim), input)


@alias("ops.auto_generate.ThresholdGrad()(grad_output, input, threshold)")
def threshold_grad(grad_output, input, threshold):
    return pull_back(grad_output, lambda input: functional.threshold(input, threshold, 0), input)


alias(
    "ops.operations._grad_ops.FastGeLUGrad()(dy, x)", lambda dy, x: pull_back(dy, ops.FastGeLU(), x)
)
alias(
    "ops.operations._grad_ops.GeLUGrad()(dy, x, y)", lambda dy, x, y: pull_back(dy, ops.GeLU(), x)
)
alias(
    "ops.operations._grad_ops.GluGrad(axis)(grads, x)",
    lambda grads, x, axis: pull_back(grads, lambda x: ops.glu(x, axis), x),
)
alias(
    "ops.operations._grad_ops.HShrinkGrad(lambd=0.5)(gradients, features)",
    lambda gradients, features, lambd: pull_back(gradients, ops.HShrink(lambd), features),
)
alias(
    "ops.operations._grad_ops.HSigmoidGrad()(grads, input_x)",
    lambda grads, input_x: pull_back(grads, ops.HSigmoid(), input_x),
)
alias(
    "ops.operations._grad_ops.HSwishGrad()(y_grad, x)",
    lambda y_grad, x: pull_back(y_grad, ops.HSwish(), x),
)
alias(
    "ops.operations._grad_ops.PReLUGrad()(dy, x, weight)",
    lambda dy, x, weight: pull_back(dy, ops.PReLU(), x, weight),
)
alias(
    "ops.operations._grad_ops.ReLU6Grad()(y_backprop, x)",
    lambda y_backprop, x: pull_back(y_backprop, ops.relu6, x),
)
alias(
    "ops.operations._grad_ops.ReluGrad()(y_backprop, x)",
    lambda y_backprop, x: pull_back(y_backprop, ops.relu, x),
)
alias("ops.operations._grad_ops.SiLUGrad()(dout, x)", lambda dout, x: pull_back(dout, ops.silu, x))
alias(
    "ops.operations._grad_ops.SoftShrinkGrad(lambd=0.5)(input_grad, input_x)",
    lambda input_grad, input_x, lambd: pull_back(input_grad, ops.SoftShrink(lambd), input_x),
)
alias(
    "ops.operations._grad_ops.SoftplusGrad()(gradients, features)",
    lambda gradients, features: pull_back(gradients, ops.Softplus(), features),
)
alias(
    "ops.auto_generate.LogSigmoid()(input)",
    lambda input: (functional.logsigmoid(input), mint.exp(-mint.abs(input))),
)
