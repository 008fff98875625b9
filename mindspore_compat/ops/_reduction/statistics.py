"""Sums and means that skip NaN, variances, counts, and shared checks of sorted searches."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Int,
    InTensor,
    ListOf,
    NamedDType,
    TensorOf,
    TupleOf,
    number,
    real,
)
from .._rules import Anything, Float16Or32, Float16To64, Floats, Index, IntOrInts
from .reduce import Axis, axes_of, once

LARGE_ROW = 1 << 12  # comparisons of a row: a binary search costs less than all of them

# Sums that skip NaN, and pairs of moments


@op(
    "ops.nansum(input, axis=None, keepdims: keep_dims=False, *, dtype=None)",
    "mint.nansum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    quirks=Quirks(rules={"ops.nansum": {"dtype": NamedDType(real, "bool")}}),
)
def nansum(
    xp,
    input: TensorOf(real, "bool"),
    axis: Axis = None,
    keep_dims: Bool = False,
    dtype: DType(real, "bool") = None,
):
    """Sums the elements that are not NaN over the given axes, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`. The dtype is kept unless `dtype` is given; bools are summed in int64.

    Example:
        >>> print(ms.ops.nansum(ms.Tensor([1.0, np.nan, 3.0])))
        4.0
    """
    if input.dtype.kind == "b":
        input = xp.cast(input, "int64")
    elif input.dtype.kind not in "iu":
        input = xp.where(xp.isnan(input), 0, input)
    total = xp.sum(input, axes_of(axis), keepdims=keep_dims)
    return xp.cast(total, input.dtype if dtype is None else dtype)


@op(
    "ops.nanmean(input, axis=None, keepdims: keep_dims=False, *, dtype=None)",
    "Tensor.nanmean(axis=None, keepdims: keep_dims=False, *, dtype=None)",
)
def nanmean(
    xp, input: Float16To64, axis: Axis = None, keep_dims: Bool = False, dtype: NamedDType = None
):
    """Computes the mean of the elements that are not NaN over the given axes, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`. The dtype is kept unless `dtype` is given; for a dtype that has no NaN,
        only the result is cast.

    Example:
        >>> print(ms.ops.nanmean(ms.Tensor([1.0, np.nan, 3.0])))
        2.0
    """
    axis = axes_of(axis)
    dtype = input.dtype if dtype is None else dtype
    if dtype.kind not in "biu":
        input = xp.cast(input, dtype)
    missing = xp.isnan(input)
    count = xp.cast(xp.sum(xp.logical_not(missing), axis, keepdims=keep_dims), input.dtype)
    mean = xp.sum(xp.where(missing, 0, input), axis, keepdims=keep_dims) / count
    return xp.cast(mean, dtype)


def _moments(line, first, words, printed):
    def body(
        xp, input: Float16To64, axis: Axis = None, ddof: Int | Bool = 0, keepdims: Bool = False
    ):
        axis = once(name, axis, input.ndim)
        deviation = getattr(xp, first)(input, axis, ddof=int(ddof), keepdims=keepdims)
        return deviation, xp.mean(input, axis, keepdims=keepdims)

    name = f"{first}_mean"
    body.__name__ = name
    body.__doc__ = f"""Computes the {words} and the mean over the axes given, by default over all.

    The sum of squared distances from the mean is divided by the count less `ddof`.

    Shapes:
        `input` may have any shape. Both results lack the axes given, or have length 1 there with
        `keepdims`; the dtype stays.

    Example:
        >>> {first}, mean = ms.ops.{name}(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), 1)
        >>> print({first}, mean)
        {printed}
    """
    op(line)(body)


_moments(
    "ops.var_mean(input, axis=None, ddof=0, keepdims=False)", "var", "variance", "[1. 4.] [2. 4.]"
)
_moments(
    "ops.std_mean(input, axis=None, ddof=0, keepdims=False)",
    "std",
    "standard deviation",
    "[1. 2.] [2. 4.]",
)


@op("mint.var(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)")
def mint_var(xp, input: Float16To64, axis: Axis = None, ddof: Int = 1, keepdims: Bool = False):
    """Computes the variance over the given axes: the sum of squared distances from the mean,
    divided by the number of elements minus `correction`.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdim`; the dtype is kept.

    Example:
        >>> print(ms.mint.var(ms.Tensor([1.0, 2.0, 3.0, 4.0])))
        1.6666666
    """
    return xp.var(input, axes_of(axis), ddof=ddof, keepdims=keepdims)


@op("mint.std(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)")
def mint_std(xp, input: Float16To64, axis: Axis = None, ddof: Int = 1, keepdims: Bool = False):
    """Computes the standard deviation over the given axes: the square root of the sum of squared
    distances from the mean divided by the number of elements minus `correction`.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdim`; the dtype is kept.

    Example:
        >>> print(ms.mint.std(ms.Tensor([1.0, 2.0, 3.0, 4.0])))
        1.2909944
    """
    return xp.std(input, axes_of(axis), ddof=ddof, keepdims=keepdims)


@op(
    "ops.count_nonzero(x, axis=(), keep_dims=False, dtype=int32)",
    "mint.count_nonzero(input: x, dim: axis=None)",
    "ops.CountNonZero(dims: axis=None)(x)",
    compute="native",
    quirks=Quirks(
        rules={
            "ops.count_nonzero": {
                "x": TensorOf(number),
                "axis": InTensor(Int | TupleOf(Int) | ListOf(Int)),
                "dtype": DType,
            }
        }
    ),
)
def count_nonzero(xp, x: Anything, axis: Axis = (), keep_dims: Bool = False, dtype: DType = None):
    """Counts the nonzero elements over the given axes, by default over all.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; it is of `dtype`.

    Example:
        >>> print(ms.ops.count_nonzero(ms.Tensor([[0, 1], [2, 3]]), axis=1))
        [1 2]
    """
    counts = xp.sum(x != 0, axes_of(axis), keepdims=keep_dims)
    return xp.cast(counts, "int64" if dtype is None else dtype)


@op(compute="native")
def bin_indices(xp, edges: Anything, values: Anything, right: Bool):
    """Returns the insertion positions of values in sorted edges, which have one row per row of
    values or one for all."""
    side = "right" if right else "left"
    if edges.ndim == 1:
        return xp.searchsorted(edges, values, side)
    if edges.shape[-1] * values.shape[-1] > LARGE_ROW:
        return _bisect(xp, edges, values, right)
    stack = xp.expand_dims(edges, -2)
    column = xp.expand_dims(values, -1)
    return xp.sum((stack <= column) if right else (stack < column), -1)


def _bisect(xp, edges, values, right):
    """Searches all rows at once by halving the range in which each position lies."""
    count = edges.shape[-1]
    low = xp.zeros(values.shape, "int64")
    high = low + count
    for _ in range(count.bit_length()):
        middle = (low + high) // 2
        edge = xp.take_along_axis(edges, xp.minimum(middle, count - 1), -1)
        is_before = (middle < high) & ((edge <= values) if right else (edge < values))
        low = xp.where(is_before, middle + 1, low)
        high = xp.where(is_before, high, middle)
    return low


def need_rows(api, edges, values):
    """Rejects values whose leading axes differ from the leading axes of the sorted sequences."""
    if edges.ndim > 1 and edges.shape[:-1] != values.shape[:-1]:
        raise ValueError(
            f"For '{api}', 'sorted_sequence' must have one axis, or all but the last "
            f"of 'values', but got {edges.shape} and {values.shape}."
        )


@op("ops.intopk(x1, x2, k)", "ops.InTopK(k)(x1, x2)", compute="native")
def intopk(xp, x1: Float16Or32, x2: Index, k: Int):
    """Tests for each row whether the score of its target class is among the `k` largest. Scores
    equal to the k-th largest count, too.

    Shapes:
        `x1` is (N, C) of scores, float16 or float32; `x2` is (N,) of classes, integers. The result
        is (N,), bool.

    Example:
        >>> print(ms.ops.intopk(ms.Tensor([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1]]), ms.Tensor([2, 2]),
        ...                     2))
        [ True False]
    """
    target_score = xp.take_along_axis(x1, xp.expand_dims(x2, 1), 1)
    ahead = xp.sum(x1 > target_score, 1)
    return (ahead < k) & xp.isfinite(xp.squeeze(target_score, 1))


@op("mint.var_mean(input, dim: axis=None, *, correction=1, keepdim=False)")
def mint_var_mean(
    xp, input: Floats, axis: IntOrInts | None = None, correction: Int = 1, keepdim: Bool = False
):
    """Computes the variance, with the number of elements minus `correction` as divisor, and the
    mean over the given axes, by default over all.

    Shapes:
        `input` may have any shape. Both results lack the reduced axes, or have length 1 along them
        with `keepdim`; the dtype is kept.

    Example:
        >>> variance, mean = ms.mint.var_mean(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(variance, mean)
        1.0 2.0
    """
    axes = axes_of(axis)
    return (
        xp.var(input, axes, ddof=correction, keepdims=keepdim),
        xp.mean(input, axes, keepdims=keepdim),
    )


@op("mint.std_mean(input, dim: axis=None, *, correction=1, keepdim=False)")
def mint_std_mean(
    xp, input: Floats, axis: IntOrInts | None = None, correction: Int = 1, keepdim: Bool = False
):
    """Computes the standard deviation, with the number of elements minus `correction` as divisor,
    and the mean over the given axes, by default over all.

    Shapes:
        `input` may have any shape. Both results lack the reduced axes, or have length 1 along them
        with `keepdim`; the dtype is kept.

    Example:
        >>> deviation, mean = ms.mint.std_mean(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0
    """
    axes = axes_of(axis)
    return (
        xp.std(input, axes, ddof=correction, keepdims=keepdim),
        xp.mean(input, axes, keepdims=keepdim),
    )


_ReducedAxes = AsValue(InTensor(Int | TupleOf(Int) | ListOf(Int)))


@op("ops.ReduceStd(axis=[], unbiased=True, keep_dims=False)(input_x)")
def reduce_std(
    xp,
    input_x: Float16To64,
    axis: _ReducedAxes = (),
    unbiased: Bool = True,
    keep_dims: Bool = False,
):
    """Computes the standard deviation and the mean over the given axes, by default over all. With
    `unbiased`, the divisor is the number of elements minus one.

    Shapes:
        `input_x` is float16 or float32 of any shape. Both results lack the reduced axes, or have
        length 1 along them with `keep_dims`; the dtype is kept.

    Example:
        >>> deviation, mean = ms.ops.ReduceStd()(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0
    """
    axes = None if axis in ((), [], None) else tuple(axis) if isinstance(axis, list) else axis
    mean = xp.mean(input_x, axes, keepdims=True)
    count = input_x.size // max(mean.size, 1)
    total = xp.sum(xp.square(input_x - mean), axes, keepdims=keep_dims)
    deviation = xp.sqrt(total / max(count - 1 if unbiased else count, 0))
    return deviation, mean if keep_dims else xp.mean(input_x, axes)
