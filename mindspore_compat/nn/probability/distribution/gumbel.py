"""Gumbel: the distribution of the maximum of many numbers."""

import math

import numpy as np

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from ...._core.tensor.tensor import Tensor
from ..bijector.gumbel_cdf import GumbelCDF
from ..bijector.invert import Invert
from .distribution import FLOATS, Distribution, need_positive, tensor_of
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

__all__ = ["Gumbel"]

EULER = 0.5772156649015329


@public("nn.probability.distribution.Gumbel")
class Gumbel(TransformedDistribution):
    """Gumbel distribution: P(X <= x) = exp(-exp(-(x - loc) / scale)).

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): the mode.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): the scale, above 0.
        seed (int): the seed of samples; 0 or None for the global one.
        dtype (mindspore.dtype): the type of samples, a float.
        name (str): the name of the distribution.

    Calls cannot pass its arguments. `kl_loss` and `cross_entropy` take the arguments of the other
    distribution.

    Raises:
        TypeError: if `dtype` is not a float, or `loc` or `scale` is None.
        ValueError: if `scale` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import Gumbel
        >>> print(Gumbel(3.0, 4.0).mode())
        3.0

    Source: mindspore.nn.probability.distribution.Gumbel of MindSpore 2.10.
    """

    def __init__(self, loc, scale, seed=0, dtype=float32, name="Gumbel"):
        if dtype not in FLOATS:
            raise TypeError(f"For 'Gumbel', 'dtype' must be a float type, but got {dtype}.")
        for key, value in (("loc", loc), ("scale", scale)):
            if value is None:
                raise TypeError(f"For 'Gumbel', '{key}' must be given, but got None.")
        plain = not any(
            isinstance(argument, Tensor) or np.ndim(argument) for argument in (loc, scale)
        )
        loc = tensor_of("Gumbel", loc, "loc", dtype)
        scale = tensor_of("Gumbel", scale, "scale", dtype)
        need_positive("Gumbel", scale, "scale")
        bijector = GumbelCDF(loc, scale)
        super().__init__(Invert(bijector), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self._gumbel_bijector = bijector
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        self._scalar = plain

    loc = property(lambda self: self._loc, doc="The likeliest value, a Tensor.")
    scale = property(lambda self: self._scale, doc="The scale, a Tensor.")
    get_dist_args = Distribution.get_dist_args

    @property
    def is_scalar_batch(self):
        """Whether both arguments are plain numbers."""
        return self._scalar

    def extend_repr(self):
        """Returns the text that the printed distribution shows."""
        if self.is_scalar_batch:
            return f"loc = {self._loc}, scale = {self._scale}"
        return f"batch_shape = {self.broadcast_shape}"

    def _mean(self):
        return self._loc + self._scale * EULER

    def _mode(self):
        return self._broadcast(self._loc, self._scale)

    def _sd(self):
        return self._broadcast(self._scale, self._loc) * (math.pi / math.sqrt(6))

    def _entropy(self):
        return ops.log(self._broadcast(self._scale, self._loc)) + (1 + EULER)

    def _log_prob(self, value):
        return self._gumbel_bijector.forward_log_jacobian(self._check_value(value))

    def _cdf(self, value):
        return self._gumbel_bijector.forward(self._check_value(value))

    def _log_cdf(self, value):
        return -ops.exp((self._loc - self._check_value(value)) / self._scale)

    def _survival_function(self, value):
        return -ops.expm1(self._log_cdf(value))

    def _log_survival(self, value):
        return ops.log(self._survival_function(value))

    def _kl_loss(self, dist, loc_b, scale_b):
        self._need_family(dist)
        loc_b = self._check_value(loc_b, "loc_b")
        scale_b = self._check_value(scale_b, "scale_b")
        ratio = self._scale / scale_b
        apart = (self._loc - loc_b) / scale_b
        square = ops.exp(ops.lgamma(ratio + 1.0) - apart)
        return apart - ops.log(ratio) + EULER * (ratio - 1.0) + square - 1.0

    def _sample(self, shape=()):
        sample = self._source_sample(self._sample_shape(shape, self.broadcast_shape))
        sample = ops.maximum(sample, ops.full_like(sample, 2.0**-24))  # the samples include 0
        return self._bijector.forward(sample).astype(self.dtype)
