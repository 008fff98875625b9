"""`_innner_log_softmax`, a private name that scripts import from `ops.function.nn_func`."""

from ..._core.declare.public_api import build


def _innner_log_softmax(inputs, axis):
    """Computes the logarithm of the softmax along an axis.

    Args:
        inputs (Tensor): of any number of axes.
        axis (int): the axis.

    Returns:
        Tensor, of the same shape and dtype.
    """
    return build("ops", "log_softmax")(inputs, axis)
