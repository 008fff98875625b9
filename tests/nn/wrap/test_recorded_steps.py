"""Training steps recorded and replayed on the CPU match ordinary steps."""

import weakref

import numpy as np
import pytest
from kit.steps import (
    NETWORKS,
    OPTIMIZERS,
    STEPS,
    Dense,
    Run,
    batches,
    network_of,
    plain_step,
    replays,
    runs,
)

import mindspore_compat as ms
from mindspore_compat import experimental, nn, ops
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.recurrent import layout_cache
from mindspore_compat.common._graph_mode import reachable
from mindspore_compat.common._graph_mode import steps as graph_steps
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.train import Model

pytestmark = [pytest.mark.host, pytest.mark.usefixtures("recording_allowed")]


# What is recorded ---------------------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS)
def test_recorded_steps_give_the_numbers_of_others(network, logged):
    eager, recorded = runs(network, "Adam")
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [STEPS - reachable.WARM_UP - 1]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_compute_their_rates_in_each_replay(optimizer, logged):
    eager, recorded = runs("dense", optimizer)
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [STEPS - reachable.WARM_UP - 1]


class Settings(dict):
    """Settings as attributes; attributes that are not set are None."""

    __getattr__ = dict.get


class Configured(nn.Cell):
    """A layer that keeps its settings."""

    def __init__(self):
        super().__init__()
        self.settings = Settings(rate=2.0)
        self.dense = nn.Dense(8, 8)

    def construct(self, x):
        return self.dense(x) * self.settings.rate


class Own(nn.Cell):
    """Computes a square; a user-defined gradient is three times as large."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, grad):
        return (3 * grad * 2 * x,)


class Moving(nn.Cell):
    """Assigns a moving mean to a Parameter, and writes into a Tensor."""

    def __init__(self):
        super().__init__()
        zeros = ms.Tensor(np.zeros(8, np.float32))
        self.mean = ms.Parameter(zeros, name="mean", requires_grad=False)

    def construct(self, x):
        self.mean = self.mean * 0.9 + ops.stop_gradient(x).mean(0) * 0.1
        y = x.copy()
        y[0] = y[0] * 2
        y += self.mean
        return y + x[[1, 0]]


class Single(nn.Cell):
    """Casts to float32."""

    def construct(self, x):
        return ops.cast(x, ms.float32)


BETWEEN = {
    "settings": Configured,
    "gradient of its own": Own,
    "second order": lambda: lambda x: ms.grad(lambda y: (y**3).sum())(x),
    "assigned": Moving,
    "float16": lambda: nn.SequentialCell(nn.Dense(8, 8).to_float(ms.float16), Single()),
}


@pytest.mark.parametrize("between", BETWEEN)
def test_gradients_and_writes_that_are_not_plain(between, logged):
    eager, recorded = runs((lambda: Dense(BETWEEN[between]()), (2, 4)))
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [STEPS - 3]


def test_gradients_are_results_of_their_own(logged):
    eager, recorded = runs(make_step=lambda cell: plain_step(cell, return_grad=True))
    recorded.same_as(eager)
    assert logged == [] and max(replays(recorded.step)) > 0


def test_a_result_that_is_kept_stays_as_it_is():
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, shape = network_of("dense")
    step = plain_step(cell)
    losses = [step(*batch) for batch in batches(shape)]
    copies = [loss.asnumpy().copy() for loss in losses]
    step(*next(batches(shape)))
    assert len({float(each) for each in copies}) == STEPS
    np.testing.assert_array_equal([each.asnumpy() for each in losses], copies)


def test_kinds_of_arguments_are_recorded_each(logged):
    data = [batch for pair in zip(batches((2, 4)), batches((3, 4)), strict=True) for batch in pair]
    eager, recorded = runs(data=data)
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [STEPS - 3, STEPS - 3]


def test_batches_that_share_memory_or_are_views_count_as_they_come(logged):
    whole = np.random.default_rng(4).standard_normal((STEPS, 4, 2)).astype(np.float32)
    labels = ms.Tensor(np.array([0, 2], np.int32))
    views = [ms.Tensor.from_numpy(part).T for part in whole]
    views[4] = views[4].copy()
    eager, recorded = runs(data=[(view, labels) for view in views])
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [STEPS - 3]


class Pair(nn.Cell):
    """A loss of two inputs that may be the same Tensor."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def construct(self, one, two):
        return (self.network(one) * self.network(two)).sum()


