"""Learning rate schedules as Cells: called with a step, each returns the learning rate of that
step.

A schedule is passed to an optimizer as `learning_rate`. It is one op on the step, computed in
float32. Precomputed lists of learning rates are in dynamic_lr.py.
"""

import math

from .._core.declare.op import op
from .._core.declare.public_api import public
from .._core.rules.vocabulary import (
    Bool,
    Float,
    Forbid,
    Int,
    TensorOf,
    any_dtype,
    checked,
    inf,
    register_type,
)
from ._rates_documented import documented
from .cell import Cell

__all__ = [
    "ExponentialDecayLR",
    "NaturalExpDecayLR",
    "InverseDecayLR",
    "CosineDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]

Above = Float(gt=0.0, lt=inf)
AtLeast = Float(ge=0.0, lt=inf)
Count = Int(ge=1)
Step = TensorOf(any_dtype, scalars=True)


def _as_float(xp, step):
    return xp.cast(xp.asarray(step), "float32")


@op()
def exponential_decay(xp, step: Step, rate, base, steps, stair):
    """Computes rate * base ** (step / steps)."""
    power = _as_float(xp, step) / steps
    return rate * xp.power(base, xp.floor(power) if stair else power)


@op()
def natural_exp_decay(xp, step: Step, rate, rate_of_decay, steps, stair):
    """Computes rate * exp(-rate_of_decay * step); with `stair` the step is rounded down to a
    multiple of `steps`."""
    step = _as_float(xp, step)
    if stair:
        step = xp.floor(step / steps) * steps
    return rate * xp.exp(-rate_of_decay * step)


@op()
def inverse_decay(xp, step: Step, rate, rate_of_decay, steps, stair):
    """Computes rate / (1 + rate_of_decay * step / steps)."""
    fraction = _as_float(xp, step) / steps
    return rate / (1 + rate_of_decay * (xp.floor(fraction) if stair else fraction))


@op()
def cosine_decay(xp, step: Step, low, high, steps):
    """Computes half a cosine wave from `high` to `low`."""
    angle = xp.minimum(_as_float(xp, step), steps) * (math.pi / steps)
    return low + 0.5 * (high - low) * (1 + xp.cos(angle))


@op()
def polynomial_decay(xp, step: Step, start, end, steps, power, grow):
    """Computes a power curve from `start` to `end`; with `grow`, `steps` grows to its next
    multiple."""
    step = _as_float(xp, step)
    if grow:
        steps = steps * xp.maximum(xp.ceil(step / steps), 1)
    remaining = 1 - xp.minimum(step, steps) / steps
    return (start - end) * xp.power(remaining, power) + end


@op()
def warm_up(xp, step: Step, rate, steps):
    """Computes a straight line from 0 to `rate`."""
    return rate * xp.minimum(_as_float(xp, step), steps) / steps


class LearningRateSchedule(Cell):
    """Base class of learning rate schedules: `construct(global_step)` returns the rate as a Tensor.

    Source: mindspore.nn.learning_rate_schedule.LearningRateSchedule of MindSpore 2.10.
    """

    def construct(self, global_step):
        """Returns the learning rate of a step; every schedule defines it."""
        raise NotImplementedError(f"'{type(self).__name__}' must define 'construct'.")


register_type("LearningRateSchedule", LearningRateSchedule)


class _Decay(LearningRateSchedule):
    """Base class of three decays with a start, a rate, a number of steps and an optional
    staircase."""

    _op = None

    @checked
    def __init__(
        self, learning_rate: Above, decay_rate: Above, decay_steps: Count, is_stair: Bool = False
    ):
        super().__init__()
        self.learning_rate = learning_rate
        self.decay_rate = decay_rate
        self.decay_steps = decay_steps
        self.is_stair = is_stair

    def construct(self, global_step):
        """Returns the learning rate of a step."""
        return self._op.run(
            global_step, self.learning_rate, self.decay_rate, self.decay_steps, self.is_stair
        )


@public("nn.ExponentialDecayLR")
class ExponentialDecayLR(_Decay):
    """Exponential decay: learning_rate * decay_rate ** (global_step / decay_steps).

    Args:
        learning_rate (float): the learning rate of step 0.
        decay_rate (float): the factor applied every `decay_steps` steps.
        decay_steps (int): the number of steps over which the rate decays by `decay_rate`.
        is_stair (bool): whether to decay once every `decay_steps` steps, not every step.

    Inputs:
        - **global_step** (Tensor) - the step, of any shape.

    Outputs:
        Tensor of float32, shaped as `global_step`.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn
        >>> nn.ExponentialDecayLR(0.5, 0.5, 2)(ms.Tensor(2, ms.int32))
        Tensor(shape=[], dtype=Float32, value= 0.25)
    """

    _op = exponential_decay


@public("nn.NaturalExpDecayLR")
class NaturalExpDecayLR(_Decay):
    """Natural exponential decay: learning_rate * exp(-decay_rate * global_step).

    Args:
        learning_rate (float): the learning rate of step 0.
        decay_rate (float): the rate of decay per step.
        decay_steps (int): with `is_stair`, the steps between two decays; otherwise without effect.
        is_stair (bool): whether the step is rounded down to a multiple of `decay_steps`.

    Inputs:
        - **global_step** (Tensor) - the step, of any shape.

    Outputs:
        Tensor of float32, shaped as `global_step`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.NaturalExpDecayLR(0.1, 0.5, 2)(ms.Tensor(2, ms.int32)))
        0.036787942
    """

    _op = natural_exp_decay


@public("nn.InverseDecayLR")
class InverseDecayLR(_Decay):
    """Inverse time decay: learning_rate / (1 + decay_rate * global_step / decay_steps).

    Args:
        learning_rate (float): the learning rate of step 0.
        decay_rate (float): the growth of the denominator per `decay_steps` steps.
        decay_steps (int): the number of steps over which the denominator grows by `decay_rate`.
        is_stair (bool): whether to decay once every `decay_steps` steps, not every step.

    Inputs:
        - **global_step** (Tensor) - the step, of any shape.

    Outputs:
        Tensor of float32, shaped as `global_step`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InverseDecayLR(0.1, 0.5, 2)(ms.Tensor(2, ms.int32)))
        0.06666667
    """

    _op = inverse_decay


@public("nn.CosineDecayLR")
@documented
class CosineDecayLR(LearningRateSchedule):
    """Cosine decay: half a cosine wave from `max_lr` down to `min_lr`, where the rate stays.

    min_lr + (max_lr - min_lr) / 2 * (1 + cos(pi * min(global_step, decay_steps) / decay_steps))

    Args:
        min_lr (float): the learning rate at the end.
        max_lr (float): the learning rate of step 0, above `min_lr`.
        decay_steps (int): the number of steps until `min_lr` is reached.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.CosineDecayLR(0.0, 0.1, 10)(ms.Tensor(5, ms.int32)))
        0.049999997
    """

    @checked(Forbid("min_lr >= max_lr", reason="'min_lr' must be below 'max_lr'"))
    def __init__(self, min_lr: AtLeast, max_lr: Above, decay_steps: Count):
        super().__init__()
        self.min_lr = min_lr
        self.max_lr = max_lr
        self.decay_steps = decay_steps

    def construct(self, global_step):
        """Returns the learning rate of a step."""
        return cosine_decay.run(global_step, self.min_lr, self.max_lr, self.decay_steps)


@public("nn.PolynomialDecayLR")
@documented
class PolynomialDecayLR(LearningRateSchedule):
    """Polynomial decay from `learning_rate` to `end_learning_rate` over `decay_steps` steps.

    (learning_rate - end_learning_rate) * (1 - global_step / decay_steps) ** power
    + end_learning_rate

    Args:
        end_learning_rate (float): the learning rate at the end.
        decay_steps (int): the number of steps until the end value is reached.
        power (float): the exponent.
        update_decay_steps (bool): whether `decay_steps` grows by itself each time it is passed, so
            that the learning rate rises again; otherwise it stays at the end value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)(ms.Tensor(2, ms.int32)))
        0.07363961
    """

    @checked
    def __init__(
        self,
        learning_rate: Above,
        end_learning_rate: AtLeast,
        decay_steps: Count,
        power: Above,
        update_decay_steps: Bool = False,
    ):
        super().__init__()
        self.start_learning_rate = learning_rate
        self.end_learning_rate = end_learning_rate
        self.decay_steps = decay_steps
        self.power = power
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step):
        """Returns the learning rate of a step."""
        return polynomial_decay.run(
            global_step,
            self.start_learning_rate,
            self.end_learning_rate,
            self.decay_steps,
            self.power,
            self.update_decay_steps,
        )


@public("nn.WarmUpLR")
@documented
class WarmUpLR(LearningRateSchedule):
    """Linear warm-up from 0 to `learning_rate` over `warmup_steps` steps; then the rate stays.

    Args:
        learning_rate (float): the learning rate at the end.
        warmup_steps (int): the number of warm-up steps.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.WarmUpLR(0.1, 4)(ms.Tensor(2, ms.int32)))
        0.05
    """

    @checked
    def __init__(self, learning_rate: AtLeast, warmup_steps: Count):
        super().__init__()
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps

    def construct(self, global_step):
        """Returns the learning rate of a step."""
        return warm_up.run(global_step, self.learning_rate, self.warmup_steps)
