"""The engines of MindSpore's random CPU kernels: words, blocks and limits."""

import numpy as np
import pytest

from mindspore_compat._backend.random import engines

pytestmark = pytest.mark.host


def test_few_words_of_philox_begin_as_many():
    many = engines.bernoulli(3 << 33 | 5, 200)
    for count in (1, 4, 61, 64):
        np.testing.assert_array_equal(engines.bernoulli(3 << 33 | 5, count), many[:count])


def test_words_continue_across_blocks_and_engines():
    size = engines._BLOCK + 5
    whole = engines.below((1, 0), 0, 2 * size, 0.3)
    assert np.array_equal(whole[size:], engines.below((1, 0), size, size, 0.3))
    numbers = engines.uniform(engines.Twister(), (1, 0), 0, 2 * size)
    rest = engines.uniform(engines.Twister(), (1, 0), 2 * size, size)
    assert np.array_equal(numbers[size:], rest)


def test_states_below_a_limit_round_as_float32():
    for limit in np.random.default_rng(3).random(50):
        count = engines._states_below(limit)
        scaled = np.array([count - 1, count]).astype(np.float32) * np.float32(2.0**-31)
        assert list(scaled < np.float32(limit)) == [True, False]
