"""Correlation of sequences, and cropping and padding for the gradients of Fourier transforms."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, OneOf, TensorOf, TupleOf, any_dtype
from .._precision import at_least_float32

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
    """Computes the cross-correlation of two sequences; the second one is conjugated.

    `pad_mode` "valid" keeps the positions where the shorter sequence lies within the longer one,
    "full" all positions where they overlap, and "same" the middle ones, as many as the longer
    sequence is long. Integers become float32.

    Shapes:
        `a` is (N,), `v` is (M,), of one dtype. The result is (max(N, M) - min(N, M) + 1,) for
        "valid", (max(N, M),) for "same" and (N + M - 1,) for "full".

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if a sequence is empty or does not have one axis.

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
    dtype = a.dtype
    a, v = at_least_float32(xp, a, v)
    if dtype.kind in "iu":
        a, v = xp.cast(a, "float32"), xp.cast(v, "float32")
    v = xp.conj(v) if dtype.kind == "c" else v
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
    result = xp.sum(long[index] * short, 1)
    result = result[::-1] if swapped else result
    return xp.cast(result, dtype) if dtype == "float16" else result


@op("ops.auto_generate.FFTShapeCopy()(dout, shape)", compute="native")
def fft_shape_copy(xp, dout: TensorOf(any_dtype), shape: TupleOf(Int(ge=0))):
    """Crops a gradient to a shape, or pads it with zeros at the end.

    Shapes:
        The number of axes of `dout` is the length of `shape`. The result is of that shape and the
        same dtype.

    Raises:
        ValueError: if `dout` has the wrong number of axes.

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
            gap_shape = (*dout.shape[:axis], gap, *dout.shape[axis + 1 :])
            dout = xp.concatenate([dout, xp.zeros(gap_shape, dout.dtype)], axis)
    return dout
