"""Forward passes in graph mode, recorded and replayed on the CPU, match PyNative's."""

import functools
import gc
import weakref

import numpy as np
import pytest
from kit import close
from kit.steps import NETWORKS, STEPS, Dense, network_of

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common._graph_mode import reachable
from mindspore_compat.common._graph_mode import steps as graph_steps
from mindspore_compat.nn.layer._pool import average, maximum
from mindspore_compat.ops._conv import conv
from mindspore_compat.train import Model

pytestmark = [pytest.mark.host, pytest.mark.usefixtures("recording_allowed", "graph_mode")]
WARM_UP = reachable.WARM_UP + 2  # the first call, ordinary calls, the recording


@pytest.fixture
def graph_mode():
    """Runs a test in graph mode."""
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def replays_of(owner):
    """Returns the number of replays of the recordings of a Cell or function."""
    steps = graph_steps._steps[id(owner)].values()
    return sum(graph.replays for step in steps for graph in step._graphs.values())


def inputs(shape, count=STEPS):
    rng = np.random.default_rng(2)
    return [ms.Tensor(rng.standard_normal(shape).astype(np.float32)) for _ in range(count)]


def in_pynative(function, *args):
    """Calls a function in PyNative mode, and returns a copy of its result."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    result = function(*args).asnumpy().copy()
    ms.set_context(mode=ms.GRAPH_MODE)
    return result


def check(network, data, replayed):
    """Compares a network in graph mode with PyNative, and the number of replays."""
    results = [(network(x).asnumpy().copy(), in_pynative(network, x)) for x in data]
    for got, expected in results:
        np.testing.assert_array_equal(got, expected)
    assert replays_of(network) == replayed


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "dropout"])
def test_a_forward_pass_has_the_bits_of_pynative(name, logged):
    loss, shape = network_of(name)
    network = loss.backbone_network.set_train(False)
    check(network, inputs(shape), STEPS - WARM_UP)
    assert logged == []


def test_functions_marked_by_jit_are_replayed():
    runs = []

    def function(x, times):
        runs.append(times)
        return ops.tanh(x) * times

    def pure(x, times):
        return ops.tanh(x) * times

    marked = ms.jit(pure)
    for x in inputs((2, 3)):
        expected = np.tanh(x.asnumpy()) * 2
        np.testing.assert_allclose(marked(x, 2).asnumpy(), expected, rtol=1e-6)
    assert replays_of(marked) == STEPS - WARM_UP
    effects = ms.jit(function)
    for x in inputs((2, 3)):
        effects(x, 2)
    assert len(runs) == STEPS, "a function with side effects runs in each call"


def test_new_weights_count_in_the_next_replay():
    network = Dense()
    (x,) = inputs((2, 4), 1)
    for change in range(3):
        for _ in range(WARM_UP + 1):
            np.testing.assert_array_equal(network(x).asnumpy(), in_pynative(network, x))
        weight = network.first.weight
        if change == 0:
            weight.set_data(ms.Tensor(np.ones((8, 4), np.float32)))
        else:
            weight[0] = 7.0
    assert replays_of(network) > 0


def test_statistics_of_a_batch_norm_move_in_each_replay():
    """A batch norm in training mode updates its running statistics without a gradient, too."""
    graph, other = nn.BatchNorm2d(2), nn.BatchNorm2d(2)
    for x in inputs((2, 2, 3, 3)):
        graph.set_train()
        other.set_train()
        np.testing.assert_array_equal(graph(x).asnumpy(), in_pynative(other, x))
        # Compiled loops compute large statistics and may round a product and a sum together (FMA).
        close(graph.moving_mean, other.moving_mean)


def test_a_recording_ignores_weak_references_to_objects_that_are_gone():
    dead = weakref.proxy(Dense())
    gc.collect()
    network = nn.BatchNorm2d(2).set_train()
    for x in inputs((2, 2, 3, 3)):
        network(x)
    assert replays_of(network) > 0
    with pytest.raises(ReferenceError):
        dead.training


def test_a_result_does_not_change_with_the_next_replay():
    network = Dense()
    data = inputs((2, 4))
    results = [network(x) for x in data]
    copies = [result.asnumpy().copy() for result in results]
    network(data[0])
    for result, copy in zip(results, copies, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), copy)


def test_each_kind_of_input_and_each_mode_has_its_own_recording():
    network = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU())
    network.set_train(False)
    for size in (4, 5, 4, 5):
        for x in inputs((1, 2, size, size), WARM_UP + 1):
            np.testing.assert_array_equal(network(x).asnumpy(), in_pynative(network, x))
    assert replays_of(network) == 4 * (WARM_UP + 1) - WARM_UP - (WARM_UP - 1)
    network.set_train()
    (x,) = inputs((2, 2, 4, 4), 1)
    evaluated = in_pynative(network.set_train(False), x)
    assert np.abs(network.set_train()(x).asnumpy() - evaluated).max() > 1e-3


def test_a_network_that_keeps_a_state_is_not_replayed(logged):
    class Keeping(nn.Cell):
        def __init__(self):
            super().__init__()
            self.last = None

        def construct(self, x):
            out = x if self.last is None else x + self.last
            self.last = out
            return out

    graph, other = Keeping(), Keeping()
    for x in inputs((2, 3)):
        np.testing.assert_array_equal(graph(x).asnumpy(), in_pynative(other, x))
    assert len(logged) == 1


SETTINGS = {"scale": 1.0}


class Setting:
    """Holds a number that a network reads."""

    shared = 1.0

    def __init__(self):
        self.own = 1.0

    def value(self):
        return self.own


def scaled(settings, x):
    return x * settings["scale"]


class Reading(nn.Cell):
    """Multiplies by a number outside of the network, at a place of the given `kind`. `change`
    increases the number."""

    def __init__(self, kind):
        super().__init__()
        self.setting, settings, step = Setting(), {"scale": 1.0}, self

        def function(x):
            return x * function.scale

        function.scale = 1.0

        def attribute():
            function.scale += 1

        def own():
            step.setting.own += 1

        def shared():
            Setting.shared += 1

        def of_global():
            SETTINGS["scale"] += 1

        def of_closure():
            settings["scale"] += 1

        ways = {
            "attribute of a function": (function, attribute),
            "attribute of an object": (lambda x: x * self.setting.own, own),
            "method of an object": (lambda x: x * self.setting.value(), own),
            "attribute of a class": (lambda x: x * Setting.shared, shared),
            "global": (lambda x: scaled(SETTINGS, x), of_global),
            "closure": (lambda x: scaled(settings, x), of_closure),
            "argument of a partial": (functools.partial(scaled, settings), of_closure),
        }
        self.way, self.change = ways[kind]

    def construct(self, x):
        return self.way(x)


PLACES = [
    "attribute of a function",
    "attribute of an object",
    "method of an object",
    "attribute of a class",
    "global",
    "closure",
    "argument of a partial",
]


@pytest.mark.parametrize("kind", PLACES)
def test_a_number_outside_that_changes_counts_in_the_next_call(kind):
    network = Reading(kind)
    for x in inputs((2, 3)):
        np.testing.assert_array_equal(network(x).asnumpy(), in_pynative(network, x))
    assert replays_of(network) > 0
    for x in inputs((2, 3)):
        network.change()
        np.testing.assert_array_equal(network(x).asnumpy(), in_pynative(network, x))


def test_predict_is_recorded():
    network = Dense()
    model = Model(network)
    for x in inputs((2, 4)):
        np.testing.assert_array_equal(model.predict(x).asnumpy(), in_pynative(network, x))
    assert sum(graph_step_replays()) > 0


def graph_step_replays():
    return [
        graph.replays
        for of_owner in graph_steps._steps.values()
        for step in of_owner.values()
        for graph in step._graphs.values()
    ]


def test_a_network_is_freed_with_its_recording():
    network = Dense()
    for x in inputs((2, 4)):
        network(x)
    gone = weakref.ref(network)
    del network
    gc.collect()
    assert gone() is None


def test_replays_call_what_convolutions_and_poolings_call(monkeypatch):
    network = nn.SequentialCell(
        nn.Conv2d(2, 4, 3, has_bias=True), nn.MaxPool2d(2, 2), nn.AvgPool2d(2, 2)
    )
    network.set_train(False)
    data = inputs((1, 2, 16, 16))
    expected = [in_pynative(network, x) for x in data]
    for x in data[:WARM_UP]:
        network(x)
    checks = []
    for module in (conv, average, maximum):
        need_rank = module.need_rank
        monkeypatch.setattr(
            module, "need_rank", lambda *args: (checks.append(args), need_rank(*args))
        )
    for x, values in zip(data, expected, strict=True):
        np.testing.assert_array_equal(network(x).asnumpy(), values)
    assert replays_of(network) == len(data) and not checks
    in_pynative(network, data[0])
    assert checks
