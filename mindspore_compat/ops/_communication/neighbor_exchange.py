"""Simultaneous exchanges with a few other ranks: BatchISendIRecv and NeighborExchangeV2.

NeighborExchange, which exchanges whole Tensors, is in `_communication/all_to_all.py`.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, DType, Int, ListOf, Str, TupleOf, checked
from ...communication import comm_func
from ...communication.groups import HCCL_WORLD_COMM_GROUP, partners
from .._rules import Anything
from ..primitive import Primitive

WORLD = HCCL_WORLD_COMM_GROUP

# The position of each neighbour, clockwise from the top: its side along the last two axes, or None.
DIRECTIONS = (
    ("top", None),
    ("top", "right"),
    (None, "right"),
    ("bottom", "right"),
    ("bottom", None),
    ("bottom", "left"),
    (None, "left"),
    ("top", "left"),
)
SIDES = ("top", "bottom", "left", "right")


@public("ops.BatchISendIRecv")
class BatchISendIRecv(Primitive):
    """Runs several sends and receives at once. No gradient flows back.

    Args:
        op_types (Union[tuple[str], list[str]]): "isend" or "irecv" for each.
        remote_ranks (Union[tuple[int], list[int]]): the rank in the group of each peer.
        receive_shapes (Union[tuple, list]): the shape of each received Tensor. Default: ``None``,
            there are no receives.
        receive_dtypes (Union[tuple[mindspore.dtype], list[mindspore.dtype]]): the dtype of each
            received Tensor. Default: ``None``, there are no receives.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Union[tuple[Tensor], list[Tensor], tuple[None]]) - the Tensor of each send,
          in order.

    Outputs:
        tuple[Tensor], the received Tensor for each receive, and a placeholder for each send.

    Raises:
        TypeError: if an argument is of the wrong type; `group` is checked when called.
        ValueError: if `op_types` is not as long as `remote_ranks`, or `receive_shapes` not as long
            as `receive_dtypes`; when called, if `op_types` holds another word.
        RuntimeError: when called, if there is not one Tensor per send or one shape per receive,
            `init` was not called, or there is no such group or member.

    Source: mindspore.ops.BatchISendIRecv of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        op_types: TupleOf | ListOf,
        remote_ranks: TupleOf(Int) | ListOf(Int),
        receive_shapes: TupleOf | ListOf = None,
        receive_dtypes: TupleOf(DType) | ListOf(DType) = None,
        group: Any = WORLD,
    ):
        super().__init__("BatchISendIRecv")
        self.op_types = op_types
        self.remote_ranks = remote_ranks
        self.receive_shapes = () if receive_shapes is None else receive_shapes
        self.receive_dtypes = () if receive_dtypes is None else receive_dtypes
        self.group = group
        self._same_length("op_types", "remote_ranks")
        self._same_length("receive_shapes", "receive_dtypes")

    def _same_length(self, first_name, second_name):
        lengths = [len(getattr(self, name)) for name in (first_name, second_name)]
        if lengths[0] != lengths[1]:
            raise ValueError(
                f"For '{self.name}', '{first_name}' and '{second_name}' must be equally long, "
                f"but got {lengths[0]} and {lengths[1]}."
            )

    @checked
    def __call__(self, input_x: TupleOf(Anything | None) | ListOf(Anything | None)):
        Str.refuse(self.name, "group", self.group)
        for word in self.op_types:
            if word not in ("isend", "irecv"):
                raise ValueError(
                    f"For '{self.name}', 'op_types' must hold 'isend' and 'irecv', but got "
                    f"{word!r}."
                )
        ranks = partners(self.group).ranks
        tensors = iter([tensor for tensor in input_x if tensor is not None])
        shapes_and_dtypes = iter(zip(self.receive_shapes, self.receive_dtypes, strict=True))
        tensor_count = len(input_x) - sum(tensor is None for tensor in input_x)
        for word, count in (("isend", tensor_count), ("irecv", len(self.receive_shapes))):
            expected_count = list(self.op_types).count(word)
            if expected_count != count:
                raise RuntimeError(
                    f"For '{self.name}', there must be as many Tensors as 'isend' and shapes as "
                    f"'irecv', but got {count} for {expected_count} '{word}'."
                )
        if (
            not 0
            <= min(self.remote_ranks, default=0)
            <= max(self.remote_ranks, default=0)
            < len(ranks)
        ):
            raise RuntimeError(
                f"For '{self.name}', the group '{self.group}' has the members 0 to "
                f"{len(ranks) - 1}, but got {self.remote_ranks}."
            )
        if not self.op_types:
            return ()
        return comm_func.batch_isend_irecv(
            [
                self._operation(word, ranks[peer], tensors, shapes_and_dtypes)
                for word, peer in zip(self.op_types, self.remote_ranks, strict=True)
            ]
        )

    def _operation(self, word, peer, tensors, shapes_and_dtypes):
        if word == "isend":
            return comm_func.P2POp(word, next(tensors), peer, self.group)
        shape, dtype = next(shapes_and_dtypes)
        return comm_func.P2POp(word, tuple(shape), peer, self.group, recv_dtype=dtype)


