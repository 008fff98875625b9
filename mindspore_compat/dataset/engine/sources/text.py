"""TextFileDataset and CSVDataset, and the base class of datasets that read files sequentially."""

import csv
import glob
import itertools
import os
import re

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Bool, Float, Int, ListOf, Str, TupleOf
from ...._io.reading import reading, set_position
from ..._rules import AnInstance, Names, Samples, Workers
from .. import config
from ..caching import cached_flow, has_cache, sampler_of_stored
from ..operations import as_list
from ..pipeline import SourceDataset, TextBaseDataset, UnionBaseDataset
from ..rows import Flow, shuffled
from ..sampler import Shuffle
from ..twister import Twister, Twister64
from ._documented import documented
from .generator import Shard, Shards

__all__ = ["CSVDataset", "TextFileDataset"]

together = Forbid(
    "(num_shards is None) != (shard_id is None)",
    RuntimeError,
    "'num_shards' and 'shard_id' must be given together",
)
shard_in_range = Forbid(
    "num_shards is not None and shard_id >= num_shards",
    ValueError,
    "'shard_id' must be in [0, num_shards)",
)
ShuffleMode = Bool | AnInstance(Shuffle) | None  # None is GLOBAL
_BUFFER = 10000  # minimum number of rows in the buffer of a global shuffle


def find_files(api, patterns):
    """Returns the sorted files that match paths or patterns.

    Raises:
        ValueError: if there are no patterns, or a pattern matches no file.
    """
    if not patterns:
        raise ValueError(f"For '{api}', 'dataset_files' must not be empty.")
    files = []
    for pattern in as_list(patterns):
        matches = [path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)]
        if not matches:
            raise ValueError(
                f"For '{api}', 'dataset_files' must name files, but {pattern!r} names none."
            )
        files += matches
    return sorted(files)


