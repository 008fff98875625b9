"""WaitedDSCallback: a dataset callback that waits for training."""

import threading

from ..._core.callback import Callback
from . import config
from .mapping import DSCallback

__all__ = ["WaitedDSCallback"]


class WaitedDSCallback(Callback, DSCallback):
    """A callback of `map` that waits for a training step or epoch before the next row.

    Pass it both to `map` and to the training run. From the second epoch on, `sync_epoch_begin` is
    called before the first row, after the training epoch has ended, and `sync_step_begin` before
    the first row of a step, after the training step has ended. Subclasses define one or both of
    them.

    Args:
        step_size (int, optional): the number of rows of a step of training.

    Raises:
        TypeError: if `step_size` is not an int.
        ValueError: if `step_size` is not positive.
        RuntimeError: when rows are read, if training does not finish within the time of
            `config.set_callback_timeout`.

    Source: mindspore.dataset.WaitedDSCallback of 2.10.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import dataset as ds, nn
        >>> class Counter(ds.WaitedDSCallback):
        ...     def sync_epoch_begin(self, train_run_context, ds_run_context):
        ...         print("before epoch", ds_run_context.cur_epoch_num)
        >>> counter = Counter()
        >>> data = ds.NumpySlicesDataset(np.ones((4, 2), np.float32), ["x"])
        >>> data = data.map(lambda x: x, callbacks=counter).batch(2)
        >>> class Net(nn.Cell):
        ...     def construct(self, x):
        ...         return x.sum()
        >>> ms.Model(Net()).train(3, data, callbacks=counter, dataset_sink_mode=False)
        before epoch 2
        before epoch 3
    """

    def __init__(self, step_size=1):
        DSCallback.__init__(self, step_size)
        self.step_event, self.epoch_event = threading.Event(), threading.Event()
        self.step_run_context = self.epoch_run_context = None
        self.training_ended = False

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        """Called before an epoch of rows, after the preceding training epoch has ended.

        Args:
            train_run_context (RunContext): the parameters of the training.
            ds_run_context: the parameters of the dataset: `cur_epoch_num`, `cur_step_num_in_epoch`
                and `cur_step_num`.
        """

    def sync_step_begin(self, train_run_context, ds_run_context):
        """Called before the rows of a step, after the preceding training step has ended.

        Args:
            train_run_context (RunContext): the parameters of the training.
            ds_run_context: the parameters of the dataset: `cur_epoch_num`, `cur_step_num_in_epoch`
                and `cur_step_num`.
        """

    def epoch_end(self, run_context):
        """Signals the dataset that a training epoch has ended."""
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context):
        """Signals the dataset that a training step has ended."""
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context):
        """Signals the dataset that training has ended."""
        self.epoch_end(run_context)
        self.step_end(run_context)
        self.training_ended = True

    def ds_epoch_begin(self, ds_run_context):
        """Waits for the end of the preceding training epoch."""
        if self._defines("sync_epoch_begin") and ds_run_context.cur_epoch_num > 1:
            self._wait("ds_epoch_begin", self.epoch_event)
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context):
        """Waits for the end of the preceding training step."""
        if self._defines("sync_step_begin") and ds_run_context.cur_step_num > self.step_size:
            self._wait("ds_step_begin", self.step_event)
            self.sync_step_begin(self.step_run_context, ds_run_context)

    _moments = ("sync_epoch_begin", "sync_step_begin")

    def _defines(self, name):
        return getattr(type(self), name) is not getattr(WaitedDSCallback, name)

    def _wait(self, name, event):
        if self.training_ended:
            return
        seconds = config.get_callback_timeout()
        if not event.wait(seconds):
            raise RuntimeError(
                f"For 'WaitedDSCallback', '{name}' waited {seconds} seconds for "
                f"training, which did not go on."
            )
        event.clear()
