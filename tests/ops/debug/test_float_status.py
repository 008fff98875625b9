"""The float status register: what it records of gradients."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._core.gradients import leaves


@pytest.fixture
def status(monkeypatch):
    """A cleared register, which looks at gradients during the test only."""
    monkeypatch.setattr(leaves, "watchers", [])
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