class FilesDataset(SourceDataset):
    """Base class of datasets that read rows sequentially from files; shuffles and shards the rows.

    A subclass defines `_read(path)`, which yields the rows of one file.
    """

    def _set_files(self, files, num_samples, shuffle, num_shards, shard_id):
        files = find_files(type(self).__name__, files)
        self._set_order(files, num_samples, shuffle, num_shards, shard_id)

    def _set_order(self, files, num_samples, shuffle, num_shards, shard_id):
        api, self.dataset_files = type(self).__name__, files
        self.num_samples, self.num_shards, self.shard_id = num_samples, num_shards, shard_id
        if isinstance(shuffle, Shuffle) and shuffle not in (
            Shuffle.GLOBAL,
            Shuffle.FILES,
            Shuffle.FALSE,
        ):
            raise ValueError(
                f"For '{api}', 'shuffle' must be GLOBAL, FILES, FALSE or a bool, but got {shuffle}."
            )
        self._shuffles_rows = shuffle in (None, True, Shuffle.GLOBAL)
        self._shuffles_files = self._shuffles_rows or shuffle is Shuffle.FILES

    def is_shuffled(self):
        """Returns whether the rows are shuffled."""
        return self._shuffles_files

    def is_sharded(self):
        """Returns whether this process gets only a shard of the rows."""
        return self.num_shards is not None and self.num_shards > 1

    def _count(self):
        """Returns the total number of rows of the files."""
        return sum(sum(1 for _ in self._rows_of(path)) for path in self.dataset_files)

    def _rows_of(self, path):
        """Yields the rows of a file; errors name the file and the line."""
        with reading(path):
            rows = iter(self._read(path))
        while True:
            with reading(path):
                row = next(rows, None)
            if row is None:
                return
            yield row

    def _share(self):
        """Returns the number of rows of an epoch that belong to this process."""
        return -(-self._count() // self.num_shards)

    def _all_rows(self):
        return itertools.chain.from_iterable(map(self._rows_of, self.dataset_files))

    def _sampler_of_stored(self):
        return sampler_of_stored(
            self._shuffles_files, self.num_samples, self.num_shards, self.shard_id
        )

    def _size(self):
        size = self._count() if self.num_shards is None else self._share()
        return min(size, self.num_samples) if self.num_samples else size

    def _open(self):
        if has_cache(self):
            return cached_flow(self)
        files, seed = list(self.dataset_files), config.next_seed()
        orders, rows_order = Twister(0), Twister64(seed)
        share = None if self.num_shards is None else self._share()
        buffer_size = max(_BUFFER, 4 * self._count() // len(files)) if self._shuffles_rows else 0

        def rows():
            if self._shuffles_files:
                orders.seed(seed)
                orders.shuffle(files)
            rows_ = self._share_rows(files, share)
            if self._shuffles_rows:
                rows_ = shuffled(rows_, buffer_size, rows_order)
            return itertools.islice(rows_, self.num_samples or None)

        return Flow(rows)

    def _share_rows(self, files, share):
        """Returns the rows of this process: a consecutive part of all rows, which are repeated
        cyclically.
        """
        rows = itertools.chain.from_iterable(self._rows_of(path) for path in files)
        if share is None:
            return rows
        cycle = itertools.chain(
            rows, itertools.chain.from_iterable(self._rows_of(path) for path in files)
        )
        return itertools.islice(cycle, share * self.shard_id, share * (self.shard_id + 1))


@documented
class TextFileDataset(FilesDataset, TextBaseDataset):
    """A dataset of the lines of text files, in one column, "text"; empty lines are skipped.

    Args:
        dataset_files (Union[str, list[str]]): paths or patterns.
        shuffle (Union[bool, Shuffle], optional): whether to shuffle files and rows, or only files.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a pattern matches no file, or `shard_id` is out of range.
        RuntimeError: if only one of `num_shards` and `shard_id` is given; or, when the dataset is
            used, there are no lines.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> with open("lines.txt", "w") as file:
        ...     _ = file.write("a single line")
        >>> data = ds.TextFileDataset("lines.txt", shuffle=False)
        >>> [str(row["text"]) for row in data.create_dict_iterator(output_numpy=True)]
        ['a single line']

    Source: mindspore.dataset.TextFileDataset of MindSpore 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_files: Names,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self._set_files(dataset_files, num_samples, shuffle, num_shards, shard_id)

    def _columns(self):
        return ["text"]

    def _count(self):
        count = super()._count()
        if count == 0:
            raise RuntimeError(f"The files {self.dataset_files} have no lines.")
        return count

    def _open(self):
        self._count()
        return super()._open()

    def _read(self, path):
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                line = line.removesuffix("\n")
                if line:
                    yield [np.array(line)]


@documented
class CSVDataset(FilesDataset, UnionBaseDataset):
    """A dataset of the lines of CSV files; columns are text, int32 or float32, according to their
    default values.

    Args:
        dataset_files (Union[str, list[str]]): paths or patterns.
        field_delim (str, optional): the separator of fields, one character.
        column_defaults (list, optional): one str, int or float per column; columns without a
            default are text.
        column_names (Union[list[str], tuple[str]], optional): the column names; by default, the
            first line of each file.
        shuffle (Union[bool, Shuffle], optional): whether to shuffle files and rows, or only files.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a pattern matches no file, `field_delim` is not one character, or `shard_id`
            is out of range.
        RuntimeError: if only one of `num_shards` and `shard_id` is given; or, when the dataset is
            used, if a line has a wrong number of fields, or a field is not a number.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> np.savetxt("table.csv", [[1, 2.5], [3, 4.5]], fmt="%g", delimiter=",")
        >>> data = ds.CSVDataset("table.csv", column_names=["a", "b"], shuffle=False)
        >>> [str(row["b"]) for row in data.create_dict_iterator(output_numpy=True)]
        ['2.5', '4.5']

    Source: mindspore.dataset.CSVDataset of MindSpore 2.10.
    """

    @checked(
        together,
        shard_in_range,
        Forbid(
            "len(field_delim) != 1 or field_delim in '\"\\r\\n'",
            ValueError,
            "'field_delim' must be one character other than a quote or a line's end",
        ),
    )
    def __init__(
        self,
        dataset_files: Names,
        field_delim: Str = ",",
        column_defaults: ListOf(Str | Int | Float) = None,
        column_names: ListOf(Str) | TupleOf(Str) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self._set_files(dataset_files, num_samples, shuffle, num_shards, shard_id)
        self.field_delim, self.column_names = field_delim, column_names
        self.column_defaults = column_defaults or []

    def _columns(self):
        names = self.column_names
        if names is None:
            with reading(self.dataset_files[0]):
                names = next(self._records(self.dataset_files[0]), (0, []))[1]
        if len(set(names)) < len(names):
            raise RuntimeError(
                f"For 'CSVDataset', the names of the columns must differ, but got {names}."
            )
        return names

    def _records(self, path):
        """Yields the records of a file, each with the number of its last line; empty lines are
        skipped.
        """
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, delimiter=self.field_delim, strict=True)
            for record in reader:
                set_position(path, reader.line_num)
                if record:
                    yield reader.line_num, record

    def _read(self, path):
        columns = len(self._columns())
        kinds = [type(default) for default in self.column_defaults]
        kinds = [*kinds, *[str] * (columns - len(kinds))]
        records = self._records(path)
        for line, record in itertools.islice(records, int(self.column_names is None), None):
            if len(record) != columns:
                raise RuntimeError(
                    f"In line {line} of {path!r} there must be {columns} fields, "
                    f"but there are {len(record)}."
                )
            yield [_field(path, line, kind, text) for kind, text in zip(kinds, record, strict=True)]


_dtypes = {int: np.int32, float: np.float32}
_NUMBERS = {
    int: re.compile(r"\s*[+-]?\d+"),
    float: re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
}


def _field(path, line, kind, text):
    if kind is str:
        return np.array(text)
    number = _NUMBERS[kind].match(text)  # text after the number is ignored
    try:
        return np.array(kind(number.group() if number else text), _dtypes[kind])
    except (ValueError, OverflowError) as error:
        raise RuntimeError(
            f"In line {line} of {path!r} there must be a number, but there is {text!r}."
        ) from error
