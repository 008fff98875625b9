"""HalfNormal: the upper half of a normal distribution."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from .distribution import Distribution

__all__ = ["HalfNormal"]


@public("nn.probability.distribution.HalfNormal")
class HalfNormal(Distribution):
    """Half-normal distribution; it supports `prob` and `log_prob` only.

    Args:
        mean (Union[int, float, list, numpy.ndarray, Tensor]): the mean of the normal distribution;
            None if every call passes it.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): the standard deviation of the normal
            distribution, above 0; None if every call passes it.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples, a float.
        name (str): the name of the distribution.

    As in MindSpore, the density is 0 for values below 0, whatever `mean` is. It integrates to 1
    only if `mean` is 0.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `sd` is not above 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import HalfNormal
        >>> HalfNormal(0.0, 1.0).prob(Tensor([-1.0, 1.0])).shape
        (2,)

    Source: mindspore.nn.probability.distribution.HalfNormal of MindSpore 2.10.
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="HalfNormal"):
        super().__init__(
            seed, dtype, name, dict(mean=mean, sd=sd, seed=seed, dtype=dtype, name=name)
        )
        self._need_float()
        self._add_parameter(mean, "mean")
        self._add_parameter(sd, "sd")
        self._need_positive("sd")

    def _log_prob(self, value, mean=None, sd=None):
        value = self._check_value(value)
        mean, sd = self._check_param_type(mean, sd)
        standardized = (value - mean) / sd
        log_prob = 0.5 * math.log(2 / math.pi) - ops.log(sd) - ops.square(standardized) / 2
        outside = value + ops.zeros_like(standardized) < 0
        return ops.select(outside, ops.full_like(log_prob, -float("inf")), log_prob)
