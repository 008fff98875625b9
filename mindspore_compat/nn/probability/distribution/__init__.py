"""mindspore.nn.probability.distribution: the base class of distributions, and families of them."""

from .bernoulli import Bernoulli
from .beta import Beta
from .categorical import Categorical
from .cauchy import Cauchy
from .distribution import Distribution
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .laplace import Laplace
from .log_normal import LogNormal
from .logistic import Logistic
from .normal import Normal
from .poisson import Poisson
from .student_t import StudentT
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

__all__ = [
    "Distribution",
    "TransformedDistribution",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "Logistic",
    "LogNormal",
    "Normal",
    "Poisson",
    "Uniform",
    "HalfNormal",
    "Laplace",
    "StudentT",
]
