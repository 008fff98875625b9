"""Samplers: which rows of a source are read, in which order, in each epoch.

Their base, BuiltinSampler, is in `_base_sampler.py`. Seeded orders are the original's.
"""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Str
from .._rules import AnInstance
from ._base_sampler import BuiltinSampler, Count, FileSampler, Shuffle, Whole
from .config import next_seed
from .twister import Twister

__all__ = [
    "BuiltinSampler",
    "DistributedSampler",
    "IterSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
    "select_sampler",
]


class SequentialSampler(FileSampler):
    """Takes the rows in their own order.

    Args:
        start_index (int, optional): the first row taken.
        num_samples (int, optional): how many rows are taken; by default all that follow.

    Raises:
        RuntimeError: `start_index` is negative; raised when the rows are read.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([10, 20, 30, 40], sampler=ds.SequentialSampler(1, 2))
        >>> [int(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [20, 30]

    Source: mindspore.dataset.SequentialSampler of MindSpore 2.10.
    """

    @checked
    def __init__(self, start_index: Whole = None, num_samples: Count = None):
        super().__init__(num_samples)
        self.start_index = start_index

    def _check(self):
        if self.start_index is not None and self.start_index < 0:
            raise RuntimeError(
                f"For 'SequentialSampler', 'start_index' must be >= 0, but got {self.start_index}."
            )

    def _open(self, size, labels):
        start = self.start_index or 0
        if start and start >= size:
            raise RuntimeError(
                f"For 'SequentialSampler', 'start_index' must be below the number "
                f"of rows, {size}, but got {start}."
            )
        taken = np.arange(start, start + self._limited(size - start))
        return lambda: taken


