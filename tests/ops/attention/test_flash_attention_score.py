"""The fused attentions against loops over batches, heads, queries and keys, and their gradients
against differences, in float64.
"""

import math

import numpy
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients
from kit.loops import without_compiler
from mindspore_compat.ops.operations.nn_ops import FlashAttentionScore

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import HOST
from mindspore_compat.ops._attention import blocks
from mindspore_compat.ops._attention.attention import attend, attention_extent, attention_weights

pytestmark = pytest.mark.quick

TO = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.transpose(0, 2, 1, 3),
    "BSH": lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
    "SBH": lambda x: x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
}
TRIANGLE = Tensor(numpy.triu(numpy.ones((2048, 2048), numpy.uint8), 1))


def random(*shape, seed=0):
    return numpy.random.default_rng(seed + sum(shape)).standard_normal(shape)


def inputs(batch=2, heads=4, groups=2, queries=5, keys=7, features=16):
    """Queries, keys and values as (batch, heads, steps, features), in float16."""
    shapes = [(batch, heads, queries, features), *[(batch, groups, keys, features)] * 2]
    return [random(*shape, seed=i).astype("float16") for i, shape in enumerate(shapes)]


def naive(
    query,
    key,
    value,
    scale=1.0,
    shift=None,
    sees=lambda b, h, i, j: True,
    dropout_mask=None,
    keep_prob=1.0,
    shift_first=False,
):
    """Attention by loops: the result, the largest score of each query, and the softmax
    denominators."""
    query, key, value = (x.astype("float64") for x in (query, key, value))
    batch, heads, queries, _ = query.shape
    out = numpy.zeros((batch, heads, queries, value.shape[-1]))
    tops, sums = numpy.zeros((2, batch, heads, queries))
    for b, h, i in numpy.ndindex(batch, heads, queries):
        g = h * key.shape[1] // heads
        scores = {}
        for j in range(key.shape[2]):
            if not sees(b, h, i, j):
                continue
            moved = 0 if shift is None else float(shift[b % len(shift), h, i, j])
            dot = query[b, h, i] @ key[b, g, j]
            scores[j] = (dot + moved) * scale if shift_first else dot * scale + moved
        if not scores:
            continue
        tops[b, h, i] = max(scores.values())
        sums[b, h, i] = sum(math.exp(s - tops[b, h, i]) for s in scores.values())
        for j, s in scores.items():
            weight = math.exp(s - tops[b, h, i]) / sums[b, h, i]
            if dropout_mask is not None:
                weight *= dropout_mask[b, h, i, j] / keep_prob
            out[b, h, i] += weight * value[b, g, j]
    return out, tops, sums


def tensors(layout, *arrays):
    return [Tensor(TO[layout](x)) for x in arrays]


@pytest.mark.parametrize("layout", TO)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_layouts_and_shared_heads(layout, groups):
    arrays = inputs(groups=groups)
    found = ops.flash_attention_score(
        *tensors(layout, *arrays), 4, scalar_value=0.25, input_layout=layout
    )
    close_sums(found, TO[layout](naive(*arrays, scale=0.25)[0]))
    assert found.dtype == ms.float16


MASK = numpy.random.default_rng(1).random((2, 4, 5, 7)) < 0.4


@pytest.mark.parametrize("mask", [MASK, MASK[:, :1], MASK[0, 0]])
@pytest.mark.parametrize("dtype", ["bool", "uint8"])
@pytest.mark.parametrize("mode", [0, 1])
def test_masks_leave_keys_out(mask, dtype, mode):
    arrays = inputs()
    whole = numpy.broadcast_to(mask, (2, 4, 5, 7))
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays),
        4,
        attn_mask=Tensor(mask.astype(dtype)),
        input_layout="BNSD",
        sparse_mode=mode,
    )
    close_sums(found, naive(*arrays, sees=lambda *at: not whole[at])[0])


SEEN = {  # mode: whether query i of q attends to key j of k, with a prefix of p keys
    2: lambda i, j, q, k, p: j <= i,
    3: lambda i, j, q, k, p: j <= i + k - q,
    4: lambda i, j, q, k, p: -2 <= j - i - (k - q) <= 1,
    5: lambda i, j, q, k, p: j <= i + k - q or j < p,
}


