""""""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, InTensor, TensorOf, any_dtype, floating

Anything = TensorOf(any_dtype)


@op("ops.floor(input)", "ops.Floor()(input)", "Tensor.floor()", "mint.floor(input)",
    "Tensor.floor_()")
def floor(xp, input: TensorOf(any_dtype)):
    """The largest whole number not above each element."""
    return xp.floor(input) if input.dtype.kind == "f" else input


@op("ops.ceil(input)", "ops.Ceil()(input)", "Tensor.ceil()", "mint.ceil(input)")
def ceil(xp, input: TensorOf(floating)):
    """The smallest whole number not below each element."""
    return xp.ceil(input) if input.dtype.kind == "f" else input


@op("ops.trunc(input)", "ops.Trunc()(input)", "Tensor.trunc()", "Tensor.fix()", "ops.fix(input)",
    "mint.trunc(input)",
    "mint.fix(input)")
def trunc(xp, input: Anything):
    """The whole part of each element, toward zero."""
    return xp.trunc(input) if input.dtype.kind == "f" else input


@op("ops.rint(input)", "ops.Rint()(input_x: input)")
def rint(xp, input: TensorOf("float16", "float32", "float64")):
    """The nearest whole number; halves go to the even one."""
    return xp.rint(input)


@op("ops.round(input, *, decimals=0)", "ops.Round()(input, decimals=0)", "Tensor.round(decimals=0)",
    "mint.round(input, *, decimals=0)")
def round(xp, input: Anything, decimals: InTensor(Int) = 0):
    """The nearest number with so many decimals; halves go to the even one.

    Raises:
        RuntimeError: `decimals` is given for whole numbers.
    """
    if decimals and input.dtype.kind in "iu":
        raise RuntimeError(f"For 'round', 'decimals' must be 0 for whole numbers, but got "
                           f"{decimals}.")
    return xp.round(input, decimals) if input.dtype.kind == "f" else input


@op("ops.frac(x)", "Tensor.frac()", "mint.frac(input: x)")
def frac(xp, x: Anything):
    """Each element less its whole part; int64 zeros for bools."""
    if x.dtype.kind == "f":
        return x - xp.trunc(x)
    return xp.zeros_like(xp.cast(x, "int64") if x.dtype.kind == "b" else x)
