"""Comparison, logic, bits, and tests of numbers, element by element; clipping and sorting."""

from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Int,
    InTensor,
    Number,
    TensorOf,
    any_dtype,
    integer,
    number,
    real,
)
from ..._core.tensor.tensor import Tensor
from .._shape.axes import axis_of

Operand = TensorOf(any_dtype, scalars=True)
Bits = TensorOf(integer | {"bool"}) | Int | Bool
Anything = TensorOf(any_dtype)


Real = TensorOf(real, "bool")
Truth = TensorOf(any_dtype) | Bool
Given = TensorOf(number, "bool")  # a Tensor and no number
Ordered = TensorOf(real, "bool", scalars=True)
Ordinary = TensorOf(number, "bool", scalars=True)


def _comparison(*lines, **options):
    return op(*lines, promote="input other", operator=True, exact=True, **options)


@_comparison("ops.equal(input, other)", "ops.Equal()(x: input, y: other)", "ops.eq(input, other)",
             "Tensor.equal(other)",
             "Tensor.eq(other)", "mint.eq(input, other)", rules={"mint.eq": {"input": Given}},
             beside_tensor=True)
def equal(xp, input: Operand, other: Operand):
    """True where the elements are equal."""
    return xp.equal(input, other)


@_comparison("ops.not_equal(input, other)", "ops.NotEqual()(x: input, y: other)",
             "ops.ne(input, other)",
             "Tensor.not_equal(other)", "Tensor.ne(other)", "mint.ne(input, other)",
             "mint.not_equal(input, other)")
def not_equal(xp, input: Operand, other: Operand):
    """True where the elements differ."""
    return xp.not_equal(input, other)


@_comparison("ops.less(input, other)", "ops.Less()(x: input, y: other)", "ops.lt(input, other)",
             "Tensor.less(other)",
             "Tensor.lt(other)", "Tensor.__lt__(other)", "mint.less(input, other)",
             "mint.lt(input, other)",
             "ops.tensor_lt(input, other)", beside_tensor=True)
def less(xp, input: Operand, other: Operand):
    """True where input < other."""
    return xp.less(input, other)


@_comparison("ops.less_equal(input, other)", "ops.LessEqual()(x: input, y: other)",
             "ops.le(input, other)",
             "Tensor.less_equal(other)", "Tensor.le(other)", "Tensor.__le__(other)",
             "mint.less_equal(input, other)",
             "mint.le(input, other)", "ops.tensor_le(input, other)")
def less_equal(xp, input: Operand, other: Operand):
    """True where input <= other."""
    return xp.less_equal(input, other)


@_comparison("ops.greater(input, other)", "ops.Greater()(x: input, y: other)",
             "ops.gt(input, other)",
             "Tensor.greater(other)", "Tensor.gt(other)", "Tensor.__gt__(other)",
             "mint.greater(input, other)",
             "mint.gt(input, other)", "ops.tensor_gt(input, other)")
def greater(xp, input: Operand, other: Operand):
    """True where input > other."""
    return xp.greater(input, other)


@_comparison("ops.greater_equal(input, other)", "ops.GreaterEqual()(x: input, y: other)",
             "ops.ge(input, other)",
             "Tensor.greater_equal(other)", "Tensor.ge(other)", "Tensor.__ge__(other)",
             "mint.greater_equal(input, other)", "mint.ge(input, other)",
             "ops.tensor_ge(input, other)",
             rules={"mint.greater_equal": {"input": Ordered, "other": Ordered},
                    "mint.ge": {"input": Ordered, "other": Ordered}})
def greater_equal(xp, input: Operand, other: Operand):
    """True where input >= other."""
    return xp.greater_equal(input, other)


@public("Tensor.__eq__")
def tensor_eq(self, other):
    """Element by element; False beside something that is no Tensor or number of Python's."""
    if not isinstance(other, (Tensor, *_NUMBERS)):
        return False
    return equal.run(self, other)


@public("Tensor.__ne__")
def tensor_ne(self, other):
    """Element by element; True beside something that is no Tensor or number of Python's."""
    if not isinstance(other, (Tensor, *_NUMBERS)):
        return True
    return not_equal.run(self, other)


_NUMBERS = (int, float, complex)


# Logic --------------------------------------------------------------------------------------------


@op("ops.logical_and(input, other)", "ops.LogicalAnd()(x: input, y: other)",
    "mint.logical_and(input, other)")