@pytest.mark.parametrize("mode", SEEN)
@pytest.mark.parametrize("sizes", [(5, 7), (7, 5), (6, 6)])
def test_sparse_modes(mode, sizes):
    arrays = inputs(queries=sizes[0], keys=sizes[1])
    prefix = (3, 1)
    whole = numpy.zeros((2, 4, *sizes), bool)
    mask = Tensor(whole) if mode == 5 else TRIANGLE
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays),
        4,
        attn_mask=mask,
        input_layout="BNSD",
        sparse_mode=mode,
        prefix=prefix if mode == 5 else None,
        pre_tokens=2,
        next_tokens=1,
    )
    close_sums(
        found, naive(*arrays, sees=lambda b, h, i, j: SEEN[mode](i, j, *sizes, prefix[b]))[0]
    )


def test_band_of_mode_0_starts_left_above():
    arrays = inputs()
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays),
        4,
        attn_mask=Tensor(MASK),
        input_layout="BNSD",
        pre_tokens=1,
        next_tokens=2,
    )
    close_sums(
        found, naive(*arrays, sees=lambda b, h, i, j: -1 <= j - i <= 2 and not MASK[b, h, i, j])[0]
    )
    alone = ops.flash_attention_score(
        *tensors("BNSD", *arrays), 4, input_layout="BNSD", pre_tokens=1, next_tokens=2
    )
    close_sums(alone, naive(*arrays)[0])  # without a mask there is no band either


@pytest.mark.parametrize("batch", [1, 2])
def test_shift_is_added_to_scaled_scores_or_scaled_too(batch):
    arrays = inputs()
    shift = random(batch, 4, 5, 7).astype("float16")
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays),
        4,
        real_shift=Tensor(shift),
        scalar_value=0.25,
        input_layout="BNSD",
    )
    close_sums(found, naive(*arrays, scale=0.25, shift=shift)[0])
    primitive = FlashAttentionScore(4, scale_value=0.25, input_layout="BNSD")
    top, total, _, found = primitive(*tensors("BNSD", *arrays), Tensor(shift))
    wanted = naive(*arrays, scale=0.25, shift=shift, shift_first=True)
    close_sums(found, wanted[0])
    assert top.shape == total.shape == (2, 4, 5, 8) and top.dtype == ms.float32
    close_sums(top, numpy.broadcast_to(wanted[1][..., None], top.shape))
    close(total, numpy.broadcast_to(wanted[2][..., None], top.shape))


def test_last_rows_of_an_alibi_shift_tell_the_others(monkeypatch):
    without_compiler(monkeypatch)  # else only the second call may have loops
    size = 1030
    query, key, value = inputs(1, 2, 2, size, size)
    gradient = numpy.array([0.25, 0.125])[:, None, None]
    whole = (gradient * -numpy.abs(numpy.arange(size)[:, None] - numpy.arange(size)))[None]
    whole = whole.astype("float16")
    found = [
        ops.flash_attention_score(
            *tensors("BNSD", query, key, value),
            2,
            Tensor(shift),
            attn_mask=TRIANGLE,
            input_layout="BNSD",
            sparse_mode=2,
        )
        for shift in (whole, whole[:, :, -1024:])
    ]
    close(found[1], found[0].asnumpy(), 1e-6)


def test_bits_of_the_mask_drop_weights():
    arrays = inputs(keys=8)
    dropout_mask = numpy.random.default_rng(3).random((2, 4, 5, 8)) < 0.6
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays),
        4,
        drop_mask=Tensor(numpy.packbits(dropout_mask, -1)),
        keep_prob=0.6,
        input_layout="BNSD",
    )
    close_sums(found, naive(*arrays, dropout_mask=dropout_mask, keep_prob=0.6)[0])


def joined(counts, keys, heads=4, groups=2):
    """Sequences of several lengths: concatenated, and one by one."""
    parts = [inputs(1, heads, groups, q, k) for q, k in zip(counts, keys)]
    whole = [numpy.concatenate([p[i][0].transpose(1, 0, 2) for p in parts]) for i in range(3)]
    return whole, parts


