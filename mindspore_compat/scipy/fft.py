"""mindspore.scipy.fft: discrete cosine transforms, declared in the room of the ops."""

from .. import ops  # noqa: F401 - its rooms hold the declarations
from .._core.declare.public_api import window

__getattr__, __dir__, __all__ = window(__name__)
