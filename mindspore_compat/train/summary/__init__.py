"""`mindspore.train.summary`: files with scalars, images, tensors and histograms of a training."""

from .summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
