"""The base of all samplers, and what several of them take: numbers, and a way to shuffle.

A sampler is a description. `open(size, labels)` gives a function that is called once per epoch and
returns the indices of that epoch; what changes from epoch to epoch lives in that function. With a
child, the sampler chooses among the indices that the child gives.
"""

from enum import Enum

import numpy as np

from ..._core.rules.vocabulary import Bool, Int
from .._rules import Samples

# True counts as 1, as in the original.
Whole = Int | Bool
Count = Samples | Bool


class Shuffle(str, Enum):
    """How rows are shuffled: all of them, or by the files they come from.

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
    """The base of all samplers.

    Args:
        num_samples (int, optional): how many rows an epoch has at most.
    """

    def __init__(self, num_samples=None):
        self.num_samples = num_samples
        self.child_sampler = None

    def add_child(self, sampler):
        """Makes `sampler` choose the rows among which this one chooses.

        Raises:
            RuntimeError: there is a child already.
        """
        if self.child_sampler is not None and sampler is not None:
            raise RuntimeError(
                "For 'add_child', a sampler must have one child at most, but got another."
            )
        self.child_sampler = sampler

    def get_child(self):
        """Returns the child, or None."""
        return self.child_sampler

    def get_num_samples(self):
        """Returns how many rows an epoch has at most, the child's limit included; None for any."""
        child = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        given = [each for each in (self.num_samples, child) if each]
        return min(given, default=None)

    def get_shuffle_mode(self):
        """Returns how rows are shuffled, as a Shuffle: here not, GLOBAL by samplers that draw."""
        return Shuffle.FALSE

    def is_shuffled(self):
        """Returns whether the order is random."""
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def is_sharded(self):
        """Returns whether the rows are divided among several processes."""
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def open(self, size, labels=None):
        """The function that gives the indices of each epoch.

        Args:
            size (int): how many rows the source has.
            labels (Callable, optional): gives the class of each row, for PKSampler.

        Raises:
            RuntimeError: a number that the sampler was made with is out of range.
        """
        self._check()
        if self.child_sampler is None:
            own = self._open(size, labels)
            return lambda: _inside(own(), size)
        child = self.child_sampler.open(size, labels)
        samplers = {}

        def epoch():
            given = child()
            if len(given) not in samplers:
                samplers[len(given)] = self._open(len(given), labels)
            return given[_inside(samplers[len(given)](), len(given))]

        return epoch

    def parse(self):
        """Returns the sampler as a pipeline takes it, which here is the sampler itself.

        Raises:
            RuntimeError: a number that it or its child was made with is out of range.
        """
        self._check()
        if self.child_sampler is not None:
            self.child_sampler.parse()
        return self

    def _check(self):
        """Refuses numbers out of range, which the original looks at in use only."""

    def _limited(self, size):
        return min(size, self.num_samples) if self.num_samples else size


class FileSampler(BuiltinSampler):
    """The base of the samplers that MindDataset takes, too."""

    def parse_for_minddataset(self):
        """Returns the sampler as MindDataset takes it; see `parse`."""
        return self.parse()


def _inside(indices, size):
    """The indices as an array; none may lie outside the source."""
    indices = np.asarray(indices, np.int64)
    wrong = (indices < 0) | (indices >= size)
    if wrong.any():
        raise RuntimeError(
            f"A sampler gave the index {indices[wrong][0]}, but indices must be in [0, {size})."
        )
    return indices
