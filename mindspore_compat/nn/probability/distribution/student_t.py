"""StudentT: Student's t distribution with location and scale."""

import math

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from .distribution import Distribution

__all__ = ["StudentT"]


@public("nn.probability.distribution.StudentT")
@documented
class StudentT(Distribution):
    """Student's t distribution with location and scale; it supports `prob` and `log_prob` only.

    Args:
        df (Union[int, float, list, numpy.ndarray, Tensor]): the degrees of freedom, above 0; None
            if every call passes them.
        mean (Union[int, float, list, numpy.ndarray, Tensor]): the mean; None if every call passes
            it.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): the scale, above 0; None if every call
            passes it.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `df` or `sd` is not above 0.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import StudentT
        >>> StudentT(2.0, 3.0, 4.0).log_prob(Tensor([1.0, 2.0, 3.0])).shape
        (3,)

    Source: mindspore.nn.probability.distribution.StudentT of MindSpore 2.10.
    """

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=float32, name="StudentT"):
        super().__init__(
            seed, dtype, name, dict(df=df, mean=mean, sd=sd, seed=seed, dtype=dtype, name=name)
        )
        self._need_float()
        self._add_parameter(df, "df")
        self._add_parameter(mean, "mean")
        self._add_parameter(sd, "sd")
        self._need_positive("df", "sd")

    def _log_prob(self, value, df=None, mean=None, sd=None):
        value = self._check_value(value)
        df, mean, sd = self._check_param_type(df, mean, sd)
        half = (df + 1) / 2
        standardized = (value - mean) / sd
        size = (
            ops.lgamma(df / 2)
            - ops.lgamma(half)
            + 0.5 * ops.log(df)
            + ops.log(sd)
            + 0.5 * math.log(math.pi)
        )
        return -half * ops.log1p(ops.square(standardized) / df) - size
