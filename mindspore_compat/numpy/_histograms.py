"""mindspore.numpy: histograms of one and several axes; public through `array_creations`."""

import builtins
import math

from .._core.declare.public_api import build
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast
from ._convert import as_tensor, is_int, refuse_complex

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

_ANY_SEQUENCE = (tuple, list, Tensor)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Computes the edges of equal bins over the values (or a range); returns given edges unchanged.

    Args:
        a (Union[number, list, tuple, Tensor]): the values.
        bins (Union[int, list, tuple, Tensor]): the number of bins, or the edges themselves.
            Default: 10.
        range (tuple): the (start, end) of the bins; by default the range of the values.
        weights (Union[list, tuple, Tensor]): of the shape of `a`; without effect.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `bins` is negative or not a vector, `range` is not an ascending pair, or the
            shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.histogram_bin_edges(ms.Tensor([1.0, 3.0]), bins=2))
        [1. 2. 3.]

    Source: mindspore.numpy.histogram_bin_edges of MindSpore 2.10.
    """
    a = as_tensor(a, "histogram_bin_edges")
    if weights is not None and as_tensor(weights, "histogram_bin_edges").shape != a.shape:
        raise ValueError(f"For 'histogram_bin_edges', 'weights' must have the shape {a.shape}.")
    return _edges(a, bins, range, "histogram_bin_edges")


def _edges(a, bins, range, api):
    if isinstance(bins, str):
        raise ValueError(f"For '{api}', 'bins' must be an int or the edges, but got {bins!r}.")
    if isinstance(bins, _ANY_SEQUENCE):
        edges = as_tensor(bins, api)
        if edges.ndim != 1:
            raise ValueError(f"For '{api}', 'bins' must be a vector, but got {edges.shape}.")
        return edges
    if not is_int(bins, bools=True):
        raise TypeError(f"For '{api}', 'bins' must be an int or the edges, but got {bins!r}.")
    low, high = _span(a, range, api)
    if bins < 0:
        raise ValueError(f"For '{api}', 'bins' must not be negative, but got {bins}.")
    step = (high - low) / bins if bins else 0.0
    return Tensor(
        [low + i * step for i in builtins.range(bins)] + [high if bins else low], dtypes.float32
    )


def _span(a, range, api):
    """Returns the start and end of the bins.

    Raises:
        ValueError: if `range` is not an ascending pair.
    """
    if range is None:
        refuse_complex(api, a)
        low, high = (float(a.min()), float(a.max())) if a.size else (0.0, 0.0)
        if not a.size:
            low, high = 1.0, 1.0
    else:
        if not isinstance(range, (tuple, list)) or len(range) != 2:
            raise ValueError(f"For '{api}', 'range' must be a (start, end), but got {range!r}.")
        low, high = (as_tensor(end, api) for end in range)
        if low.ndim or high.ndim:
            raise ValueError(f"For '{api}', 'range' must hold numbers, but got {range!r}.")
        low, high = float(low), float(high)
        if low > high:
            raise ValueError(f"For '{api}', 'range' must ascend, but got ({low}, {high}).")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def histogram(a, bins=10, range=None, weights=None, density=False):
    """Computes a histogram: returns (counts per bin, edges of the bins). The last bin includes its
    end.

    The arguments and errors are the same as for `histogram_bin_edges`; `weights` are the weights of
    the values, and `density` divides by the total and by each bin's width.

    Raises:
        TypeError: if `a` is not array-like.
        ValueError: if `weights` does not have the shape of `a`.

    Example:
        >>> import mindspore_compat as ms
        >>> counts, edges = ms.numpy.histogram([1.0, 2.0, 2.5], bins=2)
        >>> print(counts, edges)
        [1. 2.] [1.   1.75 2.5 ]

    Source: mindspore.numpy.histogram of MindSpore 2.10.
    """
    a = as_tensor(a, "histogram")
    refuse_complex("histogram", a)
    edges = _edges(a, bins, range, "histogram")
    if not edges.size:
        raise ValueError("For 'histogram', 'bins' must have elements.")
    weights = _weights(weights, a, "histogram")
    return _count([a.reshape(-1)], [edges], weights, density), edges


def _weights(weights, a, api):
    """Returns the weight of each value, as a float32 vector; None without weights.

    Raises:
        TypeError: if they are not numbers.
        ValueError: if they do not have the shape of the values.
    """
    if weights is None:
        return None
    tensor = as_tensor(weights, api)
    if tensor.shape != a.shape:
        raise ValueError(
            f"For '{api}', 'weights' must have the shape {a.shape}, but got {tensor.shape}."
        )
    return cast.run(tensor.reshape(-1), "float32")


def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """Computes a 2-D histogram: returns (counts per cell, edges along x, edges along y).

    `x` and `y` are vectors; the other arguments and the errors are the same as for `histogramdd`.

    Raises:
        ValueError: if `x` and `y` are not vectors of one length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.histogram2d([1.0, 2.0], [1.0, 2.0], bins=2)[0])
        [[1. 0.]
         [0. 1.]]

    Source: mindspore.numpy.histogram2d of MindSpore 2.10.
    """
    columns = [as_tensor(x, "histogram2d"), as_tensor(y, "histogram2d")]
    counts, edges = _of_columns(columns, bins, range, weights, density, "histogram2d")
    return counts, edges[0], edges[1]


def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """Computes a histogram over several axes: returns (counts per cell, list of edges along each
    axis).

    Args:
        sample (Union[list, tuple, Tensor]): one vector per axis, or a Tensor with one row per
            point.
        bins (Union[int, list, tuple]): the number of bins, or the numbers or edges for each axis.
            Default: 10.
        range (list): the (start, end) along each axis, or None.
        weights (Union[list, tuple, Tensor]): the weight of each point.
        density (bool): True to divide by the total and by each cell's size.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit, or there are not as many bins or ranges as axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.histogramdd([[1.0, 1.0], [2.0, 2.0]], bins=2)[0])
        [[0. 0.]
         [0. 2.]]

    Source: mindspore.numpy.histogramdd of MindSpore 2.10.
    """
    if isinstance(sample, Tensor):
        refuse_complex("histogramdd", sample)
        if sample.ndim != 2:
            raise ValueError(
                f"For 'histogramdd', 'sample' must have two axes, but got {sample.shape}."
            )
        columns = [sample[:, i] for i in builtins.range(sample.shape[1])]
    elif isinstance(sample, (list, tuple)):
        columns = [as_tensor(column, "histogramdd") for column in sample]
    else:
        raise TypeError(
            f"For 'histogramdd', 'sample' must be a Tensor, list or tuple, but got "
            f"{type(sample).__name__}."
        )
    return _of_columns(columns, bins, range, weights, density, "histogramdd")


def _of_columns(columns, bins, range, weights, density, api):
    """Returns counts and edges, given one vector per axis."""
    refuse_complex(api, *columns)
    if not columns or any(c.ndim != 1 or c.shape != columns[0].shape for c in columns):
        raise ValueError(
            f"For '{api}', there must be vectors of one length, but got "
            f"{[c.shape for c in columns]}."
        )
    common = columns[0]._array.dtype
    for column in columns[1:]:
        common = promote_np(common, column._array.dtype)
    bins_of_axes = _per_axis(bins, columns, api)
    ranges = _ranges(range, columns, api)
    weights = _weights(weights, columns[0], api)
    edges = [_edges(c, b, r, api) for c, b, r in zip(columns, bins_of_axes, ranges)]
    if any(edge.shape[0] < 2 for edge in edges):
        raise ValueError(f"For '{api}', there must be a bin along each axis, but got {bins}.")
    return _count(columns, edges, weights, density), edges


def _per_axis(bins, columns, api):
    if isinstance(bins, Tensor):
        bins = [bins[i] for i in builtins.range(bins.shape[0])] if bins.ndim else bins
    if isinstance(bins, (list, tuple)):
        if len(bins) != len(columns):
            raise ValueError(
                f"For '{api}', there must be bins for each of {len(columns)} axes, but got {bins}."
            )
        return list(bins)
    if not is_int(bins, bools=True):
        raise TypeError(f"For '{api}', 'bins' must be an int, list or tuple, but got {bins!r}.")
    return [bins] * len(columns)


def _ranges(range, columns, api):
    if range is None:
        return [None] * len(columns)
    if not hasattr(range, "__len__"):
        raise TypeError(f"For '{api}', 'range' must be a list of pairs, but got {range!r}.")
    if len(range) != len(columns) or isinstance(range, str):
        raise ValueError(
            f"For '{api}', there must be a range for each of {len(columns)} axes, but "
            f"got {range!r}."
        )
    return list(range)


def _count(columns, edges, weights, density):
    """Counts the points in each cell."""
    index, inside = None, None
    for column, edge in zip(columns, edges):
        count = edge.shape[0] - 1
        column, edge = cast.run(column, "float32"), cast.run(edge, "float32")
        at = build("ops", "searchsorted")(edge, column, right=True) - 1
        at = build("ops", "where")(column == edge[-1], count - 1, at)
        good = (at >= 0) & (at < count)
        index = at if index is None else index * count + at
        inside = good if inside is None else inside & good
    shape = tuple(edge.shape[0] - 1 for edge in edges)
    total = math.prod(shape)
    bins = build("ops", "where")(inside, index, total)
    weights = cast.run(columns[0] == columns[0], "float32") if weights is None else weights
    counts = build("ops", "unsorted_segment_sum")(weights, bins, total + 1)[:total].reshape(shape)
    if density:
        counts = counts / counts.sum()
        for axis, edge in enumerate(edges):
            edge = cast.run(edge, "float32")
            width = (edge[1:] - edge[:-1]).reshape((-1,) + (1,) * (len(edges) - axis - 1))
            counts = counts / width
    return counts
