"""frombuffer: a Tensor over existing memory; swap_tensors: exchanges the contents of two
Tensors."""

import weakref

import numpy as np

from .._core.gradients.leaves import WEIGHTS
from .._core.rules.checked import checked
from .._core.rules.vocabulary import DType, InstanceOf, Int
from .._core.tensor.dtype import to_numpy
from .._core.tensor.tensor import Tensor

__all__ = ["frombuffer", "swap_tensors"]


@checked
def frombuffer(buffer, dtype: DType, count: Int = -1, offset: Int = 0):
    """Returns a Tensor that shares the memory of bytes, an array or a similar object.

    Args:
        buffer (buffer): an object with Python's buffer interface.
        dtype (mindspore.dtype): the dtype of the elements.
        count (int): the number of elements. Default: -1, all in the buffer.
        offset (int): the byte at which they begin. Default: 0.

    Returns:
        Tensor, with one axis.

    Raises:
        RuntimeError: if the buffer is empty or too short, `offset` lies outside, `count` is 0 or
            below -1, or the bytes are not a whole number of elements.

    Example:
        >>> print(ms.frombuffer(bytearray([1, 2, 3]), ms.uint8))
        [1 2 3]

    Source: mindspore.frombuffer of MindSpore 2.10.
    """
    length, kind = memoryview(buffer).nbytes, to_numpy(dtype)
    if length == 0 or not 0 <= offset < length:
        raise RuntimeError(
            f"For 'frombuffer', 'offset' must be in [0, {length}), the bytes of "
            f"'buffer', but got {offset}."
        )
    whole, rest = divmod(length - offset, kind.itemsize)
    if count < -1 or count == 0 or count > whole:
        raise RuntimeError(
            f"For 'frombuffer', 'count' must be -1 or in [1, {whole}], but got {count}."
        )
    if count == -1 and rest:
        raise RuntimeError(
            f"For 'frombuffer', 'buffer' must hold whole elements of {dtype}, but "
            f"got {length - offset} bytes."
        )
    return Tensor.from_numpy(np.frombuffer(buffer, kind, count, offset))


def swap_tensors(t1, t2):
    """Swaps the contents of two Tensors; the objects keep their identity.

    Args:
        t1 (Tensor): the first Tensor.
        t2 (Tensor): the second Tensor.

    Raises:
        TypeError: if one is not a Tensor.
        RuntimeError: if one has weak references.

    Example:
        >>> a, b = ms.Tensor([1]), ms.Tensor([2.0])
        >>> ms.swap_tensors(a, b)
        >>> print(a, b)
        [2.] [1]

    Source: mindspore.swap_tensors of MindSpore 2.10.
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        InstanceOf(Tensor).refuse("swap_tensors", name, tensor)
        if weakref.getweakrefcount(tensor) > (id(tensor) in WEIGHTS):  # WEIGHTS holds one
            raise RuntimeError(
                f"For 'swap_tensors', '{name}' must have no weak references, but has."
            )
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
