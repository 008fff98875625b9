"""The model of a step's time: its counts for a small network equal a count by hand."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels

import mindspore_compat as ms
from mindspore_compat import nn

from . import model


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_operations_and_bytes_of_a_convolution_and_a_dense_layer(space):
    def make(batch):
        network = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Dense(4 * 36, 10))
        return network, ms.Tensor(np.ones((batch, 3, 6, 6), np.float32))

    figures = model.modelled("small", 8, make)
    convolution, dense = 8 * 36 * 4 * 27, 8 * 144 * 10
    # forward, and the gradients of the weights and of the dense layer's input
    assert figures["GFLOP"] == pytest.approx((4 * convolution + 6 * dense) / 1e9)
    weights = 4 * 27 + 144 * 10 + 10
    assert figures["MB"] > (20 * weights + 4 * 8 * (108 + 144)) / 1e6
    assert figures["eager"] >= figures["launches"] * 0.01 > figures["TF32"] / 10


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize(
    "norm, shape, launches", [("channels", (4, 64, 64), 2), ("rows", (768,), 1)]
)
def test_rows_are_divided_as_those_of_the_whole_batch(space, norm, shape, launches):
    """A channel of 32 images is a long row and is divided into chunks; the 64 rows of 768 elements
    are not."""

    def make(batch):
        if norm == "channels":
            return nn.BatchNorm2d(4), ms.Tensor(np.ones((batch, *shape), np.float32))
        return nn.LayerNorm((768,)), ms.Tensor(np.ones((batch, 2, *shape), np.float32))

    for batch in (2, 3):
        network, data = make(batch)
        network.set_train()
        with model._rows_divided_as_in(batch, 32):
            network(data)
            with counting.counted() as counts:
                network(data)
        assert counts.names["launches"]["rows_standardized"] == launches, counts.names


def test_a_launch_takes_the_longer_of_both_times():
    assert model.Launch(4.8e12 * model.EFFICIENCY, 1).time(1e12) == pytest.approx(1)
    assert model.Launch(8, 2e12).time(1e12) == pytest.approx(2)
