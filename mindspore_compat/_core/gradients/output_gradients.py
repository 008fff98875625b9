"""The gradient that a caller gives for an output: fits it to the output's device, array type and
shape."""

import numpy

from ..._backend.arrays import SPACES, to_space
from ..tensor.tensor import Tensor
from .leaves import ones_like


def fits(gradient, output):
    """Returns True if a gradient and its output are host arrays of one shape."""
    array, out = gradient._array, output._array
    return type(array) is type(out) is numpy.ndarray and array.shape == out.shape


def fitted(gradient, output):
    """Returns a gradient with the device, shape and array type of its output.

    Raises:
        ValueError: if the shapes do not fit.
    """
    gradient = _to_shape_of(to_device_of(gradient, output), output)
    if type(output._array) in SPACES or type(gradient._array) not in SPACES:
        return gradient
    return ones_like(output) * gradient  # the output is traced or batched, the gradient is not


def need_dtypes(api, name, tensors, others):
    """Raises TypeError unless each Tensor has the dtype of its counterpart in `others`."""
    for tensor, other in zip(tensors, others):
        if tensor.dtype != other.dtype:
            raise TypeError(
                f"For '{api}', '{name}' must have dtype {other.dtype} here, but got {tensor.dtype}."
            )


def to_device_of(tensor, other):
    """Returns `tensor` on the device of `other`."""
    space_type, other_type = type(tensor._array), type(other._array)
    if space_type is other_type or space_type not in SPACES or other_type not in SPACES:
        return tensor
    return Tensor._wrap(to_space(SPACES[other_type], tensor._array))


def _to_shape_of(gradient, output):
    """Returns a gradient in the shape of its output. A 0-d gradient is broadcast; a gradient of one
    element is reshaped for an output of one element."""
    if gradient.shape == output.shape:
        return gradient
    if gradient.size == 1 and output.size == 1:
        return gradient.reshape(output.shape)
    if gradient.ndim == 0:
        return gradient.broadcast_to(output.shape)
    raise ValueError(
        f"For 'grad', the sensitivity must have the shape of the output, {output.shape}, but got "
        f"{gradient.shape}."
    )
