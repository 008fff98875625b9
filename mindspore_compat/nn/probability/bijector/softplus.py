"""Softplus: a smooth approximation of the ramp max(0, x)."""

from .... import ops
from ...._core.declare.public_api import public
from ...layer.activation import LogSigmoid
from .bijector import Bijector

__all__ = ["Softplus"]


@public("nn.probability.bijector.Softplus")
class Softplus(Bijector):
    """Softplus bijector: g(x) = log(1 + exp(sharpness x)) / sharpness.

    Args:
        sharpness (Union[float, list, numpy.ndarray, Tensor]): the sharpness of the bend, floats.
        name (str): the name of the bijector.

    `inverse` takes numbers above 0; negative ones give NaN.

    Raises:
        TypeError: if `sharpness` is not of floats.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import Softplus
        >>> softplus = Softplus(2.0)
        >>> print(softplus.inverse(softplus.forward(Tensor([1.0]))).round())
        [1.]

    Source: mindspore.nn.probability.bijector.Softplus of MindSpore 2.10.
    """

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param=dict(sharpness=sharpness, name=name))
        self._add_parameter(sharpness, "sharpness")
        self.log_sigmoid = LogSigmoid()

    sharpness = property(lambda self: self._own["sharpness"], doc="The sharpness, a Tensor.")

    def extend_repr(self):
        """Returns the text that the printed bijector shows."""
        if self.is_scalar_batch:
            return f"sharpness = {self.sharpness}"
        return f"batch_shape = {self.batch_shape}"

    def _forward(self, x):
        x, sharpness = self._with(x)
        return -self.log_sigmoid(-sharpness * x) / sharpness

    def _inverse(self, y):
        y, sharpness = self._with(y)
        return y + ops.log(-ops.expm1(-sharpness * y)) / sharpness  # large numbers stay finite

    def _forward_log_jacobian(self, x):
        x, sharpness = self._with(x)
        return self.log_sigmoid(sharpness * x)

    def _inverse_log_jacobian(self, y):
        y, sharpness = self._with(y)
        return -ops.log(-ops.expm1(-sharpness * y))
