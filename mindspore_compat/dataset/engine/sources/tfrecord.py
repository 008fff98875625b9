"""TFRecordDataset: reads the Examples of TFRecord files.

Files are read one after another, regardless of `num_parallel_workers`; this is MindSpore's order
with one worker. With a seed, the order of files is MindSpore's, but not the order of rows
(GLOBAL). The wire format is in `_io.tfrecord`.
"""

import glob
import itertools
import os

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Any, Bool, ListOf, Str
from ...._io.tfrecord import COMPRESSIONS, TFRecordError, count_records, parse_example, records
from ..._rules import AnInstance, Samples, Workers
from ..caching import cached_flow, cached_size, has_cache, sampler_of_stored
from ..config import next_seed
from ..operations import ShuffleDataset, distinct
from ..pipeline import SourceDataset, UnionBaseDataset
from ..rows import Flow
from ..sampler import Shuffle
from ..schema import Schema
from ..twister import Twister
from ._documented import documented
from .generator import Shard, Shards, shard_in_range
from .mindrecord import both

__all__ = ["TFRecordDataset"]

_LEAST_BUFFER = 10000


@documented
class TFRecordDataset(SourceDataset, UnionBaseDataset):
    """A dataset of the Examples in TFRecord files.

    Args:
        dataset_files (Union[str, list[str]]): the files, or patterns of their names.
        schema (Union[str, Schema], optional): the columns and their dtypes and shapes. Without it,
            the first row defines the columns; all have one axis and are int64, float32, or uint8
            for bytes, where several byte strings of a row are concatenated, padded with spaces.
        columns_list (list[str], optional): the columns to read, in order; by default all, sorted by
            name.
        num_samples (int, optional): the maximum number of rows of an epoch, for each process; by
            default the number in the schema.
        shuffle (Union[bool, Shuffle], optional): whether to shuffle files and rows (True, GLOBAL,
            None), only files (FILES), or neither (False, INFILE).
        shard_equal_rows (bool, optional): whether shards have equal numbers of rows; otherwise they
            consist of whole files.
        compression_type (str, optional): "", "GZIP" or "ZLIB".

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there are no such files, `compression_type` is invalid, there are fewer
            compressed files than shares, or `shard_id` is out of range. When rows are read: if a
            file is damaged or not a TFRecord file.
        RuntimeError: if `num_shards` and `shard_id` are not given together. When rows are read: if
            there are fewer files than shards, or a row does not agree with the schema.

    Source: mindspore.dataset.TFRecordDataset of MindSpore 2.10.
    """

    @checked(
        both,
        shard_in_range,
        Forbid(
            "compression_type not in (None, '', 'GZIP', 'ZLIB')",
            ValueError,
            "'compression_type' must be '', 'GZIP' or 'ZLIB'",
        ),
    )
    def __init__(
        self,
        dataset_files: Str | ListOf(Any, min_length=1),
        schema: Str | AnInstance(Schema) = None,
        columns_list: ListOf(Any) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool | AnInstance(Shuffle, type(None)) = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        shard_equal_rows: Bool = False,
        cache=None,
        compression_type=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.dataset_files = _find_files(dataset_files)
        self.compression_type = compression_type or COMPRESSIONS[0]
        self.num_shards, self.shard_id = num_shards or 1, shard_id or 0
        if self.compression_type and len(self.dataset_files) < self.num_shards:
            raise ValueError(
                f"For 'TFRecordDataset', there must be as many compressed files as "
                f"shares, {self.num_shards}, but got {len(self.dataset_files)}."
            )
        if isinstance(schema, str):
            if not os.access(schema, os.R_OK):
                raise ValueError(
                    f"For 'TFRecordDataset', 'schema' must be a file that can be "
                    f"read, but got {schema!r}."
                )
            schema = Schema(schema)
        self.schema, self.columns_list = schema, columns_list
        distinct("TFRecordDataset", "columns_list", columns_list or ())
        self.num_samples = num_samples or (schema.num_rows if schema else None) or None
        self.shuffle_level = {True: Shuffle.GLOBAL, None: Shuffle.GLOBAL, False: Shuffle.FALSE}.get(
            shuffle, shuffle
        )
        self.shard_equal_rows = shard_equal_rows
        self._fields = self._counts = None

    def is_shuffled(self):
        """Returns whether rows or files are shuffled."""
        return self.shuffle_level in (Shuffle.GLOBAL, Shuffle.FILES)

    def is_sharded(self):
        """Returns whether there is more than one shard."""
        return self.num_shards > 1

    def _column_fields(self):
        """Returns the columns by name: a dtype and a shape or None; a dtype of None for bytes that
        are not converted.
        """
        if self._fields is None:
            if self.schema is not None:
                fields = {
                    column["name"]: (column["type"], column.get("shape"))
                    for column in self.schema.columns
                }
            else:
                fields = dict(sorted(_guess_columns(self._first_example()).items()))
            unknown = [name for name in self.columns_list or () if name not in fields]
            if unknown:
                raise RuntimeError(
                    f"For 'TFRecordDataset', 'columns_list' must be among "
                    f"{list(fields)}, but got {unknown}."
                )
            self._fields = {name: fields[name] for name in self.columns_list or fields}
        return self._fields

    def _first_example(self):
        for path in self.dataset_files:
            for data in records(path, self.compression_type):
                return _parse(path, data)
        raise RuntimeError(f"The files have no rows: {self.dataset_files}.")

    def _columns(self):
        return list(self._column_fields())

    def _file_counts(self):
        if self._counts is None:
            self._counts = [
                count_records(path, self.compression_type) for path in self.dataset_files
            ]
        return self._counts

    def _share(self):
        """Returns the number of rows per process if shards are equal."""
        return -(-sum(self._file_counts()) // self.num_shards)

    def _all_rows(self):
        fields = self._column_fields()
        for path, data in _read(self.dataset_files, self.compression_type):
            yield self._row(path, data, fields)

    def _sampler_of_stored(self):
        return sampler_of_stored(
            self.is_shuffled(), self.num_samples, self.num_shards, self.shard_id
        )

    def _size(self):
        if has_cache(self):
            return cached_size(self)
        counts = self._file_counts()
        if self.shard_equal_rows:
            size = self._share()
        elif self.shuffle_level in (Shuffle.GLOBAL, Shuffle.FILES) and self.num_shards > 1:
            return None  # the files change with the epoch
        else:
            size = sum(counts[self.shard_id :: self.num_shards])
        return min(size, self.num_samples or size)

    def _row(self, path, data, fields):
        example = _parse(path, data)
        return [_column(path, name, example, *field) for name, field in fields.items()]

    def _open(self):
        if has_cache(self):
            return cached_flow(self)
        if len(self.dataset_files) < self.num_shards and not self.shard_equal_rows:
            raise RuntimeError(
                f"For 'TFRecordDataset', there must be as many files as shares, "
                f"{self.num_shards}, or 'shard_equal_rows', but got "
                f"{len(self.dataset_files)} files."
            )
        fields, epochs = self._column_fields(), itertools.count(1)
        order, seed = list(self.dataset_files), next_seed()

        def rows():
            if self.is_shuffled():  # processes must agree on the order of the files
                Twister(seed if self.num_shards == 1 else next(epochs)).shuffle(order)
            for path, data in itertools.islice(self._examples(order), self.num_samples):
                yield self._row(path, data, fields)

        if self.shuffle_level is not Shuffle.GLOBAL:
            return Flow(rows)
        source = _Opened(Flow(rows))
        average = -(-sum(self._file_counts()) // len(self.dataset_files))
        return ShuffleDataset(source, max(_LEAST_BUFFER, 4 * average))._open()

    def _examples(self, order):
        """Yields the rows of this process as (file, bytes)."""
        if not self.shard_equal_rows:
            return _read(order[self.shard_id :: self.num_shards], self.compression_type)
        start = self.shard_id * self._share()
        around = itertools.chain.from_iterable(
            _read(order, self.compression_type) for _ in range(2)
        )
        return itertools.islice(around, start, start + self._share())


class _Opened(UnionBaseDataset):
    """A node that is already open, to be shuffled."""

    def __init__(self, flow):
        super().__init__(SourceDataset())
        self._flow = flow

    def _open(self):
        return self._flow


def _find_files(patterns):
    """Returns the files that match, sorted. As in MindSpore, the type of each pattern is checked
    after all other arguments."""
    for pattern in [] if isinstance(patterns, str) else patterns:
        Str.refuse_part("TFRecordDataset", "'dataset_files'", pattern, verb="hold")
    files = [
        path
        for pattern in ([patterns] if isinstance(patterns, str) else patterns)
        for path in sorted(glob.glob(pattern)) or ([pattern] if os.path.exists(pattern) else [])
    ]
    if not files:
        raise ValueError(
            f"For 'TFRecordDataset', 'dataset_files' must match files, but got {patterns!r}."
        )
    return sorted(files)


def _read(paths, compression):
    for path in paths:
        for data in records(path, compression):
            yield path, data


def _parse(path, data):
    try:
        return parse_example(data)
    except ValueError as error:
        raise TFRecordError(f"{path!r} has a record that is no Example: {error}") from error


def _guess_columns(example):
    """Returns the columns that a row defines."""
    columns = {}
    for name, values in example.items():
        if values is not None:
            columns[name] = (None if isinstance(values, list) else values.dtype.name, None)
    return columns


def _column(path, name, example, dtype, shape):
    """Converts one column of a row according to the schema."""
    values = example.get(name)
    if values is None:
        raise RuntimeError(
            f"{path!r} has a row without the column {name!r}; it has {sorted(example)}."
        )
    if isinstance(values, list):
        if dtype is None:
            longest = max(map(len, values), default=0)
            return np.frombuffer(b"".join(value.ljust(longest) for value in values), np.uint8)
        if dtype == "string":
            values = np.array([str(value, "utf-8") for value in values])
        else:
            values = np.frombuffer(b"".join(values), np.uint8)
            if shape is not None and -1 in shape:
                shape = None  # bytes do not have their own lengths
    if dtype not in (None, "string"):
        values = values.astype(dtype, copy=False)
    try:
        return values if shape is None else values.reshape(shape)
    except ValueError as error:
        raise RuntimeError(
            f"{path!r} has a row whose column {name!r} has {values.size} values, "
            f"but must have shape {shape}."
        ) from error
