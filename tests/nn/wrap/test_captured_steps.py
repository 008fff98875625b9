"""Training steps captured as CUDA graphs, on the stand-in, match ordinary steps."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit.steps import network_of

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend.steps import current
from mindspore_compat._core.sharding.array import ShardedSpace
from mindspore_compat.common._graph_mode import reachable, steps
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.train import Model

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", ["fakecupy"], indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
STEPS = 6


@pytest.fixture
def logged(monkeypatch):
    """The warnings about steps that are not captured."""
    found = []

    def warning(text, *args, **options):
        if "captured" in text:
            found.append(text)

    monkeypatch.setattr(steps.log, "warning", warning)
    return found


OPTIMIZERS = {
    "Momentum": lambda weights: nn.Momentum(weights, 0.1, 0.9, weight_decay=1e-4),
    "Adam": lambda weights: nn.Adam(weights, nn.ExponentialDecayLR(0.01, 0.9, 2)),
    "rates": lambda weights: nn.SGD(weights, [0.1, 0.05, 0.02, 0.01]),
    "LARS": lambda weights: nn.LARS(nn.Momentum(weights, 0.1, 0.9)),
    "ASGD": lambda weights: nn.ASGD(weights, 0.1),
    "AdamOffload": lambda weights: nn.AdamOffload(weights, 0.01),
}


def batches(shape, count=STEPS):
    """Different batches of one shape."""
    rng = np.random.default_rng(2)
    for _ in range(count):
        data = rng.standard_normal(shape).astype(np.float32)
        yield ms.Tensor(data), ms.Tensor(rng.integers(0, 3, shape[0]).astype(np.int32))


class Run:
    """Runs steps in graph mode or PyNative mode; holds results, parameters and counts."""

    def __init__(self, graph, step, data, between=lambda number, step: None):
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        ms.set_seed(3)
        self.results, self.counts = [], []
        for number, batch in enumerate(data):
            between(number, step)
            with counting.counted() as counts:
                self.results.append(step(*batch))
            self.counts.append(counts)
        self.values = {each.name: each.asnumpy() for each in step.get_parameters()}

    def same_as(self, other):
        """Asserts that results and parameters are bitwise equal."""
        for mine, others in zip(self.results, other.results, strict=True):
            pairs = zip(np.atleast_1d(_plain(mine)), np.atleast_1d(_plain(others)), strict=True)
            for one, two in pairs:
                np.testing.assert_array_equal(one, two)
        assert self.values.keys() == other.values.keys()
        for name, value in self.values.items():
            np.testing.assert_array_equal(value, other.values[name], err_msg=name)


def _plain(result):
    return [each.asnumpy() for each in result] if isinstance(result, tuple) else result.asnumpy()


def runs(network="dense", optimizer="Momentum", between=None, data=None, make_step=None):
    """Runs the same steps in PyNative mode and in graph mode; returns both Runs."""
    both = []
    for graph in (False, True):
        cell, shape = network_of(network)
        step = make_step(cell) if make_step else plain_step(cell, optimizer)
        arguments = [between] if between else []
        both.append(Run(graph, step, data or list(batches(shape)), *arguments))
    return both


def plain_step(cell, optimizer="Momentum"):
    return nn.TrainOneStepCell(cell, OPTIMIZERS[optimizer](cell.trainable_params()))


def scaled_step(cell, first=2.0**10):
    scale = nn.DynamicLossScaleUpdateCell(first, 2, 2)
    optimizer = OPTIMIZERS["Adam"](cell.trainable_params())
    return nn.TrainOneStepWithLossScaleCell(cell, optimizer, scale_sense=scale)


# What is captured ---------------------------------------------------------------------------------


@pytest.mark.parametrize("network", ["LeNet-5", "batch norm", "dropout", "LSTM"])
def test_captured_steps_give_the_numbers_of_others(space, network, logged):
    eager, captured = runs(network, "Adam")
    captured.same_as(eager)
    assert logged == []
    for counts in captured.counts[3:]:  # the graph, and copies of two inputs and the loss
        assert counts.launches == 4 and counts.names["launches"]["graph"] == 1
        assert counts.transfers == counts.synchronisations == 0
    assert eager.counts[-1].launches > 40


class Guarded(nn.Optimizer):
    """A user-defined optimizer whose step takes more than gradients."""

    def construct(self, gradients, overflow):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            ops.assign_sub(parameter, ops.select(overflow, gradient * 0, gradient * 0.1))
        return True


class GuardedMomentum(nn.Momentum):
    """The same, derived from an optimizer whose steps can be skipped."""

    def construct(self, gradients, overflow):
        return super().construct(tuple(ops.select(overflow, g * 0, g) for g in gradients))


class GuardedStep(nn.TrainOneStepCell):
    """A training step that passes gradients and a flag to the optimizer."""

    def construct(self, x, y):
        loss, grads = ms.value_and_grad(self.network, None, self.weights)(x, y)
        self.optimizer(grads, ops.isnan(loss))
        return loss


@pytest.mark.parametrize(
    "optimizer",
    [lambda weights: Guarded(0.1, weights), lambda weights: GuardedMomentum(weights, 0.1, 0.9)],
    ids=["own", "derived"],
)
def test_an_optimizer_whose_step_takes_more_than_gradients(space, optimizer):
    eager, captured = runs(
        make_step=lambda cell: GuardedStep(cell, optimizer(cell.trainable_params()))
    )
    captured.same_as(eager)


@pytest.mark.parametrize("optimizer", [name for name in OPTIMIZERS if name != "AdamOffload"])
def test_optimizers_count_and_compute_their_rates_on_the_device(space, optimizer, logged):
    eager, captured = runs("dense", optimizer)
    captured.same_as(eager)
    assert logged == [] and captured.counts[-1].names["launches"]["graph"] == 1


def test_work_of_the_host_runs_between_two_graphs(space, logged):
    eager, captured = runs("dense", "AdamOffload")
    captured.same_as(eager)
    assert logged == []
    for counts in captured.counts[3:]:
        launches = counts.names["launches"]
        assert launches["graph"] == 2 and launches["many__copied"] == launches["many__stepped"] == 1
        assert counts.transfers == 2 and counts.synchronisations == 1


def test_the_second_graph_writes_what_the_first_computed(space, logged):
    eager, captured = runs("batch norm", "AdamOffload")  # its moving averages
    captured.same_as(eager)
    assert logged == []
    assert [counts.names["launches"]["graph"] for counts in captured.counts[3:]] == [2] * 3


def test_the_host_reads_whether_a_step_overflowed_between_two_graphs(space, logged):
    def step(cell):
        optimizer = OPTIMIZERS["AdamOffload"](cell.trainable_params())
        scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2)
        return nn.TrainOneStepWithLossScaleCell(cell, optimizer, scale_sense=scale)

    data = list(batches((2, 4), 8))
    data[4] = (ms.Tensor(np.full((2, 4), np.inf, np.float32)), data[4][1])
    eager, captured = runs(make_step=step, data=data)
    captured.same_as(eager)
    assert logged == []
    assert [bool(result[1]) for result in captured.results] == [False] * 4 + [True] + [False] * 3
    for number, counts in enumerate(captured.counts[3:], 3):
        skipped = number == 4
        assert counts.names["launches"]["graph"] == 2
        assert counts.names["launches"]["many__stepped"] == (not skipped)
        assert counts.transfers == (0 if skipped else 2)  # gradients and steps
        assert counts.synchronisations == (1 if skipped else 2)  # the flag, gradients


def test_steps_of_thor_are_captured_by_order(space, logged):
    def thor(cell):
        optimizer = nn.thor(cell, ms.Tensor(0.1), ms.Tensor(0.3), 0.9, batch_size=2)
        return nn.TrainOneStepCell(cell, optimizer)

    def between(number, step):
        step.add_flags_recursive(thor=number % 4 == 0)

    eager, captured = runs("dense", make_step=thor, between=between, data=list(batches((2, 4), 14)))
    captured.same_as(eager)
    assert logged == []
    assert [counts.names["launches"]["graph"] for counts in captured.counts[9:]] == [1] * 5
    assert all(counts.synchronisations == 0 for counts in captured.counts)


def test_arrays_divided_elsewhere_in_the_process_change_no_step(space, logged, monkeypatch):
    monkeypatch.setattr(ShardedSpace, "in_use", True)
    test_steps_of_thor_are_captured_by_order(space, logged)
    _, refused = runs(make_step=own_optimizer)
    assert len(logged) == 1 and "the optimizer 'Descent'" in logged[0]
    assert not any(counts.names["launches"]["graph"] for counts in refused.counts)


def test_an_overflow_between_captured_steps_changes_the_scale_alone(space, logged):
    data = list(batches((2, 4), 8))
    data[4] = (ms.Tensor(np.full((2, 4), np.inf, np.float32)), data[4][1])
    eager, captured = runs(make_step=scaled_step, data=data)
    captured.same_as(eager)
    assert logged == [] and captured.counts[-1].names["launches"]["graph"] == 1
    assert [bool(result[1]) for result in captured.results] == [False] * 4 + [True] + [False] * 3
    assert len({float(result[2]) for result in captured.results}) > 2


def test_a_result_that_is_kept_stays_as_it_is(space):
    _, captured = runs()
    losses = [float(each) for each in captured.results]
    assert len(set(losses)) == STEPS


def test_a_step_returns_its_gradients(space, logged):
    cell, shape = network_of("dense")
    optimizer = OPTIMIZERS["Momentum"](cell.trainable_params())
    ms.set_context(mode=ms.GRAPH_MODE)
    step = nn.TrainOneStepCell(cell, optimizer, return_grad=True)
    found = [step(*batch)[1] for batch in batches(shape)]
    name = cell.trainable_params()[0].name
    assert logged == [] and not np.array_equal(found[3][name].asnumpy(), found[4][name].asnumpy())


@pytest.mark.parametrize("marked", ["function", "method"])
def test_functions_marked_by_jit_are_captured_if_they_train(space, marked, logged):
    def step_of(cell):
        optimizer = OPTIMIZERS["Adam"](cell.trainable_params())
        gradient = ms.value_and_grad(cell, None, cell.trainable_params())

        def train(data, label):
            loss, grads = gradient(data, label)
            optimizer(grads)
            return loss

        class Trainer:
            @ms.jit
            def method(self, data, label):
                return train(data, label)

        step = ms.jit(train) if marked == "function" else Trainer().method
        return step, optimizer

    found = []
    for allowed in (False, True):
        current.allow(allowed)
        cell, shape = network_of("batch norm")
        step, optimizer = step_of(cell)
        with counting.counted() as counts:
            losses = [float(step(*batch)) for batch in batches(shape)]
        found.append((losses, [each.asnumpy() for each in cell.get_parameters()], counts))
        assert optimizer.global_step.asnumpy().tolist() == [STEPS]
    (losses, values, eager), (others, other_values, captured) = found
    assert losses == others and logged == []
    assert all(map(np.array_equal, values, other_values))
    assert captured.names["launches"]["graph"] == STEPS - 1 - reachable.WARM_UP
    assert not eager.names["launches"]["graph"]


def test_a_function_that_does_not_train_is_left_alone(space, logged):
    function = ms.jit(lambda x, *others: float(x.sum()) + 1)
    x = ms.Tensor([1.0, 2.0])
    assert [function(x, object(), {1}) for _ in range(4)] == [4.0] * 4
    assert logged == []


def test_a_graph_belongs_to_one_object_even_if_another_is_equal(space, logged):
    class Trainer:
        def __init__(self, cell):
            self.optimizer = OPTIMIZERS["Momentum"](cell.trainable_params())
            self.gradient = ms.value_and_grad(cell, None, cell.trainable_params())

        def __eq__(self, other):
            return True

        __hash__ = None

        @ms.jit
        def step(self, data, label):
            loss, grads = self.gradient(data, label)
            self.optimizer(grads)
            return loss

    cells = [network_of("dense")[0] for _ in range(2)]
    trainers = [Trainer(cell) for cell in cells]
    with counting.counted() as counts:
        for trainer in trainers:
            for batch in batches((2, 4)):
                trainer.step(*batch)
    assert logged == [] and counts.names["launches"]["graph"] == 2 * (STEPS - 3)
    assert np.array_equal(*[cell.trainable_params()[0].asnumpy() for cell in cells])


def test_a_model_trains_by_replays_in_graph_mode(space, logged):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((2 * STEPS, 4)).astype(np.float32)
    labels = rng.integers(0, 3, 2 * STEPS).astype(np.int32)
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        cell = network_of("dense")[0].backbone_network
        optimizer = OPTIMIZERS["Momentum"](cell.trainable_params())
        model = Model(cell, nn.CrossEntropyLoss(), optimizer)
        batched = NumpySlicesDataset((data, labels), ["x", "y"], shuffle=False).batch(2)
        with counting.counted() as counts:
            model.train(1, batched, dataset_sink_mode=False)
        found.append([each.asnumpy() for each in cell.get_parameters()])
    assert logged == [] and counts.names["launches"]["graph"] == STEPS - reachable.WARM_UP
    assert all(map(np.array_equal, *found))


# What changes between steps -----------------------------------------------------------------------


def assigned(number, step):
    if number == 4:
        weight = step.network.trainable_params()[0]
        weight.set_data(ms.Tensor(np.full(weight.shape, 0.5, np.float32)))


def written(number, step):
    if number == 4:
        ops.assign(step.network.trainable_params()[0], step.network.trainable_params()[0] * 2)


def another_rate(number, step):
    step.optimizer.learning_rate.set_data(ms.Tensor(0.1 / (number + 1)))


def another_momentum(number, step):
    if number == 4:
        step.optimizer.momentum.set_data(0.5)


def no_decay(number, step):
    if number == 4:
        step.optimizer.weight_decay = ms.Tensor(0.0)


def evaluated(number, step):
    step.set_train(number != 3)


def seeded(number, step):
    if number in (1, 4):
        ms.set_seed(7)


def drawn(number, step):
    ops.dropout(ops.ones((3,)), 0.5)


@pytest.mark.parametrize(
    "between, network",
    [
        (assigned, "dense"),
        (written, "dense"),
        (another_rate, "dense"),
        (another_momentum, "dense"),
        (no_decay, "dense"),
        (evaluated, "batch norm"),
        (evaluated, "dropout"),
        (seeded, "dropout"),
        (drawn, "dropout"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_changes_between_steps_counts(space, between, network, logged):
    eager, captured = runs(network, between=between)
    captured.same_as(eager)
    assert logged == []
    assert any(counts.names["launches"]["graph"] for counts in captured.counts)


def test_each_of_a_few_shapes_has_its_graph(space, logged):
    sizes = [2, 3, 2, 3, 2, 3, 2, 3]
    data = [batch for size in sizes for batch in batches((size, 4), 1)]
    eager, captured = runs(data=data)
    captured.same_as(eager)
    assert logged == []
    assert [counts.names["launches"]["graph"] for counts in captured.counts] == [0] * 4 + [1] * 4


def test_after_a_few_shapes_others_are_not_captured(space, logged):
    data = [batch for size in range(2, 8) for batch in list(batches((size, 4), 1)) * 3]
    eager, captured = runs(data=data)
    captured.same_as(eager)
    assert len(logged) == 1 and "more than 4 kinds of arguments" in logged[0]


def test_data_of_the_host_are_copied_into_the_inputs(space, logged):
    data = []
    for images, labels in batches((2, 4)):
        host = ms.Tensor(images.asnumpy())
        host._array = images.asnumpy()
        data.append((host, labels))
    eager, captured = runs(data=data)
    captured.same_as(eager)
    assert logged == [] and captured.counts[-1].names["launches"]["graph"] == 1


def test_another_thread_may_copy_while_a_step_is_captured(space, logged):
    copied = []

    def beside(x):
        if current.running() is not None and current.running().capturing:
            thread = threading.Thread(
                target=lambda: copied.append(space.module.asarray(np.arange(3.0)))
            )
            thread.start()
            thread.join()
        return x

    eager, captured = runs(make_step=with_(beside))
    captured.same_as(eager)
    assert logged == [] and [each.tolist() for each in copied] == [[0.0, 1.0, 2.0]]


# What is not captured -----------------------------------------------------------------------------


class Descent(nn.Optimizer):
    """An optimizer as a script writes it."""

    def construct(self, gradients):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            ops.assign_sub(parameter, 0.1 * gradient)
        return True


def branching(x):
    return x * 2 if x.sum() > 0 else x


def copying(x):
    return x + ms.Tensor(np.ones(8, np.float32))


def choosing(x):
    return x[:, ops.nonzero(x[0] < 9).reshape(-1)]


def drawing(x):
    return x + 0 * ops.standard_normal((8,))


def counting_itself(cell):
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = 0

        def construct(self, x):
            self.count += 1
            return x * self.count

    cell.backbone_network.between = Counting()
    return plain_step(cell)


def hooked(cell):
    cell.backbone_network.first.register_forward_hook(lambda cell, inputs, output: None)
    return plain_step(cell)


def hooked_weight(cell):
    cell.trainable_params()[0].register_hook(lambda gradient: gradient)
    return plain_step(cell)


def own_optimizer(cell):
    return nn.TrainOneStepCell(cell, Descent(0.1, cell.trainable_params()))


def changing_decay(cell):
    class Decay(nn.Cell):
        def construct(self, step):
            return 0.01 / (step + 1)

    optimizer = nn.Momentum(cell.trainable_params(), 0.1, 0.9, weight_decay=Decay())
    return nn.TrainOneStepCell(cell, optimizer)


def with_(between):
    def step(cell):
        cell.backbone_network.between = between
        return plain_step(cell)

    return step


REASONS = {
    "value read from it": with_(branching),
    "copy from the host": with_(copying),
    "nonzero": with_(choosing),
    "random numbers other than uniform": with_(drawing),
    "the attribute 'count' of 'Counting'": counting_itself,
    "hooks of 'Dense'": hooked,
    "hooks of '": hooked_weight,
    "the optimizer 'Descent'": own_optimizer,
    "__float__|get": changing_decay,
}


@pytest.mark.parametrize("reason", REASONS)
def test_what_cannot_be_captured_runs_as_before_and_says_why_once(space, reason, logged):
    eager, captured = runs(make_step=REASONS[reason])
    captured.same_as(eager)
    assert len(logged) == 1
    assert any(f"because of {part}" in logged[0] or part in logged[0] for part in reason.split("|"))
    assert not any(counts.names["launches"]["graph"] for counts in captured.counts)


def test_a_parameter_assigned_before_each_step_is_in_the_end_not_captured(space, logged):
    def each_time(number, step):
        weight = step.network.trainable_params()[0]
        weight.set_data(ms.Tensor(np.full(weight.shape, 0.1 * number, np.float32)))

    eager, captured = runs(between=each_time, data=list(batches((2, 4), 16)))
    captured.same_as(eager)
    assert len(logged) == 1 and "parameters that are assigned between its steps" in logged[0]


def test_a_refused_capture_leaves_all_as_it_was(space, logged):
    def spoilt(x):
        if current.running() is not None and current.running().capturing:
            raise ValueError("spoilt")
        return x

    eager, captured = runs(make_step=with_(spoilt))
    captured.same_as(eager)
    assert len(logged) == 1 and "ValueError: spoilt" in logged[0]


@pytest.mark.parametrize("way", ["setting", "environment"])
def test_captures_can_be_switched_off(space, way, logged, monkeypatch):
    if way == "setting":
        ms.runtime.set_kernel_launch_capture(False)
    else:
        monkeypatch.setenv(current.VARIABLE, "0")
    eager, captured = runs()
    captured.same_as(eager)
    assert logged == [] and captured.counts[-1].launches == eager.counts[-1].launches


# Memory -------------------------------------------------------------------------------------------


def test_the_memory_of_a_graph_is_given_back_with_its_cell(space):
    cell, shape = network_of("dense")
    step = plain_step(cell)
    Run(True, step, batches(shape))
    (graph,) = steps._steps[id(step)]["TrainOneStepCell"]._graphs.values()
    pool = weakref.ref(graph.capture.pool)
    del step, cell, graph
    gc.collect()
    assert pool() is None


def test_a_captured_cell_can_be_copied(space):
    cell, shape = network_of("dense")
    step = plain_step(cell)
    Run(True, step, batches(shape))
    twin, data = copy.deepcopy(step), list(batches(shape))[0]
    assert float(twin(*data)) == float(step(*data))
    assert pickle.loads(pickle.dumps(cell.trainable_params()[0])).shape == (8, 4)
