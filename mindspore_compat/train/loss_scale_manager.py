"""Managers of the loss scale: what a Model or `build_train_network` asks for it.

The Cells that change a scale within a training step are in nn/wrap/loss_scale.py; the scalers for
training loops written by hand are in amp.py.
"""

from .._core.rules.vocabulary import Any, Int, Number, checked, inf
from ..nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["LossScaleManager", "FixedLossScaleManager", "DynamicLossScaleManager"]

OVERFLOWS = 1000  # in a row, after which training is given up


class LossScaleManager:
    """The base of managers; subclasses define all three methods.

    Example:
        >>> import mindspore_compat as ms
        >>> manager = ms.FixedLossScaleManager(128.0)
        >>> isinstance(manager, ms.LossScaleManager), manager.get_loss_scale()
        (True, 128.0)

    Source: mindspore.amp.LossScaleManager of MindSpore 2.10.
    """

    def get_loss_scale(self):
        """The loss scale."""

    def update_loss_scale(self, overflow):
        """Changes the loss scale after a step.

        Args:
            overflow (bool): whether the step overflowed.
        """

    def get_update_cell(self):
        """A Cell that changes the loss scale within a training step."""


class FixedLossScaleManager(LossScaleManager):
    """A loss scale that stays.

    Args:
        loss_scale (float): the loss scale, at least 1. If overflowed steps are not dropped, the
            optimizer must be told the same number.
        drop_overflow_update (bool): whether a step that overflowed leaves the parameters alone.

    Examples:
        >>> from mindspore_compat import amp
        >>> amp.FixedLossScaleManager(1024.0, False).get_loss_scale()
        1024.0

    Source: mindspore.amp.FixedLossScaleManager of MindSpore 2.10.
    """

    @checked
    def __init__(self, loss_scale: Number(ge=1, lt=inf) = 128.0, drop_overflow_update: Any = True):
        self._loss_scale = loss_scale
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self):
        """The loss scale, as it was given."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether a step that overflowed leaves the parameters alone."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow):
        """Leaves the loss scale as it is.

        Args:
            overflow (bool): whether the step overflowed.
        """

    def get_update_cell(self):
        """A FixedLossScaleUpdateCell, or None if overflowed steps are not dropped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale that goes down after an overflow, and up after enough steps without one.

    Args:
        init_loss_scale (float): the loss scale at the start, at least 1.
        scale_factor (int): what the scale is multiplied and divided by.
        scale_window (int): the steps without overflow that it takes to go up.

    Examples:
        >>> from mindspore_compat import amp
        >>> manager = amp.DynamicLossScaleManager(16, 2, 3)
        >>> manager.update_loss_scale(True)
        >>> manager.get_loss_scale()
        8.0

    Source: mindspore.amp.DynamicLossScaleManager of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        init_loss_scale: Number(ge=1, lt=inf) = 2**24,
        scale_factor: Number(gt=0, lt=inf) = 2,
        scale_window: Int(ge=1) = 2000,
    ):
        self.loss_scale, self.scale_window = init_loss_scale, scale_window
        self.scale_factor = self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.bad_step, self.bad_step_max = 0, OVERFLOWS
        self.last_overflow_iter, self.cur_iter = 0, 1

    def get_loss_scale(self):
        """The loss scale."""
        return self.loss_scale

    def get_drop_overflow_update(self):
        """Whether a step that overflowed leaves the parameters alone: True."""
        return True

    def update_loss_scale(self, overflow):
        """Changes the loss scale after a step.

        Args:
            overflow (bool): whether the step overflowed.

        Raises:
            RuntimeError: if more than 1000 steps in a row overflowed.
        """
        steps_without = self.cur_iter - self.last_overflow_iter
        if overflow:
            self.last_overflow_iter = self.cur_iter
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
        elif steps_without % self.scale_window == 0:
            self.loss_scale *= self.increase_ratio
        self.bad_step = self.bad_step + 1 if overflow else 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(
                f"For 'DynamicLossScaleManager', {self.bad_step} steps in a row "
                "have overflowed; the network does not train."
            )
        self.cur_iter += 1

    def get_update_cell(self):
        """A DynamicLossScaleUpdateCell that starts at this manager's loss scale."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
