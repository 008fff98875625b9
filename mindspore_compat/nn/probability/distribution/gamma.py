"""Gamma: the gamma distribution."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from .distribution import Distribution

__all__ = ["Gamma"]


@public("nn.probability.distribution.Gamma")
class Gamma(Distribution):
    """Gamma distribution: density proportional to x^(concentration - 1) exp(-rate x).

    Args:
        concentration (Union[int, float, list, numpy.ndarray, Tensor]): alpha, above 0; None if
            every call passes it.
        rate (Union[int, float, list, numpy.ndarray, Tensor]): beta, above 0; None if every call
            passes it.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples, a float.
        name (str): the name of the distribution.

    The density below 0, and the mode if `concentration` is not above 1, are NaN. Samples have no
    gradient.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `concentration` or `rate` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import Gamma
        >>> print(Gamma([3.0], [4.0]).mode())
        [0.5]

    Source: mindspore.nn.probability.distribution.Gamma of MindSpore 2.10.
    """

    _shown = {"concentration": "_concentration", "rate": "_rate"}

    def __init__(self, concentration=None, rate=None, seed=None, dtype=float32, name="Gamma"):
        super().__init__(
            seed,
            dtype,
            name,
            dict(concentration=concentration, rate=rate, seed=seed, dtype=dtype, name=name),
        )
        self._need_float()
        self._concentration = self._add_parameter(concentration, "concentration")
        self._rate = self._add_parameter(rate, "rate")
        self._need_positive("concentration", "rate")

    concentration = property(lambda self: self._concentration, doc="Alpha, a Tensor or None.")
    rate = property(lambda self: self._rate, doc="Beta, a Tensor or None.")

    def _mean(self, concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        return alpha / rate

    def _var(self, concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        return alpha / ops.square(rate)

    def _sd(self, concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        return ops.sqrt(alpha) / rate

    def _mode(self, concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        mode = (alpha - 1.0) / rate
        return ops.select(mode > 0, mode, ops.full_like(mode, float("nan")))

    def _entropy(self, concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        return alpha - ops.log(rate) + ops.lgamma(alpha) + (1.0 - alpha) * ops.digamma(alpha)

    def _log_prob(self, value, concentration=None, rate=None):
        value = self._check_value(value)
        alpha, rate = self._check_param_type(concentration, rate)
        size = alpha * ops.log(rate) - ops.lgamma(alpha)
        log_prob = size + ops.xlogy(alpha - 1.0, value) - rate * value
        inside = value + ops.zeros_like(size) >= 0
        return ops.select(inside, log_prob, ops.full_like(log_prob, float("nan")))

    def _cdf(self, value, concentration=None, rate=None):
        value = self._check_value(value)
        alpha, rate = self._check_param_type(concentration, rate)
        return ops.igamma(alpha, rate * value)

    def _survival_function(self, value, concentration=None, rate=None):
        value = self._check_value(value)
        alpha, rate = self._check_param_type(concentration, rate)
        return ops.igammac(alpha, rate * value)

    def _kl_loss(self, dist, concentration_b, rate_b, concentration_a=None, rate_a=None):
        self._need_family(dist)
        alpha_b = self._check_value(concentration_b, "concentration_b")
        rate_b = self._check_value(rate_b, "rate_b")
        alpha, rate = self._check_param_type(concentration_a, rate_a)
        return (
            (alpha - alpha_b) * ops.digamma(alpha)
            + ops.lgamma(alpha_b)
            - ops.lgamma(alpha)
            + alpha_b * ops.log(rate / rate_b)
            + alpha * (rate_b / rate - 1.0)
        )

    def _sample(self, shape=(), concentration=None, rate=None):
        alpha, rate = self._check_param_type(concentration, rate)
        return (self._draw_gamma(shape, alpha, rate) / rate).astype(self.dtype)
