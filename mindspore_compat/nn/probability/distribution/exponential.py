"""Exponential: the distribution of the time to the next event at a constant rate."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from .distribution import Distribution

__all__ = ["Exponential"]


@public("nn.probability.distribution.Exponential")
@documented
class Exponential(Distribution):
    """Exponential distribution.

    Args:
        rate (Union[int, float, list, numpy.ndarray, Tensor]): the inverse of the mean, above 0;
            None if every call passes it.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `rate` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import Exponential
        >>> print(Exponential(0.5).mean())
        2.0

    Source: mindspore.nn.probability.distribution.Exponential of MindSpore 2.10.
    """

    _shown = {"rate": "_rate"}

    def __init__(self, rate=None, seed=None, dtype=float32, name="Exponential"):
        super().__init__(seed, dtype, name, dict(rate=rate, seed=seed, dtype=dtype, name=name))
        self._need_float()
        self._rate = self._add_parameter(rate, "rate")
        self._need_positive("rate")

    rate = property(lambda self: self._rate, doc="The rate, a Tensor or None.")

    def _mean(self, rate=None):
        return 1.0 / self._check_param_type(rate)

    _sd = _mean

    def _mode(self, rate=None):
        return ops.zeros_like(self._check_param_type(rate))

    def _entropy(self, rate=None):
        return 1.0 - ops.log(self._check_param_type(rate))

    def _log_prob(self, value, rate=None):
        value = self._check_value(value)
        rate = self._check_param_type(rate)
        log_prob = ops.log(rate) - rate * value
        outside = value + ops.zeros_like(log_prob) < 0
        return ops.select(outside, ops.full_like(log_prob, -float("inf")), log_prob)

    def _cdf(self, value, rate=None):
        return 0.0 - ops.expm1(self._log_survival(value, rate))

    def _log_survival(self, value, rate=None):
        value = self._check_value(value)
        log_survival = -self._check_param_type(rate) * value
        return ops.minimum(log_survival, ops.zeros_like(log_survival))

    def _kl_loss(self, dist, rate_b, rate=None):
        self._need_family(dist)
        rate_b = self._check_value(rate_b, "rate_b")
        rate = self._check_param_type(rate)
        return ops.log(rate / rate_b) + rate_b / rate - 1.0

    def _sample(self, shape=(), rate=None):
        rate = self._check_param_type(rate)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, rate.shape))
        return (-ops.log1p(-numbers) / rate).astype(self.dtype)  # drawn numbers are below 1
