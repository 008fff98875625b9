"""The products of networks neither copy nor cast an operand."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from tests.gpu import networks

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]


class Bert(nn.Cell):
    """A layer of BERT by batched products, as scripts write it."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Dense(width, width) for _ in range(4))
        self.first, self.second = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.norms = nn.CellList([nn.LayerNorm((width,)) for _ in range(2)])
        self.scores, self.context = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul()
        self.heads = heads

    def split(self, x):
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(0, 2, 1, 3)

    def construct(self, x):
        query, key, value = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        weights = ops.softmax(self.scores(query, key), -1)
        found = self.context(weights, value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norms[0](x + self.out(found))
        return self.norms[1](x + self.second(ops.gelu(self.first(x))))


# a network, its input, the number of products in the forward pass, and in both passes
NETWORKS = {
    "BERT": (Bert, (4, 6, 32), 8, 24),
    "LSTM": (lambda: networks.Recurrent(10), (2, 10, 8), 12, 27),
    "ResNet": (lambda: networks.Bottleneck(8, 4, 2), (2, 8, 8, 8), 4, 16),
}


def step_of(name, dtype):
    """Returns functions that run a network's forward pass, and the pass with gradients."""
    make, shape, *_ = NETWORKS[name]
    network = make()
    for weight in network.get_parameters():
        weight.set_dtype(dtype)
    x = ms.Tensor(np.random.default_rng(7).standard_normal(shape), dtype)
    gradients = ms.grad(lambda x: ops.square(network(x)).sum(), 0, network.trainable_params())
    return lambda: network(x), lambda: gradients(x)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
@pytest.mark.parametrize("name", NETWORKS)
def test_operands_are_read_as_they_lie(space, name, dtype, monkeypatch):
    monkeypatch.setattr(space.products, "_plans", {})
    casts = []
    multiply = space.products._product

    def product(x, y, *rest):
        casts.append(x.dtype != y.dtype)
        return multiply(x, y, *rest)

    monkeypatch.setattr(space.products, "_product", product)
    _, gradients = step_of(name, dtype)
    gradients()
    plans = space.products._plans.values()
    assert plans and not any(any(plan.copies) for plan in plans) and not any(casts)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_take_few_products(space, name, dtype, monkeypatch):
    """Without cuDNN, convolutions are products too."""
    counters = pytest.importorskip("simulated_cuda").counters
    monkeypatch.setattr(space.convolutions, "library", None)
    for function, wanted in zip(step_of(name, dtype), NETWORKS[name][2:], strict=True):
        function()
        before = counters()["matrix_products"]
        function()
        assert counters()["matrix_products"] - before == wanted


@pytest.mark.parametrize("name", ["BERT", "LSTM"])
def test_float16_launches_no_more_kernels_forward(space, name):
    counters = pytest.importorskip("simulated_cuda").counters
    counts = []
    for dtype in (ms.float32, ms.float16):
        forward, _ = step_of(name, dtype)
        forward()
        before = counters()["launches"]
        forward()
        counts.append(counters()["launches"] - before)
    assert counts[0] == counts[1]
