"""UntypedStorage: the memory behind a Tensor, without its dtype and shape.

`Tensor.storage()` returns it. It has no `resize_`, because the array library owns the memory.
"""

import math

from .._backend import arrays
from .._backend.arrays import SPACES
from .._core.rules.vocabulary import InstanceOf
from .._core.tensor import dtype as dtypes


class UntypedStorage:
    """The memory (bytes) that a Tensor and its views share; returned by `Tensor.storage()`.

    It has a length in bytes, an address and a device. Its bytes can be copied from another storage
    of the same length. Its elements are read through a Tensor, not by index.

    Example:
        >>> import mindspore_compat as ms
        >>> storage = ms.Tensor([1.0, 2.0]).untyped_storage()
        >>> storage.nbytes()
        8

    Source: mindspore.UntypedStorage of MindSpore 2.10.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError("For 'UntypedStorage', a storage must come from 'Tensor.storage()'.")

    @classmethod
    def _of(cls, array):
        """Returns the storage of an array; for a view, the storage of its base array."""
        storage = object.__new__(cls)
        storage._dtype = array.dtype
        while type(array.base) in SPACES and _in_one_piece(array.base):
            array = array.base
        storage._array = array
        return storage

    def _flat(self, dtype):
        """Returns all elements in memory order, viewed as another dtype."""
        array = self._array
        order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
        return array.transpose(order).reshape(-1).view(dtype)

    @property
    def device(self):
        """The device of the bytes: "CPU" or "GPU:0"."""
        return f"GPU:{self._array.device.id}" if arrays.on_device(self._array) else "CPU"

    @property
    def dtype(self):
        """The MindSpore dtype of the Tensor to which it belongs."""
        return dtypes.from_numpy(self._dtype)

    def nbytes(self):
        """Returns the number of bytes."""
        return math.prod(self._array.shape) * self._array.itemsize

    def size(self):
        """Returns the number of bytes."""
        return self.nbytes()

    def __len__(self):
        return self.nbytes()

    def element_size(self):
        """Returns the bytes of one element: 1, since a storage has no dtype."""
        return 1

    def data_ptr(self):
        """Returns the address of the first byte."""
        array = self._array
        return array.data.ptr if arrays.on_device(array) else array.ctypes.data

    def is_shared(self):
        """Returns False: no other process shares the memory."""
        return False

    def copy_(self, src, non_blocking=False):
        """Copies the bytes of another storage into this one, and returns this one.

        Args:
            src (UntypedStorage): a storage of the same length.
            non_blocking (bool): whether the copy may be incomplete on return; it never is.

        Raises:
            TypeError: if `src` is not an UntypedStorage.
            RuntimeError: if the numbers of bytes differ.
        """
        InstanceOf(UntypedStorage).refuse("UntypedStorage.copy_", "src", src)
        if len(src) != len(self):
            raise RuntimeError(
                f"For 'UntypedStorage.copy_', 'src' must have {len(self)} bytes, "
                f"but got {len(src)}."
            )
        space = arrays.SPACES[type(self._array)]
        self._flat("uint8")[...] = arrays.to_space(space, src._flat("uint8"))
        return self

    def __getitem__(self, index):
        raise RuntimeError(
            "For 'UntypedStorage', bytes must be read through a Tensor, but got the "
            f"index {index!r}."
        )

    def __setitem__(self, index, value):
        raise RuntimeError(
            "For 'UntypedStorage', bytes must be written through a Tensor, but got "
            f"the index {index!r}."
        )


def _in_one_piece(array):
    """Returns True if the elements fill their memory without gaps, in any order of axes."""
    steps = sorted((s, n) for s, n in zip(array.strides, array.shape, strict=True) if n != 1)
    expected = array.itemsize
    for step, length in steps:
        if step != expected:
            return False
        expected *= length
    return True
