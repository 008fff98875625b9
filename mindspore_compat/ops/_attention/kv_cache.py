"""Key-value caches in blocks: reshape_and_cache."""

from ..._backend.arrays import to_host
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.writing import write_back
from ..._core.rules.vocabulary import checked
from .._rules import Anything, Index
from ..primitive import Primitive


@op(compute="native")
def rows_cached(xp, cache: Anything, rows: Anything, slots: Index):
    """Returns the cache (blocks, block size, ...) with the row of each token written into its
    slot."""
    lead = cache.shape[0] * cache.shape[1]
    flat = xp.reshape(cache, (lead, -1))
    new_rows = xp.reshape(rows, (slots.shape[0], -1))
    return xp.reshape(xp.scatter_set(flat, (slots,), xp.cast(new_rows, cache.dtype)), cache.shape)


@public("ops.auto_generate.reshape_and_cache")
@checked
def reshape_and_cache(
    key: Anything,
    value: Anything = None,
    key_cache: Anything = None,
    value_cache: Anything = None,
    slot_mapping: Index = None,
):
    """Writes the keys and values of tokens into their slots of a block-structured key-value cache.

    Slot s is row s % block_size of block s // block_size.

    Args:
        key (Tensor): the keys, shape (tokens, heads, features), or another shape with the same
            number of elements.
        value (Tensor): the values, of the same shape. Default: None, only keys are stored.
        key_cache (Tensor): the cache of keys, written to in place, shape (blocks, block_size,
            heads, features).
        value_cache (Tensor): the cache of values, written to in place.
        slot_mapping (Tensor): the slot of each token, shape (tokens,).

    Returns:
        Tensor, `key`.

    Raises:
        TypeError: if an argument is not a Tensor, dtypes differ, or only one of `value` and
            `value_cache` is given.
        ValueError: if shapes do not fit, or a slot is out of range.

    Source: mindspore.ops.auto_generate.reshape_and_cache of MindSpore 2.10.
    """
    api = "reshape_and_cache"
    pairs = [("key", key, "key_cache", key_cache)]
    if value is not None or value_cache is not None:
        pairs.append(("value", value, "value_cache", value_cache))
    for name, rows, cache_name, cache in pairs:
        if slot_mapping is None or rows is None or cache is None or rows.dtype != cache.dtype:
            raise TypeError(
                f"For '{api}', '{name}', '{cache_name}' and 'slot_mapping' must be "
                f"Tensors, the first two of one dtype, but got "
                f"{[getattr(x, 'dtype', None) for x in (rows, cache, slot_mapping)]}."
            )
        tokens = slot_mapping.size
        if cache.ndim < 3 or rows.size * cache.shape[0] * cache.shape[1] != cache.size * tokens:
            raise ValueError(
                f"For '{api}', '{name}' must hold a row of '{cache_name}' for each of "
                f"{tokens} slots, but got shapes {rows.shape} and {cache.shape}."
            )
        _need_slots(api, slot_mapping, cache.shape[0] * cache.shape[1])
    for _, rows, _, cache in pairs:
        write_back(cache, rows_cached.run(cache, rows, slot_mapping.reshape(-1)))
    return key


def _need_slots(api, slots, count):
    numbers = to_host(slots._array)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        raise ValueError(
            f"For '{api}', 'slot_mapping' must be in [0, {count}), but got values "
            f"from {numbers.min()} to {numbers.max()}."
        )


@public("ops.ReshapeAndCache")
class ReshapeAndCache(Primitive):
    """Writes the keys and values of tokens into key-value caches, as
    `ops.auto_generate.reshape_and_cache`.

    Source: mindspore.ops.ReshapeAndCache of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("ReshapeAndCache")

    def __call__(self, key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
        return reshape_and_cache(key, value, key_cache, value_cache, slot_mapping)
