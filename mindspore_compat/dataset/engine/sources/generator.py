"""Datasets from Python objects: GeneratorDataset, NumpySlicesDataset, PaddedDataset."""

import itertools
import types

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import AsValue, Bool, Callable, InstanceOf, Int, ListOf
from ...._core.tensor import dtype as dtypes
from ...._core.without_effect import without_effect
from ..._rules import INT32_MAX, AnInstance, Columns, Names, Samples, Workers
from .. import config
from ..operations import as_list, distinct
from ..pipeline import MappableDataset, UnionBaseDataset
from ..rows import FAILURES, Flow, as_column, block_rows, read_only, stack
from ..sampler import PKSampler, SubsetSampler, select_sampler
from ..schema import Schema
from ..workers import OrderedMap, pace_of

__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]

together = Forbid(
    "(num_shards is None) != (shard_id is None)",
    ValueError,
    "'num_shards' and 'shard_id' must be given together",
)
shard_in_range = Forbid(
    "num_shards is not None and shard_id >= num_shards",
    ValueError,
    "'shard_id' must be in [0, num_shards)",
)
Shards = Int(ge=1, le=INT32_MAX)
Shard = Int(ge=0, le=INT32_MAX)


class GeneratorDataset(MappableDataset, UnionBaseDataset):
    """A dataset of rows from a Python object: an indexable object, an iterable or a generator
    function.

    Args:
        source: an object with `__getitem__` and `__len__`; or an iterable; or a function that
            returns an iterable, called once per epoch. A row is a value, or a tuple or list with
            one value per column: an array, number, bool, text, Tensor, nested list or dict.
        column_names (Union[str, list[str]], optional): the names of the columns.
        column_types (list[mindspore.dtype], optional): the dtypes that columns must have.
        schema (Union[str, Schema], optional): names and dtypes, instead of these two arguments.
        num_samples (int, optional): the maximum number of rows of an epoch.
        num_parallel_workers (int, optional): the number of workers that read rows by index.
        shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled if rows
            can be indexed.
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
        num_shards (int, optional): the number of processes that share the rows.
        shard_id (int, optional): the index of this process.
        python_multiprocessing (bool, optional): whether several workers are processes instead of
            threads.
        max_rowsize (int, optional): is checked.
        batch_sampler (Iterable, optional): yields lists of indices; each list is one batch.
        collate_fn (Callable, optional): takes a list of arrays per column and returns the batch.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if arguments exclude each other, or rows cannot be indexed as they require.
        RuntimeError: if the source fails or returns a wrong number of columns; raised when it is
            used.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.GeneratorDataset([1, 2, 3], ["x"],
        ...         shuffle=False).create_tuple_iterator()])
        [1, 2, 3]

    Source: mindspore.dataset.GeneratorDataset of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "batch_sampler is not None and (num_samples, shuffle, num_shards, shard_id, sampler)"
            " != (None,) * 5",
            ValueError,
            "'batch_sampler' excludes 'num_samples', 'shuffle', "
            "'num_shards', 'shard_id' and 'sampler'",
        ),
        Forbid(
            "collate_fn is not None and batch_sampler is None",
            ValueError,
            "'collate_fn' needs 'batch_sampler'",
        ),
        Forbid(
            "column_names is None and schema is None",
            ValueError,
            "'column_names' or 'schema' must be given",
        ),
        together,
        shard_in_range,
    )
    def __init__(
        self,
        source,
        column_names: Columns = None,
        column_types: ListOf(AnInstance(dtypes.Type)) = None,
        schema: AsValue(AnInstance(str, Schema)) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        python_multiprocessing: Bool | None = True,
        max_rowsize: Int(ge=-1, le=INT32_MAX) = None,
        batch_sampler=None,
        collate_fn: Callable = None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers)
        is_indexed = _check_source(source)
        for name, value in (("sampler", sampler), ("num_shards", num_shards)):
            if value is not None and not is_indexed:
                raise ValueError(
                    f"For 'GeneratorDataset', '{name}' needs a source with "
                    f"'__getitem__', but got {source!r}."
                )
        if isinstance(sampler, PKSampler):
            raise ValueError("For 'GeneratorDataset', 'sampler' must not be a PKSampler.")
        if isinstance(sampler, int):  # a single index, which only datasets of files take
            raise TypeError(
                f"For 'GeneratorDataset', 'sampler' must be a sampler or an iterable of indices, "
                f"but got {sampler!r} of type {type(sampler).__name__}."
            )
        self.source, self.num_samples = source, num_samples
        self._set_columns(column_names, column_types, schema)
        self.python_multiprocessing, self.collate_fn = python_multiprocessing, collate_fn
        self.batch_sampler = batch_sampler
        if (
            batch_sampler is not None
            and not hasattr(batch_sampler, "__getitem__")
            and (not hasattr(batch_sampler, "__iter__"))
        ):
            raise TypeError(
                f"For 'GeneratorDataset', 'batch_sampler' must be iterable, but got "
                f"{batch_sampler!r}."
            )
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)
        self._indexed, self._remaining = is_indexed, None

    def _set_columns(self, column_names, column_types, schema):
        if schema is not None:
            schema = schema if isinstance(schema, Schema) else Schema(schema)
            column_names = [column["name"] for column in schema.columns]
            column_types = [column["type"] for column in schema.columns]
        self.column_names = as_list(column_names)
        distinct("GeneratorDataset", "column_names", self.column_names)
        self.column_types = [_numpy_dtype(dtype) for dtype in column_types or ()]

    def __getitem__(self, index):
        return self.source[index]

    def __len__(self):
        return self.get_dataset_size()

    @without_effect(
        "dataset.GeneratorDataset.prepare_multiprocessing",
        "workers start with the iterator that needs them",
    )
    def prepare_multiprocessing(self):
        """Does nothing; workers start with the iterator that needs them."""

    def _description(self):
        return super()._description() | {"_remaining": None}

    def _columns(self):
        return self.column_names

    def _length(self):
        length = len(self.source)
        if length == 0:
            raise RuntimeError("For 'GeneratorDataset', the source has no rows.")
        return length

    def _size(self):
        if self.batch_sampler is not None:
            return len(self.batch_sampler) if hasattr(self.batch_sampler, "__len__") else None
        return super()._size() if self._indexed else None

    def _refusal_below_cache(self, is_whole):
        return "rows that come from Python cannot be stored"

    def is_shuffled(self):
        """Returns whether the rows are shuffled."""
        return self.batch_sampler is None and self._indexed and super().is_shuffled()

    def _part(self, start, count, randomize):
        if self._indexed and self.batch_sampler is None:
            return super()._part(start, count, randomize)
        return UnionBaseDataset._part(self, start, count, randomize)

    def _open(self):
        if self.batch_sampler is not None:
            read_rows = self._reader()
            return Flow(lambda: self._batches(read_rows))
        if not self._indexed:
            return Flow(lambda: itertools.islice(self._iterate(), self.num_samples or None))
        epoch = self.sampler.open(self._length())
        read_rows = self._reader()
        return Flow(lambda: read_rows(epoch().tolist()))

    def _reader(self):
        """Returns a function that reads the rows for a list of indices."""
        workers = 1 if config.get_debug_mode() else self.num_parallel_workers or 1
        if workers == 1:
            return lambda indices: map(self._row, indices)
        processes, pace = self.python_multiprocessing, pace_of(self)
        ordered_map = OrderedMap("GeneratorDataset", workers, processes, pace=pace)
        return lambda indices: ordered_map(self._row, indices)

    def _row(self, index):
        try:
            value = self.source[index]
        except FAILURES as error:
            raise _failure(error) from error
        return self._as_row(value)

    def _iterate(self):
        try:
            for value in self._restart():
                yield self._as_row(value)
        except RuntimeError:
            raise
        except FAILURES as error:
            raise _failure(error) from error

    def _restart(self):
        """Returns the source's values from the start; the values of a generator are stored for the
        next epoch."""
        if isinstance(self.source, types.GeneratorType):
            self._remaining, values = itertools.tee(self._remaining or self.source)
            return values
        return self.source() if callable(self.source) else self.source

    def _as_row(self, value):
        values = value if isinstance(value, (tuple, list)) else (value,)
        if len(values) != len(self.column_names):
            raise RuntimeError(
                f"For 'GeneratorDataset', the source must give as many values as "
                f"there are columns, {len(self.column_names)}, but got "
                f"{len(values)}."
            )
        row = [as_column(value) for value in values]
        for name, dtype, column in zip(self.column_names, self.column_types, row, strict=False):
            is_text = column.dtype.kind == dtype.kind == "U"  # of any length
            if column.dtype != dtype and not is_text:
                raise RuntimeError(
                    f"For 'GeneratorDataset', the column {name!r} must have dtype "
                    f"{dtype}, but got {column.dtype}."
                )
        return row

    def _batches(self, read_rows):
        for indices in self.batch_sampler:
            indices = SubsetSampler(indices).open(self._length())().tolist()
            columns = list(zip(*read_rows(indices), strict=True))
            if self.collate_fn is None:
                yield [stack(values, index) for index, values in enumerate(columns)]
                continue
            try:
                result = self.collate_fn(*[list(values) for values in columns])
            except FAILURES as error:
                raise RuntimeError(
                    f"For 'GeneratorDataset', 'collate_fn' raised {type(error).__name__}: {error}"
                ) from error
            result = result if isinstance(result, tuple) else (result,)
            yield self._as_row(result)


def _numpy_dtype(dtype):
    """Returns NumPy's dtype for a dtype or its name; strings may have any length."""
    if str(dtype).lower() == "string":
        return np.dtype("U")
    return dtypes.to_numpy(dtype) if isinstance(dtype, dtypes.Type) else np.dtype(dtype)


