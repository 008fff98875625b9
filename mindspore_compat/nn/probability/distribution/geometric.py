"""Geometric: the distribution of the number of failures before the first success."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import int32
from .distribution import Distribution

__all__ = ["Geometric"]


@public("nn.probability.distribution.Geometric")
class Geometric(Distribution):
    """Geometric distribution of the failures before the first success: P(k) = probs (1 - probs)^k.

    Args:
        probs (Union[float, list, numpy.ndarray, Tensor]): the probability of a success, above 0 and
            below 1; None if every call passes it, as `probs1`.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples, an integer or float type.
        name (str): the name of the distribution.

    A value that is not an integer is rounded down.

    Raises:
        TypeError: if `dtype` is neither of whole numbers nor of floats.
        ValueError: if a probability is not above 0 and below 1.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability.distribution import Geometric
        >>> print(Geometric(0.5).prob(Tensor([0.0, 1.0, 2.0])))
        [0.5   0.25  0.125]

    Source: mindspore.nn.probability.distribution.Geometric of MindSpore 2.10.
    """

    _shown = {"probs": "_probs"}

    def __init__(self, probs=None, seed=None, dtype=int32, name="Geometric"):
        super().__init__(seed, dtype, name, dict(probs=probs, seed=seed, dtype=dtype, name=name))
        self._need_number()
        self._probs = self._add_parameter(probs, "probs")
        self._need_between_0_and_1("probs", probs)

    probs = property(lambda self: self._probs, doc="The probability, a Tensor or None.")

    def get_dist_args(self, probs1=None):
        """Returns the current probability, a tuple of one Tensor."""
        return super().get_dist_args(probs1)

    def _mean(self, probs1=None):
        probs = self._check_param_type(probs1)
        return (1.0 - probs) / probs

    def _mode(self, probs1=None):
        return ops.zeros_like(self._check_param_type(probs1)).astype(self.dtype)

    def _var(self, probs1=None):
        probs = self._check_param_type(probs1)
        return (1.0 - probs) / ops.square(probs)

    def _entropy(self, probs1=None):
        probs = self._check_param_type(probs1)
        return -ops.log(probs) - (1.0 - probs) / probs * ops.log1p(-probs)

    def _log_prob(self, value, probs1=None):
        value = ops.floor(self._check_value(value))
        probs = self._check_param_type(probs1)
        log_prob = ops.log(probs) + value * ops.log1p(-probs)
        outside = value + ops.zeros_like(log_prob) < 0
        return ops.select(outside, ops.full_like(log_prob, -float("inf")), log_prob)

    def _cdf(self, value, probs1=None):
        return 0.0 - ops.expm1(self._log_survival(value, probs1))

    def _log_survival(self, value, probs1=None):
        value = ops.floor(self._check_value(value))
        log_survival = (value + 1.0) * ops.log1p(-self._check_param_type(probs1))
        return ops.minimum(log_survival, ops.zeros_like(log_survival))

    def _kl_loss(self, dist, probs1_b, probs1=None):
        self._need_family(dist)
        other = self._check_value(probs1_b, "probs1_b")
        probs = self._check_param_type(probs1)
        log_failures = (1.0 - probs) / probs * (ops.log1p(-probs) - ops.log1p(-other))
        return ops.log(probs / other) + log_failures

    def _sample(self, shape=(), probs1=None):
        probs = self._check_param_type(probs1)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, probs.shape))
        return ops.floor(ops.log1p(-numbers) / ops.log1p(-probs)).astype(self.dtype)
