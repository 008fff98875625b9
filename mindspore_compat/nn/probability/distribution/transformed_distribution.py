"""TransformedDistribution: the distribution of g(X) for a bijector g and a random variable X."""

import numpy as np

from .... import ops
from ...._core.declare.public_api import public
from ...._core.rules.base import register_type
from ...._core.rules.vocabulary import CellOf, Int, Str, checked
from ..bijector.bijector import Bijector
from .distribution import Distribution

__all__ = ["TransformedDistribution"]


@public("nn.probability.distribution.TransformedDistribution")
class TransformedDistribution(Distribution):
    """Transformed distribution: the distribution of g(X), where X has a distribution and g is a
    bijector.

    Args:
        bijector (Bijector): the function g, which must be increasing, as `cdf` assumes.
        distribution (Distribution): the distribution of X, of a float type.
        seed (int): the seed of samples; None for the seed of `distribution`.
        name (str): the name of the distribution.

    Arguments passed in a call are those of `distribution`. The methods are `prob`, `log_prob`,
    `cdf`, `log_cdf`, `survival_function`, `log_survival`, `sample`, and, for a linear g, `mean`.

    Raises:
        TypeError: if `bijector` is not a Bijector, `distribution` not a Distribution, or its type
            not a float.
        ValueError: if the mean is requested and g is not linear.

    Examples:
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.nn.probability import bijector, distribution
        >>> unit = distribution.Normal(0.0, 1.0)
        >>> skewed = distribution.TransformedDistribution(bijector.Exp(), unit)
        >>> print(skewed.cdf(Tensor([1.0])))
        [0.5]

    Source: mindspore.nn.probability.distribution.TransformedDistribution of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        bijector: CellOf(Bijector.__name__),
        distribution: CellOf(Distribution.__name__),
        seed: Int(ge=0) | None = None,
        name: Str = "transformed_distribution",
    ):
        super().__init__(
            seed,
            distribution.dtype,
            name,
            dict(bijector=bijector, distribution=distribution, seed=seed, name=name),
        )
        self._need_float()
        self._bijector, self._distribution = bijector, distribution

    bijector = property(lambda self: self._bijector, doc="The function.")
    distribution = property(lambda self: self._distribution, doc="The distribution of its input.")
    is_linear_transformation = property(
        lambda self: self._bijector.is_constant_jacobian, doc="Whether the function is linear."
    )

    @property
    def dtype(self):
        """The type of samples."""
        return self._distribution.dtype

    @property
    def batch_shape(self):
        """The shape of one sample of `distribution`."""
        return self._distribution.batch_shape

    @property
    def broadcast_shape(self):
        """The shape to which the arguments of both are broadcast; None if one is missing."""
        if self.batch_shape is None or self._bijector.batch_shape is None:
            return self.batch_shape
        return np.broadcast_shapes(self.batch_shape, self._bijector.batch_shape)

    @property
    def is_scalar_batch(self):
        """Whether all arguments of both are plain numbers."""
        return self._distribution.is_scalar_batch and self._bijector.is_scalar_batch

    def get_dist_args(self, *args, **kwargs):
        """Returns the current arguments of `distribution`, a tuple of Tensors."""
        return self._distribution.get_dist_args(*args, **kwargs)

    def _cdf(self, value, *args, **kwargs):
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _log_cdf(self, value, *args, **kwargs):
        return self._distribution.log_cdf(self._bijector.inverse(value), *args, **kwargs)

    def _survival_function(self, value, *args, **kwargs):
        return self._distribution.survival_function(self._bijector.inverse(value), *args, **kwargs)

    def _log_survival(self, value, *args, **kwargs):
        return self._distribution.log_survival(self._bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value, *args, **kwargs):
        source = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return source + self._bijector.inverse_log_jacobian(value)

    def _prob(self, value, *args, **kwargs):
        return ops.exp(self._log_prob(value, *args, **kwargs))

    def _mean(self, *args, **kwargs):
        if not self.is_linear_transformation:
            raise ValueError(
                f"For '{type(self).__name__}', 'bijector' must be linear where the "
                f"mean is asked for, but got {type(self._bijector).__name__}."
            )
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _sample(self, *args, **kwargs):
        return self._bijector.forward(self._source_sample(*args, **kwargs))

    def _source_sample(self, *args, **kwargs):
        """Samples `distribution`, with the seed of this distribution if it has one."""
        source = self._distribution
        if not self._seed:
            return source.sample(*args, **kwargs)
        state = source._seed, source._samplers
        source._seed, source._samplers = self._seed, self._samplers
        try:
            return source.sample(*args, **kwargs)
        finally:
            source._seed, source._samplers = state


register_type("TransformedDistribution", TransformedDistribution)
