"""Cumulative sums, products, maxima and minima; differences and integrals along an axis."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    NamedDType,
    ScalarOf,
    TensorOf,
    any_dtype,
    number,
    real,
)
from .._rules import WIDE_UNSIGNED, Anything, Float16To64, ScalarInt
from .._shape.axes import axis_of
from .picked import picked_vjp


def _to_accumulate(xp, x):
    """Returns `x` in the dtype that its sums or products accumulate in: its own, but float32 for
    bfloat16. A float16 sum of many elements stays where the next element is too small to change it,
    as in MindSpore."""
    return xp.cast(x, "float32") if x.dtype.kind == "V" else x


def _moved_by_one(xp, x, axis, first_like):
    """Moves the elements along an axis to the next index; the last one is dropped. The new first
    element is the result of `first_like(old first element)`.
    """
    front = (slice(None),) * axis_of(axis, x)
    first = first_like(x[front + (slice(0, 1),)])
    return xp.concatenate([first, x[front + (slice(None, -1),)]], axis)


def _need_axis(api, name, x):
    """Rejects a Tensor without axes."""
    if not x.ndim:
        raise ValueError(f"For '{api}', '{name}' must have at least one axis, but got shape ().")


def _extreme_so_far(xp, input, axis, largest):
    """Returns the cumulative extremes and their indices."""
    if not input.size:
        return input, xp.zeros(input.shape, "int64")
    return xp.extremes_so_far(input, axis, largest=largest)


@op(
    "ops.cummax(input, axis)",
    "ops.Cummax(axis)(input)",
    "Tensor.cummax(axis)",
    "mint.cummax(input, dim: axis)",
    compute="native",
    quirks=Quirks(rules={"mint.cummax": {"input": TensorOf(real)}}),
)
def cummax(xp, input: Anything, axis: ScalarOf(Int, TypeError)):
    """Computes the cumulative maximum along an axis, and its position.

    Shapes:
        `input` may have any shape with at least one axis. The values have its shape and dtype; the
        positions have its shape and are int64.

    Example:
        >>> v, i = ms.ops.cummax(ms.Tensor([1.0, 3.0, 2.0, 4.0]), 0)
        >>> print(v, i)
        [1. 3. 3. 4.] [0 1 1 3]
    """
    return _extreme_so_far(xp, input, axis, True)


cummax.vjp(
    input=lambda xp, g, input_shape, out, axis: picked_vjp(xp, g, input_shape, out, axis, add=True)
)


@op(
    "ops.cummin(input, axis)",
    "ops.Cummin(axis)(input)",
    "Tensor.cummin(axis)",
    compute="native",
    quirks=Quirks(rules={"ops.Cummin": {"axis": ScalarOf(Int)}}),
)
def cummin(xp, input: Anything, axis: Int):
    """Computes the cumulative minimum along an axis, and its position.

    Shapes:
        `input` may have any shape with at least one axis. The values have its shape and dtype; the
        positions have its shape and are int32.

    Example:
        >>> v, i = ms.ops.cummin(ms.Tensor([4.0, 2.0, 3.0, 1.0]), 0)
        >>> print(v, i)
        [4. 2. 2. 1.] [0 1 1 3]
    """
    values, at = _extreme_so_far(xp, input, axis, False)
    return values, xp.cast(at, "int32")


cummin.vjp(
    input=lambda xp, g, input_shape, out, axis: picked_vjp(xp, g, input_shape, out, axis, add=True)
)


@op("mint.cummin(input, dim: axis)", compute="native")
def mint_cummin(xp, input: Anything, axis: Int):
    """Computes the cumulative minimum along an axis, and its position.

    Shapes:
        `input` may have any shape with at least one axis. The values have its shape and dtype; the
        positions have its shape and are int64.

    Example:
        >>> v, i = ms.mint.cummin(ms.Tensor([4.0, 2.0, 3.0, 1.0]), 0)
        >>> print(v, i)
        [4. 2. 2. 1.] [0 1 1 3]
    """
    return _extreme_so_far(xp, input, axis, False)


mint_cummin.vjp(
    input=lambda xp, g, input_shape, out, axis: picked_vjp(xp, g, input_shape, out, axis, add=True)
)


@op("ops.CumProd(exclusive=False, reverse=False)(x, axis)", compute="native")
def cum_prod(
    xp,
    x: Anything,
    axis: AsValue(ScalarInt, NoneRule()),
    exclusive: Bool = False,
    reverse: Bool = False,
):
    """Computes the cumulative product along an axis.

    `exclusive` leaves out the element itself, so that the first result is 1. `reverse` runs from
    the end.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.CumProd()(ms.Tensor([1.0, 2.0, 3.0, 4.0]), 0))
        [ 1.  2.  6. 24.]
        >>> print(ms.ops.CumProd(exclusive=True)(ms.Tensor([1.0, 2.0, 3.0, 4.0]), 0))
        [1. 1. 2. 6.]
    """
    _need_axis("CumProd", "x", x)
    factors = _to_accumulate(xp, xp.flip(x, axis) if reverse else x)
    if exclusive:
        factors = _moved_by_one(xp, factors, axis, xp.ones_like)
    out = xp.cast(xp.cumprod(factors, axis), x.dtype)
    return xp.flip(out, axis) if reverse else out


@op("ops.logcumsumexp(input, axis)", "Tensor.logcumsumexp(axis)")
def logcumsumexp(xp, input: Float16To64, axis: Int):
    """Computes the logarithm of the cumulative sum of exponentials along an axis, without overflow.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.logcumsumexp(ms.Tensor([0.0, 0.0, 0.0]), 0))
        [0.        0.6931472 1.0986123]
    """
    if not input.size:
        return input
    limits = xp.finfo(input.dtype)
    most = xp.clip(xp.maximum_so_far(input, axis), float(limits.min), float(limits.max))
    first = xp.take(most, xp.arange(1), axis)
    before = xp.concatenate([first, xp.take(most, xp.arange(most.shape[axis] - 1), axis)], axis)
    sums = xp.linear_recurrence(xp.exp(before - most), xp.exp(input - most), axis)
    return xp.log(sums) + most


@op(
    "ops.diff(x, n=1, axis=-1, prepend=None, append=None)",
    "Tensor.diff(n=1, axis=-1, prepend=None, append=None)",
    quirks=Quirks(rules={"ops.diff": {"axis": ScalarOf(Int)}}),
)
def diff(
    xp,
    x: Anything.but(*WIDE_UNSIGNED),
    n: Int = 1,
    axis: ScalarOf(Int, TypeError) = -1,
    prepend: Anything | None = None,
    append: Anything | None = None,
):
    """Computes the n-th difference along an axis: each element minus the one before it, `n` times.

    `prepend` and `append` are first joined to the input at its start and end. A RuntimeError is
    raised if `n` is negative.

    Shapes:
        `x` has at least one axis. Each difference shortens the axis by one; the other axes and the
        dtype are kept.

    Example:
        >>> print(ms.ops.diff(ms.Tensor([1, 4, 9, 16])))
        [3 5 7]
        >>> print(ms.ops.diff(ms.Tensor([1, 4, 9, 16]), n=2))
        [2 2]
    """
    if n < 0:
        raise RuntimeError(f"For 'diff', 'n' must be at least 0, but got {n}.")
    return diff_ext.body(xp, x, n, axis, prepend, append)


@op("mint.diff(input: x, n=1, dim: axis=-1, prepend=None, append=None)")
def diff_ext(
    xp,
    x: Anything,
    n: Int | Bool = 1,
    axis: ScalarOf(Int, TypeError) = -1,
    prepend: Anything | None = None,
    append: Anything | None = None,
):
    """Computes the n-th difference along an axis: each element minus the one before it, `n` times.
    An `n` of 0 or less returns the input.

    `prepend` and `append` are first joined to the input at its start and end.

    Shapes:
        `x` has at least one axis. Each difference shortens the axis by one; the other axes and the
        dtype are kept.

    Example:
        >>> print(ms.mint.diff(ms.Tensor([1, 4, 9, 16])))
        [3 5 7]
    """
    parts = [p for p in (prepend, x, append) if p is not None]
    x = xp.concatenate(parts, axis) if len(parts) > 1 else x
    return xp.diff(x, int(n), axis) if n > 0 else x


@op("ops.trapz(y, x=None, *, dx=1.0, dim=-1)", compute="native")
def trapz(xp, y: Anything, x: Anything | None = None, dx: Float = 1.0, dim: Int = -1):
    """Integrates along an axis by the trapezoidal rule.

    The points are at `x`, or `dx` apart if `x` is None.

    Shapes:
        `y` has at least one axis, `x` has the length of axis `dim` or the shape of `y`. The result
        is `y` without that axis, in float32; without `x`, float16 stays float16.

    Example:
        >>> print(ms.ops.trapz(ms.Tensor([1.0, 2.0, 3.0]), dx=0.5))
        2.0
        >>> print(ms.ops.trapz(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0.0, 1.0, 3.0])))
        6.5
    """
    if y.dtype.kind in "iubfV" and not (x is None and y.dtype == "float16"):
        y = xp.cast(y, "float32")
    front = (slice(None),) * (axis_of(dim, y))
    sums = (y[front + (slice(1, None),)] + y[front + (slice(None, -1),)]) * 0.5
    if x is None:
        return xp.sum(sums * dx, dim)
    if x.ndim == 1 and x.shape[0] != y.shape[dim]:
        raise RuntimeError(
            f"For 'trapz', 'x' must have one number for each of the {y.shape[dim]} "
            f"values along the axis, but got shape {tuple(x.shape)}."
        )
    x = xp.cast(x, "float32") if x.dtype.kind in "iubfV" else x
    steps = xp.diff(x, 1, -1 if x.ndim == 1 else dim)
    if x.ndim == 1:
        steps = xp.reshape(steps, (-1,) + (1,) * (y.ndim - axis_of(dim, y) - 1))
    return xp.sum(sums * steps, dim)


@op("ops.CumSum(exclusive=False, reverse=False)(input, axis)", compute="native")
def cum_sum(
    xp, input: TensorOf(number), axis: ScalarInt, exclusive: Bool = False, reverse: Bool = False
):
    """Computes the cumulative sum along an axis.

    `exclusive` leaves out the element itself, so that the first result is 0. `reverse` runs from
    the end.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.CumSum()(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]
        >>> print(ms.ops.CumSum(reverse=True)(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [6. 5. 3.]
    """
    _need_axis("CumSum", "input", input)
    terms = _to_accumulate(xp, xp.flip(input, axis) if reverse else input)
    if exclusive:
        terms = _moved_by_one(xp, terms, axis, xp.zeros_like)
    out = xp.cumsum(terms, axis)
    return xp.cast(xp.flip(out, axis) if reverse else out, input.dtype)


@op("ops.cumsum(x, axis, dtype=None)", compute="native")
def cumsum_as_is(xp, x: TensorOf(number), axis: ScalarOf(Int), dtype: NamedDType = None):
    """Computes the cumulative sum along an axis.

    Shapes:
        `x` may have any shape with at least one axis. The result has the same shape, and the dtype
        of `x` unless `dtype` is given.

    Example:
        >>> print(ms.ops.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [[1. 3.]
         [3. 7.]]
    """
    _need_axis("cumsum", "x", x)
    x = x if dtype is None else xp.cast(x, dtype)
    return xp.cast(xp.cumsum(_to_accumulate(xp, x), axis), x.dtype)


@op(
    "mint.cumsum(input: x, dim: axis, dtype=None)",
    quirks=Quirks(rules={"mint.cumsum": {"axis": Int}}),
)
def cumsum(xp, x: TensorOf(any_dtype), axis: Int | None, dtype: DType = None):
    """Computes the cumulative sum along an axis.

    Shapes:
        `x` may have any shape with at least one axis. The result has the same shape. Small integers
        are summed in int64, unless `dtype` is given.

    Example:
        >>> print(ms.mint.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [[1. 3.]
         [3. 7.]]
    """
    _need_axis("cumsum", "input", x)
    if dtype is not None:
        x = xp.cast(x, dtype)
    elif x.dtype.kind in "iub":
        x = xp.cast(x, "int64")
    return xp.cumsum(x, axis)


@op(
    "ops.cumprod(input, dim, dtype=None)",
    "Tensor.cumprod(dim, dtype=None)",
    "mint.cumprod(input, dim, dtype=None)",
    compute="native",
)
def cumprod(xp, input: TensorOf(any_dtype), dim: ScalarOf(Int), dtype: DType = None):
    """Computes the cumulative product along an axis.

    Shapes:
        `input` may have any shape with at least one axis. The result has the same shape. Integers
        and bools are multiplied in int64, unless `dtype` is given.

    Example:
        >>> print(ms.ops.cumprod(ms.Tensor([1.0, 2.0, 3.0, 4.0]), 0))
        [ 1.  2.  6. 24.]
    """
    _need_axis("cumprod", "input", input)
    if dtype is not None:
        input = xp.cast(input, dtype)
    elif input.dtype.kind in "iub":
        input = xp.cast(input, "int64")
    return xp.cast(xp.cumprod(_to_accumulate(xp, input), dim), input.dtype)


@op("ops.CumulativeLogsumexp(exclusive=False, reverse=False)(x, axis)")
def cumulative_logsumexp(
    xp,
    x: Float16To64,
    axis: TensorOf("int16", "int32", "int64"),
    exclusive: Bool = False,
    reverse: Bool = False,
):
    """Computes the logarithm of the cumulative sum of exponentials along an axis, without overflow.

    `exclusive` leaves out the element itself. `reverse` runs from the end.

    Shapes:
        `x` has at least one axis, `axis` is a 0-d Tensor. The result has the shape and dtype of
        `x`.

    Example:
        >>> print(ms.ops.CumulativeLogsumexp()(ms.Tensor([0.0, 0.0, 0.0]), ms.Tensor(0)))
        [0.        0.6931472 1.0986123]
    """
    if axis.ndim:
        raise ValueError(
            f"For 'CumulativeLogsumexp', 'axis' must have no axes, but got the shape {axis.shape}."
        )
    axis = int(axis)
    if not x.ndim:
        raise ValueError("For 'CumulativeLogsumexp', 'x' must have one axis or more, but got ().")
    if not -x.ndim <= axis < x.ndim:
        raise RuntimeError(
            f"For 'CumulativeLogsumexp', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    lowest = float(xp.finfo(x.dtype).min)
    x = xp.flip(x, axis) if reverse else x
    if exclusive:
        empty = xp.full_like(xp.take(x, xp.arange(1), axis), lowest)
        x = xp.concatenate([empty, xp.take(x, xp.arange(x.shape[axis] - 1), axis)], axis)
    out = logcumsumexp.body(xp, x, axis)
    return xp.flip(out, axis) if reverse else out