def logical_and(xp, input: Truth, other: Truth):
    """True where both elements are true."""
    return xp.logical_and(input, other)


@op("ops.logical_or(input, other)", "ops.LogicalOr()(x: input, y: other)",
    "mint.logical_or(input, other)")
def logical_or(xp, input: Truth, other: Truth):
    """True where either element is true."""
    return xp.logical_or(input, other)


@op("ops.logical_xor(input, other)", "ops.LogicalXor()(x: input, y: other)",
    "mint.logical_xor(input, other)")
def logical_xor(xp, input: Truth, other: Truth):
    """True where exactly one element is true."""
    return xp.logical_xor(input, other)


@op("ops.logical_not(input)", "ops.LogicalNot()(input)", "Tensor.logical_not()",
    "mint.logical_not(input)",
    "Tensor.__invert__()")
def logical_not(xp, input: Anything):
    """True where the element is false."""
    return xp.logical_not(input)


@op("ops.bitwise_and(input, other)", "ops.BitwiseAnd()(x: input, y: other)",
    "Tensor.bitwise_and(other)",
    "Tensor.__and__(other)", "Tensor.__rand__(other)", "mint.bitwise_and(input, other)",
    promote="input other", beside_tensor=True,
    rules={"mint.bitwise_and": {"input": TensorOf(integer, "bool")}})
def bitwise_and(xp, input: Bits, other: Bits):
    """The bits set in both, element by element; logical and for bools."""
    return xp.bitwise_and(input, other)


@op("ops.bitwise_or(input, other)", "ops.BitwiseOr()(x: input, y: other)",
    "Tensor.bitwise_or(other)",
    "Tensor.__or__(other)", "Tensor.__ror__(other)", "mint.bitwise_or(input, other)",
    promote="input other", beside_tensor=True,
    rules={"mint.bitwise_or": {"input": TensorOf(integer, "bool")}})
def bitwise_or(xp, input: Bits, other: Bits):
    """The bits set in either, element by element; logical or for bools."""
    return xp.bitwise_or(input, other)


@op("ops.bitwise_xor(input, other)", "ops.BitwiseXor()(x: input, y: other)",
    "Tensor.bitwise_xor(other)",
    "Tensor.__xor__(other)", "Tensor.__rxor__(other)", "mint.bitwise_xor(input, other)",
    promote="input other", beside_tensor=True,
    rules={"mint.bitwise_xor": {"input": TensorOf(integer, "bool")}})
def bitwise_xor(xp, input: Bits, other: Bits):
    """The bits set in exactly one, element by element; logical xor for bools."""
    return xp.bitwise_xor(input, other)


# Tests of numbers ---------------------------------------------------------------------------------


@op("ops.isnan(input)", "ops.IsNan()(x: input)", "Tensor.isnan()", "mint.isnan(input)",
    "ops.isnan_ext(tensor: input)",
    rules=dict.fromkeys(("ops.isnan", "ops.IsNan"), {"input": Real}))
def isnan(xp, input: Ordinary):
    """True where the element is NaN."""
    return xp.isnan(input)


@op("ops.isinf(input)", "ops.IsInf()(x: input)", "Tensor.isinf()", "mint.isinf(input)")
def isinf(xp, input: Anything):
    """True where the element is infinite."""
    return xp.isinf(input)


@op("ops.isfinite(input)", "ops.IsFinite()(x: input)", "Tensor.isfinite()", "mint.isfinite(input)")
def isfinite(xp, input: Real):
    """True where the element is neither infinite nor NaN."""
    return xp.isfinite(input)


@op("ops.isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "ops.IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)(input, other)",
    "mint.isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)", alike="input other",
    shapes_first=True)
def isclose(xp, input: Anything, other: Anything, rtol: Number | Bool = 1e-5,
            atol: Number | Bool = 1e-8, equal_nan: Bool = False):
    """True where |input - other| <= atol + rtol |other|."""
    return xp.isclose(input, other, rtol, atol, equal_nan)


@op("ops.FloatStatus()(x)", widen=False)
def float_status(xp, x: TensorOf("float16", "float32", "float64")):
    """A float32 Tensor of shape (1,): 1 where any element is infinite or NaN, else 0."""
    return xp.reshape(xp.cast(xp.logical_not(xp.all(xp.isfinite(x))), "float32"), (1,))


