"""PowerTransform: (1 + power x)^(1 / power), or exp(x) if the power is 0."""

from .... import ops
from ...._core.declare.public_api import public
from .bijector import Bijector

__all__ = ["PowerTransform"]


@public("nn.probability.bijector.PowerTransform")
class PowerTransform(Bijector):
    """Power bijector: g(x) = (1 + power x)^(1 / power), or exp(x) if the power is 0.

    Args:
        power (Union[float, list, numpy.ndarray, Tensor]): the power, floats of at least 0.
        name (str): the name of the bijector.

    `forward` takes numbers of at least -1 / power, `inverse` takes numbers of at least 0. Other
    numbers give NaN.

    Raises:
        TypeError: if `power` is not of floats.
        ValueError: if `power` is below 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import PowerTransform
        >>> print(PowerTransform(0.5).forward(Tensor([2.0])))
        [4.]

    Source: mindspore.nn.probability.bijector.PowerTransform of MindSpore 2.10.
    """

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param=dict(power=power, name=name))
        self._add_parameter(power, "power")
        if not (self.power.asnumpy() >= 0).all():
            raise ValueError(
                f"For '{type(self).__name__}', 'power' must be at least 0, but got {power}."
            )

    power = property(lambda self: self._own["power"], doc="The power, a Tensor.")

    def extend_repr(self):
        """Returns the text that the printed bijector shows."""
        if self.is_scalar_batch:
            return f"power = {self.power}"
        return f"batch_shape = {self.batch_shape}"

    def _parts(self, value):
        """Returns the value, the power with 0 replaced by 1, and a mask of zero powers, all of one
        shape. (Even the branch that is not selected must have finite gradients.)"""
        value, power = self._with(value)
        power = power + ops.zeros_like(value)
        none = power == 0
        return value + ops.zeros_like(power), ops.select(none, ops.ones_like(power), power), none

    def _forward(self, x):
        x, power, none = self._parts(x)
        still = ops.zeros_like(x)
        powers = ops.exp(ops.log1p(ops.select(none, still, x) * power) / power)
        return ops.select(none, ops.exp(ops.select(none, x, still)), powers)

    def _inverse(self, y):
        y, power, none = self._parts(y)
        logarithm = ops.log(y)
        return ops.select(none, logarithm, ops.expm1(logarithm * power) / power)

    def _forward_log_jacobian(self, x):
        x, power, none = self._parts(x)
        log_slope = (1.0 / power - 1.0) * ops.log1p(ops.select(none, ops.zeros_like(x), x) * power)
        return ops.select(none, x, log_slope)

    def _inverse_log_jacobian(self, y):
        y, power = self._with(y)
        return (power - 1.0) * ops.log(y)
