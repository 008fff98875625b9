"""Base classes of samplers, and the enumeration Shuffle.

A sampler is a description. `open(size, labels)` returns a function that is called once per epoch
and returns the indices of that epoch; that function holds all state that changes between epochs. A
sampler with a child selects among the indices of the child.
"""

from enum import Enum

import numpy as np

from ..._core.rules.vocabulary import Bool, Int
from .._rules import Samples

# True counts as 1, as in MindSpore.
Whole = Int | Bool
Count = Samples | Bool


class Shuffle(str, Enum):
    """The shuffle modes: shuffle all rows, only files, or rows within files.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> with open("lines.txt", "w") as file:
        ...     _ = file.write("a single line")
        >>> data = ds.TextFileDataset("lines.txt", shuffle=ds.Shuffle.FILES)
        >>> data.get_dataset_size()
        1
    """

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class BuiltinSampler:
    """Base class of all samplers.

    Args:
        num_samples (int, optional): the maximum number of rows of an epoch.
    """

    def __init__(self, num_samples=None):
        self.num_samples = num_samples
        self.child_sampler = None

    def add_child(self, sampler):
        """Adds a child sampler: this sampler selects among the rows that the child selects.

        Raises:
            RuntimeError: if the sampler already has a child.
        """
        if self.child_sampler is not None and sampler is not None:
            raise RuntimeError(
                "For 'add_child', a sampler must have one child at most, but got another."
            )
        self.child_sampler = sampler

    def get_child(self):
        """Returns the child sampler, or None."""
        return self.child_sampler

    def get_num_samples(self):
        """Returns the maximum number of rows of an epoch, including the child's limit; None means
        no limit.
        """
        child = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        limits = [limit for limit in (self._own_limit(), child) if limit is not None]
        return min(limits, default=None)

    def _own_limit(self):
        return self.num_samples or None

    def get_shuffle_mode(self):
        """Returns the shuffle mode: FALSE here, GLOBAL for random samplers."""
        return Shuffle.FALSE

    def is_shuffled(self):
        """Returns whether the order is random."""
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def is_sharded(self):
        """Returns whether the rows are divided among several processes."""
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def open(self, size, labels=None):
        """Returns the function that returns the indices of each epoch.

        Args:
            size (int): the number of rows of the source.
            labels (Callable, optional): returns the class of each row, for PKSampler.

        Raises:
            RuntimeError: if an argument of the sampler is out of range.
        """
        self._check()
        if self.child_sampler is None:
            draw = self._open(size, labels)
            return lambda: _inside(draw(), size)
        child = self.child_sampler.open(size, labels)
        samplers = {}

        def epoch():
            indices = child()
            if len(indices) not in samplers:
                samplers[len(indices)] = self._open(len(indices), labels)
            return indices[_inside(samplers[len(indices)](), len(indices))]

        return epoch

    def parse(self):
        """Returns the sampler in the form for pipelines, which here is the sampler itself.

        Raises:
            RuntimeError: if an argument of the sampler or its child is out of range.
        """
        self._check()
        if self.child_sampler is not None:
            self.child_sampler.parse()
        return self

    def _check(self):
        """Refuses numbers out of range, which MindSpore checks only on use."""

    def _limit(self, size):
        return min(size, self.num_samples) if self.num_samples else size


class FileSampler(BuiltinSampler):
    """Base class of the samplers that MindDataset accepts."""

    def parse_for_minddataset(self):
        """Returns the sampler in the form for MindDataset; see `parse`."""
        return self.parse()


def _inside(indices, size):
    """Returns the indices as an array; all must lie within the source."""
    indices = np.asarray(indices, np.int64)
    wrong = (indices < 0) | (indices >= size)
    if wrong.any():
        raise RuntimeError(
            f"A sampler gave the index {indices[wrong][0]}, but indices must be in [0, {size})."
        )
    return indices
