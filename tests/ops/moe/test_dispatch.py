"""Tokens sent to the experts of one rank and back; several ranks are in tests/communication."""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RNG = numpy.random.default_rng(0)
X = RNG.standard_normal((5, 4)).astype("float16")
IDS = numpy.stack([RNG.permutation(4)[:2] for _ in range(5)]).astype("int32")
SCALES = RNG.uniform(0.1, 1, (5, 2)).astype("float32")
GOOD = dict(x=Tensor(X), expert_ids=Tensor(IDS), ep_world_size=1, ep_rank_id=0, moe_expert_num=4)


def sent(**more):
    return ops.moe_distribute_dispatch(**{**GOOD, **more})


def back(found, **more):
    given = dict(
        expand_x=found[0],
        expert_ids=Tensor(IDS),
        expand_idx=found[2],
        ep_send_counts=found[4],
        expert_scales=Tensor(SCALES),
        ep_world_size=1,
        ep_rank_id=0,
        moe_expert_num=4,
    )
    return ops.moe_distribute_combine(**{**given, **more})


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_rows_are_sorted_by_expert(dtype):
    rows, units, idx, nums, counts, parts, scales = sent(
        x=Tensor(X, dtype), expert_scales=Tensor(SCALES)
    )
    exact = Tensor(X, dtype).astype(ms.float32).asnumpy()
    order = [(t, k) for e in range(4) for t in range(5) for k in range(2) if IDS[t, k] == e]
    assert rows.dtype == dtype and rows.shape == (10, 4)
    assert numpy.array_equal(rows.astype(ms.float32).asnumpy(), exact[[t for t, _ in order]])
    assert scales.tolist() == [SCALES[at] for at in order]
    seen = {}
    wanted = []
    for expert in IDS.ravel().tolist():
        wanted.append(seen.get(expert, 0))
        seen[expert] = wanted[-1] + 1
    assert idx.tolist() == wanted
    assert counts.tolist() == [seen.get(e, 0) for e in range(4)]
    assert nums.tolist() == numpy.cumsum(counts.asnumpy()).tolist()
    assert sent(expert_token_nums_type=1)[3].tolist() == counts.tolist()
    assert (units.shape, parts.shape, sent()[6].shape) == ((0,), (0,), (0,))


def test_back_again():
    wanted = X.astype("float64") * SCALES.sum(1, keepdims=True)
    found = sent(expert_scales=Tensor(SCALES))
    for more in ({}, dict(expand_scales=found[6])):
        out = back(found, **more)
        assert out.dtype == ms.float16
        close(out, wanted)
    whole = Tensor(RNG.integers(-128, 128, (10, 4), "int8"))
    out = back((whole, *found[1:]))
    by_expert = numpy.argsort(IDS.ravel(), kind="stable")
    exact = numpy.zeros((5, 4))
    for row, i in zip(whole.asnumpy().astype("float64"), by_expert):
        exact[i // 2] += row * SCALES.ravel()[i]
    assert out.dtype == ms.int8
    assert numpy.abs(out.asnumpy() - exact.clip(-128, 127)).max() <= 0.51


def test_room_for_more_tokens():
    rows = sent(global_bs=9)[0]
    assert rows.shape == (18, 4) and (rows[10:] == 0).all()
    assert back(sent(global_bs=9), global_bs=9).shape == (5, 4)
    with pytest.raises(ValueError, match="'expand_x'"):
        back(sent(), global_bs=9)
    with pytest.raises(ValueError, match="'global_bs'"):
        sent(global_bs=4)


@pytest.mark.parametrize(
    "error, more",
    [
        (TypeError, dict(x=Tensor(X.astype("float32")))),
        (TypeError, dict(x=3)),
        (TypeError, dict(expert_ids=Tensor(IDS.astype("int64")))),
        (TypeError, dict(expert_scales=Tensor(SCALES.astype("float16")))),
        (TypeError, dict(moe_expert_num=4.0)),
        (TypeError, dict(group_ep=3)),
        (ValueError, dict(x=Tensor(X[:4]))),
        (ValueError, dict(x=Tensor(X[0]))),
        (ValueError, dict(expert_ids=Tensor(IDS[0]))),
        (ValueError, dict(expert_ids=Tensor(IDS + 2))),
        (ValueError, dict(expert_ids=Tensor(IDS - 1))),
        (ValueError, dict(expert_ids=Tensor(numpy.zeros((5, 9), "int32")), moe_expert_num=16)),
        (ValueError, dict(expert_scales=Tensor(SCALES[:4]))),
        (ValueError, dict(scales=Tensor(numpy.ones((4, 4), "float32")))),
        (ValueError, dict(scales=Tensor(numpy.ones((3, 4), "float32")), quant_mode=2)),
        (ValueError, dict(quant_mode=1)),
        (ValueError, dict(moe_expert_num=0)),
        (ValueError, dict(moe_expert_num=257)),
        (ValueError, dict(ep_rank_id=1)),
        (ValueError, dict(expert_shard_type=1)),
        (ValueError, dict(x_active_mask=Tensor([True]))),
        (ValueError, dict(shared_expert_num=1)),
        (ValueError, dict(shared_expert_num=1, shared_expert_rank_num=1)),
        (ValueError, dict(expert_token_nums_type=2)),
        (ValueError, dict(tp_world_size=3)),
        (ValueError, dict(tp_rank_id=1)),
        (ValueError, dict(group_ep="x" * 128)),
        (ValueError, dict(group_ep="x", group_tp="x")),
        (RuntimeError, dict(ep_world_size=2)),
        (RuntimeError, dict(group_ep="no such group")),
        (RuntimeError, dict(tp_world_size=2, group_tp="no such group")),
    ],
)
def test_refusals_of_the_dispatch(error, more):
    with pytest.raises(error):
        sent(**more)


@pytest.mark.parametrize(
    "error, more",
    [
        (TypeError, dict(expand_x=Tensor(numpy.zeros((10, 4), "float32")))),
        (TypeError, dict(expert_scales=None)),
        (ValueError, dict(expand_x=Tensor(numpy.zeros((9, 4), "float16")))),
        (ValueError, dict(expand_idx=Tensor(numpy.zeros(10, "int32")))),
        (ValueError, dict(ep_send_counts=Tensor(numpy.array([5, 5, 0, 0], "int32")))),
        (ValueError, dict(ep_send_counts=Tensor(numpy.array([5, 5], "int32")))),
        (ValueError, dict(expert_scales=Tensor(SCALES[:4]))),
        (ValueError, dict(expand_scales=Tensor(SCALES[0]))),
        (ValueError, dict(out_dtype=1)),
        (ValueError, dict(common_quant_mode=2)),
        (ValueError, dict(group_list_type=1)),
        (ValueError, dict(group_list=Tensor([1]))),
        (ValueError, dict(weight_scale=Tensor([1.0]))),
        (ValueError, dict(expert_shard_type=1)),
        (RuntimeError, dict(ep_world_size=2)),
    ],
)
def test_refusals_of_the_combination(error, more):
    found = sent()
    back(found)
    with pytest.raises(error):
        back(found, **more)
