"""mindspore.numpy: sums, extremes, means and spreads over axes, with and without NaN; public
through `math_ops`.

Input and result dtypes are those observed in MindSpore 2.10.
"""

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any, Bool, DType, Int
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise import arithmetic, comparison, division, elementary, logical, maximum
from ..ops._elementwise.cast import cast, named_dtype
from ..ops._reduction import cumulative, min_max, statistics
from ..ops._reduction import reduce as reduce_ops
from ._convert import (
    as_tensor,
    axes_of,
    axis_of,
    floats,
    is_int,
    need_tensor,
    refuse_complex,
    scalar,
    with_dtype,
)

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    return function


@_public
@checked
def sum(a, axis=None, dtype: DType = None, keepdims: Bool = False, initial=None):
    """Computes the sum over axes; int64 for ints and bools.

    Args:
        a (Union[Tensor, number, list, tuple]): the values.
        axis (Union[int, tuple, list, None]): the axes; None or an empty sequence means all.
        dtype (mindspore.dtype): the dtype of the result.
        keepdims (bool): whether the axes are kept with length 1.
        initial (number): a number that is added to the sum.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.sum(ms.Tensor([[1, 2], [3, 4]]), axis=0))
        [4 6]

    Source: mindspore.numpy.sum of MindSpore 2.10.
    """
    a = as_tensor(a, "sum")
    start = None if initial is None else scalar(initial, "initial", "sum")
    axes = axes_of(axis, a.ndim, "sum") or None
    upcast = cast.run(a, "int64") if a._array.dtype.name in _WIDENED else a
    upcast = reduce_ops.reduce_sum.run(with_dtype(upcast, dtype, "sum"), axes, keepdims)
    return with_dtype(upcast if start is None else upcast + start, dtype, "sum")


_WIDENED = {"bool", "int8", "int16", "int32", "uint8"}


@_public
@checked
def mean(a, axis=None, keepdims: Bool = False, dtype=None):
    """Computes the mean over axes, in the input's dtype (ints are truncated).

    Raises:
        TypeError: if an argument has the wrong type, or `a` holds bools.
        ValueError: if an axis is out of range or occurs twice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
        [2. 3.]

    Source: mindspore.numpy.mean of MindSpore 2.10.
    """
    a = as_tensor(a, "mean")
    axes = _axes(axis, a, "mean", bools=True)
    if a.dtype == dtypes.bool_:
        raise TypeError("For 'mean', the input must not hold bools.")
    return with_dtype(reduce_ops.mean.run(a, axes, keepdims), dtype, "mean")


def _axes(axis, tensor, api, bools=False, lists=True):
    """Returns the axes of a reduction, None for all; a 0-D Tensor accepts no axis.

    Raises:
        TypeError: if they are not ints.
        ValueError: if an axis is out of range or occurs twice.
    """
    if isinstance(axis, list) and not lists:
        raise TypeError(f"For '{api}', 'axis' must be an int or a tuple of ints, but got {axis}.")
    indices = axes_of(axis, tensor.ndim, api, bools)
    if not tensor.ndim and axis not in (None, (), []):
        raise ValueError(f"For '{api}', the input has no axis, but got axis {axis}.")
    return indices or None


def _deviation(path, op, numbers):
    name = path.removeprefix("numpy.")

    def function(x, axis=None, ddof: numbers = 0, keepdims: Bool = False):
        x = as_tensor(x, name)
        refuse_complex(name, x)
        if x.dtype == dtypes.bool_:
            raise TypeError(f"For '{name}', the input must not hold bools.")
        x = floats(x)
        axes = _axes(axis, x, name, lists=False)
        if x.size == 0:
            return reduce_ops.mean.run(x, axes, keepdims)
        count = x.size if axes is None else _count(x, axes)
        plain = op.run(x, axes, 0, keepdims)
        return plain if not ddof else _rescale(name, plain, count, ddof)

    function.__name__ = function.__qualname__ = name
    kind, expected = ("standard deviation", 2.0) if name == "std" else ("variance", 4.0)
    function.__doc__ = f"""The {kind} over the axes given, of squares divided by the count less
    `ddof`; float32 for ints.

    Raises:
        TypeError: if an argument has the wrong type, or `x` holds bools or complex numbers.
        ValueError: if an axis is out of range or named twice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.{name}(ms.Tensor([1.0, 5.0])))
        {expected}
    """
    return checked(function)


def _count(x, axes):
    total = 1
    for axis in axes:
        total *= x.shape[axis]
    return total


def _rescale(name, plain, count, ddof):
    """Converts a spread with divisor `count` to one with divisor `count - ddof`."""
    ratio = count / (count - ddof) if count != ddof else float("inf")
    if name == "var":
        return plain * ratio
    return plain * (ratio**0.5 if ratio >= 0 else float("nan"))


