"""Helpers of the checks: comparison with NumPy, expected errors, counters."""

import cupy
import numpy as np
import simulated_cuda

RNG = np.random.default_rng(0)


def same(actual, expected, tolerance=0.0):
    """Asserts that a CuPy array equals a NumPy array in values, dtype and shape."""
    actual = cupy.asnumpy(actual)
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def refused(kind, text, function, *arguments, **named):
    """Asserts that a call raises an error whose text contains `text`."""
    try:
        function(*arguments, **named)
    except kind as error:
        assert text in str(error), f"{text!r} not in {error!s}"
    else:
        raise AssertionError(f"no {kind} with {text!r}")


class counted:
    """Measures the differences of the counters over a block."""

    def __enter__(self):
        self.before = simulated_cuda.counters()
        return self

    def __exit__(self, *exception):
        after = simulated_cuda.counters()
        self.changes = {name: after[name] - self.before[name] for name in after}

    def __getitem__(self, name):
        return self.changes[name]
