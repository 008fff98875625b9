"""Dataset: a node of a pipeline, its methods, and what its iterators run.

A pipeline is a tree of nodes: sources at the leaves, operations above them. Nodes are descriptions
and are never changed by iterating; opening a node gives a `Flow` that holds the state of one
iteration, so one dataset can feed several iterators. The operations (`map`, `batch`, ...) attach
themselves to Dataset in `operations`.
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf
from ..._core.without_effect import without_effect
from .._rules import natural
from . import iterators, saving
from .cache import DatasetCache
from .caching import cached_flow, has_cache
from .rows import Flow
from .sampler import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    as_sampler,
)
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
    """The base of all datasets and of all operations on them.

    Args:
        children (Union[Dataset, Iterable[Dataset]], optional): the nodes whose rows this one takes.
        num_parallel_workers (int, optional): how many workers it uses.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError: `cache` is something else.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2)
        >>> isinstance(data, ds.Dataset), data.get_dataset_size()
        (True, 2)
    """

    cache = None
    _pipeline_key = None  # what it does to rows, for its cache, once it was needed
    _is_order = False  # whether it changes the order of rows alone

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

    def __len__(self):
        return self.get_dataset_size()

    # What a kind of node answers for itself -------------------------------------------------------

    def _open(self):
        """The flow of one iteration; most operations pass on what their child gives."""
        return self.children[0]._open()

    def _columns(self):
        """The names of the columns."""
        return self.children[0]._columns()

    def _size(self):
        """The number of rows of an epoch, or None where only counting them gives it."""
        return self.children[0]._size()

    def _refusal_below_cache(self, is_whole):
        """Why a cache cannot be above this node, over a source that is stored as a whole or one
        that is read by number; None where it can.
        """
        return "which rows there are must follow from the source alone"

    def _batch_size(self):
        """How many rows a batch has, or None where nothing below makes batches."""
        return self.children[0]._batch_size() if self.children else None

    def _described(self):
        """The attributes that a description of the node holds, besides the children."""
        derived = ("children", "_pipeline_key")
        return {name: value for name, value in vars(self).items() if name not in derived}

    def _restore(self, attributes):
        """Takes the attributes that a description gives, of a node that was not made otherwise."""
        vars(self).update(attributes)

    # Iterating ------------------------------------------------------------------------------------

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """Makes an iterator that gives rows as dicts.

        Args:
            num_epochs (int, optional): how many epochs it may go over; -1 for any number.
            output_numpy (bool, optional): whether to give NumPy arrays instead of Tensors.
            do_copy (bool, optional): whether a Tensor gets a copy of the row.

        Returns:
            Iterator, of dicts from column names to values. Text stays a NumPy array.
        """
        return iterators.dict_iterator(self, num_epochs, output_numpy, do_copy)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """Makes an iterator that gives rows as lists.

        Args:
            columns (Union[str, list[str]], optional): the columns wanted, in order.
            num_epochs (int, optional): how many epochs it may go over; -1 for any number.
            output_numpy (bool, optional): whether to give NumPy arrays instead of Tensors.
            do_copy (bool, optional): whether a Tensor gets a copy of the row.

        Returns:
            Iterator, of lists of the columns' values. Text stays a NumPy array.
        """
        return iterators.tuple_iterator(self, columns, num_epochs, output_numpy, do_copy)

    def apply(self, apply_func):
        """Returns what a function makes of this dataset.

        Args:
            apply_func (Callable): takes a dataset and returns one.

        Raises:
            TypeError: it is not callable, or returns something else.
        """
        if not callable(apply_func):
            raise TypeError(
                f"For 'apply', 'apply_func' must be a function, but got {apply_func!r}."
            )
        made = apply_func(self)
        InstanceOf(Dataset).called("a dataset").refuse_part(
            "apply", "'apply_func'", made, verb="return"
        )
        return made

    @checked
    def set_init_step(self, init_step: natural):
        """Makes iterators leave out the first rows of the first epoch, to resume training.

        Args:
            init_step: how many rows; past the end they reach into the next epochs.
        """
        self._init_step = init_step

    def get_init_step(self):
        """Returns how many rows iterators leave out."""
        return self._init_step

    @without_effect("dataset.Dataset.reset", "each iterator begins at the first row")
    def reset(self):
        """Is there for scripts; each iterator begins anew by itself."""

    # Asking ---------------------------------------------------------------------------------------

    def get_col_names(self):
        """Returns the names of the columns, in order."""
        return list(self._columns())

    def get_dataset_size(self):
        """Returns the number of rows, or of batches, in an epoch; an endless repeat counts once."""
        size = self._size()
        if size is None:
            size = sum(1 for _ in self._epoch())
        return size

    def get_batch_size(self):
        """Returns how many rows a batch has; 1 where nothing makes batches, -1 where a function
        says it for each."""
        return self._batch_size() or 1

    def get_repeat_count(self):
        """Returns the count of the nearest `repeat`; 1 without one."""
        return self.children[0].get_repeat_count() if self.children else 1

    def get_class_indexing(self):
        """Returns the numbers of the classes, by name; empty where a dataset has no names."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self):
        """Returns the number of classes, or None where the dataset does not say."""
        return self.children[0].num_classes() if self.children else None

    def _epoch(self, calls_back=False):
        """The rows of an epoch; callbacks of maps are for those that the script asks for."""
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
        """The first row; none of an epoch without rows."""
        return next(self._epoch(), ())

    @checked
    def output_shapes(self, estimate: Bool = False):
        """Returns the shape of each column, as lists.

        Args:
            estimate: whether to look at all rows and give None for axes whose length differs;
                otherwise the first row decides.
        """
        if not estimate:
            return [list(np.shape(value)) for value in self._first_row()]
        found = None
        for row in self._epoch():
            shapes = [list(np.shape(value)) for value in row]
            found = (
                shapes
                if found is None
                else [_common(one, other) for one, other in zip(found, shapes, strict=True)]
            )
        return found

    def output_types(self):
        """Returns the NumPy dtype of each column; that of text does not include its length."""
        types = [value.dtype for value in self._first_row()]
        return [np.dtype(each.kind) if each.kind in "SU" else each for each in types]

    @property
    def input_indexs(self):
        """The positions of the columns in the network's inputs; () for their own order."""
        return self.__dict__.get("_input_indexs", ())

    @without_effect("dataset.Dataset.input_indexs", "columns keep their order")
    @input_indexs.setter
    def input_indexs(self, value):
        self._input_indexs = value

    def is_shuffled(self):
        """Returns whether some node makes the order random."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self):
        """Returns whether some source gives only a share of its rows."""
        return any(child.is_sharded() for child in self.children)

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Writes the rows of one epoch into MindRecord files, which MindDataset reads.

        bool and integers of up to 32 bits with a sign, or 16 without, are stored as int32, other
        integers as int64, float16 as float32.

        Args:
            file_name (str): the file; with several, a number is put behind it.
            num_files (int): how many files, in [1, 1000]. Default: ``1``.
            file_type (str): "mindrecord". Default: ``"mindrecord"``.

        Raises:
            TypeError: an argument has another type.
            ValueError: `num_files` is out of range, or `file_type` is another.
            RuntimeError: a file exists already or cannot be written, there are no rows, or a row
                holds several texts, or other dtypes or shapes than the first one.

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
        """Divides the dataset into parts that do not overlap.

        Args:
            sizes (Union[list[int], list[float]]): the sizes of the parts, which add up to that of
                the dataset, or their shares, which add up to 1. Shares are rounded; what is missing
                then goes to the first part, what is too much comes off the first part above 1.
            randomize: whether the rows of a part are chosen at random, the same in every epoch.

        Returns:
            tuple[Dataset], the parts.

        Raises:
            TypeError: `sizes` is no list.
            ValueError: shares lie outside (0, 1] or do not add up to 1, or sizes are not positive.
            RuntimeError: sizes do not add up to the size of the dataset, a share is too small, or
                the dataset is sharded.
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
    """The base of operations, and of sources of any kind of data."""


