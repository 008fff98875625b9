"""Gathers of the parallel optimizer overlap with the previous layer. The tests check the order of
starts, waits and products in a step, and that updates and changed steps never use an outdated
gather.
"""

import numpy as np
import pytest
from kit.simulated_ranks import Done, World, on_ranks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.train.amp import auto_mixed_precision

LAYERS, WIDTH = 3, 4
RNG = np.random.default_rng(0)
WEIGHTS = [RNG.normal(size=(WIDTH, WIDTH)).astype(np.float32) for _ in range(LAYERS)]
X = RNG.normal(size=(4, WIDTH)).astype(np.float32)


class Noted(World):
    """Simulated ranks that record when gathers start and when a rank waits for them."""

    def __init__(self, world, events):
        super().__init__(world.ranks, world.own, world.shared)
        self.events, self.count = events, 0

    def subgroup(self, ranks):
        return self

    def all_gather(self, array):
        self.count += 1
        self.events.append(f"start {self.count}")
        return NotedWait(super().all_gather(array).wait(), self.events, self.count)


class NotedWait(Done):
    def __init__(self, out, events, number):
        super().__init__(out)
        self.events, self.number = events, number

    def wait(self):
        self.events.append(f"wait {self.number}")
        return self.out


class Layers(nn.Cell):
    """Layers that use their weights directly or transposed. They record when they have computed and
    when a gradient has reached them."""

    def __init__(self, events, transposed=False, dtype=np.float32):
        super().__init__()
        self.weights = ms.ParameterTuple(
            Parameter(Tensor(w.astype(dtype)), name=f"w{i}") for i, w in enumerate(WEIGHTS)
        )
        self.events, self.transposed, self.skipped = events, transposed, ()

    def construct(self, x):
        for number, weight in enumerate(self.weights):
            if number in self.skipped:
                continue
            x = ops.dense(x, weight) if self.transposed else ops.matmul(x, weight)
            self.events.append("layer")
            x = ops.HookBackward(lambda grads: self.events.append("gradient"))(ops.tanh(x))
        return ops.square(x).sum()


@pytest.fixture
def level(request):
    ms.set_auto_parallel_context(
        enable_parallel_optimizer=True,
        parallel_optimizer_config={
            "parallel_optimizer_threshold": 0,
            "optimizer_level": request.param,
        },
    )
    yield request.param
    ms.reset_auto_parallel_context()


def step_of(net, amp=None):
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return nn.TrainOneStepCell(net if amp is None else auto_mixed_precision(net, amp), optimizer)


def weights_of(net):
    return [p.asnumpy() for p in net.trainable_params()]


def events_of_a_step(transposed=False, amp=None):
    """Returns the events of the third step on each of two ranks, and the weights after it. Two
    steps precede it: the first divides the weights, the second shows the order of gathers."""

    def run(world):
        events = []
        net = Layers(events, transposed)
        mesh, step = Mesh(Noted(world, events)), step_of(net, amp)
        for _ in range(3):
            del events[:]
            network.run_on(mesh, "full_batch", step, (Tensor(X),), {})
        gathered = list(events)
        return gathered, weights_of(net)

    return on_ranks(2, run)


def trained_alone(transposed=False, amp=None):
    net = Layers([], transposed)
    step = step_of(net, amp)
    for _ in range(3):
        step(Tensor(X))
    return weights_of(net)


@pytest.mark.parametrize("level", ["level1"], indirect=True)
def test_the_order_of_a_step(level):
    for events, _ in events_of_a_step():
        assert events == (
            ["start 4", "wait 4", "start 5", "layer", "wait 5", "start 6", "layer"]
            + ["wait 6", "layer", *["gradient"] * 3]
        )


@pytest.mark.parametrize("level", ["level1", "level2", "level3"], indirect=True)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("amp", [None, "O3"])
def test_a_layer_computes_while_the_next_weight_is_gathered(level, transposed, amp):
    wanted = trained_alone(transposed, amp)
    for events, weights in events_of_a_step(transposed, amp):
        gathers = [int(event.split()[1]) for event in events if event.startswith("start")]
        assert len(gathers) == (2 * LAYERS - 1 if level == "level3" else LAYERS)
        for number in gathers[1:]:
            between = events[events.index(f"start {number}") : events.index(f"wait {number}")]
            assert {"layer", "gradient"} & set(between), events
        for own, other in zip(weights, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-2 if amp else 1e-6)


@pytest.mark.parametrize("level", ["level1", "level3"], indirect=True)
def test_a_step_in_another_order(level):
    """A weight is gathered but not used, and is written to before its next use.

    In float64, because the growing weight saturates `tanh`: rounding of float32, which is not that
    of one process on a GPU, would grow to 3e-5 in these steps.
    """
    x = Tensor(X.astype(np.float64))

    def trained(around):
        net = Layers([], dtype=np.float64)
        step = step_of(net)
        for skipped in ((), (), (1,), (), (0,), (2,), ()):
            net.skipped = skipped
            around(step)
            weight = net.weights[1]
            weight.set_data(Tensor(weight.asnumpy() * 2))
        return weights_of(net)

    wanted = trained(lambda step: step(x))

    def run(world):
        mesh = Mesh(world)
        return trained(lambda step: network.run_on(mesh, "full_batch", step, (x,), {}))

    for weights in on_ranks(2, run):
        for own, other in zip(weights, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("level", ["level1"], indirect=True)
def test_two_updates_in_one_step(level):
    """The second network reads the weights as the first update wrote them, although their gather
    started before that update."""

    def trained(net, around):
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        gradient = ms.value_and_grad(net, None, optimizer.parameters)

        def twice(x):
            losses = []
            for _ in range(2):
                loss, grads = gradient(x)
                optimizer(grads)
                losses.append(loss)
            return losses

        for _ in range(3):
            losses = around(twice)
        return [loss.asnumpy() for loss in losses], *weights_of(net)

    wanted = trained(Layers([]), lambda step: step(Tensor(X)))

    def run(world):
        mesh = Mesh(world)
        return trained(
            Layers([]), lambda step: network.run_on(mesh, "full_batch", step, (Tensor(X),), {})
        )

    for found in on_ranks(2, run):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-6)
