"""Statistics and counting: medians, quantiles, cumulative extremes, histograms, unique values,
distances."""

import math

from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    InTensor,
    ListOf,
    Number,
    OneOf,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    number,
    real,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.promotion import adds_up_as_int64, met
from ..._core.tensor.tensor import Tensor
from .._indexing.getitem import gather_elements
from .._shape.axes import axis_of
from . import reduce
from .reduce import Axis, axes_of

Anything = TensorOf(any_dtype)
Place = ScalarOf(Int, TypeError)
Floating = TensorOf("float16", "float32", "float64")
Half = TensorOf("float16", "float32")
Fractions = TensorOf("float16", "float32", "float64", "complex64", "complex128")
Index = TensorOf("int32", "int64")
Share = TensorOf("float32", "float64") | Float


# Medians and quantiles ----------------------------------------------------------------------------


def _median(xp, input, axis, keepdims):
    """The lower median along an axis and where it stands."""
    at = xp.place_of_rank(input, axis, rank=(input.shape[axis] - 1) // 2)
    values = xp.take_along_axis(input, at, axis)
    return (values, at) if keepdims else (xp.squeeze(values, axis), xp.squeeze(at, axis))


Ranked = TensorOf("int16", "int32", "int64", "float32", "float64")


@op("ops.median(input, axis=-1, keepdims=False)", widen=False)
def median(xp, input: Ranked, axis: Int = -1, keepdims: Bool = False):
    """(the lower median, its int64 position) along an axis."""
    if input.ndim == 0:
        return input, xp.zeros((), "int64")
    values, at = _median(xp, input, axis, keepdims)
    return values, xp.cast(at, "int64")


@op(widen=False)
def median_of_all(xp, input: Anything):
    """The lower median of all elements."""
    return _median(xp, xp.ravel(input), 0, False)[0]


@public("ops.Median")
class Median:
    """The class form of `ops.median`; with `global_median` that of all elements.

    Source: mindspore.ops.Median of MindSpore 2.10.
    """

    @checked
    def __init__(self, global_median: Bool = False, axis: Int = 0, keep_dims: Bool = False,
                 ignore_nan: Bool = False):
        self.global_median, self.axis = global_median, axis
        self.keep_dims, self.ignore_nan = keep_dims, ignore_nan

    def __call__(self, x):
        if self.global_median:
            return median_of_all.run(x), Tensor(0)
        if self.ignore_nan:
            return nanmedian.run(x, self.axis, self.keep_dims)
        return median.run(x, self.axis, self.keep_dims)


@public("mint.median")
def mint_median(input, dim=None, keepdim=False):
    """The lower median of all elements, or (medians, positions) along an axis."""
    return median_of_all.run(input) if dim is None else median.run(input, dim, keepdim)


@op("ops.nanmedian(input, axis=-1, keepdims=False)", "Tensor.nanmedian(axis=-1, keepdims=False)",
    widen=False)
def nanmedian(xp, input: Ranked, axis: Int = -1, keepdims: Bool = False):
    """(the lower median of what is not NaN, its int64 position) along an axis."""
    if not input.ndim:
        return input, xp.zeros((), "int64")
    values, at = xp.top_k(input, input.shape[axis], axis, False)  # NaN stands last
    count = xp.sum(xp.logical_not(xp.isnan(input)), axis, keepdims=True)
    middle = xp.maximum((count - 1) // 2, 0)
    values, at = xp.take_along_axis(values, middle, axis), xp.take_along_axis(at, middle, axis)
    if not keepdims:
        values, at = xp.squeeze(values, axis), xp.squeeze(at, axis)
    return values, xp.cast(at, "int64")


def _quantile(xp, ordered, count, q, axis):
    """Values at fractions q of the way through `count` ordered elements, by straight lines between
    them."""
    place = q * (count - 1)
    low = xp.cast(xp.floor(place), "int64")
    high = xp.minimum(low + 1, count - 1)
    weight = xp.cast(place - low, ordered.dtype)
    below, above = xp.take_along_axis(ordered, low, axis), xp.take_along_axis(ordered, high, axis)
    return below + weight * (above - below)


def _quantiles(xp, input, q, axis, keepdims, ignore_nan):
    rank = input.ndim
    if q.ndim > 1 or bool(xp.any(q < 0)) or bool(xp.any(q > 1)):
        raise ValueError(f"For 'quantile', 'q' must be in [0, 1] with at most one axis, but got "
                         f"shape {q.shape}.")
    if axis is None:
        input, axis = xp.reshape(input, (-1,)), 0
    ordered = xp.sort(xp.moveaxis(input, axis, -1), -1)
    missing = xp.sum(xp.isnan(ordered), -1, keepdims=True)
    count = ordered.shape[-1] - missing if ignore_nan else xp.full(missing.shape, ordered.shape[-1])
    count = xp.maximum(count, 1)
    parts = []
    for one in xp.reshape(q, (-1,)):
        part = _quantile(xp, ordered, count, one, -1)
        parts.append(part if ignore_nan else xp.where(missing > 0, float("nan"), part))
    found = xp.stack([xp.squeeze(p, -1) for p in parts], 0)
    if keepdims:
        axes = tuple(range(1, rank + 1)) if found.ndim == 1 else axis % rank + 1
        found = xp.expand_dims(found, axes)
    return found if q.ndim else xp.squeeze(found, 0)


@op("ops.quantile(input, q, axis=None, keepdims=False)",
    "Tensor.quantile(q, axis=None, keepdims=False)")
def quantile(xp, input: TensorOf("float32", "float64"), q: Share,
             axis: Int | None = None, keepdims: Bool = False):
    """The values below which fractions q of the elements lie, along an axis or over all."""
    return _quantiles(xp, input, q, axis, keepdims, ignore_nan=False)


@op("ops.nanquantile(input, q, axis=None, keepdims=False)",
    "Tensor.nanquantile(q, axis=None, keepdims=False)")
def nanquantile(xp, input: TensorOf("float32", "float64"), q: Share,
                axis: Int | None = None, keepdims: Bool = False):
    """The quantiles of what is not NaN."""
    return _quantiles(xp, input, q, axis, keepdims, ignore_nan=True)


# Sums that skip NaN, pairs of moments -------------------------------------------------------------


@op("ops.nansum(input, axis=None, keepdims: keep_dims=False, *, dtype=None)",
    "mint.nansum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)")
def nansum(xp, input: TensorOf(real, "bool"), axis: Axis = None,
           keep_dims: Bool = False, dtype: DType(real, "bool") = None):
    """The sum of what is not NaN, in the input's dtype or one given; bools add up as int64."""
    if input.dtype.kind == "b":
        input = xp.cast(input, "int64")
    elif input.dtype.kind not in "iu":
        input = xp.where(xp.isnan(input), 0, input)
    total = xp.sum(input, axes_of(axis), keepdims=keep_dims)
    return xp.cast(total, input.dtype if dtype is None else dtype)


@op("ops.nanmean(input, axis=None, keepdims: keep_dims=False, *, dtype=None)",
    "Tensor.nanmean(axis=None, keepdims: keep_dims=False, *, dtype=None)")
def nanmean(xp, input: Floating, axis: Axis = None, keep_dims: Bool = False):
    """The mean of what is not NaN."""
    axis = axes_of(axis)
    missing = xp.isnan(input)
    count = xp.cast(xp.sum(xp.logical_not(missing), axis, keepdims=keep_dims), input.dtype)
    return xp.sum(xp.where(missing, 0, input), axis, keepdims=keep_dims) / count


def _moments(name, first):
    def body(xp, input: Floating, axis: Axis = None, ddof: Int | Bool = 0, keepdims: Bool = False):
        axis = axes_of(axis)
        spread = getattr(xp, first)(input, axis, ddof=int(ddof), keepdims=keepdims)
        return spread, xp.mean(input, axis, keepdims=keepdims)

    body.__name__ = name
    body.__doc__ = f"({first}, mean) over the axes given."
    return op(f"ops.{name}(input, axis=None, ddof=0, keepdims=False)")(body)


_moments("var_mean", "var")
_moments("std_mean", "std")


@op("mint.var(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)")
def mint_var(xp, input: Floating, axis: Axis = None, ddof: Int = 1, keepdims: Bool = False):
    """The variance over the axes given, divided by the count less `correction`."""
    return xp.var(input, axes_of(axis), ddof=ddof, keepdims=keepdims)


@op("mint.std(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)")
def mint_std(xp, input: Floating, axis: Axis = None, ddof: Int = 1, keepdims: Bool = False):
    """The standard deviation over the axes given, from the variance with `correction`."""
    return xp.std(input, axes_of(axis), ddof=ddof, keepdims=keepdims)


@op("ops.count_nonzero(x, axis=(), keep_dims=False, dtype=int32)",
    "mint.count_nonzero(input: x, dim: axis=None)", "ops.CountNonZero(dims: axis=None)(x)",
    widen=False, rules={"ops.count_nonzero": {
        "x": TensorOf(number), "axis": InTensor(Int | TupleOf(Int) | ListOf(Int)), "dtype": DType}})
def count_nonzero(xp, x: Anything, axis: Axis = (), keep_dims: Bool = False, dtype: DType = None):
    """How many elements over the axes given are not 0."""
    found = xp.sum(x != 0, axes_of(axis), keepdims=keep_dims)
    return xp.cast(found, "int64" if dtype is None else dtype)


@op("ops.aminmax(input, *, axis=0, keepdims=False)", "Tensor.aminmax(*, axis=0, keepdims=False)")
def aminmax(xp, input: TensorOf(real, "bool"), axis: ScalarOf(Int) | None = 0,
            keepdims: Bool = False):
    """(the smallest, the largest) element along an axis."""
    if input.ndim == 0:
        return input, input
    if input.dtype.kind == "f":  # NaN is left out
        missing = xp.isnan(input)
        least, most = (xp.where(missing, end, input) for end in (float("inf"), -float("inf")))
        return xp.min(least, axis, keepdims=keepdims), xp.max(most, axis, keepdims=keepdims)
    return xp.min(input, axis, keepdims=keepdims), xp.max(input, axis, keepdims=keepdims)


# Cumulative ---------------------------------------------------------------------------------------


def _extreme_so_far(xp, input, axis, largest):
    """The extremes up to each place and where they stand."""
    if not input.size:
        return input, xp.zeros(input.shape, "int64")
    at = xp.place_so_far(input, axis, largest=largest)
    return xp.take_along_axis(input, at, axis), at


@op("ops.cummax(input, axis)", "ops.Cummax(axis)(input)", "Tensor.cummax(axis)",
    "mint.cummax(input, dim: axis)", widen=False, rules={"mint.cummax": {"input": TensorOf(real)}})
def cummax(xp, input: Anything, axis: ScalarOf(Int, TypeError)):
    """(the largest element so far, its int64 position) along an axis."""
    return _extreme_so_far(xp, input, axis, True)


@op("ops.cummin(input, axis)", "ops.Cummin(axis)(input)", "Tensor.cummin(axis)", widen=False,
    rules={"ops.Cummin": {"axis": ScalarOf(Int)}})
def cummin(xp, input: Anything, axis: Int):
    """(the smallest element so far, its int32 position) along an axis."""
    values, at = _extreme_so_far(xp, input, axis, False)
    return values, xp.cast(at, "int32")


@op("mint.cummin(input, dim: axis)", widen=False)
def mint_cummin(xp, input: Anything, axis: Int):
    """(the smallest element so far, its int64 position) along an axis."""
    return _extreme_so_far(xp, input, axis, False)


@op("ops.CumProd(exclusive=False, reverse=False)(x, axis)")
def cum_prod(xp, x: Anything, axis: AsValue(Place, NoneRule()), exclusive: Bool = False,
             reverse: Bool = False):
    """Cumulative products along an axis; `exclusive` leaves out the element itself, `reverse` runs
    backward."""
    x = xp.flip(x, axis) if reverse else x
    if exclusive:
        front = (slice(None),) * (axis_of(axis, x))
        x = xp.concatenate([xp.ones_like(x[front + (slice(0, 1),)]), x[front + (slice(None, -1),)]],
                           axis)
    out = xp.cast(xp.cumprod(x, axis), x.dtype)
    return xp.flip(out, axis) if reverse else out


@op("ops.logcumsumexp(input, axis)", "Tensor.logcumsumexp(axis)")
def logcumsumexp(xp, input: Floating, axis: Int):
    """The logarithm of the running sum of exponentials along an axis."""
    if not input.size:
        return input
    front = xp.moveaxis(input, axis, 0)
    out = [front[0]]
    for i in range(1, front.shape[0]):
        out.append(xp.logaddexp(out[-1], front[i]))
    return xp.moveaxis(xp.stack(out, 0), 0, axis)


@op("ops.diff(x, n=1, axis=-1, prepend=None, append=None)",
    "Tensor.diff(n=1, axis=-1, prepend=None, append=None)",
    rules={"ops.diff": {"axis": ScalarOf(Int)}})
def diff(xp, x: Anything, n: Int = 1, axis: ScalarOf(Int, TypeError) = -1,
         prepend: Anything | None = None, append: Anything | None = None):
    """The n-th differences of neighbours along an axis; a RuntimeError where n is negative."""
    if n < 0:
        raise RuntimeError(f"For 'diff', 'n' must be at least 0, but got {n}.")
    return diff_ext.body(xp, x, n, axis, prepend, append)


@op("mint.diff(input: x, n=1, dim: axis=-1, prepend=None, append=None)")
def diff_ext(xp, x: Anything, n: Int | Bool = 1, axis: ScalarOf(Int, TypeError) = -1,
             prepend: Anything | None = None, append: Anything | None = None):
    """The n-th differences of neighbours along an axis; the input where n is not positive."""
    parts = [p for p in (prepend, x, append) if p is not None]
    x = xp.concatenate(parts, axis) if len(parts) > 1 else x
    return xp.diff(x, int(n), axis) if n > 0 else x


@op("ops.trapz(y, x=None, *, dx=1.0, dim=-1)", widen=False)
def trapz(xp, y: Anything, x: Anything | None = None, dx: Float = 1.0, dim: Int = -1):
    """The integral along an axis by the trapezoidal rule, over x or with steps dx; in float32, of
    float16 with steps dx in float16."""
    if y.dtype.kind in "iubfV" and not (x is None and y.dtype == "float16"):
        y = xp.cast(y, "float32")
    front = (slice(None),) * (axis_of(dim, y))
    sums = (y[front + (slice(1, None),)] + y[front + (slice(None, -1),)]) * 0.5
    if x is None:
        return xp.sum(sums * dx, dim)
    if x.ndim == 1 and x.shape[0] != y.shape[dim]:
        raise RuntimeError(f"For 'trapz', 'x' must have one number for each of the {y.shape[dim]} "
                           f"values along the axis, but got shape {tuple(x.shape)}.")
    x = xp.cast(x, "float32") if x.dtype.kind in "iubfV" else x
    steps = xp.diff(x, 1, -1 if x.ndim == 1 else dim)
    if x.ndim == 1:
        steps = xp.reshape(steps, (-1,) + (1,) * (y.ndim - axis_of(dim, y) - 1))
    return xp.sum(sums * steps, dim)


# Counting and searching ---------------------------------------------------------------------------


@op("ops.bincount(input, weights=None, minlength=0)", "Tensor.bincount(weights=None, minlength=0)",
    widen=False)
def bincount(xp, input: TensorOf(number, "bool"), weights: Anything | None = None,
             minlength: Int(ge=0) = 0):
    """How often each number appears, or the sum of its weights; float32 (of weights: their
    dtype)."""
    found = xp.bincount(xp.cast(xp.real(input), "int64"), weights, minlength)
    return xp.cast(found, "float32" if weights is None else weights.dtype)


@op("mint.bincount(input, weights=None, minlength=0)", widen=False)
def mint_bincount(xp, input: TensorOf("int8", "int16", "int32", "int64", "uint8"),
                  weights: Anything | None = None,
                  minlength: Int(ge=0) = 0):
    """How often each number appears, as int64, or the sum of its weights."""
    found = xp.bincount(input, weights, minlength)
    return xp.cast(found, "int64" if weights is None else weights.dtype)


@op("ops.histc(input, bins=100, min=0.0, max=0.0)", "Tensor.histc(bins=100, min=0.0, max=0.0)",
    "mint.histc(input, bins=100, min=0, max=0)", widen=False)
def histc(xp, input: TensorOf("float16", "float32", "int32"), bins: Int(ge=1) = 100,
          min: Number | Bool = 0.0, max: Number | Bool = 0.0):
    """How many elements fall into each of `bins` equal intervals of [min, max] (their own range if
    equal)."""
    if min > max:
        raise ValueError(f"For 'histc', 'min' must be at most 'max', but got {min} and {max}.")
    low, high = (xp.min(input), xp.max(input)) if min == max else (min, max)
    flat = xp.ravel(input)
    inside = (flat >= low) & (flat <= high)
    width = (high - low) / bins
    if min == max:  # then it is an array, which may be 0
        width = xp.where(width == 0, 1.0, width)
    place = xp.cast(xp.clip(xp.floor((flat - low) / width), 0, bins - 1), "int64")
    found = xp.bincount(xp.where(inside, place, bins), None, bins + 1)[:bins]
    return xp.cast(found, "int32" if input.dtype == "int32" else "float32")


@op(widen=False)
def places_in(xp, edges: Anything, values: Anything, right: Bool):
    """Where values would stand among ordered edges: row by row, or in one row for all."""
    side = "right" if right else "left"
    if edges.ndim == 1:
        return xp.searchsorted(edges, values, side)
    stack = xp.expand_dims(edges, -2)
    one = xp.expand_dims(values, -1)
    return xp.sum((stack <= one) if right else (stack < one), -1)


def need_rows(api, edges, values):
    """Refuses values that do not stand in the rows of their sequences."""
    if edges.ndim > 1 and edges.shape[:-1] != values.shape[:-1]:
        raise ValueError(f"For '{api}', 'sorted_sequence' must have one axis, or all but the last "
                         f"of 'values', but got {edges.shape} and {values.shape}.")


@public("ops.searchsorted", "mint.searchsorted")
@checked
def searchsorted(sorted_sequence: Anything, values: Anything, *, out_int32: Bool = False,
                 right: Bool = False, side: AsValue(OneOf("left", "right")) = None,
                 sorter: AsValue(Index, Anything) = None):
    """Where values would stand in ordered sequences: before equal elements, or after them with
    `right`.

    Source: mindspore.ops.searchsorted of MindSpore 2.10.
    """
    if side == "left" and right:
        raise ValueError("For 'searchsorted', 'side' and 'right' must not contradict each other, "
                         "but got 'left' and True.")
    need_rows("searchsorted", sorted_sequence, values)
    if sorter is not None:
        sorted_sequence = gather_elements.run(sorted_sequence, -1, sorter)
    found = places_in.run(sorted_sequence, values, right or side == "right")
    return found.astype(dtypes.int32 if out_int32 else dtypes.int64)


@public("Tensor.searchsorted")
def tensor_searchsorted(self, v, side="left", sorter=None):
    """Where the numbers v would stand in this ordered Tensor; int32.

    Source: mindspore.Tensor.searchsorted of MindSpore 2.10.
    """
    v = v if isinstance(v, Tensor) else Tensor(v)
    return searchsorted(self, v, out_int32=True, side=side, sorter=sorter)


Boundaries = ListOf(Number) | TupleOf(Number) | TensorOf(real)
NoList = Number | Bool | Anything | None


@public("ops.bucketize")
@checked
def bucketize(input: TensorOf("float16", "float32", "float64", "int16", "int32", "int64"),
              boundaries: AsValue(Boundaries, NoList), *, right: Bool = False):
    """The bucket of each element, int32: how many boundaries lie below it (or up to it with
    `right`).

    Source: mindspore.ops.bucketize of MindSpore 2.10.
    """
    xp = space_for(input._array)
    if isinstance(boundaries, Tensor):
        edges = boundaries.astype(dtypes.float64)
    else:
        edges = Tensor._wrap(xp.asarray(boundaries, "float64"))
    if edges.ndim != 1:
        raise ValueError(f"For 'bucketize', 'boundaries' must have one axis, but got shape "
                         f"{edges.shape}.")
    return places_in.run(edges, input, right).astype(dtypes.int32)


# Unique values ------------------------------------------------------------------------------------


@op("ops.unique(input)", "ops.Unique()(x: input)", widen=False)
def unique(xp, input: Anything):
    """(each value once, in order of appearance, the position of every element among them)."""
    values, places = xp.distinct(xp.ravel(input))
    index_dtype = "int64" if input.dtype == "int64" else "int32"
    return values, xp.cast(xp.reshape(places, input.shape), index_dtype)


@public("mint.unique")
def mint_unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Each value once, in ascending order; with the inverse places and the counts if asked."""
    xp = space_for(input._array)
    values, inverse, counts = xp.unique(input._array, False, True, True, axis=dim)
    shape = input.shape if dim is None else (input.shape[dim],)
    found = [Tensor._wrap(values)]
    if return_inverse:
        found.append(Tensor._wrap(inverse.reshape(shape).astype("int64")))
    if return_counts:
        found.append(Tensor._wrap(counts.astype("int64")))
    return tuple(found) if len(found) > 1 else found[0]


@public("ops.unique_consecutive", "Tensor.unique_consecutive", "mint.unique_consecutive")
@checked
def unique_consecutive(input: Anything, return_inverse: Bool = False, return_counts: Bool = False,
                       dim: Int | None = None):
    """The values without repetitions of neighbours, with the places and counts if asked.

    Source: mindspore.ops.unique_consecutive of MindSpore 2.10.
    """
    xp = space_for(input._array)
    x = input._array.reshape(-1) if dim is None else xp.moveaxis(input._array, dim, 0)
    rows = x.reshape(x.shape[0], math.prod(x.shape[1:]))
    new = xp.concatenate([xp.ones((min(x.shape[0], 1),), "bool"), (rows[1:] != rows[:-1]).any(1)])
    places = xp.cumsum(new) - 1
    kept = x[new]
    found = [Tensor._wrap(kept if dim is None else xp.moveaxis(kept, 0, dim))]
    if return_inverse:
        shape = input.shape if dim is None else (x.shape[0],)
        found.append(Tensor._wrap(places.reshape(shape).astype("int64")))
    if return_counts:
        found.append(Tensor._wrap(xp.bincount(places).astype("int64")))
    return tuple(found) if len(found) > 1 else found[0]


@public("ops.UniqueConsecutive")
class UniqueConsecutive:
    """The class form of `ops.unique_consecutive`."""

    @checked
    def __init__(self, return_inverse: Bool = False, return_counts: Bool = False,
                 dim: ScalarOf(Int) = None):
        self.return_inverse, self.return_counts, self.dim = return_inverse, return_counts, dim

    def __call__(self, input):
        return unique_consecutive(input, self.return_inverse, self.return_counts, self.dim)


@op("ops.intopk(x1, x2, k)", "ops.InTopK(k)(x1, x2)", widen=False)
def intopk(xp, x1: Half, x2: Index, k: Int):
    """True where the class named is among the k largest of its row; ties count as in."""
    own = xp.take_along_axis(x1, xp.expand_dims(x2, 1), 1)
    ahead = xp.sum(x1 > own, 1)
    return (ahead < k) & xp.isfinite(xp.squeeze(own, 1))


# Distances and norms of rows ----------------------------------------------------------------------


@op("ops.cdist(x1, x2, p=2.0)", "ops.Cdist(p=2.0)(x1, x2)", alike="x1 x2")
def cdist(xp, x1: TensorOf("float16", "float32", "float64"),
          x2: TensorOf("float16", "float32", "float64"), p: ScalarOf(Float(ge=0), TypeError) = 2.0):
    """The p-norm distances between the rows of two matrices, or of two stacks of them."""
    if x1.ndim not in (2, 3) or x2.ndim not in (2, 3) or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"For 'cdist', the inputs must be matrices (or stacks) with rows of one "
                         f"length, but got {x1.shape} and {x2.shape}.")
    x1, x2 = xp.expand_dims(x1, -2), xp.expand_dims(x2, -3)
    step = max(xp.at_once() // max(x1[..., :1, :, :].size * x2.shape[-2], 1), 1)
    parts = [reduce._vector_norm(xp, x1[..., i:i + step, :, :] - x2, p, -1, False)
             for i in range(0, x1.shape[-3] or 1, step)]
    return xp.concatenate(parts, -2) if len(parts) > 1 else parts[0]


@op("mint.nn.functional.cosine_similarity(x1, x2, dim=1, eps=1e-08)", promote="x1 x2")
def cosine_similarity(xp, x1: Anything, x2: Anything, dim: Int = 1, eps: Number = 1e-8):
    """The cosine of the angle between vectors along an axis."""
    product = xp.sum(x1 * x2, dim)
    one, two = (reduce._vector_norm(xp, each, 2, dim, False) for each in (x1, x2))
    return product / xp.maximum(one * two, eps)


@op("ops.renorm(input, p, axis, maxnorm)", "ops.Renorm(p, dim: axis, maxnorm)(input)",
    "Tensor.renorm(p, axis, maxnorm)")
def renorm(xp, input: Fractions, p: AsValue(Number(ge=1), Str), axis: Int, maxnorm: Float):
    """The slices along an axis, those of a p-norm above `maxnorm` scaled down to it."""
    others = tuple(i for i in range(input.ndim) if i != axis_of(axis, input))
    size = reduce._vector_norm(xp, input, p, others, True)
    return input * xp.where(size > maxnorm, maxnorm / (size + 1e-7), xp.ones_like(size))


@op("ops.LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(input)")
def lp_norm(xp, input: Half, axis: Int | TupleOf(Int) | ListOf(Int), p: Int(ge=0) = 2,
            keep_dims: Bool = False,
            epsilon: Float = 1e-12):
    """The p-norm over the axes given."""
    return reduce._vector_norm(xp, input, p, axes_of(axis), keep_dims)


@op("ops.EuclideanNorm(keep_dims=False)(x, axes)")
def euclidean_norm(xp, x: Anything, axes: Axis, keep_dims: Bool = False):
    """The square root of the sum of squares over the axes given."""
    return reduce._vector_norm(xp, x, 2, axes_of(axes), keep_dims)


@op("ops.vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None)",
    "mint.linalg.vector_norm(x, ord=2, dim: axis=None, keepdim: keepdims=False, *, dtype=None)")
def vector_norm(xp, x: Anything, ord: Number = 2, axis: Axis = None, keepdims: Bool = False):
    """The norm of order `ord` over the axes given, all by default; of integers in float32, complex
    for complex numbers."""
    found = reduce._vector_norm(xp, reduce._floating(xp, x), ord, axes_of(axis), keepdims)
    return xp.cast(found, x.dtype) if x.dtype.kind == "c" else found


@op("ops.vecdot(x, y, *, axis=-1)")
def vecdot(xp, x: Anything, y: Anything, axis: Int = -1):
    """The dot products of vectors along an axis; integers add up as int64."""
    x, y = met(xp, x, y)
    terms = (xp.conj(x) if x.dtype.kind == "c" else x) * y
    return xp.sum(xp.cast(terms, "int64") if adds_up_as_int64(terms.dtype) else terms, axis)

