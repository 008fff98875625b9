"""Builds the masks, dropout bits and shifts of fused attention: sparse modes, prefixes, ALiBi."""

from ..._backend.arrays import current_space
from ..._core.declare.op import space_for
from ..._core.tensor.tensor import Tensor

ALL_TOKENS = 2147483647
_MODES = {
    0: "the full mask",
    1: "the full mask",
    2: "left-up causal",
    3: "right-down causal",
    4: "a band",
    5: "a prefix",
}
COMPRESSED = (2048, 2048)
LAST_ROWS = 1024  # the number of rows that a causal shift has


def _need_reach(api, before, after, queries, keys):
    """Rejects `pre_tokens` and `next_tokens` that leave no key in the band."""
    empty = before < 0 and (after < -before or -before >= keys)
    empty = empty or after < 0 and (-after > before or -after >= queries)
    if before < 0 and after < 0 or empty:
        raise ValueError(
            f"For '{api}', 'pre_tokens' and 'next_tokens' must leave a band, but got "
            f"{before} and {after} for {queries} queries and {keys} keys."
        )


def _band(mode, before, after, queries, keys):
    """Returns the band of keys that the mode lets a query attend to, as `attention.attend` takes
    it; None if it allows all keys.
    """
    if mode == 1 or mode == 0 and before >= queries and after >= keys:
        return None
    corner = keys - queries if mode in (3, 4, 5) else 0  # modes 0 and 2 start at the upper left
    return (corner, before, after) if mode in (0, 4) else (corner, queries + abs(corner), 0)


def _outside(xp, band, queries, keys):
    """Returns a mask (queries, keys), true outside the band."""
    corner, before, after = band
    ahead = xp.arange(keys)[None, :] - xp.arange(queries)[:, None] - corner
    return (ahead > after) | (ahead < -before)


def _beyond_prefix(xp, outside, prefix, keys):
    """Returns `outside` without each batch's prefix, (batch, 1, 1, queries, keys)."""
    within = xp.arange(keys)[None, :] < xp.asarray(prefix)[:, None]
    return outside & ~within[:, None, None, None, :]


def barred_keys(api, mask, mode, reach, prefix, sizes, name="attn_mask"):
    """Returns the mask of forbidden keys, which broadcasts against (batch, heads, group, queries,
    keys), or None; and the band of allowed keys, or None. A key must be allowed by both.

    Args:
        api (str): the public name.
        mask (Tensor): true or 1 where a key must not be attended to; None for no mask.
        mode (int): which keys a query attends to.
        reach (tuple): how many keys before and after its own position a query attends to.
        prefix (list): the number of leading keys of each batch that every query attends to.
        sizes (tuple): batch, query heads, key heads, queries, keys.
        name (str): the argument name of the mask, for messages.
    """
    batch, heads, groups, queries, keys = sizes
    if mode not in _MODES:
        raise RuntimeError(f"For '{api}', 'sparse_mode' must be in [0, 5], but got {mode}.")
    if mask is None and mode == 0:
        return None, None
    xp = current_space() if mask is None else space_for(mask._array)
    if mode in (0, 4):
        _need_reach(api, *reach, queries, keys)
    band, beyond = _band(mode, *reach, queries, keys), None
    if mode == 5:
        if prefix is None or len(prefix) != batch:
            raise RuntimeError(
                f"For '{api}', 'prefix' must hold a number for each of {batch} "
                f"batches where 'sparse_mode' is 5, but got {prefix}."
            )
        beyond = _beyond_prefix(xp, _outside(xp, band, queries, keys), prefix, keys)
        band = None
    if mode in (2, 3, 4):
        shapes = [COMPRESSED]
    else:
        shapes = [(batch, heads, queries, keys), (batch, 1, queries, keys)]
        shapes += [(queries, keys)] * (mode != 5)
    if mask is None or mask.shape not in shapes:
        raise RuntimeError(
            f"For '{api}', '{name}' must have shape "
            f"{' or '.join(map(str, shapes))} for {_MODES[mode]}, but got "
            f"{None if mask is None else mask.shape}."
        )
    if mode in (2, 3, 4):
        return None, band
    own_mask = mask._array != 0
    if own_mask.ndim == 4:
        lead = (groups, heads // groups) if own_mask.shape[1] == heads else (1, 1)
        own_mask = own_mask.reshape((own_mask.shape[0], *lead, queries, keys))
    return Tensor._wrap(own_mask if beyond is None else own_mask | beyond), band


def dropout_keep_bits(api, drop_mask, keep_prob, shape):
    """Returns the bits of a dropout mask, eight keys in a byte, (batch, heads, group, queries,
    keys / 8)."""
    if not 0 < keep_prob <= 1:
        raise RuntimeError(f"For '{api}', 'keep_prob' must be in (0.0, 1.0], but got {keep_prob}.")
    if (drop_mask is None) != (keep_prob == 1):
        raise RuntimeError(
            f"For '{api}', 'drop_mask' must be given where 'keep_prob' is below 1, "
            f"and only there, but got {keep_prob} and "
            f"{None if drop_mask is None else drop_mask.shape}."
        )
    if drop_mask is None:
        return None
    count = 1
    for n in shape:
        count *= n
    if drop_mask.size * 8 != count:
        raise RuntimeError(
            f"For '{api}', 'drop_mask' must have a bit for each of {count} weights, "
            f"but got shape {drop_mask.shape}."
        )
    bits, keys = drop_mask._array.reshape(-1), shape[-1]
    if keys % 8:
        xp = space_for(bits)
        rows = xp.unpackbits(bits).reshape((-1, keys))
        bits = xp.packbits(xp.ravel(xp.pad(rows, ((0, 0), (0, -keys % 8)))))
    return Tensor._wrap(bits.reshape((*shape[:-1], -(-keys // 8))))


def score_shift(api, shift, mode, sizes, name="real_shift"):
    """Returns the shift of the scores, (batch or 1, heads, group, queries, keys).

    For a causal shift of more than 1024 rows, the last 1024 are enough. An ALiBi shift depends only
    on the distance of key and query, so its last row defines the earlier rows.
    """
    batch, heads, groups, queries, keys = sizes
    rows = min(queries, LAST_ROWS) if mode in (2, 3) and queries <= keys else queries
    fits = (
        shift.ndim == 4
        and shift.shape[0] in (1, batch)
        and shift.shape[1] == heads
        and shift.shape[2] in (rows, queries)
        and shift.shape[3] == keys
    )
    if not fits:
        raise RuntimeError(
            f"For '{api}', '{name}' must have shape ({batch} or 1, {heads}, "
            f"{rows}, {keys}), but got {shift.shape}."
        )
    if shift.shape[2] != queries:
        shift = shift_by_distance(shift, queries, keys)
    return shift.reshape((shift.shape[0], groups, heads // groups, queries, keys))


def shift_by_distance(shift, queries, keys):
    """Returns all rows of an ALiBi shift, given its last rows.

    The last row ends with the shift at a query's own key; keys after that one are masked.
    """
    rows, width = shift.shape[2:]
    xp = space_for(shift._array)
    row, column = xp.arange(queries)[:, None], xp.arange(keys)[None, :]
    is_given = (row >= queries - rows) & (width == keys)
    source = xp.minimum(column + (queries - 1 - row) + (width - keys), width - 1)
    indices = (
        xp.where(is_given, row - (queries - rows), rows - 1),
        xp.where(is_given, column, source),
    )
    return shift[:, :, Tensor._wrap(indices[0]), Tensor._wrap(indices[1])]
