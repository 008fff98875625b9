"""Quantization to int8 for inference."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import DType, OneOf, TensorOf
from ..._core.tensor import dtype as dtypes
from .._precision import at_least_float32
from .._rules import Floats


def _bytes(xp, x):
    """Rounds to the nearest integers and clips to int8; ties go to the even integer."""
    return xp.cast(xp.clip(xp.round(x), -128, 127), "int8")


@op(
    "ops.auto_generate.QuantV2()(x, scale, offset, sqrt_mode=False, rounding_mode='ROUND', "
    "dst_type=int8)",
    types=SameDtype("x scale offset"),
    compute="native",
)
def quantized(
    xp,
    x: Floats,
    scale: Floats,
    offset: Floats,
    sqrt_mode: OneOf(False) = False,
    rounding_mode: OneOf("ROUND", "Round", "round") = "ROUND",
    dst_type: DType("int8") = dtypes.int8,
):
    """Quantizes to int8: rounds scale * x + offset, and clips to the range of int8.

    Args:
        scale, offset: of the dtype of `x`; their last axis is as long as the last axis of
            `x`, other axes have length 1.
        sqrt_mode, rounding_mode, dst_type: False, "ROUND" and int8; MindSpore accepts no other
            values.

    Shapes:
        `x` is (..., D); `scale` and `offset` are (..., D) with length 1 elsewhere. The result has
        the shape of `x` and is int8.

    Raises:
        TypeError: if an input is not a floating Tensor, or the dtypes differ.
        ValueError: if scale or offset does not fit the last axis.

    Example:
        >>> half = lambda *values: ms.Tensor(values, ms.float16)
        >>> print(ms.ops.auto_generate.QuantV2()(half(1.0, 2.0), half(2.0, 2.0), half(0.0, 1.0)))
        [2 5]
    """
    for name, factor in (("scale", scale), ("offset", offset)):
        if (
            not x.ndim
            or tuple(factor.shape[-1:]) != x.shape[-1:]
            or any(n != 1 for n in factor.shape[:-1])
        ):
            raise ValueError(
                f"For 'QuantV2', '{name}' must have length {tuple(x.shape[-1:])} in the last axis "
                f"and 1 in others, but got shape {tuple(factor.shape)}."
            )
    x, scale, offset = at_least_float32(xp, x, scale, offset)
    return _bytes(xp, xp.reshape(scale, (-1,)) * x + xp.reshape(offset, (-1,)))


@op(
    "ops.auto_generate.DynamicQuantExt()(x, smooth_scales=None)",
    types=SameDtype("x smooth_scales"),
    compute="native",
)
def quantized_by_rows(
    xp,
    x: TensorOf("float16", "bfloat16", "float32"),
    smooth_scales: TensorOf("float16", "bfloat16", "float32") = None,
):
    """Quantizes each row (the last axis) to int8; the scale of a row is its largest magnitude /
    127.

    Args:
        smooth_scales: factors for the elements of a row, applied first. Default: None.

    Shapes:
        `x` is (..., D), `smooth_scales` is (D,). The rounded rows are (..., D), the scales (...) of
        float32.

    Returns:
        The rounded rows, and the scales, float32, in the shape of `x` without the last axis. A row
        of zeros has scale 0.

    Raises:
        TypeError: if an input is not a floating Tensor, or the dtypes differ.
        ValueError: if `x` has no axes, or `smooth_scales` does not have the length of a row.

    Example:
        >>> rows, units = ms.ops.auto_generate.DynamicQuantExt()(ms.Tensor([[1.0, -2.0]],
        ...         ms.float16))
        >>> print(rows, units)
        [[  64 -127]] [0.01574803]
    """
    if not x.ndim or smooth_scales is not None and tuple(smooth_scales.shape) != x.shape[-1:]:
        raise ValueError(
            f"For 'DynamicQuantExt', 'x' must have an axis, and 'smooth_scales' the shape of its "
            f"rows, but got shape {tuple(x.shape)} and "
            f"{None if smooth_scales is None else tuple(smooth_scales.shape)}."
        )
    rows = at_least_float32(xp, x)
    rows = rows if smooth_scales is None else rows * at_least_float32(xp, smooth_scales)
    unit = xp.max(xp.abs(rows), -1, keepdims=True) / 127
    quotients = _bytes(xp, rows / xp.where(unit > 0, unit, 1))
    return quotients, xp.squeeze(unit, -1)
