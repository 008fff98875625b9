"""Dataset: the node of a pipeline, its methods, and the base classes of sources.

A pipeline is a tree of nodes: sources at the leaves, operations above them. Nodes are descriptions
that iteration does not change. Opening a node returns a `Flow` that holds the state of one
iteration, so one dataset can feed several iterators. The operations (`map`, `batch`, ...) attach
themselves to Dataset in `operations`.
"""

import numpy as np

from ..._core.html import dataset_view
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf
from ..._core.without_effect import without_effect
from .._rules import natural
from . import iterators, saving
from .cache import DatasetCache
from .caching import cached_flow, has_cache
from .rows import Flow
from .sampler import BuiltinSampler, DistributedSampler, RandomSampler, SequentialSampler
from .workers import Pipeline

__all__ = [
    "AudioBaseDataset",
    "Dataset",
    "MappableDataset",
    "SourceDataset",
    "TextBaseDataset",
    "UnionBaseDataset",
    "VisionBaseDataset",
]


class Dataset:
    """Base class of all datasets and of all operations on them.

    Args:
        children (Union[Dataset, Iterable[Dataset]], optional): the nodes that provide the rows.
        num_parallel_workers (int, optional): the number of workers.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError: if `cache` is not a DatasetCache.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2)
        >>> isinstance(data, ds.Dataset), data.get_dataset_size()
        (True, 2)
    """

    cache = None
    _pipeline_key = None  # the key of its operations, for its cache; computed when needed
    _is_order = False  # whether it changes only the order of rows

    def __init__(self, children=None, num_parallel_workers=None, cache=None):
        if cache is not None:
            InstanceOf(DatasetCache).refuse(type(self).__name__, "cache", cache)
        self.cache = cache
        children = [] if children is None else children
        self.children = [children] if isinstance(children, Dataset) else list(children)
        self.num_parallel_workers = num_parallel_workers
        self._init_step = 0

    def __add__(self, datasets):
        return self.concat(datasets)

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    _repr_html_ = dataset_view

    def __len__(self):
        return self.get_dataset_size()

    # Methods that kinds of nodes override -------------------------------------------------------

    def _open(self):
        """Returns the flow of one iteration; by default the flow of the child."""
        return self.children[0]._open()

    def _columns(self):
        """Returns the names of the columns."""
        return self.children[0]._columns()

    def _size(self):
        """Returns the number of rows of an epoch, or None if they have to be counted."""
        return self.children[0]._size()

    def _refusal_below_cache(self, is_whole):
        """Returns the reason why a cache cannot be above this node, for a source that is stored as
        a whole or read by number; None if it can.
        """
        return "which rows there are must follow from the source alone"

    def _batch_size(self):
        """Returns the number of rows of a batch, or None if no node below makes batches."""
        return self.children[0]._batch_size() if self.children else None

    def _synchronized(self):
        """Yields the nodes of `sync_wait`: no rows are read ahead above them."""
        for child in self.children:
            yield from child._synchronized()

    def _description(self):
        """Returns the attributes of the node's description, except the children."""
        derived_names = ("children", "_pipeline_key")
        return {name: value for name, value in vars(self).items() if name not in derived_names}

    def _restore(self, attributes):
        """Sets the attributes of a node that is made from a description."""
        vars(self).update(attributes)

    def is_sync(self):
        """Returns whether the pipeline waits for `sync_update`."""
        return any(True for _ in self._synchronized())

    # Iterating ------------------------------------------------------------------------------------

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """Creates an iterator over rows as dicts.

        Args:
            num_epochs (int, optional): the number of epochs of the iterator; -1 for any number.
            output_numpy (bool, optional): whether to return NumPy arrays instead of Tensors.
            do_copy (bool, optional): whether Tensors copy the data of the row.

        Returns:
            Iterator over dicts from column names to values. Text stays a NumPy array.
        """
        return iterators.dict_iterator(self, num_epochs, output_numpy, do_copy)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """Creates an iterator over rows as lists.

        Args:
            columns (Union[str, list[str]], optional): the columns to return, in order.
            num_epochs (int, optional): the number of epochs of the iterator; -1 for any number.
            output_numpy (bool, optional): whether to return NumPy arrays instead of Tensors.
            do_copy (bool, optional): whether Tensors copy the data of the row.

        Returns:
            Iterator over lists of column values. Text stays a NumPy array.
        """
        return iterators.tuple_iterator(self, columns, num_epochs, output_numpy, do_copy)

    def apply(self, apply_func):
        """Applies a function to this dataset and returns the result.

        Args:
            apply_func (Callable): takes a dataset and returns a dataset.

        Raises:
            TypeError: if `apply_func` is not callable, or returns something else.
        """
        if not callable(apply_func):
            raise TypeError(
                f"For 'apply', 'apply_func' must be a function, but got {apply_func!r}."
            )
        result = apply_func(self)
        InstanceOf(Dataset).called("a dataset").refuse_part(
            "apply", "'apply_func'", result, verb="return"
        )
        return result

    @checked
    def set_init_step(self, init_step: natural):
        """Makes iterators skip the first rows of the first epoch, to resume training.

        Args:
            init_step: the number of rows; it may extend into later epochs.
        """
        self._init_step = init_step

    def get_init_step(self):
        """Returns the number of rows that iterators skip."""
        return self._init_step

    @without_effect("dataset.Dataset.reset", "each iterator begins at the first row")
    def reset(self):
        """Does nothing; every iterator starts from the first row anyway."""

    # Queries --------------------------------------------------------------------------------------

    def get_col_names(self):
        """Returns the names of the columns, in order."""
        return list(self._columns())

    def get_dataset_size(self):
        """Returns the number of rows, or of batches, in an epoch; an endless repeat counts as
        one.
        """
        size = self._size()
        if size is None:
            size = sum(1 for _ in self._epoch())
        return size

    def get_batch_size(self):
        """Returns the batch size; 1 without batches, -1 if a function determines the size of each
        batch."""
        return self._batch_size() or 1

    def get_repeat_count(self):
        """Returns the count of the nearest `repeat`; 1 without one."""
        return self.children[0].get_repeat_count() if self.children else 1

    def get_class_indexing(self):
        """Returns the class indices by class name; empty if the dataset has no class names."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self):
        """Returns the number of classes, or None if unknown."""
        return self.children[0].num_classes() if self.children else None

    def _epoch(self, calls_back=False):
        """Yields the rows of one epoch; `calls_back` enables the callbacks of maps."""
        with Pipeline(calls_back) as pipeline:
            flow = pipeline.call(self._open)
        try:
            rows = iter(pipeline.call(flow.rows))
            while True:
                yield pipeline.call(next, rows)
        except StopIteration:
            return
        finally:
            pipeline.end()

    def _first_row(self):
        """Returns the first row; an error for an epoch without rows."""
        return next(self._epoch(), ())

    @checked
    def output_shapes(self, estimate: Bool = False):
        """Returns the shape of each column, as lists.

        Args:
            estimate: whether to inspect all rows and return None for axes with different lengths;
                otherwise the first row decides.
        """
        if not estimate:
            return [list(np.shape(value)) for value in self._first_row()]
        common = None
        for row in self._epoch():
            shapes = [list(np.shape(value)) for value in row]
            common = (
                shapes
                if common is None
                else [_common(before, other) for before, other in zip(common, shapes, strict=True)]
            )
        return common

    def output_types(self):
        """Returns the NumPy dtype of each column; text dtypes without a length."""
        types = [value.dtype for value in self._first_row()]
        return [np.dtype(dtype.kind) if dtype.kind in "SU" else dtype for dtype in types]

    @property
    def input_indexs(self):
        """The positions of the columns in the network's inputs; () means unchanged order."""
        return self.__dict__.get("_input_indexs", ())

    @without_effect("dataset.Dataset.input_indexs", "columns keep their order")
    @input_indexs.setter
    def input_indexs(self, value):
        self._input_indexs = value

    def is_shuffled(self):
        """Returns whether any node shuffles the rows."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self):
        """Returns whether any source returns only a shard of its rows."""
        return any(child.is_sharded() for child in self.children)

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Saves the rows of one epoch to MindRecord files, which MindDataset reads.

        bool, signed integers of up to 32 bits and unsigned ones of up to 16 bits are stored as
        int32, other integers as int64, float16 as float32.

        Args:
            file_name (str): the file; for several files, a number is appended.
            num_files (int): the number of files, in [1, 1000]. Default: ``1``.
            file_type (str): "mindrecord". Default: ``"mindrecord"``.

        Raises:
            TypeError: if an argument has the wrong type.
            ValueError: if `num_files` is out of range, or `file_type` is invalid.
            RuntimeError: if a file exists already or cannot be written, there are no rows, or a row
                contains several texts, or its dtypes or shapes differ from the first row's.

        Example:
            >>> from mindspore_compat import dataset as ds
            >>> ds.NumpySlicesDataset([3, 5], ["label"], shuffle=False).save("labels.mindrecord")
            >>> ds.MindDataset("labels.mindrecord").get_dataset_size()
            2
        """
        saving.save(self, file_name, num_files, file_type)

    # Splitting ------------------------------------------------------------------------------------

    @checked
    def split(self, sizes, randomize: Bool = True):
        """Splits the dataset into parts that do not overlap.

        Args:
            sizes (Union[list[int], list[float]]): the sizes of the parts, which add up to the size
                of the dataset, or their fractions, which add up to 1. The sizes from fractions are
                rounded; a missing remainder is added to the first part, an excess is taken from the
                first part larger than 1.
            randomize: whether to choose the rows of a part at random; the choice is the same in
                every epoch.

        Returns:
            tuple[Dataset], the parts.

        Raises:
            TypeError: if `sizes` is not a list.
            ValueError: if fractions lie outside (0, 1] or do not add up to 1, or sizes are not
                positive.
            RuntimeError: if sizes do not add up to the size of the dataset, a fraction is too
                small, or the dataset is sharded.
        """
        if self.is_sharded():
            raise RuntimeError("For 'split', the dataset must not be sharded; split it first.")
        counts = _absolute(sizes, self.get_dataset_size())
        starts = np.cumsum([0, *counts[:-1]]).tolist()
        return tuple(
            self._part(start, count, randomize) for start, count in zip(starts, counts, strict=True)
        )

    def _part(self, start, count, randomize):
        part = self
        if randomize:
            part = part.shuffle(max(2, self.get_dataset_size()))
            part.reshuffle_each_epoch = False
        return (part.skip(start) if start else part).take(count)


