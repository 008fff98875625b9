"""mindspore.numpy: mathematics element by element, sums, statistics, products, polynomials."""


from .._core import dtype as dtypes
from .._core.surface import build
from ..ops import (
    _compare,
    _math,
    _reduce,
    _shape,
    _special,
    _statistics,
)
from ..ops._cast import cast
from ._convert import as_tensor, axes_of, floats, need_tensor, with_dtype

__all__ = []

# name -> the op of mindspore.ops that computes it
_UNARY = {
    "absolute": "abs", "abs": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan", "arctanh": "atanh", "cbrt": None, "ceil": "ceil", "cos": "cos",
    "cosh": "cosh", "deg2rad": "deg2rad",
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "fabs": "abs", "floor": "floor", "log": "log",
    "log10": "log10",
    "log1p": "log1p", "log2": "log2", "negative": "neg", "positive": "positive",
    "rad2deg": "rad2deg", "radians": "deg2rad",
    "reciprocal": "reciprocal", "rint": "rint", "sign": "sign", "sin": "sin", "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square", "tan": "tan", "tanh": "tanh", "trunc": "trunc",
}
_BINARY = {
    "add": "add", "arctan2": "atan2", "copysign": "copysign", "divide": "div", "float_power": None,
    "floor_divide": "floor_divide", "fmod": "fmod", "gcd": "gcd", "heaviside": "heaviside",
    "hypot": "hypot", "lcm": "lcm",
    "logaddexp": "logaddexp", "logaddexp2": "logaddexp2", "maximum": "maximum",
    "minimum": "minimum", "mod": "floor_mod",
    "multiply": "mul", "power": "pow", "remainder": "floor_mod", "subtract": "sub",
    "true_divide": "div",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
}
_ON_FLOATS = {"arctan2", "hypot", "logaddexp", "logaddexp2", "copysign", "heaviside"}


def _public(function):
    __all__.append(function.__name__)
    return function


def _unary(name, op_name):
    def function(x, dtype=None):
        x = need_tensor(x, name)
        if name == "rint":
            x = floats(x)
        return with_dtype(build("ops", op_name)(x), dtype, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"`ops.{op_name}` of a Tensor; `dtype` is that of the result. A TypeError "
                        "for anything but a Tensor.")
    globals()[name] = _public(function)


def _binary(name, op_name):
    def function(x1, x2, dtype=None):
        one, two = as_tensor(x1, name), as_tensor(x2, name)
        if name in _ON_FLOATS:
            one, two = floats(one), floats(two)
        return with_dtype(build("ops", op_name)(one, two), dtype, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"`ops.{op_name}` of two array-like values; `dtype` is that of the "
                        f"result. A TypeError for anything "
                        "but Tensors, numbers, lists and tuples.")
    globals()[name] = _public(function)


for _name, _op in _UNARY.items():
    if _op:
        _unary(_name, _op)
for _name, _op in _BINARY.items():
    if _op:
        _binary(_name, _op)


@_public
def cbrt(x, dtype=None):
    """The cube root, with the sign of the input."""
    x = floats(need_tensor(x, "cbrt"))
    return with_dtype(_math.sign.run(x) * _math.pow.run(_math.abs.run(x), 1 / 3), dtype, "cbrt")


@_public
def float_power(x1, x2, dtype=None):
    """x1 to the power x2, at least in float32."""
    return with_dtype(_math.pow.run(floats(as_tensor(x1, "float_power")),
                                    floats(as_tensor(x2, "float_power"))), dtype,
                      "float_power")


@_public
def fix(x):
    """The whole part, toward zero; floats."""
    return _special.trunc.run(floats(need_tensor(x, "fix")))


@_public
def invert(x, dtype=None):
    """Every bit turned over (logical not for bools)."""
    x = need_tensor(x, "invert")
    found = _compare.logical_not.run(x) if x.dtype == dtypes.bool_ else -x - 1
    return with_dtype(found, dtype, "invert")


bitwise_not = invert
__all__.append("bitwise_not")


@_public
def divmod(x1, x2, dtype=None):
    """(floor of the quotient, remainder)."""
    one, two = as_tensor(x1, "divmod"), as_tensor(x2, "divmod")
    return (with_dtype(_math.floor_divide.run(one, two), dtype, "divmod"),
            with_dtype(_math.floor_mod.run(one, two), dtype, "divmod"))


@_public
def clip(x, xmin, xmax, dtype=None):
    """The elements moved into [xmin, xmax]; one bound may be None.

    Raises:
        TypeError: if `x` is not a Tensor. ValueError: if both bounds are None.
    """
    if xmin is None and xmax is None:
        raise ValueError("For 'clip', 'xmin' and 'xmax' can not both be None.")
    found = need_tensor(x, "clip")
    if xmin is not None:
        found = _math.maximum.run(found, as_tensor(xmin, "clip"))
    if xmax is not None:
        found = _math.minimum.run(found, as_tensor(xmax, "clip"))
    return with_dtype(found, dtype, "clip")


# Sums and statistics ------------------------------------------------------------------------------


def _masked(x, where, fill):
    return x if where is True else build("ops", "where")(as_tensor(where, "where"), x, fill)


