"""Writes results of the functional collectives into Tensors, at once or after a `wait()`.

Gradients flow if all members send and receive the same amount: while a Tensor is recorded, such an
exchange is computed at once, even with `async_op`, and the written Tensor replaces the result on
the tape. No gradients flow if one member has a special role (broadcast, reduce, gather, scatter,
sends): the other members record nothing, so they would not take part in its backward pass.
"""

import functools

from ..._core.declare.writing import overwrite
from ..._core.rules.vocabulary import ListOf, TensorOf, TupleOf, any_dtype
from ..._core.tensor.tensor import Tensor
from .. import transfer
from ..transfer import CommHandle

Given = TensorOf(any_dtype)
Several = ListOf(Given) | TupleOf(Given)
REDUCTIONS = ("sum", "prod", "max", "min", "avg")


class Arriving:
    """A pending exchange and the writer of its result; `wait()` writes once.

    Reading the array of a target Tensor waits as well.

    Args:
        pending (collective.Pending): the exchange.
        write (Into): the writer.
    """

    def __init__(self, pending, write):
        self.pending = pending
        self.write = write
        self.kinds = [type(target) for target in write.targets]
        for target, kind in zip(write.targets, self.kinds, strict=True):
            target.__dict__["_arriving"] = self
            target.__class__ = _awaiting(kind)

    def wait(self):
        """Waits until the exchange is complete, and writes the result."""
        if self.pending is None:
            return
        pending, self.pending = self.pending, None
        for target, kind in zip(self.write.targets, self.kinds, strict=True):
            target.__class__ = kind
            target.__dict__.pop("_arriving", None)  # it may be there twice
        self.write(Tensor._wrap(pending.wait()))


@functools.cache
def _awaiting(kind):
    """Returns a subclass of `kind` whose `_array` waits for the exchange."""

    def get(self):
        self.__dict__["_arriving"].wait()
        return self._array

    def put(self, array):
        self.__dict__["_arriving"].wait()
        self._array = array

    return type(kind.__name__, (kind,), {"__slots__": (), "_array": property(get, put)})


class Arrived:
    """An exchange that is complete."""

    def wait(self):
        """Does nothing."""


# The operation on Tensors, and the method of collective.Group that starts it on arrays.
STARTS = {
    transfer.all_reduce_op: "all_reduce",
    transfer.all_gather_op: "all_gather",
    transfer.reduce_scatter_op: "reduce_scatter",
    transfer.broadcast_op: "broadcast",
    transfer.reduce_op: "reduce",
    transfer.gather_op: "gather",
    transfer.scatter_op: "scatter",
    transfer.exchange_op: "all_to_all",
}


FROM_OR_TO_ONE = (
    transfer.broadcast_op,
    transfer.reduce_op,
    transfer.gather_op,
    transfer.scatter_op,
)


def carry(operation, tensor, *arguments, group, write, async_op, **named):
    """Runs an exchange and writes its result; returns a handle if `async_op`, else None.

    Args:
        operation (Op): one of `STARTS`.
        tensor (Tensor): the input of this member.
        *arguments: the operation's arguments between the Tensor and the group.
        group (collective.Group): the members.
        write (Into): the writer of the result.
        async_op (bool): whether to return before the result is written.
        **named: the operation's arguments after the group.
    """
    if operation in FROM_OR_TO_ONE:
        tensor = Tensor._wrap(tensor._array)
    if async_op and tensor._node is None:
        start = getattr(group, STARTS[operation])
        if "avg" in arguments:
            write.first = lambda total: transfer.averaged_op.run(total, group.size)
        return CommHandle(Arriving(start(tensor._array, *arguments, **named), write))
    write(operation.run(tensor, *arguments, group, **named))
    return CommHandle(Arrived()) if async_op else None


class Into:
    """Writes a result into several Tensors, one after another.

    Args:
        api (str): the public name, for messages.
        *targets (Tensor): the Tensors to write to.
        first (Callable): a function that is applied to the result before; None for none.
    """

    def __init__(self, api, *targets, first=None):
        self.api = api
        self.targets = targets
        self.first = first

    def __call__(self, result):
        if self.first is not None:
            result = self.first(result)
        start = 0
        for target in self.targets:
            part = result
            if len(self.targets) > 1 or result.shape != target.shape:
                part = transfer.part_op.run(result, start, target.shape)
            overwrite(self.api, target, part)
            start += target.size


def check_reduction(api, op, allowed=REDUCTIONS):
    """Raises an error for an unknown reduction."""
    if op not in allowed:
        raise TypeError(f"For '{api}', 'op' must be one of {allowed}, but got '{op}'.")


def check_shape(api, name, tensor, shape, error=ValueError):
    """Raises `error` unless a Tensor has the shape `shape`."""
    if tensor.shape != tuple(shape):
        raise error(
            f"For '{api}', '{name}' must have the shape {tuple(shape)}, but got {tensor.shape}."
        )


def check_dtype(api, name, tensor, dtype):
    """Raises TypeError unless a Tensor has the dtype `dtype`."""
    if tensor.dtype != dtype:
        raise TypeError(f"For '{api}', '{name}' must be of dtype {dtype}, but got {tensor.dtype}.")


def check_list(api, name, tensors, like, size):
    """Refuses a list unless it holds a matching Tensor for each member."""
    if len(tensors) != size:
        raise TypeError(
            f"For '{api}', '{name}' must hold a Tensor for each of the {size} members, "
            f"but got {len(tensors)}."
        )
    for index, tensor in enumerate(tensors):
        check_dtype(api, f"{name}[{index}]", tensor, like.dtype)
        check_shape(api, f"{name}[{index}]", tensor, like.shape, TypeError)


def check_rows(api, name, tensor, size):
    """Raises ValueError for a Tensor whose axis 0 cannot be split into `size` equal parts."""
    if tensor.ndim == 0 or tensor.shape[0] % size:
        raise ValueError(
            f"For '{api}', axis 0 of '{name}' must be divisible by the group's size "
            f"{size}, but got the shape {tensor.shape}."
        )


def whole_shape(tensor, size):
    """Returns the shape of the members' Tensors joined along axis 0."""
    return (size * tensor.shape[0], *tensor.shape[1:]) if tensor.shape else (size,)