class RandomSampler(FileSampler):
    """Takes the rows in random order, a new one in each epoch.

    Args:
        replacement (bool, optional): whether a row may be taken more than once.
        num_samples (int, optional): how many rows are taken.
        shuffle (Shuffle, optional): for MindDataset and TFRecordDataset, how.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([10, 20, 30, 40], sampler=ds.RandomSampler(num_samples=3))
        >>> len([row for row in data])
        3

    Source: mindspore.dataset.RandomSampler of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        replacement: Bool = False,
        num_samples: Count = None,
        shuffle: AnInstance(Shuffle) = Shuffle.GLOBAL,
    ):
        super().__init__(num_samples)
        self.replacement, self.shuffle = replacement, shuffle
        self.deterministic = False
        self.reshuffle_each_epoch = True

    def get_shuffle_mode(self):
        """Returns how the rows are shuffled."""
        return self.shuffle

    def is_shuffled(self):
        """Returns True."""
        return True

    def _open(self, size, labels):
        _only_global(self.shuffle)
        seed, twister = next_seed(), Twister(0)
        order, count = list(range(size)), self._limited(size)

        def epoch():
            nonlocal seed
            twister.seed(seed)
            if self.reshuffle_each_epoch:
                seed += 1
            if self.replacement:
                return [twister.integer(0, size - 1) for _ in range(count)]
            if not self.reshuffle_each_epoch:
                order[:] = range(size)
            return twister.shuffle(order)[:count]

        return epoch


def _only_global(shuffle):
    if isinstance(shuffle, Shuffle) and shuffle is not Shuffle.GLOBAL:
        raise RuntimeError(f"The shuffle mode {shuffle} is not supported by this dataset.")


class DistributedSampler(FileSampler):
    """Takes every `num_shards`-th row: this process's share.

    Args:
        num_shards (int): how many processes share the rows.
        shard_id (int): which of them this is.
        shuffle (Union[bool, Shuffle], optional): whether the rows are shuffled first, in the same
            way in all.
        num_samples (int, optional): how many rows are taken.
        offset (int, optional): the process that gets the first row. By default shares are made
            equal by repeating rows from the start; with an offset they differ by one, but none is
            empty.

    Raises:
        RuntimeError: `num_shards`, `shard_id` or `offset` is out of range; raised when the rows are
            read.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> half = ds.DistributedSampler(num_shards=2, shard_id=1, shuffle=False)
        >>> data = ds.NumpySlicesDataset([10, 20, 30, 40], sampler=half)
        >>> [int(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [20, 40]

    Source: mindspore.dataset.DistributedSampler of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        num_shards: Whole,
        shard_id: Whole,
        shuffle: Bool | AnInstance(Shuffle) = True,
        num_samples: Count = None,
        offset: Whole = -1,
    ):
        super().__init__(num_samples)
        self.num_shards, self.shard_id = num_shards, shard_id
        self.shuffle, self.offset = shuffle, offset
        self.seed = 0

    def _check(self):
        if self.num_shards <= 0:
            raise RuntimeError(
                f"For 'DistributedSampler', 'num_shards' must be > 0, but got {self.num_shards}."
            )
        if not 0 <= self.shard_id < self.num_shards:
            raise RuntimeError(
                f"For 'DistributedSampler', 'shard_id' must be in [0, "
                f"{self.num_shards}), but got {self.shard_id}."
            )
        if self.offset > self.num_shards:
            raise RuntimeError(
                f"For 'DistributedSampler', 'offset' must be at most 'num_shards', "
                f"{self.num_shards}, but got {self.offset}."
            )

    def get_shuffle_mode(self):
        """Returns how the rows are shuffled."""
        if isinstance(self.shuffle, Shuffle):
            return self.shuffle
        return Shuffle.GLOBAL if self.shuffle else Shuffle.FALSE

    def is_shuffled(self):
        """Returns whether the rows are shuffled first."""
        return self.get_shuffle_mode() is not Shuffle.FALSE or super().is_shuffled()

    def is_sharded(self):
        """Returns whether there is more than one share."""
        return self.num_shards > 1 or super().is_sharded()

    def set_offset(self, offset):
        """Sets which process gets the first row."""
        self.offset = offset

    def _first_seed(self):
        return next_seed()

    def share(self, size, repeats=True):
        """The indices, in the (shuffled) order, of the rows that this process takes; with `repeats`
        rows from the start make shares equal."""
        self._check()
        if self.offset == -1 and repeats:
            count = -(-size // self.num_shards)
            indices = (self.shard_id + self.num_shards * np.arange(count)) % max(size, 1)
        else:
            first = (self.shard_id - max(self.offset, 0)) % self.num_shards
            indices = np.arange(first, size, self.num_shards)
            if repeats and size and not len(indices):
                indices = np.zeros(1, np.int64)
        return indices[: self._limited(len(indices))]

    def _open(self, size, labels):
        shuffled = self.get_shuffle_mode() is not Shuffle.FALSE
        if shuffled:
            _only_global(self.shuffle)
        seed, twister = self._first_seed(), Twister(0)
        order, indices = list(range(size)), self.share(size)

        def epoch():
            nonlocal seed
            if shuffled:
                seed += 1
                twister.seed(seed)
                twister.shuffle(order)
            return np.asarray(order, np.int64)[indices]

        return epoch


class PKSampler(FileSampler):
    """Takes `num_val` rows of each class, at random; as in the original, a row may come twice.

    Args:
        num_val (int): how many rows of each class.
        num_class (int, optional): not supported by the original; must be None.
        shuffle (bool, optional): whether the classes are taken in a random order.
        class_column (str, optional): for MindDataset, the column of the class.
        num_samples (int, optional): how many rows are taken in all.

    Raises:
        NotImplementedError: `num_class` is not None.
        RuntimeError: `num_val` is not positive; raised when the rows are read.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> sampler = ds.PKSampler(num_val=2, shuffle=False)
        >>> sampler.num_val
        2

    Source: mindspore.dataset.PKSampler of MindSpore 2.10.
    """

    @checked(Forbid("num_class is not None", NotImplementedError, "'num_class' must be None"))
    def __init__(
        self,
        num_val: Whole,
        num_class=None,
        shuffle: Bool = False,
        class_column: Str = "label",
        num_samples: Count = None,
    ):
        super().__init__(num_samples)
        self.num_val, self.shuffle, self.class_column = num_val, shuffle, class_column

    def _check(self):
        if self.num_val <= 0:
            raise RuntimeError(f"For 'PKSampler', 'num_val' must be > 0, but got {self.num_val}.")

    def is_shuffled(self):
        """Returns whether the order is random."""
        return self.shuffle or super().is_shuffled()

    def _open(self, size, labels):
        if labels is None:
            raise RuntimeError("A PKSampler needs a dataset that knows the classes of its rows.")
        rows_of = {}
        for row, label in enumerate(labels()):
            rows_of.setdefault(int(label), []).append(row)
        members = [rows_of[label] for label in sorted(rows_of)]
        seed, twister = next_seed(), Twister(0)
        twister.seed(seed)
        if self.shuffle:
            twister.shuffle(members)

        def epoch():
            nonlocal seed
            taken = [
                rows[twister.integer(0, len(rows) - 1)]
                for rows in members
                for _ in range(self.num_val)
            ]
            seed += 1
            twister.seed(seed)
            return taken[: self._limited(len(taken))]

        return epoch


class SubsetSampler(FileSampler):
    """Takes the rows of given indices, in the order given.

    Args:
        indices (Iterable): the indices.
        num_samples (int, optional): how many of them are taken.

    Raises:
        TypeError: an index is not an int, or `num_samples` is not.
        ValueError: `num_samples` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...         sampler=ms.dataset.SubsetSampler([2, 0])).create_tuple_iterator()])
        [3, 1]

    Source: mindspore.dataset.SubsetSampler of MindSpore 2.10.
    """

    @checked
    def __init__(self, indices, num_samples: Count = None):
        if isinstance(indices, (str, bytes)):
            raise TypeError(
                f"For '{type(self).__name__}', 'indices' must be an iterable of ints, "
                f"but got {indices!r}."
            )
        indices = list(indices) if hasattr(indices, "__iter__") else [indices]
        for position, index in enumerate(indices):
            if not isinstance(index, (int, np.integer)) or isinstance(index, bool):
                raise TypeError(
                    f"For '{type(self).__name__}', 'indices' must hold ints, but "
                    f"indices[{position}] is {index!r}."
                )
        super().__init__(num_samples)
        self.indices = indices

    def _open(self, size, labels):
        taken = self.indices[: self._limited(len(self.indices))]
        return lambda: taken


class SubsetRandomSampler(SubsetSampler):
    """Takes the rows of given indices, in a random order, a new one in each epoch.

    Args:
        indices (Iterable): the indices.
        num_samples (int, optional): how many of them are taken.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...                                     sampler=ms.dataset.SubsetRandomSampler([2,
        ...         0])).get_dataset_size())
        2

    Source: mindspore.dataset.SubsetRandomSampler of MindSpore 2.10.
    """

    def get_shuffle_mode(self):
        """Returns Shuffle.GLOBAL."""
        return Shuffle.GLOBAL

    def is_shuffled(self):
        """Returns True."""
        return True

    def _open(self, size, labels):
        seed, twister = next_seed(), Twister(0)
        order = list(self.indices)[: self._limited(len(self.indices))]

        def epoch():
            twister.seed(seed)
            return twister.shuffle(order)

        return epoch


class WeightedRandomSampler(BuiltinSampler):
    """Takes rows at random, with probabilities in proportion to weights.

    Args:
        weights (list): a number for each row.
        num_samples (int, optional): how many rows are taken; by default as many as there are.
        replacement (bool, optional): whether a row may be taken more than once.

    Raises:
        TypeError: a weight is not a number.
        RuntimeError: there is no weight, a negative one, or none above zero.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2],
        ...                                     sampler=ms.dataset.WeightedRandomSampler([1.0, 0.0],
        ...         3)).get_dataset_size())
        2

    Source: mindspore.dataset.WeightedRandomSampler of MindSpore 2.10.
    """

    @checked
    def __init__(self, weights, num_samples: Count = None, replacement: Bool = True):
        weights = weights if isinstance(weights, list) else [weights]
        for position, weight in enumerate(weights):
            if not isinstance(weight, (int, float, np.number)) or isinstance(weight, bool):
                raise TypeError(
                    f"For 'WeightedRandomSampler', 'weights' must be a list of "
                    f"numbers, but weights[{position}] is {weight!r}."
                )
        if not weights or min(weights) < 0 or max(weights) == 0:
            raise RuntimeError(
                f"For 'WeightedRandomSampler', 'weights' must hold numbers >= 0 "
                f"that are not all zero, but got {weights!r}."
            )
        super().__init__(num_samples)
        self.weights, self.replacement = weights, replacement

    def get_shuffle_mode(self):
        """Returns Shuffle.GLOBAL."""
        return Shuffle.GLOBAL

    def is_shuffled(self):
        """Returns True."""
        return True

    def _open(self, size, labels):
        if len(self.weights) > size:
            raise RuntimeError(
                f"For 'WeightedRandomSampler', there must be no more weights than "
                f"rows, {size}, but got {len(self.weights)}."
            )
        seed, twister, count = next_seed(), Twister(0), self._limited(size)

        def epoch():
            twister.seed(seed)
            draw = twister.weighted if self.replacement else twister.weighted_once
            return draw(self.weights, count)

        return epoch


class Sampler(BuiltinSampler):
    """The base of samplers that users write; a subclass defines `__iter__`.

    `dataset_size` and `num_samples` are set before it is iterated; `reset`, if defined, is called
    before each epoch but the first.

    Args:
        num_samples (int, optional): how many rows are taken.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> class Backwards(ds.Sampler):
        ...     def __iter__(self):
        ...         yield from range(self.dataset_size - 1, -1, -1)
        >>> data = ds.NumpySlicesDataset([10, 20, 30], sampler=Backwards())
        >>> [int(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [30, 20, 10]
    """

    @checked
    def __init__(self, num_samples: Count = None):
        super().__init__(num_samples)
        self.dataset_size = 0

    def reset(self):
        """Is called before each epoch but the first."""

    def _open(self, size, labels):
        self.dataset_size, first = size, True

        def epoch():
            nonlocal first
            if not first:
                self.reset()
            first = False
            taken = []
            for index in self:
                if self.num_samples and len(taken) == self.num_samples:
                    break
                taken.append(index)
            return taken

        return epoch


class IterSampler(Sampler):
    """Takes the rows that any iterable names.

    Args:
        sampler (Iterable): gives indices.
        num_samples (int, optional): how many rows are taken.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...                                     sampler=ms.dataset.IterSampler([2, 0],
        ...         2)).get_dataset_size())
        2
    """

    def __init__(self, sampler, num_samples=None):
        super().__init__(num_samples)
        if not hasattr(sampler, "__iter__"):
            raise TypeError(f"For 'IterSampler', 'sampler' must be iterable, but got {sampler!r}.")
        self.sampler = sampler

    def __iter__(self):
        return iter(self.sampler)


def as_sampler(sampler):
    """A sampler as the datasets use it: one of ours, or one around any iterable.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(sampler, BuiltinSampler):
        return sampler
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(sampler)
    if hasattr(sampler, "__iter__") and not isinstance(sampler, (str, bytes)):
        return IterSampler(sampler)
    raise TypeError(
        f"'sampler' must be a sampler or an iterable of indices, but got {sampler!r} "
        f"of type {type(sampler).__name__}."
    )


def select_sampler(num_samples, input_sampler, shuffle, num_shards, shard_id):
    """Returns the sampler that a dataset's arguments ask for.

    Args:
        num_samples (int): how many rows are taken at most, or None.
        input_sampler: a sampler or an iterable, or None.
        shuffle (Union[bool, Shuffle]): whether the order is random; None means that it is.
        num_shards (int): how many processes share the rows, or None.
        shard_id (int): which of them this is, or None.

    Raises:
        ValueError: `input_sampler` is given together with another argument.
    """
    if input_sampler is not None:
        given = (num_samples, shuffle, num_shards, shard_id)
        if any(each is not None for each in given):
            raise ValueError(
                f"'sampler' excludes 'num_samples', 'shuffle', 'num_shards' and "
                f"'shard_id', but got {given}."
            )
        return as_sampler(input_sampler)
    if num_shards is not None:
        shuffle = True if shuffle is None else shuffle
        return DistributedSampler(num_shards, shard_id, shuffle=shuffle, num_samples=num_samples)
    if shuffle is False or shuffle is Shuffle.FALSE:
        return SequentialSampler(num_samples=num_samples)
    # As in the original, a random choice of `num_samples` rows may take one twice.
    return RandomSampler(replacement=bool(num_samples), num_samples=num_samples)
