"""mindspore.train.train_thor: training with THOR."""

from .convert_utils import ConvertModelUtils, ConvertNetUtils

__all__ = ["ConvertModelUtils", "ConvertNetUtils"]
