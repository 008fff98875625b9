"""History: stores the loss and the metrics of each epoch."""

import numpy as np

from ..._core.tensor.tensor import Tensor
from ._callback import Callback

__all__ = ["History"]


class History(Callback):
    """Stores the outputs of each epoch's last step, and the metrics of `Model.fit`'s evaluations.

    `history` is a dict of lists: "net_output" (the first of several outputs, and the mean of a
    Tensor), and one list per metric. `epoch` is None before
    training; then it has the epoch numbers under the key "epoch".

    Examples:
        >>> from mindspore_compat.train import History
        >>> history = History()

    Source: mindspore.train.History of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__()
        self.history, self.epoch = {}, None

    def begin(self, run_context):
        """Resets the list of epochs."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        """Stores the output and the metrics of the epoch."""
        cb_params = run_context.original_args()
        self.epoch["epoch"].append(cb_params.get("cur_epoch_num", 1))
        self.history.setdefault("net_output", []).append(_first(cb_params.net_outputs))
        for name, value in (cb_params.get("metrics") or {}).items():
            self.history.setdefault(name, []).append(value)


def _first(outputs):
    """Returns the outputs of a step, or the first of several; a Tensor becomes one number."""
    if isinstance(outputs, (tuple, list)) and isinstance(outputs[0], Tensor):
        outputs = outputs[0]
    if isinstance(outputs, Tensor):
        return np.mean(outputs.asnumpy())
    return outputs
