"""Precomputed learning rates: each function returns a list with one number per step.

The list is passed to an optimizer as `learning_rate`. Schedules that are called with the step
number instead are in learning_rate_schedule.py.
"""

import math

from .._core.declare.public_api import public
from .._core.rules.vocabulary import Bool, Float, Forbid, Int, ListOf, TupleOf, checked, inf
from ._rates_documented import documented_list

__all__ = [
    "piecewise_constant_lr",
    "exponential_decay_lr",
    "natural_exp_decay_lr",
    "inverse_decay_lr",
    "cosine_decay_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]

Above = Float(gt=0.0, lt=inf)
AtLeast = Float(ge=0.0, lt=inf)
Count = Int(ge=1)


@public("nn.piecewise_constant_lr")
@checked(
    Forbid(
        "len(milestone) != len(learning_rates)",
        reason="'milestone' and 'learning_rates' must have the same length",
    ),
    Forbid(
        "any(after < before for before, after in zip(milestone, milestone[1:]))",
        reason="the values of 'milestone' must not decrease",
    ),
)
def piecewise_constant_lr(
    milestone: TupleOf(Count) | ListOf(Count), learning_rates: TupleOf(Float) | ListOf(Float)
):
    """Returns learning rates that are constant between milestones.

    Args:
        milestone (Union[list[int], tuple[int]]): the last step, counted from one, of each learning
            rate.
        learning_rates (Union[list[float], tuple[float]]): the learning rate up to each milestone.

    Returns:
        list[float] with one rate per step up to the last milestone.

    Raises:
        TypeError: if an argument is neither a tuple nor a list, or holds something else than ints
            (milestone) or floats (learning_rates).
        ValueError: if the lengths differ, or a milestone is below 1 or below the one before.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.piecewise_constant_lr([2, 5], [0.1, 0.05])
        [0.1, 0.1, 0.05, 0.05, 0.05]
    """
    rates, before = [], 0
    for last, rate in zip(milestone, learning_rates, strict=True):
        rates += [rate] * (last - before)
        before = last
    return rates


def _epochs(total_step, step_per_epoch):
    """Returns the epoch of each step."""
    return [step // step_per_epoch for step in range(total_step)]


def _spans(total_step, step_per_epoch, decay_epoch, is_stair):
    """Returns for each step how many times `decay_epoch` epochs have passed, rounded down if
    `is_stair`."""
    return [
        epoch // decay_epoch if is_stair else epoch / decay_epoch
        for epoch in _epochs(total_step, step_per_epoch)
    ]


@public("nn.exponential_decay_lr")
@checked
@documented_list
def exponential_decay_lr(
    learning_rate: Above,
    decay_rate: Above,
    total_step: Count,
    step_per_epoch: Count,
    decay_epoch: Count,
    is_stair: Bool = False,
):
    """Returns exponentially decaying rates: learning_rate * decay_rate ** (epoch / decay_epoch).

    Args:
        decay_rate (float): the factor applied every `decay_epoch` epochs.
        decay_epoch (int): the number of epochs over which the rate decays by `decay_rate`.
        is_stair (bool): whether to decay once every `decay_epoch` epochs, not every epoch.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.exponential_decay_lr(0.1, 0.5, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    return [
        learning_rate * decay_rate**span
        for span in _spans(total_step, step_per_epoch, decay_epoch, is_stair)
    ]


@public("nn.natural_exp_decay_lr")
@checked
@documented_list
def natural_exp_decay_lr(
    learning_rate: Above,
    decay_rate: Above,
    total_step: Count,
    step_per_epoch: Count,
    decay_epoch: Count,
    is_stair: Bool = False,
):
    """Returns learning rates with natural exponential decay: learning_rate * exp(-decay_rate *
    epoch).

    Args:
        decay_epoch (int): with `is_stair`, the epochs between two decays; otherwise without effect.
        is_stair (bool): whether the epoch is rounded down to a multiple of `decay_epoch`.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.natural_exp_decay_lr(0.1, 0.9, 4, 2, 2, True)
        [0.1, 0.1, 0.1, 0.1]
    """
    width = decay_epoch if is_stair else 1
    return [
        learning_rate * math.e ** (-decay_rate * (epoch // width * width))
        for epoch in _epochs(total_step, step_per_epoch)
    ]


@public("nn.inverse_decay_lr")
@checked
@documented_list
def inverse_decay_lr(
    learning_rate: Above,
    decay_rate: Above,
    total_step: Count,
    step_per_epoch: Count,
    decay_epoch: Count,
    is_stair: Bool = False,
):
    """Returns rates with inverse time decay: learning_rate / (1 + decay_rate * epoch /
    decay_epoch).

    Args:
        decay_epoch (int): the number of epochs over which the denominator grows by `decay_rate`.
        is_stair (bool): whether to decay once every `decay_epoch` epochs, not every epoch.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.inverse_decay_lr(0.5, 1.0, 4, 2, 1)
        [0.5, 0.5, 0.25, 0.25]
    """
    return [
        learning_rate / (1 + decay_rate * span)
        for span in _spans(total_step, step_per_epoch, decay_epoch, is_stair)
    ]


@public("nn.cosine_decay_lr")
@checked(Forbid("min_lr >= max_lr", reason="'min_lr' must be below 'max_lr'"))
@documented_list
def cosine_decay_lr(
    min_lr: AtLeast, max_lr: Above, total_step: Count, step_per_epoch: Count, decay_epoch: Count
):
    """Returns learning rates with cosine decay from `max_lr` down to `min_lr`, where they stay.

    min_lr + (max_lr - min_lr) / 2 * (1 + cos(pi * min(epoch, decay_epoch) / decay_epoch))

    Args:
        min_lr (float): the learning rate at the end.
        max_lr (float): the learning rate of the first epoch.
        decay_epoch (int): the number of epochs until `min_lr` is reached.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.cosine_decay_lr(0.0, 0.5, 3, 1, 1)
        [0.5, 0.0, 0.0]
    """
    return [
        min_lr
        + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))
        for epoch in _epochs(total_step, step_per_epoch)
    ]


@public("nn.polynomial_decay_lr")
@checked
@documented_list
def polynomial_decay_lr(
    learning_rate: Above,
    end_learning_rate: AtLeast,
    total_step: Count,
    step_per_epoch: Count,
    decay_epoch: Count,
    power: Above,
    update_decay_epoch: Bool = False,
):
    """Returns rates with polynomial decay from `learning_rate` to `end_learning_rate` over
    `decay_epoch` epochs.

    (learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power + end_learning_rate

    Args:
        end_learning_rate (float): the learning rate at the end.
        decay_epoch (int): the number of epochs until the end value is reached.
        power (float): the exponent.
        update_decay_epoch (bool): whether `decay_epoch` grows by itself each time it is passed, so
            that the learning rate rises again; otherwise it stays at the end value.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.polynomial_decay_lr(0.5, 0.0, 3, 1, 2, 1.0)
        [0.5, 0.25, 0.0]
    """
    rates = []
    for epoch in _epochs(total_step, step_per_epoch):
        span = decay_epoch
        if update_decay_epoch:
            span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1)
        remaining = 1 - min(epoch, span) / span
        rates.append((learning_rate - end_learning_rate) * remaining**power + end_learning_rate)
    return rates


@public("nn.warmup_lr")
@checked
@documented_list
def warmup_lr(
    learning_rate: AtLeast, total_step: Count, step_per_epoch: Count, warmup_epoch: Count
):
    """Returns learning rates of a linear warm-up from 0 over `warmup_epoch` epochs.

    Args:
        learning_rate (float): the learning rate from epoch `warmup_epoch` on.
        warmup_epoch (int): the number of warm-up epochs.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.warmup_lr(0.5, 3, 1, 2)
        [0.0, 0.25, 0.5]
    """
    return [
        learning_rate * min(epoch, warmup_epoch) / warmup_epoch
        for epoch in _epochs(total_step, step_per_epoch)
    ]
