"""Axes as numbers from 0, and refusals of those out of range; any op body may use it."""


def axis_of(axis, x):
    """`axis` counted from 0; a ValueError if `x` has no such axis."""
    rank = x.ndim
    if not -rank <= axis < rank:
        raise ValueError(f"an axis must be in [{-rank}, {rank}) for shape {x.shape}, "
                         f"but got {axis}")
    return axis % rank
