"""`mindspore.parallel._cell_wrapper`: a module path of the original that scripts import from."""

from ..communication import get_group_size
from .layout import Layout

_STAGES = "remain_pp"


def _insert_virtual_pp_dim(layout):
    """Returns a layout of all processes: in front of its device matrix an axis is added,
    "remain_pp", for the pipeline stages that repeat it.

    Args:
        layout (Layout): the layout of a Tensor on the devices of one stage. If these are all
            processes, it is returned as it is.
    """
    parts = layout.to_dict()
    stage, processes = len(parts["rank_list"]), get_group_size()
    if stage == processes:
        return layout
    names = parts["alias_name"]

    def named(number):
        if isinstance(number, tuple):
            return tuple(named(item) for item in number)
        return "None" if number < 0 else names[len(names) - 1 - number]

    whole = Layout((processes // stage, *parts["device_matrix"]), (_STAGES, *names))
    return whole(*map(named, parts["tensor_map"]))
