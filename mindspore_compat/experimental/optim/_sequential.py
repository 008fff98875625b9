"""SequentialLR: runs schedulers in sequence."""

from bisect import bisect_right

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, ListOf, checked
from ._schedule import need_optimizer, rates_of, set_rate, tensors_of


@public("experimental.optim.lr_scheduler.SequentialLR")
class SequentialLR:
    """Runs several schedulers in sequence: the milestones switch from one to the next.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        schedulers (list[LRScheduler]): the schedulers, all of `optimizer`.
        milestones (list[int]): the epochs at which the second, third, ... scheduler takes over and
            starts from its beginning.
        last_epoch (int): the last finished epoch, from 0, to resume training; -1 to start.

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
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "For 'SequentialLR', 'milestones' must have one element less than "
                f"'schedulers', but got {len(milestones)} and {len(schedulers)}."
            )
        need_optimizer("SequentialLR", optimizer)
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
        for scheduler in schedulers:  # each scheduler took a first step in its constructor
            scheduler.last_epoch -= 1
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self):
        """Advances to the next epoch."""
        self.last_epoch += 1
        index = bisect_right(self.milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index and self.milestones[index - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler._last_lr

    def get_last_lr(self):
        """Returns the current learning rates, a list of Tensors."""
        return tensors_of(rates_of(self.optimizer))
