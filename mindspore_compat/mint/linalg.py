"""mindspore.mint.linalg: linear algebra under PyTorch's names."""

from .. import ops  # noqa: F401 - its packages hold the declarations
from .._core.declare.public_api import facade

__getattr__, __dir__, __all__ = facade(__name__)
