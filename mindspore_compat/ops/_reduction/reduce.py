"""Reductions: sums, means, extremes with their positions, cumulative sums, norms."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.value_rules import TensorOrNothing, Truth
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    CellOf,
    DType,
    Int,
    InTensor,
    ListOf,
    Number,
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
from ..._core.tensor.promotion import adds_up_as_int64
from ..._core.tensor.tensor import Tensor
from .._elementwise import arithmetic
from .._indexing import getitem

Places = Int | TupleOf(Int) | ListOf(Int)
Axes = InTensor(Places)
Scalar = ScalarOf(Int, TypeError)
Axis = Axes | None


def axes_of(axis):
    """An axis argument as NumPy takes it: None for all (an empty tuple says the same), int or
    tuple."""
    if isinstance(axis, (tuple, list)):
        return tuple(axis) if len(axis) else None
    return axis


@op("ops.sum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    "mint.sum(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)")
def sum(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False,
        dtype: DType = None):
    """Adds up the elements over the axes given, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`. Bools and small integers add up as int64; other dtypes stay, unless `dtype` is
        given.

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
    """`out` in a dtype, which NumPy widens for short integers alone."""
    return out if out.dtype is dtype else xp.cast(out, dtype)


@op(
    "ops.reduce_sum(x, axis=None, keep_dims=False)",
    "ops.ReduceSum(keep_dims=False, skip_mode=False)(x, axis=())",
    quirks=Quirks(rules={"ops.ReduceSum": {"axis": AsValue(Axes, NoneRule())}}),
)
def reduce_sum(xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False,
               skip_mode: Bool = False):
    """Adds up the elements over the axes given, by default over all.

    With `skip_mode` an empty tuple of axes means no reduction.

    Shapes:
        `x` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

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
    """Computes the mean over the axes given, by default over all. Means of integers are cut to
    whole numbers.

    Shapes:
        `x` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

    Example:
        >>> print(ms.ops.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [2. 3.]
    """
    if not x.ndim and axis in (0, -1):  # as for sums, no axis counts as one
        axis = None
    return xp.cast(xp.mean(x, axes_of(axis), keepdims=keep_dims), x.dtype)


@op("mint.mean(input: x, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)")
def mean_as(xp, x: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Computes the mean over the axes given, by default over all.

    Shapes:
        `x` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

    Example:
        >>> print(ms.mint.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [2. 3.]
    """
    return mean.body(xp, x, axis, keep_dims)


@op(
    "ops.prod(input, axis=None, keep_dims=False, dtype=None)",
    "mint.prod(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    quirks=Quirks(rules={"mint.prod": {"axis": Scalar}}),
)
def prod(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False,
         dtype: DType = None):
    """Multiplies the elements over the axes given, by default over all.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`. Bools and small integers multiply as int64; other dtypes stay, unless `dtype`
        is given.

    Example:
        >>> print(ms.ops.prod(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [ 2. 12.]
    """
    if axis is None and keep_dims:
        raise ValueError("For 'prod', an axis must be given where the axes are to be kept.")
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
    """Multiplies the elements over the axes given, by default over all.

    Shapes:
        `x` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

    Example:
        >>> print(ms.ops.ReduceProd()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    return xp.cast(xp.prod(x, axes_of(axis), keepdims=keep_dims), x.dtype)


def _bounded(name, word, limit, body):
    """`ops.amax` and `ops.amin`, which take elements by a mask and a first value as well."""

    def bounded(xp, input: TensorOf(any_dtype), axis: Axis = None, keepdims: Bool = False,
                initial: InTensor(Number | Bool, ValueError) = None,
                where: TensorOf(any_dtype) | TensorOrNothing = None):
        if where is not None:
            if initial is None:
                raise ValueError(f"For '{name}', 'initial' must be given with 'where'.")
            kept = xp.cast(where, "bool")
            input = xp.where(kept, input, xp.full(input.shape, initial, input.dtype))
        out = body.body(xp, input, axis, keepdims)
        if initial is None:
            return out
        return getattr(xp, limit)(out, xp.full(out.shape, initial, out.dtype))

    def by_tensor(input, axis, keepdims, initial, where):
        initial = initial.astype(input.dtype).reshape(())
        if isinstance(where, Tensor):
            input = getitem.where.run(where.astype(dtypes.bool_), input, initial)
        return getattr(arithmetic, limit).run(body.run(input, axis, keepdims), initial)

    bounded.__name__ = name
    bounded.__doc__ = f"""The {word} element over the axes given; equal ones share the gradient.

    Args:
        initial (number): a value that takes part everywhere.
        where (Tensor): which elements take part; `initial` must be given with it. What is no
            Tensor is not looked at.
    """
    parameters = "axis=None, keepdims=False, *, initial=None, where=None"
    op(f"ops.{name}(input, {parameters})", quirks=Quirks(on_tape=by_tensor))(bounded)


@op(
    "ops.ReduceMax(keep_dims=False)(x: input, axis=())",
    "ops.reduce_max(x: input, axis=None, keep_dims=False)",
    "mint.amax(input, dim: axis=(), keepdim: keep_dims=False)",
    quirks=Quirks(
        rules={
            "mint.amax": {"input": TensorOf(real), "axis": Axes},
            "ops.ReduceMax": {"axis": Axes},
        }
    ),
)
def amax(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Finds the largest element over the axes given, by default over all. Equal ones share the
    gradient.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

    Example:
        >>> print(ms.ops.ReduceMax()(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), 0))
        [3. 5.]
    """
    return xp.max(input, axes_of(axis), keepdims=keep_dims)


@op(
    "ops.ReduceMin(keep_dims=False)(x: input, axis=())",
    "ops.reduce_min(x: input, axis=None, keep_dims=False)",
    "mint.amin(input, dim: axis=(), keepdim: keep_dims=False)",
    quirks=Quirks(
        rules={
            "mint.amin": {"input": TensorOf(real), "axis": Axes},
            "ops.ReduceMin": {"axis": Axes},
        }
    ),
)
def amin(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Finds the smallest element over the axes given, by default over all. Equal ones share the
    gradient.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keep_dims`; the dtype stays.

    Example:
        >>> print(ms.ops.ReduceMin()(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]), 0))
        [1. 4.]
    """
    return xp.min(input, axes_of(axis), keepdims=keep_dims)


_bounded("amax", "largest", "maximum", amax)
_bounded("amin", "smallest", "minimum", amin)


@op("ops.all(input, axis=None, keep_dims=False)",
    "ops.ReduceAll(keep_dims=False)(input, axis=None)",
    "ops.reduce_all(input, axis=None, keep_dims=False)",
    "mint.all(input, dim: axis=None, keepdim: keep_dims=False)")
def all(xp, input: TensorOf(any_dtype), axis: Axis = None, keep_dims: Bool = False):
    """Tells whether every element over the axes given is true, that is, not 0; by default over all.

    Shapes:
        `input` may have any shape. The result is bool and lacks the axes given, or has length 1
        there with `keep_dims`.

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
    """Tells whether some element over the axes given is true, that is, not 0; by default over all.

    Shapes:
        `input` may have any shape. The result is bool and lacks the axes given, or has length 1
        there with `keep_dims`.

    Example:
        >>> print(ms.ops.any(ms.Tensor([[True, False], [False, False]]), 1))
        [ True False]
    """
    return xp.any(input, axes_of(axis), keepdims=keep_dims)


def _floating(xp, x):
    """`x`, in float32 where it holds integers: no more is asked of it than of a float."""
    return xp.cast(x, "float32") if x.dtype.kind in "iub" else x


@op("ops.var(input, axis=None, ddof=0, keepdims=False)")
def var(xp, input: TensorOf(number), axis: Places = None, ddof: Int | Bool = 0,
        keepdims: Bool = False):
    """Computes the variance over the axes given: the sum of squared distances from the mean,
    divided by the count less `ddof`.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keepdims`; the dtype stays.

    Example:
        >>> print(ms.ops.var(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), 1))
        [1. 4.]
    """
    return xp.var(_floating(xp, input), axes_of(axis), ddof=int(ddof), keepdims=keepdims)


@op("ops.std(input, axis=None, ddof=0, keepdims=False)")
def std(xp, input: TensorOf(number), axis: Places = None, ddof: Int | Bool = 0,
        keepdims: Bool = False):
    """Computes the standard deviation over the axes given: the root of the sum of squared distances
    from the mean, divided by the count less `ddof`.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keepdims`; the dtype stays.

    Example:
        >>> print(ms.ops.std(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), 1))
        [1. 2.]
    """
    return xp.std(_floating(xp, input), axes_of(axis), ddof=int(ddof), keepdims=keepdims)


@op(
    "ops.logsumexp(input, dim, keepdim=False)",
    "Tensor.logsumexp(dim, keepdim=False)",
    "mint.logsumexp(input, dim, keepdim=False)",
    quirks=Quirks(rules=dict.fromkeys(("Tensor.logsumexp", "mint.logsumexp"),
                        {"dim": ScalarOf(Places, TypeError)})),
)
def logsumexp(xp, input: TensorOf(any_dtype), dim: Axes, keepdim: Bool = False):
    """Computes log(sum(exp(input))) over the axes given, without overflow.

    Shapes:
        `input` may have any shape. The result lacks the axes given, or has length 1 there with
        `keepdim`; the dtype stays.

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


# Extremes and where they stand --------------------------------------------------------------------


def _extreme(xp, input, axis, keepdims, find):
    if not input.ndim and axis in (0, -1):
        return input, xp.zeros((), "int64")
    at = find(input, axis)
    at = xp.expand_dims(at, axis)
    values = xp.take_along_axis(input, at, axis)
    if not keepdims:
        values, at = xp.squeeze(values, axis), xp.squeeze(at, axis)
    return values, at


@op("ops.ArgMaxWithValue(axis=0, keep_dims=False)(input)", compute="native")
def arg_max_with_value(xp, input: TensorOf(real, "bool"), axis: Scalar = 0,
                       keep_dims: Bool = False):
    """Finds the largest elements along an axis, as their positions and their values.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 there with
        `keep_dims`; the positions are int64 and the values keep the dtype.

    Example:
        >>> i, v = ms.ops.ArgMaxWithValue(axis=1)(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]))
        >>> print(i, v)
        [1 1] [5. 4.]
    """
    values, at = _extreme(xp, input, axis, keep_dims, xp.argmax)
    return xp.cast(at, "int64"), values


@op("ops.ArgMinWithValue(axis=0, keep_dims=False)(input)", compute="native")
def arg_min_with_value(xp, input: TensorOf(real, "bool"), axis: Scalar = 0,
                       keep_dims: Bool = False):
    """Finds the smallest elements along an axis, as their positions and their values.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 there with
        `keep_dims`; the positions are int64 and the values keep the dtype.

    Example:
        >>> i, v = ms.ops.ArgMinWithValue(axis=1)(ms.Tensor([[1.0, 5.0], [3.0, 4.0]]))
        >>> print(i, v)
        [0 0] [1. 3.]
    """
    values, at = _extreme(xp, input, axis, keep_dims, xp.argmin)
    return xp.cast(at, "int64"), values


@op(compute="native")
def max_along(xp, input: TensorOf(any_dtype), axis: Int, keepdims: Bool = False):
    """(values, int64 positions) of the largest elements along an axis."""
    values, at = _extreme(xp, input, axis, keepdims, xp.argmax)
    return values, xp.cast(at, "int64")


@op(compute="native")
def min_along(xp, input: TensorOf(any_dtype), axis: Int, keepdims: Bool = False):
    """(values, int64 positions) of the smallest elements along an axis."""
    values, at = _extreme(xp, input, axis, keepdims, xp.argmin)
    return values, xp.cast(at, "int64")


@op(
    "ops.argmax(input, dim=None, keepdim=False)",
    "mint.argmax(input, dim=None, keepdim=False)",
    compute="native",
)
def argmax(xp, input: TensorOf(any_dtype), dim: ScalarOf(Int) = None, keepdim: Bool = False):
    """Finds the position of the largest element along an axis, or in the flattened input where
    `dim` is None.

    Shapes:
        `input` may have any shape. The result is int64 and lacks the axis, or has length 1 there
        with `keepdim`.

    Example:
        >>> print(ms.ops.argmax(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [1 0]
    """
    return xp.cast(xp.argmax(input, dim, keepdims=keepdim and dim is not None), "int64")


@op("ops.argmin(input, axis=None, keepdims=False)", compute="native")
def argmin_int32(xp, input: TensorOf(any_dtype), axis: ScalarOf(Int) = None,
                 keepdims: Any = False):
    """Finds the position of the smallest element along an axis, or in the flattened input where
    `axis` is None.

    Shapes:
        `input` may have any shape. The result is int32 and lacks the axis, or has length 1 there
        with `keepdims`.

    Example:
        >>> print(ms.ops.argmin(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [0 1]
    """
    found = xp.argmin(input, axis, keepdims=keepdims and axis is not None)
    return xp.cast(found, "int32" if input.ndim else "int64")


@op("mint.argmin(input, dim: axis=None, keepdim: keepdims=False)", compute="native")
def argmin(xp, input: TensorOf(any_dtype), axis: Int | None = None, keepdims: Bool = False):
    """Finds the position of the smallest element along an axis, or in the flattened input where no
    axis is given.

    Shapes:
        `input` may have any shape. The result is int64 and lacks the axis, or has length 1 there
        with `keepdims`.

    Example:
        >>> print(ms.mint.argmin(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1))
        [0 1]
    """
    return xp.cast(xp.argmin(input, axis, keepdims=keepdims and axis is not None), "int64")


@op("ops.Argmax(axis=-1, output_type=int32)(input_x)", compute="native")
def argmax_as(xp, input_x: TensorOf(any_dtype), axis: ScalarOf(Int) = -1,
              output_type: DType("int32", "int64") = dtypes.int32):
    """Finds the position of the largest element along an axis.

    Shapes:
        `input_x` has at least one axis. The result lacks the axis and is of `output_type`, int32 or
        int64.

    Example:
        >>> print(ms.ops.Argmax()(ms.Tensor([[1.0, 5.0], [4.0, 3.0]])))
        [1 0]
    """
    return xp.cast(xp.argmax(input_x, axis), output_type)


@op("ops.Argmin(axis=-1, output_type=int32)(input_x)", compute="native")
def argmin_as(xp, input_x: TensorOf(any_dtype), axis: Scalar = -1,
              output_type: DType("int32", "int64") = dtypes.int32):
    """Finds the position of the smallest element along an axis.

    Shapes:
        `input_x` has at least one axis. The result lacks the axis and is of `output_type`, int32 or
        int64.

    Example:
        >>> print(ms.ops.Argmin()(ms.Tensor([[1.0, 5.0], [4.0, 3.0]])))
        [0 1]
    """
    return xp.cast(xp.argmin(input_x, axis), output_type)


# Cumulative ---------------------------------------------------------------------------------------


@op("ops.CumSum(exclusive=False, reverse=False)(input, axis)")
def cum_sum(xp, input: TensorOf(number), axis: Scalar, exclusive: Bool = False,
            reverse: Bool = False):
    """Adds up the elements along an axis; each result is the sum of all elements so far.

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
    if reverse:
        input = xp.flip(input, axis)
    out = xp.cumsum(input, axis)
    if exclusive:
        out = out - input
    return xp.cast(xp.flip(out, axis) if reverse else out, input.dtype)


@op("ops.cumsum(x, axis, dtype=None)")
def cumsum_as_is(xp, x: TensorOf(number), axis: ScalarOf(Int), dtype: DType = None):
    """Adds up the elements along an axis; each result is the sum of all elements so far.

    Shapes:
        `x` may have any shape with at least one axis. The result has the same shape, and the dtype
        of `x` unless `dtype` is given.

    Example:
        >>> print(ms.ops.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [[1. 3.]
         [3. 7.]]
    """
    x = x if dtype is None else xp.cast(x, dtype)
    return xp.cast(xp.cumsum(x, axis), x.dtype)


@op("mint.cumsum(input: x, dim: axis, dtype=None)")
def cumsum(xp, x: TensorOf(any_dtype), axis: Int | None, dtype: DType = None):
    """Adds up the elements along an axis; each result is the sum of all elements so far.

    Shapes:
        `x` may have any shape with at least one axis. The result has the same shape; small integers
        add up as int64, unless `dtype` is given.

    Example:
        >>> print(ms.mint.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [[1. 3.]
         [3. 7.]]
    """
    if dtype is not None:
        x = xp.cast(x, dtype)
    elif x.dtype.kind in "iub":
        x = xp.cast(x, "int64")
    return xp.cumsum(x, axis)


@op("ops.cumprod(input, dim, dtype=None)", "Tensor.cumprod(dim, dtype=None)",
    "mint.cumprod(input, dim, dtype=None)")
def cumprod(xp, input: TensorOf(any_dtype), dim: ScalarOf(Int), dtype: DType = None):
    """Multiplies up the elements along an axis; each result is the product of all elements so far.

    Shapes:
        `input` may have any shape with at least one axis. The result has the same shape; integers
        and bools multiply as int64, unless `dtype` is given.

    Example:
        >>> print(ms.ops.cumprod(ms.Tensor([1.0, 2.0, 3.0, 4.0]), 0))
        [ 1.  2.  6. 24.]
    """
    if dtype is not None:
        input = xp.cast(input, dtype)
    elif input.dtype.kind in "iub":
        input = xp.cast(input, "int64")
    return xp.cast(xp.cumprod(input, dim), input.dtype)


# Norms --------------------------------------------------------------------------------------------


def _vector_norm(xp, x, order, axis, keepdims):
    size = xp.abs(x)
    if order == float("inf"):
        return xp.max(size, axis, keepdims=keepdims)
    if order == float("-inf"):
        return xp.min(size, axis, keepdims=keepdims)
    if order == 0:
        return xp.cast(xp.sum(x != 0, axis, keepdims=keepdims), size.dtype)
    if order == 1:
        return xp.sum(size, axis, keepdims=keepdims)
    if order == 2:
        total = xp.sum(size * size, axis, keepdims=keepdims)
        positive = total > 0
        return xp.where(positive, xp.sqrt(xp.where(positive, total, xp.ones_like(total))),
                        0 * total)
    return rooted(xp, xp.sum(xp.power(size, order), axis, keepdims=keepdims), order)


def rooted(xp, total, order):
    """The root of sums of powers, whose slope is 0 at 0."""
    positive = total > 0
    root = xp.power(xp.where(positive, total, xp.ones_like(total)), 1 / order)
    return xp.where(positive, root, 0 * total)


def _matrix_norm(xp, x, order, axes, keepdims):
    rows, columns = (a % x.ndim for a in axes)
    if order == "nuc" or order in (2, -2):
        values = xp.linalg_svd_values(xp.moveaxis(x, (rows, columns), (-2, -1)))
        found = {"nuc": xp.sum, 2: xp.max, -2: xp.min}[order](values, -1)
        return xp.expand_dims(found, (rows, columns)) if keepdims else found
    if order not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"For 'norm', the order of a norm of matrices must be 1, -1, 2, -2, inf, "
                         f"-inf, 'fro' or 'nuc', but got {order!r}.")
    total = xp.sum(xp.abs(x), columns if abs_order(order) else rows, keepdims=True)
    pick = xp.max if order > 0 else xp.min
    found = pick(total, (rows, columns), keepdims=True)
    return found if keepdims else xp.squeeze(found, (rows, columns))


def abs_order(order):
    """True for the norms that add up rows (inf), False for those that add up columns (1)."""
    return order in (float("inf"), float("-inf"))


@op(
    "ops.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    "Tensor.norm(ord=None, dim=None, keepdim=False, *, dtype=None)",
    "mint.linalg.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    quirks=Quirks(rules=dict.fromkeys(("ops.norm", "Tensor.norm"), {
        "keepdim": Truth, "ord": Number | Str | CellOf("Tensor") | None})),
)
def norm(xp, A: TensorOf(any_dtype), ord: Number | Str | None = None, dim: Axis = None,
         keepdim: Bool = False):
    """Computes the norm of vectors or matrices.

    Without `ord` it is the root of the sum of squares, of all elements or over `dim`. With an
    order, one axis in `dim` means vectors and two axes mean matrices.

    A Tensor holds the order of a norm of vectors; of matrices it asks for the Frobenius norm. Norms
    of complex vectors, and Frobenius norms, are complex as well.

    Shapes:
        `A` may have any shape. The result lacks the axes of `dim`, or has length 1 there with
        `keepdim`; floats keep their dtype.

    Example:
        >>> print(ms.ops.norm(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1))
        [ 5. 10.]
        >>> print(ms.ops.norm(ms.Tensor([[3.0, 4.0], [6.0, 8.0]]), ord=1, dim=(0, 1)))
        12.0
    """
    axis = axes_of(dim)
    if isinstance(ord, Tensor):
        matrices = A.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2
        ord = "fro" if matrices else ord.asnumpy().item()
    A = _floating(xp, A)
    if ord is None or ord == "fro" and not isinstance(axis, int):
        return xp.cast(_vector_norm(xp, A, 2, axis, keepdim), A.dtype)
    if axis is None:
        axis = (0, 1) if A.ndim == 2 else 0
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, int):
        if isinstance(ord, str):
            raise TypeError(f"For 'norm', 'ord' must be a number for vectors, but got {ord!r}.")
        return xp.cast(_vector_norm(xp, A, ord, axis, keepdim), A.dtype)
    return _matrix_norm(xp, A, ord, axis, keepdim)


# Names whose meaning hangs on how they are called -------------------------------------------------


@public("ops.max")
@checked
def max(input: TensorOf(any_dtype), axis: Int | None = None, keepdims: Any = False, *,
        initial=None, where=None):
    """(values, positions) of the largest elements along `axis`; over everything if it is None.

    Args:
        input (Tensor): any real dtype.
        axis (Union[int, None]): the axis. Default: None.
        keepdims (bool): True to keep the axis with length 1.
        initial (Union[scalar, None]): a lower bound of the result; not looked at without an axis.
        where (Union[Tensor[bool], None]): which elements count; needs `initial`. Not looked at
            without an axis, nor a number without `initial`.

    Source: mindspore.ops.max of MindSpore 2.10.
    """
    return _both(input, axis, keepdims, initial, where, amax, max_along, "maximum")


@public("ops.min")
@checked
def min(input: TensorOf(any_dtype), axis: Int | None = None, keepdims: Any = False, *,
        initial=None, where=None):
    """(values, positions) of the smallest elements along `axis`; over everything if it is None.

    The arguments are those of `max`, with `initial` an upper bound.

    Source: mindspore.ops.min of MindSpore 2.10.
    """
    return _both(input, axis, keepdims, initial, where, amin, min_along, "minimum")


def _both(input, axis, keepdims, initial, where, over_all, along, bound):
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'max', 'input' must be a Tensor, but got {type(input).__name__}.")
    if axis is None or input.ndim == 0:
        values = over_all.run(input, None, False)
        return values, Tensor(0, dtype=dtypes.int64)
    if where is not None and not (initial is None and isinstance(where, (bool, int, float))):
        if initial is None:
            raise ValueError("For 'max' and 'min', 'initial' must be given with 'where'.")
        where = where if isinstance(where, Tensor) else Tensor(where)
        input = getitem.where.run(where, input, initial)
    if initial is not None:
        input = getattr(arithmetic, bound).run(input, initial)
    return along.run(input, axis, keepdims)
