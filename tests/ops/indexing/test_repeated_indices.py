"""Repeated rows or indices and zeros, which the kernels of MindSpore 2.10 treat differently."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, ops


def parameter(values, name):
    return Parameter(Tensor(np.array(values, np.float32)), name=name)


def test_rmsprop_of_rows_moves_a_row_as_often_as_it_is_named():
    var, mean, moment = (
        parameter([[v], [v]], n) for v, n in ((1, "v"), (0.25, "ms"), (0.5, "mom"))
    )
    step = ops.SparseApplyRMSProp(0.2, 0.01, 1e-6)
    step(var, mean, moment, 0.1, Tensor([[0.5], [1.0]], ms.float32), Tensor([1, 1], ms.int32))
    expected = [parameter([[v]], n) for v, n in ((1, "v"), (0.25, "ms"), (0.5, "mom"))]
    for g in (0.5, 1.0):
        step(*expected, 0.1, Tensor([[g]], ms.float32), Tensor([0], ms.int32))
    for one, two in zip((var, mean, moment), expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy()[1:], two.asnumpy())
    assert var.asnumpy()[0] == 1


def test_rmsprop_of_rows_leaves_the_mean_square_where_the_gradient_is_zero():
    var, mean, moment = (parameter([[v, v]], n) for v, n in ((1, "v"), (0.25, "ms"), (0.5, "mom")))
    ops.SparseApplyRMSProp(0.2, 0.01, 1e-6)(
        var, mean, moment, 0.1, Tensor([[0.0, 1.0]], ms.float32), Tensor([0], ms.int32)
    )
    close(mean, [[0.25, 0.85]], atol=0)
    close(moment.asnumpy()[0, 0], 0.005, atol=0)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize(
    "gathered",
    [
        lambda x, at: ops.gather(x, at, 0),
        lambda x, at: x[at],
        lambda x, at: x[:, at],
        lambda x, at: x[at, at],
        lambda x, at: mint.nn.functional.embedding(at, x),
        lambda x, at: ops.gather_nd(x, at[:, None]),
        lambda x, at: ops.gather_elements(x, 0, at[:, None]),
    ],
    ids=["gather", "index", "columns", "two indices", "embedding", "gather_nd", "gather_elements"],
)
def test_gradients_of_a_repeated_element_are_added_in_float32(gathered, dtype):
    """Added one by one, 2,100 ones are 2,048 in float16 and 256 in bfloat16."""
    at = Tensor(np.zeros(2100, np.int32))
    gradient = ms.grad(lambda x: gathered(x, at).sum())(Tensor(np.ones((3, 2)), dtype))
    assert gradient.dtype == dtype
    assert gradient.astype(ms.float32).max() == Tensor(2100, dtype).astype(ms.float32)


def test_bfloat16_is_added_in_float32_at_a_repeated_index():
    """Real MindSpore has no kernel for it on a CPU."""
    at, ones = np.zeros((2100, 1), np.int32), Tensor(np.ones(2100), ms.bfloat16)
    for sums in (
        ops.scatter_nd(Tensor(at), ones, (3,)),
        ops.tensor_scatter_add(Tensor(np.zeros(3), ms.bfloat16), Tensor(at), ones),
        ops.unsorted_segment_sum(ones, Tensor(at[:, 0]), 3),
    ):
        assert sums.dtype == ms.bfloat16 and sums.astype(ms.float32).tolist() == [2096, 0, 0]


def test_all_elements_unsorted_are_in_the_order_of_the_input():
    x = Tensor(np.array([[0.3, 0.9], [0.7, 0.2]], np.float32))
    values, indices = ops.TopK(sorted=False)(x, 2)
    np.testing.assert_array_equal(values.asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(indices.asnumpy(), [[0, 1], [0, 1]])
    assert ops.topk(x, 2, 0, sorted=False)[1].asnumpy().tolist() == [[0, 0], [1, 1]]
    gradient = ms.grad(lambda v: (ops.topk(v, 2, sorted=False)[0] * x).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), x.asnumpy())


def test_unique_with_pad_takes_floats():
    values, indices = ops.UniqueWithPad()(Tensor([1.5, 1.5, 0.5], ms.float32), -1.0)
    assert values.asnumpy().tolist() == [1.5, 0.5, -1.0]
    assert indices.asnumpy().tolist() == [0, 0, 1]


def test_the_gradient_of_cdist_takes_the_distances_given():
    one, other = Tensor([[1.0, 1.0]], ms.float32), Tensor([[3.0, 3.0]], ms.float32)
    made = ops.auto_generate.CdistGrad(3.0)(
        Tensor([[1.0]], ms.float32), one, other, Tensor([[3.0]], ms.float32)
    )
    close(made, [[-4 / 9, -4 / 9]], atol=0)
