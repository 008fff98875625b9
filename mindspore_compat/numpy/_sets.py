"""mindspore.numpy: vectors as sets: distinct values, membership, intersection, difference; public
through `array_ops`.
"""

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool
from .._core.tensor import dtype as dtypes
from ..ops._reduction import min_max
from ..ops._reduction import unique as unique_ops
from ..ops._shape import join_split, reshape
from ._convert import as_tensor, need_tensor, promoted, refuse_complex

__all__ = ["in1d", "intersect1d", "isin", "setdiff1d", "unique"]


def _comparable(value, api):
    """Returns an array-like value of ordered numbers, flattened.

    Raises:
        TypeError: if it is anything else, including bools.
    """
    tensor = as_tensor(value, api)
    refuse_complex(api, tensor)
    if tensor.dtype == dtypes.bool_:
        raise TypeError(f"For '{api}', the inputs must not hold bools.")
    return tensor.reshape(-1)


def _sorted_set(values):
    return unique_ops.mint_unique(values) if values.size else values


def unique(x, return_inverse=False):
    """Returns the unique values of a Tensor in order of first appearance and, if requested, the
    inverse indices, int64 for int64 values and int32 for others.

    Args:
        x (Tensor): real numbers of any shape.
        return_inverse (bool): whether to return the position of each element of `x` among the
            unique values, too. Default: False.

    Raises:
        TypeError: if `x` is not a Tensor, or holds bools or complex numbers.
        ValueError: if it has no axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.unique(ms.Tensor([3, 1, 3])))
        [3 1]

    Source: mindspore.numpy.unique of MindSpore 2.10.
    """
    values = _comparable(need_tensor(x, "unique"), "unique")
    if not x.ndim:
        raise ValueError("For 'unique', 'x' must have an axis.")
    values_, inverse = build("ops", "unique")(values)
    return (values_, inverse) if return_inverse else values_


def isin(element, test_elements, invert=False):
    """Tests whether each element is in a second array (with `invert`, whether it is not).

    Args:
        element (Union[Tensor, number, list, tuple]): the values to look for.
        test_elements (Union[Tensor, number, list, tuple]): the values to look among.
        invert (bool): whether the answers are negated. Default: False.

    Raises:
        TypeError: if an argument is not array-like.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isin([1, 2, 3], [2, 5]))
        [False  True False]

    Source: mindspore.numpy.isin of MindSpore 2.10.
    """
    element, others = as_tensor(element, "isin"), as_tensor(test_elements, "isin").reshape(-1)
    result = (
        (reshape.expand_dims.run(element, -1) == others).any(-1)
        if others.size
        else element != element
    )
    return build("ops", "logical_not")(result) if invert else result


def in1d(ar1, ar2, invert=False):
    """Tests whether each element of the flattened first array is in the second; see `isin`.

    Args:
        ar1 (Union[Tensor, number, list, tuple]): the values to look for.
        ar2 (Union[Tensor, number, list, tuple]): the values to look among.
        invert (bool): whether the answers are negated. Default: False.

    Raises:
        TypeError: if an argument is not array-like.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.in1d([1, 2, 3], [2, 5]))
        [False  True False]

    Source: mindspore.numpy.in1d of MindSpore 2.10.
    """
    return isin(as_tensor(ar1, "in1d").reshape(-1), ar2, invert)


@checked
def intersect1d(ar1, ar2, assume_unique: Bool = False, return_indices: Bool = False):
    """Computes the intersection of two arrays in ascending order; if requested, also the first
    positions (int32) in each.

    Args:
        ar1, ar2 (Union[Tensor, number, list, tuple]): real numbers, which are
            flattened.
        assume_unique (bool): whether the inputs are known to have no repeated values. Default:
            False.
        return_indices (bool): whether the positions are returned, too. Default: False.

    Raises:
        TypeError: if an argument has the wrong type, or an input holds bools or complex numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.intersect1d([1, 2, 3], [2, 3, 4]))
        [2 3]

    Source: mindspore.numpy.intersect1d of MindSpore 2.10.
    """
    first, second = promoted(*(_comparable(array, "intersect1d") for array in (ar1, ar2)))
    vectors = [array if assume_unique else _sorted_set(array) for array in (first, second)]
    vectors = join_split.cat.run(vectors, 0)
    vectors = build("ops", "sort")(vectors)[0] if vectors.size else vectors
    values = build("ops", "masked_select")(vectors[1:], vectors[1:] == vectors[:-1])
    if not return_indices:
        return values
    indices = [
        min_max.argmax.run((reshape.expand_dims.run(values, 1) == other).astype(dtypes.int32), 1)
        for other in (first, second)
    ]
    return values, *[p.astype(dtypes.int32) for p in indices]


@checked
def setdiff1d(ar1, ar2, assume_unique: Bool = False):
    """Computes the set difference: the values of the first array that are not in the second, in
    ascending order unless `assume_unique`.

    Args:
        ar1, ar2 (Union[Tensor, number, list, tuple]): real numbers, which are
            flattened.
        assume_unique (bool): whether the inputs are known to have no repeated values. Default:
            False.

    Raises:
        TypeError: if an argument has the wrong type, or an input holds bools or complex numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.setdiff1d([1, 2, 3], [2]))
        [1 3]

    Source: mindspore.numpy.setdiff1d of MindSpore 2.10.
    """
    first, second = (_comparable(array, "setdiff1d") for array in (ar1, ar2))
    values = first if assume_unique else _sorted_set(first)
    return build("ops", "masked_select")(values, isin(values, second, invert=True))