@pytest.mark.parametrize("layout", ["TND", "TH"])
def test_joined_sequences(layout):
    counts, keys = (3, 8, 4), (5, 8, 4)
    whole, parts = joined(counts, keys)
    given = [Tensor(x if layout == "TND" else x.reshape(len(x), -1)) for x in whole]
    primitive = ops.FlashAttentionScore(4, sparse_mode=3, input_layout=layout)
    ends = [tuple(int(n) for n in numpy.cumsum(each)) for each in (counts, keys)]
    top, _, _, found = primitive(
        *given, attn_mask=TRIANGLE, actual_seq_qlen=ends[0], actual_seq_kvlen=ends[1]
    )
    wanted = [
        naive(*p, sees=lambda b, h, i, j, q=q, k=k: j <= i + k - q)
        for p, q, k in zip(parts, counts, keys)
    ]
    rows = numpy.concatenate([w[0][0].transpose(1, 0, 2) for w in wanted])
    close_sums(found, rows.reshape(found.shape))
    tops = numpy.concatenate([w[1][0].T for w in wanted])[..., None]
    close_sums(top, numpy.broadcast_to(tops, (15, 4, 8)))
    if layout == "TND":
        again = ops.flash_attention_score(
            *given,
            4,
            attn_mask=TRIANGLE,
            sparse_mode=3,
            input_layout=layout,
            actual_seq_qlen=Tensor(numpy.array(ends[0])),
            actual_seq_kvlen=list(ends[1]),
        )
        close_sums(again, rows)


def test_joined_sequences_with_a_dropout_mask_and_a_shift():
    counts = (4, 8)
    whole, parts = joined(counts, counts)
    dropout_mask = [
        numpy.random.default_rng(i).random((1, 4, n, n)) < 0.5 for i, n in enumerate(counts)
    ]
    bits = numpy.concatenate([numpy.packbits(k.reshape(-1)) for k in dropout_mask])
    distance = -numpy.abs(numpy.arange(8)[:, None] - numpy.arange(8)) * 0.5
    shift = numpy.broadcast_to(distance, (1, 4, 8, 8)).astype("float16")
    found = ops.flash_attention_score(
        *map(Tensor, whole),
        4,
        Tensor(shift),
        Tensor(bits),
        attn_mask=TRIANGLE,
        sparse_mode=2,
        actual_seq_qlen=(4, 12),
        actual_seq_kvlen=(4, 12),
        keep_prob=0.5,
        input_layout="TND",
    )
    wanted = [
        naive(*p, shift=shift, dropout_mask=k, keep_prob=0.5, sees=lambda b, h, i, j: j <= i)[0]
        for p, k in zip(parts, dropout_mask)
    ]
    close_sums(found, numpy.concatenate([w[0].transpose(1, 0, 2) for w in wanted]))


def test_a_query_that_sees_nothing_gathers_zeros():
    arrays = inputs(queries=7, keys=5)
    found = ops.flash_attention_score(
        *tensors("BNSD", *arrays), 4, attn_mask=TRIANGLE, input_layout="BNSD", sparse_mode=3
    )
    assert not found[:, :, :2].asnumpy().any() and found[:, :, 2].asnumpy().all()


# Gradients ----------------------------------------------------------------------------------------


@pytest.fixture(params=[1 << 18, 60, 12, 5])
def small_blocks(request, monkeypatch):
    """Divides attention into blocks of a few scores."""
    monkeypatch.setattr(HOST, "at_once", lambda: request.param, raising=False)
    monkeypatch.setattr(blocks, "_FEWEST", 1)


@pytest.mark.parametrize("band", [None, (1, 1, 0), (-1, 9, 0), (0, -1, 2)])
@pytest.mark.parametrize("first", [False, True])
def test_gradients_agree_with_differences(first, band, small_blocks):
    rng = numpy.random.default_rng(0)
    shapes = [(2, 2, 2, 4, 3), (2, 2, 1, 5, 3), (2, 2, 1, 5, 3), (1, 2, 2, 4, 5)]
    barred = rng.random((2, 1, 1, 4, 5)) < 0.3
    barred[0, 0, 0, 1] = True  # a query that sees nothing
    barred = Tensor(barred)
    bits = Tensor(numpy.packbits(rng.random((2, 2, 2, 4, 5)) < 0.7, -1))

    def fn(query, key, value, shift):
        return attend.run(query, key, value, shift, barred, bits, 0.7, 0.7, first, band)

    check_gradients(fn, *[rng.standard_normal(shape) for shape in shapes])


@pytest.mark.parametrize("band", [(2, 9, 0), (0, 1, 1), (-3, 2, 4), (0, -2, 3)])
def test_bands_are_masks(band, small_blocks):
    query, key, value = (random(2, 3, n, 4, seed=n) for n in (7, 9, 9))
    ahead = numpy.arange(9) - numpy.arange(7)[:, None] - band[0]
    barred = (ahead > band[2]) | (ahead < -band[1])
    given = *map(Tensor, (query, key, value)), None
    out = attend.run(*given, Tensor(barred), None, 0.5)
    close(attend.run(*given, None, None, 0.5, 1.0, False, band), out, atol=1e-12)
    extent = attention_extent.run(*given[:2], None, Tensor(barred), 0.5)
    for x, y in zip(attention_extent.run(*given[:2], None, None, 0.5, False, band), extent):
        close_sums(x, y)