def _failure(error):
    return RuntimeError(
        f"For 'GeneratorDataset', the source raised {type(error).__name__}: {error}"
    )


def _check_source(source):
    """Checks a source and returns whether rows are read by index.

    Raises:
        TypeError: if it is neither indexable, iterable nor callable.
        RuntimeError: if it is indexable but has no length.
    """
    if hasattr(source, "__getitem__") and not isinstance(source, (str, bytes)):
        if not hasattr(source, "__len__"):
            raise RuntimeError(
                f"For 'GeneratorDataset', a source with '__getitem__' must have "
                f"'__len__' too, but got {source!r}."
            )
        return True
    if callable(source) or hasattr(source, "__iter__"):
        return False
    raise TypeError(
        f"For 'GeneratorDataset', 'source' must be callable, iterable or indexable, "
        f"but got {source!r} of type {type(source).__name__}."
    )


class NumpySlicesDataset(GeneratorDataset):
    """A dataset of rows from data in memory, sliced along the first axis.

    Args:
        data (Union[list, tuple, dict, numpy.ndarray]): a list or array is one column; each part of
            a tuple, and each entry of a dict, is one column.
        column_names (Union[str, list[str]], optional): the names; by default the dict's keys, or
            column_0, column_1, ...
        num_samples (int, optional): the maximum number of rows of an epoch.
        num_parallel_workers (int, optional): is checked.
        shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled.
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
        num_shards (int, optional): the number of processes that share the rows.
        shard_id (int, optional): the index of this process.

    Raises:
        TypeError: if `data` is not one of these.
        ValueError: if it is empty, its columns differ in length or in number from `column_names`,
            or arguments exclude each other.

    Example:
        >>> import mindspore_compat as ms
        >>> print([int(x) for x, in ms.dataset.NumpySlicesDataset([1, 2, 3],
        ...         shuffle=False).create_tuple_iterator()])
        [1, 2, 3]

    Source: mindspore.dataset.NumpySlicesDataset of MindSpore 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        data: AnInstance(list, tuple, dict, np.ndarray),
        column_names: Names = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        if len(data) == 0:
            raise ValueError("For 'NumpySlicesDataset', 'data' must not be empty.")
        columns, names = _slice(data)
        if column_names is not None:
            names = as_list(column_names)
        if len(names) != len(columns):
            raise ValueError(
                f"For 'NumpySlicesDataset', 'column_names' must name {len(columns)} "
                f"columns, but got {names}."
            )
        if len({len(column) for column in columns}) > 1:
            raise ValueError(
                f"For 'NumpySlicesDataset', all columns must be as long, but got "
                f"{[len(column) for column in columns]}."
            )
        super().__init__(
            _Slices(columns),
            names,
            None,
            None,
            num_samples,
            num_parallel_workers,
            shuffle,
            sampler,
            num_shards,
            shard_id,
        )

    def _open(self):
        columns = self.source.columns
        if not all(
            isinstance(array, np.ndarray)
            and array.dtype.kind in "biuf"
            and array.itemsize <= 8
            and array.dtype.isnative
            for array in columns
        ):
            return super()._open()
        epoch = self.sampler.open(self._length())
        step = block_rows(sum(column[:1].nbytes for column in columns))

        def blocks():
            indices = epoch()
            for start in range(0, len(indices), step):
                part = indices[start : start + step]
                yield [column[part] for column in columns]

        return Flow(blocks=blocks)


class _Slices:
    """Indexes several columns together."""

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns[0])

    def __getitem__(self, index):
        return tuple(column[index] for column in self.columns)


def _slice(data):
    """Returns the columns of data and their default names."""
    if isinstance(data, dict):
        columns, names = list(data.values()), [str(key) for key in data]
    else:
        columns = list(data) if isinstance(data, tuple) else [data]
        names = [f"column_{index}" for index in range(len(columns))]
    for index, column in enumerate(columns):
        if isinstance(data, (tuple, dict)) and not isinstance(column, (list, np.ndarray)):
            raise TypeError(
                f"For 'NumpySlicesDataset', each column of 'data' must be a list or an "
                f"array, but column {index} is {column!r}."
            )
    return [
        read_only(column) if isinstance(column, np.ndarray) else column for column in columns
    ], names


class PaddedDataset(GeneratorDataset):
    """A dataset of rows that pad another dataset, so that its shards have equal size.

    Args:
        padded_samples (list[dict]): the rows, as dicts from column names to arrays.

    Raises:
        TypeError: if `padded_samples` is not a list of dicts.
        ValueError: if `padded_samples` is empty.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.PaddedDataset([{"x": np.array([1])}]).get_dataset_size())
        1

    Source: mindspore.dataset.PaddedDataset of MindSpore 2.10.
    """

    @checked
    def __init__(self, padded_samples: InstanceOf(list)):
        if not padded_samples:
            raise ValueError("For 'PaddedDataset', 'padded_samples' must not be empty.")
        if not all(isinstance(padded_sample, dict) for padded_sample in padded_samples):
            raise TypeError("For 'PaddedDataset', 'padded_samples' must hold dicts.")
        names = list(padded_samples[0])
        super().__init__(
            [tuple(row[name] for name in names) for row in padded_samples],
            names,
            num_samples=None,
            shuffle=False,
        )
        self.padded_samples = padded_samples
