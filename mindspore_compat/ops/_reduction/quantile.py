"""Medians and quantiles."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from .._shape.axes import axis_of

Share = TensorOf("float32", "float64") | Float
Ranked = TensorOf("int16", "int32", "int64", "float32", "float64")


def _median(xp, input, axis, keepdims):
    """Returns the lower median along an axis and its position; of elements with a NaN, the first
    NaN."""
    rank = (input.shape[axis_of(axis, input)] - 1) // 2
    at = xp.index_of_rank(input, axis, rank=rank, nan_first=True)
    values = xp.take_along_axis(input, at, axis)
    return (values, at) if keepdims else (xp.squeeze(values, axis), xp.squeeze(at, axis))


@op("ops.median(input, axis=-1, keepdims=False)", compute="native")
def median(xp, input: Ranked, axis: Int = -1, keepdims: Bool = False):
    """Computes the median along an axis, the lower of the two middle elements, and its position.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 along it with
        `keepdims`; the values keep the dtype, the positions are int64.

    Example:
        >>> v, i = ms.ops.median(ms.Tensor([[3.0, 1.0, 2.0, 4.0]]), axis=1)
        >>> print(v, i)
        [2.] [2]
    """
    if input.ndim == 0:
        return input, xp.zeros((), "int64")
    values, at = _median(xp, input, axis, keepdims)
    return values, xp.cast(at, "int64")


@op(compute="native")
def median_of_all(xp, input: Anything):
    """Returns the lower median of all elements."""
    return _median(xp, xp.ravel(input), 0, False)[0]


@public("ops.Median")
class Median:
    """The class form of `ops.median`; with `global_median`, it computes the median of all elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Median(global_median=True)(ms.Tensor([1.0, 3.0, 2.0]))[0])
        2.0

    Source: mindspore.ops.Median of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        global_median: Bool = False,
        axis: Int = 0,
        keep_dims: Bool = False,
        ignore_nan: Bool = False,
    ):
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
    """Computes the lower median of all elements, or (medians, positions) along an axis.

    Args:
        input (Tensor): the input.
        dim (int): the axis; None for all elements.
        keepdim (bool): whether the axis remains, with length 1. Default: False.

    Returns:
        Tensor of shape (), or, with `dim`, a tuple of two Tensors: the medians and their int64
        positions.

    Raises:
        TypeError: if `input` is not a Tensor.
        ValueError: if `dim` does not exist, or there are no elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.median(ms.Tensor([1.0, 3.0, 2.0])))
        2.0
    """
    if dim is None:
        return median_of_all.run(input)
    Bool.refuse("median", "keepdim", keepdim)
    return median.run(input, dim, keepdim)


@op(
    "ops.nanmedian(input, axis=-1, keepdims=False)",
    "Tensor.nanmedian(axis=-1, keepdims=False)",
    compute="native",
)
def nanmedian(xp, input: Ranked, axis: Int = -1, keepdims: Bool = False):
    """Computes the median of the elements that are not NaN along an axis, the lower of the two
    middle elements, and its position.

    Shapes:
        `input` may have any shape. Both results lack the axis, or have length 1 along it with
        `keepdims`; the values keep the dtype, the positions are int64.

    Example:
        >>> v, i = ms.ops.nanmedian(ms.Tensor([3.0, np.nan, 1.0, 2.0]))
        >>> print(v, i)
        2.0 3
    """
    if not input.ndim:
        return input, xp.zeros((), "int64")
    at = xp.index_of_median(input, axis_of(axis, input))
    values = xp.take_along_axis(input, at, axis)
    if not keepdims:
        values, at = xp.squeeze(values, axis), xp.squeeze(at, axis)
    return values, xp.cast(at, "int64")


def _quantile(xp, ordered, count, q, axis):
    """Returns the quantiles at fractions `q` of `count` sorted elements, linearly interpolated."""
    index = q * (count - 1)
    low = xp.cast(xp.floor(index), "int64")
    high = xp.minimum(low + 1, count - 1)
    weight = xp.cast(index - low, ordered.dtype)
    below, above = xp.take_along_axis(ordered, low, axis), xp.take_along_axis(ordered, high, axis)
    return below + weight * (above - below)


