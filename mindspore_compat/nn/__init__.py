"""mindspore.nn: networks, layers, losses, optimizers and schedules, built from the declarations."""

from .._core.surface import window
from . import dynamic_lr, layer, learning_rate_schedule, loss, optim, wrap  # noqa: F401 - the declarations
from .cell import Cell

__getattr__, __dir__, __all__ = window(__name__, classes=Cell, names=("Cell",))
