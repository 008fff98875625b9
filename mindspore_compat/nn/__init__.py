"""mindspore.nn: networks, layers, losses, optimizers and schedules, built from the declarations."""

from .._core.surface import window
from . import (  # noqa: F401 - the declarations
    dynamic_lr, graph_cell, layer, learning_rate_schedule, loss, optim, sparse, utils, wrap,
)
from .cell import Cell

__getattr__, __dir__, __all__ = window(__name__, classes=Cell, names=("Cell",))
