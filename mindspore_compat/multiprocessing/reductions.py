"""How Tensors go to other processes: by their memory, which all of them see from then on.

The first time a Tensor is sent its elements move to memory that has a file descriptor, of Linux;
a view that is sent later stays a view. Tensors on a GPU, and all of them on other systems, are
copied, as other values are.
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
    """Memory with a file descriptor, which can be given to other processes."""

    def __new__(cls, descriptor, size):
        made = super().__new__(cls, descriptor, size)
        made.descriptor = os.dup(descriptor)
        return made

    def __del__(self):
        os.close(self.descriptor)

    def address(self):
        """Where it begins."""
        return numpy.frombuffer(self, numpy.uint8).__array_interface__["data"][0]


def init_reductions():
    """Has processes send Tensors and Parameters by their memory, where the system can.

    Source: mindspore.multiprocessing.init_reductions of MindSpore 2.10.
    """
    if hasattr(os, "memfd_create"):
        reduction.register(Tensor, _reduced)
        reduction.register(Parameter, _reduced_parameter)


def _reduced(tensor):
    """What is sent to the other process for a Tensor.

    Raises:
        RuntimeError: if it has been computed within a gradient that is still open.
    """
    if tensor._node is not None:
        raise RuntimeError("a Tensor that a gradient goes through cannot be sent to a process")
    if arrays.on_device(tensor._array) or tensor.size == 0:
        return tensor.__reduce__()
    memory, array = _moved(tensor), tensor._array
    offset = array.__array_interface__["data"][0] - memory.address()
    return _restored, (
        reduction.DupFd(memory.descriptor),
        len(memory),
        array.dtype.type,  # for a dtype that was sent is not the one that NumPy has
        offset,
        array.shape,
        array.strides,
    )


def _reduced_parameter(parameter):
    """The same of a Parameter, with its name and settings."""
    if not arrays.on_device(parameter._array) and parameter.size:
        _moved(parameter)
    return parameter.__reduce_ex__(2)


def _moved(tensor):
    """The shared memory that a Tensor's elements are in, to which they are moved first if need
    be."""
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


def _restored(sent, size, dtype, offset, shape, strides):
    """A Tensor on the memory that was sent."""
    descriptor = sent.detach()
    try:
        memory = _SharedMemory(descriptor, size)
    finally:
        os.close(descriptor)
    return Tensor._wrap(arrays.to_current(numpy.ndarray(shape, dtype, memory, offset, strides)))
