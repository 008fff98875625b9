"""LossMonitor: prints the loss of each step, and stops the training if it is not finite."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int
from ..._core.tensor.tensor import Tensor
from ...log import print_escaped
from .._utils import documented_as_value_error
from ._callback import Callback, _handle_loss

__all__ = ["LossMonitor"]


class LossMonitor(Callback):
    """Prints the loss during training and, in `Model.fit`, the metrics of each evaluation.

    A loss that is NaN or infinite ends the training with a ValueError.

    Args:
        per_print_times (int): the steps between two prints of the loss; 0 for never.

    Raises:
        ValueError: if `per_print_times` is not an int, or negative.

    Examples:
        >>> from mindspore_compat.train import LossMonitor
        >>> monitor = LossMonitor(per_print_times=100)

    Source: mindspore.train.LossMonitor of MindSpore 2.10.
    """

    @documented_as_value_error
    @checked
    def __init__(self, per_print_times: Int(ge=0) = 1):
        super().__init__()
        self._per_print_times = per_print_times
        self._last_print_time = 0

    def step_end(self, run_context):
        """Prints the loss if it is due."""
        cb_params = run_context.original_args()
        epoch = cb_params.get("cur_epoch_num", 1)
        step = (cb_params.cur_step_num - 1) % cb_params.batch_num + 1
        loss = _handle_loss(cb_params.net_outputs)
        if isinstance(loss, float) and not np.isfinite(loss):
            raise ValueError(
                f"For 'LossMonitor', the loss must be finite, but in epoch: {epoch} "
                f"step: {step}, loss is {loss}: training cannot go on."
            )
        if cb_params.cur_step_num <= self._last_print_time:  # a second run of the same monitor
            self._last_print_time = 0
        if self._per_print_times and (
            cb_params.cur_step_num - self._last_print_time >= self._per_print_times
        ):
            self._last_print_time = cb_params.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {_format_loss(loss)}", flush=True)

    def on_train_epoch_end(self, run_context):
        """Prints the metrics if the run evaluates after this epoch."""
        cb_params = run_context.original_args()
        metrics = cb_params.get("metrics")
        if metrics:
            print_escaped(f"Eval result: epoch {cb_params.cur_epoch_num}, metrics: {metrics}")


def _format_loss(loss):
    """Returns the loss to print: the values of a Tensor."""
    return loss.asnumpy() if isinstance(loss, Tensor) else loss
