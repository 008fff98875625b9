"""Samplers of a DataLoader: they yield indices of rows, or lists of indices."""

import itertools

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from .._rules import AnInstance

__all__ = ["BatchSampler", "InfiniteSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """Base class of samplers: a subclass defines `__iter__`, which yields indices.

    Args:
        data_source (Dataset): the dataset of the rows. Default: ``None``.

    Source: mindspore.dataset.dataloader.Sampler of MindSpore 2.10.
    """

    def __init__(self, data_source=None):
        self.data_source = data_source


class SequentialSampler(Sampler):
    """Samples all rows in order.

    Args:
        data_source (Dataset): the dataset of the rows.

    Example:
        >>> list(ms.dataset.dataloader.SequentialSampler([7, 8, 9]))
        [0, 1, 2]

    Source: mindspore.dataset.dataloader.SequentialSampler of MindSpore 2.10.
    """

    def __init__(self, data_source):
        super().__init__(data_source)

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Samples rows in random order.

    Args:
        data_source (Dataset): the dataset of the rows.
        replacement (bool): whether to draw with replacement. Default: ``False``.
        num_samples (int): the number of indices. Default: ``None``, the size of the data.
        generator (numpy.random.Generator): draws the order. Default: ``None``, a new generator,
            seeded by `numpy.random`.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `num_samples` is not positive.

    Source: mindspore.dataset.dataloader.RandomSampler of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        data_source,
        replacement: Bool = False,
        num_samples: Int(ge=1) = None,
        generator: AnInstance(np.random.Generator) = None,
    ):
        super().__init__(data_source)
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator

    @property
    def num_samples(self):
        """The number of samples."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        count, generator = len(self.data_source), self.generator
        if generator is None:
            generator = np.random.default_rng(np.random.randint(0, 2**63, dtype=np.int64))
        rounds, rest = divmod(self.num_samples, 32 if self.replacement else count)
        for size in [32] * rounds + [rest] if self.replacement else ():
            yield from generator.integers(0, count, (size,), np.int64).tolist()
        for size in () if self.replacement else [count] * rounds + [rest]:
            yield from generator.permutation(count).tolist()[:size]

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Groups the indices of a sampler into batches: lists of equal length.

    Args:
        sampler (Union[Sampler, Iterable]): yields the indices.
        batch_size (int): the number of indices of a batch.
        drop_last (bool): whether to drop a shorter last batch.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `batch_size` is not positive.

    Example:
        >>> list(ms.dataset.dataloader.BatchSampler(range(5), 2, False))
        [[0, 1], [2, 3], [4]]

    Source: mindspore.dataset.dataloader.BatchSampler of MindSpore 2.10.
    """

    @checked
    def __init__(self, sampler, batch_size: Int(ge=1), drop_last: Bool):
        super().__init__()
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class InfiniteSampler(Sampler):
    """Yields None without end, for iterable datasets."""

    def __iter__(self):
        return itertools.repeat(None)
