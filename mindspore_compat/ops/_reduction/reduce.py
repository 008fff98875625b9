"""Reductions: sums, products, means, variances, logical tests."""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Int,
    InTensor,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    floating,
    number,
)
from ..._core.tensor.promotion import adds_up_as_int64
from .._elementwise.unary import as_floating
from .._rules import Floats, IntOrInts, ScalarInt

Axes = InTensor(IntOrInts)
Axis = Axes | None


def axes_of(axis):
    """Returns an axis argument in NumPy's form: None for all axes (also for an empty tuple), an int
    or a tuple.
    """
    if isinstance(axis, (tuple, list)):
        return tuple(axis) if len(axis) else None
    return axis


def once(api, axis, rank):
    """Returns an axis argument like `axes_of`, in which no axis may occur twice: a ValueError for
    deviations, where other reductions raise a RuntimeError.
    """
    axis = axes_of(axis)
    if isinstance(axis, tuple) and rank and len({a % rank for a in axis}) < len(axis):
        raise ValueError(f"For '{api}', 'axis' must name an axis once, but got {axis}.")
    return axis


@op(
    "ops.sum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    "mint.sum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
)
def sum(
    xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False, dtype: DType = None
):
    """Sums the elements over the given axes, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`. Bools and small integers are summed in int64; other dtypes are kept,
        unless `dtype` is given.

    Example:
        >>> print(ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        10.0
        >>> print(ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]
    """
    if dtype is not None:
        input = xp.cast(input, dtype)
    elif adds_up_as_int64(input.dtype):
        input = xp.cast(input, "int64")
    return _as(xp, xp.sum(input, axes_of(axis), keepdims=keep_dims), input.dtype)


def _as(xp, out, dtype):
    """Casts `out` to a dtype, because NumPy promotes sums of short integers."""
    return out if out.dtype is dtype else xp.cast(out, dtype)


@op(
    "ops.reduce_sum(x, axis=None, keep_dims=False)",
    "ops.ReduceSum(keep_dims=False, skip_mode=False)(x, axis=())",
    quirks=Quirks(rules={"ops.ReduceSum": {"axis": AsValue(Axes, NoneRule())}}),
)
def reduce_sum(
    xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False, skip_mode: Bool = False
):
    """Sums the elements over the given axes, by default over all.

    With `skip_mode`, an empty tuple of axes means no reduction.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.reduce_sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [3. 7.]
    """
    if skip_mode and isinstance(axis, (tuple, list)) and not axis:
        return x
    return xp.cast(xp.sum(x, axes_of(axis), keepdims=keep_dims), x.dtype)


