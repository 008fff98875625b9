"""mindspore.nn.probability.bijector: invertible functions that transform distributions."""

from .bijector import Bijector
from .exp import Exp
from .gumbel_cdf import GumbelCDF
from .invert import Invert
from .power_transform import PowerTransform
from .scalar_affine import ScalarAffine
from .softplus import Softplus

__all__ = ["Bijector", "PowerTransform", "Exp", "ScalarAffine", "Softplus", "GumbelCDF", "Invert"]
