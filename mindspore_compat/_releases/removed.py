"""Classes that later releases removed, made from what is still here."""

from .. import nn, ops
from ..ops.operations import _rl_inner_ops, _tensor_array


class _Store(nn.Cell):
    """A store of Tensors, as methods; Primitives do the work."""

    def size(self):
        """Returns the number of elements, an int64 Tensor."""
        return self._size(self.handle_)

    def clear(self):
        """Removes all elements."""
        self._clear(self.handle_)

    def close(self):
        """Closes the store, which cannot be used any more."""
        self._close(self.handle_)


class TensorArray(_Store):
    """An array of Tensors of one dtype and shape, which grows while it is written to.

    Args:
        dtype (mindspore.dtype): the dtype of the elements.
        element_shape (tuple[int]): the shape of the elements.
        dynamic_size (bool): whether the array grows.
        size (int): the number of elements, if the array does not grow.
        name (str): the name of the array.
    """

    def __init__(self, dtype, element_shape, dynamic_size=True, size=0, name="TA"):
        super().__init__()
        self.handle_ = _tensor_array.TensorArray(dtype, element_shape, dynamic_size, size, name)()
        self._dtype = dtype
        self._write = _tensor_array.TensorArrayWrite()
        self._read = _tensor_array.TensorArrayRead(dtype, element_shape)
        self._stack = _tensor_array.TensorArrayStack(dtype, element_shape, dynamic_size, size)
        self._size = _tensor_array.TensorArraySize()
        self._clear = _tensor_array.TensorArrayClear()
        self._close = _tensor_array.TensorArrayClose()

    def write(self, index, value):
        """Writes a Tensor or number at an index."""
        if not isinstance(value, ops.Tensor):
            value = ops.Tensor(value, self._dtype)
        self._write(self.handle_, index, value)

    def read(self, index):
        """Returns the Tensor at an index."""
        return self._read(self.handle_, index)

    def stack(self):
        """Returns all elements as one Tensor, along a new first axis."""
        return self._stack(self.handle_)


class TensorsQueue(_Store):
    """A first-in, first-out queue of tuples of Tensors.

    Args:
        dtype (mindspore.dtype): the dtype of all Tensors.
        shapes (tuple[tuple[int]]): the shape of each Tensor of a tuple.
        size (int): the largest number of tuples; 0 for any number.
        name (str): the name of the queue.
    """

    def __init__(self, dtype, shapes, size=0, name="TQ"):
        super().__init__()
        self.handle_ = _rl_inner_ops.TensorsQueueCreate(dtype, shapes, size, name)()
        self._put = _rl_inner_ops.TensorsQueuePut(dtype, shapes)
        self._get = _rl_inner_ops.TensorsQueueGet(dtype, shapes)
        self._pop = _rl_inner_ops.TensorsQueueGet(dtype, shapes, pop_after_get=True)
        self._size = _rl_inner_ops.TensorsQueueSize()
        self._clear = _rl_inner_ops.TensorsQueueClear()
        self._close = _rl_inner_ops.TensorsQueueClose()

    def put(self, element):
        """Appends a tuple of Tensors."""
        self._put(self.handle_, element)

    def get(self):
        """Returns the first tuple."""
        return self._get(self.handle_)

    def pop(self):
        """Returns the first tuple and removes it."""
        return self._pop(self.handle_)


def tensor_array(today):
    """Gives the class."""
    return TensorArray


def tensors_queue(today):
    """Gives the class."""
    return TensorsQueue
