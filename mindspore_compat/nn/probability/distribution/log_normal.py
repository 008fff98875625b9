"""LogNormal: the distribution of exp(X), where X is normal."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ..bijector.exp import Exp
from .distribution import FLOATS, Distribution
from .normal import Normal
from .transformed_distribution import TransformedDistribution

__all__ = ["LogNormal"]


@public("nn.probability.distribution.LogNormal")
class LogNormal(TransformedDistribution):
    """Log-normal distribution: the logarithm of a value is normally distributed.

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): the mean of the logarithm; None if
            every call passes it.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): the standard deviation of the
            logarithm, above 0; None if every call passes it.
        seed (int): the seed of samples; 0 or None for the global one.
        dtype (mindspore.dtype): the type of samples, a float.
        name (str): the name of the distribution.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `scale` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import LogNormal
        >>> print(LogNormal(4.0, 2.0).mode())
        1.0

    Source: mindspore.nn.probability.distribution.LogNormal of MindSpore 2.10.
    """

    def __init__(self, loc=None, scale=None, seed=0, dtype=float32, name="LogNormal"):
        if dtype not in FLOATS:
            raise TypeError(f"For 'LogNormal', 'dtype' must be a float type, but got {dtype}.")
        super().__init__(Exp(), Normal(loc, scale, dtype=dtype), seed, name)
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")

    loc = property(lambda self: self._loc, doc="The mean of the logarithm, a Tensor or None.")
    scale = property(lambda self: self._scale, doc="Its standard deviation, a Tensor or None.")
    get_dist_args = Distribution.get_dist_args

    def extend_repr(self):
        """Returns the text that the printed distribution shows."""
        if self.is_scalar_batch:
            return f"loc = {self._loc}, scale = {self._scale}"
        return f"batch_shape = {self.broadcast_shape}"

    def _mean(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc + ops.square(scale) / 2)

    def _mode(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc - ops.square(scale))

    def _var(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        variance = ops.square(scale)
        return ops.expm1(variance) * ops.exp(2 * loc + variance)

    def _entropy(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return loc + ops.log(scale) + 0.5 * (1 + math.log(2 * math.pi))

    def _kl_loss(self, dist, loc_b, scale_b, loc_a=None, scale_a=None):
        self._need_family(dist)
        loc, scale = self._check_param_type(loc_a, scale_a)
        return self._distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)

    def _log_prob(self, value, loc=None, scale=None):
        return super()._log_prob(value, *self._check_param_type(loc, scale))

    def _arguments_from_zero(self, value, loc, scale):
        """Returns the value, raised to at least 0 (the density is 0 below), and the current
        arguments."""
        value = self._bijector._check_value_dtype(value)
        value = ops.maximum(value, ops.zeros_like(value))
        return value, *self._check_param_type(loc, scale)

    def _cdf(self, value, loc=None, scale=None):
        return super()._cdf(*self._arguments_from_zero(value, loc, scale))

    def _log_cdf(self, value, loc=None, scale=None):
        return super()._log_cdf(*self._arguments_from_zero(value, loc, scale))

    def _survival_function(self, value, loc=None, scale=None):
        return super()._survival_function(*self._arguments_from_zero(value, loc, scale))

    def _log_survival(self, value, loc=None, scale=None):
        return super()._log_survival(*self._arguments_from_zero(value, loc, scale))

    def _sample(self, shape=(), loc=None, scale=None):
        return super()._sample(shape, *self._check_param_type(loc, scale)).astype(self.dtype)
