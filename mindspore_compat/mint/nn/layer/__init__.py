"""Layers under PyTorch's names that differ from those of `nn`, one file per public module.

Layers that differ from `nn`'s in their name alone are declared next to them, or next to their op.
"""

from ...._core.declare.public_api import facade
from ....nn.cell import Cell
from . import activation, basic, conv, normalization, padding, pooling  # noqa: F401 - the declarations

__getattr__, __dir__, __all__ = facade(__name__, classes=Cell, area="mint.nn")
