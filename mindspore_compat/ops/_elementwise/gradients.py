"""Elementwise gradient Primitives of `ops.operations._grad_ops`.

Most take the result of the forward operation instead of its input, and use that operation's
gradient rule (`_of_result`). The Primitives that differentiate a call are in internal.py.
"""

from ..._core.autograd.vjp_rules import TABLE
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Float, Int
from .._activation.elu import elu, selu
from .._activation.sigmoid import sigmoid
from .._activation.softmax import log_softmax, softmax
from .._rules import Floats


@op("ops.auto_generate.EluGradExt()(dout, x_or_out, alpha=1.0, is_result=False)")
def elu_grad_ext(xp, dout: Floats, x_or_out: Floats, alpha: Float = 1.0, is_result: Bool = False):
    """Computes the gradient of ELU, from its input, or from its result if `is_result` is true.

    Shapes:
        `dout` and `x_or_out` have one shape. The result has the same shape.

    Example:
        >>> print(ms.ops.auto_generate.EluGradExt()(ms.Tensor([1.0, 1.0]), ms.Tensor([-1.0, 2.0])))
        [0.36787942 1.        ]
    """
    low = xp.minimum(x_or_out, 0)
    gradient = low + alpha if is_result else alpha * xp.exp(low)
    return xp.where(x_or_out > 0, dout, dout * gradient)


@op("ops.auto_generate.LeakyReLUGradExt()(dy, input, negative_slope=0.01, is_result=False)")
def leaky_relu_grad_ext(
    xp, dy: Floats, input: Floats, negative_slope: Float = 0.01, is_result: Bool = False
):
    """Computes the gradient of the leaky ReLU, from its input or its result; both have the same
    sign.

    Shapes:
        `dy` and `input` have one shape. The result has the same shape.

    Example:
        >>> print(ms.ops.auto_generate.LeakyReLUGradExt()(ms.Tensor([1.0, 1.0]),
        ...         ms.Tensor([-1.0, 2.0])))
        [0.01 1.  ]
    """
    if is_result and negative_slope < 0:
        raise ValueError(
            f"For 'LeakyReLUGradExt', 'negative_slope' must not be negative where a result is "
            f"given, but got {negative_slope}."
        )
    return xp.where(input > 0, dy, dy * negative_slope)


def _of_result(line, printed, rule):
    """Declares the Primitive `line`. Its gradient rule needs only the result, `out`, and settings.

    `printed` is the output of the documented example: a result of [[0.5]] and a gradient of
    [[1.0]].
    """

    def back(xp, out: Floats, g: Floats, axis: Int = -1, alpha: Float = 1.0):
        arguments = {"out": out, "axis": axis, "alpha": alpha}
        function = rule()
        return function.pull(xp, g, tuple(arguments[name] for name in function.saves), (True,))[0]

    area, _, name = line.partition("(")[0].rpartition(".")
    result_first = line.rpartition("(")[2].partition(",")[0].endswith("out")
    inputs = "out, grad" if result_first else "grad, out"
    back.__doc__ = f"""Computes the gradient of an operation, given its result and its gradient.

    Shapes:
        `out`, `g` and the gradient have one shape and dtype.

    Example:
        >>> from mindspore_compat.{area} import {name}
        >>> out, grad = ms.Tensor([[0.5]]), ms.Tensor([[1.0]])
        >>> print({name}()({inputs}))
        {printed}
    """
    op(line)(back)


def _function(name):
    """Returns the gradient rule of a function of `xp`."""
    return lambda: TABLE[name].rule


