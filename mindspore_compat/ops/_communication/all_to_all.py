"""All-to-all Primitives of a group: AlltoAll and its variants for uneven parts.

The other collectives are in `_communication/collective.py`. Counts are elements of a flat Tensor,
or blocks of `block_size` elements.
"""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, DType, Int, ListOf, Str, TupleOf, checked
from ..._core.tensor.dtype import to_numpy
from ..._core.tensor.tensor import Tensor
from ...communication import comm_func, transfer, transfer_peers
from ...communication.groups import HCCL_WORLD_COMM_GROUP, partners
from .._rules import Anything
from ..primitive import Primitive

WORLD = HCCL_WORLD_COMM_GROUP


@op(compute="native")
def all_to_all(xp, input_x: Anything, split_dim, concat_dim, group):
    """Splits the input into equal blocks along `split_dim`, exchanges them and joins them along
    `concat_dim`."""
    front = xp.moveaxis(input_x, split_dim, 0)
    rows = [front.shape[0] // group.size] * group.size
    blocks = xp.split(xp.exchange(front, rows, rows, group), group.size, 0)
    return xp.concatenate([xp.moveaxis(block, 0, split_dim) for block in blocks], concat_dim)


@op(compute="native")
def all_gather_uneven(xp, input_x: Anything, sizes, group):
    """Joins the members' flat arrays, whose lengths `sizes` lists."""
    whole = xp.concatenate([input_x] * group.size)
    return xp.exchange(whole, [input_x.shape[0]] * group.size, sizes, group)


@op()
def reduce_scatter_uneven(xp, input_x: Anything, sizes, operation, group):
    """Reduces the members' flat arrays; each member gets a part of the length that `sizes`
    lists."""
    size = sizes[group.rank]
    use = f"reduce_scatter_uneven ({operation})"
    received = xp.exchange(input_x, sizes, [size] * group.size, group, use)
    return getattr(xp, operation)(xp.reshape(received, (group.size, size)), axis=0)


@public("ops.AlltoAll")
class AlltoAll(Primitive):
    """All-to-all exchange: splits a Tensor into equal blocks, one for each member, and joins the
    blocks received.

    Args:
        split_count (int): the number of blocks, which must be the group's size.
        split_dim (int): the axis that is split.
        concat_dim (int): the axis along which received blocks are joined.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members.

    Outputs:
        Tensor, `split_count` times shorter along `split_dim` and longer along `concat_dim`.

    Raises:
        TypeError: if a count or axis is not an int, or `group` not a str.
        ValueError: if `split_count` is not the group's size, or the axis cannot be cut into equal
            parts, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AlltoAll of MindSpore 2.10.
    """

    @checked
    def __init__(self, split_count: Int, split_dim: Int, concat_dim: Int, group: Str = WORLD):
        super().__init__("AlltoAll")
        self.split_count = split_count
        self.split_dim = split_dim
        self.concat_dim = concat_dim
        self.group = group

    @checked
    def __call__(self, input_x: Anything):
        group = partners(self.group)
        if self.split_count != group.size:
            raise ValueError(
                "For 'AlltoAll', 'split_count' must be the group's size "
                f"{group.size}, but got {self.split_count}."
            )
        if input_x.shape[self.split_dim] % group.size:
            raise ValueError(
                f"For 'AlltoAll', axis {self.split_dim} of 'input_x' must be "
                f"divisible by {group.size}, but got the shape {input_x.shape}."
            )
        return all_to_all.run(input_x, self.split_dim, self.concat_dim, group)


@public("ops.AlltoAllV")
class AlltoAllV(Primitive):
    """All-to-all exchange of uneven parts: sends a part of a flat Tensor to each member and joins
    the parts received.

    Args:
        group (str): the group's name. Default: the world.
        block_size (int): the number of elements that a count of 1 stands for. Default: ``1``.

    Inputs:
        - **input_x** (Tensor) - flat.
        - **send_numel_list** (Union[tuple[int], list[int], Tensor]) - the count sent to each
          member.
        - **recv_numel_list** (Union[tuple[int], list[int], Tensor]) - the count received from each
          member.

    Outputs:
        Tensor, flat; a placeholder of one element if nothing is received.

    Raises:
        TypeError: if `group` is not a str, or `block_size` not an int.
        ValueError: if the counts do not fit the group or the Tensor, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AlltoAllV of MindSpore 2.10.
    """

    @checked
    def __init__(self, group: Str = WORLD, block_size: Int(ge=1) = 1):
        super().__init__("AlltoAllV")
        self.group = group
        self.block_size = block_size

    @checked
    def __call__(self, input_x: Anything, send_numel_list: Any, recv_numel_list: Any):
        group = partners(self.group)
        send_counts = _counts(self, "send_numel_list", send_numel_list, group.size, self.block_size)
        receive_counts = _counts(
            self, "recv_numel_list", recv_numel_list, group.size, self.block_size
        )
        return _exchange(self, input_x, send_counts, receive_counts, group)


@public("ops.AlltoAllVC")
class AlltoAllVC(Primitive):
    """All-to-all exchange of uneven parts, with one matrix of counts that all members share.

    Args:
        group (str): the group's name. Default: the world.
        block_size (int): the number of elements that a count of 1 stands for. Default: ``1``.
        transpose (bool): whether a row of the matrix belongs to a receiver. Default: ``False``, to
            a sender.

    Inputs:
        - **input_x** (Tensor) - flat.
        - **send_count_matrix** (Union[list[int], Tensor]) - the count that each sender sends to
          each receiver, flattened.

    Outputs:
        Tensor, flat; a placeholder of one element if nothing is received.

    Raises:
        TypeError: if `group` is not a str, or `block_size` not an int.
        ValueError: if the counts do not fit the group or the Tensor, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AlltoAllVC of MindSpore 2.10.
    """

    @checked
    def __init__(self, group: Str | None = WORLD, block_size: Int = 1, transpose: Any = False):
        super().__init__("AlltoAllVC")
        self.group = group
        self.block_size = block_size
        self.transpose = transpose

    @checked
    def __call__(self, input_x: Anything, send_count_matrix: Any):
        group = partners(self.group)
        size = group.size
        counts = _counts(self, "send_count_matrix", send_count_matrix, size * size, self.block_size)
        row, column = (
            counts[group.rank * size : (group.rank + 1) * size],
            counts[group.rank :: size],
        )
        send_counts, receive_counts = (column, row) if self.transpose else (row, column)
        return _exchange(self, input_x, send_counts, receive_counts, group)


@public("ops.AllGatherV")
class AllGatherV(Primitive):
    """Concatenates flat Tensors of different lengths; every member gets the result.

    Args:
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - flat.
        - **output_split_sizes** (Union[tuple[int], list[int], Tensor]) - each member's length.

    Outputs:
        Tensor, flat; a placeholder of one element if all lengths are 0.

    Raises:
        TypeError: if `group` is not a str.
        ValueError: if the lengths do not fit the group or the Tensor, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AllGatherV of MindSpore 2.10.
    """

    @checked
    def __init__(self, group: Str = WORLD):
        super().__init__("AllGatherV")
        self.group = group

    @checked
    def __call__(self, input_x: Anything, output_split_sizes: Any):
        group = partners(self.group)
        sizes = _counts(self, "output_split_sizes", output_split_sizes, group.size)
        _fits(self, "output_split_sizes", input_x, sizes[group.rank])
        result = all_gather_uneven.run(input_x, sizes, group)
        return result if sum(sizes) else transfer.nothing(input_x, ())


@public("ops.ReduceScatterV")
class ReduceScatterV(Primitive):
    """Reduces flat Tensors element by element; each member gets a part of its own length.

    Args:
        op (str): "sum", "max", "min" or "prod". Default: ``ReduceOp.SUM``.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - flat, of equal length on all members.
        - **input_split_sizes** (Union[tuple[int], list[int], Tensor]) - each member's length.

    Outputs:
        Tensor, flat; a placeholder of one element if this member's length is 0.

    Raises:
        TypeError: if `op` or `group` is not a str.
        ValueError: if `op` is not one of the four, or the lengths do not fit the group or the
            Tensor, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.ReduceScatterV of MindSpore 2.10.
    """

    @checked
    def __init__(self, op: Str = "sum", group: Str = WORLD):
        super().__init__("ReduceScatterV")
        self.op = op
        self.group = group

    @checked
    def __call__(self, input_x: Anything, input_split_sizes: Any):
        if self.op not in comm_func.REDUCTIONS:
            raise ValueError(
                f"For 'ReduceScatterV', 'op' must be one of {comm_func.REDUCTIONS}, "
                f"but got '{self.op}'."
            )
        group = partners(self.group)
        sizes = _counts(self, "input_split_sizes", input_split_sizes, group.size)
        _fits(self, "input_split_sizes", input_x, sum(sizes))
        result = reduce_scatter_uneven.run(input_x, sizes, self.op, group)
        return result if sizes[group.rank] else transfer.nothing(input_x, ())


@public("ops.NeighborExchange")
class NeighborExchange(Primitive):
    """Sends one Tensor to each of several members and receives one from each of several others.

    Args:
        send_rank_ids (list[int]): the receivers' ranks in the group.
        recv_rank_ids (list[int]): the senders' ranks in the group.
        recv_shapes (Union[tuple, list]): the shape of each received Tensor.
        send_shapes (Union[tuple, list]): the shape of each sent Tensor; stored only.
        recv_type (mindspore.dtype): the dtype of the received Tensors.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (tuple[Tensor]) - one for each receiver.

    Outputs:
        tuple[Tensor], one from each sender.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `input_x` and `send_rank_ids` differ in length, when called.
        RuntimeError: if `init` was not called, there is no such group or no such member, when
            called.

    Source: mindspore.ops.NeighborExchange of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        send_rank_ids: ListOf(Int) | TupleOf(Int),
        recv_rank_ids: ListOf(Int) | TupleOf(Int),
        recv_shapes: ListOf | TupleOf,
        send_shapes: ListOf | TupleOf,
        recv_type: DType,
        group: Str = WORLD,
    ):
        super().__init__("NeighborExchange")
        self.send_rank_ids = send_rank_ids
        self.recv_rank_ids = recv_rank_ids
        self.recv_shapes = recv_shapes
        self.send_shapes = send_shapes
        self.recv_type = recv_type
        self.group = group

    @checked
    def __call__(self, input_x: TupleOf(Anything) | ListOf(Anything)):
        group = partners(self.group)
        ids = [*self.send_rank_ids, *self.recv_rank_ids]
        if len(input_x) != len(self.send_rank_ids):
            raise ValueError(
                f"For 'NeighborExchange', 'input_x' must hold "
                f"{len(self.send_rank_ids)} Tensors, but got {len(input_x)}."
            )
        if not (0 <= min(ids, default=0) <= max(ids, default=0) < group.size):
            raise RuntimeError(
                f"For 'NeighborExchange', the group '{self.group}' has the members "
                f"0 to {group.size - 1}, but got {ids}."
            )
        shapes = [tuple(shape) for shape in self.recv_shapes]
        if not ids:
            return ()
        flat = transfer_peers.neighbors_op.run(
            tuple(input_x),
            self.send_rank_ids,
            self.recv_rank_ids,
            shapes,
            to_numpy(self.recv_type),
            group,
        )
        starts = [sum(map(math.prod, shapes[:index])) for index in range(len(shapes))]
        return tuple(
            transfer.part_op.run(flat, start, shape)
            for start, shape in zip(starts, shapes, strict=True)
        )


def _counts(primitive, name, setting, length, unit=1):
    """Returns the counts as a list of ints, in elements."""
    counts = (
        setting.asnumpy().reshape(-1).tolist() if isinstance(setting, Tensor) else list(setting)
    )
    if len(counts) != length or any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(
            f"For '{primitive.name}', '{name}' must hold {length} counts, but got {setting!r}."
        )
    return [count * unit for count in counts]


def _fits(primitive, name, tensor, length):
    if tensor.shape != (length,):
        raise ValueError(
            f"For '{primitive.name}', 'input_x' must be flat, of the {length} "
            f"elements that '{name}' gives, but got the shape {tensor.shape}."
        )


def _exchange(primitive, tensor, send_counts, receive_counts, group):
    _fits(primitive, "the counts", tensor, sum(send_counts))
    result = transfer.exchange_op.run(tensor, send_counts, receive_counts, group)
    return result if sum(receive_counts) else transfer.nothing(tensor, ())
