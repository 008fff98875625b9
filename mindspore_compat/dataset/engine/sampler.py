"""Samplers: select the rows of a source and their order in each epoch.

The base class, BuiltinSampler, is in `_base_sampler.py`. Seeded orders are identical to
MindSpore's.
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
    """Samples the rows in sequence.

    Args:
        start_index (int, optional): the first row to take.
        num_samples (int, optional): the number of rows to take; by default all that follow.

    Raises:
        RuntimeError: if `start_index` is negative; raised when the rows are read.

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
        indices = np.arange(start, start + self._limit(size - start))
        return lambda: indices


class RandomSampler(FileSampler):
    """Samples the rows in random order, a new one in each epoch.

    Args:
        replacement (bool, optional): whether to draw with replacement.
        num_samples (int, optional): the number of rows to take.
        shuffle (Shuffle, optional): the shuffle mode for MindDataset and TFRecordDataset.

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
        """Returns the shuffle mode."""
        return self.shuffle

    def is_shuffled(self):
        """Returns True."""
        return True

    def parse(self):
        """Returns the sampler in the form for pipelines, which here is the sampler itself.

        Raises:
            RuntimeError: if the shuffle mode is not GLOBAL, or an argument is out of range.
        """
        _only_global(self.shuffle)
        return super().parse()

    def parse_for_minddataset(self):
        """Returns the sampler in the form for MindDataset, which supports other shuffle modes."""
        return super().parse()

    def _open(self, size, labels):
        _only_global(self.shuffle)
        seed, twister = next_seed(), Twister(0)
        order, count = list(range(size)), self._limit(size)

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
    """Samples the shard of one process: every `num_shards`-th row.

    Args:
        num_shards (int): the number of processes that share the rows.
        shard_id (int): the index of this process.
        shuffle (Union[bool, Shuffle], optional): whether to shuffle the rows first, identically in
            all processes.
        num_samples (int, optional): the number of rows to take.
        offset (int, optional): the process that gets the first row. By default, rows from the start
            are repeated until all shards have equal size; with an offset, sizes may differ by one,
            but no shard is empty.

    Raises:
        RuntimeError: if `num_shards`, `shard_id` or `offset` is out of range; raised when the rows
            are read.

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
        """Returns the shuffle mode."""
        if isinstance(self.shuffle, Shuffle):
            return self.shuffle
        return Shuffle.GLOBAL if self.shuffle else Shuffle.FALSE

    def is_shuffled(self):
        """Returns whether the rows are shuffled first."""
        return self.get_shuffle_mode() is not Shuffle.FALSE or super().is_shuffled()

    def is_sharded(self):
        """Returns whether there is more than one shard."""
        return self.num_shards > 1 or super().is_sharded()

    def set_offset(self, offset):
        """Sets the process that gets the first row."""
        self.offset = offset

    def _first_seed(self):
        return next_seed()

    def share(self, size, repeats=True):
        """Returns the indices, in the (shuffled) order, of the rows of this process; with
        `repeats`, rows from the start are repeated to make all shards equal."""
        self._check()
        if self.offset == -1 and repeats:
            count = -(-size // self.num_shards)
            indices = (self.shard_id + self.num_shards * np.arange(count)) % max(size, 1)
        else:
            first = (self.shard_id - max(self.offset, 0)) % self.num_shards
            indices = np.arange(first, size, self.num_shards)
            if repeats and size and not len(indices):
                indices = np.zeros(1, np.int64)
        return indices[: self._limit(len(indices))]

    def _open(self, size, labels):
        is_random = self.get_shuffle_mode() is not Shuffle.FALSE
        if is_random:
            _only_global(self.shuffle)
        seed, twister = self._first_seed(), Twister(0)
        order, indices = list(range(size)), self.share(size)

        def epoch():
            nonlocal seed
            if is_random:
                seed += 1
                twister.seed(seed)
                twister.shuffle(order)
            return np.asarray(order, np.int64)[indices]

        return epoch


class PKSampler(FileSampler):
    """Samples `num_val` random rows of each class; as in MindSpore, a row may be drawn twice.

    Args:
        num_val (int): the number of rows of each class.
        num_class (int, optional): not supported by MindSpore; must be None.
        shuffle (bool, optional): whether to shuffle the order of the classes.
        class_column (str, optional): for MindDataset, the column of the class.
        num_samples (int, optional): the total number of rows to take.

    Raises:
        NotImplementedError: if `num_class` is not None.
        RuntimeError: if `num_val` is not positive; raised when the rows are read.

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
            indices = [
                rows[twister.integer(0, len(rows) - 1)]
                for rows in members
                for _ in range(self.num_val)
            ]
            seed += 1
            twister.seed(seed)
            return indices[: self._limit(len(indices))]

        return epoch


class SubsetSampler(FileSampler):
    """Samples the rows with given indices, in their order.

    Args:
        indices (Iterable): the indices.
        num_samples (int, optional): the number of rows to take.

    Raises:
        TypeError: if an index is not an int, or `num_samples` is not.
        ValueError: if `num_samples` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...         sampler=ms.dataset.SubsetSampler([2, 0])).create_tuple_iterator()])
        [3, 1]

    Source: mindspore.dataset.SubsetSampler of MindSpore 2.10.
    """

    @checked
    def __init__(self, indices, num_samples: Count = None):
        if isinstance(indices, str):
            raise TypeError(
                f"For '{type(self).__name__}', 'indices' must be an iterable of ints, "
                f"but got {indices!r}."
            )
        indices = list(indices) if hasattr(indices, "__iter__") else [indices]
        for position, index in enumerate(indices):
            if not isinstance(index, (int, np.integer)):
                raise TypeError(
                    f"For '{type(self).__name__}', 'indices' must hold ints, but "
                    f"indices[{position}] is {index!r}."
                )
        super().__init__(num_samples)
        self.indices = indices

    def _own_limit(self):
        return self.num_samples or len(self.indices)

    def _open(self, size, labels):
        indices = self.indices[: self._limit(len(self.indices))]
        return lambda: indices


class SubsetRandomSampler(SubsetSampler):
    """Samples the rows with given indices, in a new random order in each epoch.

    Args:
        indices (Iterable): the indices.
        num_samples (int, optional): the number of rows to take.

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
        order = list(self.indices)[: self._limit(len(self.indices))]

        def epoch():
            twister.seed(seed)
            return twister.shuffle(order)

        return epoch


