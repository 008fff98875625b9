"""In which order a DataLoader reads rows: one index after another, or lists of them."""

import itertools

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from .._rules import AnInstance

__all__ = ["BatchSampler", "InfiniteSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """An order of rows: a subclass defines `__iter__`.

    Args:
        data_source (Dataset): what the rows are of. Default: ``None``.

    Source: mindspore.dataset.dataloader.Sampler of MindSpore 2.10.
    """

    def __init__(self, data_source=None):
        self.data_source = data_source


class SequentialSampler(Sampler):
    """All rows in order.

    Args:
        data_source (Dataset): what the rows are of.

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
    """Rows in random order.

    Args:
        data_source (Dataset): what the rows are of.
        replacement (bool): whether a row may come again before all have come. Default: ``False``.
        num_samples (int): how many come. Default: ``None``, as many as there are.
        generator (numpy.random.Generator): draws the order. Default: ``None``, a new one, seeded by
            `numpy.random`.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `num_samples` is not positive.

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
        """How many rows come."""
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
    """Lists of indices, of one length each.

    Args:
        sampler (Union[Sampler, Iterable]): gives the indices.
        batch_size (int): how many a list has.
        drop_last (bool): whether a last list that is shorter is left out.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `batch_size` is not positive.

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
    """None without end, for data that is iterated."""

    def __iter__(self):
        return itertools.repeat(None)
