"""Windows of keys, the selection of keys and attention to the selected ones against loops, and
their gradients against differences, in float64.
"""

import math

import numpy
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._attention import sparse_flash
from mindspore_compat.ops._attention.nsa_compress import nsa_compress
from mindspore_compat.ops._attention.sparse_flash import attend_chosen, best_keys, indexer_scores


def random(*shape, seed=0, dtype="float16"):
    return numpy.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def int32(values):
    return Tensor(numpy.asarray(values, numpy.int32))


# Windows ------------------------------------------------------------------------------------------


def windows(x, weight, block, stride, ends):
    """Sums of windows, one after the other."""
    x, weight, found, start = x.astype("float64"), weight.astype("float64"), [], 0
    for end in ends:
        while start + block <= end:
            found.append(sum(weight[i][:, None] * x[start + i] for i in range(block)))
            start += stride
        start = end
    return numpy.array(found).reshape(-1, *x.shape[1:])


@pytest.mark.parametrize(
    "block, stride, ends",
    [(32, 16, (40, 50, 96)), (16, 16, (96,)), (64, 48, (1, 96)), (48, 32, (96,))],
)
def test_windows_lie_within_sequences(block, stride, ends):
    x, weight = random(96, 2, 16), random(block, 2)
    found = ops.nsa_compress(Tensor(x), Tensor(weight), block, stride, actual_seq_len=ends)
    close_sums(found, windows(x, weight, block, stride, ends))
    again = auto_generate.NsaCompress()(Tensor(x), Tensor(weight), block, stride, list(ends))
    assert found.dtype == ms.float16 and (found == again).all()


def test_128_heads_of_256_features():
    x, weight = random(16, 128, 256), random(16, 128)
    found = ops.nsa_compress(Tensor(x), Tensor(weight), 16, 16, actual_seq_len=(16,))
    close_sums(found, windows(x, weight, 16, 16, (16,)))


def test_no_window_fits():
    x, weight = Tensor(random(30, 2, 16)), Tensor(random(16, 2))
    found = ops.nsa_compress(x, weight, 16, 16, actual_seq_len=(15, 30))
    assert found.shape == (0, 2, 16)
    gradient = ms.grad(lambda x: nsa_compress.run(x, weight, 16, 16, (15, 30)).sum())(x)
    assert gradient.shape == x.shape and not gradient.asnumpy().any()


@pytest.mark.parametrize("block, stride, ends", [(32, 16, (40, 50, 96)), (48, 32, (96,))])
def test_gradients_of_windows(block, stride, ends):
    check_gradients(
        lambda x, weight: nsa_compress.run(x, weight, block, stride, ends),
        random(96, 2, 16, dtype="float64"),
        random(block, 2, dtype="float64"),
    )


X, WEIGHT = Tensor(random(64, 2, 16)), Tensor(random(32, 2))


@pytest.mark.parametrize(
    "given, error",
    [
        ({"input": 1}, TypeError),
        ({"weight": WEIGHT.astype(ms.float32)}, TypeError),
        ({"weight": WEIGHT.astype(ms.bfloat16)}, TypeError),
        ({"compress_block_size": 32.0}, TypeError),
        ({"actual_seq_len": 64}, TypeError),
        ({"actual_seq_len": (64.0,)}, TypeError),
        ({"input": X[0]}, RuntimeError),
        ({"weight": WEIGHT[0]}, RuntimeError),
        ({"weight": WEIGHT[:16]}, RuntimeError),
        ({"weight": WEIGHT[:, :1]}, RuntimeError),
        ({"input": X[:, :, :8]}, RuntimeError),
        ({"input": Tensor(random(64, 2, 272))}, RuntimeError),
        ({"input": Tensor(random(64, 129, 16)), "weight": Tensor(random(32, 129))}, RuntimeError),
        ({"compress_block_size": 40, "weight": Tensor(random(40, 2))}, RuntimeError),
        ({"compress_block_size": 144, "weight": Tensor(random(144, 2))}, RuntimeError),
        ({"compress_stride": 24}, RuntimeError),
        ({"compress_stride": 48}, RuntimeError),
        ({"compress_stride": 0}, RuntimeError),
        ({"actual_seq_len": ()}, RuntimeError),
        ({"actual_seq_len": (40, 30, 64)}, RuntimeError),
        ({"actual_seq_len": (0, 64)}, RuntimeError),
        ({"actual_seq_len": (63,)}, RuntimeError),
    ],
)
def test_windows_refused(given, error):
    given = {
        "input": X,
        "weight": WEIGHT,
        "compress_block_size": 32,
        "compress_stride": 16,
        "actual_seq_len": (64,),
        **given,
    }
    with pytest.raises(error, match="^For 'nsa_compress'"):
        ops.nsa_compress(**given)


