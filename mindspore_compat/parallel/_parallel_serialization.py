"""`mindspore.parallel._parallel_serialization`: a module path of MindSpore that scripts import
from. Strategy files are read in `train._checkpoint.strategy`.
"""

from ..train._checkpoint.strategy import build_searched_strategy

__all__ = []


def _build_searched_strategy(strategy_filename):
    """Reads a strategy file; returns None for None."""
    if strategy_filename is None:
        return None
    return build_searched_strategy(strategy_filename)


def _convert_to_list(strategy, rank_id=None):
    """Returns the layouts of a strategy as lists.

    Args:
        strategy (dict): ParallelLayouts by parameter name, which may begin with the number of a
            pipeline stage and a hyphen.
        rank_id (int, optional): ignored; the layouts of all ranks of a file are the same.

    Returns:
        dict from the name of a parameter, without the stage, to a list: the device matrix, the
        tensor map, the lengths of slices, the number of fields, the step and the number of slices
        for the optimizer, and the list of the pipeline stages that hold the parameter.

    Raises:
        ValueError: if a layout is incomplete, or a name has no number before its hyphen.
    """
    layouts = {}
    for key, layout in strategy.items():
        stage, name = _stage_and_name(key)
        if name in layouts:
            layouts[name][-1].append(stage)
            continue
        maps = [list(alias.dim) for alias in layout.tensor_map]
        for part in ("dev_matrix", "tensor_map", "param_split_shape"):
            if not getattr(layout, part):
                raise ValueError(f"The layout of {key!r} has no '{part}'.")
        layouts[name] = [
            list(layout.dev_matrix[0].dim),
            maps if len(maps) > 1 else maps[0],
            list(layout.param_split_shape[0].dim),
            int(layout.field),
            int(layout.opt_weight_shard_step),
            int(layout.opt_weight_shard_size),
            [stage],
        ]
    return layouts


def _stage_and_name(key):
    """Returns the number of the pipeline stage and the name of the parameter of "1-fc.weight"."""
    if "-" not in key:
        return 0, key
    stage, _, name = key.partition("-")
    if not stage.isdecimal() or "-" in name:
        raise ValueError(
            f"A name in a strategy must be that of a parameter, or begin with the number of a "
            f"stage and one hyphen, but got {key!r}."
        )
    return int(stage), name
