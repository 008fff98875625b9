"""Writing to Tensors whose arrays repeat elements, such as broadcasts."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

WRITES = {
    "setitem": lambda t: t.__setitem__(0, 5),
    "add_": lambda t: t.add_(4),
    "zero_": lambda t: t.zero_(),
    "fill_": lambda t: t.fill_(2),
    "copy_": lambda t: t.copy_(Tensor(np.full((2, 3), 7, np.float32))),
    "assign": lambda t: ops.assign(t, Tensor(np.full((2, 3), 7, np.float32))),
}
AFTER = {
    "setitem": [[5, 5, 5], [1, 1, 1]],
    "add_": [[5, 5, 5], [5, 5, 5]],
    "zero_": [[0] * 3] * 2,
    "fill_": [[2] * 3] * 2,
    "copy_": [[7] * 3] * 2,
    "assign": [[7] * 3] * 2,
}


@pytest.mark.parametrize("name", WRITES)
def test_a_broadcast_tensor_can_be_written_to(name):
    small = Tensor([1.0, 1.0, 1.0])
    tensor = small.broadcast_to((2, 3))
    WRITES[name](tensor)
    assert tensor.asnumpy().tolist() == AFTER[name]
    assert small.asnumpy().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", WRITES)
def test_a_gradient_can_be_written_to(name):
    """The gradient of a sum is one number repeated."""
    gradient = ms.grad(lambda x: x.sum())(Tensor(np.zeros((2, 3), np.float32)))
    WRITES[name](gradient)
    assert gradient.asnumpy().tolist() == AFTER[name]
