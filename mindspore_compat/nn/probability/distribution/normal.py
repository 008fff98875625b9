"""Normal: the normal distribution."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from .distribution import FLOATS, Distribution

__all__ = ["Normal"]


@public("nn.probability.distribution.Normal")
@documented
class Normal(Distribution):
    """Normal (Gaussian) distribution.

    Args:
        mean (Union[int, float, list, numpy.ndarray, Tensor]): the mean.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): the standard deviation, above 0.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `sd` is not above 0.

    Example:
        >>> import mindspore_compat as ms
        >>> normal = ms.nn.probability.distribution.Normal(0.0, 2.0)
        >>> print(normal.sd(), normal.log_prob(ms.Tensor([0.0])))
        2.0 [-1.6120857]

    Source: mindspore.nn.probability.distribution.Normal of MindSpore 2.10.
    """

    _shown = {"mean": "_mean_value", "standard deviation": "_sd_value"}

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="Normal"):
        super().__init__(
            seed, dtype, name, dict(mean=mean, sd=sd, seed=seed, dtype=dtype, name=name)
        )
        if dtype not in FLOATS:
            raise TypeError(f"For 'Normal', 'dtype' must be a float type, but got {dtype}.")
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        if self._sd_value is not None and not (self._sd_value.asnumpy() > 0).all():
            raise ValueError(f"For 'Normal', 'sd' must be above 0, but got {sd}.")

    def _mean(self, mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        return self._broadcast(mean, sd)

    _mode = _mean

    def _sd(self, mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        return self._broadcast(sd, mean)

    def _entropy(self, mean=None, sd=None):
        return 0.5 * (1 + math.log(2 * math.pi)) + ops.log(self._sd(mean, sd))

    def _log_prob(self, value, mean=None, sd=None):
        value = self._check_value(value)
        mean, sd = self._check_param_type(mean, sd)
        return -ops.square((value - mean) / sd) / 2 - ops.log(sd) - 0.5 * math.log(2 * math.pi)

    def _cdf(self, value, mean=None, sd=None):
        value = self._check_value(value)
        mean, sd = self._check_param_type(mean, sd)
        return 0.5 * ops.erfc((mean - value) / (sd * math.sqrt(2)))

    def _kl_loss(self, dist, mean_b, sd_b, mean=None, sd=None):
        self._need_family(dist)
        mean_b, sd_b = self._check_value(mean_b, "mean_b"), self._check_value(sd_b, "sd_b")
        mean, sd = self._check_param_type(mean, sd)
        apart = ops.square((mean - mean_b) / sd_b)
        return 0.5 * (apart + ops.square(sd / sd_b) - 1) - ops.log(sd / sd_b)

    def _sample(self, shape=(), mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        numbers = self._draw(ops.StandardNormal, self._sample_shape(shape, mean.shape, sd.shape))
        return (mean + sd * numbers).astype(self.dtype)
