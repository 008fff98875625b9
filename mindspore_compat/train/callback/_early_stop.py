"""EarlyStopping: ends a training when a monitored quantity no longer improves."""

import copy

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool
from ._monitored import Monitored

__all__ = ["EarlyStopping"]


class EarlyStopping(Monitored):
    """Early stopping: ends the training when a quantity has not improved for some epochs.

    Args:
        monitor (str): the quantity: "loss", the loss of the last training step; in `Model.fit` also
            "eval_loss", the loss of the last evaluated batch, or the name of a metric.
        min_delta (float): the least change that counts as an improvement.
        patience (int): the number of epochs without improvement after which training ends.
        verbose (bool): whether to print when training ends.
        mode (str): "min" if the quantity should fall, "max" if it should rise; "auto" decides by
            the name.
        baseline (float): a value that the quantity must also improve on.
        restore_best_weights (bool): whether to restore the weights of the best epoch when training
            is stopped early.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `mode` is unknown or `patience` negative; in a run, if the quantity is not a
            single number.

    Examples:
        >>> from mindspore_compat.train import EarlyStopping
        >>> callback = EarlyStopping("accuracy", patience=3)

    Source: mindspore.train.EarlyStopping of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        monitor="eval_loss",
        min_delta=0,
        patience=0,
        verbose=False,
        mode="auto",
        baseline=None,
        restore_best_weights: Bool = False,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.stopped_epoch = 0
        self.best_weights_param_dict = None

    def on_train_begin(self, run_context):
        """Resets the count of epochs."""
        self.wait = 0
        self.stopped_epoch = 0
        self.best = self._worst()
        self.best_weights_param_dict = None

    def on_train_epoch_end(self, run_context):
        """Checks the quantity, and ends the training if it has not improved for `patience`
        epochs."""
        cb_params = run_context.original_args()
        value = self._get_monitor_value(cb_params)
        if value is None:
            return
        params = cb_params.train_network.parameters_dict()
        if self.restore_best_weights and self.best_weights_param_dict is None:
            self.best_weights_param_dict = _values(params)
        self.wait += 1
        if self.is_improvement(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.best_weights_param_dict = _values(params)
            beats_baseline = self.baseline is None or self.is_improvement(value, self.baseline)
            self.wait = 0 if beats_baseline else self.wait
        if self.wait >= self.patience:
            run_context.request_stop()
            self.stopped_epoch = cb_params.cur_epoch_num
            if self.restore_best_weights:
                if self.verbose:
                    print("EarlyStopping: the weights of the best epoch are back.")
                for name, values in self.best_weights_param_dict.items():
                    params[name].set_data(values)

    def on_train_end(self, run_context):
        """Prints the last epoch, if requested."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


def _values(params):
    """Returns copies of the parameters' values by name."""
    return {name: copy.deepcopy(param) for name, param in params.items()}
