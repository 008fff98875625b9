"""The parts that fake quantizations share: the straight-through gradient, the delay, the axes.

Rounding has the derivative 0 almost everywhere. The straight-through estimator gives a quantized
value the derivative of another expression, the unrounded one.
"""

from ..._core.tensor.dtype import int32
from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import ops
from ..primitive import Primitive


def straight_through(value, gradient_of):
    """Returns `value` with the derivatives of another expression added to its own."""
    return value + (gradient_of - ops.stop_gradient(gradient_of))


def along_channels(v, x, axis):
    """Returns one value per channel in a shape that broadcasts along `axis` of `x`."""
    return v.reshape(tuple(-1 if i == axis else 1 for i in range(x.ndim)))


def require_channels(api, name, v, x, axis):
    """Rejects an input that does not have one value per channel."""
    if axis >= x.ndim or tuple(v.shape) != (x.shape[axis],):
        raise ValueError(
            f"For '{api}', '{name}' must have one value for each channel along axis {axis} of the "
            f"data, whose shape is {tuple(x.shape)}, but got shape {tuple(v.shape)}."
        )


def require_single(api, name, v):
    """Rejects an input that does not have exactly one value."""
    if tuple(v.shape) != (1,):
        raise ValueError(f"For '{api}', '{name}' must have shape (1,), but got {tuple(v.shape)}.")


class DelayedQuantization(Primitive):
    """Base class: calls `quantize` except in the first `quant_delay` training calls.

    The number of calls is a Tensor, so that a recorded step counts too.
    """

    def __init__(self, name, quant_delay, training):
        super().__init__(name)
        self.quant_delay, self.training = quant_delay, training
        self._calls = Tensor(0, int32)

    def __call__(self, x, *limits):
        """Computes the quantized data; unchanged data while it is delayed."""
        result = self.quantize(x, *limits)
        if not self.training or not self.quant_delay:
            return result
        is_delayed = ops.less(self._calls, self.quant_delay)
        result = ops.where(is_delayed, x, result)
        ops.assign_add(self._calls, Tensor(1, int32))
        return result

    def quantize(self, x, *limits):
        """Computes the quantized data; a subclass defines it."""
        raise NotImplementedError
