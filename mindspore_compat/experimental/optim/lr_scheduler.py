"""mindspore.experimental.optim.lr_scheduler: learning rates that change with the epoch.

A scheduler writes the `lr` of an optimizer's parameter groups whenever its `step` is called. Most
derive the next rate from the current one, so several may act on one optimizer. The base class is in
_schedule.py; schedulers that depend on a metric, on other schedulers or on a cycle are in
_plateau.py, _sequential.py and _cyclic.py.
"""

import math
from collections import Counter

from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Compared
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Callable,
    Float,
    InstanceOf,
    Int,
    ListOf,
    Number,
    TupleOf,
    checked,
)
from ._cyclic import CosineAnnealingWarmRestarts, CyclicLR
from ._plateau import ReduceLROnPlateau
from ._schedule import LRScheduler, as_float, need_optimizer
from ._sequential import SequentialLR

__all__ = [
    "StepLR",
    "LinearLR",
    "LRScheduler",
    "ExponentialLR",
    "PolynomialLR",
    "MultiplicativeLR",
    "ConstantLR",
    "MultiStepLR",
    "LambdaLR",
    "SequentialLR",
    "ReduceLROnPlateau",
    "CyclicLR",
    "CosineAnnealingWarmRestarts",
    "CosineAnnealingLR",
]

Count = InstanceOf(int)
Functions = Callable | ListOf(Callable) | TupleOf(Callable)


@public("experimental.optim.lr_scheduler.StepLR")
class StepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every `step_size` epochs.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        step_size (int): the epochs between two changes.
        gamma (float): the factor.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.StepLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, step_size: Count, gamma: Float = 0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._map_rates(lambda lr, base: lr * self.gamma if due else lr)

    def _get_closed_form_lr(self):
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return self._map_rates(lambda lr, base: base * factor)


@public("experimental.optim.lr_scheduler.LinearLR")
class LinearLR(LRScheduler):
    """Changes the factor of the learning rates linearly from `start_factor` to `end_factor`.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        start_factor (float): the factor of the first epoch.
        end_factor (float): the factor from epoch `total_iters` on.
        total_iters (int): when the last change is made.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.075)]

    Source: mindspore.experimental.optim.lr_scheduler.LinearLR of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        start_factor: Compared(gt=0.0, le=1.0) = 1.0 / 3,
        end_factor: Compared(ge=0.0, le=1.0) = 1.0,
        total_iters: Count = 5,
        last_epoch=-1,
    ):
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        rise = self.end_factor - self.start_factor
        if self.last_epoch == 0:
            factor = self.start_factor
        elif self.last_epoch > self.total_iters:
            factor = 1.0
        else:
            before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
            factor = 1.0 + rise / before
        return self._map_rates(lambda lr, base: lr * factor)

    def _get_closed_form_lr(self):
        fraction = min(self.last_epoch, self.total_iters) / (self.total_iters or 1)
        factor = self.start_factor + (self.end_factor - self.start_factor) * fraction
        return self._map_rates(lambda lr, base: base * factor)


@public("experimental.optim.lr_scheduler.ExponentialLR")
class ExponentialLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every epoch.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        gamma (float): the factor.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.ExponentialLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, gamma: Float, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        return self._map_rates(lambda lr, base: lr if self.last_epoch == 0 else lr * self.gamma)

    def _get_closed_form_lr(self):
        return self._map_rates(lambda lr, base: base * self.gamma**self.last_epoch)


@public("experimental.optim.lr_scheduler.PolynomialLR")
class PolynomialLR(LRScheduler):
    """Brings the learning rates to 0 as base * (1 - epoch / total_iters) ** power.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        total_iters (int): the epoch that reaches 0.
        power (float): the power.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2, power=1.0)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.PolynomialLR of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        total_iters: Count = 5,
        power: Compared(ge=0.0, of=(float,)) = 1.0,
        last_epoch=-1,
    ):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        if not 0 < self.last_epoch <= self.total_iters:
            return self._map_rates(lambda lr, base: lr)
        remaining = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._map_rates(lambda lr, base: lr * (remaining / before) ** self.power)

    def _get_closed_form_lr(self):
        remaining = 1.0 - min(self.last_epoch, self.total_iters) / (self.total_iters or 1)
        return self._map_rates(lambda lr, base: base * remaining**self.power)


