"""ReduceLROnPlateau: lowers the learning rate when a metric no longer improves."""

import math
from collections.abc import Hashable

import numpy as np

from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Compared
from ..._core.rules.vocabulary import AsValue, InstanceOf, Number, OneOf, checked, inf
from ..._core.tensor.tensor import Tensor
from ._schedule import as_float, need_optimizer, one_for_each, rates_of, set_rate, tensors_of

_LeastRate = (
    Number(numpy_scalars=True)
    | InstanceOf(Tensor, np.ndarray, bool, complex, bytes, list, tuple)
    | None
)


@public("experimental.optim.lr_scheduler.ReduceLROnPlateau")
class ReduceLROnPlateau:
    """Multiplies the learning rates by `factor` when a metric stops improving.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
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
        mode: AsValue(OneOf("min", "max"), InstanceOf(Hashable)) = "min",
        factor: Compared(lt=1.0) = 0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode: AsValue(OneOf("rel", "abs"), InstanceOf(Hashable)) = "rel",
        cooldown=0,
        min_lr: _LeastRate = 0,
        eps=1e-8,
    ):
        need_optimizer("ReduceLROnPlateau", optimizer)
        groups = len(optimizer.param_groups)
        self.min_lrs = one_for_each("ReduceLROnPlateau", "min_lr", min_lr, groups)
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
        """Records the metric of an epoch, and lowers the learning rates if necessary.

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
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
        return True

    def in_cooldown(self):
        """Whether epochs are not counted."""
        return self.cooldown_counter > 0

    def get_last_lr(self):
        """Returns the current learning rates, a list of Tensors."""
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
            reduced = max(lr * self.factor, as_float(low))
            if lr - reduced > self.eps:
                set_rate(group, reduced)
