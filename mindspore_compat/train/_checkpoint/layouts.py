"""Layouts of the parameters of a Model's networks, in the form that `load_distributed_checkpoint`
takes.

Every process holds whole parameters here, so each layout has one grid axis, which cuts no axis.
"""

from ..._core.context.config import GRAPH_MODE, config

_DIVIDED = "semi_auto_parallel", "auto_parallel"


def layouts_of(method, network, parameters):
    """Returns {parameter name: [grid, axes of the grid, shape, 0, True, no group]}.

    Args:
        method (str): the method of Model, for errors.
        network (Cell): the network given to Model; an AutoParallel has its own settings.
        parameters (Iterable[Parameter]): the parameters of the network.

    Raises:
        RuntimeError: if execution is not in graph mode, or the parallel mode is another one than
            "semi_auto_parallel" and "auto_parallel".
    """
    count = getattr(network, "_device_num", None)  # an AutoParallel is always in such a mode
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
    return {
        param.name: [[count], [-1] * param.ndim, list(param.shape), 0, True, ""]
        for param in parameters
    }