@_public
def sum(a, axis=None, dtype=None, keepdims=False, initial=None):
    """The sum over the axes given; int64 for ints."""
    found = as_tensor(a, "sum").sum(axis=axis, keepdims=keepdims, initial=initial)
    return with_dtype(found, dtype, "sum")


@_public
def mean(a, axis=None, keepdims=False, dtype=None):
    """The mean over the axes given, in the input's dtype."""
    return with_dtype(_reduce.mean.run(as_tensor(a, "mean"), axis, keepdims), dtype, "mean")


@_public
def std(x, axis=None, ddof=0, keepdims=False):
    """The standard deviation over the axes given, from the variance with `ddof`."""
    return _reduce.std.run(floats(as_tensor(x, "std")), axis, ddof, keepdims)


@_public
def var(x, axis=None, ddof=0, keepdims=False):
    """The variance over the axes given, divided by the count less `ddof`."""
    return _reduce.var.run(floats(as_tensor(x, "var")), axis, ddof, keepdims)


def _extreme(name, over, pick):
    def function(a, axis=None, keepdims=False, initial=None, where=True):
        x = as_tensor(a, name)
        if where is not True and initial is None:
            raise ValueError(f"For '{name}', 'initial' must be given where 'where' is.")
        found = over.run(_masked(x, where, initial), axis, keepdims)
        return found if initial is None else pick.run(found, initial)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"The {'largest' if 'max' in name else 'smallest'} element over the axes "
                        f"given; `initial` is a bound "
                        "that counts as one more element, `where` says which count.")
    globals()[name] = _public(function)


_extreme("amax", _reduce.amax, _math.maximum)
_extreme("max", _reduce.amax, _math.maximum)
_extreme("amin", _reduce.amin, _math.minimum)
_extreme("min", _reduce.amin, _math.minimum)


@_public
def ptp(x, axis=None, keepdims=False):
    """The largest less the smallest element over the axes given."""
    x = need_tensor(x, "ptp")
    return _reduce.amax.run(x, axis, keepdims) - _reduce.amin.run(x, axis, keepdims)


@_public
def average(x, axis=None, weights=None, returned=False):
    """The mean, which may be weighted; with `returned` also the sum of the weights."""
    x = floats(as_tensor(x, "average"))
    if weights is None:
        found = _reduce.mean.run(x, axis, False)
        total = build("ops", "full_like")(found, x.size / build("ops", "size")(found))
        return (found, total) if returned else found
    weights = floats(as_tensor(weights, "average"))
    if weights.shape != x.shape:
        if axis is None or weights.ndim != 1 or weights.shape[0] != x.shape[axis]:
            raise ValueError(f"For 'average', 'weights' must have the shape of 'x' or of its "
                             f"axis, but got {weights.shape}.")
        weights = weights.reshape((-1,) + (1,) * (x.ndim - axis % x.ndim - 1)).broadcast_to(x.shape)
    total = _reduce.reduce_sum.run(weights, axis, False)
    found = _reduce.reduce_sum.run(x * weights, axis, False) / total
    return (found, total) if returned else found


@_public
def cumsum(a, axis=None, dtype=None):
    """Cumulative sums along an axis, or over all elements in order."""
    a = as_tensor(a, "cumsum")
    a = cast.run(a, "int32") if a.dtype in (dtypes.bool_, dtypes.int8, dtypes.int16,
                                            dtypes.uint8) else a
    flat = a.reshape(-1) if axis is None else a
    found = _reduce.cumsum.run(flat, 0 if axis is None else axis)
    return with_dtype(cast.run(found, a._array.dtype), dtype, "cumsum")


@_public
def cumprod(a, axis=None, dtype=None):
    """Cumulative products along an axis, or over all elements in order."""
    a = as_tensor(a, "cumprod")
    flat = a.reshape(-1) if axis is None else a
    found = _reduce.cumprod.run(flat, 0 if axis is None else axis)
    return with_dtype(cast.run(found, a._array.dtype), dtype, "cumprod")


@_public
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The n-th differences of neighbours along an axis."""
    a = as_tensor(a, "diff")
    extra = [None if e is None else as_tensor(e, "diff") for e in (prepend, append)]
    place = axis % a.ndim
    one = a.shape[:place] + (1,) + a.shape[place + 1:]
    extra = [e if e is None or e.ndim else e.broadcast_to(one) for e in extra]
    return _statistics.diff.run(a, n, axis, *extra)


@_public
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in order, with values before and after them."""
    ary = as_tensor(ary, "ediff1d").reshape(-1)
    parts = [ary[1:] - ary[:-1]]
    parts = [as_tensor(to_begin, "ediff1d").reshape(-1), *parts] if to_begin is not None else parts
    parts = [*parts, as_tensor(to_end, "ediff1d").reshape(-1)] if to_end is not None else parts
    return _shape.cat.run(parts, 0) if len(parts) > 1 else parts[0]


