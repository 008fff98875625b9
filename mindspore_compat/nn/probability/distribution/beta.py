"""Beta: the beta distribution."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.tensor.dtype import float32
from .distribution import Distribution

__all__ = ["Beta"]


def _lbeta(a, b):
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


@public("nn.probability.distribution.Beta")
class Beta(Distribution):
    """Beta distribution: density x^(concentration1 - 1) (1 - x)^(concentration0 - 1) / B.

    Args:
        concentration1 (Union[int, float, list, numpy.ndarray, Tensor]): alpha, above 0; None if
            every call passes it.
        concentration0 (Union[int, float, list, numpy.ndarray, Tensor]): beta, above 0; None if
            every call passes it.
        seed (int): the seed of samples; None for the global one.
        dtype (mindspore.dtype): the type of samples, a float.
        name (str): the name of the distribution.

    The density outside [0, 1], and the mode if a concentration is not above 1, are NaN. There is no
    `cdf`.

    Raises:
        TypeError: if `dtype` is not a float.
        ValueError: if a concentration is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.distribution import Beta
        >>> print(Beta([3.0], [1.0]).mean())
        [0.75]

    Source: mindspore.nn.probability.distribution.Beta of MindSpore 2.10.
    """

    _shown = {"concentration1": "_concentration1", "concentration0": "_concentration0"}

    def __init__(
        self, concentration1=None, concentration0=None, seed=None, dtype=float32, name="Beta"
    ):
        parameters = dict(concentration1=concentration1, concentration0=concentration0)
        super().__init__(seed, dtype, name, dict(parameters, seed=seed, dtype=dtype, name=name))
        self._need_float()
        self._concentration1 = self._add_parameter(concentration1, "concentration1")
        self._concentration0 = self._add_parameter(concentration0, "concentration0")
        self._need_positive("concentration1", "concentration0")

    concentration1 = property(lambda self: self._concentration1, doc="Alpha, a Tensor or None.")
    concentration0 = property(lambda self: self._concentration0, doc="Beta, a Tensor or None.")

    def _mean(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        return a / (a + b)

    def _var(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        total = a + b
        return a * b / (ops.square(total) * (total + 1.0))

    def _mode(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        mode = (a - 1.0) / (a + b - 2.0)
        is_unimodal = ops.minimum(a, b) > 1.0
        return ops.select(is_unimodal, mode, ops.full_like(mode, float("nan")))

    def _entropy(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        return (
            _lbeta(a, b)
            - (a - 1.0) * ops.digamma(a)
            - (b - 1.0) * ops.digamma(b)
            + (a + b - 2.0) * ops.digamma(a + b)
        )

    def _log_prob(self, value, concentration1=None, concentration0=None):
        value = self._check_value(value)
        a, b = self._check_param_type(concentration1, concentration0)
        log_prob = ops.xlogy(a - 1.0, value) + ops.xlogy(b - 1.0, 1.0 - value) - _lbeta(a, b)
        broadcast_value = value + ops.zeros_like(a + b)
        inside = ops.logical_and(broadcast_value >= 0, broadcast_value <= 1)
        return ops.select(inside, log_prob, ops.full_like(log_prob, float("nan")))

    def _kl_loss(
        self, dist, concentration1_b, concentration0_b, concentration1_a=None, concentration0_a=None
    ):
        self._need_family(dist)
        one_b = self._check_value(concentration1_b, "concentration1_b")
        zero_b = self._check_value(concentration0_b, "concentration0_b")
        a, b = self._check_param_type(concentration1_a, concentration0_a)
        ones, zeros = a - one_b, b - zero_b
        return (
            _lbeta(one_b, zero_b)
            - _lbeta(a, b)
            + ones * ops.digamma(a)
            + zeros * ops.digamma(b)
            - (ones + zeros) * ops.digamma(a + b)
        )

    def _sample(self, shape=(), concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        ahead, behind = self._draw_gamma(shape, a, b), self._draw_gamma(shape, b, a)
        return (ahead / (ahead + behind)).astype(self.dtype)
