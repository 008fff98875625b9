"""Layouts of the parameters of a Model's networks, in the form that `load_distributed_checkpoint`
takes.

The grid is the mesh of the network (divisions.py). With one process, the grid has one axis, with
the number of ranks in the settings, and it cuts no axis of a parameter.
"""

import contextlib

from ..._backend.random import streams
from ..._core.context.config import GRAPH_MODE, config
from ..._core.sharding.array import Sharded
from ..._core.sharding.network import mesh_of
from ..._core.sharding.staged import Staged
from .divisions import grid_of

_DIVIDED = "semi_auto_parallel", "auto_parallel"


def layouts_of(method, network, running, run):
    """Returns {parameter name: [grid, axes of the grid, shape of a slice, 0, True, no group]}. An
    axis of a parameter that several axes of the grid cut has a tuple of these.

    Parameters are divided at their first use, so with several processes the network runs once; no
    value has changed afterwards.

    Args:
        method (str): the method of Model, for errors.
        network (Cell): the network given to Model; an AutoParallel has its own settings.
        running (Cell): the network that runs.
        run (Callable): runs it.

    Raises:
        RuntimeError: if execution is not in graph mode, or the parallel mode is another one than
            "semi_auto_parallel" and "auto_parallel".
    """
    count = getattr(network, "_device_num", None)  # an AutoParallel always divides its network
    if count is None:
        if config.parallel.parallel_mode not in _DIVIDED:
            raise RuntimeError(
                f"For 'Model.{method}', the parallel mode must be one of {_DIVIDED}, "
                f"but got '{config.parallel.parallel_mode}'."
            )
        count = config.parallel.device_num
    if config.mode != GRAPH_MODE:
        raise RuntimeError(
            f"For 'Model.{method}', execution must be in graph mode, but got mode {config.mode}."
        )
    own = hasattr(network, "get_pipeline_stages")
    mesh = mesh_of(network.get_pipeline_stages() if own else config.parallel.pipeline_stages)
    if mesh is None:
        return {p.name: _layout(p, [count], [[-1]] * p.ndim) for p in running.get_parameters()}
    with unchanged(running):
        run()
    held = [p for p in running.get_parameters() if type(p._array) is not Staged]
    return {p.name: _layout(p, *grid_of(p._array, mesh)) for p in held}


def _layout(parameter, grid, cuts):
    shape = list(getattr(parameter._array, "block", parameter._array).shape)
    axes = [axis[0] if len(axis) == 1 else tuple(axis) for axis in cuts]
    return [grid, axes, shape, 0, True, ""]


@contextlib.contextmanager
def unchanged(network):
    """A context that restores the parameters of a network and the random state at its end.
    Parameters that were divided within it stay divided."""
    before = [(p, p._array, p._array.copy()) for p in network.get_parameters()]
    try:
        with streams.replaying() as draws_again:
            yield
    finally:
        draws_again()
        for parameter, array, values in before:
            now = parameter._array
            if type(now) is Staged:
                continue
            if type(now) is Sharded and type(array) is not Sharded:
                parameter._array = now.space.shard(values, now.dims, now.parked)
                parameter._array.kept = False if now.kept is False else None
            else:
                parameter._array[...] = values
