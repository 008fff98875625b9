"""parameter_broadcast: makes the parameters equal on all ranks that hold the same part of them."""

import math

from .._core.declare.writing import own
from .._core.rules.vocabulary import CellOf, InstanceOf, Int
from ..communication.groups import group_named
from ..communication.inplace.process_groups import get_rank, get_world_size, new_group
from ..nn.cell import Cell  # noqa: F401 - CellOf reads the class by name


def parameter_broadcast(net, layout, cur_rank=0, initial_rank=0):
    """Broadcasts the parameters of one rank to the ranks that hold the same part of them.

    Every rank of a pipeline's stage must call it. With one process it does nothing.

    Args:
        net (Cell): the network whose parameters are set.
        layout (dict): for each parameter's name its layout: a list that begins with the
            arrangement of the stage's devices along axes, and for each axis of the parameter the
            number of the devices' axis that divides it, counted from the last; -1 for none. A
            sixth entry, if it is not empty, names a group that divides the parameter further;
            such parameters stay as they are.
        cur_rank (int): the number of this process. Default: ``0``.
        initial_rank (int): the number of the first process of this stage. Default: ``0``.

    Raises:
        TypeError: with several processes: an argument is of the wrong type.
        ValueError: with several processes: `cur_rank` is not this one, `initial_rank` not the first
            of its stage, or `layout` names no parameter of `net`.
        RuntimeError: with several processes: they are not connected.

    Example:
        >>> from mindspore_compat import nn, parallel
        >>> layout = {"weight": [[1], [-1, -1], [2, 2], 0, True, ""]}
        >>> parallel.parameter_broadcast(nn.Dense(2, 2), layout)

    Source: mindspore.parallel.parameter_broadcast of MindSpore 2.10.
    """
    api = "parameter_broadcast"
    if not layout or get_world_size() == 1:
        return
    CellOf.refuse(api, "net", net)
    InstanceOf(dict).refuse(api, "layout", layout)
    Int.refuse(api, "cur_rank", cur_rank)
    Int.refuse(api, "initial_rank", initial_rank)
    parameters = net.parameters_dict()
    _check(api, parameters, layout, cur_rank, initial_rank)
    for name, (devices, axes, *rest) in layout.items():
        divided_further = len(rest) > 3 and bool(rest[3])
        ranks = [
            initial_rank + rank
            for rank in ranks_with_same_data(cur_rank - initial_rank, devices, axes)
        ]
        if divided_further or len(ranks) == 1:
            continue
        group = group_named(new_group(ranks))
        array = own(parameters[name])
        array[...] = group.broadcast(array, 0).wait()


def ranks_with_same_data(rank, devices, axes):
    """Returns the ranks that hold the same part of a Tensor as a given rank.

    Args:
        rank (int): one of them, counted from the first of the stage.
        devices (list[int]): how many devices there are along each axis of the arrangement.
        axes (list): for each axis of the Tensor the number, or numbers, of the devices' axes that
            divide it, counted from the last; -1 for none.
    """
    dividing = [
        axis for entry in axes for axis in (entry if isinstance(entry, (list, tuple)) else [entry])
    ]

    def part(number):
        return [
            number // math.prod(devices[len(devices) - axis :]) % devices[-1 - axis]
            for axis in dividing
            if axis != -1
        ]

    return [other for other in range(math.prod(devices)) if part(other) == part(rank)]


def _check(api, parameters, layout, cur_rank, initial_rank):
    if cur_rank != get_rank():
        raise ValueError(
            f"For '{api}', 'cur_rank' must be this process's number {get_rank()}, but got "
            f"{cur_rank}."
        )
    for name, (devices, *_) in layout.items():
        size = math.prod(devices)
        if initial_rank != cur_rank // size * size:
            raise ValueError(
                f"For '{api}', 'initial_rank' must be the first of the {size} ranks of the stage "
                f"of rank {cur_rank}, {cur_rank // size * size}, but got {initial_rank}."
            )
        if name not in parameters:
            raise ValueError(
                f"For '{api}', 'layout' must name parameters of 'net', but got {name!r}."
            )