_of_result(
    "ops.operations._grad_ops.CholeskyGrad()(x: out, grad: g)",
    "[[1.]]",
    _function("linalg_cholesky"),
)
_of_result("ops.operations._grad_ops.EluGrad()(dout: g, out)", "[[1.]]", lambda: elu.rule)
_of_result(
    "ops.operations._grad_ops.InvGrad()(x: out, grad: g)", "[[-0.25]]", _function("reciprocal")
)
_of_result(
    "ops.operations._grad_ops.LogSoftmaxGrad(axis=-1)(logits: out, grad: g)",
    "[[-0.6487212]]",
    lambda: log_softmax.rule,
)
_of_result(
    "ops.operations._grad_ops.ReciprocalGrad()(y: out, dy: g)", "[[-0.25]]", _function("reciprocal")
)
_of_result(
    "ops.operations._grad_ops.RsqrtGrad()(y_backprop: out, x: g)", "[[-0.0625]]", _function("rsqrt")
)
_of_result(
    "ops.operations._grad_ops.SeluGrad()(gradient: g, result: out)",
    "[[1.050701]]",
    lambda: selu.rule,
)
_of_result(
    "ops.operations._grad_ops.SigmoidGrad()(y: out, dy: g)", "[[0.25]]", lambda: sigmoid.rule
)
_of_result(
    "ops.operations._grad_ops.SoftmaxGrad()(y: out, dy: g)", "[[0.25]]", lambda: softmax.rule
)
_of_result("ops.operations._grad_ops.SqrtGrad()(dy: out, y: g)", "[[1.]]", _function("sqrt"))
_of_result("ops.operations._grad_ops.TanhGrad()(y: out, dy: g)", "[[0.75]]", _function("tanh"))
_of_result(
    "ops.auto_generate.SoftmaxBackward()(dout: g, out, dim: axis=-1)",
    "[[0.25]]",
    lambda: softmax.rule,
)


@op("ops.operations._grad_ops.AcoshGrad()(out, dout)")
def acosh_grad(xp, out: Floats, dout: Floats):
    """Computes the gradient of `ops.acosh` from its result.

    Shapes:
        `out` and `dout` have one shape and dtype. The result has the same shape and dtype.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.AcoshGrad()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])))
        [0.8509181  0.27572057]
    """
    return dout / xp.sinh(out)


@op("ops.operations._grad_ops.AsinhGrad()(out, dout)")
def asinh_grad(xp, out: Floats, dout: Floats):
    """Computes the gradient of `ops.asinh` from its result.

    Shapes:
        `out` and `dout` have one shape and dtype. The result has the same shape and dtype.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.AsinhGrad()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])))
        [0.64805424 0.26580223]
    """
    return dout / xp.cosh(out)


@op("ops.operations._grad_ops.MaximumGradGrad(grad_x=True, grad_y=True)(x, y, dx, dy)")
def maximum_grad_grad(xp, x: Floats, y: Floats, dx: Floats, dy: Floats):
    """Computes the gradients of `MaximumGrad` with respect to its inputs: zeros for `x` and `y`;
    the incoming gradient gets the gradient of whichever input is larger.

    Shapes:
        `x`, `y`, `dx` and `dy` have one shape. The results have the same shape.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> one, two = ms.Tensor([1.0]), ms.Tensor([2.0])
        >>> print(_grad_ops.MaximumGradGrad()(one, two, ms.Tensor([3.0]), ms.Tensor([4.0]))[2])
        [4.]
    """
    return xp.zeros_like(x), xp.zeros_like(y), xp.where(x >= y, dx, dy)


@op("ops.operations._grad_ops.MinimumGradGrad()(x1, x2, grad_y1, grad_y2)")
def minimum_grad_grad(xp, x1: Floats, x2: Floats, grad_y1: Floats, grad_y2: Floats):
    """Computes the gradients of `MinimumGrad` with respect to its inputs: zeros for `x1` and `x2`;
    the incoming gradient gets the gradient of whichever input is smaller.

    Shapes:
        `x1`, `x2`, `grad_y1` and `grad_y2` have one shape. The results have the same shape.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> one, two = ms.Tensor([1.0]), ms.Tensor([2.0])
        >>> print(_grad_ops.MinimumGradGrad()(one, two, ms.Tensor([3.0]), ms.Tensor([4.0]))[2])
        [3.]
    """
    return xp.zeros_like(x1), xp.zeros_like(x2), xp.where(x1 <= x2, grad_y1, grad_y2)