# The choice ---------------------------------------------------------------------------------------


def score(query, key, weights):
    """The score of a key for a query: the weighted sum over heads."""
    return sum(float(w) * max(float(q @ key), 0.0) for q, w in zip(query, weights))


def ranked(query, key, weights, count, mode):
    """The best keys of each query of one sequence: indices and scores, by sorting."""
    query, key, weights = (x.astype("float64") for x in (query, key, weights))
    indices = numpy.full((len(query), 1, count), -1)
    values = numpy.full((len(query), 1, count), -math.inf)
    for i in range(len(query)):
        seen = [j for j in range(len(key)) if mode == 0 or j <= i + len(key) - len(query)]
        order = sorted(seen, key=lambda j: -score(query[i], key[j, 0], weights[i]))[:count]
        indices[i, 0, : len(order)] = order
        values[i, 0, : len(order)] = [score(query[i], key[j, 0], weights[i]) for j in order]
    return indices, values


@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("count", [1, 4, 9])
def test_best_keys_of_a_batch(mode, count):
    query, key, weights = random(2, 5, 3, 8), random(2, 7, 1, 8), random(2, 5, 3)
    indices, values = ops.lightning_indexer(
        *map(Tensor, (query, key, weights)), sparse_count=count, sparse_mode=mode, return_value=True
    )
    wanted = [ranked(*one, count, mode) for one in zip(query, key, weights)]
    assert indices.dtype == ms.int32 and values.dtype == ms.float16
    numpy.testing.assert_array_equal(indices.asnumpy(), [w[0] for w in wanted])
    close_sums(values, [w[1] for w in wanted])
    alone = ops.lightning_indexer(
        *map(Tensor, (query, key, weights)), sparse_count=count, sparse_mode=mode
    )
    assert (alone[0] == indices).all() and alone[1].shape == (0,) and alone[1].dtype == ms.float16
    again = auto_generate.LightningIndexer()(
        *map(Tensor, (query, key, weights)), sparse_count=count, sparse_mode=mode
    )
    assert (again[0] == indices).all()


def test_more_queries_than_keys_see_nothing_at_first():
    query, key, weights = random(1, 5, 3, 8), random(1, 3, 1, 8), random(1, 5, 3)
    indices, _ = ops.lightning_indexer(*map(Tensor, (query, key, weights)), sparse_count=2)
    assert (indices.asnumpy()[0, :2] == -1).all() and (indices.asnumpy()[0, 2, 0] == [0, -1]).all()


def test_best_keys_of_sequences_of_several_lengths():
    query, key, weights = random(2, 5, 3, 8), random(2, 7, 1, 8), random(2, 5, 3)
    queries, keys = (3, 5), (6, 0)
    indices, values = ops.lightning_indexer(
        *map(Tensor, (query, key, weights)),
        actual_seq_lengths_query=int32(queries),
        actual_seq_lengths_key=int32(keys),
        sparse_count=4,
        return_value=True,
    )
    for b in range(2):
        wanted = ranked(query[b, : queries[b]], key[b, : keys[b]], weights[b, : queries[b]], 4, 3)
        numpy.testing.assert_array_equal(indices[b, : queries[b]].asnumpy(), wanted[0])
        close_sums(values[b, : queries[b]], wanted[1])
    assert (indices[0, 3:].asnumpy() == -1).all() and (values[0, 3:].asnumpy() == -math.inf).all()


