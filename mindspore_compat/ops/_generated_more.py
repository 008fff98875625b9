"""Small Primitives of `ops.auto_generate` with arithmetic of their own.

Correlate, FFTShapeCopy, BoolNot and TupleToTensor. Those that say again what a function says are
in the table of _generated.py.
"""

from .._core import dtype as dtypes
from .._core.op import op
from .._core.rules import Bool, DType, Int, ListOf, OneOf, TensorOf, TupleOf, any_dtype, checked
from .._core.surface import public
from .._core.tensor import Tensor
from ._norm import wide
from .primitive import Primitive

Signal = TensorOf(
    "int8", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"
)


@op(
    "ops.auto_generate.Correlate(pad_mode='valid')(a, v)",
    widen=False,
    rules={"ops.auto_generate.Correlate": {"pad_mode": OneOf("valid", "same", "full")}},
)
def correlate(xp, a: Signal, v: Signal, pad_mode: OneOf("valid", "same", "full") = "valid"):
    """Sums of products of a sequence and the conjugate of another that is moved along it.

    "valid" gives the places where the shorter lies within the longer, "full" all places where they
    meet, "same" as many as the longer has. Integers become float32.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if a sequence is empty or has not one axis.
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
    a, v = wide(xp, a, v)
    if given.kind in "iu":
        a, v = xp.cast(a, "float32"), xp.cast(v, "float32")
    v = xp.conj(v) if given.kind == "c" else v
    swapped = a.shape[0] < v.shape[0]
    long, short = (v, a) if swapped else (a, v)
    taps = short.shape[0]
    before = {"valid": 0, "same": taps // 2, "full": taps - 1}[pad_mode]
    after = {"valid": 0, "same": taps - taps // 2 - 1, "full": taps - 1}[pad_mode]
    long = xp.concatenate(
        [xp.zeros((before,), long.dtype), long, xp.zeros((after,), long.dtype)], 0
    )
    count = long.shape[0] - taps + 1
    index = xp.reshape(xp.arange(count), (-1, 1)) + xp.arange(taps)
    found = xp.sum(long[index] * short, 1)
    found = found[::-1] if swapped else found
    return xp.cast(found, given) if given == "float16" else found


@op("ops.auto_generate.FFTShapeCopy()(dout, shape)", widen=False)
def fft_shape_copy(xp, dout: TensorOf(any_dtype), shape: TupleOf(Int(ge=0))):
    """A gradient cut, or filled up with zeros behind, to a shape of as many axes.

    Raises:
        ValueError: if the shape has another number of axes.
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
