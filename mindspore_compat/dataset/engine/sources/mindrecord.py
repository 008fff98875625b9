"""MindDataset: the rows of MindRecord files as a source of a pipeline.

The files are read by `_io.mindrecord`. Here is which rows come in which order: the original has its
own shuffling for these files, with another generator than its samplers use elsewhere, and a seed
gives the same order here. Not so for PARTIAL; nor from the second epoch on for FILES and for draws
with replacement, where the original draws among what the epoch before has left.
"""

import itertools
import os

import numpy as np

from ...._core.declare.older import renamed
from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int, ListOf, Str
from ...._io.mindrecord import Records
from ..._rules import INT32_MAX, AnInstance, Samples, Workers
from ..config import next_seed
from ..minstd import Minstd
from ..operations import distinct
from ..pipeline import MappableDataset, UnionBaseDataset
from ..rows import read_only
from ..sampler import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    select_sampler,
)
from ..twister import Twister
from ._documented import documented
from .generator import Shard, Shards, shard_in_range

__all__ = ["MindDataset"]

_MANY = 100_000_000
_PART = 1_000_000
_SAMPLERS = (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
)
_SAMPLER = AsValue(InstanceOf(*_SAMPLERS) | None).called(
    f"one of {', '.join(each.__name__ for each in _SAMPLERS)}"
)

both = Forbid(
    "(num_shards is None) != (shard_id is None)",
    RuntimeError,
    "'num_shards' and 'shard_id' must be given together",
)
alone = Forbid(
    "sampler is not None and (num_samples, shuffle, num_shards, shard_id) != (None,) * 4",
    RuntimeError,
    "'sampler' excludes 'num_samples', 'shuffle', 'num_shards' and 'shard_id'",
)
padding = (
    Forbid(
        "(padded_sample is None) != (num_padded is None)",
        RuntimeError,
        "'padded_sample' and 'num_padded' must be given together",
    ),
    Forbid(
        "padded_sample is not None and not columns_list",
        RuntimeError,
        "'padded_sample' needs 'columns_list'",
    ),
    Forbid(
        "padded_sample is not None and set(padded_sample) != set(columns_list)",
        ValueError,
        "'padded_sample' must have the columns of 'columns_list'",
    ),
)


@documented
class MindDataset(MappableDataset, UnionBaseDataset):
    """The rows of MindRecord files.

    Args:
        dataset_files (Union[str, list[str]]): one file, which brings those it was written with; or
            all.
        columns_list (list[str], optional): the columns wanted, in order; by default all, by name.
        shuffle (Union[bool, Shuffle], optional): how rows are shuffled: all (GLOBAL), parts of a
            million rows (PARTIAL), the one or the other by their number (ADAPTIVE, True or None),
            the files (FILES), rows within their files (INFILE); or not at all (False).
        sampler (Sampler, optional): which rows are read, in which order: a SequentialSampler,
            RandomSampler, SubsetSampler, SubsetRandomSampler, DistributedSampler or PKSampler.
        padded_sample (dict, optional): a row that is added at the end, by column.
        num_padded (int, optional): how often.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a file is missing, damaged or no MindRecord file; `sampler` is of another kind;
            `shard_id` or `num_padded` is out of range, or `padded_sample` lacks a column.
        RuntimeError: arguments exclude each other; a column is unknown; padded rows cannot be
            divided evenly.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> from mindspore_compat.mindrecord import FileWriter
        >>> writer = FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 5}])
        >>> writer.commit()
        >>> data = ds.MindDataset("data.mindrecord", shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(output_numpy=True)]
        [3, 5]

    Source: mindspore.dataset.MindDataset of MindSpore 2.10.
    """

    @renamed(dataset_file="dataset_files")  # as in releases 1.0 to 1.3
    @checked(
        both,
        shard_in_range,
        alone,
        *padding,
        Forbid(
            "num_samples and shuffle in ('files', 'infile')",
            ValueError,
            "'num_samples' excludes shuffling files or rows within files",
        ),
    )
    def __init__(
        self,
        dataset_files: Str | ListOf(Str, min_length=1),
        columns_list: ListOf(Str) = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool | AnInstance(Shuffle) = None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        sampler=None,
        padded_sample: AnInstance(dict) = None,
        num_padded: Int(ge=0, le=INT32_MAX) = None,
        num_samples: Samples = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        _SAMPLER.refuse("MindDataset", "sampler", sampler)
        for path in [dataset_files] if isinstance(dataset_files, str) else dataset_files:
            if not os.access(path, os.R_OK):
                raise ValueError(
                    f"For 'MindDataset', 'dataset_files' must be files that can be "
                    f"read, but got {path!r}."
                )
        self.dataset_files, self._records = dataset_files, Records(dataset_files)
        self._fields = self._records.schema
        self.columns_list = list(columns_list or sorted(self._fields))
        distinct("MindDataset", "columns_list", self.columns_list)
        unknown = [name for name in self.columns_list if name not in self._fields]
        if unknown:
            raise RuntimeError(
                f"For 'MindDataset', 'columns_list' must be among "
                f"{sorted(self._fields)}, but got {unknown}."
            )
        self.padded_sample, self.num_padded = padded_sample, num_padded or 0
        self._padded = (
            None
            if padded_sample is None
            else [
                read_only(np.array(_column(self._fields[name], padded_sample[name])))
                for name in self.columns_list
            ]
        )
        self.sampler = sampler or _chosen(num_samples, shuffle, num_shards, shard_id)

    def _described(self):
        return super()._described() | {"_records": None}

    def _restore(self, attributes):
        super()._restore(attributes)
        self._records = Records(self.dataset_files)

    def _columns(self):
        return self.columns_list

    def _length(self):
        if (
            isinstance(self.sampler, DistributedSampler)
            and self.num_padded
            and (len(self._records) + self.num_padded) % self.sampler.num_shards
        ):
            raise RuntimeError(
                f"For 'MindDataset', 'num_padded' must make {len(self._records)} "
                f"rows a multiple of {self.sampler.num_shards}, but got "
                f"{self.num_padded}."
            )
        return len(self._records) + self.num_padded

    def _labels(self):
        """The classes of the rows as numbers, for a PKSampler."""
        sampler = self.sampler
        while not isinstance(sampler, PKSampler):
            sampler = sampler.child_sampler
        field = self._fields.get(sampler.class_column)
        if field is None or "shape" in field or field["type"] == "bytes":
            raise RuntimeError(
                f"For 'MindDataset', the 'class_column' of a PKSampler must be a "
                f"column of numbers or text, but got {sampler.class_column!r}."
            )
        return np.unique(self._records.values(sampler.class_column), return_inverse=True)[1]

    def _row(self, index):
        if index >= len(self._records):
            return self._padded
        row = self._records.row(index, self.columns_list)
        return [_column(self._fields[name], row[name]) for name in self.columns_list]

    def _order(self):
        counts = [*self._records.counts, *[self.num_padded] * bool(self.num_padded)]
        return _opened_sampler(self.sampler, counts, self._length(), self._labels)


def _column(field, value):
    """One value of a row as a pipeline has it."""
    if isinstance(value, np.ndarray):
        return value
    if field["type"] == "bytes":
        return np.array([value])
    return np.array(value) if field["type"] == "string" else np.array(value, field["type"])


def _chosen(num_samples, shuffle, num_shards, shard_id):
    """The sampler that the other arguments stand for."""
    mode = shuffle if isinstance(shuffle, Shuffle) else None
    if mode in (None, Shuffle.FALSE):
        shuffle = shuffle is not False and mode is None
        return select_sampler(num_samples, None, shuffle, num_shards, shard_id)
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, mode, num_samples)
    return RandomSampler(mode is Shuffle.GLOBAL and bool(num_samples), num_samples, mode)


