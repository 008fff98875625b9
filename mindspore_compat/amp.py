"""mindspore.amp: loss scalers for hand-written training loops, and a facade of train/amp.py.

A step with a scaled loss::

    loss_scaler = amp.DynamicLossScaler(2 ** 16, 2, 1000)
    loss, grads = value_and_grad(lambda *batch: loss_scaler.scale(forward(*batch)), ...)
    grads = loss_scaler.unscale(grads)
    finite = amp.all_finite(grads)
    if finite:
        optimizer(grads)
    loss_scaler.adjust(finite)
"""

import functools
from abc import ABC, abstractmethod

import numpy as np

from . import ops
from ._backend.steps.journal import journal
from ._backend.updates import loss_scaling
from ._backend.updates.complete import Unit, assigned, complete
from ._backend.updates.finite import all_finite as _all_finite
from ._core.declare.older import takes
from ._core.declare.public_api import build, legacy
from ._core.rules.vocabulary import InstanceOf, Int, ListOf, Number, TupleOf, checked, inf
from ._core.tensor.dtype import float32, float64
from ._core.tensor.tensor import Tensor
from .common._helpers.ms_context import MSContext  # noqa: F401 - scripts import it from here
from .common.parameter import Parameter
from .train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from .train.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)

_ATensor = InstanceOf(Tensor)
_Scaled = _ATensor.called("a Tensor, or a tuple or list of Tensors")
_Inputs = (TupleOf(_ATensor) | ListOf(_ATensor)).called("a tuple or list of Tensors")

__all__ = [
    "DynamicLossScaleManager",
    "LossScaleManager",
    "FixedLossScaleManager",
    "build_train_network",
    "DynamicLossScaler",
    "StaticLossScaler",
    "LossScaler",
    "auto_mixed_precision",
    "all_finite",
    "custom_mixed_precision",
    "get_white_list",
    "get_black_list",
]

AtLeastOne = Number(ge=1, lt=inf)


def _grad_scale_map(scale_value, inputs):
    """Multiplies every Tensor of nested tuples and lists by `scale_value`, in its own dtype."""
    return _times(inputs, scale_value)


def _grad_unscale_map(scale_value, inputs):
    """Divides every Tensor of nested tuples and lists by `scale_value`, in its own dtype."""
    return _times(inputs, 1.0 / ops.cast(scale_value, float64))


def _times(inputs, factor):
    """Multiplies by a factor of shape (), which the host does not read."""
    in_dtype = functools.cache(lambda dtype: ops.cast(factor, dtype))
    return _map_nested(inputs, lambda tensor: tensor * in_dtype(tensor.dtype))


def _map_nested(value, function):
    if isinstance(value, (tuple, list)):
        return type(value)([_map_nested(item, function) for item in value])
    if not isinstance(value, Tensor):
        _Scaled.refuse_part("LossScaler", "the input", value)
    return function(value)


class LossScaler(ABC):
    """Base class of loss scalers; subclasses define all three methods.

    Example:
        >>> import mindspore_compat as ms
        >>> scaler = ms.amp.StaticLossScaler(2.0)
        >>> isinstance(scaler, ms.amp.LossScaler)
        True
        >>> print(scaler.scale(ms.Tensor([1.0])))
        [2.]

    Source: mindspore.amp.LossScaler of MindSpore 2.10.
    """

    @abstractmethod
    def scale(self, inputs):
        """Multiplies by the loss scale.

        Args:
            inputs (Union[Tensor, tuple[Tensor]]): the loss, or gradients.
        """
        raise NotImplementedError("For 'LossScaler', a subclass must define 'scale'.")

    @abstractmethod
    def unscale(self, inputs):
        """Divides by the loss scale.

        Args:
            inputs (Union[Tensor, tuple[Tensor]]): the loss, or gradients.
        """
        raise NotImplementedError("For 'LossScaler', a subclass must define 'unscale'.")

    @abstractmethod
    def adjust(self, grads_finite):
        """Updates the loss scale after a step.

        Args:
            grads_finite (Tensor): whether the gradients are finite.
        """
        raise NotImplementedError("For 'LossScaler', a subclass must define 'adjust'.")