def test_arguments_that_were_one_tensor_may_be_two_later():
    inputs = [batch[0] for batch in batches((2, 4))]
    data = [(one, one) for one in inputs[:4]] + [(one, inputs[0]) for one in inputs[4:]]
    found = []
    for graph in (False, True):
        cell, _ = network_of("dense")
        step = plain_step(Pair(cell.backbone_network))
        found.append(Run(graph, step, data))
    found[1].same_as(found[0])
    assert replays(found[1].step) == [STEPS - 3]


def jitted(cell):
    """A function marked by jit that trains, with its network as an attribute for the tests."""
    optimizer = nn.Adam(cell.trainable_params(), 0.01)
    gradient = ms.value_and_grad(cell, None, cell.trainable_params(), has_aux=False)

    @ms.jit
    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss, [loss * 2, x]

    step.network = cell
    return step


def test_functions_marked_by_jit_are_recorded_once_they_train(logged):
    eager, recorded = runs(make_step=jitted)
    recorded.same_as(eager)
    steps = graph_steps._steps[id(recorded.step)]
    assert logged == [] and [each.replays for each in steps["step"]._graphs.values()] == [3]


class Gradients(nn.Cell):
    """The gradients of a scaled square with respect to its input and a weight, without an
    update."""

    def __init__(self):
        super().__init__()
        self.scale = float(TABLE[3])
        self.weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        self.gradient = ops.GradOperation(get_all=True, get_by_list=True)

    def construct(self, x):
        return self.gradient(self.power, [self.weight])(x)

    def power(self, x):
        return self.weight * x**2 * self.scale


TABLE = np.arange(1 << 12)  # too large for the check before a replay; only `__init__` uses it


def test_cells_that_take_gradients_are_recorded(logged):
    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Gradients()
    for number in range(STEPS):
        if number == STEPS - 1:
            cell.weight.set_data(ms.Tensor([3.0, 4.0]))
        (by_input,), (by_weight,) = cell(ms.Tensor([1.0, number]))
        weight = cell.weight.asnumpy()
        np.testing.assert_array_equal(by_input.asnumpy(), 6 * weight * [1, number])
        np.testing.assert_array_equal(by_weight.asnumpy(), [3, 3 * number**2])
    assert logged == [] and replays(cell) == [STEPS - reachable.WARM_UP - 2]
    cell.scale = 5.0
    by_weight = cell(ms.Tensor([1.0, 2.0]))[1][0]
    np.testing.assert_array_equal(by_weight.asnumpy(), [5, 20])


class Obliging:
    """An object that returns a value for every attribute name, like wrappers of libraries."""

    __slots__ = ()

    def __getattr__(self, name):
        return lambda *_: None


def test_what_looks_as_if_it_had_attributes_is_not_looked_into():
    obliging, mortal = Obliging(), nn.Cell()
    gone = weakref.proxy(mortal)
    del mortal
    loop = jit.Loop(None, (), False, "loop")
    homeless = type("Homeless", (), {"__module__": None})()
    found = {id(each) for each in reachable.objects_from([[obliging, gone, loop, homeless]])}
    assert {id(obliging), id(homeless)} <= found and not found & {id(gone), id(loop)}


class Scaled(nn.Adam):
    """A user-defined optimizer that first transforms the gradients."""

    def construct(self, gradients):
        return super().construct([each * 2 for each in gradients])


class Around(nn.Cell):
    """A Cell that calls an optimizer."""

    def __init__(self, optimizer):
        super().__init__()
        self.optimizer = optimizer

    def construct(self, gradients):
        return self.optimizer([each * 2 for each in gradients])


