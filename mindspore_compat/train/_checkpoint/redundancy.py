"""Finds which ranks hold the same slice of a parameter, and decides which of them save it."""

import math

from .strategy import build_searched_strategy


def get_parameter_redundancy(layout_obj, initial_rank=None):
    """Groups, for each parameter, the ranks that hold the same slice.

    Args:
        layout_obj (Union[str, dict]): a strategy file, or layouts by parameter name. Two items of a
            layout are used: the lengths of the grid of ranks, and for each axis of the parameter
            the axis of the grid that cuts it, counted from the last one, or -1.
        initial_rank (int, optional): the number of the first rank.

    Returns:
        dict[str, tuple[tuple[int]]], the groups of ranks by parameter name.

    Raises:
        TypeError: if `layout_obj` is neither a str nor a dict.
        ValueError: if the file is not a strategy file.

    Examples:
        >>> from mindspore_compat.train._utils import get_parameter_redundancy
        >>> get_parameter_redundancy({"w": ([2, 2], [0, -1], [4, 2])})
        {'w': ((0, 2), (1, 3))}

    Source: mindspore.train._utils.get_parameter_redundancy of MindSpore 2.10.
    """
    if isinstance(layout_obj, str):
        strategy = build_searched_strategy(layout_obj)
        layouts = {
            name: (layout.dev_matrix[0].dim, layout.tensor_map[0].dim)
            for name, layout in strategy.items()
        }
    elif isinstance(layout_obj, dict):
        layouts = {name: (layout[0], layout[1]) for name, layout in layout_obj.items()}
    else:
        raise TypeError(
            f"For 'get_parameter_redundancy', 'layout_obj' must be a str or a dict, but got "
            f"{layout_obj!r} of type {type(layout_obj).__name__}."
        )
    first = initial_rank or 0
    return {name: _groups(*layout, first) for name, layout in layouts.items()}


def _groups(grid, cuts, first):
    """Returns the ranks of each slice. Slices are ordered by position, with the last axis of the
    grid first."""
    axes = sorted({axis for axis in cuts if axis != -1})
    steps = [math.prod(grid[len(grid) - axis :]) for axis in axes]
    lengths = [grid[-1 - axis] for axis in axes]
    groups = {}
    for rank in range(math.prod(grid)):
        place = tuple(rank // step % length for step, length in zip(steps, lengths, strict=True))
        groups.setdefault(place, []).append(rank + first)
    return tuple(tuple(groups[place]) for place in sorted(groups))


def remove_param_redundancy(param_redundancy_dict, keep_redundancy=1):
    """Distributes the saving of parameters over the ranks that hold them, so that a given number of
    ranks save each slice.

    Args:
        param_redundancy_dict (dict): the result of `get_parameter_redundancy`.
        keep_redundancy (int, optional): the number of ranks that keep a slice.

    Returns:
        dict[int, set[str]], rank -> the names of the parameters that it saves.

    Examples:
        >>> from mindspore_compat.train._utils import remove_param_redundancy
        >>> remove_param_redundancy({"w": ((0, 1),), "b": ((0, 1),)})
        {0: {'w'}, 1: {'b'}}

    Source: mindspore.train._utils.remove_param_redundancy of MindSpore 2.10.
    """
    result, turns = {}, {}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            turn = turns.get(group, 0)
            for number in range(turn, turn + keep_redundancy):
                result.setdefault(group[number % len(group)], set()).add(name)
            turns[group] = turn + 1
    return result
