"""Which calls are recorded for replays, and which abort the recording."""

import functools

import numpy as np
import pytest

from mindspore_compat._backend.steps import recorded_array
from mindspore_compat._backend.steps.recording import StepRecorder


def apply(function, x):
    return function(x)


def test_a_function_is_a_constant_unless_it_refers_to_arrays():
    with StepRecorder() as recorder:
        x = recorder.argument(np.arange(3.0))
        doubled = recorded_array.call(apply, (lambda each: 2 * each, x))
        np.testing.assert_array_equal(doubled.value, [0, 2, 4])
        assert recorder.reason is None
        total = recorded_array.call(apply, (lambda each: each + recorded_array.bare(doubled), x))
        np.testing.assert_array_equal(recorded_array.bare(total), [0, 3, 6])
        assert "functions" in recorder.reason


def add(x, y):
    return recorded_array.bare(x) + recorded_array.bare(y)


def hidden(x, way):
    """Returns a function that refers to `x` in a list, through another function, or as a bound
    argument."""
    rows, inner = [x], lambda each: add(each, x)
    return {
        "list": lambda each: add(each, rows[0]),
        "function": lambda each: inner(each),
        "partial": functools.partial(add, x),
    }[way]


@pytest.mark.parametrize("way", ["list", "function", "partial"])
def test_an_array_that_a_function_refers_to_by_others_is_found(way):
    with StepRecorder() as recorder:
        x = recorder.argument(np.arange(3.0))
        total = recorded_array.call(apply, (hidden(x, way), x))
        np.testing.assert_array_equal(recorded_array.bare(total), [0, 2, 4])
        assert "functions" in recorder.reason
