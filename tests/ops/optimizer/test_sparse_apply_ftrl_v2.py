"""SparseApplyFtrlV2: FTRL on selected rows, with shrinkage of the parameter."""

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, ops

ROWS = [2, 0]


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.5, shape).astype(np.float32)


def parameters():
    return [Parameter(Tensor(numbers(3, 2, seed=i)), name=f"p{i}") for i in range(3)]


@pytest.mark.parametrize("shrink", [0.0, 0.3, -0.2])
def test_the_rows_named_are_solved_anew(shrink):
    lr, l1, l2, power = 0.1, 0.05, 0.2, -0.5
    var, accum, linear = parameters()
    p, a, b = (each.asnumpy().astype(np.float64).copy() for each in (var, accum, linear))
    g = numbers(2, 2, seed=9)
    ops.SparseApplyFtrlV2(lr, l1, l2, shrink, power)(
        var, accum, linear, Tensor(g), Tensor(np.array(ROWS, np.int32))
    )
    for row, gradient in zip(ROWS, g):
        grown = a[row] + gradient**2
        b[row] += gradient + 2 * shrink * p[row] - (grown**-power - a[row] ** -power) / lr * p[row]
        solved = (np.sign(b[row]) * l1 - b[row]) / (grown**-power / lr + 2 * l2)
        a[row], p[row] = grown, np.where(np.abs(b[row]) > l1, solved, 0)
    for param, wanted in ((var, p), (accum, a), (linear, b)):
        # The difference of two powers loses float32 digits.
        np.testing.assert_allclose(param.asnumpy(), wanted, 1e-5)


@pytest.mark.parametrize(
    "error, settings",
    [
        (ValueError, (0.0, 0.1, 0.1, 0.1, -0.5)),
        (ValueError, (0.1, -0.1, 0.1, 0.1, -0.5)),
        (ValueError, (0.1, 0.1, 0.1, 0.1, 0.5)),
        (TypeError, (1, 0.1, 0.1, 0.1, -0.5)),
        (TypeError, (0.1, 0.1, 0.1, 0, -0.5)),
    ],
)
def test_refusals(error, settings):
    with pytest.raises(error):
        ops.SparseApplyFtrlV2(*settings)