def test_long_attention_works_in_blocks():
    query, key, value = (random(1, 1, n, 8, seed=n) for n in (300, 2000, 2000))
    out = attend.run(*map(Tensor, (query, key, value)), None, None, None, 0.3).asnumpy()
    scores = query @ key.swapaxes(-1, -2) * 0.3
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    close(out, weights / weights.sum(-1, keepdims=True) @ value, atol=0)


def scores_of(steps, band=None):
    """The number of scores of all blocks, and of the largest one."""
    query, key = (numpy.empty((2, 8, steps, 4), "float32") for _ in range(2))
    plan = blocks.Blocks(HOST, (query, key), steps, band)
    sizes = []
    for number in range(plan.count):
        block = plan.block(number)
        heads = query[block.lead].shape[0] * query[block.lead].shape[1]
        sizes.append(heads * (block.last - block.first) * (block.high - block.low))
    return sum(sizes), max(sizes)


def test_memory_is_linear_in_the_steps_and_a_band_skips_blocks():
    for steps in (64, 1024, 4096, 16384):
        total, largest = scores_of(steps)
        assert total == 16 * steps**2
        assert largest <= max(1 << 18, 32 * steps)
    assert scores_of(4096, (0, 4096, 0))[0] < 0.52 * 16 * 4096**2
    assert scores_of(16384, (0, 512, 0))[0] < 16 * 16384 * 600


def test_gradients_of_weights_agree_with_differences():
    rng = numpy.random.default_rng(0)
    check_gradients(
        lambda q, k, shift: attention_weights.run(q, k, shift, None, 0.7),
        *[rng.standard_normal(shape) for shape in [(3, 4, 2), (3, 5, 2), (4, 5)]],
    )


def test_gradient_through_a_layout_in_half():
    arrays = inputs()
    given = [Tensor(TO["SBH"](x)) for x in arrays]

    def fn(*parts):
        return (
            ops.flash_attention_score(*parts, 4, input_layout="SBH", scalar_value=0.25)
            .astype(ms.float32)
            .sum()
        )

    found = ms.grad(fn, (0, 1, 2))(*given)
    wide = [Tensor(x.astype("float64").reshape(x.shape[0], 2, -1, *x.shape[2:])) for x in arrays]
    wanted = ms.grad(lambda *parts: attend.run(*parts, None, None, None, 0.25).sum(), (0, 1, 2))(
        *wide
    )
    for f, w, x in zip(found, wanted, arrays):
        close_sums(f, TO["SBH"](w.asnumpy().reshape(x.shape)))
        assert f.dtype == ms.float16


def test_slices_of_vmap_are_alike():
    q, k, v = (Tensor(random(3, 4, 5, seed=i)) for i in range(3))
    found = ms.vmap(lambda *one: attend.run(*one, None, None, None, 0.5))(q, k, v)
    for i in range(3):
        close(found[i], attend.run(q[i], k[i], v[i], None, None, None, 0.5).asnumpy())


# Refusals -----------------------------------------------------------------------------------------

X = Tensor(numpy.ones((2, 8, 64), numpy.float16))
WIDE = Tensor(numpy.ones((2, 8, 64), numpy.float32))


def ones(*shape, dtype="float16"):
    return Tensor(numpy.ones(shape, dtype))


