"""Loss scale managers: objects that give the loss scale to a Model or `build_train_network`.

The Cells that update the scale within a training step are in nn/wrap/loss_scale.py; the scalers for
hand-written training loops are in amp.py.
"""

from .._backend import arrays
from .._backend.updates.asynchronous import is_asynchronous
from .._core.rules.comparisons import Compared
from .._core.rules.vocabulary import Any, Int, checked
from ..nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["LossScaleManager", "FixedLossScaleManager", "DynamicLossScaleManager"]

OVERFLOWS = 1000  # consecutive overflows after which training ends with an error
UNREAD = 100  # number of steps whose overflow flags may stay unread on a GPU


class LossScaleManager:
    """Base class of loss scale managers; subclasses define all three methods.

    Example:
        >>> import mindspore_compat as ms
        >>> manager = ms.FixedLossScaleManager(128.0)
        >>> isinstance(manager, ms.LossScaleManager), manager.get_loss_scale()
        (True, 128.0)

    Source: mindspore.amp.LossScaleManager of MindSpore 2.10.
    """

    def get_loss_scale(self):
        """Returns the loss scale."""

    def update_loss_scale(self, overflow):
        """Updates the loss scale after a step.

        Args:
            overflow (bool): whether the step overflowed.
        """

    def get_update_cell(self):
        """Returns a Cell that updates the loss scale within a training step."""

    def _note_overflow(self, overflow):
        """Records whether a step of a Model overflowed, a Tensor of bool."""
        self.update_loss_scale(bool(overflow.asnumpy().all()))


class FixedLossScaleManager(LossScaleManager):
    """Fixed loss scale.

    Args:
        loss_scale (float): the loss scale, at least 1. Unless overflowed steps are dropped, pass
            the same number to the optimizer.
        drop_overflow_update (bool): whether to skip the update of a step that overflowed.

    Examples:
        >>> from mindspore_compat import amp
        >>> amp.FixedLossScaleManager(1024.0, False).get_loss_scale()
        1024.0

    Source: mindspore.amp.FixedLossScaleManager of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, loss_scale: Compared(ge=1, nan=False) = 128.0, drop_overflow_update: Any = True
    ):
        self._loss_scale = loss_scale
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self):
        """Returns the loss scale, as it was given."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Returns whether the update of a step that overflowed is skipped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow):
        """Does nothing: the loss scale is fixed.

        Args:
            overflow (bool): whether the step overflowed.
        """

    def get_update_cell(self):
        """Returns a FixedLossScaleUpdateCell, or None if overflowed steps are not dropped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None

    def _note_overflow(self, overflow):
        if type(self).update_loss_scale is not FixedLossScaleManager.update_loss_scale:
            super()._note_overflow(overflow)  # a fixed scale does not need it


class _Counted:
    """An attribute that reads pending overflow flags from the GPU before it returns its value."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, manager, owner=None):
        if manager is None:
            return self
        manager._read_overflows()
        return manager.__dict__[self.name]

    def __set__(self, manager, value):
        manager.__dict__[self.name] = value


class DynamicLossScaleManager(LossScaleManager):
    """Dynamic loss scale: lowered after an overflow, raised after a number of steps without one.

    Args:
        init_loss_scale (float): the initial loss scale, at least 1.
        scale_factor (int): the factor and divisor of the scale.
        scale_window (int): the number of steps without overflow after which the scale is raised.

    Examples:
        >>> from mindspore_compat import amp
        >>> manager = amp.DynamicLossScaleManager(16, 2, 3)
        >>> manager.update_loss_scale(True)
        >>> manager.get_loss_scale()
        8.0

    Source: mindspore.amp.DynamicLossScaleManager of MindSpore 2.10.
    """

    loss_scale, bad_step, last_overflow_iter, cur_iter = (_Counted() for _ in range(4))
    _unread = ()

    @checked
    def __init__(
        self,
        init_loss_scale: Compared(ge=1, nan=False) = 2**24,
        scale_factor: Compared(gt=0, nan=False) = 2,
        scale_window: Int(ge=1) = 2000,
    ):
        self.loss_scale, self.scale_window = init_loss_scale, scale_window
        self.scale_factor = self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.bad_step, self.bad_step_max = 0, OVERFLOWS
        self.last_overflow_iter, self.cur_iter = 0, 1

    def get_loss_scale(self):
        """Returns the loss scale."""
        return self.loss_scale

    def get_drop_overflow_update(self):
        """Returns True: the update of a step that overflowed is skipped."""
        return True

    def update_loss_scale(self, overflow):
        """Updates the loss scale after a step.

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
        """Returns a DynamicLossScaleUpdateCell that starts at this manager's loss scale."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)

    def _note_overflow(self, overflow):
        """Records whether a step overflowed. A flag on a GPU is read together with the flags of
        later steps, so that no step waits for it.
        """
        is_own_method = type(self).update_loss_scale is DynamicLossScaleManager.update_loss_scale
        if not is_own_method or not is_asynchronous(overflow._array):
            super()._note_overflow(overflow)
            return
        self._unread = (*self._unread, overflow._array)
        if len(self._unread) >= UNREAD:
            self._read_overflows()

    def _read_overflows(self):
        """Updates the loss scale according to the recorded flags."""
        flags, self._unread = self._unread, ()
        if flags:
            xp = arrays.space_of(flags[0])
            for overflow in arrays.to_host(xp.stack(flags)).reshape(len(flags), -1).all(axis=1):
                self.update_loss_scale(bool(overflow))
