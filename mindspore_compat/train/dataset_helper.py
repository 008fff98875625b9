"""DatasetHelper: iterates over a dataset epoch by epoch; and networks that fetch their own batches.

MindSpore sends data to a queue on the device ("sinking"). Here batches are read when they are
used: there is nothing to send, stop or release. `ops.GetNext` finds a queue by its name. The
training loops are in `model.py`.
"""

import itertools

import numpy as np

from .._core.context.config import GRAPH_MODE, config
from .._core.rules.checked import Forbid, checked
from .._core.rules.vocabulary import Bool, CellOf, InstanceOf, Int
from .._core.tensor import dtype as dtypes
from .._core.without_effect import without_effect
from ..nn.cell import Cell
from ..ops._debug.get_next import Queue

__all__ = ["DatasetHelper", "check_dataset", "connect_network_with_dataset"]


def check_dataset(api, name, dataset, error=TypeError):
    """Raises `error` for anything but a dataset, which knows its size and yields its rows as
    tuples."""
    if not hasattr(dataset, "get_dataset_size") or not hasattr(dataset, "create_tuple_iterator"):
        raise error(
            f"For '{api}', '{name}' must be a Dataset, but got {dataset!r} of type "
            f"{type(dataset).__name__}."
        )


def sinks(dataset_sink_mode):
    """Returns whether requested data sinking takes place: only in graph mode, and not on a CPU."""
    return dataset_sink_mode and config.mode == GRAPH_MODE and config.device_target != "CPU"


class DatasetHelper:
    """Iterates over the batches of a dataset, one epoch at a time.

    Without sinking, an iteration yields the batches, each a list of Tensors. With sinking, an epoch
    has `sink_size` batches, and the next epoch continues where the last one ended. The network that
    `connect_network_with_dataset` returns then fetches the batches, and an iteration yields one
    empty tuple for each call of that network: once per epoch in graph mode, once per batch in
    PyNative mode.

    Args:
        dataset (Dataset): the dataset.
        dataset_sink_mode (bool): whether to sink.
        sink_size (int): the number of batches of an epoch with sinking; -1 for the whole dataset.
        epoch_num (int): the number of epochs; -1 for no limit.

    Raises:
        TypeError: if `dataset` is not a dataset, or an argument of the wrong type.
        ValueError: if `sink_size` is neither -1 nor positive; if `epoch_num` is 0 or below -1.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat.dataset as ds
        >>> from mindspore_compat.train import DatasetHelper
        >>> data = ds.NumpySlicesDataset({"x": np.ones((4, 3), np.float32)}).batch(2)
        >>> [batch[0].shape for batch in DatasetHelper(data, dataset_sink_mode=False)]
        [(2, 3), (2, 3)]

    Source: mindspore.train.DatasetHelper of MindSpore 2.10.
    """

    @checked(
        Forbid("sink_size == 0", reason="'sink_size' must be -1 or positive"),
        Forbid("epoch_num == 0", reason="'epoch_num' must be -1 or positive"),
    )
    def __init__(
        self,
        dataset,
        dataset_sink_mode: Bool = True,
        sink_size: Int(ge=-1) = -1,
        epoch_num: Int(ge=-1) = 1,
    ):
        check_dataset("DatasetHelper", "dataset", dataset, AttributeError)
        self.dataset = dataset
        self._sinking = dataset_sink_mode
        self._sink_size = sink_size
        self._epochs = -1 if dataset_sink_mode else epoch_num
        self._iterator = None
        self._endless = None
        self.iter = _Iterated(dataset)
        if dataset_sink_mode:
            dataset.__transfer_dataset__ = Queue(lambda: next(self.next_batches(1)))

    def __iter__(self):
        if not self._sinking:
            return iter(self._rows())
        calls = 1 if config.mode == GRAPH_MODE else self.sink_size()
        return iter([()] * calls)

    def _rows(self):
        if self._iterator is None:
            self._iterator = self.dataset.create_tuple_iterator(
                num_epochs=self._epochs, do_copy=False
            )
        return self._iterator

    def next_batches(self, count=None):
        """Returns the next batches, each a list of Tensors; after the last batch it starts again.

        Args:
            count (int): the number of batches; by default that of one call of a network that
                fetches its data.
        """
        if count is None:
            count = self.sink_size() if config.mode == GRAPH_MODE else 1
        if self._endless is None:
            self._endless = _without_end(self._rows)
        return itertools.islice(self._endless, count)

    def types_shapes(self):
        """Returns the dtypes and the shapes of a batch's columns, as a tuple of two lists."""
        types = [dtypes.from_numpy(np.dtype(kind)) for kind in self.dataset.output_types()]
        return types, self.dataset.output_shapes()

    def sink_size(self):
        """Returns the number of batches of an epoch."""
        if self._sinking and self._sink_size > 0:
            return self._sink_size
        return self.dataset.get_dataset_size()

    @without_effect("train.DatasetHelper.stop_send", "batches are taken when they are needed")
    def stop_send(self):
        """Ends the sending of data; no effect, since batches are read when they are used."""

    @without_effect("train.DatasetHelper.continue_send", "batches are taken when they are needed")
    def continue_send(self):
        """Resumes the sending of data; no effect, see `stop_send`."""

    def release(self):
        """Ends the iteration over the dataset and its workers."""
        iterator, self._iterator, self._endless = self._iterator, None, None
        if hasattr(iterator, "stop"):
            iterator.stop()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        # An error keeps the iterator, and so its workers, until its traceback is freed.
        self.release()


class _Iterated:
    """The object at `helper.iter`, through which scripts read `helper.iter.dataset`."""

    def __init__(self, dataset):
        self.dataset = dataset


def _without_end(rows):
    """Yields the batches of one epoch after another, endlessly.

    Raises:
        ValueError: if an epoch has no batches.
    """
    while True:
        empty = True
        for batch in rows():
            empty = False
            yield batch
        if empty:
            raise ValueError("For 'DatasetHelper', the dataset must have at least one batch.")


class _Connected(Cell):
    """A network that is called without inputs and fetches its own batches."""

    def __init__(self, network, helper):
        super().__init__(auto_prefix=False)
        self.network = network
        self._helper = helper

    def construct(self, *inputs):
        if inputs:
            return self.network(*inputs)
        for batch in self._helper.next_batches():
            outputs = self.network(*batch)
        return outputs


@checked
def connect_network_with_dataset(network: CellOf, dataset_helper: InstanceOf(DatasetHelper)):
    """Connects a network to a dataset from which it fetches its inputs.

    Args:
        network (Cell): the network.
        dataset_helper (DatasetHelper): the dataset, created with `dataset_sink_mode=True`.

    Returns:
        Cell, called without arguments; it returns the network's result for the last fetched batch.

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if `dataset_helper` does not sink.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat.dataset as ds
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.train import DatasetHelper, connect_network_with_dataset
        >>> data = ds.NumpySlicesDataset({"x": np.ones((4, 3), np.float32)}).batch(2)
        >>> helper = DatasetHelper(data)
        >>> connect_network_with_dataset(nn.Dense(3, 5), helper)().shape
        (2, 5)

    Source: mindspore.train.connect_network_with_dataset of MindSpore 2.10.
    """
    if not dataset_helper._sinking:
        raise RuntimeError(
            "For 'connect_network_with_dataset', 'dataset_helper' must be made with "
            "dataset_sink_mode=True."
        )
    return _Connected(network, dataset_helper)
