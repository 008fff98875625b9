"""LRScheduler: the base class of the schedulers in lr_scheduler.py; it writes learning rates."""

import numpy as np

from ..._backend import arrays
from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import InstanceOf, Int, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from .optimizer import Optimizer


def need_optimizer(api, optimizer, error=TypeError):
    """Raises `error` for a value that is not an optimizer of this package."""
    rule = InstanceOf(Optimizer).called("an experimental Optimizer")
    Instead(rule, error).refuse(api, "optimizer", optimizer)


def as_float(value):
    """Returns a number or a Tensor of one element as a float."""
    return float(arrays.to_host(value._array).reshape(())) if isinstance(value, Tensor) else value


def set_rate(group, value):
    """Writes a learning rate into a group: into its Parameter, if it has one."""
    rate = group["lr"]
    if isinstance(rate, Tensor):
        rate._array[...] = as_float(value)
    else:
        group["lr"] = as_float(value)


def rates_of(optimizer):
    """Returns the learning rates of all groups, as floats."""
    return [as_float(group["lr"]) for group in optimizer.param_groups]


def one_for_each(api, name, value, groups):
    """Returns a value, or a list of one for each group, as a list."""
    values = list(value) if isinstance(value, (list, tuple)) else [value] * groups
    if len(values) != groups:
        raise ValueError(
            f"For '{api}', '{name}' must have one number for each of the {groups} "
            f"groups, but got {len(values)}."
        )
    return values


def per_group(api, name, value, groups):
    """Returns a number, or one number for each group, as a list of floats."""
    values = one_for_each(api, name, value, groups)
    for entry in values:
        if isinstance(entry, bool) or not isinstance(entry, (int, float, np.number, Tensor)):
            raise TypeError(
                f"For '{api}', '{name}' must be a number or a list of numbers, but got "
                f"{value!r} of type {type(value).__name__}."
            )
    return [float(as_float(entry)) for entry in values]


def tensors_of(rates):
    """Returns learning rates as 0-d float32 Tensors."""
    return [Tensor(np.float32(as_float(rate)), float32) for rate in rates]


@public("experimental.optim.lr_scheduler.LRScheduler")
class LRScheduler:
    """Base class of schedulers: subclasses define `get_lr`, which returns a rate for each group.

    Args:
        optimizer (Optimizer): an optimizer of `mindspore.experimental.optim`.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

    Attributes:
        last_epoch (int): the number of `step` calls so far.
        base_lrs (list[Tensor]): the learning rates that training started with.

    Raises:
        KeyError: if training is resumed and a group has no `initial_lr`.

    Examples:
        >>> from mindspore_compat.experimental.optim import lr_scheduler
        >>> class Inverse(lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [rate / (self.last_epoch + 1) for rate in self.base_lrs]

    Source: mindspore.experimental.optim.lr_scheduler.LRScheduler of MindSpore 2.10.
    """

    @checked
    def __init__(self, optimizer, last_epoch: Int(ge=-1) = -1):
        api = type(self).__name__
        need_optimizer(api, optimizer)
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group in groups:
                group.setdefault("initial_lr", tensors_of([group["lr"]])[0])
        for number, group in enumerate(groups):
            if "initial_lr" not in group:
                raise KeyError(
                    f"For '{api}', 'initial_lr' must be given in group {number} where "
                    f"'last_epoch' is {last_epoch}."
                )
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in groups]
        self.last_epoch = last_epoch
        self._last_lr = [group["lr"] for group in groups]
        self.step()

    def get_lr(self):
        """Returns the learning rates of the current epoch; each scheduler defines this.

        Returns:
            list, a number or Tensor for each group.
        """
        raise NotImplementedError(f"'{type(self).__name__}' must define 'get_lr'.")

    def get_last_lr(self):
        """Returns the current learning rates.

        Returns:
            list[Tensor], one for each group.
        """
        return tensors_of(group["lr"] for group in self.optimizer.param_groups)

    def step(self, epoch=None):
        """Advances to the next epoch, or to `epoch`, and sets its learning rates.

        If a scheduler can, it computes the rates of a given epoch from the initial rates.

        Args:
            epoch (int): the epoch to go to.

        Returns:
            bool, True.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed_form = getattr(self, "_get_closed_form_lr", None)
        rates = self.get_lr() if epoch is None or closed_form is None else closed_form()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
        return True

    def _map_rates(self, change):
        """Returns `change(lr, base)` of every group, as Tensors."""
        return tensors_of(
            change(lr, as_float(base))
            for lr, base in zip(rates_of(self.optimizer), self.base_lrs, strict=True)
        )