@_public
def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule."""
    x = None if x is None else as_tensor(x, "trapz")
    return _statistics.trapz.run(floats(as_tensor(y, "trapz")), x, dx, axis)


@_public
def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences inside and one-sided ones at the ends, along each axis.

    Args:
        f (Tensor): values on an even grid.
        *varargs (Union[int, float]): the spacing, one for all axes or one for each. Default: 1.
        axis (Union[None, int, tuple[int]]): the axes. Default: all.
        edge_order (int): 1.

    Raises:
        ValueError: if `edge_order` is not 1, or an axis has fewer than two elements.
    """
    f = floats(as_tensor(f, "gradient"))
    if edge_order != 1:
        raise ValueError(f"For 'gradient', 'edge_order' must be 1, but got {edge_order}.")
    axes = axes_of(axis, f.ndim, "gradient")
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1,) * len(axes)
    if len(steps) != len(axes):
        raise ValueError(f"For 'gradient', there must be one spacing, or one for each of "
                         f"{len(axes)} axes, but got {len(steps)}.")
    found = []
    for one, step in zip(axes, steps):
        if f.shape[one] < 2:
            raise ValueError(f"For 'gradient', each axis must have at least two elements, but got "
                             f"{f.shape}.")
        front = (slice(None),) * one
        ends = f[front + (slice(1, 2),)] - f[front + (slice(0, 1),)], f[front + (slice(-1,
                None),)] - f[front + (slice(-2, -1),)]
        inside = (f[front + (slice(2, None),)] - f[front + (slice(None, -2),)]) / 2
        found.append(_shape.cat.run([ends[0], inside, ends[1]], one) / step)
    return found[0] if len(found) == 1 else found


@_public
def count_nonzero(x, axis=None, keepdims=False):
    """How many elements over the axes given are not 0; int32."""
    return _statistics.count_nonzero.run(need_tensor(x, "count_nonzero"),
                                         () if axis is None else axis, keepdims, "int32")


def _nan(name, fill, reduce):
    def function(a, axis=None, dtype=None, keepdims=False):
        x = as_tensor(a, name)
        if x._array.dtype.kind == "f":
            x = build("ops", "where")(_compare.isnan.run(x), fill, x)
        return with_dtype(reduce(x, axis, keepdims), dtype, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name[3:]}` over the axes given of what is not NaN."
    globals()[name] = _public(function)


_nan("nanmax", float("-inf"), lambda x, axis, keep: _reduce.amax.run(x, axis, keep))
_nan("nanmin", float("inf"), lambda x, axis, keep: _reduce.amin.run(x, axis, keep))
_nan("nansum", 0.0, lambda x, axis, keep: _reduce.sum.run(x, axis, keep, None))


@_public
def nancumsum(a, axis=None, dtype=None):
    """Cumulative sums in which NaN counts as 0."""
    a = as_tensor(a, "nancumsum")
    if a._array.dtype.kind == "f":
        a = build("ops", "where")(_compare.isnan.run(a), 0.0, a)
    return cumsum(a, axis, dtype)


@_public
def nanmean(a, axis=None, dtype=None, keepdims=False):
    """The mean of what is not NaN."""
    return with_dtype(_statistics.nanmean.run(floats(as_tensor(a, "nanmean")), axis, keepdims),
                      dtype, "nanmean")


@_public
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance of what is not NaN, divided by the count less `ddof`."""
    x = floats(as_tensor(a, "nanvar"))
    here = cast.run(_compare.logical_not.run(_compare.isnan.run(x)), x._array.dtype)
    gap = x - _statistics.nanmean.run(x, axis, True)
    squares = _statistics.nansum.run(gap * gap, axis, keepdims)
    return with_dtype(squares / (_reduce.reduce_sum.run(here, axis, keepdims) - ddof), dtype,
                      "nanvar")


@_public
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The standard deviation of what is not NaN."""
    return with_dtype(_math.sqrt.run(nanvar(a, axis, None, ddof, keepdims)), dtype, "nanstd")


def _pair_rows(x, y, rowvar, api):
    rows = floats(as_tensor(x, api))
    rows = rows.reshape(1, -1) if rows.ndim < 2 else rows if rowvar else rows.T
    if y is None:
        return rows
    more = floats(as_tensor(y, api))
    more = more.reshape(1, -1) if more.ndim < 2 else more if rowvar else more.T
    return _shape.cat.run([rows, more], 0)


@_public
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariances of the rows (or columns) of a matrix."""
    rows = _pair_rows(m, y, rowvar, "cov")
    correction = (0 if bias else 1) if ddof is None else ddof
    weights = [None if w is None else as_tensor(w, "cov") for w in (fweights, aweights)]
    weights[1] = None if weights[1] is None else floats(weights[1])
    found = _statistics.cov.run(rows, correction, *weights)
    return with_dtype(found.reshape(()) if rows.shape[0] == 1 else found, dtype, "cov")


@_public
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlations of the rows (or columns) of a matrix."""
    found = cov(x, y, rowvar)
    if found.ndim == 0:
        return with_dtype(found / found, dtype, "corrcoef")
    size = _math.sqrt.run(build("ops", "diagonal")(found))
    return with_dtype(found / size.reshape(-1, 1) / size.reshape(1, -1), dtype, "corrcoef")