def paged(key, lengths, size, seed=0):
    """Returns keys in pages of random order, and the table of page numbers."""
    pages = [-(-n // size) for n in lengths]
    order = iter(numpy.random.default_rng(seed).permutation(sum(pages) + 2))
    table = numpy.full((len(lengths), max(pages) + 1), -7, numpy.int32)
    whole = random(sum(pages) + 2, size, *key[0].shape[1:], seed=9)
    for b, n in enumerate(lengths):
        for p in range(pages[b]):
            table[b, p] = next(order)
            rows = key[b][p * size : min((p + 1) * size, n)]
            whole[table[b, p], : len(rows)] = rows
    return whole, table


@pytest.mark.parametrize("layout", ["BSND", "TND"])
def test_best_keys_in_pages_and_of_joined_sequences(layout):
    counts, lengths = (0, 2, 3, 1), (4, 5, 8, 3)
    query = [random(n, 3, 8, seed=n) for n in counts]
    weights = [random(n, 3, seed=n) for n in counts]
    key = [random(n, 1, 8, seed=n) for n in lengths]
    wanted = numpy.concatenate([ranked(*one, 4, 3)[0] for one in zip(query, key, weights)])
    joined = [Tensor(numpy.concatenate(each)) for each in (query, key, weights)]
    ends = {
        "actual_seq_lengths_query": int32(numpy.cumsum(counts)),
        "layout_query": "TND",
        "sparse_count": 4,
    }
    whole, table = paged(key, lengths, 4)
    found = ops.lightning_indexer(
        joined[0],
        Tensor(whole),
        joined[2],
        layout_key="PA_BSND",
        block_table=int32(table),
        actual_seq_lengths_key=int32(lengths),
        **ends,
    )[0]
    numpy.testing.assert_array_equal(found.asnumpy(), wanted)
    if layout == "TND":
        ends["actual_seq_lengths_key"] = int32(numpy.cumsum(lengths))
        found = ops.lightning_indexer(*joined, layout_key="TND", **ends)[0]
        numpy.testing.assert_array_equal(found.asnumpy(), wanted)


def test_the_choice_works_in_parts(monkeypatch):
    query, key, weights = (Tensor(random(*s)) for s in [(1, 9, 3, 8), (1, 7, 1, 8), (1, 9, 3)])
    wanted = ops.lightning_indexer(query, key, weights, sparse_count=4, return_value=True)
    monkeypatch.setattr(sparse_flash.space_for(query._array), "at_once", lambda: 14)
    found = ops.lightning_indexer(query, key, weights, sparse_count=4, return_value=True)
    assert (found[0] == wanted[0]).all() and (found[1].asnumpy() == wanted[1].asnumpy()).all()


def test_gradients_of_scores():
    check_gradients(
        indexer_scores.run, *(random(*s, dtype="float64") for s in [(3, 4, 5), (6, 5), (3, 4)])
    )
    seen = Tensor(numpy.array([4, 6, 3]))
    check_gradients(lambda s: best_keys.run(s, seen, 3)[0], random(3, 6, dtype="float64") * 4)

    def fn(query, key, weights):
        return (
            ops.lightning_indexer(
                query, key, weights, sparse_count=2, sparse_mode=0, return_value=True
            )[1]
            .astype(ms.float32)
            .sum()
        )

    given = [Tensor(random(*s)) for s in [(2, 4, 3, 5), (2, 6, 1, 5), (2, 4, 3)]]
    for gradient, one in zip(ms.grad(fn, (0, 1, 2))(*given), given):
        assert (
            gradient.shape == one.shape
            and gradient.dtype == ms.float16
            and gradient.asnumpy().any()
        )


Q, K, W = (Tensor(random(*s)) for s in [(2, 4, 3, 8), (2, 6, 1, 8), (2, 4, 3)])


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": 1}, TypeError),
        ({"key": K.astype(ms.bfloat16)}, TypeError),
        ({"weights": W.astype(ms.float32)}, TypeError),
        ({"sparse_count": 2.0}, TypeError),
        ({"layout_query": 1}, TypeError),
        ({"return_value": 1}, TypeError),
        ({"actual_seq_lengths_query": Tensor([4, 4], ms.int64)}, TypeError),
        ({"sparse_count": 0}, ValueError),
        ({"sparse_count": 2049}, ValueError),
        ({"sparse_mode": 1}, ValueError),
        ({"pre_tokens": 5}, ValueError),
        ({"next_tokens": 5}, ValueError),
        ({"layout_query": "BNSD"}, ValueError),
        ({"layout_key": "TND"}, ValueError),
        ({"layout_query": "TND", "layout_key": "TND"}, ValueError),
        ({"query": Q[0]}, ValueError),
        ({"weights": W[0]}, ValueError),
        ({"key": Tensor(random(2, 6, 2, 8))}, ValueError),
        ({"key": K[:1]}, ValueError),
        ({"actual_seq_lengths_query": int32([4, 5])}, ValueError),
        ({"actual_seq_lengths_query": int32([4])}, ValueError),
        ({"actual_seq_lengths_key": int32([-1, 5])}, ValueError),
        ({"layout_key": "PA_BSND"}, ValueError),
        ({"layout_key": "PA_BSND", "actual_seq_lengths_key": int32([6, 6])}, ValueError),
        (
            {
                "layout_key": "PA_BSND",
                "actual_seq_lengths_key": int32([6, 6]),
                "block_table": int32([[0], [2]]),
            },
            ValueError,
        ),
        (
            {
                "layout_key": "PA_BSND",
                "actual_seq_lengths_key": int32([6, 7]),
                "block_table": int32([[0], [1]]),
            },
            ValueError,
        ),
        (
            {
                "layout_key": "PA_BSND",
                "actual_seq_lengths_key": int32([6, 6]),
                "block_table": int32([[0], [1]]),
                "return_value": True,
            },
            ValueError,
        ),
    ],
)
def test_choices_refused(given, error):
    given = {"query": Q, "key": K, "weights": W, "sparse_count": 3, **given}
    with pytest.raises(error, match="^For 'lightning_indexer'"):
        ops.lightning_indexer(**given)


