"""Monitored: the base class of EarlyStopping and ReduceLROnPlateau."""

import numpy as np

from ... import log
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import AsValue, Bool, Int, Number, OneOf, Str
from ..._core.tensor.tensor import Tensor
from ._callback import Callback, _handle_loss

# Quantities that improve when they fall, if `mode` is "auto"; all others should rise.
_FALLING = ("loss", "eval_loss", "mae", "mse", "perplexity")


class Monitored(Callback):
    """Base class of callbacks that check after each epoch whether a quantity has improved."""

    @checked
    def __init__(
        self,
        monitor: AsValue(Str),
        min_delta: Number,
        patience: Int(ge=0),
        verbose: Bool,
        mode: OneOf("auto", "min", "max"),
    ):
        super().__init__()
        self.monitor = monitor
        self.min_delta = abs(min_delta)
        self.patience = patience
        self.verbose = verbose
        self.mode = mode
        self.wait = 0
        self.best = self._worst()

    def _is_minimized(self):
        return self.mode == "min" or (self.mode == "auto" and self.monitor in _FALLING)

    def _worst(self):
        return np.inf if self._is_minimized() else -np.inf

    def is_improvement(self, value, reference):
        """Returns whether a value is better than another by more than `min_delta`."""
        if self._is_minimized():
            return bool(value < reference - self.min_delta)
        return bool(value > reference + self.min_delta)

    def _get_monitor_value(self, cb_params):
        """Returns the quantity after this epoch; None if it is unknown.

        Raises:
            ValueError: if it is not a single number.
        """
        if self.monitor == "loss":
            value = _handle_loss(cb_params.net_outputs)
        else:
            results = cb_params.get("eval_results") or {}
            if self.monitor not in results:
                if results:
                    log.warning(
                        "For '%s', there is no '%s' to monitor, only 'loss', %s.",
                        type(self).__name__,
                        self.monitor,
                        ", ".join(results),
                    )
                return None
            value = results[self.monitor]
        if isinstance(value, Tensor) and value.ndim == 0:
            value = value.item()
        if not np.isscalar(value) or isinstance(value, str):
            raise ValueError(
                f"For '{type(self).__name__}', the monitored value must be a number, "
                f"but got {value!r}."
            )
        return value
