"""The gradient that a caller gives at an output: fits it to the output's device, array type and
shape."""

import numpy

from ..._backend.arrays import SPACES, to_space
from ..tensor.tensor import Tensor
from .leaves import ones_like


def fits(grad_outputs, head):
    """Returns True if a gradient is a host array, as the output `head` is, and has its shape."""
    array, out = grad_outputs._array, head._array
    return type(array) is type(out) is numpy.ndarray and array.shape == out.shape


def in_space_of(grad_outputs, head):
    """Converts the gradient at an output to the array type of `head`, the output, unless it is a
    plain array."""
    if type(head._array) in SPACES or type(grad_outputs._array) not in SPACES:
        return grad_outputs
    return ones_like(head) * grad_outputs


def on_device_of(tensor, other):
    """Returns `tensor` on the device of `other`."""
    space_type, other_type = type(tensor._array), type(other._array)
    if space_type is other_type or space_type not in SPACES or other_type not in SPACES:
        return tensor
    return Tensor._wrap(to_space(SPACES[other_type], tensor._array))


def fit_to_head(grad_outputs, head):
    """Returns the gradient at an output in the shape of the output `head`. A 0-d gradient is
    broadcast; one element fits an output of one element.

    Raises:
        ValueError: if the shapes differ otherwise.
    """
    if grad_outputs.shape == head.shape:
        return grad_outputs
    if grad_outputs.size == 1 and head.size == 1:
        return grad_outputs.reshape(head.shape)
    if grad_outputs.ndim == 0:
        return grad_outputs.broadcast_to(head.shape)
    raise ValueError(
        f"For 'grad', the sensitivity must have the shape of the output, {head.shape}, but got "
        f"{grad_outputs.shape}."
    )
