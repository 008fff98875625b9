"""Cyclic learning rates: CyclicLR, CosineAnnealingWarmRestarts."""

import math

from ..._core.declare.public_api import public
from ..._core.rules.comparisons import AsFloat
from ..._core.rules.vocabulary import Any, AsValue, Callable, Int, Number, OneOf, checked
from ._schedule import LRScheduler, as_float, need_optimizer, per_group, set_rate, tensors_of


@public("experimental.optim.lr_scheduler.CyclicLR")
class CyclicLR(LRScheduler):
    """Moves the learning rates up and down between two bounds.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        base_lr (Union[float, list[float]]): the lower bound, or one for each group.
        max_lr (Union[float, list[float]]): the upper bound, or one for each group.
        step_size_up (int): the steps from the lower bound to the upper.
        step_size_down (int): the steps back; None for `step_size_up`.
        mode (str): 'triangular'; 'triangular2', where each cycle is half as high as the last; or
            'exp_range', where the height shrinks by `gamma` every step.
        gamma (float): the factor of 'exp_range'.
        scale_fn (Callable): a function that scales the height, instead of `mode`.
        scale_mode (str): whether `scale_fn` receives the number of the cycle ('cycle') or of the
            step ('iterations').
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.1, max_lr=0.3, step_size_up=2)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.2)]

    Source: mindspore.experimental.optim.lr_scheduler.CyclicLR of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up: AsFloat() = 2000,
        step_size_down: AsFloat() | None = None,
        mode: Any = "triangular",
        gamma=1.0,
        scale_fn: Callable | None = None,
        scale_mode: Any = "cycle",
        last_epoch=-1,
    ):
        need_optimizer("CyclicLR", optimizer, AttributeError)
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(
                "For 'CyclicLR', 'mode' must be 'triangular', 'triangular2' or "
                f"'exp_range', but got {mode!r}."
            )
        groups = optimizer.param_groups
        lows = per_group("CyclicLR", "base_lr", base_lr, len(groups))
        self.max_lrs = per_group("CyclicLR", "max_lr", max_lr, len(groups))
        down = step_size_up if step_size_down is None else step_size_down
        self.total_step_size = step_size_up + down
        self.step_up_ratio = step_size_up / self.total_step_size
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        label = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = label if scale_fn is None else scale_mode
        if last_epoch == -1:
            for group, low in zip(groups, lows, strict=True):
                set_rate(group, low)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = tensors_of(lows)

    def scale_fn(self, x):
        """Returns the factor of the height of a cycle."""
        if self._scale_fn_custom is not None:
            return as_float(self._scale_fn_custom(x))
        if self.mode == "triangular2":
            return 0.5 ** (x - 1)
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self):
        """Returns the learning rates of the current step."""
        fraction = self.last_epoch / self.total_step_size
        cycle = math.floor(1 + fraction)
        position = 1 + fraction - cycle
        up = self.step_up_ratio
        height = position / up if position <= up else (position - 1) / (up - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        highs = iter(self.max_lrs)
        return self._map_rates(lambda lr, base: base + (next(highs) - base) * height)


@public("experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts")
class CosineAnnealingWarmRestarts(LRScheduler):
    """Lowers the learning rates along a cosine to `eta_min`, then restarts at the initial rates.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        T_0 (int): the epochs up to the first restart.
        T_mult (int): how much longer every next run is.
        eta_min (Union[int, float]): the lowest learning rate.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Raises:
        ValueError: if `T_0` or `T_mult` is not an int of at least 1, or `eta_min` not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        T_0: AsValue(Int(ge=1) | OneOf(True)),
        T_mult: AsValue(Int(ge=1) | OneOf(True)) = 1,
        eta_min: AsValue(Number) = 0,
        last_epoch=-1,
    ):
        need_optimizer("CosineAnnealingWarmRestarts", optimizer, AttributeError)
        self.T_0, self.T_i, self.T_mult = T_0, T_0, T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return self._map_rates(lambda lr, base: self.eta_min + (base - self.eta_min) * share)

    def step(self, epoch=None):
        """Advances to the next epoch, or to `epoch`, which may be fractional.

        Args:
            epoch (Union[int, float]): the epoch to go to.

        Raises:
            ValueError: if `epoch` is below 0.
        """
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(
                f"For 'CosineAnnealingWarmRestarts', 'epoch' must not be below 0, but got {epoch}."
            )
        else:
            self._restart(epoch)
        self.last_epoch = math.floor(epoch)
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            set_rate(group, rate)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _restart(self, epoch):
        """Finds the run that `epoch` lies in."""
        self.T_i, self.T_cur = self.T_0, epoch
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
