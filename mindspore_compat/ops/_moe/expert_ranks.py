"""The ranks of experts and the bookkeeping of rows exchanged between them, for _moe/dispatch.py.

Nothing here is public or communicates.
"""

from ..._backend.arrays import to_host
from ..._core.declare.op import op, space_for
from ..._core.rules.vocabulary import Any, TensorOf, floating
from ..._core.tensor.tensor import Tensor
from ...communication.groups import partners
from .._precision import at_least_float32
from .._rules import Index

Rows = TensorOf(floating, "int8")


# Rows ---------------------------------------------------------------------------------------------


@op(compute="native")
def rows_or_zeros(xp, x: Rows, indices: Index):
    """Returns the rows of `x` at the given indices; zeros where an index is -1."""
    return xp.getitem(xp.concatenate([x, xp.zeros((1, *x.shape[1:]), x.dtype)], 0), (indices,))


@op(compute="native")
def summed_parts(xp, x: Rows, parts: Any):
    """Splits the rows into `parts` equal parts and sums them."""
    whole = xp.reshape(at_least_float32(xp, x), (parts, x.shape[0] // parts, *x.shape[1:]))
    return xp.cast(xp.sum(whole, 0), x.dtype)


@op(compute="native")
def weighted_rows(
    xp,
    x: Rows,
    indices: Index,
    scales: TensorOf(floating) = None,
    shared: Index = None,
    dtype: Any = "float32",
):
    """Computes for each token the sum of its rows, each times its own scale, plus a `shared`
    row."""
    rows = xp.getitem(at_least_float32(xp, x), (indices,))
    if scales is not None:
        rows = rows * xp.expand_dims(scales, -1)
    rows = xp.sum(rows, 1)
    if shared is not None:
        rows = rows + xp.getitem(at_least_float32(xp, x), (shared,))
    if dtype == "int8":
        rows = xp.clip(xp.rint(rows), -128, 127)
    return xp.cast(rows, dtype)


# The experts of each rank -------------------------------------------------------------------------


class Ranks:
    """The ranks of one call, the experts of each rank, and the copies of tokens that go to them.

    A slot is an expert on a rank. Slots are numbered by rank. The slots of the shared expert come
    first.

    Args:
        api (str): the public name.
        expert (tuple): the name of the group of expert parallelism, its number of ranks, and the
            rank of this process in it.
        tensor (tuple): the same for tensor parallelism.
        experts (int): the number of experts, without the shared one.
        shared (tuple): the number of shared experts, and the number of ranks that hold them.
    """

    def __init__(self, api, expert, tensor, experts, shared):
        self.api, self.experts = api, experts
        self.size, self.rank, self.holders = expert[1], expert[2], shared[1]
        self._need_numbers(expert, tensor, shared)
        self.group = self._group("group_ep", "ep", *expert)
        self.tensor = self._group("group_tp", "tp", *tensor) if tensor[0] or tensor[1] > 1 else None
        self.own = experts // (self.size - self.holders)
        self.starts = [
            min(r, self.holders) + max(r - self.holders, 0) * self.own for r in range(self.size + 1)
        ]
        if self.parts > 1 and self.own > 1:
            self.refuse(
                f"a rank must hold one expert where 'tp_world_size' is 2, but got {self.own}"
            )

    def refuse(self, text, error=ValueError):
        raise error(f"For '{self.api}', {text}.")

    def _need_numbers(self, expert, tensor, shared):
        """Checks the documented limits, except those of particular devices."""
        names = expert[0], tensor[0]
        if any(name is not None and len(name) > 127 for name in names) or names[0] == "":
            self.refuse(f"'group_ep' and 'group_tp' must have 1 to 127 letters, but got {names}")
        if names[0] is not None and names[0] == names[1]:
            self.refuse(f"'group_tp' must differ from 'group_ep', but got {names[1]!r}")
        if not 0 <= self.rank < self.size:
            self.refuse(f"'ep_rank_id' must be in [0, {self.size}), but got {self.rank}")
        if tensor[1] not in (0, 1, 2) or not 0 <= tensor[2] < max(tensor[1], 1):
            self.refuse(
                f"'tp_world_size' must be 0, 1 or 2 and 'tp_rank_id' below it, but got "
                f"{tensor[1]} and {tensor[2]}"
            )
        count, holders = shared
        if (
            count not in (0, 1)
            or bool(count) != bool(holders)
            or not (
                0 <= holders < max(self.size - 1, 1) and (not holders or self.size % holders == 0)
            )
        ):
            self.refuse(
                f"'shared_expert_num' must be 0 or 1, and the ranks of the shared expert "
                f"a divisor of {self.size} less than {self.size - 1}, 0 for none, but got "
                f"{count} and {holders}"
            )
        if not 0 < self.experts <= 256 or self.experts % (self.size - holders):
            self.refuse(
                f"'moe_expert_num' must be in [1, 256] and divisible by the "
                f"{self.size - holders} ranks that hold experts, but got {self.experts}"
            )

    def _group(self, argument, short, name, size, rank):
        group = partners(name)
        if (group.size, group.rank) != (size, rank):
            self.refuse(
                f"'{short}_world_size' and '{short}_rank_id' must be {group.size} and "
                f"{group.rank}, as '{argument}' {name!r} says, but got {size} and {rank}",
                RuntimeError,
            )
        return group

    @property
    def parts(self):
        """Returns the number of ranks of tensor parallelism, which share rows."""
        return 1 if self.tensor is None else self.tensor.size

    def slots(self, rank):
        """Returns the slots of a rank."""
        return range(self.starts[rank], self.starts[rank + 1])

    def copies(self, expert_ids):
        """Returns the slot of each copy of each token, and for each token the slot of the shared
        expert.
        """
        experts = to_host(expert_ids._array)
        if experts.ndim != 2 or not (
            1 <= experts.shape[1] <= min(8, self.experts) and 1 <= experts.shape[0] <= 512
        ):
            self.refuse(
                f"'expert_ids' must have shape (tokens, k) for 1 to 512 tokens and k in "
                f"[1, {min(8, self.experts)}], but got {tuple(experts.shape)}"
            )
        if experts.min() < 0 or experts.max() >= self.experts:
            self.refuse(
                f"'expert_ids' must be in [0, {self.experts}), but got values from "
                f"{experts.min()} to {experts.max()}"
            )
        slots = (experts.reshape(-1) + self.holders).tolist()
        if self.holders:
            slots += [self.rank // (self.size // self.holders)] * experts.shape[0]
        return slots

    def counts(self, copies):
        """Returns the number of copies for each slot."""
        totals = [0] * self.starts[-1]
        for slot in copies:
            totals[slot] += 1
        return totals

    def by_rank(self, counts):
        """Returns the sum of the counts of each rank's slots."""
        return [sum(counts[slot] for slot in self.slots(rank)) for rank in range(self.size)]

    def arriving(self, table):
        """Returns, for each rank, the number of rows that it sends to each slot of this rank, given
        every rank's counts."""
        return [[counts[slot] for slot in self.slots(self.rank)] for counts in table]

    def capacity(self, rank, tokens, k, global_bs):
        """Returns the maximum number of rows that a rank may get."""
        total = global_bs or tokens * self.size
        if rank < self.holders:
            return total // self.holders
        return total * min(self.own, k)


def by_expert(arriving):
    """Returns the positions of rows received in order of rank, when they are sorted by expert."""
    starts, index = {}, 0
    for source, counts in enumerate(arriving):
        for expert, count in enumerate(counts):
            starts[expert, source] = index, count
            index += count
    return [index + i for _, (index, count) in sorted(starts.items()) for i in range(count)]


def tensor_like(like, values, dtype="int32"):
    """Returns a Tensor of numbers on the device of `like`."""
    return Tensor._wrap(space_for(like._array).asarray(values, dtype))


def need_reserved(ranks, **reserved):
    for name, value in reserved.items():
        if value not in (None, 0):
            ranks.refuse(f"'{name}' is reserved, and must be left out, but got {value!r}")


def ordinals(slots):
    """Returns for each copy the number of earlier copies with the same slot."""
    counts, positions = {}, []
    for slot in slots:
        positions.append(counts.get(slot, 0))
        counts[slot] = positions[-1] + 1
    return positions


def numbers(counts):
    return None if counts is None else [int(n) for n in to_host(counts._array).reshape(-1)]
