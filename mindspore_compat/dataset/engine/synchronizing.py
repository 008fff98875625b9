"""Synchronization of a pipeline with the loop that reads it: `sync_wait` and `sync_update`."""

import threading

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Callable, Int, Str
from . import config
from .operations import method
from .pipeline import Dataset, UnionBaseDataset
from .rows import Flow

__all__ = ["SyncWaitDataset"]


@method("sync_wait")
class SyncWaitDataset(UnionBaseDataset):
    """Lets rows pass only as `sync_update` releases them.

    The first `num_batch` batches of an epoch pass at once. Each `sync_update` of this name then
    calls `callback`, and releases as many batches again. So a later `map` computes with what the
    reader has learned from the batches before. Batches are those of the `batch` operations that
    follow; without one, rows.

    Args:
        condition_name (str): the name by which `sync_update` finds this operation.
        num_batch (int, optional): the number of batches that pass at once.
        callback (Callable, optional): is called by `sync_update` with its `data`.

    Returns:
        Dataset.

    Raises:
        RuntimeError: if the name exists in the pipeline already; while rows are read, if no
            `sync_update` comes within the time of `config.set_callback_timeout`.

    Example:
        >>> import mindspore_compat as ms
        >>> seen = []
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], "x", shuffle=False)
        >>> data = data.sync_wait("next", callback=seen.append)
        >>> for (x,) in data.create_tuple_iterator(num_epochs=1):
        ...     data.sync_update("next", data=int(x))
        >>> print(seen)
        [1, 2, 3]
    """

    @checked
    def __init__(
        self,
        input_dataset,
        condition_name: Str,
        num_batch: Int(ge=1) = 1,
        callback: Callable = None,
    ):
        super().__init__(input_dataset)
        if any(node.condition_name == condition_name for node in input_dataset._synchronized()):
            raise RuntimeError(
                f"For 'sync_wait', 'condition_name' must be new, but there is a condition "
                f"{condition_name!r} already."
            )
        self.condition_name, self.num_batch, self.callback = condition_name, num_batch, callback
        self.rows_per_batch = 1  # `batch` multiplies it
        self._released = threading.Condition()
        self._allowed = 0

    def _synchronized(self):
        yield self
        yield from super()._synchronized()

    def _description(self):
        own = ("_released", "_allowed")
        return {name: value for name, value in super()._description().items() if name not in own}

    def _restore(self, attributes):
        super()._restore(attributes)
        self._released, self._allowed = threading.Condition(), 0

    def release(self, num_batch, data):
        """Calls the callback with `data`, then lets more batches pass."""
        if self.callback is not None:
            self.callback(data)
        with self._released:
            self._allowed += (num_batch or self.num_batch) * self.rows_per_batch
            self._released.notify_all()

    def _wait(self):
        """Waits until another row may pass."""
        seconds = config.get_callback_timeout()
        with self._released:
            if not self._released.wait_for(lambda: self._allowed > 0, seconds):
                raise RuntimeError(
                    f"For 'sync_wait', the condition {self.condition_name!r} waited {seconds} "
                    "seconds for 'sync_update', which was not called."
                )
            self._allowed -= 1

    def _open(self):
        flow = super()._open()

        def rows():
            with self._released:
                self._allowed = self.num_batch * self.rows_per_batch
            for row in flow.rows():
                self._wait()
                yield row

        return Flow(rows)


def sync_update(self, condition_name, num_batch=None, data=None):
    """Calls the callback of a `sync_wait` operation, and releases more batches.

    Args:
        condition_name (str): the name that `sync_wait` was given.
        num_batch (int, optional): the number of batches; by default the `num_batch` of `sync_wait`.
        data (Any, optional): passed to the callback.

    Raises:
        TypeError: if `condition_name` is not a str.
        RuntimeError: if there is no condition of this name, or `num_batch` is not a positive int.

    Example:
        >>> import mindspore_compat as ms
        >>> data = ms.dataset.NumpySlicesDataset([1], "x").sync_wait("next", callback=print)
        >>> data.sync_update("next", data="updated")
        updated
    """
    Str.refuse("sync_update", "condition_name", condition_name)
    if num_batch is not None and (not isinstance(num_batch, int) or num_batch < 1):
        raise RuntimeError(
            f"For 'sync_update', 'num_batch' must be an int >= 1 or None, but got {num_batch!r}."
        )
    for node in self._synchronized():
        if node.condition_name == condition_name:
            node.release(num_batch, data)
            return
    raise RuntimeError(
        f"For 'sync_update', 'condition_name' must be the name of a condition of 'sync_wait', but "
        f"got {condition_name!r}."
    )


Dataset.sync_update = sync_update
