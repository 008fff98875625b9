"""A weight decay that is assigned between captured steps takes effect in the next step."""

import gc
import weakref

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.common._graph_mode import reachable
from tests.gpu import counters

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RATE = 0.5


class Product(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(np.ones(3, np.float32), "weight")

    def construct(self, x):
        return (self.weight * x).sum()


@pytest.fixture
def factor(space):
    """Returns a function that assigns a weight decay and trains for some steps with zero gradients.
    The function returns the ratio of the weight after and before the last step, and the number of
    graphs that this step launched."""
    ms.set_context(mode=ms.GRAPH_MODE)
    network = Product()
    optimizer = nn.Momentum(network.trainable_params(), RATE, 0.0)
    step = nn.TrainOneStepCell(network, optimizer)

    def run(decay, steps):
        optimizer.weight_decay = decay
        for _ in range(steps):
            before = network.weight.asnumpy()[0]
            with counters.counted() as counts:
                step(Tensor(np.zeros(3, np.float32)))
        return network.weight.asnumpy()[0] / before, counts.names["launches"]["graph"]

    return run


def test_numbers_hold_from_the_next_step_on(factor):
    first = float("0.25")
    captured = factor(first, steps=reachable.WARM_UP + 2)
    assert captured == (pytest.approx(1 - RATE * 0.25), 1)
    assert factor(0.5, steps=1)[0] == pytest.approx(1 - RATE * 0.5)
    again = float("0.25")
    assert again is not first
    assert factor(again, steps=1) == captured  # by the same graph


def test_no_other_decay_gets_the_id_of_one_that_a_graph_is_for(space):
    optimizer = nn.Momentum(Product().trainable_params(), RATE, 0.0)
    optimizer.weight_decay = decay = Tensor(0.25)
    key = reachable.mode(weakref.ref(optimizer))
    assert key == reachable.mode(weakref.ref(optimizer))
    exists = weakref.ref(decay)
    optimizer.weight_decay = 0.5
    del decay
    gc.collect()
    assert exists() is not None and key != reachable.mode(weakref.ref(optimizer))
    del key
    gc.collect()
    assert exists() is None
