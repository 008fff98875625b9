"""The original's compiled module: the types that pickles name, and what a few scripts ask of it."""

from ..common._ms_context import MSContext
from ..communication.groups import GroupOptions
from ..communication.order import CommExecOrderChecker

__all__ = ["CommExecOrderChecker", "GroupOptions", "MSContext"]
