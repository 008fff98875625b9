"""speed_fusion_attention against flash_attention_score, and against loops where it does more."""

import math

import numpy
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

TRIANGLE = Tensor(numpy.triu(numpy.ones((2048, 2048), numpy.uint8), 1))


def random(*shape, seed=0, dtype="float16"):
    return numpy.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def inputs(batch=2, heads=4, groups=2, queries=5, keys=7, features=8, dtype="float32"):
    shapes = [(batch, heads, queries, features), *[(batch, groups, keys, features)] * 2]
    return [random(*shape, seed=i, dtype=dtype) for i, shape in enumerate(shapes)]


def weights(query, key, scale, shift, first):
    """Softmax of the scores, batch by batch and head by head, in float64."""
    heads = query.shape[1]
    found = numpy.zeros((*query.shape[:3], key.shape[2]))
    for b, h in numpy.ndindex(query.shape[0], heads):
        own = key[b, h * key.shape[1] // heads].astype("float64")
        scores = query[b, h].astype("float64") @ own.T
        scores = (scores + shift[b, h]) * scale if first else scores * scale + shift[b, h]
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        found[b, h] = powers / powers.sum(-1, keepdims=True)
    return found


def gathered(shares, value):
    value = numpy.repeat(value.astype("float64"), shares.shape[1] // value.shape[1], 1)
    return shares @ value


def run(arrays, *args, **given):
    return ops.speed_fusion_attention(*map(Tensor, arrays), 4, "BNSD", *args, **given)


@pytest.mark.parametrize("kind, first", [(0, False), (1, True)])
def test_shift_is_added_to_scaled_scores_or_scaled_too(kind, first):
    arrays, shift = inputs(), random(2, 4, 5, 7, dtype="float32")
    found = run(arrays, pse=Tensor(shift), scale=0.25, pse_type=kind)
    close_sums(found[0], gathered(weights(*arrays[:2], 0.25, shift, first), arrays[2]))


@pytest.mark.parametrize("kind", [2, 3])
@pytest.mark.parametrize("starts", [(None, None), ((2,), None), ([-3], (1,))])
@pytest.mark.parametrize("batch", [0, 2])
def test_gradients_tell_a_shift(kind, starts, batch):
    arrays = inputs()
    gradients = numpy.abs(random(*(2, 4)[batch == 0 :], dtype="float32"))
    found = run(
        arrays,
        pse=Tensor(gradients),
        scale=0.25,
        pse_type=kind,
        q_start_idx=starts[0],
        kv_start_idx=starts[1],
    )
    moved = sum(each[0] for each in starts if each)
    shift = numpy.zeros((2, 4, 5, 7))
    for b, h, i, j in numpy.ndindex(shift.shape):
        distance = abs(j - i - moved)
        gradient = gradients[b, h] if batch else gradients[h]
        shift[b, h, i, j] = -gradient * (math.sqrt(distance) if kind == 3 else distance)
    close_sums(found[0], gathered(weights(*arrays[:2], 0.25, shift, False), arrays[2]))


@pytest.mark.parametrize("layout", ["BSH", "BNSD", "SBH", "BSND"])
@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4])
def test_layouts_and_masks_are_those_of_flash_attention(layout, mode):
    to = {
        "BNSD": lambda x: x,
        "BSND": lambda x: x.transpose(0, 2, 1, 3),
        "BSH": lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
        "SBH": lambda x: x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
    }[layout]
    given = [Tensor(to(x)) for x in inputs(dtype="float16")]
    mask = Tensor(random(5, 7) > 0.5) if mode < 2 else TRIANGLE
    options = {"sparse_mode": mode, "pre_tokens": 2, "next_tokens": 1}
    found = ops.speed_fusion_attention(*given, 4, layout, atten_mask=mask, scale=0.5, **options)
    primitive = ops.FlashAttentionScore(4, 1.0, 0.5, 2, 1, 0, layout, mode)
    top, total, _, out = primitive(*given, attn_mask=mask)
    assert len(found) == 7
    for one, wanted in zip(found, (out, top, total)):
        close(one, wanted, 1e-6)
        assert one.dtype == wanted.dtype and one.shape == wanted.shape
    assert found[3].shape == (0,) and found[3].dtype == ms.float16
    assert [(x.shape, x.dtype) for x in found[4:]] == [((), ms.int64)] * 3
    assert int(found[6]) == 0