def _opened_sampler(sampler, counts, size, labels):
    """The function that gives the indices of each epoch.

    Args:
        sampler (Sampler): which rows are taken.
        counts (list[int]): how many rows the files have.
        size (int): how many these are in all.
        labels (Callable): gives the class of each row.
    """
    if sampler.child_sampler is not None:
        return sampler.open(size, labels)
    if isinstance(sampler, RandomSampler):
        return _random(sampler, counts, size)
    if isinstance(sampler, DistributedSampler):
        return _shared(sampler, counts, size)
    if isinstance(sampler, SubsetRandomSampler):
        fixed = SubsetSampler(
            Minstd(next_seed() + 1).shuffle(list(sampler.indices)), sampler.num_samples
        )
        return fixed.open(size)  # the original's second epoch repeats the first
    return sampler.open(size, labels)


def _random(sampler, counts, size):
    seeds = itertools.count(next_seed() + 1)
    limit = sampler._limited(size)
    if sampler.replacement:
        return lambda: [Twister(next(seeds)).integer(0, size - 1) for _ in range(limit)]
    mixed, order = _mixing(sampler.get_shuffle_mode(), counts, size), None

    def epoch():
        nonlocal order  # the original shuffles anew what the epoch before has left
        order = mixed(order, next(seeds))[:limit]
        return order

    return epoch


def _shared(sampler, counts, size):
    seeds = itertools.count(next_seed() + 1)
    mode, indices = sampler.get_shuffle_mode(), sampler.share(size)
    if mode is Shuffle.FALSE:
        return lambda: indices
    mixed = _mixing(mode, counts, size)
    return lambda: np.asarray(mixed(None, next(seeds)))[indices]


def _mixing(mode, counts, size):
    """A function of an order, or None at first, and a seed: the order of the next epoch."""
    ends = np.cumsum(counts).tolist()
    bounds = list(zip([0, *ends[:-1]], ends, strict=True))
    if mode is Shuffle.PARTIAL or mode is Shuffle.ADAPTIVE and size > _MANY:
        bounds = [(start, min(start + _PART, size)) for start in range(0, size, _PART)]
    elif mode in (Shuffle.GLOBAL, Shuffle.ADAPTIVE):
        bounds = [(0, size)]

    def mixed(order, seed):
        if mode is Shuffle.FILES:
            files = Minstd(seed).shuffle(list(bounds))
            return [row for start, stop in files for row in range(start, stop)]
        order = list(range(size)) if order is None else order
        return [row for start, stop in bounds for row in Minstd(seed).shuffle(order[start:stop])]

    return mixed
