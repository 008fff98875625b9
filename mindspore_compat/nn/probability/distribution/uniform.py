"""Uniform: the uniform distribution."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ._documented import documented
from .distribution import FLOATS, Distribution

__all__ = ["Uniform"]


@public("nn.probability.distribution.Uniform")
@documented
class Uniform(Distribution):
    """Uniform distribution between two bounds.

    Args:
        low (Union[int, float, list, numpy.ndarray, Tensor]): the lower bound.
        high (Union[int, float, list, numpy.ndarray, Tensor]): the upper bound, above `low`.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if `low` is not below `high`.

    Example:
        >>> import mindspore_compat as ms
        >>> uniform = ms.nn.probability.distribution.Uniform(0.0, 4.0)
        >>> print(uniform.mean(), uniform.prob(ms.Tensor([1.0, 5.0])))
        2.0 [0.25 0.  ]

    Source: mindspore.nn.probability.distribution.Uniform of MindSpore 2.10.
    """

    _shown = {"low": "low", "high": "high"}

    def __init__(self, low=None, high=None, seed=None, dtype=float32, name="Uniform"):
        super().__init__(
            seed, dtype, name, dict(low=low, high=high, seed=seed, dtype=dtype, name=name)
        )
        if dtype not in FLOATS:
            raise TypeError(f"For 'Uniform', 'dtype' must be a float type, but got {dtype}.")
        self._low = self._add_parameter(low, "low")
        self._high = self._add_parameter(high, "high")
        if low is not None and high is not None:
            if not (self._low.asnumpy() < self._high.asnumpy()).all():
                raise ValueError(
                    f"For 'Uniform', 'low' must be below 'high', but got {low} and {high}."
                )

    low = property(lambda self: self._low, doc="The lower bound, a Tensor or None.")
    high = property(lambda self: self._high, doc="The upper bound, a Tensor or None.")

    def _mean(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return (low + high) / 2

    def _var(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return ops.square(high - low) / 12

    def _entropy(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return ops.log(high - low)

    def _prob(self, value, low=None, high=None):
        value = self._check_value(value)
        low, high = self._check_param_type(low, high)
        inside = ops.logical_and(value >= low, value <= high)
        return inside.astype(value.dtype) / (high - low)

    def _log_prob(self, value, low=None, high=None):
        value = self._check_value(value)
        low, high = self._check_param_type(low, high)
        inside = ops.logical_and(value >= low, value <= high)
        density = ops.zeros_like(value) - ops.log(high - low)
        return ops.select(inside, density, ops.full_like(density, -float("inf")))

    def _cdf(self, value, low=None, high=None):
        value = self._check_value(value)
        low, high = self._check_param_type(low, high)
        share = (value - low) / (high - low)
        return ops.maximum(ops.minimum(share, ops.ones_like(share)), ops.zeros_like(share))

    def _kl_loss(self, dist, low_b, high_b, low=None, high=None):
        self._need_family(dist)
        low_b, high_b = self._check_value(low_b, "low_b"), self._check_value(high_b, "high_b")
        low, high = self._check_param_type(low, high)
        loss = ops.log((high_b - low_b) / (high - low))
        is_inside = ops.logical_and(low_b <= low, high <= high_b)
        return ops.select(is_inside, loss, ops.full_like(loss, float("inf")))

    def _sample(self, shape=(), low=None, high=None):
        low, high = self._check_param_type(low, high)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, low.shape, high.shape))
        return (low + (high - low) * numbers).astype(self.dtype)