class StaticLossScaler(LossScaler):
    """Static loss scaler: the scale never changes.

    Args:
        scale_value (Union[float, int]): the loss scale, at least 1.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import amp
        >>> amp.StaticLossScaler(2 ** 10).scale(ms.Tensor([1.0]))
        Tensor(shape=[1], dtype=Float32, value= [ 1.02400000e+03])

    Source: mindspore.amp.StaticLossScaler of MindSpore 2.10.
    """

    @checked
    def __init__(self, scale_value: AtLeastOne):
        self.scale_value = Parameter(Tensor(np.float32(scale_value)), name="scale_value")

    def scale(self, inputs):
        """Multiplies by the loss scale.

        Args:
            inputs (Union[Tensor, tuple[Tensor]]): the loss, or gradients.

        Returns:
            Union[Tensor, tuple[Tensor]], in the dtypes of the input.
        """
        return _grad_scale_map(self.scale_value, inputs)

    def unscale(self, inputs):
        """Divides by the loss scale.

        Args:
            inputs (Union[Tensor, tuple[Tensor]]): the loss, or gradients.

        Returns:
            Union[Tensor, tuple[Tensor]], in the dtypes of the input.
        """
        return _grad_unscale_map(self.scale_value, inputs)

    def adjust(self, grads_finite):
        """Does nothing, since the loss scale is static, and returns False.

        Args:
            grads_finite (Tensor): whether the gradients are finite.
        """
        return False


class DynamicLossScaler(StaticLossScaler):
    """Dynamic loss scaler: lowers the scale if gradients are not finite, and raises it after a
    number of finite steps.

    Args:
        scale_value (Union[float, int]): the initial loss scale, at least 1.
        scale_factor (int): the factor and divisor of the scale.
        scale_window (int): the number of consecutive finite steps after which the scale is raised.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import amp
        >>> loss_scaler = amp.DynamicLossScaler(2 ** 10, 2, 1)
        >>> loss_scaler.adjust(amp.all_finite([ms.Tensor([float("inf")])]))
        True
        >>> loss_scaler.scale_value.asnumpy().item()
        512.0

    Source: mindspore.amp.DynamicLossScaler of MindSpore 2.10.
    """

    @checked
    def __init__(self, scale_value: AtLeastOne, scale_factor: Int(ge=1), scale_window: Int(ge=1)):
        super().__init__(scale_value)
        self.scale_window = scale_window
        self.scale_factor = scale_factor
        self.counter = Parameter(Tensor(np.int32(0)), name="counter")

    def adjust(self, grads_finite):
        """Updates the loss scale after a step, and returns True.

        On a GPU the scale is changed there, and the host does not wait.

        Args:
            grads_finite (Tensor): whether the gradients are finite.
        """
        state = [self.scale_value, self.counter]
        journal.note_written(state)
        targets = [tensor._array for tensor in state]
        settings = {"factor": self.scale_factor, "window": self.scale_window}
        if isinstance(grads_finite, Tensor):
            if loss_scaling.adjust(targets, grads_finite._array, **settings):
                return True
        numbers = loss_scaling.adjusted(
            float(self.scale_value), int(self.counter), bool(grads_finite), **settings
        )
        complete([Unit(lambda: assigned(targets, numbers))])
        return True


@legacy("amp.init_status")
def init_status():
    """Returns the overflow status that `all_finite(inputs, status)` of releases 2.0 to 2.2 took.

    Only an Ascend wrote to it. Elsewhere, and here, `all_finite` checks only the values.

    Returns:
        Tensor of float32 and shape (8,), zeros.

    Example:
        >>> from mindspore_compat import amp
        >>> print(amp.init_status().shape)
        (8,)

    Source: mindspore.amp.init_status of MindSpore 2.0.
    """
    return ops.zeros(8, float32)


def _without_status(function, inputs, status):
    (_ATensor | None).refuse("all_finite", "status", status)
    return function(inputs)


@takes(["status"], _without_status, most=1)
@checked
def all_finite(inputs: _Inputs):
    """Returns whether all elements of all Tensors are finite.

    Args:
        inputs (Union[tuple[Tensor], list[Tensor]]): the Tensors.

    Returns:
        Tensor of bool and shape ().

    Raises:
        TypeError: if `inputs` is not a tuple or list of Tensors.
        ValueError: if `inputs` is empty.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import amp
        >>> amp.all_finite([ms.Tensor([1.0, float("nan")])])
        Tensor(shape=[], dtype=Bool, value= False)

    Source: mindspore.amp.all_finite of MindSpore 2.10.
    """
    if not inputs:
        raise ValueError("For 'all_finite', 'inputs' must not be empty.")
    return Tensor._wrap(_all_finite([tensor._array for tensor in inputs]))


def __getattr__(name):
    function = build("amp", name)
    if function is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return function
