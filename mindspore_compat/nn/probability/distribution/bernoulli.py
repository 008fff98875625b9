"""Bernoulli: 1 with a given probability, else 0."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import int32
from .distribution import Distribution

__all__ = ["Bernoulli"]


@public("nn.probability.distribution.Bernoulli")
class Bernoulli(Distribution):
    """Bernoulli distribution: 1 with probability `probs`, else 0.

    Args:
        probs (Union[float, list, numpy.ndarray, Tensor]): the probability of 1, between 0 and 1;
            None if every call passes it, as `probs1`.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples.
        name (str): the name of the distribution.

    Raises:
        ValueError: if a probability is not above 0 and below 1.

    Example:
        >>> import mindspore_compat as ms
        >>> coin = ms.nn.probability.distribution.Bernoulli(0.25)
        >>> print(coin.prob(ms.Tensor([1, 0])), coin.var())
        [0.25 0.75] 0.1875

    Source: mindspore.nn.probability.distribution.Bernoulli of MindSpore 2.10.
    """

    _shown = {"probs": "_probs"}

    def __init__(self, probs=None, seed=None, dtype=int32, name="Bernoulli"):
        super().__init__(seed, dtype, name, dict(probs=probs, seed=seed, dtype=dtype, name=name))
        self._need_number()
        self._probs = self._add_parameter(probs, "probs")
        self._need_between_0_and_1("probs", probs)

    probs = property(lambda self: self._probs, doc="The probability, a Tensor or None.")

    def get_dist_args(self, probs1=None):
        """Returns the current probability, a tuple of one Tensor."""
        return super().get_dist_args(probs1)

    def _mean(self, probs1=None):
        return self._check_param_type(probs1)

    def _mode(self, probs1=None):
        return (self._check_param_type(probs1) > 0.5).astype(self.dtype)

    def _var(self, probs1=None):
        probs = self._check_param_type(probs1)
        return probs * (1 - probs)

    def _entropy(self, probs1=None):
        probs = self._check_param_type(probs1)
        return -probs * ops.log(probs) - (1 - probs) * ops.log(1 - probs)

    def _log_prob(self, value, probs1=None):
        value = self._check_value(value)
        probs = self._check_param_type(probs1)
        return value * ops.log(probs) + (1 - value) * ops.log(1 - probs)

    def _cdf(self, value, probs1=None):
        value = self._check_value(value)
        probs = self._check_param_type(probs1)
        below = (value >= 0).astype(probs.dtype) * (1 - probs)
        return below + (value >= 1).astype(probs.dtype) * probs

    def _kl_loss(self, dist, probs1_b, probs1=None):
        self._need_family(dist)
        other = self._check_value(probs1_b, "probs1_b")
        probs = self._check_param_type(probs1)
        return probs * ops.log(probs / other) + (1 - probs) * ops.log((1 - probs) / (1 - other))

    def _sample(self, shape=(), probs1=None):
        probs = self._check_param_type(probs1)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, probs.shape))
        return (numbers < probs).astype(self.dtype)
