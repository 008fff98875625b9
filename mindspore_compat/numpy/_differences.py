"""mindspore.numpy: differences, integrals, derivatives, covariances; public through `math_ops`.

Input and result dtypes are those observed in MindSpore 2.10.
"""

import builtins

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.number_forms import plain_numbers
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int, TupleOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops._elementwise import elementary, logical
from ..ops._elementwise.cast import cast
from ..ops._reduction import cumulative, reduce
from ..ops._shape import join_split
from ._convert import as_tensor, axes_of, axis_of, need_tensor, promoted, scalar, with_dtype

_End = InstanceOf(Tensor, int, float).called("Tensors or numbers")

__all__ = ["corrcoef", "cov", "diff", "ediff1d", "gradient", "trapz"]


@checked
def diff(a, n: Int = 1, axis: AsValue(Int | Bool, TupleOf) = -1, prepend=None, append=None):
    """Computes the n-th discrete differences of a Tensor along an axis.

    Args:
        a (Tensor): the values.
        n (int): the number of times that differences are taken.
        axis (int): the axis.
        prepend, append (Union[Tensor, number]): values before and after, along the axis.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `n` is negative or not below the length, or the axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.diff(ms.Tensor([1, 4, 9])))
        [3 5]

    Source: mindspore.numpy.diff of MindSpore 2.10.
    """
    a = need_tensor(a, "diff")
    if not a.ndim:
        raise ValueError("For 'diff', the input must have an axis.")
    index = axis_of(axis, a.ndim, "diff", bools=True)
    edge_shape = a.shape[:index] + (1,) + a.shape[index + 1 :]
    extra = [None if e is None else _end(e, "diff") for e in (prepend, append)]
    extra = [e if e is None or e.ndim else e.broadcast_to(edge_shape) for e in extra]
    length = a.shape[index] + builtins.sum(e.shape[index] for e in extra if e is not None)
    if not 0 <= n < builtins.max(length, 1):
        raise ValueError(f"For 'diff', 'n' must be in [0, {length}), but got {n}.")
    if not n:
        return a
    whole = [e for e in (extra[0], a, extra[1]) if e is not None]
    whole = join_split.cat.run(promoted(*whole), index) if len(whole) > 1 else a
    if whole.dtype == dtypes.bool_:
        return _bool_diff(whole, n, index)
    return cumulative.diff.run(whole, int(n), index)


def _end(value, api):
    _End.refuse_part(api, "'prepend' and 'append'", value)
    return as_tensor(value, api)


def _bool_diff(whole, n, axis):
    """Computes the differences of bools: True where neighbours differ."""
    front = (slice(None),) * axis
    for _ in range(n):
        whole = logical.logical_xor.run(
            whole[front + (slice(1, None),)], whole[front + (slice(None, -1),)]
        )
    return whole


def ediff1d(ary, to_end=None, to_begin=None):
    """Computes the differences of consecutive elements of a flattened Tensor, optionally with
    values before and after them.

    Args:
        ary (Tensor): the values; the result has their dtype.
        to_end, to_begin (Union[Tensor, number, list, tuple]): the values after and before the
            differences.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if there are fewer than two elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ediff1d(ms.Tensor([1, 4, 9])))
        [3 5]

    Source: mindspore.numpy.ediff1d of MindSpore 2.10.
    """
    ary = need_tensor(ary, "ediff1d").reshape(-1)
    ends = [
        None if e is None else cast.run(as_tensor(e, "ediff1d").reshape(-1), ary._array.dtype)
        for e in (to_begin, to_end)
    ]
    parts = [ends[0], diff(ary), ends[1]]
    parts = [part for part in parts if part is not None and part.size]
    return join_split.cat.run(parts, 0) if len(parts) > 1 else parts[0]


