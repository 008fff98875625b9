"""Primitives of shapes and padding that MindSpore exposes under internal paths only."""

import numpy as np

from ..._core.tensor.dtype import int32
from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import alias, functional, ints, methods, ops, pull_back


@alias("ops.auto_generate.ReflectionPad1DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReflectionPad2DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReflectionPad3DGrad()(grad_output, input, padding)")
def reflection_pad_grad(grad_output, input, padding):
    return pull_back(grad_output, lambda input: functional.pad(input, padding, "reflect"), input)


@alias("ops.auto_generate.ReplicationPad1DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReplicationPad2DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReplicationPad3DGrad()(grad_output, input, padding)")
def replication_pad_grad(grad_output, input, padding):
    return pull_back(grad_output, lambda input: functional.pad(input, padding, "replicate"), input)


@alias("ops.auto_generate.TraceV2Grad()(dout, shape, offset=0, axis1=1, axis2=0)")
def trace_v2_grad(dout, shape, offset, axis1, axis2):
    return pull_back(
        dout, lambda x: methods.trace(x, offset, axis1, axis2), ops.zeros(ints(shape), dout.dtype)
    )


@alias("ops.operations._grad_ops.FlattenGrad()(x, shape)")
def flatten_grad(x, shape):
    return pull_back(x, lambda y: ops.reshape(y, x.shape), ops.zeros(ints(shape), x.dtype))


alias(
    "ops.operations._grad_ops.TraceGrad()(y_grad, x_shape)",
    lambda y_grad, x_shape: pull_back(y_grad, ops.trace, ops.zeros(ints(x_shape), y_grad.dtype)),
)


def _unpad(shape, paddings):
    return tuple(n - int(sum(pair)) for n, pair in zip(shape, paddings.asnumpy().tolist()))


def _unpadded_last(shape, paddings, contiguous):
    """Returns the shape before padding; `paddings` lists the last axis first."""
    ends = ints(paddings)
    half = len(ends) // 2
    sums = [
        ends[2 * i] + ends[2 * i + 1] if contiguous else ends[i] + ends[i + half]
        for i in range(half)
    ]
    widths = [0] * (len(shape) - half) + sums[::-1]
    return tuple(n - c for n, c in zip(shape, widths))


@alias("ops.operations._grad_ops.MirrorPadGrad(mode='REFLECT')(dy, paddings)")
def mirror_pad_grad(dy, paddings, mode):
    return pull_back(
        dy,
        lambda x: ops.MirrorPad(mode)(x, paddings),
        ops.zeros(_unpad(dy.shape, paddings), dy.dtype),
    )


@alias("ops.operations._grad_ops.PadV3Grad(mode='reflect', paddings_contiguous=True)(x, paddings)")
def pad_v3_grad(x, paddings, mode, paddings_contiguous):
    return pull_back(
        x,
        lambda y: ops.PadV3(mode, paddings_contiguous)(y, paddings),
        ops.zeros(_unpadded_last(x.shape, paddings, paddings_contiguous), x.dtype),
    )


@alias("ops.auto_generate.AsStrided()(input, size, stride, storage_offset=0)")
def as_strided(input, size, stride, storage_offset=0):
    """Returns the elements at `storage_offset + sum(index * stride)` of the flattened input."""
    indices = np.full(tuple(size), storage_offset, np.int64)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        indices += step * np.arange(length).reshape([-1] + [1] * (len(size) - axis - 1))
    flat = ops.gather(ops.reshape(input, (-1,)), Tensor(indices.reshape(-1)), 0)
    return ops.reshape(flat, tuple(size))


@alias("ops.auto_generate.RepeatInterleaveGrad()(input, repeats, dim)")
def repeat_interleave_grad(input, repeats, dim):
    """Computes the gradient of `repeat_interleave`: sums the gradients of the copies of each
    element.
    """
    lengths = repeats.asnumpy().tolist() if isinstance(repeats, Tensor) else repeats
    if isinstance(lengths, int) or len(lengths) == 1:
        count = lengths if isinstance(lengths, int) else lengths[0]
        lengths = [count] * (input.shape[dim] // count)
    owners = Tensor(np.repeat(np.arange(len(lengths)), lengths))
    shape = list(input.shape)
    shape[dim] = len(lengths)
    return ops.index_add(ops.zeros(tuple(shape), input.dtype), owners.astype(int32), input, dim)
