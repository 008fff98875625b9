"""Regression losses: squared and absolute errors, Huber loss, Gaussian negative log likelihood.

Most losses are composed of `xp` functions, then reduced by "mean", "sum" or not at all. The loss
layers are in nn.
"""

import math

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Float, Number, ScalarOf, TensorOf
from .._rules import Floats, Numbers, NumbersOrBools, RealsOrBools
from .reduction import Reduced, Reduction, need_broadcast, need_shape, reduced


def _squares(xp, difference, reduction):
    """Returns the squares of the differences, their mean, or their sum."""
    if reduction == "none" or difference.dtype.kind != "f":
        return reduced(xp, xp.square(difference), reduction)
    total = xp.sum_of_squares(difference)
    return total / math.prod(difference.shape) if reduction == "mean" else total


@op("ops.mse_loss(input, target, reduction='mean')", types=Promote("input target"))
def mse_loss(xp, input: NumbersOrBools, target: NumbersOrBools, reduction: Reduced = "mean"):
    """Computes the mean squared error, (input - target)^2, reduced by its mean or sum unless
    `reduction` is "none".

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
    return _squares(xp, input - target, reduction)


@op(
    "mint.nn.functional.mse_loss(input, target, reduction='mean')",
    "ops.mse_loss_ext(input, target, reduction='mean')",
    "mint.nn.MSELoss(reduction='mean')(input, target)",
)
def mse_loss_ext(xp, input: Numbers, target: Numbers, reduction: Reduction = "mean"):
    """Computes the mean squared error, (input - target)^2, reduced by its mean or sum unless
    `reduction` is "none".

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
    return _squares(xp, input - target, reduction)


@op(
    "ops.l1_loss(input, target, reduction='mean')",
    "mint.nn.functional.l1_loss(input, target, reduction='mean')",
    types=Promote("input target"),
)
def l1_loss(xp, input: NumbersOrBools, target: NumbersOrBools, reduction: Reduced = "mean"):
    """Computes the L1 loss, the absolute error |input - target|, reduced by its mean or sum unless
    `reduction` is "none".

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for "none". Of bools it is the bool "differ", or whether any differ.

    Example:
        >>> print(ms.ops.l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """
    need_broadcast("l1_loss", "input", "target", input, target)
    if input.dtype.kind == "b":
        differ = xp.logical_xor(input, target)
        return differ if reduction == "none" else xp.any(differ)
    return reduced(xp, xp.abs(input - target), reduction)


HALF_OF_LEAST = 2.0**-150  # half of the least number of float32 rounds to 0


def _smooth_l1(xp, x, y, beta, reduction):
    need_shape("smooth_l1_loss", "input", "target", x, y)
    difference = x - y
    if beta == 0 or (beta <= HALF_OF_LEAST and x.dtype.itemsize < 8):
        return reduced(xp, xp.abs(difference), reduction)
    return reduced(xp, xp.smooth_l1(difference, float(beta)), reduction)


@implements
def smooth_l1(xp, x, beta):
    """Computes x^2 / (2 beta) where |x| is below `beta`, else |x| - beta / 2."""
    return xp.blockwise(_smooth, x, beta=beta)


def _smooth(xp, x, *, beta):
    size = xp.abs(x)
    # A GPU computes with 0 in place of a subnormal `beta`; the quotient is then not selected.
    return xp.where(size < beta, size / beta * (0.5 * size), size - 0.5 * beta)


def _smooth_vjp(xp, g, x, *, beta):
    return g * xp.where(xp.abs(x) < beta, x / beta, xp.sign(x))


