"""Training steps captured as CUDA graphs by CuPy itself: one launch, and the numbers of steps that
are not captured."""

import pytest
from kit.steps import batches, network_of, plain_step, runs

import mindspore_compat as ms
from mindspore_compat import nn
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
    monkeypatch.setattr(steps.log, "warning", texts.append)
    return texts


@pytest.mark.parametrize("network", ["LeNet-5", "batch norm", "dropout", "LSTM", "embedded"])
def test_captured_steps_give_the_numbers_of_others(space, network, logged):
    eager, captured = runs(network)
    captured.same_as(eager)
    assert logged == []


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_steps_in_low_precision_are_captured(space, dtype, logged):
    def step(cell):
        cell.to_float(dtype)
        return plain_step(cell)

    eager, captured = runs("dense", made=step)
    captured.same_as(eager)
    assert logged == []


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
    assert counts["graph_launches"] == 1 and counts["matrix_products"] == 0
    assert counts["launches"] <= 1  # the loss is copied
    assert counts["synchronizations"] == counts["device_to_host"] == counts["host_to_device"] == 0