@public("experimental.optim.lr_scheduler.LambdaLR")
class LambdaLR(LRScheduler):
    """Sets the learning rates to the initial rates times a function of the epoch.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        lr_lambda (Union[Callable, list[Callable]]): the function of the epoch, or one for each
            group.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 0.5**epoch)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.LambdaLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, lr_lambda: Any, last_epoch=-1):
        self.lr_lambdas = _functions(type(self).__name__, optimizer, lr_lambda)
        Functions.refuse(type(self).__name__, "lr_lambda", lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        factors = iter([as_float(function(self.last_epoch)) for function in self.lr_lambdas])
        return self._map_rates(lambda lr, base: base * next(factors))


@public("experimental.optim.lr_scheduler.MultiplicativeLR")
class MultiplicativeLR(LRScheduler):
    """Multiplies the learning rates by a function of the epoch, from the second epoch on.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        lr_lambda (Union[Callable, list[Callable]]): the function of the epoch, or one for each
            group.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optimizer, lr_lambda=lambda epoch: 0.5)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.MultiplicativeLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, lr_lambda: Any, last_epoch=-1):
        self.lr_lambdas = _functions(type(self).__name__, optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        if self.last_epoch == 0:
            return self._map_rates(lambda lr, base: lr)
        factors = iter([as_float(function(self.last_epoch)) for function in self.lr_lambdas])
        return self._map_rates(lambda lr, base: lr * next(factors))


def _functions(api, optimizer, lr_lambda):
    """Returns one function for each group."""
    need_optimizer(api, optimizer, AttributeError)
    groups = len(optimizer.param_groups)
    functions = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
    if len(functions) != groups:
        raise ValueError(
            f"For '{api}', 'lr_lambda' must have one function for each of the "
            f"{groups} groups, but got {len(functions)}."
        )
    return functions


@public("experimental.optim.lr_scheduler.MultiStepLR")
class MultiStepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` at each milestone.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        milestones (list[int]): the epochs of the changes; a repeated epoch changes twice.
        gamma (Union[int, float]): the factor.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.MultiStepLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, milestones: ListOf(Int), gamma: Number = 0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        factor = self.gamma ** self.milestones[self.last_epoch]
        return self._map_rates(lambda lr, base: lr * factor)

    def _get_closed_form_lr(self):
        count = sum(milestone <= self.last_epoch for milestone in self.milestones.elements())
        return self._map_rates(lambda lr, base: base * self.gamma**count)


@public("experimental.optim.lr_scheduler.ConstantLR")
class ConstantLR(LRScheduler):
    """Multiplies the learning rates by `factor` until epoch `total_iters`.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        factor (float): the factor.
        total_iters (int): the epoch that takes it back.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.ConstantLR of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        optimizer,
        factor: Compared(ge=0.0, le=1.0) = 1.0 / 3,
        total_iters: Count = 5,
        last_epoch=-1,
    ):
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        if self.last_epoch == 0:
            return self._map_rates(lambda lr, base: lr * self.factor)
        if self.last_epoch == self.total_iters:
            return self._map_rates(lambda lr, base: lr / self.factor)
        return self._map_rates(lambda lr, base: lr)

    def _get_closed_form_lr(self):
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return self._map_rates(lambda lr, base: base * factor)


@public("experimental.optim.lr_scheduler.CosineAnnealingLR")
class CosineAnnealingLR(LRScheduler):
    """Cosine annealing: varies the learning rates between the initial rates and `eta_min`.

    eta_min + (base - eta_min) (1 + cos(pi epoch / T_max)) / 2

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        T_max (int): the epochs of half a swing.
        eta_min (Union[int, float]): the lowest learning rate.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import optim
        >>> optimizer = optim.SGD(ms.nn.Dense(2, 1).trainable_params(), lr=0.1)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> scheduler.step()
        True
        >>> scheduler.get_last_lr()
        [Tensor(shape=[], dtype=Float32, value= 0.05)]

    Source: mindspore.experimental.optim.lr_scheduler.CosineAnnealingLR of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, T_max: Int | Bool, eta_min: Number | Bool = 0.0, last_epoch=-1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Returns the learning rates of the current epoch."""
        epoch, low = self.last_epoch, self.eta_min
        if epoch == 0:
            return self._map_rates(lambda lr, base: lr)
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return self._map_rates(lambda lr, base: lr + (base - low) * rise)
        ratio = (1 + math.cos(math.pi * epoch / self.T_max)) / (
            1 + math.cos(math.pi * (epoch - 1) / self.T_max)
        )
        return self._map_rates(lambda lr, base: ratio * (lr - low) + low)

    def _get_closed_form_lr(self):
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return self._map_rates(lambda lr, base: self.eta_min + (base - self.eta_min) * share)
