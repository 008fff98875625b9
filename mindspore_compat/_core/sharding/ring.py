"""Ring attention: the rule of `over_keys`, for queries and keys whose rows the same ranks divide.

With 4 ranks, each of which holds a quarter of the queries and of the keys:

    step        0     1     2     3
    rank 0 has  k0    k3    k2    k1
    rank 1 has  k1    k0    k3    k2      a block of keys goes from rank to rank

While a rank computes with one block of keys, it sends this block to the next rank and receives
another one from the rank before. So it holds three blocks of keys, independent of the number of
ranks.

Sums over the queries, such as the gradient of the keys, follow their block. They start at the
second rank that has the block, each rank adds its part, and the last one sends them to the owner,
which adds its own part. With n ranks, blocks and sums are each sent n - 1 times.
"""

from .array import Sharded, is_divided, rule
from .meeting import meet
from .rules_products import first_row, stack_letters, wrapped

KEYS, SUMS = 1, 2  # tags of messages


def has_ring(query, key):
    """Returns whether `over_keys` sends the keys around a ring: the same mesh axes divide the rows
    of two arrays."""
    if not type(query) is type(key) is Sharded or query.ndim != key.ndim:
        return False
    return bool(key.dims[-2]) and key.dims[-2] == query.dims[-2]


@rule
def _over_keys(space, function, rows, keys):
    """Rule of `over_keys`: leading axes and rows may be divided. Keys that have no ring are
    gathered."""
    if not is_divided([*rows, *keys]):
        return function(space.base, 0, 0, rows, keys, None)
    if all(has_ring(rows[0], key) for key in keys):
        axes = rows[0].dims[-2]
        meeting = _met(space, rows, keys, "row")
        if meeting.dims.get("row") == axes:
            return _around(space, function, rows, keys, meeting, Ring(space.mesh, axes))
    return _around(space, function, rows, keys, _met(space, rows, keys, "key"), None)


def _met(space, rows, keys, letter):
    count = rows[0].shape[-2]
    pairs = [
        (x, [*stack_letters(x), "row" if x.shape[-2] == count else None, "features"])
        for x in rows
        if x is not None
    ]
    pairs += [(x, [*stack_letters(x), letter, "features"]) for x in keys]
    return meet(space, pairs, whole=("key", "features"))


def _around(space, function, rows, keys, meeting, ring):
    """Calls `function` on this rank's rows, and wraps its results; without a ring `meeting` has
    the whole keys."""
    blocks = iter(meeting.blocks)
    own_rows = [None if x is None else next(blocks) for x in rows]
    own_keys = list(blocks)
    row = first_row(space, meeting, rows[0].shape[-2])
    if ring is None:
        state, sums = function(space.base, row, 0, own_rows, own_keys, None)
    else:
        state, sums = ring.run(space.base, function, row, own_rows, own_keys)
    lead = range(2 - max(x.ndim for x in (*rows, *keys) if x is not None), 0)
    place = meeting.placement([*lead, "row", "features"])
    results = [wrapped(space, x, *place) for x in state]
    return results, [
        wrapped(space, total, *_placement_of_sum(meeting, lead, key, ring))
        for total, key in zip(sums, keys)
    ]


def _placement_of_sum(meeting, lead, key, ring):
    """Returns the placement of a sum of the shape of `key`. It is still to be summed over leading
    axes that only the queries have, and over rows if each rank had all keys."""
    letters = stack_letters(key)
    summed = [letter for letter in lead if letter not in letters]
    summed += ["row"] if ring is None else []
    return meeting.placement([*letters, "key" if ring is None else "row", "features"], summed)


class Ring:
    """The ranks along some mesh axes as a ring.

    Args:
        mesh (Mesh): the mesh.
        axes (tuple[int]): the mesh axes.
    """

    def __init__(self, mesh, axes):
        self.mesh, self.group = mesh, mesh.group(axes)
        self.size, self.rank = self.group.size, self.group.rank

    def run(self, xp, function, row, rows, keys):
        """Runs a function of `over_keys` on the rows of this rank and on all keys. Returns (state,
        sums); the sums belong to the keys of this rank.

        Args:
            xp: the space of the blocks.
            function (Callable): as for `over_keys`.
            row (int): the number of this rank's first row.
            rows, keys (Sequence): this rank's blocks.
        """
        state, own_sums, sums, count = None, [], None, keys[0].shape[-2]
        for step in range(self.size):
            moving = self._pass_on(keys, KEYS) if step < self.size - 1 else None
            block = (self.rank - step) % self.size
            state, part = function(xp, row, block * count, rows, keys, state)
            if step == 0:
                own_sums = part
            else:
                sums = part if sums is None else self._added(sums, part)
                sums = self._pass_on(sums, SUMS) if part else None
            keys = moving.wait() if moving else keys
        return state, self._added(sums, own_sums) if sums is not None else own_sums

    def _added(self, moving, parts):
        return [total + part for total, part in zip(moving.wait(), parts, strict=True)]

    def _pass_on(self, arrays, tag):
        """Starts to send arrays to the next rank; returns the arrays of the rank before, as
        Passing."""
        group, first = self.group, arrays[0]
        after, before = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        with group.aside(first), group.together(first):
            sent = [group.send(array, after, tag) for array in arrays]
            received = [group.receive(array, before, tag) for array in arrays]
        self.mesh.traffic["ring"] += sum(array.nbytes for array in arrays)
        return Passing(group, arrays, sent, received)


class Passing:
    """Arrays that are being sent to the next rank; `wait` returns the arrays from the previous
    rank."""

    def __init__(self, group, arrays, sent, received):
        self.group, self.arrays, self.sent, self.received = group, arrays, sent, received

    def wait(self):
        """Waits until the arrays of the previous rank have arrived and this rank's arrays have
        left. Returns the former.
        """
        arrays = [pending.wait() for pending in self.received]
        for pending in self.sent:
            pending.wait()
        self.group.join(self.arrays[0])
        return arrays