std = _deviation("numpy.std", reduce_ops.std, Int)
var = _deviation("numpy.var", reduce_ops.var, Int | Bool)
__all__ += ["std", "var"]


def _extreme(paths, over, pick):
    name = paths[0].removeprefix("numpy.")

    def function(a, axis=None, keepdims: Bool = False, initial=None, where=True):
        x = need_tensor(a, name)
        refuse_complex(name, x)
        if not x.size:
            raise ValueError(
                f"For '{name}', the input must have elements, but got shape {x.shape}."
            )
        first = None if initial is None else scalar(initial, "initial", name)
        mask = _mask(where, name)
        if mask is not None:
            if first is None:
                raise ValueError(f"For '{name}', 'initial' must be given where 'where' is.")
            x = build("ops", "where")(mask, x, cast.run(first, x._array.dtype))
        result = over.run(x, _axes(axis, x, name, bools=True), keepdims)
        return result if first is None else pick.run(result, cast.run(first, x._array.dtype))

    function.__name__ = function.__qualname__ = name
    kind, expected = ("largest", "[4 5]") if name == "amax" else ("smallest", "[1 2]")
    function.__doc__ = f"""The {kind} element of a Tensor over the axes given; `initial` is a number
    that counts as one more element, `where` says which elements count.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range, the Tensor is empty, or `where` is given without
            `initial`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.{name}(ms.Tensor([[1, 5], [4, 2]]), axis=0))
        {expected}
    """
    return checked(function)


def _mask(where, api):
    """Returns a mask as a bool Tensor; None for one that is true everywhere."""
    if where is None:
        return None
    if isinstance(where, (int, float)) and where:
        return None
    mask = as_tensor(where, api)
    if not mask.ndim and mask.size and bool(mask):
        return None
    return cast.run(mask, "bool")


amax = max = _extreme(("numpy.amax", "numpy.max"), min_max.amax, maximum.maximum)
amin = min = _extreme(("numpy.amin", "numpy.min"), min_max.amin, maximum.minimum)
__all__ += ["amax", "max", "amin", "min"]


@_public
@checked
def ptp(x, axis=None, keepdims: Bool = False):
    """Computes the peak-to-peak value, maximum minus minimum, of a Tensor over axes.

    Raises:
        TypeError: if an argument has the wrong type, or the Tensor holds bools or complex numbers.
        ValueError: if an axis is out of range or occurs twice, or the Tensor is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ptp(ms.Tensor([[1, 5], [4, 3]]), axis=1))
        [4 1]

    Source: mindspore.numpy.ptp of MindSpore 2.10.
    """
    x = need_tensor(x, "ptp")
    refuse_complex("ptp", x)
    axes = _axes(axis, x, "ptp", bools=True, lists=False)
    if x.dtype == dtypes.bool_:
        raise TypeError("For 'ptp', the input must not hold bools.")
    if not x.size:
        raise ValueError(f"For 'ptp', the input must have elements, but got shape {x.shape}.")
    return min_max.amax.run(x, axes, keepdims) - min_max.amin.run(x, axes, keepdims)


