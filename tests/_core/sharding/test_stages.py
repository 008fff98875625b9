"""A network on two stages of simulated ranks trains as on one process, on each array type."""

import gc
import weakref

import numpy as np
from kit.simulated_ranks import on_ranks

from mindspore_compat import Tensor, nn, ops
from mindspore_compat._core.sharding import network, staged
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat._core.sharding.staged import Staged
from mindspore_compat._core.sharding.stages import Stages

X = np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)


class Net(nn.Cell):
    """The first result and the input bypass the second Cell; a norm has no stage."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(1)
        self.first, self.second = nn.Dense(6, 6), nn.Dense(6, 6)
        for p in (*self.first.get_parameters(), *self.second.get_parameters()):
            p.set_data(Tensor(rng.normal(size=p.shape).astype(np.float32)))
        self.norm = nn.LayerNorm((6,))

    def construct(self, x):
        first = ops.tanh(self.first(x))
        return ops.square(self.norm(self.second(first) + first) * x - 1.0).mean()


class Inverting(Net):
    """Between the Cells, the network computes an inverse and uses a number that changes."""

    scale = 1.0

    def construct(self, x):
        first = self.first(x)
        first = ops.matmul(ops.inverse(first[:, :2]), first) * self.scale
        return ops.square(self.norm(self.second(first)) * x - 1.0).mean()


def made(stages, network=Net):
    net = network()
    if stages > 1:
        net.first.pipeline_stage, net.second.pipeline_stage = 0, 1
    pipeline = nn.PipelineCell(net, 4)
    step = nn.TrainOneStepCell(pipeline, nn.Adam(net.trainable_params(), 0.01)).set_train()
    return net, step


def on_two_stages(function, kind=Net):
    """Returns the results of `function(net, call)` on two ranks; `call(step, x)` calls a step."""

    def run(world):
        stages = Stages(world, 2)
        mesh = Mesh(world, stages.ranks, stages)
        net, step = made(2, kind)
        world.objects(None)  # no rank starts while the other still labels Cells
        return function(
            net, lambda x: network.run_on(mesh, "full_batch", step, (x,), {}, step), stages
        )

    return on_ranks(2, run)


def test_trains_as_one_process(space):
    net, step = made(1)
    wanted = [float(step(Tensor(X)).asnumpy()) for _ in range(4)]
    weights = {p.name: p.asnumpy() for p in net.get_parameters()}

    def run(net, call, stages):
        losses = [float(call(Tensor(X)).asnumpy()) for _ in range(4)]
        here = [p for p in net.get_parameters() if type(p._array) is not Staged]
        return losses, {p.name: p.asnumpy() for p in here}, stages.traffic.copy()

    for stage, (losses, here, traffic) in enumerate(on_two_stages(run)):
        np.testing.assert_allclose(losses, wanted, rtol=1e-5)
        own = ("first", "second")[stage]
        assert here.keys() == {name for name in weights if name.startswith((own, "norm"))}
        for name, value in here.items():
            np.testing.assert_allclose(value, weights[name], rtol=1e-5, atol=1e-6, err_msg=name)
        assert traffic["activations"] == (4 * X.nbytes if stage else 0)
        assert traffic["gradients"] == (0 if stage else 4 * X.nbytes)


def test_operators_between_stages_get_regular_matrices(monkeypatch):
    monkeypatch.setattr(staged, "MOST", 4)
    monkeypatch.setattr(staged.STAGED, "_shapes", {})
    net, step = made(1, Inverting)

    def train(net, call):
        losses = []
        for net.scale in (1.0, 1.5, 2.0, 2.5):
            losses.append(float(call(Tensor(X)).asnumpy()))
            assert len(staged.STAGED._shapes) <= 4
        return losses

    wanted = train(net, step)
    for losses in on_two_stages(lambda net, call, stages: train(net, call), Inverting):
        np.testing.assert_allclose(losses, wanted, rtol=1e-5)


def test_a_network_is_freed():
    def run(world):
        stages = Stages(world, 2)
        net = nn.Dense(6, 6)  # without a stage, and itself a Cell of its plan
        network.run_on(Mesh(world, stages.ranks, stages), "full_batch", net, (Tensor(X),), {}, net)
        reference = weakref.ref(net)
        del net
        gc.collect()
        return reference() is None

    assert on_ranks(2, run) == [True, True]
