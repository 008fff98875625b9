"""Numbers of 2.10's kernels that differ from NumPy's or from the formula's."""

import numpy as np
import pytest
from kit import close, same

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, ops

NAN = float("nan")
ONE, TWO = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])


def both_gradients(function, x, y):
    found = ops.GradOperation(get_all=True)(function)(x, y)
    return [each.asnumpy().tolist() for each in found]


def test_a_nan_gives_both_sides_of_an_extreme_the_gradient():
    x, y = Tensor([1.0, NAN, 3.0, 2.0]), Tensor([2.0, 1.0, NAN, 2.0])
    assert both_gradients(ops.minimum, x, y) == [[1, 1, 1, 0.5], [0, 1, 1, 0.5]]
    assert both_gradients(mint.maximum, x, y) == [[0, 1, 1, 0.5], [1, 1, 1, 0.5]]


def test_the_sign_of_nan_is_zero():
    x = Tensor([NAN, -2.0, 0.0])
    for found in (ops.sign(x), mint.sign(x), x.sign(), ops.Sign()(x)):
        assert found.asnumpy().tolist() == [0, -1, 0]


@pytest.mark.parametrize(
    "reduction, count", [("none", 1), ("sum", 1), ("mean", 3), ("batchmean", 3)]
)
def test_kl_divergence_has_a_gradient_where_labels_are_not_positive(reduction, count):
    logits, labels = Tensor([-1.0, -2.0, -0.5]), Tensor([0.5, -0.3, 0.0])
    found = both_gradients(lambda x, y: ops.kl_div(x, y, reduction), logits, labels)
    close(found[0], -labels.asnumpy() / count, atol=0)
    assert found[1] == [0, 0, 0]


def test_the_remainder_by_zero():
    for dtype, lowest in (("int32", -(2**31)), ("int64", -(2**63)), ("int8", 0)):
        x = Tensor(np.array([5, 7, 0], dtype))
        found = ops.Mod()(x, Tensor(np.array([0, 2, 0], dtype)))
        assert found.asnumpy().tolist() == [lowest, 1, 0]
    found = ops.Mod()(Tensor([5.0, 7.0, 0.0]), Tensor([0.0, 2.0, 0.0])).asnumpy()
    np.testing.assert_array_equal(found, [NAN, 1, 0])


def test_ranges_of_floats_are_counted_in_float32():
    assert ops.range(0.0, 1.0, 0.01).shape == (100,)
    assert ops.arange(0.0, 0.3, 0.1).shape == (3,)
    assert ops.arange(0.0, 2.1, 0.7).shape == (3,)
    same(ops.arange(1.0, 2.0, 0.25), [1, 1.25, 1.5, 1.75])


def test_a_sum_with_an_initial_value_keeps_bool():
    total = ONE.sum(dtype=ms.bool_, initial=12)
    assert total.dtype == ms.bool_ and total.asnumpy()


def test_numbers_without_axes():
    assert ops.PReLU()(Tensor(-2.0), Tensor([0.25])).shape == ()
    param = Parameter(Tensor(10.0), name="p")
    assert ops.scatter_div(param, Tensor(0), Tensor(4.0)).asnumpy() == 2.5
    assert param.asnumpy() == 2.5
    with pytest.raises(RuntimeError):
        ops.ScatterAdd()(param, Tensor(1), Tensor(4.0))


def test_a_list_is_not_in_a_tensor():
    assert 1 in Tensor([1, 2]) and [1] not in Tensor([1, 2])


def test_gradients_pass_through_tuples_beside_a_tensor():
    assert both_gradients(lambda x, y: (x, y) + x, ONE, TWO) == [[3, 3], [1, 1]]
    assert both_gradients(lambda x, y: x - [y, y * 2], ONE, TWO) == [[2, 2], [-3, -3]]


def test_einsum_takes_tensors_alone():
    for given in ((1, 2), ([1.0, 2.0],)):
        with pytest.raises(ValueError, match="must be Tensors"):
            ops.einsum("i->i", given)


def test_the_value_loaded_carries_the_gradient():
    param = Parameter(Tensor([2.0, 3.0]), name="w")
    found = ms.grad(lambda x: ops.Load()(param) * x, None, param)(TWO)
    assert found.asnumpy().tolist() == [3, 5]


def test_in_graph_mode_a_copy_of_a_weight_carries_the_gradient():
    param = Parameter(Tensor([2.0, 3.0]), name="w")
    found = ms.grad(lambda x: param.copy() * x, None, param)
    assert found(TWO).asnumpy().tolist() == [0, 0]
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert found(TWO).asnumpy().tolist() == [3, 5]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_negative_circular_padding_cuts_before_it_repeats():
    x = Tensor(np.arange(3).reshape(1, 1, 3).astype(np.float32))
    for widths, expected in (
        ((1, -1), [1, 0, 1]),
        ((-1, 1), [1, 2, 1]),
        ((2, -1), [0, 1, 0, 1]),
        ((1, 2), [2, 0, 1, 2, 0, 1]),
    ):
        found = ops.PadV3("circular")(x, Tensor(list(widths)))
        assert found.asnumpy().tolist() == [[expected]]


def test_boxes_of_negative_area_overlap_nothing():
    boxes = Tensor([[70.0, 70, 45, 75, 0.6], [30, 33, 43, 29, 0.5], [30, 33, 43, 29, 0.4]])
    assert ops.NMSWithMask(0.5)(boxes)[2].asnumpy().tolist() == [True, True, True]


def test_dtypes_of_sparse_tensors():
    sparse = ms.COOTensor(Tensor([[0, 1]], ms.int32), Tensor([1.0]), (2, 2))
    assert ops.dtype(sparse) == ops.DType()(sparse) == ms.float32


def test_ranges_and_seeds_in_tensors():
    assert ops.tuple_to_array(range(3)).asnumpy().tolist() == [0, 1, 2]
    weights = Tensor([[0.0, 9.0, 4.0]])
    drawn = ops.multinomial_with_replacement(weights, Tensor([2]), Tensor([5]), 4, True)
    again = ops.multinomial_with_replacement(weights, 2, 5, 4, True)
    assert drawn.asnumpy().tolist() == again.asnumpy().tolist()


def test_data_of_the_user_on_a_primitive():
    cast = ops.Cast()
    cast.set_user_data("key", 3)
    assert cast.get_user_data("key") == 3 and cast.get_user_data("other") is None