KINDS = {
    "Adam": lambda weights: nn.Adam(weights, 0.1),
    "script's": lambda weights: Scaled(weights, 0.1),
    "experimental": lambda weights: experimental.optim.Adam(weights, 0.1),
    "around": lambda weights: Around(nn.Adam(weights, 0.1)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_of_an_optimizer_nothing_is_recorded_but_of_a_cell_around_it(kind, logged):
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        rng = np.random.default_rng(0)
        draw = lambda: ms.Tensor(rng.standard_normal(5000).astype(np.float32))  # noqa: E731
        weights = [ms.Parameter(draw(), name=f"w{number}") for number in range(30)]  # three packs
        step = KINDS[kind](weights)
        for _ in range(STEPS):
            step(tuple(draw() for _ in weights))
        found.append([each.asnumpy() for each in weights])
    np.testing.assert_array_equal(*found)
    assert logged == [] and (replays(step) != []) == (kind == "around")


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_optimizers_with_groups_decide_in_each_replay(kind, logged):
    """The learning rate of a group is assigned between steps, also through a scheduler."""

    def make_step(cell):
        optimizer = getattr(experimental.optim, kind)(cell.trainable_params(), 0.1)
        gradient = ms.value_and_grad(cell, None, cell.trainable_params())

        @ms.jit
        def step(x, y):
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            return loss

        step.network, step.optimizer = cell, optimizer
        step.scheduler = experimental.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        return step

    eager, recorded = runs(
        make_step=make_step, between=lambda number, step: number > 4 and step.scheduler.step()
    )
    recorded.same_as(eager)
    steps = graph_steps._steps[id(recorded.step)]
    assert logged == [] and [each.replays for each in steps["step"]._graphs.values()] == [3]


def test_model_train_replays_its_steps(logged):
    rng = np.random.default_rng(5)
    data = rng.standard_normal((14, 4)).astype(np.float32), np.arange(14, dtype=np.int32) % 3
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        cell, _ = network_of("dense")
        network = cell.backbone_network
        optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
        model = Model(network, nn.CrossEntropyLoss(), optimizer)
        batched = NumpySlicesDataset(data, ["x", "y"], shuffle=False).batch(2)
        model.train(2, batched, dataset_sink_mode=False)
        found.append([each.asnumpy() for each in network.get_parameters()])
    assert logged == []
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


# What changes between steps -----------------------------------------------------------------------


class Plain(nn.Cell):
    """A layer with plain attributes, a list, a dict, and a Tensor that is not a Parameter."""

    settings = {"offset": 0.0}

    def __init__(self):
        super().__init__()
        self.layer, self.factor, self.terms = nn.Dense(4, 3), 0.5, [1.0]
        self.offset = ms.Tensor(np.ones(3, np.float32))

    def construct(self, x):
        x = self.layer(x) * self.factor + self.settings["offset"]
        for term in self.terms:
            x = x + term * self.offset
        return x * RATES["x"] * RATE * Config.rate * Config.Inner.rate


class Config:
    rate = 1.0

    class Inner:
        rate = 1.0


RATE, RATES = 1.0, {"x": 1.0}


def _set(step, **values):
    for name, value in values.items():
        setattr(step.network.backbone_network, name, value)


CHANGES = {
    "attribute": lambda step: _set(step, factor=0.75),
    "list": lambda step: step.network.backbone_network.terms.append(3.0),
    "dict of the class": lambda step: Plain.settings.update(offset=2.0),
    "class": lambda step: setattr(Config, "rate", 2.0),
    "class in a class": lambda step: setattr(Config.Inner, "rate", 2.0),
    "global": lambda step: globals().update(RATE=2.0),
    "dict": lambda step: RATES.update(x=3.0),
    "tensor": lambda step: _set(step, offset=ms.Tensor(np.full(3, 2, np.float32))),
    "tensor in place": lambda step: ops.assign_add(
        step.network.backbone_network.offset, ms.Tensor(np.ones(3, np.float32))
    ),
    "parameter": lambda step: step.network.backbone_network.layer.weight.set_data(
        ms.Tensor(np.full((3, 4), 0.25, np.float32))
    ),
    "frozen": lambda step: setattr(
        step.network.backbone_network.layer.bias, "requires_grad", False
    ),
    "layer": lambda step: _set(step, layer=nn.Dense(4, 3, weight_init="ones")),
    "learning rate": lambda step: step.optimizer.learning_rate.set_data(ms.Tensor(0.5)),
    "weight decay": lambda step: setattr(step.optimizer, "weight_decay", 0.5),
    "construct": lambda step: _set(step, construct=lambda x: x[:, :3] * RATE),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_between_steps_counts_in_the_next(change, monkeypatch):
    def between(number, step):
        if number == 4:
            CHANGES[change](step)

    found = []
    for graph in (False, True):
        monkeypatch.setitem(globals(), "RATE", 1.0)
        monkeypatch.setitem(RATES, "x", 1.0)
        monkeypatch.setattr(Config, "rate", 1.0)
        monkeypatch.setattr(Config.Inner, "rate", 1.0)
        monkeypatch.setitem(Plain.settings, "offset", 0.0)
        cell, _ = network_of((Plain, (2, 4)))
        found.append(Run(graph, plain_step(cell), list(batches((2, 4), 12)), between))
    found[1].same_as(found[0])
    assert max(replays(found[1].step)) > 0


def test_an_attribute_that_changes_in_every_step_is_not_stale(logged):
    def between(number, step):
        _set(step, factor=0.5 + number / 8)

    found = []
    for graph in (False, True):
        cell, _ = network_of((Plain, (2, 4)))
        found.append(Run(graph, plain_step(cell), list(batches((2, 4), 24)), between))
    found[1].same_as(found[0])
    assert len(logged) == 1 and "changes between its steps" in logged[0]


@pytest.mark.parametrize("network", ["dropout", "batch norm"])
def test_training_and_evaluation_alternate(network):
    def between(number, step):
        step.set_train(number % 3 != 2)
        if number == 10:
            ms.set_seed(11)

    found = []
    for graph in (False, True):
        cell, shape = network_of(network)
        found.append(Run(graph, plain_step(cell), list(batches(shape, 15)), between))
    found[1].same_as(found[0])
    assert sum(replays(found[1].step)) > 5


SCALES = {
    "dynamic": lambda: nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2),
    "fixed": lambda: nn.FixedLossScaleUpdateCell(2.0**10),
    "number": lambda: ms.Tensor(2.0**10, ms.float32),
}


@pytest.mark.parametrize("scale", SCALES)
def test_an_overflow_changes_the_scale_alone(scale, logged):
    def scaled(cell):
        optimizer = OPTIMIZERS["Adam"](cell.trainable_params())
        return nn.TrainOneStepWithLossScaleCell(cell, optimizer, scale_sense=SCALES[scale]())

    data = list(batches((2, 4), 8))
    for number in (2, 5):  # the step that is recorded, and one that is replayed
        data[number] = (ms.Tensor(np.full((2, 4), np.inf, np.float32)), data[number][1])
    eager, recorded = runs(make_step=scaled, data=data)
    recorded.same_as(eager)
    assert logged == [] and replays(recorded.step) == [5]


class Careful(nn.TrainOneStepCell):
    """Skips gradients that are not finite, without reading them on the host."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        finite = ms.amp.all_finite(gradients)
        kept = [ops.where(finite, each, ops.zeros_like(each)) for each in gradients]
        self.optimizer(ops.clip_by_global_norm(kept, 1.0))
        return loss, finite


def test_whether_gradients_are_finite_is_computed_in_each_replay(logged):
    data = list(batches((2, 4), 8))
    data[5] = (ms.Tensor(np.full((2, 4), np.inf, np.float32)), data[5][1])
    eager, recorded = runs(
        make_step=lambda cell: Careful(cell, nn.Momentum(cell.trainable_params(), 0.1, 0.9)),
        data=data,
    )
    recorded.same_as(eager)
    assert [bool(each[1]) for each in recorded.results] == [True] * 5 + [False, True, True]
    assert logged == [] and replays(recorded.step) == [5]


class Accumulating(nn.TrainOneStepCell):
    """Accumulates gradients and updates in every second step; a Python counter decides."""

    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.sums = optimizer.parameters.clone("sums", "zeros")
        self.count = 0

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        for total, gradient in zip(self.sums, gradients, strict=True):
            ops.assign_add(total, gradient)
        self.count += 1
        if self.count % 2 == 0:
            self.optimizer(self.sums)
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


class Averaging(nn.TrainOneStepCell):
    """Keeps a moving mean of the gradients in Parameters, and updates with it."""

    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.means = optimizer.parameters.clone("means", "zeros")

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        for mean, gradient in zip(self.means, gradients, strict=True):
            ops.assign(mean, mean * 0.5 + gradient)
        self.optimizer(tuple(self.means))
        return loss, self.means[0] * 2, self.weights[0]


@pytest.mark.parametrize(("kind", "count"), [(Accumulating, 0), (Averaging, 4)])
def test_steps_that_write_to_parameters_of_their_own(kind, count, logged):
    def make_step(cell):
        return kind(cell, nn.Momentum(cell.trainable_params(), 0.1, 0.9))

    eager, recorded = runs(make_step=make_step)
    recorded.same_as(eager)
    assert sum(replays(recorded.step)) == count and len(logged) == (count == 0)


def test_weights_are_laid_out_anew_after_a_replay_has_written(monkeypatch):
    found = []

    def noted():
        found.append(layout_cache.cache.layouts is not None)

    monkeypatch.setattr(layout_cache, "forget", noted)
    _, recorded = runs()
    assert all(found) and len(found) >= replays(recorded.step)[0] > 0
    assert layout_cache.cache.layouts is None
