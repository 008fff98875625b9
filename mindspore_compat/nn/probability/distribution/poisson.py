"""Poisson: the distribution of the number of events at a constant rate."""

import numpy as np

from .... import ops
from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import InstanceOf
from ...._core.tensor.dtype import float32
from ...._core.tensor.tensor import Tensor
from .distribution import Distribution

__all__ = ["Poisson"]


@public("nn.probability.distribution.Poisson")
class Poisson(Distribution):
    """Poisson distribution: P(k) = rate^k exp(-rate) / k!.

    Args:
        rate (Union[list, numpy.ndarray, Tensor]): the mean, above 0; None if every call passes it.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples, an integer or float type.
        name (str): the name of the distribution.

    For values that are not integers, `prob` and `cdf` use the gamma function of k + 1 instead of
    k!.

    Raises:
        TypeError: if `rate` is a plain number, or `dtype` neither of whole numbers nor of floats.
        ValueError: if `rate` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import Poisson
        >>> print(Poisson([2.5]).mode())
        [2.]

    Source: mindspore.nn.probability.distribution.Poisson of MindSpore 2.10.
    """

    _shown = {"rate": "_rate"}

    def __init__(self, rate=None, seed=None, dtype=float32, name="Poisson"):
        super().__init__(seed, dtype, name, dict(rate=rate, seed=seed, dtype=dtype, name=name))
        self._need_number()
        if rate is not None:
            InstanceOf(list, np.ndarray, Tensor).called("a list, an array or a Tensor").refuse(
                "Poisson", "rate", rate
            )
        self._rate = self._add_parameter(rate, "rate")
        self._need_positive("rate")

    rate = property(lambda self: self._rate, doc="The rate, a Tensor or None.")

    def _mean(self, rate=None):
        return self._check_param_type(rate)

    _var = _mean

    def _mode(self, rate=None):
        return ops.floor(self._check_param_type(rate))

    def _count_arguments(self, value, rate):
        """Returns the value, the rate, and a mask of valid counts, all of one shape. Elsewhere the
        value is replaced by 0, for finite gradients."""
        value = self._check_value(value)
        rate = self._check_param_type(rate) + ops.zeros_like(value)
        value = value + ops.zeros_like(rate)
        inside = ops.logical_not(value < 0)  # NaN stays NaN
        return ops.select(inside, value, ops.zeros_like(value)), rate, inside

    def _log_prob(self, value, rate=None):
        value, rate, inside = self._count_arguments(value, rate)
        log_prob = value * ops.log(rate) - rate - ops.lgamma(value + 1.0)
        return ops.select(inside, log_prob, ops.full_like(log_prob, -float("inf")))

    def _cdf(self, value, rate=None):
        value, rate, inside = self._count_arguments(value, rate)
        cdf = ops.igammac(value + 1.0, rate)
        return ops.select(inside, cdf, ops.zeros_like(cdf))

    def _survival_function(self, value, rate=None):
        value, rate, inside = self._count_arguments(value, rate)
        survival = ops.igamma(value + 1.0, rate)
        return ops.select(inside, survival, ops.ones_like(survival))

    def _sample(self, shape=(), rate=None):
        rate = self._check_param_type(rate)
        whole = self._sample_shape(shape, rate.shape)
        return self._draw(ops.Poisson, whole, rate.astype(float32)).astype(self.dtype)
