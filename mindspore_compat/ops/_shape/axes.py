"""Checks axes and converts them to numbers from 0; any op body may use it."""


def axis_of(axis, x):
    """Returns `axis` counted from 0; raises a ValueError if `x` has no such axis."""
    rank = x.ndim
    if not -rank <= axis < rank:
        raise ValueError(
            f"an axis must be in [{-rank}, {rank}) for shape {x.shape}, but got {axis}"
        )
    return axis % rank


def as_tuple(axis):
    """Returns an axis, or several, as a tuple."""
    return (axis,) if isinstance(axis, int) else tuple(axis)


def as_list(axis):
    """Returns an axis as a list of one; a tuple or list is returned unchanged."""
    return [axis] if isinstance(axis, int) else axis


def along_one(api, name, axis, x):
    """Returns an axis in the array library's form; refuses a 0-D Tensor.

    Raises:
        ValueError: if the Tensor has no such axis.
    """
    if not x.ndim:
        raise ValueError(f"For '{api}', the Tensor must have an axis '{name}', but it is 0-D.")
    return axes_along(api, name, axis, x)


def axes_along(api, name, axis, x, twice=ValueError):
    """Returns an axes argument in the array library's form: None for all axes, an int, or a tuple.

    As in MindSpore, a 0-D Tensor counts as one with a single axis.

    Raises:
        ValueError: if an axis is out of range.
        `twice`: if an axis occurs twice.
    """
    if axis is None:
        return None
    rank = x.ndim or 1
    if type(axis) is int and -rank <= axis < rank:
        return None if not x.ndim else axis if axis >= 0 else axis + rank
    several = axis if isinstance(axis, (tuple, list)) else (axis,)
    for position in several:
        if not -rank <= position < rank:
            raise ValueError(f"For '{api}', '{name}' must be in [{-rank}, {rank}), but got {axis}.")
    numbers = tuple([position % rank for position in several])
    if len(set(numbers)) < len(numbers):
        raise twice(f"For '{api}', '{name}' must name an axis once, but got {axis}.")
    if not numbers or not x.ndim:
        return None
    return numbers if isinstance(axis, (tuple, list)) else numbers[0]
