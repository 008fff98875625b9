"""Windows of images as columns and back (Unfold, Fold), and the soft margin loss."""

from ...._core.surface import public
from ....nn._parts import also
from ....nn.loss.loss import SoftMarginLoss
from ....ops._conv import fold, unfold

__all__ = []

also(unfold, "mint.nn.Unfold(kernel_size, dilation=1, padding=0, stride=1)(input)")
also(fold, "mint.nn.Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)(input)")
public("mint.nn.SoftMarginLoss")(SoftMarginLoss)
