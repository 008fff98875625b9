"""nsa_compress_attention against loops in float64; its gradients against differences."""

import numpy
import pytest
from kit import close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RNG = numpy.random.default_rng(0)


def random(*shape, dtype="float16"):
    return RNG.standard_normal(shape).astype(dtype)


def naive(query, key, value, scale, sizes, count, masks, ends):
    """Attention of one query at a time: the result, its blocks by importance, the largest score and
    the sum of exponentials."""
    length, stride, wide = sizes
    atten_mask, topk_mask = masks
    query, key, value = (x.astype("float64") for x in (query, key, value))
    heads, groups = query.shape[1], key.shape[1]
    outs, chosen_blocks, extents = [], [], []
    starts = [[0, *each[:-1]] for each in ends]
    for (a, b), (c, d), (e, f) in zip(*(zip(s, t) for s, t in zip(starts, ends))):
        for i in range(b - a):
            importance = numpy.zeros((groups, f - e))
            gathered, tops = [], []
            for h in range(heads):
                group = h // (heads // groups)
                scores = scale * key[c:d, group] @ query[a + i, h]
                if atten_mask is not None:
                    scores[atten_mask[i, : d - c]] = -numpy.inf
                powers = numpy.exp(scores - scores.max())
                weights = powers / powers.sum()
                gathered.append(weights @ value[c:d, group])
                tops.append((scores.max(), powers.sum()))
                for j in range(f - e):
                    for m in range(wide // stride):
                        for n in range(length // stride):
                            at = wide // stride * j - m - n
                            importance[group, j] += weights[at] if 0 <= at < d - c else 0
            outs.append(gathered)
            extents.append(tops)
            chosen = []
            for each in importance:
                open_blocks = [j for j in range(f - e) if topk_mask is None or not topk_mask[i, j]]
                ranked = sorted(open_blocks, key=lambda j: -each[j])[:count]
                chosen.append(ranked + [-1] * (count - len(ranked)))
            chosen_blocks.append(chosen)
    return numpy.array(outs), numpy.array(chosen_blocks), numpy.array(extents)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("sizes, count", [((32, 16, 64), 3), ((16, 16, 16), 5), ((48, 16, 96), 8)])
@pytest.mark.parametrize("masked", [False, True])
def test_against_loops(dtype, sizes, count, masked):
    query, key, value = (
        Tensor(random(*shape), dtype) for shape in ((9, 4, 32), (30, 2, 32), (30, 2, 16))
    )
    ends = [4, 9], [12, 30], [5, 10]
    masks = [None, None]
    if masked:
        masks = [RNG.random((5, 18)) < 0.3, RNG.random((6, 7)) < 0.4]
    given = [None if mask is None else Tensor(mask) for mask in masks]
    found = ops.nsa_compress_attention(
        query,
        key,
        value,
        0.3,
        4,
        *sizes,
        count,
        atten_mask=given[0],
        topk_mask=given[1],
        actual_seq_qlen=ends[0],
        actual_cmp_seq_kvlen=tuple(ends[1]),
        actual_sel_seq_kvlen=ends[2],
    )
    arrays = [x.astype(ms.float32).asnumpy() for x in (query, key, value)]
    outs, chosen_blocks, extents = naive(*arrays, 0.3, sizes, count, masks, ends)
    assert [x.dtype for x in found] == [dtype, ms.int32, ms.float32, ms.float32]
    # Outputs, and the weights between the two products, are rounded to float16 or bfloat16.
    numpy.testing.assert_allclose(found[0].astype(ms.float32).asnumpy(), outs, 2e-2, 1e-2)
    assert numpy.array_equal(found[1].asnumpy(), chosen_blocks)
    for i in (0, 1):
        assert found[2 + i].shape == (9, 4, 8)
        wanted = numpy.repeat(extents[..., i : i + 1], 8, -1)
        close_sums(found[2 + i], wanted)


def test_gradients_go_through_the_attention():
    query, key, value = (
        random(*shape, dtype="float64") for shape in ((3, 2, 4), (5, 1, 4), (5, 1, 4))
    )
    from mindspore_compat.ops._attention.nsa_compress_attention import _attend_sequence

    def gathered(*tensors):
        return _attend_sequence(tensors, None, None, 0.4, (16, 16, 16), slice(0, 2), 1)[0]

    check_gradients(gathered, query, key, value, order=1)


def test_a_query_that_sees_nothing_gathers_zeros():
    query, key = Tensor(random(2, 1, 16)), Tensor(random(3, 1, 16))
    mask = Tensor(numpy.array([[True] * 3, [False] * 3]))
    out = ops.nsa_compress_attention(
        query,
        key,
        key,
        1.0,
        1,
        16,
        16,
        16,
        1,
        atten_mask=mask,
        actual_seq_qlen=[2],
        actual_cmp_seq_kvlen=[3],
        actual_sel_seq_kvlen=[3],
    )[0]
    assert (out.asnumpy()[0] == 0).all() and (out.asnumpy()[1] != 0).any()


GOOD = dict(
    query=Tensor(random(4, 4, 32)),
    key=Tensor(random(6, 2, 32)),
    value=Tensor(random(6, 2, 16)),
    scale_value=1.0,
    head_num=4,
    compress_block_size=32,
    compress_stride=16,
    select_block_size=64,
    select_block_count=2,
    actual_seq_qlen=[4],
    actual_cmp_seq_kvlen=[6],
    actual_sel_seq_kvlen=[2],
)


@pytest.mark.parametrize(
    "name, bad",
    [
        ("head_num", 2),
        ("compress_block_size", 24),
        ("compress_block_size", 144),
        ("compress_stride", 48),
        ("compress_stride", 8),
        ("select_block_size", 16),
        ("select_block_size", 72),
        ("select_block_size", 144),
        ("select_block_count", 0),
        ("select_block_count", 33),
        ("actual_seq_qlen", [3]),
        ("actual_seq_qlen", []),
        ("actual_seq_qlen", [2, 4]),
        ("actual_cmp_seq_kvlen", [7]),
        ("actual_sel_seq_kvlen", [-1]),
        ("query", Tensor(random(4, 4, 16))),
        ("query", Tensor(random(4, 32))),
        ("key", Tensor(random(6, 3, 32))),
        ("value", Tensor(random(6, 2, 48))),
        ("value", Tensor(random(6, 2, 8))),
        ("atten_mask", Tensor(numpy.zeros((3, 6), bool))),
        ("topk_mask", Tensor(numpy.zeros((4, 1), bool))),
    ],
)
def test_refused_values(name, bad):
    ops.nsa_compress_attention(**GOOD)
    with pytest.raises(ValueError, match="For 'nsa_compress_attention'"):
        ops.nsa_compress_attention(**{**GOOD, name: bad})


@pytest.mark.parametrize(
    "name, bad",
    [
        ("query", Tensor(random(4, 4, 32, dtype="float32"))),
        ("query", 3),
        ("scale_value", "1"),
        ("key", Tensor(random(6, 2, 32), ms.bfloat16)),
        ("head_num", 4.0),
        ("actual_seq_qlen", 4),
        ("atten_mask", Tensor(numpy.zeros((4, 6), "uint8"))),
    ],
)
def test_refused_types(name, bad):
    with pytest.raises(TypeError):
        ops.nsa_compress_attention(**{**GOOD, name: bad})
