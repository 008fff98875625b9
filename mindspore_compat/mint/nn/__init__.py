"""mindspore.mint.nn: layers under PyTorch's names, and `functional`."""

from ... import nn  # noqa: F401 - its packages hold the declarations
from ..._core.declare.public_api import facade
from ...nn.cell import Cell
from . import functional, layer  # noqa: F401 - reached as attributes; the declarations

_find, __dir__, __all__ = facade(__name__, classes=Cell)


def __getattr__(name):
    """Returns a listed layer; or `MaxPool2d`, which MindSpore has here but does not list."""
    return nn.MaxPool2dExt if name == "MaxPool2d" else _find(name)
