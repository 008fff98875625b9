"""Sends Tensors to other processes by sharing their memory.

When a Tensor is first sent, its elements move to memory with a file descriptor (on Linux); a view
that is sent later remains a view. Tensors on a GPU, and all Tensors on other systems, are copied
like other values.
"""

import mmap
import os
from multiprocessing import reduction

import numpy

from .._backend import arrays
from .._core.tensor.tensor import Tensor
from ..common.parameter import Parameter

__all__ = ["init_reductions"]


class _SharedMemory(mmap.mmap):
    """Memory with a file descriptor, which can be passed to other processes."""

    def __new__(cls, descriptor, size):
        memory = super().__new__(cls, descriptor, size)
        memory.descriptor = os.dup(descriptor)
        return memory

    def __del__(self):
        os.close(self.descriptor)

    def address(self):
        """Returns the address of the memory."""
        return numpy.frombuffer(self, numpy.uint8).__array_interface__["data"][0]


def init_reductions():
    """Makes processes send Tensors and Parameters by sharing their memory, if the system supports
    it.

    Source: mindspore.multiprocessing.init_reductions of MindSpore 2.10.
    """
    if hasattr(os, "memfd_create"):
        reduction.register(Tensor, _reduce_tensor)
        reduction.register(Parameter, _reduced_parameter)


def _reduce_tensor(tensor):
    """Returns the message to the other process that stands for a Tensor.

    Raises:
        RuntimeError: if it has been computed within a gradient that is still open.
    """
    if tensor._node is not None:
        raise RuntimeError("a Tensor that a gradient goes through cannot be sent to a process")
    if arrays.on_device(tensor._array) or tensor.size == 0:
        return tensor.__reduce__()
    memory, array = _to_shared_memory(tensor), tensor._array
    offset = array.__array_interface__["data"][0] - memory.address()
    return _rebuild_tensor, (
        reduction.DupFd(memory.descriptor),
        len(memory),
        array.dtype.type,  # a dtype that was sent is not NumPy's own object
        offset,
        array.shape,
        array.strides,
    )


def _reduced_parameter(parameter):
    """Returns the message that stands for a Parameter: its values, name and settings."""
    if not arrays.on_device(parameter._array) and parameter.size:
        _to_shared_memory(parameter)
    return parameter.__reduce_ex__(2)


def _to_shared_memory(tensor):
    """Returns the shared memory with a Tensor's elements, to which they are moved first if
    necessary."""
    memory = tensor._array
    while isinstance(memory, numpy.ndarray):
        memory = memory.base
    memory = memory.obj if isinstance(memory, memoryview) else memory
    if isinstance(memory, _SharedMemory):
        return memory
    array = tensor._array
    descriptor = os.memfd_create("tensor")
    try:
        os.ftruncate(descriptor, array.nbytes)
        memory = _SharedMemory(descriptor, array.nbytes)
    finally:
        os.close(descriptor)
    tensor._array = numpy.ndarray(array.shape, array.dtype, memory)
    tensor._array[...] = array
    return memory


def _rebuild_tensor(sent, size, dtype, offset, shape, strides):
    """Returns a Tensor over the memory that was sent."""
    descriptor = sent.detach()
    try:
        memory = _SharedMemory(descriptor, size)
    finally:
        os.close(descriptor)
    return Tensor._wrap(arrays.to_current(numpy.ndarray(shape, dtype, memory, offset, strides)))
