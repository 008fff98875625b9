"""Networks on simulated ranks train as on one rank, however they are divided, and exchange no more
than necessary. tests/communication/ranks_sharding.py has larger networks on real ranks.
"""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._core.sharding import array, network
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.parallel import Layout

RNG = np.random.default_rng(0)
X = RNG.normal(size=(16, 6)).astype(np.float32)
Y = RNG.integers(0, 8, 16).astype(np.int32)
FIRST = {
    "w1": RNG.normal(size=(6, 12)).astype(np.float32),
    "w2": RNG.normal(size=(12, 8)).astype(np.float32),
    "b": np.zeros(12, np.float32),
}


class Perceptron(nn.Cell):
    def __init__(self, dp=1, mp=1):
        super().__init__()
        for name, value in FIRST.items():
            setattr(self, name, Parameter(Tensor(value.copy()), name=name))
        self.up, self.add, self.down = ops.MatMul(), ops.Add(), ops.MatMul()
        if dp * mp > 1:
            self.up.shard(((dp, 1), (1, mp)))
            self.add.shard(((dp, mp), (mp,)))
            self.down.shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        return self.down(ops.gelu(self.add(self.up(x, self.w1), self.b)), self.w2)


def trained(net, x, y, around=lambda step, *args: step(*args), wrap=lambda net: net):
    """The losses of four steps, and the weights after them."""
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(wrap(nn.WithLossCell(net, nn.CrossEntropyLoss())), optimizer)
    losses = [float(around(step.set_train(), Tensor(x), Tensor(y)).asnumpy()) for _ in range(4)]
    return losses, {p.name: p.asnumpy() for p in net.get_parameters()}


def equal(found, wanted):
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    for name, value in wanted[1].items():
        np.testing.assert_allclose(found[1][name], value, rtol=1e-5, atol=1e-6)


def share(world, array):
    return np.split(array, world.size)[world.rank]


