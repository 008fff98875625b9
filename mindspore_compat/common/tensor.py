"""The facade `mindspore.common.tensor`: Tensor, and functions that create Tensors."""

import numpy

from .._core.tensor.tensor import Tensor

__all__ = ["Tensor", "from_numpy", "is_tensor", "tensor"]


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None):
    """Creates a Tensor; the arguments and errors are the same as for `Tensor`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.tensor([1.0, 2.0]))
        [1. 2.]

    Source: mindspore.tensor of MindSpore 2.10.
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def is_tensor(obj):
    """Returns True for a Tensor, a Parameter included.

    Args:
        obj (Any): any object.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.is_tensor(ms.Tensor([1])))
        True

    Source: mindspore.is_tensor of MindSpore 2.10.
    """
    return isinstance(obj, Tensor)


def from_numpy(array: numpy.ndarray):
    """Converts a NumPy array to a Tensor on the CPU that shares its memory.

    Args:
        array (numpy.ndarray): the array.

    Returns:
        Tensor of the shape and dtype of `array`. A change of one changes the other.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.from_numpy(np.ones(2)))
        [1. 1.]

    Source: mindspore.from_numpy of MindSpore 2.10.
    """
    return Tensor.from_numpy(array)


StubTensor = Tensor  # its name in common._stub_tensor
