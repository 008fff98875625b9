"""Laplace: the two-sided exponential distribution."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from .distribution import Distribution

__all__ = ["Laplace"]


@public("nn.probability.distribution.Laplace")
@documented
class Laplace(Distribution):
    """Laplace distribution; it supports `prob` and `log_prob` only.

    Args:
        mean (Union[int, float, list, numpy.ndarray, Tensor]): the mean; None if every call passes
            it.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): the scale b, above 0, which is the mean
            distance from the mean; None if every call passes it.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `sd` is not above 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import Laplace
        >>> Laplace(0.0, 0.5).prob(Tensor([0.0])).shape
        (1,)

    Source: mindspore.nn.probability.distribution.Laplace of MindSpore 2.10.
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="Laplace"):
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
        return -ops.abs(value - mean) / sd - ops.log(sd) - math.log(2)
