"""ops.MapCacheIdx: which rows of an embedding table are cached, and which to swap in.

The indices of rows in the cache are stored in a hash map of open addressing, on the host. Caches of
keys and values of attention are in _attention/kv_cache.py.
"""

import math

from ..._core.declare.public_api import overwrite, public
from ..._core.rules.vocabulary import Int, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive

Whole = TensorOf("int8", "int16", "int32", "int64")
KEY, VALUE, STEP, TAG = range(4)
GOLDEN = 0.6180339  # the reference hashes by this many digits of the golden section


class _Map:
    """A hash map with rows (key, value, step of the last use, tag): the tag says how far the search
    went, 0 that the row is free.
    """

    def __init__(self, rows):
        self.rows = rows

    def start(self, key):
        """The index where the search for a key starts."""
        return int((GOLDEN * key - math.floor(GOLDEN * key)) * len(self.rows))

    def search(self, start, matches):
        """The first matching index from `start` on, and the number of probes."""
        for count in range(len(self.rows)):
            position = (start + count) % len(self.rows)
            if matches(self.rows[position]):
                return position, count + 1
        raise RuntimeError("For 'MapCacheIdx', 'hashmap' has no free row left: it must be larger.")

    def find(self, key, step):
        """The value of a key, or None; records the use."""
        position, _ = self.search(self.start(key), lambda row: not row[TAG] or row[KEY] == key)
        row = self.rows[position]
        if not row[TAG]:
            return None
        row[STEP] = step
        return row[VALUE]

    def replace(self, key, step):
        """(value, key) of an entry not used for two steps; the new key takes its value."""
        position, tag = self.search(self.start(key), lambda row: not row[TAG])
        new = self.rows[position]
        new[KEY], new[STEP], new[TAG] = key, step, tag
        gap, _ = self.search(position + 1, lambda row: row[TAG] and row[STEP] < step - 1)
        old, value = self.rows[gap][KEY], self.rows[gap][VALUE]
        new[VALUE] = value
        self.rows[gap][TAG] = 0
        self.close(gap)
        return value, old

    def close(self, gap):
        """Moves entries put behind a row that is free now, so that searches still reach them."""
        position, away = (gap + 1) % len(self.rows), 1
        while self.rows[position][TAG]:
            row = self.rows[position]
            if row[TAG] > away:
                self.rows[gap][:] = *row[:TAG], row[TAG] - away
                row[TAG], gap, away = 0, position, 0
            position, away = (position + 1) % len(self.rows), away + 1


@public("ops.MapCacheIdx")
class MapCacheIdx(Primitive):
    """Maps rows of an embedding table to their indices in a cache, after the missing ones were
    swapped in.

    Inputs:
        - hashmap (Union[Tensor, Parameter]): integers (M, 4), rows of the key, its index in the
          cache, the step of its last use and how far a search for it goes, 0 for a free row; is
          written to.
        - indices (Tensor): the rows wanted, each once; of the dtype of `hashmap`.
        - step (Union[Tensor, int]): the step of the training; entries of the step before stay.
        - emb_max_num (Union[Tensor, int]): how many rows the table has.
        - cache_max_num (Union[Tensor, int]): what is taken off each index first, the first row that
          this table holds.

    Outputs:
        Tuple of Tensors of the dtype of `hashmap`: indices in the cache in the shape of `indices`,
        -1 for a row that the table does not hold; the rows that left the cache; those that came;
        the indices where they were swapped.

    Raises:
        TypeError: if `hashmap` or `indices` is not a Tensor of integers, or their dtypes differ.
        ValueError: if `hashmap` has not 2 axes, or rows of less than 4.
        RuntimeError: if every entry is in use, or no row is free; the map is then as it was.

    Source: mindspore.ops.MapCacheIdx of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("MapCacheIdx")

    @checked
    def __call__(
        self,
        hashmap: Whole,
        indices: Whole,
        step: Whole | Int,
        emb_max_num: Whole | Int,
        cache_max_num: Whole | Int,
    ):
        if hashmap.dtype != indices.dtype:
            raise TypeError(
                f"For 'MapCacheIdx', 'hashmap' and 'indices' must have the same dtype, but got "
                f"{hashmap.dtype} and {indices.dtype}."
            )
        if hashmap.ndim != 2 or hashmap.shape[1] < 4:
            raise ValueError(
                f"For 'MapCacheIdx', 'hashmap' must have shape (M, 4), but got {hashmap.shape}."
            )
        step, most, first = (_number(value) for value in (step, emb_max_num, cache_max_num))
        rows = hashmap.asnumpy().tolist()
        lists = _map_rows(_Map(rows), indices.asnumpy().reshape(-1).tolist(), step, most, first)
        overwrite("MapCacheIdx", hashmap, Tensor(rows, hashmap.dtype))
        positions, *swaps = (Tensor(value, hashmap.dtype) for value in lists)
        return (positions.reshape(indices.shape), *swaps)


def _number(value):
    return int(value.asnumpy().reshape(-1)[0]) if isinstance(value, Tensor) else value


def _map_rows(table, indices, step, most, first):
    """Positions in the cache, evicted rows, and added rows with their positions, as lists."""
    positions, missing = [], []
    for i, index in enumerate(indices):
        key = index - first
        position = table.find(key, step) if 0 <= key < most else -1
        if position is None:
            missing.append((i, key))
        positions.append(position)
    evicted, came, where = [], [], []
    for i, key in missing:
        positions[i], old = table.replace(key, step)
        evicted.append(old)
        came.append(key)
        where.append(positions[i])
    return positions, evicted, came, where
