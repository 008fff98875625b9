"""`mindspore.device_context.gpu`: availability, number and settings of GPUs."""

from ... import hal
from .._devices import counted
from . import op_precision, op_tuning  # noqa: F401 - reached as attributes

__all__ = ["device_count", "is_available"]


def is_available():
    """Returns whether a device of this kind is available.

    Source: mindspore.device_context.gpu.is_available of MindSpore 2.10.
    """
    return hal.is_available("GPU")


def device_count():
    """Returns the number of devices of this kind.

    Raises:
        RuntimeError: if there are none.

    Source: mindspore.device_context.gpu.device_count of MindSpore 2.10.
    """
    return counted("GPU")
