"""Operations that make one dataset of several: `zip` puts their columns side by side, `concat`
their rows one after another.
"""

import itertools

import numpy as np

from ..._core.rules.vocabulary import InstanceOf, ListOf, TupleOf
from .cache import fixed_row
from .operations import RepeatDataset, TakeDataset, method
from .pipeline import Dataset, UnionBaseDataset
from .rows import Flow
from .sampler import BuiltinSampler, DistributedSampler

_Datasets = TupleOf(InstanceOf(Dataset)).called("a tuple of datasets")
_Others = ListOf(InstanceOf(Dataset)).called("a dataset or a list of datasets")

__all__ = ["ConcatDataset", "ZipDataset", "zip_datasets"]


class ZipDataset(UnionBaseDataset):
    """Puts the columns of several datasets side by side; see `mindspore.dataset.zip`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.zip((ms.dataset.NumpySlicesDataset([1], ["a"]),
        ...                       ms.dataset.NumpySlicesDataset([2], ["b"]))).get_col_names())
        ['a', 'b']
    """

    def __init__(self, datasets):
        super().__init__(datasets)

    def _columns(self):
        columns = [name for child in self.children for name in child._columns()]
        if len(set(columns)) < len(columns):
            raise RuntimeError(
                f"For 'zip', the datasets must have different columns, but got {columns}."
            )
        return columns

    def _size(self):
        finite = [child._size() for child in self.children if not _endless(child)]
        if None in finite:
            return None
        return min(finite or [child._size() for child in self.children])

    def _open(self):
        self._columns()
        flows = [child._open() for child in self.children]

        def rows():
            iterators = [iter(flow.rows()) for flow in flows]
            while True:
                parts = []
                for each in iterators:
                    part = next(each, None)
                    if part is None:
                        return
                    parts += part
                yield parts

        return Flow(rows)


def _endless(dataset):
    if isinstance(dataset, RepeatDataset) and dataset.count == -1:
        return True
    if isinstance(dataset, TakeDataset) and dataset.count != -1:
        return False
    return bool(dataset.children) and all(_endless(child) for child in dataset.children)


def zip_datasets(datasets):
    """Puts the columns of several datasets side by side; the shortest ends the epoch.

    Args:
        datasets (tuple[Dataset]): at least two, with different columns.

    Returns:
        Dataset.

    Raises:
        TypeError: it is no tuple of datasets.
        ValueError: there are fewer than two.
        RuntimeError: two columns have the same name; raised when the dataset is used.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> one = ds.NumpySlicesDataset([1, 2], ["one"], shuffle=False)
        >>> other = ds.NumpySlicesDataset([3, 4], ["other"], shuffle=False)
        >>> ds.zip((one, other)).get_col_names()
        ['one', 'other']

    Source: mindspore.dataset.zip of MindSpore 2.10.
    """
    _Datasets.refuse("zip", "datasets", datasets)
    if len(datasets) < 2:
        raise ValueError(f"For 'zip', there must be at least two datasets, but got {datasets!r}.")
    return ZipDataset(datasets)


def _zip(self, datasets):
    """Puts the columns of other datasets to the right of this one's.

    Args:
        datasets (Union[Dataset, tuple[Dataset]]): the others; the shortest ends the epoch.

    Returns:
        Dataset.

    Raises:
        TypeError: `datasets` is neither.
    """
    others = (datasets,) if isinstance(datasets, Dataset) else datasets
    InstanceOf(tuple).called("a dataset or a tuple of datasets").refuse("zip", "datasets", others)
    return zip_datasets((self, *others))


zip_datasets.__name__ = zip_datasets.__qualname__ = _zip.__name__ = "zip"
Dataset.zip = _zip


