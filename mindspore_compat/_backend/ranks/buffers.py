"""Buffers in host memory that MPI sends from and receives into; collective.py uses them."""

import math

import numpy

from .. import arrays
from .launcher import mpi


def to_reduce(array, operation):
    """Returns an array that MPI can combine, and MPI's operation.

    MPI has no half precision: such arrays are sent and summed as float32. For bools, sum and max
    are 'any', product and min are 'all'.
    """
    operation = "sum" if operation == "avg" else operation
    host = numpy.ascontiguousarray(arrays.to_host(array)).reshape(array.shape)
    if host.dtype in arrays.HOST.low_precision:
        host = host.astype(numpy.float32)
    if host.dtype == numpy.bool_:
        host = host.view(numpy.uint8)
        operation = {"sum": "max", "prod": "min"}.get(operation, operation)
    return host, getattr(mpi(), operation.upper())


def bytes_of(array):
    """Returns the bytes of an array, contiguous in host memory."""
    return numpy.ascontiguousarray(arrays.to_host(array)).reshape(-1).view(numpy.uint8)


def empty_for(shape, dtype):
    """Returns uninitialized bytes for an array of this shape and dtype."""
    return numpy.empty(math.prod(shape) * dtype.itemsize, numpy.uint8)


def part_shape(shape, count):
    """Returns the shape of one of `count` equal parts of an array that is cut along axis 0."""
    if not shape or shape[0] % count:
        raise ValueError(
            f"An array of shape {tuple(shape)} cannot be cut along axis 0 into {count} equal parts."
        )
    return (shape[0] // count, *shape[1:])


def landing(buffer, like, shape):
    """Returns an array of this shape with the dtype and device of `like`, and a function that fills
    it from `buffer`, the host memory that an exchange fills."""
    space = arrays.space_of(like)
    same_bytes = (
        buffer.dtype in (numpy.uint8, like.dtype)
        and like.dtype.itemsize * math.prod(shape) == buffer.nbytes
    )
    if same_bytes and space is arrays.HOST:
        return buffer.view(like.dtype).reshape(shape), lambda: None
    out = space.module.empty(shape, like.dtype)

    def finish():
        values = buffer.view(like.dtype).reshape(shape) if same_bytes else buffer.astype(like.dtype)
        out[...] = arrays.to_space(space, values)

    return out, finish


def at_least_1d(array):
    """Returns a 0-d array as an array of one element, others unchanged."""
    return array if array.shape else array.reshape(1)
