"""A mixture of experts, divided over ranks, trains as on one process."""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks
from mindspore_compat.nn.transformer import MoEConfig

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.parallel._transformer.moe import MoE
from mindspore_compat.parallel._transformer.op_parallel_config import MoEParallelConfig

X = np.random.default_rng(0).normal(size=(4, 8, 6)).astype(np.float32)
EXPERTS = 4


class Net(nn.Cell):
    """Experts within a residual, and their loss."""

    def __init__(self, parts):
        super().__init__()
        config = MoEConfig(EXPERTS, num_experts_chosen=2, capacity_factor=1.5)
        self.moe = MoE(6, 12, 0.0, "tanh", ms.float32, config, MoEParallelConfig(1, 1, parts))
        for layer in (self.moe.ffn.mapping, self.moe.ffn.projection):
            layer.compute_dtype = ms.float32
        rng = np.random.default_rng(1)
        for p in self.trainable_params():
            p.set_data(Tensor((rng.normal(size=p.shape) * 0.3).astype(np.float32)))

    def construct(self, x):
        out, loss = self.moe(x)
        return ((x + out) ** 2).mean() + loss


def trained(net, around, x):
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(net, optimizer).set_train()
    losses = [float(around(step, Tensor(x)).asnumpy()) for _ in range(4)]
    return losses, [p.asnumpy() for p in net.trainable_params()]


@pytest.mark.parametrize("ranks,parts", [(2, 2), (4, 4), (4, 2)])
@pytest.mark.parametrize("data", ["full_batch", "data_parallel"])
def test_divided_experts(ranks, parts, data):
    losses, weights = trained(Net(1), lambda step, x: step(x), X)

    def run(world):
        mesh, net = Mesh(world), Net(parts)
        x = X if data == "full_batch" else np.split(X, ranks)[world.rank]
        found = trained(net, lambda step, x: network.run_on(mesh, data, step, (x,), {}), x)
        layers = net.moe.ffn.mapping, net.moe.ffn.projection
        shapes = [p._array.block.shape for layer in layers for p in layer.trainable_params()]
        return found, shapes

    for (found, values), shapes in on_ranks(ranks, run):
        np.testing.assert_allclose(found, losses, rtol=1e-5)
        for value, weight in zip(values, weights, strict=True):
            np.testing.assert_allclose(value, weight, rtol=1e-4, atol=1e-6)
        own = EXPERTS // parts
        assert shapes == [(own, 6, 12), (1, own, 1, 12), (own, 12, 6), (1, own, 1, 6)]


def test_experts_that_cannot_be_divided():
    with pytest.raises(ValueError, match="expert_parallel"):
        MoE(6, 12, 0.0, moe_config=MoEConfig(4), parallel_config=MoEParallelConfig(1, 1, 3))