@method("concat")
class ConcatDataset(UnionBaseDataset):
    """Gives the rows of other datasets after this one's; `+` does the same.

    Args:
        datasets (Union[Dataset, list[Dataset]]): the others, with the same columns.

    Returns:
        Dataset. `use_sampler` can make it take every n-th row, for several processes.

    Raises:
        RuntimeError: columns differ in name, dtype or number of axes; raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> one, two = ms.dataset.NumpySlicesDataset([1]), ms.dataset.NumpySlicesDataset([2])
        >>> print((one + two).get_dataset_size())
        2
    """

    def __init__(self, input_dataset, datasets=()):
        others = [datasets] if isinstance(datasets, Dataset) else datasets
        _Others.refuse("concat", "datasets", others)
        super().__init__([input_dataset, *others])
        self._sampler = None

    def use_sampler(self, sampler):
        """Makes a sampler choose among all the rows, as they come one dataset after another.

        Args:
            sampler (Sampler): a DistributedSampler without shuffling; or another one, whose order
                decides which dataset gives its next row.

        Raises:
            TypeError: it is not a sampler.
            ValueError: it is a DistributedSampler that shuffles or has `num_samples`.
        """
        InstanceOf(BuiltinSampler).called("a sampler").refuse("use_sampler", "sampler", sampler)
        if isinstance(sampler, DistributedSampler) and (sampler.shuffle or sampler.num_samples):
            raise ValueError(
                "For 'use_sampler', a DistributedSampler over concatenated datasets "
                "must have shuffle=False and no num_samples."
            )
        self._sampler = sampler

    def is_sharded(self):
        """Returns whether only a share of the rows is given."""
        return super().is_sharded() or self._sampler is not None and self._sampler.is_sharded()

    def _size(self):
        sizes = [child._size() for child in self.children]
        if None in sizes:
            return None
        total = sum(sizes)
        return total if self._sampler is None else len(self._chosen(total)())

    def _chosen(self, total):
        """A function that gives the indices, among all rows, of each epoch; shares of several
        processes are not made equal here."""
        if isinstance(self._sampler, DistributedSampler):
            indices = self._sampler.share(total, repeats=False)
            return lambda: indices
        return self._sampler.open(total)

    def _open(self):
        if len(self.children) < 2:
            raise RuntimeError("For 'concat', 'datasets' must hold a dataset, but it is empty.")
        first = list(self.children[0]._columns())
        for child in self.children[1:]:
            if list(child._columns()) != first:
                raise RuntimeError(
                    f"For 'concat', the datasets must have the same columns, but "
                    f"got {first} and {list(child._columns())}."
                )
        flows = [child._open() for child in self.children]

        def rows():
            wanted = None
            for row in itertools.chain.from_iterable(flow.rows() for flow in flows):
                found = [
                    (str(value.dtype.kind if value.dtype.kind in "SU" else value.dtype), value.ndim)
                    for value in row
                ]
                if wanted is not None and found != wanted:
                    raise RuntimeError(
                        f"For 'concat', columns must agree in dtype and number of "
                        f"axes, but got {wanted} and {found}."
                    )
                wanted = found
                yield row

        if self._sampler is None:
            return Flow(rows)
        sizes = [child.get_dataset_size() for child in self.children]
        epoch = self._chosen(sum(sizes))
        if isinstance(self._sampler, DistributedSampler):
            return Flow(lambda: _taken(rows(), epoch()))
        return Flow(lambda: _interleaved(flows, sizes, epoch()))


def _taken(rows, wanted):
    """The rows whose indices are wanted, in the order wanted."""
    needed, rows_by_index = set(wanted.tolist()), {}
    for index, row in enumerate(rows):
        if index in needed:
            rows_by_index[index] = fixed_row(row)  # it may be wanted several times
    return (rows_by_index[index] for index in wanted.tolist())


def _interleaved(flows, sizes, wanted):
    """The next row of one dataset after another, as the wanted indices fall in them."""
    iterators = [iter(flow.rows()) for flow in flows]
    for child in np.searchsorted(np.cumsum(sizes), wanted, side="right").tolist():
        yield next(iterators[child])
