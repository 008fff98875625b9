"""Logistic: the distribution whose `cdf` is the logistic function."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from ._location_scale import LocationScale

__all__ = ["Logistic"]


@public("nn.probability.distribution.Logistic")
@documented
class Logistic(LocationScale):
    """Logistic distribution: P(X <= x) = sigmoid((x - loc) / scale).

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): the mean; None if every call passes
            it.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): the scale, above 0; None if every
            call passes it.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `scale` is not above 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import Logistic
        >>> print(Logistic(3.0, 4.0).cdf(Tensor([3.0])))
        [0.5]

    Source: mindspore.nn.probability.distribution.Logistic of MindSpore 2.10.
    """

    def __init__(self, loc=None, scale=None, seed=None, dtype=float32, name="Logistic"):
        super().__init__(loc, scale, seed, dtype, name)

    def _mean(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return self._broadcast(loc, scale)

    _mode = _mean

    def _sd(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return self._broadcast(scale, loc) * (math.pi / math.sqrt(3))

    def _entropy(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.log(self._broadcast(scale, loc)) + 2.0

    def _log_prob(self, value, loc=None, scale=None):
        standardized, scale = self._standardize(value, loc, scale)
        return ops.logsigmoid(standardized) + ops.logsigmoid(-standardized) - ops.log(scale)

    def _log_cdf(self, value, loc=None, scale=None):
        return ops.logsigmoid(self._standardize(value, loc, scale)[0])

    def _log_survival(self, value, loc=None, scale=None):
        return ops.logsigmoid(-self._standardize(value, loc, scale)[0])

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, loc.shape, scale.shape))
        numbers = ops.maximum(numbers, ops.full_like(numbers, 2.0**-32))  # the samples include 0
        return (loc + scale * (ops.log(numbers) - ops.log1p(-numbers))).astype(self.dtype)
