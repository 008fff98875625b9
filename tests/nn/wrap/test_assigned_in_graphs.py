"""Parameters that a graph assigns while it is differentiated; numbers are those of 2.10."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


@pytest.fixture(autouse=True)
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Loop(nn.Cell):
    def __init__(self, write):
        super().__init__()
        self.w = Parameter(Tensor(2.0, ms.float32), name="w")
        self.write = write

    def construct(self, x):
        out = x * 0
        for i in range(3):
            self.write(self.w, float(i + 1))
            out = out + x * self.w
        return out


@pytest.mark.parametrize(
    "write, gradient",
    [(ops.assign, 6.0), (ops.Assign(), 6.0), (ops.assign_add, 16.0), (ops.AssignSub(), -4.0)],
)
def test_a_gradient_takes_the_value_at_the_use(write, gradient):
    net = Loop(write)
    value = net(Tensor([1.0]))
    assert value.asnumpy() == gradient
    net = Loop(write)
    assert ms.grad(net)(Tensor([1.0])).asnumpy() == gradient


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
        self.count = Parameter(Tensor([0.0, 0.0]), name="count", requires_grad=False)

    def construct(self, x):
        out = x * self.w * self.count
        ops.assign_add(self.count, ops.ones_like(self.count))
        out = out + x * self.w * self.count
        ops.assign(self.count, self.count * 2)
        return (out + x * self.w * self.count).sum()


def check_steps():
    net = Counting()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    losses = [float(step(Tensor([1.0, 2.0])).asnumpy()) for _ in range(5)]
    np.testing.assert_allclose(losses, [15, 53.35, 112.455, 129.711517, -310.126038], rtol=1e-6)
    np.testing.assert_array_equal(net.count.asnumpy(), [62, 62])
    np.testing.assert_allclose(net.w.asnumpy(), [-2.5838428, -5.1676855], rtol=1e-6)


def test_steps_that_are_replayed_do_the_same():
    check_steps()


@pytest.mark.usefixtures("capture_allowed")
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
def test_steps_that_are_captured_do_the_same(space):
    check_steps()