class UnionBaseDataset(Dataset):
    """Base class of operations, and of sources of any kind of data."""


class VisionBaseDataset(Dataset):
    """Base class of image sources."""


class TextBaseDataset(Dataset):
    """Base class of text sources."""


class AudioBaseDataset(Dataset):
    """Base class of audio sources."""


class SourceDataset(Dataset):
    """Base class of sources, the leaves of a pipeline.

    A source that supports a cache and is not mappable defines `_all_rows`, which yields its rows in
    their own order, and `_sampler_of_stored`, which returns the sampler for them.
    """

    def _batch_size(self):
        return None

    def _refusal_below_cache(self, is_whole):
        return None


class MappableDataset(SourceDataset):
    """Base class of sources whose rows can be read by index, in the order of a sampler.

    Subclasses define `_length` and either `_block(indices)`, which reads many rows at once, or
    `_row(index)`.
    """

    sampler: BuiltinSampler | None = None
    _labels = None

    def _open(self):
        return cached_flow(self) if has_cache(self) else self._flow(self._order())

    def _order(self):
        """Returns a function that returns the indices of each epoch."""
        return self.sampler.open(self._length(), self._labels)

    def _pick(self, indices):
        """Yields the rows at some indices."""
        return self._flow(lambda: np.asarray(indices, np.int64)).rows()

    def _flow(self, epoch):
        """Returns the flow of the rows whose indices `epoch` returns for each epoch."""
        if not hasattr(self, "_block"):
            return Flow(rows=lambda: map(self._row, np.asarray(epoch()).tolist()))

        def blocks():
            indices, step = epoch(), self._block_rows()
            for start in range(0, len(indices), step):
                yield self._block(indices[start : start + step])

        return Flow(blocks=blocks)

    def _size(self):
        labels = self._labels if _needs_labels(self.sampler) else None
        size = self._length()
        count = _sample_count(self.sampler, size)
        return len(self.sampler.open(size, labels)()) if count is None else count

    def is_shuffled(self):
        """Returns whether the sampler shuffles the rows."""
        return self.sampler.is_shuffled()

    def is_sharded(self):
        """Returns whether the sampler selects only a shard of the rows."""
        return self.sampler.is_sharded()

    def add_sampler(self, new_sampler):
        """Adds a sampler that selects among the rows of the present sampler."""
        if not isinstance(new_sampler, BuiltinSampler):
            raise AttributeError(
                f"For 'add_sampler', 'new_sampler' must be a sampler, but got {new_sampler!r}."
            )
        new_sampler.add_child(self.sampler)
        self.sampler = new_sampler

    def use_sampler(self, new_sampler):
        """Replaces the sampler.

        Args:
            new_sampler (Sampler): the new sampler; a part of a split remains that part.

        Raises:
            TypeError: if `new_sampler` is not a sampler.
        """
        InstanceOf(BuiltinSampler).called("a sampler").refuse(
            "use_sampler", "new_sampler", new_sampler
        )
        previous = self.sampler if self.__dict__.get("_is_part") else self.sampler.child_sampler
        self._is_part = False
        self.sampler = new_sampler
        if previous is not None:
            new_sampler.add_child(previous)

    def _part(self, start, count, randomize):
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        if randomize:
            order = RandomSampler()
            order.reshuffle_each_epoch = False
            order.add_child(part.sampler)
            part.sampler = order
        sampler = SequentialSampler(start, count)
        sampler.add_child(part.sampler)
        part.sampler, part._is_part = sampler, True
        return part


