"""`mindspore.boost`: training with less work in a step.

AutoBoost requests changes of a network, its optimizer and its steps; they can be made one by one
too. What no page of the original states the arithmetic of is not here: training in few dimensions,
loss scales by groups of layers, the adaptive sum as a Cell of its own.
"""

from .base import OptimizerProcess, ParameterProcess
from .boost import AutoBoost
from .boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from .grad_accumulation import GradientAccumulation
from .grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from .less_batch_normalization import LessBN

__all__ = [
    "AutoBoost",
    "BoostTrainOneStepCell",
    "BoostTrainOneStepWithLossScaleCell",
    "FreezeOpt",
    "GradientAccumulation",
    "GradientFreeze",
    "LessBN",
    "OptimizerProcess",
    "ParameterProcess",
    "freeze_cell",
]