@op(compute="native")
def exchange_borders(xp, x: Anything, send_ids, send_lens, recv_ids, recv_lens, group):
    """Returns an image with the borders of its neighbours around it."""
    pieces = {}
    for direction, peer in zip(DIRECTIONS, send_ids, strict=True):
        if peer != -1:
            rows, columns = (
                _slice(side, send_lens, size)
                for side, size in zip(direction, x.shape[2:], strict=True)
            )
            pieces[peer] = xp.reshape(x[:, :, rows, columns], (-1,))
    send_counts = [pieces[peer].shape[0] if peer in pieces else 0 for peer in range(group.size)]
    shapes = [_shape(direction, x.shape, recv_lens) for direction in DIRECTIONS]
    receive_counts = [0] * group.size
    for shape, peer in zip(shapes, recv_ids, strict=True):
        if peer != -1:
            receive_counts[peer] = shape[0] * shape[1] * shape[2] * shape[3]
    parts = [pieces[peer] for peer in sorted(pieces)]
    flat = xp.concatenate([xp.zeros((0,), x.dtype), *parts])
    received = xp.exchange(flat, send_counts, receive_counts, group)
    around = []
    for shape, peer in zip(shapes, recv_ids, strict=True):
        start = sum(receive_counts[:peer]) if peer != -1 else 0
        around.append(
            xp.zeros(shape, x.dtype)
            if peer == -1
            else xp.reshape(received[start : start + receive_counts[peer]], shape)
        )
    top, top_right, right, bottom_right, bottom, bottom_left, left, top_left = around
    return xp.concatenate(
        [
            xp.concatenate([top_left, top, top_right], 3),
            xp.concatenate([left, x, right], 3),
            xp.concatenate([bottom_left, bottom, bottom_right], 3),
        ],
        2,
    )


def _slice(side, lens, size):
    """Returns the slice of a side's border along one axis; a side of None means the whole axis."""
    if side is None:
        return slice(None)
    length = lens[SIDES.index(side)]
    return slice(0, length) if side in ("top", "left") else slice(size - length, size)


def _shape(direction, shape, lens):
    """Returns the shape of the border that is received from a direction."""
    sizes = (
        size if side is None else lens[SIDES.index(side)]
        for side, size in zip(direction, shape[2:], strict=True)
    )
    return (*shape[:2], *sizes)


@public("ops.NeighborExchangeV2")
class NeighborExchangeV2(Primitive):
    """Adds the borders of neighbouring parts of an image around this member's part (halo exchange).

    The neighbours are listed clockwise from the top: top, top right, right, bottom right, bottom,
    bottom left, left, top left. All members of the group must call it.

    Args:
        send_rank_ids (list[int]): for each of the eight sides, the rank in the group of the member
            that receives this part's border; -1 for none.
        send_lens (list[int]): how many rows or columns are sent at the top, bottom, left, right.
        recv_rank_ids (list[int]): for each of the eight sides, the rank of the member whose border
            is received; -1 for none, which gives zeros.
        recv_lens (list[int]): how many rows or columns are received at the top, bottom, left,
            right.
        data_format (str): "NCHW".
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of shape (N, C, H, W).

    Outputs:
        Tensor, of shape (N, C, top + H + bottom, left + W + right) by `recv_lens`.

    Raises:
        TypeError: if `group` or `data_format` is not a str, or another argument is not a list of
            ints.
        ValueError: if there are not eight ranks, a rank is below -1 or occurs twice, there are not
            four lengths, a length is negative, or `data_format` is not "NCHW"; when called, if
            `input_x` does not have four axes or is smaller than the borders sent.
        RuntimeError: if `init` was not called, or there is no such group or member, when called.

    Source: mindspore.ops.NeighborExchangeV2 of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        send_rank_ids: ListOf(Int),
        send_lens: ListOf(Int(ge=0), length=4),
        recv_rank_ids: ListOf(Int),
        recv_lens: ListOf(Int(ge=0), length=4),
        data_format: Str,
        group: Str = WORLD,
    ):
        super().__init__("NeighborExchangeV2")
        self.send_rank_ids = send_rank_ids
        self.send_lens = send_lens
        self.recv_rank_ids = recv_rank_ids
        self.recv_lens = recv_lens
        self.data_format = data_format
        self.group = group
        if data_format != "NCHW":
            raise ValueError(
                f"For '{self.name}', 'data_format' must be 'NCHW', but got '{data_format}'."
            )
        for name in ("send_rank_ids", "recv_rank_ids"):
            ids = getattr(self, name)
            real = [rank for rank in ids if rank != -1]
            if len(ids) != 8 or len(set(real)) != len(real) or min(ids) < -1:
                raise ValueError(
                    f"For '{self.name}', '{name}' must hold eight ranks, each once, or -1, but got "
                    f"{ids}."
                )

    @checked
    def __call__(self, tensor: Anything):
        group = partners(self.group)
        top, bottom, left, right = self.send_lens
        if (
            tensor.ndim != 4
            or max(top, bottom) > tensor.shape[2]
            or max(left, right) > (tensor.shape[3])
        ):
            raise ValueError(
                f"For '{self.name}', 'input_x' must have four axes and as many rows and columns as "
                f"are sent, {self.send_lens}, but got the shape {tensor.shape}."
            )
        if max(*self.send_rank_ids, *self.recv_rank_ids) >= group.size:
            raise RuntimeError(
                f"For '{self.name}', the group '{self.group}' has the members 0 to "
                f"{group.size - 1}, but got {self.send_rank_ids} and {self.recv_rank_ids}."
            )
        return exchange_borders.run(
            tensor, self.send_rank_ids, self.send_lens, self.recv_rank_ids, self.recv_lens, group
        )
