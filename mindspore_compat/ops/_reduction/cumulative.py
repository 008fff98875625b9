"""Cumulative extremes, products and sums; differences and integrals along an axis."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import AsValue, Bool, Float, Int, ScalarOf, TensorOf, any_dtype, real
from .._shape.axes import axis_of

Anything = TensorOf(any_dtype)
Place = ScalarOf(Int, TypeError)
Floating = TensorOf("float16", "float32", "float64")


def _extreme_so_far(xp, input, axis, largest):
    """The extremes up to each place and where they stand."""
    if not input.size:
        return input, xp.zeros(input.shape, "int64")
    at = xp.place_so_far(input, axis, largest=largest)
    return xp.take_along_axis(input, at, axis), at


@op(
    "ops.cummax(input, axis)",
    "ops.Cummax(axis)(input)",
    "Tensor.cummax(axis)",
    "mint.cummax(input, dim: axis)",
    compute="native",
    quirks=Quirks(rules={"mint.cummax": {"input": TensorOf(real)}}),
)
def cummax(xp, input: Anything, axis: ScalarOf(Int, TypeError)):
    """(the largest element so far, its int64 position) along an axis."""
    return _extreme_so_far(xp, input, axis, True)


@op(
    "ops.cummin(input, axis)",
    "ops.Cummin(axis)(input)",
    "Tensor.cummin(axis)",
    compute="native",
    quirks=Quirks(rules={"ops.Cummin": {"axis": ScalarOf(Int)}}),
)
def cummin(xp, input: Anything, axis: Int):
    """(the smallest element so far, its int32 position) along an axis."""
    values, at = _extreme_so_far(xp, input, axis, False)
    return values, xp.cast(at, "int32")


@op("mint.cummin(input, dim: axis)", compute="native")
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


@op(
    "ops.diff(x, n=1, axis=-1, prepend=None, append=None)",
    "Tensor.diff(n=1, axis=-1, prepend=None, append=None)",
    quirks=Quirks(rules={"ops.diff": {"axis": ScalarOf(Int)}}),
)
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


@op("ops.trapz(y, x=None, *, dx=1.0, dim=-1)", compute="native")
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