@pytest.mark.parametrize("dp,mp", [(2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2)])
@pytest.mark.parametrize("data", ["full_batch", "data_parallel"])
def test_divided_data_and_weights(dp, mp, data):
    wanted = trained(Perceptron(), X, Y)

    def run(world):
        mesh, net = Mesh(world), Perceptron(dp, mp)
        arrays = (X, Y) if data == "full_batch" else (share(world, X), share(world, Y))
        found = trained(net, *arrays, lambda step, *a: network.run_on(mesh, data, step, a, {}))
        return found, getattr(net.w1._array, "block", net.w1._array).shape

    for found, shape in on_ranks(dp * mp, run):
        equal(found, wanted)
        assert shape == (6, 12 // mp)


@pytest.mark.parametrize("kind", [nn.GradAccumulationCell, nn.MicroBatchInterleaved])
def test_micro_batches_are_cut_from_each_share(kind):
    """No rank needs the data of another; only losses and gradients are exchanged."""
    wanted = trained(Perceptron(), X, Y, wrap=lambda net: kind(net, 2))

    def run(world):
        mesh = Mesh(world)
        found = trained(
            Perceptron(),
            share(world, X),
            share(world, Y),
            lambda step, *args: network.run_on(mesh, "data_parallel", step, args, {}),
            lambda net: kind(net, 2),
        )
        return found, set(mesh.traffic)

    for found, kinds in on_ranks(4, run):
        equal(found, wanted)
        assert kinds == {"all_reduce"}


def test_layouts_with_several_axes():
    layout = Layout((2, 2), ("a", "b"))

    def run(world):
        def double(x):
            x = ops.reshard(x, layout(("a", "b"), "None"))
            y = ops.reshard(x, layout("b", "a"))
            return x * 1, y * 1, x._array.block.shape, y._array.block.shape

        return network.run_on(Mesh(world), "full_batch", double, (Tensor(X[:, :4]),), {})

    for x, y, one, two in on_ranks(4, run):
        assert x.asnumpy().tolist() == y.asnumpy().tolist() == X[:, :4].tolist()
        assert (one, two) == ((4, 4), (8, 2))


@pytest.mark.parametrize(
    "strategy,text",
    [
        (((3, 1), (1, 1)), "together divide"),
        (((4, 4), (4, 4)), "together divide"),
        (((1, 2), (1, 1)), "alike"),
        (((1,), (1, 1)), "one number for each"),
        (((1, 4), (4, 1)), "multiple of 4"),
        (((0, 1), (1, 1)), "at least 1"),
        ((Layout((2,), ("a",))("a", "None"), (1, 1)), "device matrix"),
    ],
)
def test_wrong_strategies(strategy, text):
    def run(world):
        product = ops.MatMul().shard(strategy)
        inputs = Tensor(X), Tensor(FIRST["w1"])
        with pytest.raises(RuntimeError, match=text):
            network.run_on(Mesh(world), "full_batch", product, inputs, {})

    on_ranks(4, run)


def test_strategies_need_a_divided_network():
    product = ops.MatMul().shard(((4, 1), (1, 1)))
    assert isinstance(product, ops.MatMul) and type(product).__name__ == "MatMul"
    assert product(Tensor(X), Tensor(FIRST["w1"])).shape == (16, 12)
    net = nn.Dense(6, 4)
    assert net.shard(((4, 1),)) is net and net(Tensor(X)).shape == (16, 4)


def test_functions_without_a_rule_are_named_once_in_the_log(monkeypatch):
    lines = []
    monkeypatch.setattr(array.log, "info", lambda text, *args: lines.append(text % args))
    monkeypatch.setattr(array, "_gathered", set())

    def run(world):
        placed = ms.parallel.shard(ops.bincount, ((world.size,),))
        numbers = Tensor(np.array([1, 1, 3, 0], np.int32))
        for _ in range(2):
            out = network.run_on(Mesh(world), "full_batch", placed, (numbers,), {})
        return out.asnumpy().tolist()

    assert on_ranks(2, run) == [[1, 2, 0, 1]] * 2
    assert 1 <= len(lines) <= 2 and all("'bincount'" in line for line in lines)


def test_softmax_of_divided_heads_exchanges_nothing():
    scores = RNG.normal(size=(2, 4, 6, 6)).astype(np.float32)
    by_heads = ms.parallel.shard(lambda x: ops.softmax(x, -1), ((2, 2, 1, 1),))

    def run(world):
        mesh = Mesh(world)
        weights = ms.grad(lambda x: (by_heads(x) * x).sum(), 0)
        return network.run_on(mesh, "full_batch", weights, (Tensor(scores),), {}), mesh.traffic

    wanted = ms.grad(lambda x: (ops.softmax(x, -1) * x).sum(), 0)(Tensor(scores)).asnumpy()
    for found, traffic in on_ranks(4, run):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
        gathered = scores.nbytes * 3 // 4  # the result
        assert traffic["all_gather"] <= gathered and set(traffic) <= {"all_gather", "all_reduce"}


class Wrapped(Perceptron):
    """With a user-defined gradient, a hook, and recomputation."""

    def __init__(self, kind, *divided):
        super().__init__(*divided)
        self.scale = Doubled()
        if kind == "hook":
            self.scale.register_backward_hook(lambda cell, inputs, grads: (inputs[0] * 3.0,))
        if kind == "recompute":
            self.scale.recompute()
        if kind == "bprop":
            self.scale.bprop = lambda x, out, g: (g * 3.0,)

    def construct(self, x):
        return self.scale(super().construct(x))


class Doubled(nn.Cell):
    def construct(self, x):
        return ops.tanh(x) * 2


@pytest.mark.parametrize("kind", ["hook", "recompute", "bprop"])
@pytest.mark.parametrize("dp,mp", [(2, 1), (1, 2)])
def test_functions_with_gradients_of_their_own(kind, dp, mp):
    wanted = trained(Wrapped(kind), X, Y)

    def run(world):
        mesh, net = Mesh(world), Wrapped(kind, dp, mp)
        return trained(net, X, Y, lambda step, *a: network.run_on(mesh, "full_batch", step, a, {}))

    for found in on_ranks(dp * mp, run):
        equal(found, wanted)
