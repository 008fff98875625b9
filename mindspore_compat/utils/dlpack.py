"""mindspore.utils.dlpack: capsules by which array libraries share memory."""

from .._core.declare.public_api import window

__getattr__, __dir__, __all__ = window(__name__)
