"""Operations that combine datasets: `zip` joins their columns, `concat` appends their rows."""

import itertools

import numpy as np

from ..._core.rules.vocabulary import InstanceOf, ListOf, TupleOf
from .cache import freeze_row
from .operations import RepeatDataset, TakeDataset, method
from .pipeline import Dataset, UnionBaseDataset
from .rows import Flow
from .sampler import BuiltinSampler, DistributedSampler

_Dataset = InstanceOf(Dataset).called("a dataset")
_Datasets = TupleOf(InstanceOf(Dataset)).called("a tuple of datasets")
_Others = ListOf(InstanceOf(Dataset)).called("a dataset or a list of datasets")

__all__ = ["ConcatDataset", "ZipDataset", "zip_datasets"]


class ZipDataset(UnionBaseDataset):
    """Zips datasets: joins the columns of several datasets; see `mindspore.dataset.zip`.

    Args:
        datasets (tuple[Dataset]): the datasets, with different columns.

    Raises:
        TypeError: if `datasets` does not hold datasets.
        RuntimeError: if two columns have the same name; raised when the dataset is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.zip((ms.dataset.NumpySlicesDataset([1], ["a"]),
        ...                       ms.dataset.NumpySlicesDataset([2], ["b"]))).get_col_names())
        ['a', 'b']
    """

    def __init__(self, datasets):
        for dataset in datasets:
            _Dataset.refuse_part("ZipDataset", "each of 'datasets'", dataset)
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
                for iterator in iterators:
                    part = next(iterator, None)
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
    """Zips datasets: joins the columns of several datasets; the shortest one ends the epoch.

    Args:
        datasets (tuple[Dataset]): at least two, with different columns.

    Returns:
        Dataset.

    Raises:
        TypeError: if `datasets` is not a tuple of datasets.
        ValueError: if there are fewer than two.
        RuntimeError: if two columns have the same name; raised when the dataset is used.

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
    """Zips this dataset with others: appends their columns to the right.

    Args:
        datasets (Union[Dataset, tuple[Dataset]]): the other datasets; the shortest one ends the
            epoch.

    Returns:
        Dataset.

    Raises:
        TypeError: if `datasets` is neither.
    """
    others = (datasets,) if isinstance(datasets, Dataset) else datasets
    InstanceOf(tuple).called("a dataset or a tuple of datasets").refuse("zip", "datasets", others)
    return zip_datasets((self, *others))


zip_datasets.__name__ = zip_datasets.__qualname__ = _zip.__name__ = "zip"
Dataset.zip = _zip


@method("concat")
class ConcatDataset(UnionBaseDataset):
    """Concatenates datasets: yields the rows of other datasets after the rows of this one; same as
    `+`.

    Args:
        datasets (Union[Dataset, list[Dataset]]): the other datasets, with the same columns.

    Returns:
        Dataset. `use_sampler` can select every n-th row, for several processes.

    Raises:
        RuntimeError: if columns differ in name, dtype or number of axes; raised when it is used.

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
        """Sets a sampler that selects among the rows of all datasets, in sequence.

        Args:
            sampler (Sampler): a DistributedSampler without shuffling; or another sampler, whose
                order decides which dataset yields its next row.

        Raises:
            TypeError: if `sampler` is not a sampler.
            ValueError: if `sampler` is a DistributedSampler that shuffles or has `num_samples`.
        """
        InstanceOf(BuiltinSampler).called("a sampler").refuse("use_sampler", "sampler", sampler)
        if isinstance(sampler, DistributedSampler) and (sampler.shuffle or sampler.num_samples):
            raise ValueError(
                "For 'use_sampler', a DistributedSampler over concatenated datasets "
                "must have shuffle=False and no num_samples."
            )
        self._sampler = sampler

    def is_sharded(self):
        """Returns whether only a share of the rows is returned."""
        return super().is_sharded() or self._sampler is not None and self._sampler.is_sharded()

    def _size(self):
        sizes = [child._size() for child in self.children]
        if None in sizes:
            return None
        total = sum(sizes)
        return total if self._sampler is None else len(self._epoch_indices(total)())

    def _epoch_indices(self, total):
        """Returns a function that returns the indices of each epoch, among all rows; the shares of
        several processes may differ in size."""
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
            expected = None
            for row in itertools.chain.from_iterable(flow.rows() for flow in flows):
                kinds = [
                    (str(value.dtype.kind if value.dtype.kind in "SU" else value.dtype), value.ndim)
                    for value in row
                ]
                if expected is not None and kinds != expected:
                    raise RuntimeError(
                        f"For 'concat', columns must agree in dtype and number of "
                        f"axes, but got {expected} and {kinds}."
                    )
                expected = kinds
                yield row

        if self._sampler is None:
            return Flow(rows)
        sizes = [child.get_dataset_size() for child in self.children]
        epoch = self._epoch_indices(sum(sizes))
        if isinstance(self._sampler, DistributedSampler):
            return Flow(lambda: _select(rows(), epoch()))
        return Flow(lambda: _interleave(flows, sizes, epoch()))


def _select(rows, indices):
    """Yields the rows with the requested indices, in their order."""
    index_set, rows_by_index = set(indices.tolist()), {}
    for index, row in enumerate(rows):
        if index in index_set:
            rows_by_index[index] = freeze_row(row)  # it may be requested several times
    return (rows_by_index[index] for index in indices.tolist())


def _interleave(flows, sizes, indices):
    """Yields the next row of the dataset that each requested index falls in."""
    iterators = [iter(flow.rows()) for flow in flows]
    for child in np.searchsorted(np.cumsum(sizes), indices, side="right").tolist():
        yield next(iterators[child])
