"""Batching operations: batch, padded_batch and bucket_batch_by_length.

A batch is filled row by row into arrays of its final size. If the child yields blocks, batches are
slices of the blocks.
"""

import itertools

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Callable, Int, ListOf
from .._rules import INT32_MAX, AnInstance, Columns, Workers, positive
from .operations import as_list, column_indices, distinct, method
from .pipeline import UnionBaseDataset
from .rows import FAILURES, Epochs, Flow, as_column, own, stack
from .workers import taken_together

__all__ = ["BatchDataset", "BatchInfo", "BucketBatchByLengthDataset", "PaddedBatchDataset"]

_BatchSize = positive | Callable


class BatchInfo:
    """The argument of functions that process batches: the numbers of the batch and of the epoch.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> def grow(info):
        ...     return info.get_batch_num() + 1
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).batch(grow)
        >>> [len(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [1, 2]
    """

    def __init__(self, epoch, number):
        self._epoch, self._number = epoch, number

    def get_batch_num(self):
        """Returns the number of the batch in its epoch, from 0; a later `repeat` restarts the
        count.
        """
        return self._number

    def get_epoch_num(self):
        """Returns the number of the epoch, from 0; a `repeat` does not start a new epoch."""
        return self._epoch

    def __repr__(self):
        return f"BatchInfo(epoch {self._epoch}, batch {self._number})"


class _Batches(UnionBaseDataset):
    """Shared base class of `batch` and `padded_batch`: groups rows into batches."""

    def _batch_size(self):
        return self.batch_size if isinstance(self.batch_size, int) else -1

    def get_repeat_count(self):
        """Returns the count of the nearest `repeat` below."""
        return self.children[0].get_repeat_count()

    def _size(self):
        size = super()._size()
        if size is None or not isinstance(self.batch_size, int):
            return None
        return size // self.batch_size if self.drop_remainder else -(-size // self.batch_size)

    def _sizes(self, epoch):
        """Yields the size of each batch of an epoch."""
        number = 0
        while True:
            if isinstance(self.batch_size, int):
                yield self.batch_size
            else:
                size = self.batch_size(BatchInfo(epoch, number))
                if type(size) is not int or size < 1:
                    raise RuntimeError(
                        f"For 'batch', 'batch_size' must return a positive int, but got {size!r}."
                    )
                yield size
            number += 1

    def _groups(self, flow, epoch):
        """Yields the list of rows of each batch."""
        rows, sizes = iter(flow.rows()), self._sizes(epoch)
        for first in rows:
            size = next(sizes)
            group = [first, *itertools.islice(rows, size - 1)]
            if len(group) < size and self.drop_remainder:
                return
            yield group

    def _open(self):
        with taken_together(self._batch_size() or 0):
            flow = super()._open()
        epochs, make = Epochs(), self._maker()

        def rows():
            epochs.begin()
            epoch = epochs.number
            for number, group in enumerate(self._groups(flow, epoch)):
                yield make(group, BatchInfo(epoch, number))

        return Flow(rows)