@checked
def trapz(y, x=None, dx=1.0, axis: Int = -1):
    """Integrates along an axis by the trapezoidal rule; float32, or float16 for float16.

    Args:
        y (Union[Tensor, number, list, tuple]): the values.
        x (Union[Tensor, list, tuple]): the positions of the values.
        dx (Union[number, Tensor]): the distance of the values, if `x` is not given.
        axis (int): the axis.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.trapz([1.0, 2.0, 3.0]))
        4.0

    Source: mindspore.numpy.trapz of MindSpore 2.10.
    """
    y = as_tensor(y, "trapz")
    if not y.ndim:
        raise ValueError("For 'trapz', 'y' must have an axis.")
    index = axis_of(axis, y.ndim, "trapz")
    y = y if y._array.dtype == "float16" else cast.run(y, "float32")
    front = (slice(None),) * index
    middle = (y[front + (slice(1, None),)] + y[front + (slice(None, -1),)]) / 2
    if x is None:
        steps = as_tensor(dx, "trapz")
    else:
        x = as_tensor(x, "trapz")
        if not x.ndim:
            raise ValueError("For 'trapz', 'x' must have an axis.")
        axis_x = 0 if x.ndim == 1 else axis_of(axis, x.ndim, "trapz")
        steps = diff(x, axis=axis_x)
        steps = steps.reshape((-1,) + (1,) * (y.ndim - index - 1)) if x.ndim == 1 else steps
    steps = cast.run(steps, y._array.dtype)
    return reduce.reduce_sum.run(middle * steps, index, False)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Computes the gradient along each axis, by central differences, and by one-sided differences
    at the ends.

    Args:
        f (Union[Tensor, list, tuple]): values on an evenly spaced grid.
        *varargs (Union[int, float, Tensor]): the spacing, one for all axes or one per axis.
            Default: 1.
        axis (Union[None, int, tuple[int], list[int]]): the axes. Default: all.
        edge_order (int): must be 1.

    Returns:
        Tensor, float32, or float64 for float64; a list of such Tensors for several axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range or has fewer than two elements, or there is
            neither one spacing nor one per axis.
        NotImplementedError: if `edge_order` is not 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.gradient([1.0, 4.0, 9.0]))
        [3. 4. 5.]

    Source: mindspore.numpy.gradient of MindSpore 2.10.
    """
    f = as_tensor(f, "gradient")
    if edge_order != 1:
        raise NotImplementedError(f"For 'gradient', 'edge_order' must be 1, but got {edge_order}.")
    f = f if f._array.dtype == "float64" else cast.run(f, "float32")
    if axis is not None and not f.ndim:
        raise ValueError(f"For 'gradient', the input has no axis, but got axis {axis}.")
    axes = axes_of(axis, f.ndim, "gradient")
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1,) * len(axes)
    if len(steps) != len(axes):
        raise TypeError(
            f"For 'gradient', there must be one spacing, or one for each of "
            f"{len(axes)} axes, but got {len(steps)}."
        )
    slopes = [_derivative(f, index, step) for index, step in zip(axes, steps)]
    return slopes[0] if len(slopes) == 1 else slopes


def _derivative(f, axis, step):
    """Computes the derivative along one axis."""
    scalar(step, "varargs", "gradient")
    if f.shape[axis] < 2:
        raise ValueError(
            f"For 'gradient', each axis must have at least two elements, but got {f.shape}."
        )
    front = (slice(None),) * axis
    first = f[front + (slice(1, 2),)] - f[front + (slice(0, 1),)]
    last = f[front + (slice(-1, None),)] - f[front + (slice(-2, -1),)]
    inside = (f[front + (slice(2, None),)] - f[front + (slice(None, -2),)]) / 2
    return join_split.cat.run([first, inside, last], axis) / step


# Covariance ---------------------------------------------------------------------------------------


def _pair_rows(x, y, rowvar, api):
    rows = [_rows(x, rowvar, api)] + ([] if y is None else [_rows(y, rowvar, api)])
    if len(rows) == 1:
        return rows[0]
    if rows[0].shape[1] != rows[1].shape[1]:
        raise ValueError(
            f"For '{api}', the inputs must hold as many observations, but got "
            f"{rows[0].shape[1]} and {rows[1].shape[1]}."
        )
    return join_split.cat.run(rows, 0)


def _rows(x, rowvar, api):
    x = cast.run(as_tensor(x, api), "float32")
    if x.ndim > 2:
        raise ValueError(f"For '{api}', the inputs must have at most two axes, but got {x.shape}.")
    if not x.size:
        raise ValueError(f"For '{api}', the inputs must have elements, but got {x.shape}.")
    return x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T


@checked
def cov(
    m, y=None, rowvar: Bool = True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None
):
    """Computes the covariance matrix of the rows (or columns) of a matrix; float32.

    Args:
        m (Union[Tensor, number, list, tuple]): the observations, with at most two axes.
        y (Union[Tensor, number, list, tuple]): more variables.
        rowvar (bool): whether each row is a variable, or each column.
        bias (bool): True to divide by the number of observations, False by one less.
        ddof (number): if given, the sum is divided by the number of observations less this.
        fweights (Union[Tensor, list, tuple]): the number of times that each observation counts;
            ints.
        aweights (Union[Tensor, list, tuple]): the relative weight of each observation; ints.
        dtype (Union[mindspore.dtype, str]): the dtype of the result.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit.
        RuntimeError: if weights are not a vector with one element per observation.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.cov([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        [[ 1. -1.]
         [-1.  1.]]

    Source: mindspore.numpy.cov of MindSpore 2.10.
    """
    rows = _pair_rows(m, y, rowvar, "cov")
    correction = as_tensor(_correction(ddof, bias), "cov")
    weight = None
    for name, value in (("fweights", fweights), ("aweights", aweights)):
        value = None if value is None else _observations(value, rows.shape[1], name)
        weight = weight if value is None else value if weight is None else weight * value
    if isinstance(ddof, (list, tuple)):
        raise TypeError(f"For 'cov', 'ddof' must be a number, but got {ddof!r}.")
    result = cast.run(_covariance(rows, weight, aweights, correction), "float32")
    return with_dtype(result.reshape(()) if rows.shape[0] == 1 else result, dtype, "cov")


def _correction(ddof, bias):
    """Returns the number to subtract from the number of observations. A NumPy float is converted to
    a Python number; other NumPy scalars are not.
    """
    if ddof is None:
        return 0 if bias else 1
    return plain_numbers(ddof) if isinstance(ddof, numpy.floating) else ddof


def _observations(value, count, name):
    """Returns the weights of the observations as float32.

    Raises:
        TypeError: if they are not ints.
        RuntimeError: if they are not a vector of `count` elements.
    """
    value = as_tensor(value, "cov")
    if value._array.dtype.kind not in "iu":
        raise TypeError(f"For 'cov', '{name}' must hold ints, but got dtype {value.dtype}.")
    if value.ndim != 1 or value.shape[0] != count:
        raise RuntimeError(
            f"For 'cov', '{name}' must be a vector of {count} ints, but got shape {value.shape}."
        )
    return cast.run(value, "float32")


def _covariance(rows, weight, aweights, correction):
    """Computes the covariances of rows; the divisor is the total weight minus the correction."""
    if weight is None:
        gap = rows - reduce.mean.run(rows, (1,), True)
        return _matrix(gap, gap) / (rows.shape[1] - correction)
    total = reduce.reduce_sum.run(weight, None, False)
    gap = rows - reduce.reduce_sum.run(rows * weight, (1,), True) / total
    share = correction
    if aweights is not None:
        weights = cast.run(as_tensor(aweights, "cov"), "float32")
        share = correction * reduce.reduce_sum.run(weight * weights, None, False) / total
    return _matrix(gap * weight, gap) / (total - share)


def _matrix(first, second):
    return build("ops", "matmul")(first, second.T)


@checked
def corrcoef(x, y=None, rowvar: Bool = True, dtype=None):
    """Computes the correlation coefficients of the rows (or columns) of a matrix; float32. The
    arguments are the same as for `cov`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        [[ 1. -1.]
         [-1.  1.]]

    Source: mindspore.numpy.corrcoef of MindSpore 2.10.
    """
    result = _covariance(_pair_rows(x, y, rowvar, "corrcoef"), None, None, 1)
    if result.shape[0] == 1:
        result = result.reshape(())
        return with_dtype(result / result, dtype, "corrcoef")
    size = elementary.sqrt.run(build("ops", "diagonal")(result))
    return with_dtype(result / size.reshape(-1, 1) / size.reshape(1, -1), dtype, "corrcoef")
