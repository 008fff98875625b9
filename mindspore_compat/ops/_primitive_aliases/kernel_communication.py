"""What the collectives among the lines of _primitive_aliases/kernel_lines.py do.

Those of the original's `InnerComm` give new Tensors, those of `DistComm` write into Tensors they
are given; both give (the result, a handle to wait on), and no handle once the result is there.
"""

from ..._core.tensor.tensor import Tensor
from .alias import Names

ops, distributed, methods = Names("ops"), Names("mint.distributed"), Names("Tensor")


def member(group, rank):
    """The rank among all processes of a member of a group."""
    return distributed.get_global_rank(group, rank)


class _Filling:
    """An exchange into one flat Tensor, whose parts go to others once it is complete."""

    def __init__(self, flat, targets, pending):
        self.flat, self.targets, self.pending = flat, targets, pending

    def wait(self):
        """Waits, and fills the Tensors."""
        self.pending.wait()
        start = 0
        for each in self.targets:
            part = self.flat[start : start + each.size]
            methods.copy_(each, ops.reshape(part, each.shape))
            start += each.size


def gathered(input, rank_size, group, async_op):
    """What all members give, one after another along axis 0."""
    made = ops.zeros((rank_size * input.shape[0], *input.shape[1:]), input.dtype)
    return made, distributed.all_gather_into_tensor(made, input, group, async_op)


def reduced(input, op_type, group, async_op):
    """What all members give, combined."""
    made = methods.copy(input)
    return made, distributed.all_reduce(made, op_type, group, async_op)


def reduced_parts(input, rank_size, op_type, group, async_op):
    """This member's part of what all members give, combined."""
    made = ops.zeros((input.shape[0] // rank_size, *input.shape[1:]), input.dtype)
    return made, distributed.reduce_scatter_tensor(made, input, op_type, group, async_op)


def received(tag, src, shape, group, dtype):
    """What a member sends."""
    made = ops.zeros(tuple(shape), dtype)
    return made, distributed.irecv(made, member(group, src), group, tag)


def exchanged(input, group, sent, got, async_op):
    """Numbers from each member, as many as `got` says; to each go as many as `sent` says."""
    made = ops.zeros((sum(got),), input.dtype)
    handle = distributed.all_to_all_single(
        made, ops.reshape(input, (-1,)), list(got), list(sent), group, async_op
    )
    return made, handle


def exchanged_into(other, input, group, sent, got, async_op):
    """`exchanged`, put into a Tensor, or one after another into a list of them."""
    targets = [other] if isinstance(other, Tensor) else list(other)
    flat, pending = exchanged(input, group, sent, got, True)
    handle = _Filling(flat, targets, pending)
    if async_op:
        return other, handle
    handle.wait()
    return other, None


def started(tensors, group, kinds, ranks):
    """Sends and receives between pairs, begun together: (the Tensors, a handle)."""
    calls = {"isend": distributed.isend, "irecv": distributed.irecv}
    listed = [
        distributed.P2POp(calls[kind], tensor, member(group, rank), group)
        for tensor, kind, rank in zip(tensors, kinds, ranks, strict=True)
    ]
    return tensors, distributed.batch_isend_irecv(listed)[-1]