class WeightedRandomSampler(BuiltinSampler):
    """Samples random rows with probabilities proportional to weights.

    Args:
        weights (list): the weight of each row.
        num_samples (int, optional): the number of rows to take; by default the number of weights.
        replacement (bool, optional): whether to draw with replacement.

    Raises:
        TypeError: if a weight is not a number.
        RuntimeError: if there are no weights, a weight is negative, or all are zero; raised when
            the rows are read.

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
            if not isinstance(weight, (int, float, complex, np.number)):
                raise TypeError(
                    f"For 'WeightedRandomSampler', 'weights' must be a list of "
                    f"numbers, but weights[{position}] is {weight!r}."
                )
        super().__init__(num_samples)
        self.weights, self.replacement = weights, replacement

    def get_shuffle_mode(self):
        """Returns Shuffle.GLOBAL."""
        return Shuffle.GLOBAL

    def is_shuffled(self):
        """Returns True."""
        return True

    def _check(self):
        super()._check()
        if not self.weights or min(self.weights) < 0 or max(self.weights) == 0:
            raise RuntimeError(
                f"For 'WeightedRandomSampler', 'weights' must hold numbers >= 0 "
                f"that are not all zero, but got {self.weights!r}."
            )

    def _open(self, size, labels):
        if len(self.weights) > size:
            raise RuntimeError(
                f"For 'WeightedRandomSampler', there must be no more weights than "
                f"rows, {size}, but got {len(self.weights)}."
            )
        seed, twister, count = next_seed(), Twister(0), self._limit(size)

        def epoch():
            twister.seed(seed)
            draw = twister.draw_weighted if self.replacement else twister.draw_weighted_once
            return draw(self.weights, count)

        return epoch


class Sampler(BuiltinSampler):
    """Base class of user-defined samplers; a subclass defines `__iter__`.

    `dataset_size` and `num_samples` are set before the iteration; `reset`, if defined, is called
    before each epoch except the first.

    Args:
        num_samples (int, optional): the number of rows to take.

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
        """Called before each epoch except the first."""

    def _open(self, size, labels):
        self.dataset_size, first = size, True

        def epoch():
            nonlocal first
            if not first:
                self.reset()
            first = False
            indices = []
            for index in self:
                if self.num_samples and len(indices) == self.num_samples:
                    break
                indices.append(index)
            return indices

        return epoch


