"""What a DataLoader reads: rows by index, or one after another."""

from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor.tensor import Tensor

__all__ = ["Dataset", "IterableDataset", "TensorDataset"]


class Dataset:
    """Rows by index: a subclass defines `__getitem__`, and most often `__len__`.

    Source: mindspore.dataset.dataloader.Dataset of MindSpore 2.10.
    """

    def __getitem__(self, index):
        """The row of an index; a subclass defines it.

        Raises:
            NotImplementedError: it does not.
        """
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__getitem__' must be defined by "
            "the subclass, but is not."
        )


class IterableDataset(Dataset):
    """Rows one after another: a subclass defines `__iter__`.

    Source: mindspore.dataset.dataloader.IterableDataset of MindSpore 2.10.
    """

    def __iter__(self):
        """The rows; a subclass defines it.

        Raises:
            NotImplementedError: it does not.
        """
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__iter__' must be defined by the subclass, but is not."
        )


class TensorDataset(Dataset):
    """Tensors cut along axis 0: row i is a tuple of the i-th part of each.

    Args:
        tensors (Tensor): one or more, of one length along axis 0.

    Raises:
        TypeError: one is no Tensor.
        ValueError: they differ in length.

    Example:
        >>> data = ms.dataset.dataloader.TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3, 4]))
        >>> len(data)
        2

    Source: mindspore.dataset.dataloader.TensorDataset of MindSpore 2.10.
    """

    def __init__(self, *tensors):
        for each in tensors:
            InstanceOf(Tensor).called("Tensors").refuse("TensorDataset", "tensors", each)
        lengths = {each.shape[0] for each in tensors}
        if len(lengths) > 1:
            raise ValueError(
                "For 'TensorDataset', 'tensors' must have one length along axis 0, "
                f"but got {sorted(lengths)}."
            )
        self.tensors = tensors

    def __getitem__(self, index):
        """A tuple of the parts at an index."""
        return tuple(each[index] for each in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]
