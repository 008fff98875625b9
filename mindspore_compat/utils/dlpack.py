"""`mindspore.utils.dlpack`: DLPack capsules, which share memory between array libraries."""

from .. import ops  # noqa: F401 - it declares them
from .._core.declare.public_api import facade

__getattr__, __dir__, __all__ = facade(__name__)
