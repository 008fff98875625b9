"""Attention to keys in blocks of a cache against loops over tokens, in float64."""

import struct

import numpy
import pytest
from kit import close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RNG = numpy.random.default_rng(0)
HEADS, GROUPS, FEATURES, SIZE = 4, 2, 8, 4
TABLE = numpy.array([[5, 2, 0], [1, 4, 3], [6, 0, 2]], "int32")
LENGTHS = numpy.array([9, 4, 12], "int32")


def random(*shape, dtype="float16"):
    return RNG.standard_normal(shape).astype(dtype)


def int32(values):
    return Tensor(numpy.asarray(values, numpy.int32))


def gathered(cache, blocks, count):
    """The first `count` rows of some blocks."""
    return cache[blocks].reshape(-1, *cache.shape[2:])[:count]


def naive(query, keys, values, scale, shifts=None):
    """Attention of each token to its own keys and values: (tokens, heads, features)."""
    found = []
    for t, (rows, key, value) in enumerate(zip(query.astype("float64"), keys, values)):
        rows = rows.reshape(HEADS, -1)
        for h in range(HEADS):
            own = h // (HEADS // key.shape[1])
            scores = scale * key[:, own].astype("float64") @ rows[h]
            if shifts is not None:
                scores = scores + shifts[t][h, : len(scores)]
            weights = numpy.exp(scores - scores.max())
            found.append(weights / weights.sum() @ value[:, own].astype("float64"))
    return numpy.array(found).reshape(len(query), HEADS, -1)


def close(found, wanted):
    """Compares results whatever the layout: with an axis of heads, or with heads and features
    merged."""
    close_sums(found.reshape(wanted.shape), wanted)


def caches():
    return random(7, SIZE, GROUPS, FEATURES), random(7, SIZE, GROUPS, FEATURES)


def parts(cache, lengths=LENGTHS, table=TABLE):
    return [gathered(cache, row, n) for row, n in zip(table, lengths)]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("shape", [(3, 4, 8), (3, 32), (3, 1, 32)])
def test_keys_are_those_of_the_table(dtype, shape):
    query, (key, value) = random(*shape), caches()
    given = [Tensor(x, dtype) for x in (query, key, value)]
    query, key, value = (x.astype(ms.float32).asnumpy() for x in given)
    wanted = naive(query, parts(key), parts(value), 0.3)
    for made in (ops.PagedAttention, ops.PagedAttentionMask):
        out = made(HEADS, 0.3, GROUPS)(*given, Tensor(TABLE), Tensor(LENGTHS))
        assert out.shape == shape and out.dtype == dtype
        close(out, wanted)


def test_masks_are_added():
    query, (key, value) = random(3, 4, 8), caches()
    mask, alibi = random(3, 12), random(3, 12)
    out = ops.PagedAttention(HEADS, 0.3, GROUPS)(
        Tensor(query),
        Tensor(key),
        Tensor(value),
        Tensor(TABLE),
        Tensor(LENGTHS),
        attn_mask=Tensor(mask),
        alibi_mask=Tensor(alibi),
    )
    shifts = numpy.repeat((mask.astype("float64") + alibi)[:, None], HEADS, 1)
    close(out, naive(query, parts(key), parts(value), 0.3, shifts))
    alibi = random(3, HEADS, 1, 14)
    out = ops.PagedAttentionMask(HEADS, 0.3, GROUPS)(
        Tensor(query),
        Tensor(key),
        Tensor(value),
        Tensor(TABLE),
        Tensor(LENGTHS),
        alibi_mask=Tensor(alibi),
    )
    close(out, naive(query, parts(key), parts(value), 0.3, alibi[:, :, 0].astype("float64")))


@pytest.mark.parametrize("mode", ["DEFAULT", "PERTOKEN"])
@pytest.mark.parametrize("offset", [None, "float16", "int32"])
@pytest.mark.parametrize("bits", [False, True])
def test_bytes(mode, offset, bits):
    query = random(3, 4, 8)
    key, value = (RNG.integers(-128, 128, (7, SIZE, GROUPS, FEATURES), "int8") for _ in range(2))
    shape = (2, GROUPS * FEATURES) if mode == "DEFAULT" else (2, 3)
    scale = RNG.uniform(0.005, 0.02, shape).astype("float16")
    given = Tensor(scale)
    if bits:
        packed = [struct.unpack("<I", struct.pack("<f", x))[0] for x in scale.ravel()]
        given = Tensor(numpy.array(packed, "int64").reshape(shape))
    moved = None if offset is None else RNG.integers(-9, 9, shape).astype(offset)
    wanted = []
    for i, cache in enumerate((key, value)):
        found = []
        for t, part in enumerate(parts(cache)):
            cut = (i, slice(None)) if mode == "DEFAULT" else (i, t)
            own = scale[cut].astype("float64"), 0 if moved is None else moved[cut]
            own = [x.reshape(GROUPS, FEATURES) if numpy.ndim(x) else x for x in own]
            found.append((part.astype("float64") + own[1]) * own[0])
        wanted.append(found)
    tensors = [Tensor(x) for x in (query, key, value, TABLE, LENGTHS)]
    moved = None if moved is None else Tensor(moved)
    for made in (ops.PagedAttention, ops.PagedAttentionMask):
        out = made(HEADS, 0.3, GROUPS, mode)(*tensors, given, moved)
        assert out.dtype == ms.float16
        close(out, naive(query, *wanted, 0.3))


