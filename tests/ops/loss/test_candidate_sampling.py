"""Candidate samplers: drawn classes, their frequency, and expected counts."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

TRUE = Tensor([[1], [3]], ms.int32)


def test_unique_classes_are_unique():
    drawn, of_true, of_drawn = ops.UniformCandidateSampler(1, 7, True, 8, 5)(TRUE)
    assert len(set(drawn.asnumpy().tolist())) == 7
    assert (drawn.dtype, of_true.shape, of_drawn.shape) == (ms.int32, (2, 1), (7,))


@pytest.mark.parametrize("seed", range(1, 6))
def test_true_classes_are_left_out_while_others_remain(seed):
    drawn, *_ = ops.UniformCandidateSampler(1, 5, True, 7, seed, True)(TRUE)
    assert not {1, 3} & set(drawn.asnumpy().tolist())
    every, *_ = ops.UniformCandidateSampler(1, 7, True, 7, seed, True)(TRUE)
    assert sorted(every.asnumpy().tolist()) == list(range(7))


def test_repeated_draws_are_expected_in_proportion():
    _, of_true, of_drawn = ops.uniform_candidate_sampler(TRUE, 1, 3, False, 4, 1)
    assert np.allclose(of_true.asnumpy(), 0.75)
    assert np.allclose(of_drawn.asnumpy(), 0.75)


def test_log_uniform_classes_are_as_likely_as_reported():
    sampler = ops.LogUniformCandidateSampler(1, 40000, False, 5, 3)
    drawn, _, expected = sampler(TRUE.astype(ms.int64))
    shares = np.bincount(drawn.asnumpy(), minlength=5) / 40000
    probabilities = np.log(np.arange(2, 7) / np.arange(1, 6)) / np.log(6)
    assert np.allclose(shares, probabilities, atol=0.01)
    assert np.allclose(
        expected.asnumpy()[:9], probabilities[drawn.asnumpy()[:9]] * 40000, rtol=1e-5
    )


def test_log_uniform_true_classes_are_int64():
    with pytest.raises(TypeError, match="'true_classes' must be a Tensor of dtype int64"):
        ops.log_uniform_candidate_sampler(TRUE)


def test_a_seed_starts_a_stream():
    one, other = (ops.UniformCandidateSampler(1, 3, True, 50, 9) for _ in range(2))
    first = one(TRUE)[0].asnumpy().tolist()
    assert other(TRUE)[0].asnumpy().tolist() == first
    assert one(TRUE)[0].asnumpy().tolist() != first


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((1.0, 3, True, 7), TypeError),
        ((1, 3, 1, 7), TypeError),
        ((1, 0, True, 7), ValueError),
        ((1, 8, True, 7), ValueError),
        ((1, 3, True, 7, -1), ValueError),
    ],
)
def test_refusals(arguments, error):
    with pytest.raises(error):
        ops.UniformCandidateSampler(*arguments)
    with pytest.raises(ValueError, match="true_classes"):
        ops.UniformCandidateSampler(2, 3, True, 7)(TRUE)
