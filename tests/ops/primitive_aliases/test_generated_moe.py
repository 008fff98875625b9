"""Primitives of ops.auto_generate for experts, boxes, products over ranks and pools, against the
functions that they stand for.
"""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.communication.groups import HCCL_WORLD_COMM_GROUP as WORLD
from mindspore_compat.ops import auto_generate as a

RNG = numpy.random.default_rng(0)


def t(*shape, dtype="float16"):
    return Tensor(RNG.standard_normal(shape).astype(dtype))


def same(found, wanted):
    found, wanted = ([x] if isinstance(x, Tensor) else list(x) for x in (found, wanted))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert one.dtype == other.dtype and numpy.array_equal(one.asnumpy(), other.asnumpy())


BOXES = Tensor(RNG.uniform(0.5, 3, (2, 4, 5)).astype("float32"))
OTHERS = Tensor(RNG.uniform(0.5, 3, (2, 3, 5)).astype("float32"))
IDS = Tensor(numpy.array([[2, 0], [1, 0], [1, 2]], "int32"))
ROWS, SCALES = t(3, 4), t(3, 2, dtype="float32")
SENT = ops.moe_distribute_dispatch(ROWS, IDS, 1, 0, 3)
LEFT, RIGHT = t(4, 256), t(256, 8)
QUERY, KEY = t(4, 2, 16), t(6, 2, 16)
ENDS = dict(actual_seq_qlen=[4], actual_cmp_seq_kvlen=[6], actual_sel_seq_kvlen=[3])
WIDE = t(2, 2, 6, 8, dtype="float32")

CASES = {
    "RotatedIou": (
        lambda p: p(BOXES.swapaxes(1, 2), OTHERS.swapaxes(1, 2), False, 1, True, 0.0, 0.0),
        lambda: ops.rotated_iou(BOXES, OTHERS, mode=1),
    ),
    "MoeDistributeDispatch": (lambda p: p(ROWS, IDS, 1, 0, 3), lambda: SENT),
    "MoeDistributeCombine": (
        lambda p: p(SENT[0], IDS, SENT[2], SENT[4], SCALES, 1, 0, 3),
        lambda: ops.moe_distribute_combine(SENT[0], IDS, SENT[2], SENT[4], SCALES, 1, 0, 3),
    ),
    "InnerMoeTokenUnpermute": (
        lambda p: p(KEY.reshape(12, 16), Tensor(numpy.arange(12)[::-1].copy(), ms.int32)),
        lambda: Tensor(KEY.asnumpy().reshape(12, 16)[::-1].copy()),
    ),
    "NsaCompressAttention": (
        lambda p: p(QUERY, KEY, KEY, 0.5, 2, 32, 16, 64, 2, None, None, *ENDS.values()),
        lambda: ops.nsa_compress_attention(QUERY, KEY, KEY, 0.5, 2, 32, 16, 64, 2, **ENDS),
    ),
    "FuncMaxPool2D": (
        lambda p: p(WIDE, 2, 2, 0, (1, 1), False, True),
        lambda: mint.nn.functional.max_pool2d(WIDE, 2, 2, return_indices=True),
    ),
    "GroupedMatmulV2": (
        lambda p: p([ROWS], [ROWS.swapaxes(0, 1)]),
        lambda: ops.matmul(ROWS, ROWS.swapaxes(0, 1)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_calls(name):
    call, wanted = CASES[name]
    same(call(getattr(a, name)()), wanted())


def test_what_comes_back_from_sorted_tokens():
    ids = Tensor(numpy.array([[2, 0], [1, 0], [1, 2]]))
    rows, positions = ops.moe_token_permute(ROWS, ids)
    gradient = t(6, 4)
    found = a.MoeTokenPermuteGrad()(gradient, positions, 2)
    wanted = ms.grad(lambda x: (ops.moe_token_permute(x, ids)[0] * gradient).sum())(ROWS)
    close(found, wanted.asnumpy())
    assert (rows.shape, found.shape) == ((6, 4), (3, 4))


@pytest.mark.parametrize("value, wanted", [(3, 3), ([3.5], 3.5), (True, True)])
def test_numbers_in_tensors(value, wanted):
    found = a.TensorToScalar()(Tensor(value))
    assert found == wanted and type(found) is type(wanted)


@pytest.mark.parametrize("bad, error", [([1, 2], ValueError), ([], ValueError), (3, TypeError)])
def test_what_is_no_number(bad, error):
    with pytest.raises(error):
        a.TensorToScalar()(bad if bad == 3 else Tensor(bad, ms.float32))


@pytest.mark.parametrize(
    "name, more",
    [("MatmulReduceScatter", ("max",)), ("AllGatherMatmul", (None, 1)), ("AllGatherMatmul", ())],
)
def test_products_over_ranks_refuse_as_their_functions(name, more):
    function = {
        "MatmulReduceScatter": ops.matmul_reduce_scatter,
        "AllGatherMatmul": ops.all_gather_matmul,
    }[name]
    keywords = dict(zip(("reduce_op",) if "Reduce" in name else ("bias", "gather_index"), more))
    with pytest.raises(RuntimeError) as wanted:
        function(LEFT, RIGHT, WORLD, 3, **keywords)
    with pytest.raises(RuntimeError) as found:
        getattr(a, name)()(LEFT, RIGHT, WORLD, 3, *more)
    assert str(found.value) == str(wanted.value)
