"""`mindspore.train.summary`: files of scalars, images, tensors and distributions of a training."""

from .summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
