"""Learning rates and weight decays as an optimizer stores them: as Parameters if they are fixed,
and as Cells called with the step if they change.
"""

import numpy as np

from ... import log
from ..._backend import arrays
from ..._backend.steps import current
from ..._backend.updates.asynchronous import is_known_to_reach
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, any_dtype
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ..cell import Cell
from ..learning_rate_schedule import LearningRateSchedule

FLOAT32 = np.dtype(np.float32)


def host_parameter(values, name):
    """Creates a Parameter in host memory for any device target: Python needs its value in each
    step, and device operations can still take it.
    """
    parameter = Parameter(Tensor._wrap(np.array(values)), name=name)
    parameter._array = np.array(values)
    return parameter


def as_number(tensor):
    """Returns the only element of a Tensor as a Python float."""
    return float(arrays.to_host(tensor._array).reshape(()))


def make_rate(api, value, name):
    """Converts a learning rate to a Parameter, a Cell over a list of values, or returns the
    schedule.

    Args:
        api: the optimizer's name, for errors.
        value: what `Rate` accepts.
        name: the name of the Parameter.

    Raises:
        TypeError: if an element of an iterable is not a number.
        ValueError: if a value is NaN.
    """
    if isinstance(value, LearningRateSchedule):
        return value
    if isinstance(value, Tensor):
        values = arrays.to_host(value._array).astype(FLOAT32)
    elif isinstance(value, (int, float)):
        values = np.array(float(value), FLOAT32)
    else:
        values = np.array([_rate_of_step(api, rate) for rate in value], FLOAT32)
    if np.isnan(values).any():
        raise ValueError(f"For '{api}', 'learning_rate' must hold no NaN, but got {value!r}.")
    if values.ndim == 0:
        return host_parameter(values, name)
    return _IteratorLearningRate(values, name)


def refuse_uneven(api, rates):
    """Rejects learning rates with different numbers of values.

    Raises:
        ValueError: if two learning rates with one value per step have different lengths.
    """
    sizes = {rate.learning_rate.size for rate in rates if isinstance(rate, _IteratorLearningRate)}
    if len(sizes) > 1:
        raise ValueError(
            f"For '{api}', the learning rates that have a value for each step must have as many "
            f"in each group as in 'learning_rate', but got {sorted(sizes)}."
        )


def _rate_of_step(api, value):
    if isinstance(value, (str, bytes)) or np.ndim(getattr(value, "_array", value)) != 0:
        raise TypeError(
            f"For '{api}', each element of 'learning_rate' must be a number, but got "
            f"{value!r} of type {type(value).__name__}."
        )
    return float(value)


@op()
def pick_step(xp, values: TensorOf(any_dtype), step: TensorOf(any_dtype)):
    """Returns the value of a step; past the end, the last value."""
    return xp.take(values, xp.clip(xp.reshape(step, ()), 0, values.shape[0] - 1))


class _IteratorLearningRate(LearningRateSchedule):
    """Learning rate with one value per step; after the last step it stays at the last value."""

    def __init__(self, values, name):
        super().__init__()
        self.learning_rate = host_parameter(values, name)
        self._warned = False
        self._calls = 0
        self._copied = None, None  # the values, and their copy on a GPU

    def construct(self, global_step):
        """Returns the learning rate of a step."""
        size = self.learning_rate.size
        if not size:  # MindSpore accepts it, and stops at the first step too
            raise RuntimeError("For 'Optimizer', 'learning_rate' holds no value for this step.")
        self._calls += 1
        # a step on a GPU is read (and waited for) only when it may be past the last value
        if not self._warned and self._is_past(global_step, size):
            self._warned = True
            log.warning(
                f"The learning rate has {size} values, and training goes on after step "
                f"{size}; the last value is used from here on."
            )
        return pick_step.run(self._on_device_of(global_step), global_step)

    def _on_device_of(self, step):
        """Returns the values on the device of the step; they are copied there once."""
        rates = self.learning_rate._array
        if type(step._array) is type(rates):
            return self.learning_rate
        if self._copied[0] is not rates:
            copy = arrays.to_space(arrays.space_of(step._array), rates)
            self._copied = rates, Tensor._wrap(copy)
        return self._copied[1]

    def _is_past(self, global_step, size):
        """Returns True after the last step. A step on a GPU is read only when it may be past the
        end."""
        early = self._calls <= size or current.running() is not None
        return is_known_to_reach(global_step._array, size, waits=not early)


class _ConvertToCell(LearningRateSchedule):
    """Wraps a fixed learning rate as a schedule, for groups whose other learning rates change."""

    def __init__(self, learning_rate):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step):
        """Returns the learning rate of any step."""
        return Tensor._wrap(self.learning_rate._array.copy())


class _WrappedWeightDecay(Cell):
    """Wraps a changing weight decay for gradients that are still multiplied by the loss scale."""

    def __init__(self, weight_decay, loss_scale):
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step):
        """Returns the weight decay of a step."""
        return self.weight_decay(global_step) * self.loss_scale
