"""mindspore.experimental: the optimizers with parameter groups, their schedulers, MapParameter."""

from . import optim  # noqa: F401 - reached as an attribute
from .map_parameter import MapParameter

__all__ = ["MapParameter", "optim"]
