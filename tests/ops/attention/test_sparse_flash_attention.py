"""nsa_select_attention against loops over queries and heads; its gradient against differences."""

import math

import numpy
import pytest
from kit import close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops._attention.nsa_select import _of_sequence

QUERIES, KEYS = (3, 5), (100, 228)  # where the sequences end
HEADS, GROUPS, COUNT = 4, 2, 2


def random(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape)


def chosen(seed=0):
    rng = numpy.random.default_rng(seed)
    return (
        numpy.stack([rng.permutation(2)[:COUNT] for _ in range(QUERIES[-1] * GROUPS)])
        .reshape(QUERIES[-1], GROUPS, COUNT)
        .astype("int32")
    )


def naive(query, key, value, blocks, scale):
    out = numpy.zeros((len(query), HEADS, value.shape[-1]))
    tops, sums = numpy.zeros((2, len(query), HEADS))
    for t, h in numpy.ndindex(len(query), HEADS):
        at = 0 if t < QUERIES[0] else 1
        start, end = ((0, KEYS[0]), KEYS)[at]
        g = h * GROUPS // HEADS
        seen = [
            j
            for block in blocks[t, g]
            for j in range(start + 64 * block, min(start + 64 * block + 64, end))
        ]
        scores = [query[t, h] @ key[j, g] * scale for j in seen]
        tops[t, h] = max(scores)
        sums[t, h] = sum(math.exp(s - tops[t, h]) for s in scores)
        for s, j in zip(scores, seen):
            out[t, h] += math.exp(s - tops[t, h]) / sums[t, h] * value[j, g]
    return out, tops, sums


def test_selected_blocks_are_attended_to():
    query, key, value = (
        random(n, h, d, seed=d).astype("float16")
        for n, h, d in ((5, HEADS, 16), (228, GROUPS, 16), (228, GROUPS, 8))
    )
    blocks = chosen()
    found = ops.nsa_select_attention(
        *map(Tensor, (query, key, value, blocks)),
        0.25,
        HEADS,
        64,
        COUNT,
        actual_seq_qlen=QUERIES,
        actual_seq_kvlen=list(KEYS),
    )
    wanted = naive(*(x.astype("float64") for x in (query, key, value)), blocks, 0.25)
    assert [f.dtype for f in found] == [ms.float16, ms.float32, ms.float32]
    close_sums(found[0], wanted[0])
    for f, w in zip(found[1:], wanted[1:]):
        close_sums(f, numpy.repeat(w[..., None], 8, -1))


def test_a_block_beyond_the_end_holds_nothing():
    query, key, value = (Tensor(random(n, 1, 16).astype("float16")) for n in (1, 64, 64))

    def run(*blocks):
        return ops.nsa_select_attention(
            query,
            key,
            value,
            Tensor(numpy.array([[blocks]], "int32")),
            0.25,
            1,
            64,
            len(blocks),
            actual_seq_qlen=(1,),
            actual_seq_kvlen=(64,),
        )[0].asnumpy()

    numpy.testing.assert_array_equal(run(0, 1), run(0))


def test_gradients_agree_with_differences():
    blocks = Tensor(chosen()[:2])
    check_gradients(
        lambda q, k, v: _of_sequence(q, k, v, blocks, 0.5)[0],
        random(2, HEADS, 3),
        random(70, GROUPS, 3, seed=1),
        random(70, GROUPS, 2, seed=2),
    )


X = Tensor(random(5, HEADS, 16).astype("float16"))
K = Tensor(random(228, GROUPS, 16).astype("float16"))


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(query=X.astype(ms.float32)), RuntimeError),
        (dict(query=1), TypeError),
        (
            dict(query=X.astype(ms.float32), key=K.astype(ms.float32), value=K.astype(ms.float32)),
            TypeError,
        ),
        (dict(topk_indices=K), TypeError),
        (dict(scale_value=1), TypeError),
        (dict(head_num=4.0), TypeError),
        (dict(actual_seq_qlen=Tensor([5])), TypeError),
        (dict(atten_mask=1), TypeError),
        (dict(atten_mask=X), ValueError),
        (dict(select_block_size=32), ValueError),
        (dict(key=K.astype(ms.bfloat16)), RuntimeError),
        (dict(head_num=2), RuntimeError),
        (dict(value=K[:10]), RuntimeError),
        (dict(query=X[..., :8]), RuntimeError),
        (dict(select_block_count=3), RuntimeError),
        (dict(actual_seq_qlen=(3, 4)), RuntimeError),
        (dict(actual_seq_kvlen=(228,)), RuntimeError),
        (dict(actual_seq_kvlen=(-1, 228)), RuntimeError),
        (dict(topk_indices=Tensor(chosen() + 2)), RuntimeError),
        (dict(topk_indices=Tensor(chosen() - 1)), RuntimeError),
        (dict(query=X[0]), RuntimeError),
    ],
)
def test_refusals(change, error):
    given = dict(
        query=X,
        key=K,
        value=K,
        topk_indices=Tensor(chosen()),
        scale_value=0.25,
        head_num=HEADS,
        select_block_size=64,
        select_block_count=COUNT,
        actual_seq_qlen=QUERIES,
        actual_seq_kvlen=KEYS,
    )
    with pytest.raises(error, match="^For 'nsa_select_attention'"):
        ops.nsa_select_attention(**{**given, **change})
