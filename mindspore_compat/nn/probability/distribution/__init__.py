"""mindspore.nn.probability.distribution: the base of distributions, and four families of them."""

from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .normal import Normal
from .uniform import Uniform

__all__ = ["Distribution", "Bernoulli", "Categorical", "Normal", "Uniform"]
