"""Empty batches, and NaN as an index or in a matrix, give results, not errors.

Observed in MindSpore 2.10, except NaN in decompositions, where it returns arbitrary numbers.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat import numpy as mnp


def none(*shape):
    return Tensor(np.zeros(shape, np.float32))


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


BOXES = Tensor(np.zeros(0, np.int32))


@pytest.mark.parametrize(
    "call, shape",
    [
        (lambda: ops.grid_sample(none(0, 2, 3, 3), none(0, 4, 4, 2)), (0, 2, 4, 4)),
        (lambda: ops.ROIAlign(2, 2, 0.5)(ones(1, 1, 4, 4), none(0, 5)), (0, 1, 2, 2)),
        (lambda: ops.crop_and_resize(ones(1, 4, 4, 3), none(0, 4), BOXES, (2, 2)), (0, 2, 2, 3)),
        (lambda: ops.group_norm(none(0, 4, 2, 2), 2), (0, 4, 2, 2)),
        (lambda: nn.GroupNorm(1, 4)(none(0, 4, 2, 2)), (0, 4, 2, 2)),
        (lambda: ops.lrn(none(0, 4, 2, 2)), (0, 4, 2, 2)),
        (lambda: ops.channel_shuffle(none(0, 4, 2, 2), 2), (0, 4, 2, 2)),
        (lambda: ops.batch_dot(none(0, 2, 3), none(0, 3, 2)), (0, 2, 2)),
        (lambda: ops.reshape(none(0, 3), (0, -1)), (0, 0)),
        (lambda: nn.Conv2dTranspose(3, 4, 3)(none(0, 3, 8, 8)), (0, 4, 8, 8)),
        (lambda: nn.MultiheadAttention(4, 2)(*[none(3, 0, 4)] * 3)[0], (3, 0, 4)),
        (lambda: ops.gather_nd(ones(2, 3), Tensor(np.zeros((2, 0), np.int32))), (2, 2, 3)),
        (lambda: ops.cov(Tensor([[1.0, 2.0, 4.0]])), ()),
        (
            lambda: ops.deformable_conv2d(
                none(0, 3, 10, 10),
                ones(5, 3, 3, 3),
                none(0, 27, 8, 8),
                (3, 3),
                (1, 1, 1, 1),
                (0, 0, 0, 0),
            ),
            (0, 5, 8, 8),
        ),
    ],
)
def test_shape(call, shape):
    assert call().shape == shape


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_indices_that_are_none_lie_outside(mode, value):
    image, grid = ones(1, 1, 3, 3), Tensor(np.full((1, 2, 2, 2), value, np.float32))
    assert not ops.grid_sample(image, grid, mode=mode).asnumpy().any()
    assert (ops.grid_sample(image, grid, mode=mode, padding_mode="border").asnumpy() == 1).all()


@pytest.mark.parametrize("box", [[0, np.nan, 1, 2, 2], [0, 1, 1, np.nan, 2]])
def test_boxes_that_are_none_hold_zeros(box):
    found = ops.ROIAlign(2, 2, 0.5)(ones(1, 1, 4, 4), Tensor(np.array([box], np.float32)))
    assert not found.asnumpy().any()


@pytest.mark.parametrize("part", [ops.svd, lambda x: ops.svd(x, compute_uv=False), ops.eigvals])
def test_only_the_matrix_with_nan_decomposes_to_nan(part):
    x = np.array([[[1, np.nan], [2, 3]], [[1, 0], [0, 2]]], np.float32)
    found = part(Tensor(x))
    values = (found[0] if isinstance(found, tuple) else found).asnumpy()
    assert np.isnan(values[0]).all()
    assert sorted(values[1].real.tolist()) == [1, 2]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_singular_values_of_infinities_are_found_in_finite_time(bad):
    x = np.random.default_rng(0).random((4, 4)).astype(np.float32)
    x[2, 0] = bad  # LAPACK's decomposition of this matrix with an infinity never ends
    for part in (ops.svd, ops.pinv, lambda x: ops.svd(x, compute_uv=False)):
        found = part(Tensor(x))
        assert np.isnan((found[0] if isinstance(found, tuple) else found).asnumpy()).all()
    assert np.isnan(ms.grad(ops.det)(Tensor(x)).asnumpy()).all()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Tensor(1.0).argsort(), "'Tensor.argsort', .* 0-D"),
        (lambda: Tensor(1.0).chunk(1), "'Tensor.chunk', .* 0-D"),
        (lambda: ops.Randperm(5)(BOXES), "'Randperm', 'n' must be a vector of one number"),
        (lambda: nn.ReplicationPad1d((1, 1))(none(1, 2, 0)), "an axis of length 0"),
        (lambda: nn.ReplicationPad1d((1, 1))(none(0, 2, 4)), "at least one element"),
        (lambda: nn.ConstantPad1d((0, 1), 0.5)(none(0, 2, 4)), "at least one element"),
        (lambda: nn.ConstantPad1d((-2, -2), 0.5)(ones(1, 2, 4)), "at least one element"),
        (lambda: nn.ZeroPad2d(1)(none(0, 2, 4)), "at least one element"),
        (lambda: nn.ReplicationPad1d(2)(ones(1, 1, 2, 4)), "must have 2 or 3 axes"),
        (lambda: nn.ReplicationPad2d((1, 2))(ones(1, 3, 3)), "must have 3 axes"),
        (lambda: nn.ReplicationPad3d((1, 2, 1, 1))(ones(1, 1, 3, 3, 3)), "must have 4 axes"),
        (lambda: nn.DenseThor(2, 2)(ones(1, 3, 2)), "'x' must have 2 dimensions"),
        (lambda: nn.DenseThor(2, 2).save_gradient(ones(1, 3, 2)), "'dout' must have 2 dimensions"),
        (
            lambda: nn.EmbeddingThor(4, 2).save_gradient(ones(1, 3, 2)),
            "'dout' must have 2 dimensions",
        ),
        (lambda: mint.nn.AdaptiveAvgPool1d(2)(none(1, 2, 0)), "an axis .* has length 0"),
        (lambda: mint.nn.AdaptiveMaxPool1d(2)(none(1, 2, 0)), "an axis .* has length 0"),
        (lambda: ops.interpolate(none(1, 1, 2, 0), size=(1, 4)), "an axis of length 0 .* make 4"),
        (lambda: ops.ResizeArea()(none(1, 2, 0, 1), Tensor([1, 4], ms.int32)), "'ResizeArea'"),
        (lambda: ops.CumSum()(Tensor(1.0), 0), "'CumSum', 'input' must have at least one axis"),
        (lambda: mint.cumprod(Tensor(1.0), 0), "'cumprod', 'input' must have at least one axis"),
        (
            lambda: ops.Conv2DBackpropInput(2, 3)(none(0, 2, 3, 3), ones(2, 3, 3, 3), (1, 3, 5, 5)),
            "'Conv2DTranspose', an input of shape .0, 2, 3, 3. .* of shape .1, 3, 5, 5.",
        ),
        (lambda: ops.Poisson()(Tensor([2], ms.int32), Tensor([-1.0])), "'Poisson'"),
        (lambda: ops.Gamma()(Tensor([2], ms.int32), Tensor([-1.0]), Tensor([1.0])), "'Gamma'"),
    ],
)
def test_an_error_says_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_convolution_of_padding_alone_has_a_gradient():
    def total(x, w):
        return ops.conv1d(x, w, pad_mode="pad", padding=(1,), groups=2).sum()

    by_x, by_w = ms.grad(total, (0, 1))(none(4, 4, 0), ones(2, 2, 2))
    assert by_x.shape == (4, 4, 0)
    assert by_w.shape == (2, 2, 2) and not by_w.asnumpy().any()


def test_a_median_of_elements_with_nan_is_nan():
    values, at = ops.median(Tensor(np.array([[1, np.nan, 0.3], [2, 3, 4]], np.float32)), 1)
    np.testing.assert_array_equal(values.asnumpy(), np.array([np.nan, 3], np.float32))
    assert at.asnumpy().tolist() == [1, 1]
    assert np.isnan(mint.median(Tensor([1.0, np.nan, 3.0])).asnumpy())


def test_nan_is_not_shrunk():
    found = ops.hardshrink(Tensor([np.nan, 0.5, -0.5, 0.6])).asnumpy()
    np.testing.assert_array_equal(found, np.array([np.nan, 0, 0, 0.6], np.float32))


def test_a_p_norm_is_at_least_epsilon():
    assert (ops.LpNorm(0)(none(2, 2)).asnumpy() == np.float32(1e-12)).all()
    assert (ops.LpNorm(0, epsilon=2.0)(ones(2, 2)).asnumpy() == 2).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_adaptive_averages_of_other_windows_stay_finite(bad):
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 1, 8)
    x[..., 0] = bad
    weights = Tensor(np.array([bad, 1, 2, 3], np.float32))
    found, gradient = ms.value_and_grad(
        lambda x: ops.adaptive_avg_pool2d(x, (1, 4)).reshape(4)[1:].sum()
    )(Tensor(x))
    assert found.asnumpy() == 13.5
    np.testing.assert_array_equal(
        ms.grad(lambda x: (ops.adaptive_avg_pool2d(x, (1, 4)) * weights).sum())(
            Tensor(x)
        ).asnumpy(),
        np.array([[[[bad, bad, 0.5, 0.5, 1, 1, 1.5, 1.5]]]], np.float32),
    )
    assert gradient.asnumpy().tolist() == [[[[0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]]]


def test_deviations_of_nothing_are_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(ops.ReduceStd(1)(none(3, 0))[0].asnumpy()).all()


def test_ranges_of_nothing_are_empty():
    at, numbers = ops.RaggedRange(ms.int64)(BOXES, BOXES, BOXES)
    assert at.asnumpy().tolist() == [0]
    assert numbers.shape == (0,)
    assert ops.NonDeterministicInts()(BOXES).shape == ()


def test_limits_far_below_their_starts_give_no_numbers():
    at, numbers = ops.RaggedRange(ms.int64)(
        *(Tensor(np.array(n, np.int32)) for n in ([2, 5, 8], [3, -(2**31), 10], [1, 1, 1]))
    )
    assert at.asnumpy().tolist() == [0, 1, 1, 3]
    assert numbers.asnumpy().tolist() == [2, 8, 9]


@pytest.mark.parametrize("most, remaining", [(0.75, [1, 0]), (0.5, [1]), (0.25, [1])])
def test_an_overlap_of_the_threshold_is_too_much(most, remaining):
    overlaps, scores = np.array([[1, 0.5], [0.5, 1]]), np.array([0.6, 0.9])
    found = ops.NonMaxSuppressionWithOverlaps()(
        *(Tensor(n.astype(np.float32)) for n in (overlaps, scores)),
        Tensor(2, ms.int32),
        Tensor(most, ms.float32),
        Tensor(0.0, ms.float32),
    )
    assert found.asnumpy().tolist() == remaining


@pytest.mark.parametrize("mean", [ops.mean, ops.ReduceMean(), mint.mean])
def test_a_mean_over_the_axis_of_a_number_is_the_number(mean):
    assert mean(Tensor(2.0), 0).asnumpy() == mean(Tensor(2.0), -1).asnumpy() == 2
    with pytest.raises(ValueError, match="^For '"):
        mean(Tensor(2.0), 1)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8"])
def test_the_reciprocal_of_zero_is_the_bound_of_integers(dtype):
    found = mnp.reciprocal(Tensor(np.array([0, 2, 1], dtype)))
    assert found.asnumpy().tolist() == [np.iinfo(dtype).max, 0, 1]


def test_an_axis_without_elements_is_cut_into_as_many_parts_as_requested():
    for chunk in (ops.chunk, mint.chunk):
        assert [each.shape for each in chunk(ops.zeros((2, 0)), 3, 1)] == [(2, 0)] * 3
