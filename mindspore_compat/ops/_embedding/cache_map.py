"""ops.MapCacheIdx: finds the cached rows of an embedding table, and selects rows to swap in.

The positions in the cache are kept on the host, in a hash map with open addressing. Key-value
caches of attention are in _attention/kv_cache.py.
"""

import math

from ..._core.declare.public_api import public
from ..._core.declare.writing import overwrite
from ..._core.rules.vocabulary import Int, TensorOf, checked
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive

Whole = TensorOf("int8", "int16", "int32", "int64")
KEY, VALUE, STEP, TAG = range(4)
GOLDEN = 0.6180339  # MindSpore's kernel uses only these digits of the golden ratio


class _Map:
    """A hash map with rows (key, value, step of the last use, tag). The tag is the number of probes
    that found the row; 0 means that the row is free.
    """

    def __init__(self, rows):
        self.rows = rows

    def start(self, key):
        """Returns the index at which the search for a key starts."""
        return int((GOLDEN * key - math.floor(GOLDEN * key)) * len(self.rows))

    def search(self, start, matches):
        """Returns the first index from `start` on that `matches`, and the number of probes."""
        for count in range(len(self.rows)):
            position = (start + count) % len(self.rows)
            if matches(self.rows[position]):
                return position, count + 1
        raise RuntimeError("For 'MapCacheIdx', 'hashmap' has no free row left: it must be larger.")

    def find(self, key, step):
        """Returns the value of a key, or None, and records the current step as its last use."""
        position, _ = self.search(self.start(key), lambda row: not row[TAG] or row[KEY] == key)
        row = self.rows[position]
        if not row[TAG]:
            return None
        row[STEP] = step
        return row[VALUE]

    def replace(self, key, step):
        """Evicts an entry that was not used for two steps, and gives its value to `key`; returns
        (value, evicted key)."""
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
        """Moves entries whose search path crosses the freed row `gap`, so that searches still find
        them."""
        position, away = (gap + 1) % len(self.rows), 1
        while self.rows[position][TAG]:
            row = self.rows[position]
            if row[TAG] > away:
                self.rows[gap][:] = *row[:TAG], row[TAG] - away
                row[TAG], gap, away = 0, position, 0
            position, away = (position + 1) % len(self.rows), away + 1


@public("ops.MapCacheIdx")
class MapCacheIdx(Primitive):
    """Maps rows of an embedding table to their positions in a cache, after swapping in missing
    rows.

    Inputs:
        - hashmap (Union[Tensor, Parameter]): integers (M, 4). A row holds a key, its position in
          the cache, the step of its last use, and the number of probes that found it, 0 for a free
          row. It is updated in place.
        - indices (Tensor): the requested rows, without duplicates; of the dtype of `hashmap`.
        - step (Union[Tensor, int]): the current training step; entries used in the previous step
          are not evicted.
        - emb_max_num (Union[Tensor, int]): the number of rows of the table.
        - cache_max_num (Union[Tensor, int]): the first row that this table holds; it is subtracted
          from each index.

    Outputs:
        Tuple of Tensors of the dtype of `hashmap`: positions in the cache, in the shape of
        `indices`, with -1 for a row that the table does not hold; the evicted rows; the added rows;
        the positions of the swaps.

    Raises:
        TypeError: if `hashmap` or `indices` is not a Tensor of integers, or their dtypes differ.
        ValueError: if `hashmap` does not have 2 axes, or has rows shorter than 4.
        RuntimeError: if every entry is in use, or no row is free; the map is then unchanged.

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
    """Returns positions in the cache, evicted rows, and added rows with their positions, as
    lists."""
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