def _quantiles(xp, input, q, axis, keepdims, ignore_nan):
    rank = input.ndim
    if q.ndim > 1 or bool(xp.any((q < 0) | (q > 1))):
        raise ValueError(
            f"For 'quantile', 'q' must be in [0, 1] with at most one axis, but got shape {q.shape}."
        )
    if axis is None:
        input, axis = xp.reshape(input, (-1,)), 0
    sorted_input = xp.sort(xp.moveaxis(input, axis, -1), -1)
    missing = xp.sum(xp.isnan(sorted_input), -1, keepdims=True)
    count = (
        sorted_input.shape[-1] - missing
        if ignore_nan
        else xp.full(missing.shape, sorted_input.shape[-1])
    )
    count = xp.maximum(count, 1)
    parts = []
    for fraction in xp.reshape(q, (-1,)):
        part = _quantile(xp, sorted_input, count, fraction, -1)
        parts.append(part if ignore_nan else xp.where(missing > 0, float("nan"), part))
    result = xp.stack([xp.squeeze(p, -1) for p in parts], 0)
    if keepdims:
        axes = tuple(range(1, rank + 1)) if result.ndim == 1 else axis % rank + 1
        result = xp.expand_dims(result, axes)
    return result if q.ndim else xp.squeeze(result, 0)


@op(
    "ops.quantile(input, q, axis=None, keepdims=False)",
    "Tensor.quantile(q, axis=None, keepdims=False)",
)
def quantile(
    xp,
    input: TensorOf("float32", "float64"),
    q: Share,
    axis: Int | None = None,
    keepdims: Bool = False,
):
    """Computes the quantiles at the fractions `q`, along an axis or over all elements. A quantile
    between two elements is linearly interpolated.

    Shapes:
        `input` is float32 or float64 of any shape. If `q` has an axis, it is the first axis of the
        result; the axes of `input` follow, without `axis`, or with length 1 along it with
        `keepdims`.

    Example:
        >>> print(ms.ops.quantile(ms.Tensor([1.0, 2.0, 3.0, 5.0]), ms.Tensor([0.0, 0.5, 1.0])))
        [1.  2.5 5. ]
    """
    return _quantiles(xp, input, q, axis, keepdims, ignore_nan=False)


@op(
    "ops.nanquantile(input, q, axis=None, keepdims=False)",
    "Tensor.nanquantile(q, axis=None, keepdims=False)",
)
def nanquantile(
    xp,
    input: TensorOf("float32", "float64"),
    q: Share,
    axis: Int | None = None,
    keepdims: Bool = False,
):
    """Computes the quantiles at the fractions `q` of the elements that are not NaN.

    Shapes:
        `input` is float32 or float64 of any shape. If `q` has an axis, it is the first axis of the
        result; the axes of `input` follow, without `axis`, or with length 1 along it with
        `keepdims`.

    Example:
        >>> print(ms.ops.nanquantile(ms.Tensor([1.0, np.nan, 3.0]), 0.5))
        2.0
    """
    return _quantiles(xp, input, q, axis, keepdims, ignore_nan=True)


@op("ops.Quantile(dim=None, keep_dims=False, ignore_nan=False)(input, q)")
def quantile_primitive(
    xp,
    input: TensorOf("float32", "float64"),
    q: TensorOf("float32", "float64", scalars=True),
    dim: Int | None = None,
    keep_dims: Bool = False,
    ignore_nan: Bool = False,
):
    """Computes the quantiles at the fractions `q`, along an axis or over all elements. `ignore_nan`
    skips NaN.

    Shapes:
        `input` is float32 or float64 of any shape. If `q` has an axis, it is the first axis of the
        result; the axes of `input` follow, without `dim`, or with length 1 along it with
        `keep_dims`.

    Example:
        >>> print(ms.ops.Quantile()(ms.Tensor([1.0, 2.0, 3.0, 5.0]), ms.Tensor([0.0, 0.5])))
        [1.  2.5]
    """
    return _quantiles(xp, input, q, dim, keep_dims, ignore_nan)
