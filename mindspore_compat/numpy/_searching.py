"""mindspore.numpy: searches and counts: indices of extremes, positions in sorted values, bins;
public through `array_ops`.
"""

import math

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import AsValue, InstanceOf, Int, OneOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast
from ..ops._indexing import gather, masks
from ..ops._reduction import histogram, min_max
from ..ops._shape import flip_roll
from ._choosing import where
from ._convert import as_tensor, axis_of, refuse_complex

_Side = AsValue(OneOf("left", "right")).called("'left' or 'right'")

_ATensor = InstanceOf(Tensor)

__all__ = ["argmax", "argmin", "argwhere", "bincount", "digitize", "searchsorted"]


def argwhere(a):
    """Finds the indices of nonzero elements, one row per element; int64.

    Raises:
        TypeError: if `a` is not array-like.
        ValueError: if it has no axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argwhere(ms.Tensor([0, 5, 7])))
        [[1]
         [2]]

    Source: mindspore.numpy.argwhere of MindSpore 2.10.
    """
    a = as_tensor(a, "argwhere")
    if not a.ndim:
        raise ValueError("For 'argwhere', 'a' must have an axis.")
    return masks.argwhere.run(a)


def _extreme_index(a, axis, op, api):
    a = as_tensor(a, api)
    refuse_complex(api, a)
    if not a.size:
        raise ValueError(f"For '{api}', 'a' must have elements, but got shape {a.shape}.")
    return a, op.run(a) if axis is None or not a.ndim else op.run(a, axis_of(axis, a.ndim, api))


@checked
def argmax(a, axis: Int = None):
    """Returns the index of the maximum along an axis, or of the flattened input; int64.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if the axis is out of range, or `a` is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argmax([[1, 5], [4, 3]], axis=1))
        [1 0]

    Source: mindspore.numpy.argmax of MindSpore 2.10.
    """
    return _extreme_index(a, axis, min_max.argmax, "argmax")[1]


@checked
def argmin(a, axis: Int = None):
    """Returns the index of the minimum along an axis, or of the flattened input; int32.

    Raises:
        TypeError: if an argument has the wrong type, or `a` is complex.
        ValueError: if the axis is out of range, or `a` is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argmin([[1, 5], [4, 3]], axis=1))
        [0 1]

    Source: mindspore.numpy.argmin of MindSpore 2.10.
    """
    a, index = _extreme_index(a, axis, min_max.argmin, "argmin")
    return index.astype(dtypes.int32 if a.ndim else dtypes.int64)


@checked
def searchsorted(a, v, side: _Side = "left", sorter=None):
    """Finds the positions at which values would be inserted into a sorted vector; int32.

    Args:
        a (Union[list, tuple, Tensor]): the vector.
        v (Union[number, list, tuple, Tensor]): the values.
        side (str): "left" before equal elements, "right" after them.
        sorter (Union[list, tuple, Tensor]): the indices that sort `a`, ints.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `a` is not a vector, `side` is unknown or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.searchsorted([1, 3, 5], [2, 3]))
        [1 1]

    Source: mindspore.numpy.searchsorted of MindSpore 2.10.
    """
    a, v = as_tensor(a, "searchsorted"), as_tensor(v, "searchsorted")
    refuse_complex("searchsorted", v)
    if sorter is not None:
        _ATensor.refuse("searchsorted", "sorter", sorter)
    if (
        a.ndim != 1
        or sorter is not None
        and (sorter.shape != a.shape or sorter._array.dtype.kind not in "iu")
    ):
        raise ValueError(
            f"For 'searchsorted', 'a' must be a vector and 'sorter' as many ints, but "
            f"got shape {a.shape}."
        )
    a, v = (cast.run(t, "float32") if t.dtype == dtypes.bool_ else t for t in (a, v))
    if sorter is not None:
        a = gather.gather.run(a, sorter, 0)
    if a._array.dtype.kind == "c":
        a = cast.run(a, "float32")
    common = promote_np(a._array.dtype, v._array.dtype)
    positions = build("ops", "searchsorted")(cast.run(a, common), cast.run(v, common), side=side)
    return positions.astype(dtypes.int32)


def digitize(x, bins, right=False):
    """Finds the bin of each value: the number of edges below it, plus, unless `right` is True, the
    edges equal to it. Edges may also be in descending order. The result is int32.

    Args:
        x (Union[number, list, tuple, Tensor]): the values.
        bins (Union[list, tuple, Tensor]): the edges, a vector.
        right (bool): whether a value on an edge belongs to the bin below it.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `bins` is not a vector.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.digitize([0.5, 1.5], [0.0, 1.0, 2.0]))
        [1 2]

    Source: mindspore.numpy.digitize of MindSpore 2.10.
    """
    x, bins = as_tensor(x, "digitize"), as_tensor(bins, "digitize")
    refuse_complex("digitize", x, bins)
    side = "left" if right else "right"
    if bins.ndim != 1:
        raise ValueError(f"For 'digitize', 'bins' must have one axis, but got shape {bins.shape}.")
    if not x.size:
        return x
    if not bins.size:
        return cast.run(x, "int32") * 0
    if bins.size > 1 and bool(bins[0] > bins[-1]):
        return bins.shape[0] - searchsorted(flip_roll.flip.run(bins, (0,)), x, side)
    return searchsorted(bins, x, side)


@checked
def bincount(x, weights=None, minlength=0, length: Int(ge=1) = None):
    """Counts the occurrences of each number (or sums its weights) as float32; `length` fixes the
    length of the result.

    Args:
        x (Union[list, tuple, Tensor]): a vector of ints of at least 0.
        weights (Union[list, tuple, Tensor]): the weight of each number.
        minlength (int): the smallest length of the result.
        length (int): the length of the result.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `x` is not a vector, the shapes differ or `length` is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.bincount([0, 1, 1, 3]))
        [1. 2. 0. 1.]

    Source: mindspore.numpy.bincount of MindSpore 2.10.
    """
    x = as_tensor(x, "bincount")
    if x.ndim != 1:
        raise ValueError(f"For 'bincount', 'x' must be a vector, but got shape {x.shape}.")
    if x.dtype not in (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64):
        raise TypeError(f"For 'bincount', 'x' must hold ints, but got dtype {x.dtype}.")
    if not isinstance(minlength, (int, float)) and not (
        isinstance(minlength, Tensor) and minlength.size == 1
    ):
        raise TypeError(f"For 'bincount', 'minlength' must be an int, but got {minlength!r}.")
    minlength = max(math.ceil(float(minlength)), 0)
    weights = None if weights is None else as_tensor(weights, "bincount")
    if weights is not None and weights.shape != x.shape:
        raise ValueError(
            f"For 'bincount', 'weights' must have the shape {x.shape}, but got {weights.shape}."
        )
    if length is not None:
        inside = x < length
        weights = inside.astype(dtypes.float32) if weights is None else where(inside, weights, 0)
        x, minlength = build("ops", "clamp")(x, 0, length - 1), length
    return cast.run(histogram.bincount.run(x, weights, minlength), "float32")