class IterSampler(Sampler):
    """Samples the rows with the indices that an iterable yields.

    Args:
        sampler (Iterable): yields indices.
        num_samples (int, optional): the number of rows to take.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...                                     sampler=ms.dataset.IterSampler([2, 0],
        ...         2)).get_dataset_size())
        2
    """

    def __init__(self, sampler, num_samples=None):
        super().__init__(num_samples)
        if not hasattr(sampler, "__iter__") and not _has_indices(sampler):
            raise TypeError(f"For 'IterSampler', 'sampler' must be iterable, but got {sampler!r}.")
        self.sampler = sampler

    def __iter__(self):
        return iter(self.sampler)


def _has_indices(sampler):
    """Returns whether an object has a length and indices by position."""
    return hasattr(sampler, "__getitem__") and hasattr(sampler, "__len__")


def as_sampler(sampler, num_samples=None):
    """Converts an argument to a sampler: a built-in sampler, or one of an index or an iterable of
    indices, of which `num_samples` are taken.

    Raises:
        TypeError: if it is none of these.
    """
    if isinstance(sampler, BuiltinSampler):
        return sampler
    if isinstance(sampler, int):
        sampler = [int(sampler)]
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(sampler, num_samples)
    iterable = hasattr(sampler, "__iter__") or _has_indices(sampler)
    if iterable and not isinstance(sampler, (str, bytes)):
        return IterSampler(sampler, num_samples)
    raise TypeError(
        f"'sampler' must be a sampler or an iterable of indices, but got {sampler!r} "
        f"of type {type(sampler).__name__}."
    )


def select_sampler(num_samples, input_sampler, shuffle, num_shards, shard_id):
    """Returns the sampler for the arguments of a dataset.

    Args:
        num_samples (int): the maximum number of rows to take, or None.
        input_sampler: a sampler or an iterable, or None.
        shuffle (Union[bool, Shuffle]): whether to shuffle; None means yes.
        num_shards (int): the number of processes that share the rows, or None.
        shard_id (int): the index of this process, or None.

    Raises:
        ValueError: if a built-in sampler is given together with another argument. With another
            iterable, only `num_samples` counts, as in MindSpore.
    """
    if input_sampler is not None:
        arguments = (num_samples, shuffle, num_shards, shard_id)
        is_builtin = isinstance(input_sampler, BuiltinSampler)
        if is_builtin and any(argument is not None for argument in arguments):
            raise ValueError(
                f"'sampler' excludes 'num_samples', 'shuffle', 'num_shards' and "
                f"'shard_id', but got {arguments}."
            )
        return as_sampler(input_sampler, num_samples)
    if num_shards is not None:
        shuffle = True if shuffle is None else shuffle
        return DistributedSampler(num_shards, shard_id, shuffle=shuffle, num_samples=num_samples)
    if shuffle is False or shuffle is Shuffle.FALSE:
        return SequentialSampler(num_samples=num_samples)
    # As in MindSpore, a random selection of `num_samples` rows may contain a row twice.
    return RandomSampler(replacement=bool(num_samples), num_samples=num_samples)