# Attention to the chosen --------------------------------------------------------------------------


def attention(query, key, value, indices, scale, block=1, mode=3):
    """Attention of one sequence by loops: the result, the largest scores, the softmax
    denominators."""
    query, key, value = (x.astype("float64") for x in (query, key, value))
    out = numpy.zeros((*query.shape[:2], value.shape[-1]))
    tops, sums = numpy.zeros((2, *query.shape[:2]))
    for i, h in numpy.ndindex(*query.shape[:2]):
        named = [p * block + n for p in indices[i, 0] if p >= 0 for n in range(block)]
        last = i + len(key) - len(query) if mode == 3 else len(key)
        named = [j for j in named if j < len(key) and j <= last]
        scores = [scale * query[i, h] @ key[j, 0] for j in named]
        if scores:
            tops[i, h] = max(scores)
            powers = [math.exp(s - tops[i, h]) for s in scores]
            sums[i, h] = sum(powers)
            out[i, h] = sum(p * value[j, 0] for p, j in zip(powers, named)) / sums[i, h]
    return out, tops, sums


def chosen(queries, keys, count, block=1, heads=3, seed=0):
    """Queries, keys, values, indices and positional features of one sequence."""
    rng = numpy.random.default_rng(seed)
    indices = rng.integers(-1, -(-keys // block), (queries, 1, count)).astype("int32")
    return (
        random(queries, heads, 8, seed=seed),
        random(keys, 1, 8, seed=seed),
        random(keys, 1, 8, seed=seed + 1),
        indices,
        random(queries, heads, 4, seed=seed),
        random(keys, 1, 4, seed=seed),
    )


def of_all(query, key, value, indices, query_rope, key_rope, **options):
    query = numpy.concatenate([query, query_rope], -1)
    return attention(query, numpy.concatenate([key, key_rope], -1), value, indices, 0.3, **options)


@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("block", [1, 2, 4])
def test_attention_of_a_batch(mode, block):
    sequences = [chosen(5, 9, 3, block, seed=seed) for seed in (0, 5)]
    query, key, value, indices, query_rope, key_rope = (
        Tensor(numpy.stack(each)) for each in zip(*sequences)
    )
    given = {
        "query_rope": query_rope,
        "key_rope": key_rope,
        "sparse_block_size": block,
        "sparse_mode": mode,
        "attention_mode": 2,
    }
    found = ops.sparse_flash_attention(
        query, key, value, indices, 0.3, return_softmax_lse=True, **given
    )
    wanted = [of_all(*one, block=block, mode=mode) for one in sequences]
    close_sums(found[0], [w[0] for w in wanted])
    assert found[0].dtype == ms.float16 and found[1].shape == found[2].shape == (2, 1, 5, 3)
    sums = numpy.array([w[2] for w in wanted])[:, None]
    some = sums > 0
    close(found[2], sums)
    close(found[1].asnumpy()[some], numpy.array([w[1] for w in wanted])[:, None][some])
    alone = auto_generate.SparseFlashAttention()(query, key, value, indices, 0.3, **given)
    assert (alone[0] == found[0]).all()
    assert [(x.shape, x.dtype) for x in alone[1:]] == [((0,), ms.float32)] * 2


def test_attention_of_joined_sequences_and_pages():
    counts, lengths = (2, 3, 1), (5, 8, 0)
    sequences = [chosen(q, max(k, 1), 4, seed=i) for i, (q, k) in enumerate(zip(counts, lengths))]
    sequences = [
        (s[0], s[1][:k], s[2][:k], s[3], s[4], s[5][:k]) for s, k in zip(sequences, lengths)
    ]
    wanted = [of_all(*one) for one in sequences]
    query, key, value, indices, query_rope, key_rope = (
        Tensor(numpy.concatenate(each)) for each in zip(*sequences)
    )
    ends = {
        "actual_seq_lengths_query": int32(numpy.cumsum(counts)),
        "layout_query": "TND",
        "query_rope": query_rope,
        "attention_mode": 2,
    }
    found = ops.sparse_flash_attention(
        query,
        key,
        value,
        indices,
        0.3,
        actual_seq_lengths_kv=int32(numpy.cumsum(lengths)),
        layout_kv="TND",
        key_rope=key_rope,
        return_softmax_lse=True,
        **ends,
    )
    rows = numpy.concatenate([w[0] for w in wanted])
    close_sums(found[0], rows)
    assert found[1].shape == found[2].shape == (1, 6, 3)
    close(found[2], numpy.concatenate([w[2] for w in wanted])[None])
    pages = [paged([s[i] for s in sequences], lengths, 4) for i in (1, 2, 5)]
    found = ops.sparse_flash_attention(
        query,
        Tensor(pages[0][0]),
        Tensor(pages[1][0]),
        indices,
        0.3,
        actual_seq_lengths_kv=int32(lengths),
        block_table=int32(pages[0][1]),
        layout_kv="PA_BSND",
        key_rope=Tensor(pages[2][0]),
        **ends,
    )
    close_sums(found[0], rows)


def test_extent_of_padded_queries_and_in_parts(monkeypatch):
    sequences = [chosen(5, 9, 3, seed=seed) for seed in (0, 5)]
    query, key, value, indices, query_rope, key_rope = (
        Tensor(numpy.stack(each)) for each in zip(*sequences)
    )
    monkeypatch.setattr(sparse_flash.space_for(query._array), "at_once", lambda: 80)
    out, tops, sums = ops.sparse_flash_attention(
        query,
        key,
        value,
        indices,
        0.3,
        query_rope=query_rope,
        key_rope=key_rope,
        attention_mode=2,
        sparse_mode=0,
        actual_seq_lengths_query=int32([3, 5]),
        return_softmax_lse=True,
    )
    for b, count in enumerate((3, 5)):
        one = sequences[b]
        wanted = of_all(one[0][:count], *one[1:3], one[3][:count], one[4][:count], one[5], mode=0)
        for found, w in zip((out[b], tops[b, 0], sums[b, 0]), wanted):
            some = wanted[2] > 0
            close_sums(found[:count][Tensor(some)], w[some])
    for found in (out[0, 3:], tops[0, 0, 3:], sums[0, 0, 3:]):
        assert not found.asnumpy().any()


@pytest.mark.parametrize("blocks, seen, wanted", [([0, 9, -1, 1], 6, 6), ([9, -1], 6, 1)])
def test_keys_that_no_query_sees_are_not_gathered(blocks, seen, wanted):
    blocks = numpy.array([blocks])
    at = sparse_flash._blocks(sparse_flash.space_for(blocks), blocks, 4, numpy.array([seen]))
    assert at.shape == (1, wanted)


def test_one_page_for_each_sequence():
    one = chosen(2, 4, 3)
    query, key, value, indices, query_rope, key_rope = (Tensor(x[None]) for x in one)
    found = ops.sparse_flash_attention(
        query,
        key,
        value,
        indices,
        0.3,
        block_table=int32([0]),
        actual_seq_lengths_kv=int32([4]),
        layout_kv="PA_BSND",
        query_rope=query_rope,
        key_rope=key_rope,
        attention_mode=2,
    )
    close_sums(found[0][0], of_all(*one)[0])


@pytest.mark.parametrize("rows", [3, 1])
def test_gradients_of_attention(rows, monkeypatch):
    whole = sparse_flash._key_ranges

    def by_rows(xp, query, indices, seen):
        for start in range(0, query.shape[0], rows):
            part = slice(start, start + rows)
            for _, at, barred in whole(xp, query[part], indices[part], seen[part]):
                yield part, at, barred

    monkeypatch.setattr(sparse_flash, "_key_ranges", by_rows)
    indices = int32([[0, 1, 1, -1], [3, 2, 5, 0], [0, 1, 2, 3]])
    seen = Tensor(numpy.array([2, 4, 0]))
    check_gradients(
        lambda q, k, v: attend_chosen.run(q, k, v, indices, seen, 0.7),
        *(random(*s, dtype="float64") for s in [(3, 2, 5), (6, 5), (6, 3)]),
    )


def test_gradient_through_sequences():
    query, key, value, indices, query_rope, key_rope = (Tensor(x[None]) for x in chosen(5, 9, 3))

    def fn(*given):
        query, key, value, query_rope, key_rope = given
        return (
            ops.sparse_flash_attention(
                query,
                key,
                value,
                indices,
                0.3,
                query_rope=query_rope,
                key_rope=key_rope,
                attention_mode=2,
            )[0]
            .astype(ms.float32)
            .sum()
        )

    given = query, key, value, query_rope, key_rope
    for gradient, one in zip(ms.grad(fn, (0, 1, 2, 3, 4))(*given), given):
        assert (
            gradient.shape == one.shape
            and gradient.dtype == ms.float16
            and gradient.asnumpy().any()
        )


ONE = [Tensor(x[None]) for x in chosen(2, 4, 3)]
NAMES = ("query", "key", "value", "sparse_indices", "query_rope", "key_rope")


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": 1}, TypeError),
        ({"sparse_indices": ONE[3].astype(ms.int64)}, TypeError),
        ({"key": ONE[1].astype(ms.float32)}, TypeError),
        ({"value": ONE[2].astype(ms.bfloat16)}, TypeError),
        ({"scale_value": "0.3"}, TypeError),
        ({"sparse_block_size": 2.0}, TypeError),
        ({"layout_kv": "wrong"}, RuntimeError),
        ({"layout_query": "PA_BSND"}, RuntimeError),
        ({"layout_query": "TND"}, RuntimeError),
        ({"sparse_mode": 1}, RuntimeError),
        ({"sparse_block_size": 0}, RuntimeError),
        ({"sparse_block_size": 3}, RuntimeError),
        ({"sparse_block_size": 256}, RuntimeError),
        ({"attention_mode": 0}, ValueError),
        ({"query_rope": None}, ValueError),
        ({"key_rope": ONE[5][:, :, :, :2]}, ValueError),
        ({"key_rope": ONE[5][:, 1:]}, ValueError),
        ({"value": ONE[2][:, 1:]}, ValueError),
        ({"sparse_indices": ONE[3][:, 1:]}, ValueError),
        ({"sparse_indices": ONE[3][0]}, ValueError),
        ({"query": ONE[0][0]}, ValueError),
        (
            {
                "layout_kv": "PA_BSND",
                "actual_seq_lengths_kv": int32([4]),
                "block_table": int32([0]),
                "return_softmax_lse": True,
            },
            ValueError,
        ),
    ],
)
def test_attention_refused(given, error):
    given = {**dict(zip(NAMES, ONE)), "scale_value": 0.3, "attention_mode": 2, **given}
    with pytest.raises(error, match="^For 'sparse_flash_attention'"):
        ops.sparse_flash_attention(**given)
