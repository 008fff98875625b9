"""MindDataset: reads the rows of MindRecord files.

`_io.mindrecord` reads the files; this module selects and orders the rows. For these files,
MindSpore shuffles with a different generator than its other samplers. A seed gives the same order
here, except for PARTIAL, and from the second epoch on for FILES and draws with replacement, where
MindSpore draws from the remainder of the previous epoch.
"""

import itertools
import operator
import os

import numpy as np

from ...._core.declare.older import renamed
from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Any, AsValue, Bool, InstanceOf, Int, ListOf, Str
from ...._io.mindrecord import Records
from ...._io.reading import check_name
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
        "padded_sample is not None and not set(columns_list) <= set(padded_sample)",
        ValueError,
        "'padded_sample' must have the columns of 'columns_list'",
    ),
)


@documented
class MindDataset(MappableDataset, UnionBaseDataset):
    """A dataset of the rows of MindRecord files.

    Args:
        dataset_files (Union[str, list[str]]): one file, which includes the files written with it;
            or all files.
        columns_list (list[str], optional): the columns to read, in order; by default all, sorted by
            name.
        shuffle (Union[bool, Shuffle], optional): the shuffle mode: all rows (GLOBAL), within parts
            of a million rows (PARTIAL), one of these two by the number of rows (ADAPTIVE, True or
            None), only files (FILES), rows within files (INFILE), or none (False).
        sampler (Sampler, optional): selects the rows and their order: a SequentialSampler,
            RandomSampler, SubsetSampler, SubsetRandomSampler, DistributedSampler or PKSampler.
        padded_sample (dict, optional): a row, as a dict by column, that is appended for padding.
        num_padded (int, optional): the number of padding rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a file is missing, damaged or not a MindRecord file; `sampler` is of another
            kind; `shard_id` or `num_padded` is out of range, or `padded_sample` lacks a column.
        RuntimeError: if arguments exclude each other; a column is unknown; padded rows cannot be
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
        columns_list: ListOf(Any) = None,
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
            check_name(path)
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
        self._padded = None
        self.sampler = sampler or _choose_sampler(num_samples, shuffle, num_shards, shard_id)

    def _description(self):
        return super()._description() | {"_records": None}

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
        """Returns the class numbers of the rows, for a PKSampler."""
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
            self._padded = self._padded or self._padding_row()
            return self._padded
        row = self._records.row(index, self.columns_list)
        return [_column(self._fields[name], row[name]) for name in self.columns_list]

    def _padding_row(self):
        """Returns the row for padding, whose values are converted to the types of the columns.

        Raises:
            RuntimeError: if a value does not fit its column.
        """
        row = []
        for name in self.columns_list:
            value, field = self.padded_sample[name], self._fields[name]
            try:
                row.append(read_only(np.array(_column(field, _fitted(field, value)))))
            except (TypeError, ValueError) as error:
                raise RuntimeError(
                    f"For 'MindDataset', the value for '{name}' in 'padded_sample' must fit the "
                    f"column {field}, but got {value!r} of type {type(value).__name__}."
                ) from error
        return row

    def _order(self):
        counts = [*self._records.counts, *[self.num_padded] * bool(self.num_padded)]
        return _open_sampler(self.sampler, counts, self._length(), self._labels)


def _column(field, value):
    """Converts one value of a row to the form of a pipeline."""
    if isinstance(value, np.ndarray):
        return value
    if field["type"] == "bytes":
        return np.array([value])
    return np.array(value) if field["type"] == "string" else np.array(value, field["type"])


def _fitted(field, value):
    """Converts a value for padding to the form that a file stores.

    Raises:
        TypeError or ValueError: if that is impossible.
    """
    kind, shape = field["type"], field.get("shape")
    if shape is not None:
        if not isinstance(value, np.ndarray):
            raise TypeError
        return value.astype(kind).reshape(shape)
    if kind == "bytes":
        return memoryview(value).tobytes()
    if kind == "string":
        if isinstance(value, bytes):
            raise TypeError
        return str(value)
    return operator.index(value) if kind.startswith("int") else float(value)


def _choose_sampler(num_samples, shuffle, num_shards, shard_id):
    """Returns the sampler for the arguments of MindDataset."""
    mode = shuffle if isinstance(shuffle, Shuffle) else None
    if mode in (None, Shuffle.FALSE):
        shuffle = shuffle is not False and mode is None
        return select_sampler(num_samples, None, shuffle, num_shards, shard_id)
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, mode, num_samples)
    return RandomSampler(mode is Shuffle.GLOBAL and bool(num_samples), num_samples, mode)


def _open_sampler(sampler, counts, size, labels):
    """Returns the function that returns the indices of each epoch.

    Args:
        sampler (Sampler): selects the rows.
        counts (list[int]): the number of rows of the files.
        size (int): the total number of these rows.
        labels (Callable): returns the class of each row.
    """
    if sampler.child_sampler is not None:
        return sampler.open(size, labels)
    if isinstance(sampler, RandomSampler):
        return _random(sampler, counts, size)
    if isinstance(sampler, DistributedSampler):
        return _share_order(sampler, counts, size)
    if isinstance(sampler, SubsetRandomSampler):
        fixed = SubsetSampler(
            Minstd(next_seed() + 1).shuffle(list(sampler.indices)), sampler.num_samples
        )
        return fixed.open(size)  # in MindSpore, the second epoch repeats the first
    return sampler.open(size, labels)


def _random(sampler, counts, size):
    seeds = itertools.count(next_seed() + 1)
    limit = sampler._limit(size)
    if sampler.replacement:
        return lambda: [Twister(next(seeds)).integer(0, size - 1) for _ in range(limit)]
    mix, order = _mixing(sampler.get_shuffle_mode(), counts, size), None

    def epoch():
        nonlocal order  # MindSpore reshuffles the remainder of the previous epoch
        order = mix(order, next(seeds))[:limit]
        return order

    return epoch


def _share_order(sampler, counts, size):
    seeds = itertools.count(next_seed() + 1)
    mode = sampler.get_shuffle_mode()
    indices = _block(sampler, size) if _in_blocks() else sampler.share(size)
    if mode is Shuffle.FALSE:
        return lambda: indices
    mix = _mixing(mode, counts, size)
    return lambda: np.asarray(mix(None, next(seeds)))[indices]


def _in_blocks():
    """Whether each process reads a block of rows, instead of every `num_shards`-th row."""
    return os.environ.get("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "").lower() == "true"


def _block(sampler, size):
    """Returns the rows of this process, one after the other; without an offset, rows from the start
    are repeated to make all blocks equal."""
    sampler._check()
    count = -(-size // sampler.num_shards)
    rows = np.arange(count) + sampler.shard_id * count
    rows = rows % max(size, 1) if sampler.offset == -1 else rows[rows < size]
    return rows[: sampler._limit(len(rows))]


def _mixing(mode, counts, size):
    """Returns a function of the previous order (None at first) and a seed that returns the next
    order.
    """
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