@op(
    "ops.mean(x, axis=None, keep_dims=False)",
    "ops.reduce_mean(x, axis=None, keep_dims=False)",
    "ops.ReduceMean(keep_dims=False)(x, axis=())",
    quirks=Quirks(rules={"ops.ReduceMean": {"axis": Axes}}),
)
def mean(xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the mean over the given axes, by default over all. Means of integers are truncated
    to integers.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [2. 3.]
    """
    if not x.ndim and axis in (0, -1):  # a 0-D Tensor counts as one of length 1
        axis = None
    return xp.cast(xp.mean(x, axes_of(axis), keepdims=keep_dims), x.dtype)


@op("mint.mean(input: x, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)")
def mean_as(xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the mean over the given axes, by default over all.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.mint.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [2. 3.]
    """
    return mean.body(xp, x, axis, keep_dims)


@op(
    "ops.prod(input, axis=None, keep_dims=False, dtype=None)",
    "mint.prod(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    quirks=Quirks(rules={"mint.prod": {"axis": ScalarInt}}),
)
def prod(
    xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False, dtype: DType = None
):
    """Computes the product of the elements over the given axes, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keep_dims`. Bools and small integers are multiplied in int64; other dtypes are kept,
        unless `dtype` is given.

    Example:
        >>> print(ms.ops.prod(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [ 2. 12.]
    """
    if axis is None and keep_dims:
        raise ValueError("For 'prod', an axis must be given where 'keep_dims' is true.")
    if dtype is not None:
        input = xp.cast(input, dtype)
    elif adds_up_as_int64(input.dtype):
        input = xp.cast(input, "int64")
    return _as(xp, xp.prod(input, axes_of(axis), keepdims=keep_dims), input.dtype)


@op(
    "ops.ReduceProd(keep_dims=False)(x, axis=())",
    quirks=Quirks(rules={"ops.ReduceProd": {"axis": Axes}}),
)
def reduce_prod(xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the product of the elements over the given axes, by default over all.

    Shapes:
        `x` may have any shape. The result lacks the reduced axes, or has length 1 along them with
        `keep_dims`; the dtype is kept.

    Example:
        >>> print(ms.ops.ReduceProd()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    return xp.cast(xp.prod(x, axes_of(axis), keepdims=keep_dims), x.dtype)


@op(
    "ops.all(input, axis=None, keep_dims=False)",
    "ops.ReduceAll(keep_dims=False)(input, axis=None)",
    "ops.reduce_all(input, axis=None, keep_dims=False)",
    "mint.all(input, dim: axis=None, keepdim: keep_dims=False)",
)
def all(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Tests whether all elements over the given axes, by default over all, are true (not 0).

    Shapes:
        `input` may have any shape. The result is bool and lacks the reduced axes, or has length 1
        along them with `keep_dims`.

    Example:
        >>> print(ms.ops.all(ms.Tensor([[True, False], [True, True]]), 1))
        [False  True]
    """
    return xp.all(input, axes_of(axis), keepdims=keep_dims)


@op(
    "ops.any(input, axis=None, keep_dims=False)",
    "ops.ReduceAny(keep_dims=False)(x: input, axis=())",
    "ops.reduce_any(input, axis=None, keep_dims=False)",
    "mint.any(input, dim: axis=None, keepdim: keep_dims=False)",
    quirks=Quirks(rules={"ops.ReduceAny": {"axis": Axes}}),
)
def any(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Tests whether any element over the given axes, by default over all, is true (not 0).

    Shapes:
        `input` may have any shape. The result is bool and lacks the reduced axes, or has length 1
        along them with `keep_dims`.

    Example:
        >>> print(ms.ops.any(ms.Tensor([[True, False], [False, False]]), 1))
        [ True False]
    """
    return xp.any(input, axes_of(axis), keepdims=keep_dims)


@op("ops.var(input, axis=None, ddof=0, keepdims=False)")
def var(
    xp,
    input: TensorOf(number),
    axis: Int | TupleOf(Int) = None,
    ddof: Int | Bool = 0,
    keepdims: Bool = False,
):
    """Computes the variance over the given axes: the sum of squared distances from the mean,
    divided by the number of elements minus `ddof`.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdims`; the dtype is kept.

    Example:
        >>> print(ms.ops.var(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), 1))
        [1. 4.]
    """
    axis = once("var", axis, input.ndim)
    return xp.var(as_floating(xp, input), axis, ddof=int(ddof), keepdims=keepdims)


@op("ops.std(input, axis=None, ddof=0, keepdims=False)")
def std(
    xp,
    input: TensorOf(number),
    axis: Int | TupleOf(Int) = None,
    ddof: Int | Bool = 0,
    keepdims: Bool = False,
):
    """Computes the standard deviation over the given axes: the square root of the sum of squared
    distances from the mean divided by the number of elements minus `ddof`.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdims`; the dtype is kept.

    Example:
        >>> print(ms.ops.std(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), 1))
        [1. 2.]
    """
    axis = once("std", axis, input.ndim)
    return xp.std(as_floating(xp, input), axis, ddof=int(ddof), keepdims=keepdims)


_Exponents = TensorOf(floating, "bool", "int64", "complex64", "complex128")


@op(
    "ops.logsumexp(input, dim, keepdim=False)",
    "Tensor.logsumexp(dim, keepdim=False)",
    "mint.logsumexp(input, dim, keepdim=False)",
    quirks=Quirks(
        rules={
            "ops.logsumexp": {"input": _Exponents},
            "Tensor.logsumexp": {"input": _Exponents, "dim": ScalarOf(IntOrInts, TypeError)},
            "mint.logsumexp": {
                "input": TensorOf(
                    *("bool int8 int16 int32 int64 uint8 float16 float32 bfloat16".split())
                ),
                "dim": ScalarOf(IntOrInts, TypeError),
            },
        }
    ),
)
def logsumexp(xp, input: TensorOf(any_dtype), dim: Axes, keepdim: Bool = False):
    """Computes log(sum(exp(input))) over the given axes, without overflow.

    Shapes:
        `input` may have any shape. The result lacks the reduced axes, or has length 1 along them
        with `keepdim`; the dtype is kept.

    Example:
        >>> print(ms.ops.logsumexp(ms.Tensor([1000.0, 1000.0]), 0))
        1000.6932
    """
    axis = axes_of(dim)
    if not input.size:
        return xp.sum(input, axis, keepdims=keepdim) - float("inf")
    top = xp.stop(xp.max(input, axis, keepdims=True))
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    total = xp.log(xp.sum(xp.exp(input - top), axis, keepdims=True)) + top
    return total if keepdim else xp.squeeze(total, axis)


@op("ops.SquareSumAll()(x, y)", types=SameDtype("x y"))
def square_sum_all(xp, x: Floats, y: Floats):
    """Computes the sum of squares of each of two Tensors.

    Shapes:
        `x` and `y` have one shape and dtype. Both results are (), of the same dtype.

    Example:
        >>> sums = ms.ops.SquareSumAll()(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
        >>> print(*sums)
        5.0 25.0
    """
    if x.shape != y.shape:
        raise ValueError(f"For 'SquareSumAll', the shapes must agree: {x.shape}, {y.shape}.")
    return xp.sum_of_squares(x), xp.sum_of_squares(y)