def _needs_labels(sampler):
    return sampler is not None and (
        hasattr(sampler, "class_column") or _needs_labels(sampler.child_sampler)
    )


def _sample_count(sampler, size):
    """Returns the number of `size` rows that a sampler takes, if it is known without drawing;
    otherwise None.
    """
    sampler._check()
    if sampler.child_sampler is not None:
        size = _sample_count(sampler.child_sampler, size)
    if size is None:
        return None
    if isinstance(sampler, DistributedSampler):
        return len(sampler.share(size))
    if isinstance(sampler, RandomSampler):
        return sampler._limit(size)
    if isinstance(sampler, SequentialSampler):
        return max(0, sampler._limit(size - (sampler.start_index or 0)))
    return None


def _common(shape, new_shape):
    """Returns the common lengths of two shapes; None where they differ."""
    if len(shape) != len(new_shape):
        raise RuntimeError(f"The rows differ in their number of axes: {shape} and {new_shape}.")
    return [a if a == b else None for a, b in zip(shape, new_shape, strict=True)]


def _absolute(sizes, total):
    """Returns the sizes of the parts of a split."""
    InstanceOf(list).refuse("split", "sizes", sizes)
    whole = all(type(size) is int for size in sizes)
    if not sizes or not (whole or all(type(size) is float for size in sizes)):
        raise ValueError(f"For 'split', 'sizes' must hold ints or floats, but got {sizes!r}.")
    if whole:
        if min(sizes) <= 0:
            raise ValueError(f"For 'split', 'sizes' must be positive, but got {sizes!r}.")
        if sum(sizes) != total:
            raise RuntimeError(
                f"For 'split', 'sizes' must add up to the {total} rows of the "
                f"dataset, but got {sizes!r}."
            )
        return sizes
    if not all(0 < size <= 1 for size in sizes) or abs(sum(sizes) - 1) > 1e-12:
        raise ValueError(
            f"For 'split', shares must lie in (0, 1] and add up to 1, but got {sizes!r}."
        )
    counts = [round(size * total) for size in sizes]
    if 0 in counts:
        raise RuntimeError(f"For 'split', a share is too small for {total} rows: {sizes!r}.")
    counts[0] += max(0, total - sum(counts))
    excess = sum(counts) - total
    for index, count in enumerate(counts):
        if excess > 0 and count > excess:
            counts[index], excess = count - excess, 0
    return counts