# Clipping -----------------------------------------------------------------------------------------

Clipped = AsValue(TensorOf(real), TensorOf("bool"))
Bound = AsValue(TensorOf(real) | Number, TensorOf("bool") | Bool)


@op("ops.clamp(input, min=None, max=None)", "Tensor.clamp(min=None, max=None)",
    "mint.clamp(input, min=None, max=None)", "ops.clip(input, min=None, max=None)",
    "Tensor.clip(min=None, max=None)", "Tensor.clamp_(min=None, max=None)",
    "ops.clamp_(input, min=None, max=None)", "mint.nn.functional.clamp(input, min=None, max=None)",
    "mint.clip(input, min=None, max=None)",
    promote="input min max",
    rules=dict.fromkeys(("mint.clamp", "mint.clip"), {
        "input": TensorOf(real), "min": TensorOf(real) | Number, "max": TensorOf(real) | Number}))
def clamp(xp, input: Clipped, min: Bound | None = None, max: Bound | None = None):
    """The elements moved into [min, max]; either bound may be left out. All meet in one dtype."""
    if min is None and max is None:
        raise ValueError("For 'clamp', 'min' and 'max' can not both be None.")
    out = input if min is None else xp.at_least(input, min)
    return out if max is None else xp.at_most(out, max)


@public("ops.clip_by_value")
def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """The elements moved into [clip_value_min, clip_value_max], in the dtype of x, which may be a
    list or tuple of Tensors. A bool counts as a number.

    Raises:
        TypeError: if `x` is none of these.
        ValueError: if both bounds are None.

    Source: mindspore.ops.clip_by_value of MindSpore 2.10.
    """
    if isinstance(x, (tuple, list)):
        return type(x)(clip_by_value(one, clip_value_min, clip_value_max) for one in x)
    low, high = (_bound(x, each) for each in (clip_value_min, clip_value_max))
    return build("ops", "clamp")(x, low, high)


def _bound(x, bound):
    """A bound in the dtype of what it bounds."""
    if not isinstance(x, Tensor) or not isinstance(bound, (bool, int, float, Tensor)):
        return bound  # which clamp refuses, but for None
    return (bound if isinstance(bound, Tensor) else Tensor(bound)).astype(x.dtype)


# Sorting ------------------------------------------------------------------------------------------


@op("ops.sort(input_x, axis=-1, descending=False)",
    "ops.Sort(axis=-1, descending=False)(x: input_x)", widen=False)
def sort(xp, input_x: Real, axis: Int = -1, descending: Bool = False):
    """(values in order, int32 positions) along an axis."""
    axis = axis_of(axis, input_x)
    values, at = xp.top_k(input_x, input_x.shape[axis], axis, descending)
    return values, xp.cast(at, "int32")


@op("mint.sort(input: input_x, *, dim: axis=-1, descending=False, stable=False)", widen=False)
def mint_sort(xp, input_x: Anything, axis: Int = -1, descending: Bool = False,
              stable: Bool = False):
    """(values in order, int64 positions) along an axis; equal values always keep their order."""
    values, at = xp.top_k(input_x, input_x.shape[axis], axis, descending)
    return values, xp.cast(at, "int64")


@op("ops.argsort(input, axis=-1, descending=False)", widen=False)
def argsort(xp, input: Real, axis: Int = -1, descending: Bool = False):
    """The int32 positions that sort the input along an axis."""
    return xp.cast(xp.top_k(input, input.shape[axis], axis, descending)[1], "int32")


@op("ops.topk(input, k, dim=None, largest=True, sorted=True)",
    "ops.TopK(sorted=True)(input_x: input, k)",
    "ops.top_k(input_x: input, k, sorted=True)",
    "Tensor.top_k(k, sorted=True)", widen=False, rules={"Tensor.top_k": {"k": Int}})
def topk(xp, input: TensorOf(real), k: InTensor(Int), dim: ElementOf(Int | Bool) = None,
         largest: Bool = True, sorted: Bool = True):
    """(the k largest or smallest values in order, their int32 positions) along an axis."""
    axis = -1 if dim is None else int(dim)
    length = input.shape[axis] if input.ndim else 1
    if not 1 <= k <= length:
        raise ValueError(f"For 'topk', 'k' must be in [1, {length}], but got {k}.")
    values, at = xp.top_k(input, k, axis, largest)
    return values, xp.cast(at, "int32")