@_public
def average(x, axis=None, weights=None, returned=False):
    """Computes the (weighted) average of a Tensor and, with `returned`, the sum of the weights.

    Args:
        x (Tensor): the values; without weights the result has their dtype.
        axis (Union[int, tuple[int], None]): the axes; None means all.
        weights (Tensor): of the shape of `x`, or a vector along a single `axis`.
        returned (bool): whether the sum of the weights is returned, too.

    Raises:
        TypeError: if an argument has the wrong type, `x` is complex, or the shapes differ and no
            axis is given or the weights are not a vector.
        ValueError: if an axis is out of range, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.average(ms.Tensor([1.0, 3.0]), weights=ms.Tensor([3.0, 1.0])))
        1.5

    Source: mindspore.numpy.average of MindSpore 2.10.
    """
    x = need_tensor(x, "average")
    refuse_complex("average", x)
    axes = _axes(axis, x, "average", lists=False)
    if weights is None:
        result = reduce_ops.mean.run(x, axes, False)
        total = build("ops", "full_like")(result, x.size // result.size if result.size else 0)
        return (result, total) if returned else result
    weights = need_tensor(weights, "average")
    refuse_complex("average", weights)
    whole = _weights(x, weights, axis)
    total = reduce_ops.reduce_sum.run(whole, axes, False)
    weighted_sum = reduce_ops.reduce_sum.run(arithmetic.mul.run(x, whole), axes, False)
    result = division.div.run(weighted_sum, total)
    result = cast.run(result, promote_np(x._array.dtype, weights._array.dtype))
    return (result, cast.run(total, weights._array.dtype)) if returned else result


def _weights(x, weights, axis):
    """Returns the weights in the shape of `x`."""
    if weights.dtype == dtypes.bool_:
        weights = cast.run(weights, "int32")
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise TypeError(
            "For 'average', 'axis' must be given where the shapes of 'x' and 'weights' differ."
        )
    if weights.ndim != 1 or not is_int(axis):
        raise TypeError(
            f"For 'average', 'weights' must be a vector or have the shape of 'x', but "
            f"got {weights.shape}."
        )
    if weights.shape[0] not in (1, x.shape[axis]):
        raise ValueError(
            f"For 'average', 'weights' must have the length of the axis, but got {weights.shape}."
        )
    return weights.reshape((-1,) + (1,) * (x.ndim - axis % x.ndim - 1)).broadcast_to(x.shape)


@_public
@checked
def cumsum(a, axis: Int = None, dtype=None):
    """Computes the cumulative sum of a Tensor along an axis, or over all elements in order.

    Bools and ints below 32 bits become int32.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.cumsum(ms.Tensor([1, 2, 3])))
        [1 3 6]

    Source: mindspore.numpy.cumsum of MindSpore 2.10.
    """
    a = need_tensor(a, "cumsum")
    dtype = _own_dtype(dtype)
    if axis is not None and not a.ndim:
        raise ValueError(f"For 'cumsum', the input has no axis, but got axis {axis}.")
    kind = a._array.dtype
    upcast = cast.run(a, "int32") if kind.kind in "biu" and kind.name in _SMALL else a
    result = _running(cumulative.cumsum_as_is, upcast, axis, "cumsum")
    return with_dtype(cast.run(result, upcast._array.dtype), dtype, "cumsum")


def _own_dtype(dtype):
    """Returns a MindSpore dtype, `bool` or None.

    Raises:
        TypeError: if it is anything else.
    """
    if dtype is not None and dtype is not bool and not isinstance(dtype, dtypes.Type):
        raise TypeError(f"For 'cumsum', 'dtype' must be a mindspore dtype, but got {dtype!r}.")
    return dtype


_SMALL = {"bool", "int8", "int16", "uint8"}


def _running(op, a, axis, api):
    flat = a.reshape(-1) if axis is None else a
    return op.run(flat, 0 if axis is None else axis_of(axis, flat.ndim, api))


@_public
@checked
def cumprod(a, axis: Int = None, dtype=None):
    """Computes the cumulative product along an axis, or over all elements in order.

    Bools and ints below 32 bits become int32, unsigned ones uint32; the ints of a list become
    int64.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.cumprod(ms.Tensor([1, 2, 3])))
        [1 2 6]

    Source: mindspore.numpy.cumprod of MindSpore 2.10.
    """
    original, a = a, as_tensor(a, "cumprod")
    kind = a._array.dtype
    if kind.kind in "biu" and kind.itemsize < 4:
        a = cast.run(a, "uint32" if kind.kind == "u" else "int32")
    elif not isinstance(original, Tensor) and kind.kind == "i":
        a = cast.run(a, "int64")
    result = _running(cumulative.cumprod, a, axis, "cumprod")
    return with_dtype(cast.run(result, a._array.dtype), dtype, "cumprod")


@_public
@checked
def count_nonzero(x, axis=None, keepdims: Bool = False):
    """Counts the nonzero elements of a Tensor over axes; int32.

    Raises:
        TypeError: if an argument has the wrong type, or the Tensor holds bools.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.count_nonzero(ms.Tensor([0, 1, 2])))
        2

    Source: mindspore.numpy.count_nonzero of MindSpore 2.10.
    """
    x = need_tensor(x, "count_nonzero")
    if x.dtype == dtypes.bool_:
        raise TypeError("For 'count_nonzero', the input must not hold bools.")
    axes = _axes(axis, x, "count_nonzero")
    return statistics.count_nonzero.run(x, () if axes is None else axes, keepdims, "int32")


# Without NaN --------------------------------------------------------------------------------------


def _nan(path, fill, reduce, keep):
    name = path.removeprefix("numpy.")

    def function(a, axis=None, dtype=None, keepdims: keep = False):
        x = as_tensor(a, name)
        refuse_complex(name, x)
        axes = _axes(axis, x, name, bools=True)
        if not x.size and name != "nansum":
            return with_dtype(reduce_ops.mean.run(x, axes, bool(keepdims)), dtype, name)
        if x._array.dtype.kind == "f":
            x = _replace_nan(x, fill)
        return with_dtype(reduce(x, axes, bool(keepdims)), dtype, name)

    function.__name__ = function.__qualname__ = name
    expected = {"nanmax": 5.0, "nanmin": 1.0, "nansum": 6.0}[name]
    function.__doc__ = f"""`{name[3:]}` over the axes given of what is not NaN, in its dtype.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.{name}(ms.Tensor([1.0, float('nan'), 5.0])))
        {expected}
    """
    globals()[name] = _public(checked(function))


_nan(
    "numpy.nanmax", float("-inf"), lambda x, axis, keep: min_max.amax.run(x, axis, keep), Int | Bool
)
_nan(
    "numpy.nanmin", float("inf"), lambda x, axis, keep: min_max.amin.run(x, axis, keep), Int | Bool
)
_nan("numpy.nansum", 0.0, lambda x, axis, keep: reduce_ops.reduce_sum.run(x, axis, keep), Any)


@_public
@checked
def nancumsum(a, axis: Int = None, dtype=None):
    """Computes the cumulative sum of a Tensor with NaN as 0.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if the axis is out of range.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.nancumsum(ms.Tensor([1.0, np.nan, 2.0])))
        [1. 1. 3.]

    Source: mindspore.numpy.nancumsum of MindSpore 2.10.
    """
    a = need_tensor(a, "nancumsum")
    refuse_complex("nancumsum", a)
    if a._array.dtype.kind == "f":
        a = _replace_nan(a, 0.0)
    return cumsum(a, axis, dtype)


def _replace_nan(x, fill):
    """Replaces NaN in `x` by a number."""
    return cast.run(build("ops", "where")(comparison.isnan.run(x), fill, x), x._array.dtype)


def _single(a, api):
    """Casts to the dtype in which statistics without NaN are computed: float32, or float64 for
    float64."""
    x = as_tensor(a, api)
    refuse_complex(api, x)
    return x if x._array.dtype == "float64" else cast.run(x, "float32")


@_public
def nanmean(a, axis=None, dtype=None, keepdims=False):
    """Computes the mean of elements that are not NaN; float32, or float64 for float64.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if an axis is out of range.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.nanmean(ms.Tensor([1.0, np.nan, 2.0])))
        1.5

    Source: mindspore.numpy.nanmean of MindSpore 2.10.
    """
    x = _single(a, "nanmean")
    axes, keepdims = _axes(axis, x, "nanmean", bools=True), bool(keepdims)
    if dtype is None:
        return statistics.nanmean.run(x, axes, keepdims)
    target = dtypes.to_numpy(named_dtype("nanmean", dtype))
    if target.kind in "iub":  # the sum has the dtype, its quotient is a float
        total = cast.run(statistics.nansum.run(x, axes, keepdims), target)
        count = reduce_ops.reduce_sum.run(_not_nan(x), axes, keepdims)
        return division.real_div.run(cast.run(total, "float32"), count)
    result = statistics.nanmean.run(x, axes, keepdims)
    return cast.run(result, "float64" if target == "float64" else "float32")


def _not_nan(x):
    """Returns 1 for each number, and 0 for NaN."""
    return cast.run(logical.logical_not.run(comparison.isnan.run(x)), "float32")


@_public
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """Computes the variance of elements that are not NaN, with divisor count - `ddof`; float32.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if an axis is out of range.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.nanvar(ms.Tensor([1.0, np.nan, 3.0])))
        1.0

    Source: mindspore.numpy.nanvar of MindSpore 2.10.
    """
    return with_dtype(_nanvar(a, axis, ddof, keepdims, "nanvar"), dtype, "nanvar")


def _nanvar(a, axis, ddof, keepdims, api):
    x, ddof = _single(a, api), _ddof(ddof, api)
    axes, keepdims = _axes(axis, x, api, bools=True), bool(keepdims)
    is_number = cast.run(logical.logical_not.run(comparison.isnan.run(x)), x._array.dtype)
    gap = x - statistics.nanmean.run(x, axes, True)
    squares = statistics.nansum.run(gap * gap, axes, keepdims)
    return cast.run(
        squares / (reduce_ops.reduce_sum.run(is_number, axes, keepdims) - ddof), "float32"
    )


def _ddof(value, api):
    if isinstance(value, (int, float, Tensor)):
        return value
    raise TypeError(f"For '{api}', 'ddof' must be a number, but got {value!r}.")


@_public
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """Computes the standard deviation of elements that are not NaN, the square root of `nanvar`.

    Raises:
        TypeError: if `a` is not array-like.
        ValueError: if `axis` is out of range or names an axis twice.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.nanstd(ms.Tensor([1.0, np.nan, 3.0])))
        1.0

    Source: mindspore.numpy.nanstd of MindSpore 2.10.
    """
    variance = _nanvar(a, axis, ddof, keepdims, "nanstd")
    return with_dtype(elementary.sqrt.run(variance), dtype, "nanstd")