@method("batch")
class BatchDataset(_Batches):
    """Combines `batch_size` consecutive rows into a batch with a new first axis.

    Args:
        batch_size (Union[int, Callable]): the number of rows, or a function that takes a BatchInfo
            and returns the number.
        drop_remainder (bool, optional): whether to drop a smaller last batch.
        num_parallel_workers (int, optional): is checked; batches are made in the reader's thread.
        per_batch_map (Callable, optional): takes a list of arrays for each input column, then a
            BatchInfo, and returns a tuple with a list of arrays for each output column.
        input_columns (Union[str, list[str]], optional): the columns that it takes; by default all
            columns.
        output_columns (Union[str, list[str]], optional): the columns that it returns; by default
            the same names.
        python_multiprocessing (bool, optional): is checked.
        max_rowsize (Union[int, list[int]], optional): is checked.

    Returns:
        Dataset.

    Raises:
        RuntimeError: if rows of one batch differ in shape or dtype; raised when the dataset is
            used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([1, 2, 3, 4]).batch(2).get_dataset_size())
        2
    """

    @checked
    def __init__(
        self,
        input_dataset,
        batch_size: _BatchSize,
        drop_remainder: Bool = False,
        num_parallel_workers: Workers = None,
        per_batch_map: Callable = None,
        input_columns: Columns = None,
        output_columns: Columns = None,
        python_multiprocessing: Bool = False,
        max_rowsize: Int(ge=-1, le=INT32_MAX) | ListOf(Int(ge=-1), length=2) = None,
    ):
        super().__init__(input_dataset, num_parallel_workers)
        self.batch_size, self.drop_remainder = batch_size, drop_remainder
        self.per_batch_map = per_batch_map
        self.input_columns = as_list(input_columns or [])
        self.output_columns = as_list(output_columns or self.input_columns)
        distinct("batch", "input_columns", self.input_columns)
        distinct("batch", "output_columns", self.output_columns)
        if isinstance(batch_size, int):
            for node in input_dataset._synchronized():
                node.rows_per_batch *= batch_size

    def _columns(self):
        columns = super()._columns()
        if self.per_batch_map is None or not self.output_columns:
            return columns
        column_indices("batch", columns, self.input_columns)
        return mapped_columns(columns, self.input_columns or list(columns), self.output_columns)

    def _maker(self):
        columns = super()._columns()
        if self.per_batch_map is None:
            return lambda group, info: [
                stack(column, index) for index, column in enumerate(zip(*group, strict=True))
            ]
        inputs = self.input_columns or list(columns)
        outputs = self.output_columns or inputs
        indices = column_indices("batch", columns, inputs)
        order = mapped_order(list(columns), inputs, outputs)

        def make(group, info):
            lists = list(zip(*group, strict=True))
            results = _map_lists(
                self.per_batch_map, [lists[index] for index in indices], info, len(outputs)
            )
            return [
                stack(results[column] if is_new else lists[column], index)
                for index, (is_new, column) in enumerate(order)
            ]

        return make

    def _open(self):
        with taken_together(self._batch_size() or 0):
            flow = super(_Batches, self)._open()
        if flow.blocks is None or self.per_batch_map or not isinstance(self.batch_size, int):
            return super()._open()
        return Flow(lambda: _cut(flow.blocks(), self.batch_size, self.drop_remainder))


def _cut(blocks, size, drop_remainder):
    """Yields batches that are slices of blocks, also across block boundaries."""
    rest = None
    for block in blocks:
        block = (
            block
            if rest is None
            else [np.concatenate(pair) for pair in zip(rest, block, strict=True)]
        )
        count, start = len(block[0]), 0
        while count - start >= size:
            yield [own(column[start : start + size]) for column in block]
            start += size
        rest = [column[start:] for column in block] if start < count else None
    if rest is not None and not drop_remainder:
        yield [own(column) for column in rest]


def mapped_order(columns, inputs, outputs):
    """Returns the source of each column after a function replaced input columns by output columns.

    Equally many outputs take the places of the inputs; otherwise outputs come first.

    Returns:
        list[tuple[bool, int]], for each column whether it is new, and its index among the new or
        the old columns.
    """
    if len(inputs) == len(outputs):
        return [
            (True, inputs.index(name)) if name in inputs else (False, index)
            for index, name in enumerate(columns)
        ]
    old_columns = [(False, index) for index, name in enumerate(columns) if name not in inputs]
    return [(True, index) for index in range(len(outputs))] + old_columns


def mapped_columns(columns, inputs, outputs):
    """Returns the names of the columns after a function replaced input columns by output columns.

    Raises:
        RuntimeError: if two columns would have the same name.
    """
    order = mapped_order(list(columns), inputs, outputs)
    names = [outputs[column] if is_new else columns[column] for is_new, column in order]
    if len(set(names)) < len(names):
        raise RuntimeError(f"Two columns would have the same name: {names}.")
    return names


