"""mindspore.mint: the ops under PyTorch's names, built from the same declarations."""

from .. import ops  # noqa: F401 - its packages hold the declarations
from .._core.declare.public_api import facade
from . import distributed, fft, linalg, nn, optim, special  # noqa: F401 - reached as attributes

__getattr__, __dir__, __all__ = facade(__name__)