class VisionBaseDataset(Dataset):
    """The base of sources of images."""


class TextBaseDataset(Dataset):
    """The base of sources of text."""


class AudioBaseDataset(Dataset):
    """The base of sources of sound."""


class SourceDataset(Dataset):
    """The base of the leaves of a pipeline.

    One that takes a cache and is not mappable defines `_all_rows`, which gives its rows in their
    own order, and `_sampler_of_stored`, which chooses among them.
    """

    def _batch_size(self):
        return None

    def _refusal_below_cache(self, is_whole):
        return None


class MappableDataset(SourceDataset):
    """The base of sources whose rows can be read in any order, as a sampler says.

    Subclasses define `_length` and either `_block(indices)`, which reads many rows at once, or
    `_row(index)`.
    """

    sampler: BuiltinSampler | None = None
    _labels = None

    def _open(self):
        return cached_flow(self) if has_cache(self) else self._flow(self._order())

    def _order(self):
        """A function that gives the indices of each epoch."""
        return self.sampler.open(self._length(), self._labels)

    def _picked(self, indices):
        """The rows of given indices."""
        return self._flow(lambda: np.asarray(indices, np.int64)).rows()

    def _flow(self, epoch):
        """The flow of the rows whose indices `epoch` gives, epoch by epoch."""
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
        count = _sampled(self.sampler, size)
        return len(self.sampler.open(size, labels)()) if count is None else count

    def is_shuffled(self):
        """Returns whether the sampler makes the order random."""
        return self.sampler.is_shuffled()

    def is_sharded(self):
        """Returns whether the sampler takes only a share of the rows."""
        return self.sampler.is_sharded()

    def add_sampler(self, new_sampler):
        """Makes `new_sampler` choose among the rows that the sampler so far chooses."""
        if new_sampler is None:
            return
        new_sampler = as_sampler(new_sampler)
        new_sampler.add_child(self.sampler)
        self.sampler = new_sampler

    def use_sampler(self, new_sampler):
        """Replaces the sampler that chooses the rows.

        Args:
            new_sampler (Sampler): the new one; a part of a split stays that part.

        Raises:
            TypeError: it is not a sampler.
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
        chosen = SequentialSampler(start, count)
        chosen.add_child(part.sampler)
        part.sampler, part._is_part = chosen, True
        return part


def _needs_labels(sampler):
    return sampler is not None and (
        hasattr(sampler, "class_column") or _needs_labels(sampler.child_sampler)
    )


def _sampled(sampler, size):
    """How many of `size` rows a sampler takes, where that is known without drawing; else None."""
    sampler._check()
    if sampler.child_sampler is not None:
        size = _sampled(sampler.child_sampler, size)
    if size is None:
        return None
    if isinstance(sampler, DistributedSampler):
        return len(sampler.share(size))
    if isinstance(sampler, RandomSampler):
        return sampler._limited(size)
    if isinstance(sampler, SequentialSampler):
        return max(0, sampler._limited(size - (sampler.start_index or 0)))
    return None


def _common(one, other):
    """The lengths that two shapes share; None where they differ."""
    if len(one) != len(other):
        raise RuntimeError(f"The rows differ in their number of axes: {one} and {other}.")
    return [a if a == b else None for a, b in zip(one, other, strict=True)]


def _absolute(sizes, total):
    """The sizes of the parts of a split."""
    InstanceOf(list).refuse("split", "sizes", sizes)
    whole = all(type(each) is int for each in sizes)
    if not sizes or not (whole or all(type(each) is float for each in sizes)):
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
    if not all(0 < each <= 1 for each in sizes) or abs(sum(sizes) - 1) > 1e-12:
        raise ValueError(
            f"For 'split', shares must lie in (0, 1] and add up to 1, but got {sizes!r}."
        )
    counts = [round(each * total) for each in sizes]
    if 0 in counts:
        raise RuntimeError(f"For 'split', a share is too small for {total} rows: {sizes!r}.")
    counts[0] += max(0, total - sum(counts))
    excess = sum(counts) - total
    for index, count in enumerate(counts):
        if excess > 0 and count > excess:
            counts[index], excess = count - excess, 0
    return counts