def test_weights_are_dropped_as_the_generator_says():
    arrays = inputs(queries=40, keys=50)
    ms.manual_seed(5)
    first, second = (run(arrays, scale=0.1, keep_prob=0.7) for _ in range(2))
    ms.manual_seed(5)
    again = run(arrays, scale=0.1, keep_prob=0.7)
    assert (first[0] == again[0]).all() and not (first[0] == second[0]).all()
    assert [int(x) for x in first[4:]] == [5, 0, 2 * 4 * 40 * 50]
    assert int(second[4]) == 5 and int(second[5]) > 0
    plain = run(arrays, scale=0.1)
    assert (first[1] == plain[1]).all() and (first[2] == plain[2]).all()
    # with an identity matrix as values, the result is the weights
    eye = numpy.broadcast_to(numpy.eye(50, dtype="float32"), (2, 2, 50, 50))
    query, key = (numpy.pad(x, [(0, 0)] * 3 + [(0, 42)]) for x in arrays[:2])
    dropped_out = run((query, key, eye), scale=0.1, keep_prob=0.7)[0].asnumpy()
    whole = weights(query, key, 0.1, numpy.zeros((2, 4, 1, 1)), False)
    assert run(arrays, scale=0.1, keep_prob=0.05)[0].asnumpy().any()
    some = dropped_out != 0
    assert abs(some.mean() - 0.7) < 0.02
    close(dropped_out[some], whole[some] / 0.7)


def test_joined_sequences_with_gradients():
    counts, keys = (3, 8), (5, 9)
    parts = [inputs(1, 4, 2, q, k) for q, k in zip(counts, keys)]
    whole = [numpy.concatenate([p[i][0].transpose(1, 0, 2) for p in parts]) for i in range(3)]
    gradients = numpy.abs(random(2, 4, dtype="float32"))
    for given in (gradients, gradients[0]):
        found = ops.speed_fusion_attention(
            *map(Tensor, whole),
            4,
            "TND",
            pse=Tensor(given),
            atten_mask=TRIANGLE,
            sparse_mode=3,
            actual_seq_qlen=(3, 11),
            actual_seq_kvlen=[5, 14],
            pse_type=2,
        )
        start = 0
        for i, (part, count) in enumerate(zip(parts, counts)):
            own = Tensor(given[i] if given.ndim == 2 else given)
            wanted = run(part, pse=own, atten_mask=TRIANGLE, sparse_mode=3, pse_type=2)
            rows = wanted[0].asnumpy()[0].transpose(1, 0, 2)
            close(found[0][start : start + count], rows)
            start += count
        assert found[1].shape == (11, 4, 8)


def test_gradients_reach_queries_keys_values_and_gradients():
    arrays, gradients = [Tensor(x) for x in inputs()], Tensor(numpy.full(4, 0.5, "float32"))

    def fn(query, key, value, pse):
        ms.manual_seed(3)
        out = ops.speed_fusion_attention(
            query, key, value, 4, "BNSD", pse=pse, keep_prob=0.8, pse_type=2
        )[0]
        return (out * out).sum()

    given = [*arrays, gradients]
    found = ms.grad(fn, (0, 1, 2, 3))(*given)
    for i, (gradient, one) in enumerate(zip(found, given)):
        step = numpy.zeros(one.shape, "float32")
        step.flat[1] = 1e-2
        ahead, behind = (
            fn(*given[:i], one + Tensor(sign * step), *given[i + 1 :]).asnumpy() for sign in (1, -1)
        )
        # A difference of float32 numbers over a step of 1e-2.
        numpy.testing.assert_allclose(
            gradient.asnumpy().flat[1], (ahead - behind) / 2e-2, 1e-2, 1e-3
        )


X = Tensor(random(2, 8, 64))


@pytest.mark.parametrize(
    "given, error",
    [
        ({"query": X.astype(ms.float32)}, TypeError),
        ({"value": X.astype(ms.bfloat16)}, TypeError),
        ({"head_num": 4.0}, TypeError),
        ({"input_layout": 1}, TypeError),
        ({"pse": 1}, TypeError),
        ({"pse": Tensor(random(2, 4, 8, 8, dtype="float32"))}, TypeError),
        ({"pse_type": 2}, TypeError),
        ({"pse_type": 2, "pse": Tensor(random(4))}, TypeError),
        ({"pse_type": 1.0}, TypeError),
        ({"atten_mask": Tensor(random(8, 8))}, TypeError),
        ({"padding_mask": 1}, TypeError),
        ({"scale": 1}, TypeError),
        ({"keep_prob": 1}, TypeError),
        ({"sparse_mode": 1.0}, TypeError),
        ({"q_start_idx": 1}, TypeError),
        ({"actual_seq_qlen": Tensor([8])}, TypeError),
        ({"input_layout": "TH"}, ValueError),
        ({"padding_mask": X}, ValueError),
        ({"pse_type": 4}, ValueError),
        ({"pse_type": 3, "pse": Tensor(random(5, dtype="float32"))}, ValueError),
        ({"sparse_mode": 6}, ValueError),
        ({"keep_prob": 0.0}, ValueError),
        ({"keep_prob": 1.05}, ValueError),
        ({"q_start_idx": (1, 2)}, ValueError),
        ({"actual_seq_qlen": (8,)}, ValueError),
        ({"head_num": 0}, RuntimeError),
        ({"head_num": 5}, RuntimeError),
        ({"sparse_mode": 2}, RuntimeError),
    ],
)
def test_refusals(given, error):
    given = {"query": X, "key": X, "value": X, "head_num": 4, "input_layout": "BSH", **given}
    with pytest.raises(error, match="^For 'speed_fusion_attention'"):
        ops.speed_fusion_attention(**given)
