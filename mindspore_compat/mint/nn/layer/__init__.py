"""Layers that differ from the layer of the same purpose in `nn`, one file per public module.

Layers that differ from layers of `nn` only in name are declared beside them, or beside their
operator.
"""

from ...._core.declare.public_api import facade
from ....nn.cell import Cell
from . import activation, basic, conv, normalization, padding, pooling  # noqa: F401 - the declarations

__getattr__, __dir__, __all__ = facade(__name__, classes=Cell, area="mint.nn")
