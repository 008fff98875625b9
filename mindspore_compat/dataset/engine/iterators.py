"""Iterators over a dataset; they convert rows to Tensors.

Each `for` loop over an iterator is one epoch; after a loop that was left early, the next loop
continues the epoch.
"""

import numpy as np

from ..._backend import arrays
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from ..._core.tensor.dtype import as_longlong
from ..._core.tensor.tensor import Tensor
from .._rules import INT32_MAX, Columns
from . import config
from .rows import own
from .workers import Pipeline

__all__ = ["DictIterator", "Iterator", "TupleIterator"]

_HIDDEN = "_meta-"


class Iterator:
    """Base class of iterators.

    Args:
        dataset (Dataset): the dataset to iterate over.
        num_epochs (int, optional): the number of epochs; -1 for any number.
        output_numpy (bool, optional): whether to return NumPy arrays; otherwise numbers become
            Tensors.
        do_copy (bool, optional): whether Tensors copy the data of the row.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], shuffle=False)
        >>> isinstance(data.create_dict_iterator(), ds.Iterator)
        True
    """

    def __init__(self, dataset, num_epochs=-1, output_numpy=False, do_copy=False):
        if num_epochs == 0:
            raise RuntimeError("'num_epochs' must be -1 or positive, but got 0.")
        self.dataset = dataset
        self._left = num_epochs
        self._convert = _as_numpy if output_numpy else _as_tensor
        if not output_numpy and (do_copy or config.get_iterator_mode()["do_copy"]):
            self._convert = _copied_tensor
        self._epochs = num_epochs
        self._open(dataset.get_init_step())

    def _open(self, skipped):
        self._pipeline = Pipeline()
        with self._pipeline:
            self._flow = self._pipeline.call(self.dataset._open)
        self._skipped = skipped
        self._rows = None

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            self._begin()
        try:
            row = self._pipeline.call(next, self._rows)
        except StopIteration:
            self._rows = None
            self._left -= self._left > 0
            raise
        return self._output(row)

    def _begin(self):
        if self._left == 0 or self._flow is None:
            raise RuntimeError(
                "The iterator has no epoch left: it was made for a number of "
                "epochs, or it was stopped."
            )
        self._rows = iter(self._pipeline.call(self._flow.rows))
        while self._skipped:
            try:
                self._pipeline.call(next, self._rows)
                self._skipped -= 1
            except StopIteration:
                self._left -= self._left > 0
                self._rows = iter(self._pipeline.call(self._flow.rows))

    def _reset(self, step):
        """Restarts after the first `step` rows of all epochs."""
        self.stop()
        self._left = self._epochs
        self._open(step)

    def stop(self):
        """Ends the iteration and its workers, and releases the pipeline."""
        try:
            self._pipeline.end()
        finally:  # not before: Python ignores an interrupt while it frees a generator
            self._flow = self._rows = None

    release = stop

    def get_col_names(self):
        """Returns the names of the columns."""
        return self.dataset.get_col_names()


class DictIterator(Iterator):
    """Iterates over rows as dicts by column name.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], ["number"], shuffle=False)
        >>> [row["number"].item() for row in data.create_dict_iterator(output_numpy=True)]
        [1, 2]
    """

    def __init__(self, dataset, num_epochs=-1, output_numpy=False, do_copy=False):
        super().__init__(dataset, num_epochs, output_numpy, do_copy)
        self._names = dataset.get_col_names()
        self._hides = _has_hidden(dataset)

    def _output(self, row):
        if self._hides:
            return {
                name: self._convert(value)
                for name, value in zip(self._names, row, strict=True)
                if not name.startswith(_HIDDEN)
            }
        return {name: self._convert(value) for name, value in zip(self._names, row, strict=True)}


class TupleIterator(Iterator):
    """Iterates over rows as lists.

    Args:
        columns (Union[str, list[str]], optional): the columns to return, in order; by default all.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], shuffle=False)
        >>> [row.item() for (row,) in data.create_tuple_iterator(output_numpy=True)]
        [1, 2]
    """

    def __init__(self, dataset, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        if columns is not None:
            projected = dataset.project(columns)
            projected.set_init_step(dataset.get_init_step())
            dataset = projected
        super().__init__(dataset, num_epochs, output_numpy, do_copy)
        self._hidden = None
        if _has_hidden(dataset):
            self._hidden = [name.startswith(_HIDDEN) for name in dataset.get_col_names()]

    def _output(self, row):
        if self._hidden is not None:
            row = [value for value, hidden in zip(row, self._hidden, strict=True) if not hidden]
        return [self._convert(value) for value in row]


def _has_hidden(dataset):
    """Returns whether a source has a hidden column, one that iterators do not return."""
    return getattr(dataset, "extra_metadata", False) or any(map(_has_hidden, dataset.children))


@checked
def dict_iterator(dataset, num_epochs: Int(ge=-1, le=INT32_MAX), output_numpy: Bool, do_copy: Bool):
    """Makes a DictIterator after checking the arguments."""
    return DictIterator(dataset, num_epochs, output_numpy, do_copy)


@checked
def tuple_iterator(
    dataset,
    columns: Columns | None,
    num_epochs: Int(ge=-1, le=INT32_MAX),
    output_numpy: Bool,
    do_copy: Bool,
):
    """Makes a TupleIterator after checking the arguments."""
    return TupleIterator(dataset, columns, num_epochs, output_numpy, do_copy)


def _as_numpy(value):
    """Returns arrays that may be written to."""
    if isinstance(value, dict):
        return {key: _as_numpy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_numpy(item) for item in value]
    return as_longlong(own(value))


def _as_tensor(value):
    """Converts numbers to a Tensor on the current device; text stays an array."""
    if isinstance(value, dict):
        return {key: _as_tensor(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_tensor(item) for item in value]
    if value.dtype.kind in "SU":
        return own(value)
    return Tensor._wrap(arrays.to_current(own(value)))


def _copied_tensor(value):
    return _as_tensor(value.copy() if isinstance(value, np.ndarray) else value)


_training = {}  # the dataset of a training that may go on after a failure


def _set_training_dataset(dataset):
    """Sets the dataset, or the iterator, that the training reads."""
    _training["dataset"] = dataset


def _get_training_dataset():
    """Returns the dataset or iterator of `_set_training_dataset`, or None."""
    return _training.get("dataset")


@checked
def _reset_training_dataset(global_step: Int(ge=0), dataset_size: Int(ge=1)):
    """Makes the iterator of the training continue after a number of steps.

    Args:
        global_step (int): the steps of all epochs that were completed.
        dataset_size (int): the steps of an epoch; the iterator counts its own.

    Raises:
        RuntimeError: if no iterator was set.
    """
    iterator = _get_training_dataset()
    if not hasattr(iterator, "_reset"):
        raise RuntimeError(
            "For '_reset_training_dataset', '_set_training_dataset' must set an iterator before, "
            f"but got {iterator!r}."
        )
    iterator._reset(global_step)
