"""GumbelCDF: the cumulative distribution function of the Gumbel distribution."""

from .... import ops
from ...._core.declare.public_api import public
from .bijector import Bijector

__all__ = ["GumbelCDF"]


@public("nn.probability.bijector.GumbelCDF")
class GumbelCDF(Bijector):
    """Gumbel CDF bijector: g(x) = exp(-exp(-(x - loc) / scale)).

    Args:
        loc (Union[float, list, numpy.ndarray, Tensor]): the mode, floats.
        scale (Union[float, list, numpy.ndarray, Tensor]): the scale, floats above 0 of the same
            type.
        name (str): the name of the bijector.

    `inverse` and `inverse_log_jacobian` take numbers above 0 and below 1; others give NaN or an
    infinity.

    Raises:
        TypeError: if `loc` or `scale` is not of floats, or they have two types.
        ValueError: if `scale` is not above 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.bijector import GumbelCDF
        >>> GumbelCDF(1.0, 2.0).inverse(Tensor([0.1, 0.2, 0.3])).shape
        (3,)

    Source: mindspore.nn.probability.bijector.GumbelCDF of MindSpore 2.10.
    """

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name=name, param=dict(loc=loc, scale=scale, name=name))
        self._add_parameter(loc, "loc")
        self._add_parameter(scale, "scale")
        if not (self.scale.asnumpy() > 0).all():
            raise ValueError(f"For 'GumbelCDF', 'scale' must be above 0, but got {scale}.")

    loc = property(lambda self: self._own["loc"], doc="The likeliest value, a Tensor.")
    scale = property(lambda self: self._own["scale"], doc="The scale, a Tensor.")

    def extend_repr(self):
        """Returns the text that the printed bijector shows."""
        if self.is_scalar_batch:
            return f"loc = {self.loc}, scale = {self.scale}"
        return f"batch_shape = {self.batch_shape}"

    def _forward(self, x):
        x, loc, scale = self._with(x)
        return ops.exp(-ops.exp((loc - x) / scale))

    def _inverse(self, y):
        y, loc, scale = self._with(y)
        return loc - scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x):
        x, loc, scale = self._with(x)
        standardized = (loc - x) / scale
        return standardized - ops.exp(standardized) - ops.log(scale)

    def _inverse_log_jacobian(self, y):
        y, _, scale = self._with(y)
        return ops.log(scale / (-y * ops.log(y)))
