"""Training steps that CuPy itself captures as CUDA graphs: each replay is one launch and gives the
numbers of an ordinary step."""

import pytest
from kit.steps import batches, network_of, plain_step, runs

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.common._graph_mode import steps

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]


@pytest.fixture
def logged(monkeypatch):
    """The warnings about steps that are not captured."""
    texts = []

    def warning(text, *args, **options):
        if "captured" in text:
            texts.append(text)

    monkeypatch.setattr(steps.log, "warning", warning)
    return texts


@pytest.mark.parametrize("network", ["LeNet-5", "batch norm", "dropout", "LSTM", "embedded"])
def test_captured_steps_give_the_numbers_of_others(space, network, logged):
    eager, captured = runs(network)
    captured.same_as(eager)
    assert logged == []


@pytest.mark.parametrize("network", ["dense", "LeNet-5"])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_steps_in_low_precision_are_captured(space, dtype, network, logged):
    def step(cell):
        cell.to_float(dtype)
        return plain_step(cell)

    eager, captured = runs(network, make_step=step)
    captured.same_as(eager)
    assert logged == []


class Towers(nn.Cell):
    """Parallel layers, more than CuPy concatenates without a copy from the host."""

    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 2) for _ in range(12)])

    def construct(self, x):
        return ops.stack([layer(x) for layer in self.layers]).sum(0)


def test_a_step_that_joins_many_arrays_is_captured(space, logged):
    losses = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        loss = nn.WithLossCell(Towers(), nn.MSELoss())
        step = nn.TrainOneStepCell(loss, nn.SGD(loss.trainable_params(), 0.001)).set_train()
        x, y = ops.ones((4, 3)), ops.ones((4, 2))
        losses.append([float(step(x, y).asnumpy()) for _ in range(6)])
    assert losses[0] == losses[1] and logged == []


@pytest.mark.parametrize("network", ["LeNet-5", "batch norm"])
def test_work_of_the_host_runs_between_two_graphs(space, network, logged):
    def step(cell):
        return nn.TrainOneStepCell(cell, nn.AdamOffload(cell.trainable_params(), 0.01))

    eager, captured = runs(network, make_step=step)
    captured.same_as(eager)
    assert logged == []


def test_steps_of_thor_are_captured_by_order(space, logged):
    def thor(cell):
        optimizer = nn.thor(cell, ms.Tensor(0.1), ms.Tensor(0.3), 0.9, batch_size=2)
        return nn.TrainOneStepCell(cell, optimizer)

    def between(number, step):
        step.add_flags_recursive(thor=number % 4 == 0)

    data = list(batches((2, 1, 32, 32), 14))
    eager, captured = runs("LeNet-5", make_step=thor, between=between, data=data)
    captured.same_as(eager)
    assert logged == []


@pytest.mark.parametrize(
    "optimizer, order", [("AdamOffload", None), ("thor", True), ("thor", False)]
)
def test_optimizers_with_work_between_wait_for_no_more_than_a_copy(space, optimizer, order):
    counters = pytest.importorskip("simulated_cuda").counters
    cell, shape = network_of("LeNet-5")
    if optimizer == "thor":
        step = nn.TrainOneStepCell(cell, nn.thor(cell, ms.Tensor(0.1), ms.Tensor(0.3), 0.9))
        step.add_flags_recursive(thor=order)
    else:
        step = nn.TrainOneStepCell(cell, nn.AdamOffload(cell.trainable_params(), 0.01))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    data = list(batches(shape, 3))
    for batch in data[:2]:
        step(*batch)
    before = counters()
    step(*data[2])
    after = counters()
    counts = {name: after[name] - count for name, count in before.items()}
    copies = 1 if optimizer == "AdamOffload" else 0
    assert counts["synchronizations"] == copies
    assert counts["device_to_host"] == counts["host_to_device"] == copies
    assert counts["factorizations"] == 0


@pytest.mark.parametrize("network", ["LeNet-5", "LSTM"])
def test_a_replay_is_one_launch(space, network, logged):
    counters = pytest.importorskip("simulated_cuda").counters
    cell, shape = network_of(network)
    step = nn.TrainOneStepCell(cell, nn.Adam(cell.trainable_params(), 0.01))
    ms.set_context(mode=ms.GRAPH_MODE)
    data = list(batches(shape, 5))
    for batch in data[:4]:
        step(*batch)
    before = counters()
    step(*data[4])
    after = counters()
    counts = {name: after[name] - count for name, count in before.items()}
    assert counts["graph_launches"] == 1
    assert counts["matrix_products"] == counts["convolutions"] == 0
    assert counts["launches"] <= 1  # the loss is copied
    assert counts["synchronizations"] == counts["device_to_host"] == counts["host_to_device"] == 0
