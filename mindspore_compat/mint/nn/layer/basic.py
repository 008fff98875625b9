"""Unfold and Fold (im2col and col2im), and the soft margin loss."""

from ...._core.declare.public_api import facade, public
from ....nn._parts import also
from ....nn.cell import Cell
from ....nn.loss.loss import SoftMarginLoss
from ....ops._conv.unfold import fold, unfold

__all__ = ["Flatten", "Fold", "SoftMarginLoss", "Unfold"]
__getattr__, __dir__, _ = facade(__name__, classes=Cell, area="mint.nn")

also(unfold, "mint.nn.Unfold(kernel_size, dilation=1, padding=0, stride=1)(input)")
also(fold, "mint.nn.Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)(input)")
public("mint.nn.SoftMarginLoss")(SoftMarginLoss)
