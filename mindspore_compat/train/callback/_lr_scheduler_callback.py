"""LearningRateScheduler: sets the learning rate by a function after each step."""

import numpy as np

from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ._callback import Callback

_NewRate = InstanceOf(int, float, Tensor, np.number).called("a number")

__all__ = ["LearningRateScheduler"]


class LearningRateScheduler(Callback):
    """Sets the optimizer's learning rate by a function after each step.

    Args:
        learning_rate_function (Callable): takes the learning rate (a float) and the step number,
            and returns the new learning rate.

    Raises:
        TypeError: in a run, if the function gives no number.
        ValueError: in a run, if the learning rate changes from step to step or by group already.

    Examples:
        >>> from mindspore_compat.train import LearningRateScheduler
        >>> halve = LearningRateScheduler(lambda lr, step: lr / 2 if step % 100 == 0 else lr)

    Source: mindspore.train.LearningRateScheduler of MindSpore 2.10.
    """

    def __init__(self, learning_rate_function):
        super().__init__()
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        """Sets the learning rate."""
        cb_params = run_context.original_args()
        rate = rate_of("LearningRateScheduler", cb_params)
        # The function receives 0.1, not 0.10000000149, the float32 value of 0.1.
        new = self.learning_rate_function(float(str(rate.asnumpy())), cb_params.cur_step_num)
        _NewRate.refuse_part(
            "LearningRateScheduler", "'learning_rate_function'", new, verb="return"
        )
        set_rate(rate, float(new))


def rate_of(api, cb_params):
    """Returns the learning rate Parameter of a run's optimizer.

    Raises:
        ValueError: if the rate changes from step to step or differs by group.
    """
    optimizer = cb_params.get("optimizer")
    if optimizer is None:
        optimizer = cb_params.train_network.optimizer
    rate = optimizer.learning_rate
    if not isinstance(rate, Parameter) or rate.ndim:
        raise ValueError(
            f"For '{api}', the learning rate must be one number, but got a dynamic or grouped one."
        )
    return rate


def set_rate(rate, value):
    """Writes a new value into a learning rate Parameter."""
    rate.set_data(Tensor(np.float32(value)))
