"""Shrinkage and thresholding: replace elements that are small or below a limit."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Number, ScalarOf, TensorOf, number
from .._rules import FloatsUpTo32, Numbers

Loose = ScalarOf(Number | Bool, TypeError)


@op(
    "ops.tanhshrink(input)",
    "nn.Tanhshrink()(input)",
    "mint.nn.Tanhshrink()(input)",
    compute="native",
)
def tanhshrink(xp, input: Numbers):
    """Applies the tanhshrink activation: x - tanh(x).

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.tanhshrink(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.23840582  0.          1.0359724 ]
    """
    if input.dtype.kind in "iu":
        input = xp.cast(input, "float32")
    if input.dtype.kind == "V":  # bfloat16: rounded once, at the end
        upcast = xp.cast(input, "float32")
        return xp.cast(upcast - xp.tanh(upcast), input.dtype)
    return input - xp.tanh(input)  # in float16 the tangent is rounded first


tanhshrink.vjp(input=lambda xp, g, input: g * xp.square(xp.tanh(input)))


@op(
    "ops.hardshrink(input, lambd=0.5)",
    "ops.HShrink(lambd=0.5)(input)",
    "nn.HShrink(lambd=0.5)(input)",
    "Tensor.hardshrink(lambd=0.5)",
    "mint.nn.functional.hardshrink(input, lambd=0.5)",
    "mint.nn.Hardshrink(lambd=0.5)(input)",
    quirks=Quirks(
        rules=dict.fromkeys(
            ("ops.HShrink", "nn.HShrink", "mint.nn.Hardshrink"), {"lambd": Number | Bool}
        ),
        checked_at_once=("nn.HShrink", "mint.nn.Hardshrink"),
    ),
)
def hardshrink(xp, input: FloatsUpTo32, lambd: Loose = 0.5):
    """Applies hard shrinkage: keeps the elements whose magnitude exceeds `lambd` and sets the
    others to 0.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardshrink(ms.Tensor([-1.0, 0.3, 0.7])))
        [-1.   0.   0.7]
    """
    return xp.pointwise(_hardshrink, input, lambd=lambd)


def _hardshrink(xp, x, *, lambd):
    return xp.where((x <= lambd) & (x >= -lambd), 0, x)  # keeps NaN


hardshrink.vjp(input=lambda xp, g, out: xp.keep(out != 0, g))


@op(
    "ops.softshrink(input, lambd=0.5)",
    "ops.SoftShrink(lambd=0.5)(input)",
    "ops.soft_shrink(input, lambd=0.5)",
    "nn.SoftShrink(lambd=0.5)(input)",
    "Tensor.soft_shrink(lambd=0.5)",
    "mint.nn.functional.softshrink(input, lambd=0.5)",
    "mint.nn.Softshrink(lambd=0.5)(input)",
    quirks=Quirks(
        rules=dict.fromkeys(
            (
                "ops.SoftShrink",
                "ops.soft_shrink",
                "nn.SoftShrink",
                "Tensor.soft_shrink",
                "mint.nn.Softshrink",
            ),
            {"lambd": Number | Bool},
        ),
        checked_at_once=("nn.SoftShrink", "mint.nn.Softshrink"),
    ),
)
def softshrink(xp, input: FloatsUpTo32, lambd: Loose = 0.5):
    """Applies soft shrinkage: moves each element toward 0 by `lambd`; those that would cross 0
    become 0. `lambd` is not negative.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.softshrink(ms.Tensor([-1.0, 0.3, 0.7])))
        [-0.5         0.          0.19999999]
    """
    if lambd < 0:
        raise RuntimeError(f"For 'softshrink', 'lambd' must be at least 0, but got {lambd!r}.")
    return xp.pointwise(_softshrink, input, lambd=lambd)


def _softshrink(xp, x, *, lambd):
    return xp.where(x > lambd, x - lambd, xp.where(x < -lambd, x + lambd, 0))


softshrink.vjp(input=lambda xp, g, out: xp.keep(out != 0, g))


def _threshold(xp, x, limit, value):
    return xp.cast(xp.pointwise(_above, x, limit=limit, value=value), x.dtype)


def _above(xp, x, *, limit, value):
    return xp.where(x > limit, x, value)


@op("ops.threshold(input, thr, value)", "nn.Threshold(threshold: thr, value)(input)")
def threshold(xp, input: TensorOf(number, "bool"), thr: Number, value: Number):
    """Thresholds the input: keeps the elements that exceed `thr` and replaces the others by
    `value`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.threshold(ms.Tensor([-2.0, 0.5, 3.0]), 0.6, 9.0))
        [9. 9. 3.]
    """
    return _threshold(xp, input, thr, value)


threshold.vjp(input=lambda xp, g, input, thr: xp.keep(input > thr, g))


@op(
    "mint.nn.functional.threshold(input, threshold, value, inplace=False)",
    "mint.nn.Threshold(threshold, value, inplace=False)(input)",
)
def threshold_ext(xp, input: Numbers, threshold: Number, value: Number):
    """Thresholds the input: keeps the elements that exceed `threshold` and replaces the others by
    `value`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.threshold(ms.Tensor([-2.0, 0.5, 3.0]), 0.6, 9.0))
        [9. 9. 3.]
    """
    return _threshold(xp, input, threshold, value)


threshold_ext.vjp(input=lambda xp, g, input, threshold: xp.keep(input > threshold, g))
