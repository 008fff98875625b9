"""Datasets of a DataLoader: rows by index, or rows in sequence."""

import numpy as np

from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor.tensor import Tensor

__all__ = ["Dataset", "IterableDataset", "TensorDataset"]

_Arrays = Instead(InstanceOf(Tensor, np.ndarray).called("Tensors or arrays"), AttributeError)


class Dataset:
    """Base class of map-style datasets: a subclass defines `__getitem__` and usually `__len__`.

    Source: mindspore.dataset.dataloader.Dataset of MindSpore 2.10.
    """

    def __getitem__(self, index):
        """Returns the row at an index; a subclass defines it.

        Raises:
            NotImplementedError: if it does not.
        """
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__getitem__' must be defined by "
            "the subclass, but is not."
        )


class IterableDataset(Dataset):
    """Base class of iterable datasets: a subclass defines `__iter__`.

    Source: mindspore.dataset.dataloader.IterableDataset of MindSpore 2.10.
    """

    def __iter__(self):
        """Iterates over the rows; a subclass defines it.

        Raises:
            NotImplementedError: if it does not.
        """
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__iter__' must be defined by the subclass, but is not."
        )


class TensorDataset(Dataset):
    """A dataset of Tensors: row i is the tuple of the i-th items along axis 0.

    Args:
        tensors (Tensor): one or more Tensors of equal length along axis 0.

    Raises:
        TypeError: if one is not a Tensor.
        ValueError: if they differ in length.

    Example:
        >>> data = ms.dataset.dataloader.TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3, 4]))
        >>> len(data)
        2

    Source: mindspore.dataset.dataloader.TensorDataset of MindSpore 2.10.
    """

    def __init__(self, *tensors):
        for tensor in tensors:
            _Arrays.refuse("TensorDataset", "tensors", tensor)
        lengths = {tensor.shape[0] for tensor in tensors}
        if len(lengths) > 1:
            raise ValueError(
                "For 'TensorDataset', 'tensors' must have one length along axis 0, "
                f"but got {sorted(lengths)}."
            )
        self.tensors = tensors

    def __getitem__(self, index):
        """Returns the tuple of items at an index."""
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]
