"""Schedulers that follow a metric (ReduceLROnPlateau), other schedulers (SequentialLR) or a cycle
(CyclicLR, CosineAnnealingWarmRestarts).
"""

import math
from bisect import bisect_right

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Callable,
    Int,
    ListOf,
    Number,
    OneOf,
    checked,
    inf,
)
from ._schedule import (
    LRScheduler,
    as_float,
    need_optimizer,
    per_group,
    rates_of,
    set_rate,
    tensors_of,
)


@public("experimental.optim.lr_scheduler.SequentialLR")
class SequentialLR:
    """Hands the learning rates from one scheduler to the next at the milestones.

    Args:
        optimizer (Optimizer): whose learning rates are set.
        schedulers (list[LRScheduler]): the schedulers, all of `optimizer`.
        milestones (list[int]): the epochs at which the second, third, ... takes over; it starts
            anew then.
        last_epoch (int): how often `step` had been called where training goes on; -1 to start.

    Raises:
        ValueError: if a scheduler belongs to another optimizer, or there is not one milestone less
            than schedulers.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> warm_up = optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> later = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [warm_up, later], milestones=[1])
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.SequentialLR of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        schedulers: ListOf(Any),
        milestones: ListOf(Int),
        last_epoch: Int(ge=-1) = -1,
    ):
        need_optimizer("SequentialLR", optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "For 'SequentialLR', 'milestones' must have one element less than "
                f"'schedulers', but got {len(milestones)} and {len(schedulers)}."
            )
        for number, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"For 'SequentialLR', scheduler {number} must be one of "
                    "'optimizer', but it belongs to another."
                )
        self.optimizer = optimizer
        self._schedulers = schedulers
        self.milestones = milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for scheduler in schedulers:  # each has taken a first step when it was made
            scheduler.last_epoch -= 1
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self):
        """Goes on to the next epoch."""
        self.last_epoch += 1
        index = bisect_right(self.milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index and self.milestones[index - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler._last_lr

    def get_last_lr(self):
        """The learning rates in force, a list of Tensors."""
        return tensors_of(rates_of(self.optimizer))


@public("experimental.optim.lr_scheduler.ReduceLROnPlateau")
class ReduceLROnPlateau:
    """Multiplies the learning rates by `factor` when a metric has stopped improving.

    Args:
        optimizer (Optimizer): whose learning rates are set.
        mode (str): whether the metric should be small ('min') or large ('max').
        factor (float): the factor, below 1.
        patience (int): how many epochs without improvement are let pass.
        threshold (float): by how much a better value must be better.
        threshold_mode (str): whether `threshold` is a share of the best value ('rel') or a
            difference ('abs').
        cooldown (int): how many epochs after a change are not counted.
        min_lr (Union[float, list[float]]): the lowest learning rate, or one for each group.
        eps (float): a smaller change than this is not made.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
        >>> for loss in (1.0, 2.0):
        ...     _ = scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.ReduceLROnPlateau of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        mode: OneOf("min", "max") = "min",
        factor: Number(lt=1.0) = 0.1,
        patience: Number = 10,
        threshold: Number = 1e-4,
        threshold_mode: OneOf("rel", "abs") = "rel",
        cooldown: Number = 0,
        min_lr=0,
        eps: Number = 1e-8,
    ):
        need_optimizer("ReduceLROnPlateau", optimizer)
        groups = len(optimizer.param_groups)
        self.min_lrs = per_group("ReduceLROnPlateau", "min_lr", min_lr, groups)
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.best = inf if mode == "min" else -inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics):
        """Notes the metric of an epoch, and lowers the learning rates where it is time.

        Args:
            metrics (Union[int, float, Tensor]): the value of the metric.

        Returns:
            bool, True.
        """
        value = as_float(metrics)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                "For 'ReduceLROnPlateau', 'metrics' must be a number or a Tensor, but "
                f"got {type(metrics).__name__}."
            )
        self.last_epoch += 1
        if self._is_improvement(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
        return True

    @property
    def in_cooldown(self):
        """Whether epochs are not counted."""
        return self.cooldown_counter > 0

    def get_last_lr(self):
        """The learning rates in force, a list of Tensors."""
        return tensors_of(rates_of(self.optimizer))

    def _is_improvement(self, value):
        margin = self.threshold
        if self.threshold_mode == "rel":
            if math.isinf(self.best):
                return value < self.best if self.mode == "min" else value > self.best
            margin = self.threshold * self.best
        return value < self.best - margin if self.mode == "min" else value > self.best + margin

    def _reduce_lr(self):
        groups = self.optimizer.param_groups
        for group, lr, low in zip(groups, rates_of(self.optimizer), self.min_lrs, strict=True):
            reduced = max(lr * self.factor, low)
            if lr - reduced > self.eps:
                set_rate(group, reduced)


@public("experimental.optim.lr_scheduler.CyclicLR")
class CyclicLR(LRScheduler):
    """Moves the learning rates up and down between two bounds.

    Args:
        optimizer (Optimizer): whose learning rates are set.
        base_lr (Union[float, list[float]]): the lower bound, or one for each group.
        max_lr (Union[float, list[float]]): the upper bound, or one for each group.
        step_size_up (int): the steps from the lower bound to the upper.
        step_size_down (int): the steps back; None for `step_size_up`.
        mode (str): 'triangular'; 'triangular2', where each cycle is half as high as the last; or
            'exp_range', where the height shrinks by `gamma` every step.
        gamma (float): the factor of 'exp_range'.
        scale_fn (Callable): a function that scales the height, instead of `mode`.
        scale_mode (str): whether `scale_fn` is given the number of the cycle ('cycle') or of the
            step ('iterations').
        last_epoch (int): how often `step` had been called where training goes on; -1 to start.

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
        step_size_up: Number(gt=0) = 2000,
        step_size_down: Number(gt=0) | None = None,
        mode: Any = "triangular",
        gamma: Number = 1.0,
        scale_fn: Callable | None = None,
        scale_mode: Any = "cycle",
        last_epoch=-1,
    ):
        need_optimizer("CyclicLR", optimizer)
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(
                "For 'CyclicLR', 'mode' must be 'triangular', 'triangular2' or "
                f"'exp_range', but got {mode!r}."
            )
        groups = optimizer.param_groups
        lows = per_group("CyclicLR", "base_lr", base_lr, len(groups))
        self.max_lrs = per_group("CyclicLR", "max_lr", max_lr, len(groups))
        self.total_step_size = float(step_size_up + (step_size_down or step_size_up))
        self.step_up_ratio = step_size_up / self.total_step_size
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        own = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = own if scale_fn is None else scale_mode
        if last_epoch == -1:
            for group, low in zip(groups, lows, strict=True):
                set_rate(group, low)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = tensors_of(lows)

    def scale_fn(self, x):
        """What the height of a cycle is multiplied by."""
        if self._scale_fn_custom is not None:
            return as_float(self._scale_fn_custom(x))
        if self.mode == "triangular2":
            return 0.5 ** (x - 1)
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self):
        """The learning rates of the current step."""
        done = self.last_epoch / self.total_step_size
        cycle = math.floor(1 + done)
        position = 1 + done - cycle
        up = self.step_up_ratio
        height = position / up if position <= up else (position - 1) / (up - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        highs = iter(self.max_lrs)
        return self._each(lambda lr, base: base + (next(highs) - base) * height)


@public("experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts")
class CosineAnnealingWarmRestarts(LRScheduler):
    """Lowers the learning rates along a cosine to `eta_min`, then starts again at the first ones.

    Args:
        optimizer (Optimizer): whose learning rates are set.
        T_0 (int): the epochs up to the first restart.
        T_mult (int): how much longer every next run is.
        eta_min (Union[int, float]): the lowest learning rate.
        last_epoch (int): how often `step` had been called where training goes on; -1 to start.

    Raises:
        ValueError: if `T_0` or `T_mult` is not an int of at least 1, or `eta_min` not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> scheduler.step()
        True
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
        self.T_0, self.T_i, self.T_mult = T_0, T_0, T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates of the current epoch."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return self._each(lambda lr, base: self.eta_min + (base - self.eta_min) * share)

    def step(self, epoch=None):
        """Goes on to the next epoch, or to `epoch`, which may be a fraction.

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
        return True

    def _restart(self, epoch):
        """Finds the run that `epoch` lies in."""
        self.T_i, self.T_cur = self.T_0, epoch
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
