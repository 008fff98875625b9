"""Gradients as Cells."""

from .cell_grad import Jvp, Vjp

__all__ = ["Jvp", "Vjp"]
