"""TimeMonitor: prints how long an epoch and its steps took."""

import time

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int
from ._callback import Callback

__all__ = ["TimeMonitor"]


class TimeMonitor(Callback):
    """Prints the time of each epoch, and the mean time of its steps, in milliseconds.

    Args:
        data_size (int): the number of steps of an epoch, if the run does not know it.
        data_time (bool): whether to print also how long a step waited for its data.

    Raises:
        TypeError: if `data_time` is not a bool; at the end of an epoch, if neither the run nor
            `data_size` gives an int.
        ValueError: at the end of an epoch, if the number is not positive.

    Examples:
        >>> from mindspore_compat.train import TimeMonitor
        >>> monitor = TimeMonitor()

    Source: mindspore.train.TimeMonitor of MindSpore 2.10.
    """

    @checked
    def __init__(self, data_size=None, data_time: Bool = False):
        super().__init__()
        self.data_size = data_size
        self.data_time = data_time
        self.epoch_time = time.time()
        self.data_time_sum = 0.0
        self.data_time_start = 0.0

    def on_train_step_begin(self, run_context):
        """Adds up the wait for the data of the step."""
        if self.data_time:
            self.data_time_sum += time.time() - self.data_time_start

    def on_train_step_end(self, run_context):
        """Stores the time at which the wait for the next data begins."""
        if self.data_time:
            self.data_time_start = time.time()

    def epoch_begin(self, run_context):
        """Stores the time at which the epoch begins."""
        self.epoch_time = time.time()
        self.data_time_start = self.epoch_time
        self.data_time_sum = 0.0

    def epoch_end(self, run_context):
        """Prints the times of the epoch."""
        cb_params = run_context.original_args()
        milliseconds = (time.time() - self.epoch_time) * 1000
        steps = self.data_size
        if isinstance(cb_params.batch_num, int):
            steps = cb_params.batch_num
        _check_steps(steps)
        line = (
            f"{cb_params.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
            f"per step time: {milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            line += f" (data time: {self.data_time_sum * 1000 / steps:5.3f} ms)"
        print(line, flush=True)


@checked
def _check_steps(data_size: Int(ge=1)):
    """Rejects a number of steps that is not positive."""
