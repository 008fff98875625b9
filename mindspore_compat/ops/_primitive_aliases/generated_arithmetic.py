"""Small Primitives of `ops.auto_generate` with arithmetic of their own.

Correlate, FFTShapeCopy, QuantV2, DynamicQuantExt, BoolNot, TensorToScalar and TupleToTensor. Those
that say again what a function says are in the table of _primitive_aliases/generated.py.
"""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Int,
    ListOf,
    OneOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._normalization.batch_norm import upcast
from .._rules import Floats
from ..primitive import Primitive

Signal = TensorOf(
    "int8", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"
)


@op(
    "ops.auto_generate.Correlate(pad_mode='valid')(a, v)",
    compute="native",
    quirks=Quirks(
        rules={"ops.auto_generate.Correlate": {"pad_mode": OneOf("valid", "same", "full")}}
    ),
)
def correlate(xp, a: Signal, v: Signal, pad_mode: OneOf("valid", "same", "full") = "valid"):
    """Computes sums of products of a sequence and the conjugate of another that is moved along it.

    "valid" gives the positions where the shorter lies within the longer, "full" all positions
    where they overlap, "same" as many as the longer has. Integers become float32.

    Shapes:
        `a` is (N,), `v` is (M,), of one dtype. The result is (max(N, M) - min(N, M) + 1,) for
        "valid", (max(N, M),) for "same" and (N + M - 1,) for "full".

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if a sequence is empty or has not one axis.

    Example:
        >>> print(ms.ops.auto_generate.Correlate()(ms.Tensor([1.0, 2.0, 3.0]),
        ...                                        ms.Tensor([1.0, 1.0])))
        [3. 5.]
    """
    if a.dtype != v.dtype:
        raise TypeError(
            f"For 'Correlate', 'a' and 'v' must have the same dtype, but got {a.dtype} and "
            f"{v.dtype}."
        )
    if a.ndim != 1 or v.ndim != 1 or not a.shape[0] or not v.shape[0]:
        raise ValueError(
            f"For 'Correlate', 'a' and 'v' must have one axis and an element, but got shapes "
            f"{tuple(a.shape)} and {tuple(v.shape)}."
        )
    given = a.dtype
    a, v = upcast(xp, a, v)
    if given.kind in "iu":
        a, v = xp.cast(a, "float32"), xp.cast(v, "float32")
    v = xp.conj(v) if given.kind == "c" else v
    swapped = a.shape[0] < v.shape[0]
    long, short = (v, a) if swapped else (a, v)
    kernel_elements = short.shape[0]
    before = {"valid": 0, "same": kernel_elements // 2, "full": kernel_elements - 1}[pad_mode]
    after = {
        "valid": 0,
        "same": kernel_elements - kernel_elements // 2 - 1,
        "full": kernel_elements - 1,
    }[pad_mode]
    long = xp.concatenate(
        [xp.zeros((before,), long.dtype), long, xp.zeros((after,), long.dtype)], 0
    )
    count = long.shape[0] - kernel_elements + 1
    index = xp.reshape(xp.arange(count), (-1, 1)) + xp.arange(kernel_elements)
    found = xp.sum(long[index] * short, 1)
    found = found[::-1] if swapped else found
    return xp.cast(found, given) if given == "float16" else found


@op("ops.auto_generate.FFTShapeCopy()(dout, shape)", compute="native")
def fft_shape_copy(xp, dout: TensorOf(any_dtype), shape: TupleOf(Int(ge=0))):
    """Cuts a gradient, or fills it up with zeros behind, to a shape of as many axes.

    Shapes:
        `dout` has as many axes as `shape` has numbers. The result is of that shape and the same
        dtype.

    Raises:
        ValueError: if the shape has another number of axes.

    Example:
        >>> print(ms.ops.auto_generate.FFTShapeCopy()(ms.Tensor([1.0, 2.0]), (3,)))
        [1. 2. 0.]
    """
    if len(shape) != dout.ndim:
        raise ValueError(
            f"For 'FFTShapeCopy', 'shape' must have {dout.ndim} numbers, but got {shape}."
        )
    for axis, length in enumerate(shape):
        dout = dout[(slice(None),) * axis + (slice(0, length),)]
        gap = length - dout.shape[axis]
        if gap:
            more = (*dout.shape[:axis], gap, *dout.shape[axis + 1 :])
            dout = xp.concatenate([dout, xp.zeros(more, dout.dtype)], axis)
    return dout


# Bytes for inference ------------------------------------------------------------------------------


def _bytes(xp, x):
    """The nearest integers, even ones where two are as near, within int8."""
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
    """Rounds scale * x + offset to int8; what is beyond becomes the nearest int8.

    Args:
        scale, offset: of the dtype of `x`; the last axis is that of `x`, others have length 1.
        sqrt_mode, rounding_mode, dst_type: False, "ROUND" and int8, as the original has no others.

    Shapes:
        `x` is (..., D); `scale` and `offset` are (..., D) with length 1 elsewhere. The result has
        the shape of `x` and is int8.

    Raises:
        TypeError: if an input is no Tensor of floats, or the dtypes differ.
        ValueError: if scale or offset does not fit the last axis.

    Example:
        >>> half = lambda *values: ms.Tensor(values, ms.float16)
        >>> print(ms.ops.auto_generate.QuantV2()(half(1.0, 2.0), half(2.0, 2.0), half(0.0, 1.0)))
        [2 5]
    """
    for name, each in (("scale", scale), ("offset", offset)):
        if (
            not x.ndim
            or tuple(each.shape[-1:]) != x.shape[-1:]
            or any(n != 1 for n in each.shape[:-1])
        ):
            raise ValueError(
                f"For 'QuantV2', '{name}' must have length {tuple(x.shape[-1:])} in the last axis "
                f"and 1 in others, but got shape {tuple(each.shape)}."
            )
    x, scale, offset = upcast(xp, x, scale, offset)
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
    """Rounds rows, the last axis, to int8, in units of their largest magnitude / 127.

    Args:
        smooth_scales: factors for the elements of a row, applied first. Default: None.

    Shapes:
        `x` is (..., D), `smooth_scales` is (D,). The rounded rows are (..., D), the units (...) of
        float32.

    Returns:
        The rounded rows, and the units, float32, in the shape of `x` without the last axis. A row
        of zeros has unit 0.

    Raises:
        TypeError: if an input is no Tensor of floats, or the dtypes differ.
        ValueError: if `x` has no axes, or `smooth_scales` not the length of a row.

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
    rows = upcast(xp, x)
    rows = rows if smooth_scales is None else rows * upcast(xp, smooth_scales)
    unit = xp.max(xp.abs(rows), -1, keepdims=True) / 127
    found = _bytes(xp, rows / xp.where(unit > 0, unit, 1))
    return found, xp.squeeze(unit, -1)


# Numbers ------------------------------------------------------------------------------------------


@public("ops.auto_generate.BoolNot")
class BoolNot(Primitive):
    """`not x` of a bool, as a Tensor.

    Raises:
        TypeError: if `x` is no bool.

    Source: mindspore.ops.auto_generate.BoolNot of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("BoolNot")

    @checked
    def __call__(self, x: Bool):
        return Tensor(not x)


@public("ops.auto_generate.TensorToScalar")
class TensorToScalar(Primitive):
    """The one number in a Tensor, as Python's.

    Raises:
        TypeError: if `x` is no Tensor.
        ValueError: if it has more elements than one, or none.

    Source: mindspore.ops.auto_generate.TensorToScalar of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("TensorToScalar")

    @checked
    def __call__(self, x: TensorOf(any_dtype)):
        if x.size != 1:
            raise ValueError(
                f"For 'TensorToScalar', 'x' must have one element, but got shape {x.shape}."
            )
        return x.item()


@public("ops.auto_generate.TupleToTensor")
class TupleToTensor(Primitive):
    """The numbers of a tuple, all of one type, as a Tensor.

    Inputs: the tuple, and a dtype: without it bools stay, ints become int64, floats float32.

    Raises:
        TypeError: if `input_tuple` is no tuple or list of numbers, or `dtype` is none.
        ValueError: if there is no number to take the dtype from.
        RuntimeError: if numbers are of two types.

    Source: mindspore.ops.auto_generate.TupleToTensor of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("TupleToTensor")

    @checked
    def __call__(self, input_tuple: TupleOf() | ListOf(), dtype: DType = None):
        kinds = {type(each) for each in input_tuple}
        if not kinds <= {bool, int, float}:
            raise TypeError(
                f"For 'TupleToTensor', 'input_tuple' must hold numbers, but got {input_tuple!r}."
            )
        if len(kinds) > 1:
            raise RuntimeError(
                f"For 'TupleToTensor', 'input_tuple' must hold numbers of one type, but got "
                f"{input_tuple!r}."
            )
        if dtype is None and not kinds:
            raise ValueError("For 'TupleToTensor', 'dtype' must be given for an empty tuple.")
        found = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float32}
        return Tensor(list(input_tuple), dtype or found[kinds.pop()])