@pytest.mark.parametrize(
    "given, error",
    [
        (dict(query=WIDE), TypeError),
        (dict(key=X.astype(ms.bfloat16)), TypeError),
        (dict(attn_mask=ones(8, 8)), TypeError),
        (dict(attn_mask=1), TypeError),
        (dict(real_shift=ones(2, 4, 8, 8, dtype="float32")), TypeError),
        (dict(scalar_value=1), TypeError),
        (dict(keep_prob=1), TypeError),
        (dict(input_layout=1), TypeError),
        (dict(sparse_mode=1.0), TypeError),
        (dict(drop_mask=1), TypeError),
        (dict(padding_mask=1), TypeError),
        (dict(head_num="4"), TypeError),
        (dict(input_layout="TH"), ValueError),
        (dict(padding_mask=X), ValueError),
        (dict(actual_seq_qlen=(8,)), ValueError),
        (dict(input_layout="TND"), RuntimeError),
        (dict(attn_mask=ones(8, 8, dtype="uint8"), pre_tokens=-1, next_tokens=-1), ValueError),
        (dict(head_num=5), RuntimeError),
        (dict(head_num=0), RuntimeError),
        (dict(attn_mask=ones(7, 8, dtype="uint8")), RuntimeError),
        (dict(sparse_mode=1), RuntimeError),
        (dict(sparse_mode=2), RuntimeError),
        (dict(sparse_mode=6), RuntimeError),
        (dict(sparse_mode=-1), RuntimeError),
        (dict(attn_mask=ones(8, 8, dtype="uint8"), sparse_mode=2), RuntimeError),
        (dict(attn_mask=ones(2, 1, 8, 8, dtype="uint8"), sparse_mode=5), RuntimeError),
        (dict(keep_prob=1.5), RuntimeError),
        (dict(keep_prob=0.5), RuntimeError),
        (dict(drop_mask=ones(2, 4, 8, 1, dtype="uint8")), RuntimeError),
        (dict(keep_prob=0.5, drop_mask=ones(2, 4, 8, 2, dtype="uint8")), RuntimeError),
        (dict(real_shift=ones(2, 3, 8, 8)), RuntimeError),
        (dict(value=ones(2, 8, 32)), RuntimeError),
        (dict(key=ones(2, 8, 40)), RuntimeError),
        (dict(key=ones(3, 8, 64), value=ones(3, 8, 64)), RuntimeError),
    ],
)
def test_refusals(given, error):
    given = {"query": X, "key": X, "value": X, "head_num": 4, **given}
    with pytest.raises(error, match="^For 'flash_attention_score'"):
        ops.flash_attention_score(**given)


def test_lengths_that_do_not_fit():
    x = ones(8, 4, 16)
    for ends in ((None, (8,)), ((3, 7), (3, 8)), ((5, 3, 8), (5, 6, 8)), ((3, 8), (8,))):
        with pytest.raises(ValueError):
            ops.flash_attention_score(
                x, x, x, 4, input_layout="TND", actual_seq_qlen=ends[0], actual_seq_kvlen=ends[1]
            )


# Rings --------------------------------------------------------------------------------------------


def halves(queries=4, keys=10, heads=2, features=64):
    query, key, value = (random(1, heads, n, features, seed=n) * 0.2 for n in (queries, keys, keys))
    value = random(1, heads, keys, features)
    parts = [naive(query, key[:, :, at], value[:, :, at]) for at in (slice(0, 6), slice(6, 10))]
    return naive(query, key, value), parts


@pytest.mark.parametrize("layout", ["SBH", "TND"])
def test_two_parts_of_a_ring_join(layout):
    whole, parts = halves()

    def laid_out(out, *stats):
        wide = [numpy.repeat(x[..., None], 8, -1) for x in stats]
        if layout == "SBH":
            return [TO["SBH"](out), *wide]
        return [out[0].transpose(1, 0, 2), *(x[0].swapaxes(0, 1) for x in wide)]

    given = [Tensor(x.astype("float32")) for part in parts for x in laid_out(*part)]
    found = ops.ring_attention_update(
        *given, Tensor([0, 1, 4], ms.int64) if layout == "TND" else None, layout
    )
    for f, w in zip(found, laid_out(*whole)):
        close_sums(f, w)
    half = [given[0].astype(ms.float16), *given[1:3], given[3].astype(ms.float16), *given[4:]]
    ends = Tensor([0, 4], ms.int32) if layout == "TND" else None
    found = ops.ring_attention_update(*half, ends, layout)
    assert [f.dtype for f in found] == [ms.float16, ms.float32, ms.float32]
    gradient = ms.grad(lambda x: ops.ring_attention_update(x, *given[1:], ends, layout)[0].sum())(
        given[0]
    )
    assert gradient.shape == given[0].shape and 0 < gradient.asnumpy().min() <= 1


@pytest.mark.parametrize(
    "features, heads, lengths",
    [
        (32, 2, (0, 4)),
        (64, 2, None),
        (64, 2, (0, 5)),
        (64, 2, (1, 4)),
        (64, 2, (0, 3, 2, 4)),
        (256, 256, (0, 4)),
    ],
)
def test_rings_refused(features, heads, lengths):
    out, stat = ones(4, heads, features, dtype="float32"), ones(4, heads, 8, dtype="float32")
    lengths = lengths and Tensor(lengths)
    with pytest.raises(RuntimeError):
        ops.ring_attention_update(*[out, stat, stat] * 2, lengths, "TND")
