"""Cauchy: the Cauchy distribution, which has no mean."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from ._location_scale import LocationScale

__all__ = ["Cauchy"]


@public("nn.probability.distribution.Cauchy")
@documented
class Cauchy(LocationScale):
    """Cauchy distribution; its mean, variance and standard deviation do not exist and raise an
    error.

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): the median; None if every call passes
            it.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): half the width at half the height,
            above 0; None if every call passes it.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `scale` is not above 0, or a moment is requested.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import Cauchy
        >>> print(Cauchy(3.0, 4.0).cdf(Tensor([3.0])))
        [0.5]

    Source: mindspore.nn.probability.distribution.Cauchy of MindSpore 2.10.
    """

    def __init__(self, loc=None, scale=None, seed=None, dtype=float32, name="Cauchy"):
        super().__init__(loc, scale, seed, dtype, name)

    def _refuse_moment(self, moment):
        raise ValueError(f"For 'Cauchy', the {moment} must not be asked for: there is none.")

    def _mean(self, loc=None, scale=None):
        self._refuse_moment("mean")

    def _sd(self, loc=None, scale=None):
        self._refuse_moment("standard deviation")

    def _var(self, loc=None, scale=None):
        self._refuse_moment("variance")

    def _mode(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return self._broadcast(loc, scale)

    def _entropy(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.log(self._broadcast(scale, loc)) + math.log(4 * math.pi)

    def _log_prob(self, value, loc=None, scale=None):
        standardized, scale = self._standardize(value, loc, scale)
        return -ops.log1p(ops.square(standardized)) - ops.log(scale) - math.log(math.pi)

    def _cdf(self, value, loc=None, scale=None):
        standardized, _ = self._standardize(value, loc, scale)
        return (
            ops.atan2(ops.ones_like(standardized), -standardized) / math.pi
        )  # exact far below the median

    def _survival_function(self, value, loc=None, scale=None):
        standardized, _ = self._standardize(value, loc, scale)
        return ops.atan2(ops.ones_like(standardized), standardized) / math.pi

    def _kl_loss(self, dist, loc_b, scale_b, loc_a=None, scale_a=None):
        self._need_family(dist)
        loc_b = self._check_value(loc_b, "loc_b")
        scale_b = self._check_value(scale_b, "scale_b")
        loc, scale = self._check_param_type(loc_a, scale_a)
        apart = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(apart / (4 * scale * scale_b))

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, loc.shape, scale.shape))
        return (loc + scale * ops.tan(math.pi * (numbers - 0.5))).astype(self.dtype)
