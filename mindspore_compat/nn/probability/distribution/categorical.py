"""Categorical: the distribution of the numbers below k, each with its own probability."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import int32
from .distribution import Distribution

__all__ = ["Categorical"]


@public("nn.probability.distribution.Categorical")
class Categorical(Distribution):
    """Categorical distribution of the numbers 0 to k - 1, each with its own probability.

    Args:
        probs (Union[list, numpy.ndarray, Tensor]): the probabilities, shape (*, k).
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples.
        name (str): the name of the distribution.

    Raises:
        ValueError: if `probs` has no axis, or the probabilities are not between 0 and 1 or do not
            sum to 1.

    Example:
        >>> import mindspore_compat as ms
        >>> dice = ms.nn.probability.distribution.Categorical([0.25, 0.75])
        >>> print(dice.prob(ms.Tensor([0, 1])))
        [0.25 0.75]

    Source: mindspore.nn.probability.distribution.Categorical of MindSpore 2.10.
    """

    def __init__(self, probs=None, seed=None, dtype=int32, name="Categorical"):
        super().__init__(seed, dtype, name, dict(probs=probs, seed=seed, dtype=dtype, name=name))
        self._need_number()
        self._probs = self._add_parameter(probs, "probs")
        if probs is not None:
            stored_probs = self._probs.asnumpy()
            if stored_probs.ndim < 1:
                raise ValueError("For 'Categorical', 'probs' must have at least one axis.")
            if (
                not ((stored_probs > 0) & (stored_probs < 1)).all()
                or (abs(stored_probs.sum(-1) - 1) > 1e-5).any()
            ):
                raise ValueError(
                    "For 'Categorical', 'probs' must be above 0, below 1 and sum to "
                    f"1, but got {probs}."
                )

    probs = property(lambda self: self._probs, doc="The probabilities, a Tensor or None.")

    def extend_repr(self):
        """Returns the text that the printed distribution shows."""
        return f"probs = {self.probs}"

    def _numbers(self, probs):
        return ops.arange(probs.shape[-1]).astype(probs.dtype)

    def _mean(self, probs=None):
        probs = self._check_param_type(probs)
        return (probs * self._numbers(probs)).sum(-1, keepdims=True)

    def _mode(self, probs=None):
        return ops.argmax(self._check_param_type(probs), -1).astype(self.dtype)

    def _var(self, probs=None):
        probs = self._check_param_type(probs)
        apart = self._numbers(probs) - self._mean(probs)
        return (probs * ops.square(apart)).sum(-1, keepdims=True)

    def _entropy(self, probs=None):
        probs = self._check_param_type(probs)
        return -(probs * ops.log(probs)).sum(-1)

    def _class_mask(self, value, probs):
        """Returns a mask of shape (*, k) that is True at the probability of each value."""
        return ops.floor(value).expand_dims(-1) == self._numbers(probs)

    def _log_prob(self, value, probs=None):
        value = self._check_value(value)
        probs = self._check_param_type(probs)
        mask = self._class_mask(value, probs)
        log_prob = (ops.log(probs) * mask.astype(probs.dtype)).sum(-1)
        return ops.select(mask.any(-1), log_prob, ops.full_like(log_prob, float("nan")))

    def _cdf(self, value, probs=None):
        value = self._check_value(value)
        probs = self._check_param_type(probs)
        is_below = self._numbers(probs) <= value.expand_dims(-1)
        return (probs * is_below.astype(probs.dtype)).sum(-1)

    def _kl_loss(self, dist, probs_b, probs=None):
        self._need_family(dist)
        other = self._check_value(probs_b, "probs_b")
        probs = self._check_param_type(probs)
        return (probs * ops.log(probs / other)).sum(-1)

    def _sample(self, shape=(), probs=None):
        probs = self._check_param_type(probs)
        numbers = self._draw(ops.UniformReal, self._sample_shape(shape, probs.shape[:-1]))
        is_past = numbers.expand_dims(-1) >= ops.cumsum(probs, -1)[..., :-1]
        return is_past.astype(probs.dtype).sum(-1).astype(self.dtype)
