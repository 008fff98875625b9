"""Calls that are recorded for replays, and those that refuse the recording."""

import numpy as np

from mindspore_compat._backend import recorded
from mindspore_compat._backend.recording import Recorder


def apply(function, x):
    return function(x)


def test_a_function_is_a_constant_unless_it_refers_to_arrays():
    with Recorder() as recorder:
        x = recorder.argument(np.arange(3.0))
        doubled = recorded.call(apply, (lambda each: 2 * each, x))
        np.testing.assert_array_equal(doubled.value, [0, 2, 4])
        assert recorder.reason is None
        total = recorded.call(apply, (lambda each: each + recorded.bare(doubled), x))
        np.testing.assert_array_equal(recorded.bare(total), [0, 3, 6])
        assert "functions" in recorder.reason
