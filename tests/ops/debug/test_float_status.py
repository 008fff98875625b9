"""The float status register records overflows in gradients."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


@pytest.fixture
def status():
    """A cleared register; while it exists, gradients are checked."""
    made = ops.NPUAllocFloatStatus()()
    ops.NPUClearFloatStatus()(made)
    return made


def overflowed(status):
    ops.NPUGetFloatStatus()(status)
    return bool(status.asnumpy().any())


@pytest.mark.parametrize("values, expected", [([4.0, 1.0], False), ([4.0, 0.0], True)])
@pytest.mark.parametrize("mapped", [False, True])
def test_a_gradient_that_is_not_finite_is_noted(status, values, expected, mapped):
    x = Tensor(np.array(values, np.float32))
    if mapped:
        ms.vmap(ms.grad(ops.sqrt))(x)
    else:
        ms.grad(lambda x: ops.sqrt(x).sum())(x)
    assert overflowed(status) is expected


def test_a_gradient_of_which_only_rows_are_stored_stays_so(status):
    table = nn.EmbeddingLookup(9, 3, target="CPU", sparse=True)
    index = Tensor(np.array([1, 4], np.int32))
    weights = table.trainable_params()
    (gradient,) = ms.grad(lambda index: table(index).sum(), None, weights)(index)
    assert "_rows" in vars(gradient)
    assert not overflowed(status)
    ms.grad(lambda index: (table(index) * float("inf")).sum(), None, weights)(index)
    assert overflowed(status)
