"""Sorting: sorted values with their indices, and the k largest."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import Bool, Int, InTensor, TensorOf, any_dtype, real
from .._shape.axes import axis_of

Anything = TensorOf(any_dtype)
Real = TensorOf(real, "bool")


@op(
    "ops.sort(input_x, axis=-1, descending=False)",
    "ops.Sort(axis=-1, descending=False)(x: input_x)",
    compute="native",
)
def sort(xp, input_x: Real, axis: Int = -1, descending: Bool = False):
    """(values in order, int32 positions) along an axis."""
    axis = axis_of(axis, input_x)
    values, at = xp.top_k(input_x, input_x.shape[axis], axis, descending)
    return values, xp.cast(at, "int32")


@op("mint.sort(input: input_x, *, dim: axis=-1, descending=False, stable=False)", compute="native")
def mint_sort(xp, input_x: Anything, axis: Int = -1, descending: Bool = False,
              stable: Bool = False):
    """(values in order, int64 positions) along an axis; equal values always keep their order."""
    values, at = xp.top_k(input_x, input_x.shape[axis], axis, descending)
    return values, xp.cast(at, "int64")


@op("ops.argsort(input, axis=-1, descending=False)", compute="native")
def argsort(xp, input: Real, axis: Int = -1, descending: Bool = False):
    """The int32 positions that sort the input along an axis."""
    return xp.cast(xp.top_k(input, input.shape[axis], axis, descending)[1], "int32")


@op(
    "ops.topk(input, k, dim=None, largest=True, sorted=True)",
    "ops.TopK(sorted=True)(input_x: input, k)",
    "ops.top_k(input_x: input, k, sorted=True)",
    "Tensor.top_k(k, sorted=True)",
    compute="native",
    quirks=Quirks(rules={"Tensor.top_k": {"k": Int}}),
)
def topk(xp, input: TensorOf(real), k: InTensor(Int), dim: ElementOf(Int | Bool) = None,
         largest: Bool = True, sorted: Bool = True):
    """(the k largest or smallest values in order, their int32 positions) along an axis."""
    axis = -1 if dim is None else int(dim)
    length = input.shape[axis] if input.ndim else 1
    if not 1 <= k <= length:
        raise ValueError(f"For 'topk', 'k' must be in [1, {length}], but got {k}.")
    values, at = xp.top_k(input, k, axis, largest)
    return values, xp.cast(at, "int32")
