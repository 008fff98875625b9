"""`mindspore.parallel._cell_wrapper`: a module path of MindSpore that scripts import from."""

from ..communication import get_group_size
from .layout import Layout

_STAGES = "remain_pp"


def _insert_virtual_pp_dim(layout):
    """Extends the layout of one pipeline stage to all processes: adds a first axis "remain_pp" to
    the device matrix, because the other stages repeat the layout.

    Args:
        layout (Layout): the layout of a Tensor on the devices of one stage. It is returned
            unchanged if the stage has all processes.
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