derive("smooth_l1(x, beta)", x=lambda xp, g, x, beta: xp.blockwise(_smooth_vjp, g, x, beta=beta))


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
    """Computes the smooth L1 loss of d = |input - target|: d^2 / (2 beta) where d is below `beta`,
    else d - beta / 2.

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
    need_shape("smooth_l1_loss", "input", "target", input, target)
    if input.dtype.kind not in "fV" or target.dtype.kind not in "fV":
        raise RuntimeError(
            f"For 'smooth_l1_loss', 'input' and 'target' must be floats, but got "
            f"{input.dtype} and {target.dtype}."
        )
    return _smooth_l1(xp, input, target, beta, reduction)


@op(
    "mint.nn.functional.smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
    "mint.nn.SmoothL1Loss(reduction='mean', beta=1.0)(input, target)",
    types=Promote("input target"),
    quirks=Quirks(shapes_first=True),
)
def smooth_l1_loss_ext(
    xp,
    input: Floats,
    target: Floats,
    reduction: Reduction = "mean",
    beta: ScalarOf(Number | Bool, TypeError) = 1.0,
):
    """Computes the smooth L1 loss of d = |input - target|: d^2 / (2 beta) where d is below `beta`,
    else d - beta / 2. If `beta` is 0, the loss is d.

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
    return _smooth_l1(xp, input, target, beta, reduction)


@op("ops.huber_loss(input, target, reduction='mean', delta=1.0)", types=Promote("input target"))
def huber_loss(
    xp,
    input: NumbersOrBools,
    target: NumbersOrBools,
    reduction: Reduced = "mean",
    delta: Number(gt=0) = 1.0,
):
    """Computes the Huber loss of d = |input - target|: d^2 / 2 where d is at most `delta`, else
    delta (d - delta / 2).

    Shapes:
        The shapes of `input` and `target` are broadcast. The result is (), or the broadcast shape
        for `reduction` "none".

    Raises:
        TypeError: if both `input` and `target` are of bools.

    Example:
        >>> print(ms.ops.huber_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0]), reduction="none"))
        [0.125 2.5  ]
    """
    need_broadcast("huber_loss", "input", "target", input, target)
    if input.dtype.kind == "b":  # the dtype that both are promoted to
        raise TypeError(
            "For 'huber_loss', 'input' or 'target' must be a Tensor of a number dtype, but got two "
            "Tensors of bool."
        )
    difference = input - target
    if difference.dtype.kind in "iu":
        difference = xp.cast(xp.abs(difference), "float32")
    if difference.dtype.kind == "c":
        return reduced(xp, _huber(xp, difference, delta=delta), reduction)
    return reduced(xp, xp.huber(difference, delta), reduction)


@implements
def huber(xp, x, delta):
    """Computes x^2 / 2 where |x| is at most `delta`, else delta (|x| - delta / 2)."""
    return xp.blockwise(_huber, x, delta=delta)


def _huber(xp, x, *, delta):
    size = xp.abs(x)
    near = xp.at_most(size, delta)
    return near * (size - 0.5 * near)


def _huber_vjp(xp, g, x, *, delta):
    return g * xp.at_most(xp.at_least(x, -delta), delta)


derive("huber(x, delta)", x=lambda xp, g, x, delta: xp.blockwise(_huber_vjp, g, x, delta=delta))


@op("ops.L2Loss()(input_x)")
def l2_loss(xp, input_x: TensorOf("float16", "float32", "float64")):
    """Computes the L2 loss, half the sum of the squared elements.

    Shapes:
        `input_x` may have any shape. The result is (), of the same dtype.

    Example:
        >>> print(ms.ops.L2Loss()(ms.Tensor([3.0, 4.0])))
        12.5
    """
    return xp.sum_of_squares(input_x) / 2


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
    """Computes the Gaussian negative log likelihood: (log(v) + (x - target)^2 / v) / 2 with v =
    max(var, eps). With `full`, log(2 pi) / 2 is added.

    Shapes:
        `x` and `target` have one shape. `var` has this shape, or lacks its last axis, or broadcasts
        to it. The result is (), or that shape for `reduction` "none".

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
        x, target, var = (xp.cast(array, "float32") for array in (x, target, var))
    # The lower bound of v is a constant: where it applies, `var` gets no gradient.
    var = xp.maximum(var, eps)
    loss = 0.5 * (xp.log(var) + xp.square(x - target) / var)
    return reduced(xp, loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)
