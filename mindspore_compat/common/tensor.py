"""The public window `mindspore.common.tensor`: Tensor and the functions that make one."""

import numpy

from .._core.tensor.tensor import Tensor

__all__ = ["Tensor", "from_numpy", "is_tensor", "tensor"]


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None):
    """A new Tensor; the arguments and errors are those of `Tensor`.

    Source: mindspore.tensor of MindSpore 2.10.
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def is_tensor(obj):
    """True for a Tensor, a Parameter included.

    Source: mindspore.is_tensor of MindSpore 2.10.
    """
    return isinstance(obj, Tensor)


def from_numpy(array: numpy.ndarray):
    """A Tensor that shares the memory of a NumPy array on the CPU; a TypeError for anything else.

    Source: mindspore.from_numpy of MindSpore 2.10.
    """
    return Tensor.from_numpy(array)


StubTensor = Tensor  # the name that common._stub_tensor had
