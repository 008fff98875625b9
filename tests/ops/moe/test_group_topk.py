"""Selection of the best groups of experts, against loops."""

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate

RNG = numpy.random.default_rng(0)
ORDER = Tensor(numpy.arange(1024, dtype="int32"))


def naive(scores, groups, k, inner):
    found = numpy.zeros_like(scores)
    for at in numpy.ndindex(scores.shape[:-1]):
        parts = scores[at].reshape(groups, -1).astype("float64")
        worth = [sum(sorted(part)[::-1][:inner]) for part in parts]
        for best in sorted(range(groups), key=lambda i: -worth[i])[:k]:
            width = parts.shape[1]
            found[at][best * width : (best + 1) * width] = parts[best]
    return found


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize(
    "groups, k, inner", [(4, 2, 1), (4, 1, 3), (8, 8, 2), (2, 1, 8), (1, 1, 1)]
)
@pytest.mark.parametrize("lead", [(5,), (), (2, 3)])
def test_only_the_best_groups_stay(dtype, groups, k, inner, lead):
    given = Tensor(RNG.standard_normal((*lead, 16)), dtype)
    wanted = naive(given.astype(ms.float32).asnumpy(), groups, k, inner)
    again = given.copy()
    found = ops.GroupTopk()(given, ORDER, groups, k, inner)
    assert found.dtype == dtype
    for x in (found, given, auto_generate.group_topk(again, ORDER, groups, k, inner), again):
        assert numpy.array_equal(x.astype(ms.float32).asnumpy(), wanted)


def test_one_score_counts_by_default():
    given = Tensor(numpy.array([[3, 3, 5, 0]], "float16"))
    assert ops.GroupTopk()(given, ORDER, 2, 1).tolist() == [[0, 0, 5, 0]]


@pytest.mark.parametrize("bad", [(3, 1, 1), (0, 1, 1), (4, 5, 1), (4, 0, 1), (4, 1, 5), (4, 1, 0)])
def test_refused_numbers(bad):
    given = Tensor(numpy.ones((2, 16), "float16"))
    with pytest.raises(ValueError, match="For 'GroupTopk'"):
        ops.GroupTopk()(given, ORDER, *bad)
    assert (given == 1).all()


def test_refused_tensors():
    given = Tensor(numpy.ones((2, 16), "float16"))
    for order in (ORDER[:8], ORDER.reshape(2, 512)):
        with pytest.raises(ValueError, match="'idx_arr'"):
            ops.GroupTopk()(given, order, 4, 1)
    for pair in ((given.astype(ms.float32), ORDER), (given, ORDER.astype(ms.int64)), (3, ORDER)):
        with pytest.raises(TypeError):
            ops.GroupTopk()(*pair, 4, 1)