def _map_lists(function, lists, info, count):
    """Applies a per_batch_map to lists of arrays; checks the numbers of lists and arrays."""
    size = len(lists[0])
    try:
        results = function(*[[own(value) for value in column] for column in lists], info)
    except FAILURES as error:
        raise RuntimeError(
            f"For 'batch', 'per_batch_map' raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(results, tuple):
        results = (results,)
    if len(results) != count:
        raise RuntimeError(
            f"For 'batch', 'per_batch_map' must return {count} columns, but got {len(results)}."
        )
    for column in results:
        if len(column) != size:
            raise RuntimeError(
                f"For 'batch', 'per_batch_map' must return {size} rows in each "
                f"column, but got {len(column)}."
            )
    return [[as_column(value) for value in column] for column in results]


@method("padded_batch")
class PaddedBatchDataset(_Batches):
    """Combines `batch_size` consecutive rows into a batch after padding them to a common shape.

    Args:
        batch_size (Union[int, Callable]): the number of rows, or a function that takes a BatchInfo
            and returns the number.
        drop_remainder (bool, optional): whether to drop a smaller last batch.
        num_parallel_workers (int, optional): is checked.
        pad_info (dict, optional): a tuple (shape, value) by column: the target shape, with None for
            the greatest length in the batch, or None for all axes; and the padding value. Other
            columns, and columns with None, are padded with 0 to the greatest length. Without
            `pad_info`, nothing is padded.

    Returns:
        Dataset.

    Raises:
        RuntimeError: if a column does not exist, or ranks differ; raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.NumpySlicesDataset([[1], [2]]).padded_batch(2).get_dataset_size())
        1
    """

    @checked
    def __init__(
        self,
        input_dataset,
        batch_size: _BatchSize,
        drop_remainder: Bool = False,
        num_parallel_workers: Workers = None,
        pad_info: AnInstance(dict) = None,
    ):
        super().__init__(input_dataset, num_parallel_workers)
        self.batch_size, self.drop_remainder = batch_size, drop_remainder
        self.pad_info = check_padding("padded_batch", pad_info)

    def _maker(self):
        columns = super()._columns()
        column_indices("padded_batch", columns, list(self.pad_info or ()))
        return lambda group, info: padded_batch(group, columns, self.pad_info)


def check_padding(api, pad_info):
    """Checks that the entries of `pad_info` are pairs (shape, value) or None, and returns it.

    Raises:
        TypeError: if an entry is neither.
    """
    for name, entry in (pad_info or {}).items():
        if entry is None and isinstance(name, str):
            continue
        shape = entry[0] if isinstance(entry, tuple) and len(entry) == 2 else 0
        if not (
            isinstance(name, str)
            and (
                shape is None
                or isinstance(shape, (list, tuple))
                and all(length is None or type(length) is int and length > 0 for length in shape)
            )
        ):
            raise TypeError(
                f"For '{api}', 'pad_info' must map names to (shape, value), but got "
                f"{name!r}: {entry!r}."
            )
    return pad_info


def padded_batch(group, columns, pad_info, limit=None):
    """Makes a batch of rows, padding columns by `pad_info`; `limit` replaces None in shapes."""
    columns_out = []
    for index, (name, values) in enumerate(zip(columns, zip(*group, strict=True), strict=True)):
        if pad_info is not None:
            shape, fill = pad_info.get(name) or (None, None)
            shape = _common_shape(name, values, shape, limit if name in pad_info else None)
            values = [pad_to_shape(value, shape, fill) for value in values]
        columns_out.append(stack(values, index))
    return columns_out


def _common_shape(name, values, shape, limit):
    rank = values[0].ndim
    shape = [None] * rank if shape is None else list(shape)
    if len(shape) != rank or any(value.ndim != rank for value in values):
        raise RuntimeError(
            f"For 'pad_info', the shape for column {name!r} must have as many axes "
            f"as its values, {rank}, but got {shape}."
        )
    longest = [max(lengths) for lengths in zip(*[value.shape for value in values], strict=True)]
    return [
        (limit or most) if length is None else length
        for length, most in zip(shape, longest, strict=True)
    ]


def pad_to_shape(value, shape, fill):
    """Truncates or pads an array to a shape.

    Raises:
        RuntimeError: if text is filled with a number, numbers with text, or bytes with a str.
    """
    if list(value.shape) == list(shape):
        return value
    text = value.dtype.kind in "SU"
    if fill is None:
        fill = value.dtype.type() if text else 0
    filler = np.asarray(fill)
    if text != (filler.dtype.kind in "SU") or (text and filler.dtype.kind != value.dtype.kind):
        raise RuntimeError(
            f"Text is padded with text, bytes with bytes, and numbers with numbers, but got "
            f"{fill!r} for dtype {value.dtype}."
        )
    dtype = np.promote_types(value.dtype, filler.dtype) if text else value.dtype
    out = np.full(shape, fill, dtype)
    common = tuple(slice(min(pair)) for pair in zip(value.shape, shape, strict=True))
    out[common] = value[common]
    return out


@method("bucket_batch_by_length")
class BucketBatchByLengthDataset(UnionBaseDataset):
    """Batches rows of similar length: collects rows in buckets by length; a full bucket is a batch.

    Args:
        column_names (list[str]): the columns that the length function takes.
        bucket_boundaries (list[int]): n increasing upper bounds (exclusive) for n + 1 buckets.
        bucket_batch_sizes (list[int]): the batch size of each of the n + 1 buckets.
        element_length_function (Callable, optional): returns the length of a row; by default the
            length of the only column's first axis.
        pad_info (dict, optional): as for `padded_batch`; without it, columns are padded with 0.
        pad_to_bucket_boundary (bool, optional): whether None in a shape means the bucket's bound
            minus 1 instead of the greatest length in the batch.
        drop_remainder (bool, optional): whether to drop buckets that are not full at the end.

    Returns:
        Dataset.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> rows = [np.zeros(length) for length in (1, 5, 2, 6)]
        >>> data = ds.GeneratorDataset(lambda: ((row,) for row in rows), ["x"], shuffle=False)
        >>> data = data.bucket_batch_by_length(["x"], [3], [2, 2], pad_info={"x": ([6], 0)})
        >>> [len(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [2, 2]
    """

    @checked(
        Forbid(
            "any(b >= c for b, c in zip(bucket_boundaries, bucket_boundaries[1:]))",
            ValueError,
            "'bucket_boundaries' must be increasing",
        ),
        Forbid(
            "len(bucket_batch_sizes) != len(bucket_boundaries) + 1",
            ValueError,
            "'bucket_batch_sizes' must have one more entry than 'bucket_boundaries'",
        ),
        Forbid(
            "element_length_function is None and len(column_names) != 1",
            ValueError,
            "without 'element_length_function' there must be one column",
        ),
    )
    def __init__(
        self,
        input_dataset,
        column_names: ListOf(AnInstance(str), min_length=1),
        bucket_boundaries: ListOf(positive, min_length=1),
        bucket_batch_sizes: ListOf(positive, min_length=1),
        element_length_function: Callable = None,
        pad_info: AnInstance(dict) = None,
        pad_to_bucket_boundary: Bool = False,
        drop_remainder: Bool = False,
    ):
        super().__init__(input_dataset)
        self.column_names, self.bucket_boundaries = column_names, bucket_boundaries
        self.bucket_batch_sizes = bucket_batch_sizes
        self.element_length_function = element_length_function
        self.pad_info = check_padding("bucket_batch_by_length", pad_info) or {}
        self.pad_to_bucket_boundary, self.drop_remainder = pad_to_bucket_boundary, drop_remainder

    def _size(self):
        return None

    def _batch_size(self):
        return None

    def _length(self, values):
        if self.element_length_function is None:
            return len(values[0]) if values[0].ndim else 0
        return int(self.element_length_function(*[own(value) for value in values]))

    def _open(self):
        with taken_together(max(self.bucket_batch_sizes)):
            flow = super()._open()
        columns = super()._columns()
        indices = column_indices("bucket_batch_by_length", columns, self.column_names)
        bounds = [*self.bucket_boundaries, None]

        def batch(bucket, group):
            limit = bounds[bucket] if self.pad_to_bucket_boundary else 0
            if limit is None:
                raise RuntimeError(
                    "For 'bucket_batch_by_length', a row falls into the last "
                    "bucket, which has no bound to pad to."
                )
            return padded_batch(group, columns, self.pad_info, limit and limit - 1)

        def rows():
            groups = [[] for _ in bounds]
            for row in flow.rows():
                length = self._length([row[index] for index in indices])
                bucket = int(np.searchsorted(self.bucket_boundaries, length, side="right"))
                groups[bucket].append(row)
                if len(groups[bucket]) == self.bucket_batch_sizes[bucket]:
                    yield batch(bucket, groups[bucket])
                    groups[bucket] = []
            for bucket, group in enumerate(groups):
                if group and not self.drop_remainder:
                    yield batch(bucket, group)

        return Flow(rows)
