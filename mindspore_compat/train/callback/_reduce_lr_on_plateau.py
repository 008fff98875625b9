"""ReduceLROnPlateau: lowers the learning rate when a quantity no longer improves."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Float, Int, Number
from ._lr_scheduler_callback import rate_of, set_rate
from ._monitored import Monitored

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(Monitored):
    """Reduces the learning rate when a quantity has not improved for some epochs.

    Args:
        monitor (str): the quantity, see `EarlyStopping`.
        factor (float): the factor by which the learning rate is multiplied, in (0, 1).
        patience (int): the number of epochs without improvement after which the rate is lowered.
        verbose (bool): whether to print each change.
        mode (str): "min", "max" or "auto", see `EarlyStopping`.
        min_delta (float): the least change that counts as an improvement.
        cooldown (int): the number of epochs after a change that are not counted.
        min_lr (float): the lower bound of the learning rate.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `mode` is unknown, `factor` out of range, `patience` or `cooldown` negative;
            in a run, if the quantity is not a single number, or the learning rate is a dynamic or
            grouped one.

    Examples:
        >>> from mindspore_compat.train import ReduceLROnPlateau
        >>> callback = ReduceLROnPlateau("accuracy", factor=0.5, patience=3)

    Source: mindspore.train.ReduceLROnPlateau of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        monitor="eval_loss",
        factor: Float(gt=0.0, lt=1.0) = 0.1,
        patience=10,
        verbose=False,
        mode="auto",
        min_delta=1e-4,
        cooldown: Int(ge=0) = 0,
        min_lr: Number = 0,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        self.factor = factor
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.cooldown_counter = 0

    def on_train_begin(self, run_context):
        """Resets the count of epochs."""
        self.cooldown_counter = 0
        self.wait = 0
        self.best = self._worst()

    def on_train_epoch_end(self, run_context):
        """Checks the quantity, and lowers the learning rate if it has not improved for `patience`
        epochs."""
        cb_params = run_context.original_args()
        rate = rate_of("ReduceLROnPlateau", cb_params)
        value = self._get_monitor_value(cb_params)
        if value is None:
            return
        is_better = self.is_improvement(value, self.best)
        is_cooling = self.cooldown_counter > 0
        self.best = value if is_better else self.best
        self.cooldown_counter -= 1 if is_cooling else 0
        self.wait = 0 if is_better or is_cooling else self.wait
        if is_better or self.cooldown_counter > 0:
            return
        self.wait += 1
        if self.wait >= self.patience:
            self._lower(rate, cb_params.cur_epoch_num)

    def _lower(self, rate, epoch):
        """Multiplies the learning rate by `factor`, in float32 like MindSpore."""
        old = np.float32(rate.asnumpy())
        if old <= np.float32(self.min_lr):
            return
        new = max(old * np.float32(self.factor), np.float32(self.min_lr))
        set_rate(rate, new)
        self.cooldown_counter = self.cooldown
        self.wait = 0
        if self.verbose:
            print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.")