def test_tokens_of_sequences_and_what_each_sees():
    query, (key, value) = random(6, 4, 8), caches()
    counts = [3, 1, 2]
    tensors = [Tensor(x) for x in (query, key, value, TABLE, LENGTHS)]
    table, lengths = (numpy.repeat(x, counts, 0) for x in (TABLE, LENGTHS))
    whole = [parts(x, lengths, table) for x in (key, value)]
    out = ops.PagedAttention(HEADS, 0.3, GROUPS)(*tensors, q_seq_lens=int32(counts))
    close(out, naive(query, *whole, 0.3))
    paged = ops.PagedAttention(HEADS, 0.3, GROUPS)(
        *tensors[:3], Tensor(table), Tensor(lengths), q_seq_lens=int32(counts)
    )
    assert (paged == out).all()
    seen = [parts(x, lengths - [2, 1, 0, 0, 1, 0], table) for x in (key, value)]
    out = ops.PagedAttention(HEADS, 0.3, GROUPS, mask_mode="TRAPEZOIDAL")(
        *tensors, q_seq_lens=int32(counts)
    )
    close(out, naive(query, *seen, 0.3))


@pytest.mark.parametrize("shape", [(3, 4, 8), (3, 1, 32)])
def test_values_may_be_the_first_features_of_their_cache(shape):
    query, (key, _) = random(*shape), caches()
    out = ops.PagedAttention(HEADS, 0.3, GROUPS, mla_v_dim=5)(
        *(Tensor(x) for x in (query, key, key, TABLE, LENGTHS))
    )
    assert out.shape == ((3, 4, 5) if shape[1] == 4 else (3, 1, 20))
    close(out, naive(query, parts(key), [x[..., :5] for x in parts(key)], 0.3))


def test_a_token_without_keys_gathers_zeros():
    query, (key, value) = random(3, 4, 8), caches()
    out = ops.PagedAttention(HEADS, 0.3, GROUPS)(
        *(Tensor(x) for x in (query, key, value, TABLE)), int32([0, 3, 12])
    ).asnumpy()
    assert (out[0] == 0).all() and (out[1:] != 0).any()


CACHE = Tensor(random(7, SIZE, GROUPS, FEATURES))
GOOD = dict(
    query=Tensor(random(3, 4, 8)),
    key_cache=CACHE,
    value_cache=CACHE,
    block_tables=Tensor(TABLE),
    context_lens=Tensor(LENGTHS),
)


@pytest.mark.parametrize(
    "error, changes",
    [
        (TypeError, dict(query=Tensor(random(3, 4, 8, dtype="float32")))),
        (
            TypeError,
            dict(key_cache=CACHE.astype(ms.bfloat16), value_cache=CACHE.astype(ms.bfloat16)),
        ),
        (TypeError, dict(value_cache=CACHE.astype(ms.int8))),
        (TypeError, dict(block_tables=Tensor(TABLE.astype("int64")))),
        (TypeError, dict(context_lens=3)),
        (ValueError, dict(query=Tensor(random(3, 4, 4)))),
        (ValueError, dict(query=Tensor(random(2, 4, 8)))),
        (ValueError, dict(key_cache=CACHE[..., :4])),
        (ValueError, dict(value_cache=CACHE[:6])),
        (ValueError, dict(block_tables=Tensor(TABLE + 1))),
        (ValueError, dict(context_lens=int32([9, 4, 13]))),
        (ValueError, dict(context_lens=int32([9, 4, -1]))),
        (ValueError, dict(antiquant_scale=Tensor(random(2, 16)))),
        (ValueError, dict(antiquant_offset=Tensor(random(2, 16)))),
        (ValueError, dict(key_cache=CACHE.astype(ms.int8), value_cache=CACHE.astype(ms.int8))),
        (
            ValueError,
            dict(
                key_cache=CACHE.astype(ms.int8),
                value_cache=CACHE.astype(ms.int8),
                antiquant_scale=Tensor(random(2, 8)),
            ),
        ),
    ],
)
def test_refusals(error, changes):
    for made in (ops.PagedAttention, ops.PagedAttentionMask):
        with pytest.raises(error):
            made(HEADS, 0.3, GROUPS)(**{**GOOD, **changes})


def test_refusals_of_one():
    made = ops.PagedAttention(HEADS, 0.3, GROUPS)
    for changes in (
        dict(attn_mask=Tensor(random(3, 11))),
        dict(alibi_mask=Tensor(random(2, 12))),
        dict(q_seq_lens=int32([2, 2])),
    ):
        with pytest.raises(ValueError, match="For 'PagedAttention'"):
            made(**{**GOOD, **changes})
    with pytest.raises(TypeError):
        made(GOOD["query"], CACHE)
    with pytest.raises(ValueError):
        ops.PagedAttention(HEADS, 0.3, GROUPS, mla_v_dim=9)(**GOOD)
    with pytest.raises(ValueError):
        ops.PagedAttentionMask(HEADS, 0.3, GROUPS)(**GOOD, alibi_mask=Tensor(random(3, 2, 1, 12)))
    for bad in (
        dict(kv_head_num=3),
        dict(kv_cache_quant_mode="X"),
        dict(mask_mode="X"),
        dict(head_num=0),
        dict(mla_v_dim=-1),
    ):
        with pytest.raises(ValueError):
            ops.PagedAttention(**{**dict(head_num=4, scale_value=1.0, kv_head_num=2), **bad})
