"""Training steps that are not recorded on the CPU; errors, threads and memory of recorded ones."""

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from kit.loops import without_compiler
from kit.steps import STEPS, Run, batches, network_of, plain_step, replays, runs

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.common._graph_mode import steps

pytestmark = [pytest.mark.host, pytest.mark.usefixtures("recording_allowed")]


# What is not recorded -----------------------------------------------------------------------------


class Reading(nn.Cell):
    """Does something that a replay cannot do."""

    def __init__(self, what):
        super().__init__()
        self.layer, self.what, self.log = nn.Dense(4, 4), what, []

    def construct(self, x):
        x = self.layer(x)
        return WHAT[self.what](self, x)


def _noisy(cell, x):
    return x + ms.Tensor(np.random.default_rng(1).standard_normal(4).astype(np.float32))


def _printing(cell, x):
    print("x")
    return x


def _timed(cell, x):
    import time

    return x * (1 + 0 * time.time())


def _by_rows(x):
    """Passes a function that uses values of the step to an array function."""
    array, mean = x._array, x._array.sum()
    made = arrays.space_of(array).by_rows(lambda xp, part: part - mean, array)
    return x + ms.Tensor._wrap(made)


WHAT = {
    "branch": lambda cell, x: x * 2 if x.sum() > 0 else x,
    "number": lambda cell, x: x * float(x.asnumpy().max()),
    "list of results": lambda cell, x: cell.log.append(x) or x,
    "host data": _noisy,
    "global random": lambda cell, x: x * float(np.random.random()),
    "print": _printing,
    "time": _timed,
    "mask": lambda cell, x: x + x[x > 0].sum(),
    "nonzero": lambda cell, x: x + ops.nonzero(x).shape[0],
    "closure": lambda cell, x: _by_rows(x),
    "summary": lambda cell, x: (ops.TensorSummary()("x", x), x)[1],
    "hook": lambda cell, x: ops.HookBackward(lambda given: (given[0] * 2,))(x),
    "function of gradients": lambda cell, x: ops.InsertGradientOf(lambda given: given * 2)(x),
    "recomputed": lambda cell, x: ms.recompute(nn.Tanh(), x),
}


@pytest.mark.parametrize("what", WHAT)
def test_what_a_replay_cannot_do_is_run_as_always(what, logged, capsys):
    found = []
    for graph in (False, True):
        np.random.seed(3)
        cell, _ = network_of((lambda: Reading(what), (2, 4)))
        found.append(Run(graph, plain_step(cell), list(batches((2, 4)))))
    found[1].same_as(found[0])
    assert len(logged) == 1 and sum(replays(found[1].step)) == 0
    if what == "list of results":
        kept = found[1].step.network.backbone_network.log
        assert [type(each._array) for each in kept] == [np.ndarray] * STEPS
    if what == "print":
        assert capsys.readouterr().out == "x\n" * 2 * STEPS


def test_hooks_are_called_in_every_step(logged):
    seen = []
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, shape = network_of("dense")
    step = plain_step(cell)
    data = list(batches(shape, 9))
    for batch in data[:5]:
        step(*batch)
    cell.backbone_network.first.register_forward_hook(lambda *given: seen.append(given[0]))
    for batch in data[5:]:
        step(*batch)
    assert len(seen) == 4 and "hooks" in logged[0]


@pytest.mark.parametrize("way", ["variable", "runtime"])
def test_recording_can_be_switched_off(way, monkeypatch):
    if way == "variable":
        monkeypatch.setenv("MINDSPORE_COMPAT_RECORDED_STEPS", "0")
    else:
        ms.runtime.set_kernel_launch_capture(False)
    _, recorded = runs()
    assert replays(recorded.step) == []


# Errors, threads, memory --------------------------------------------------------------------------


def test_an_error_in_a_replay_is_that_of_the_operation():
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, shape = network_of("dense")
    step = plain_step(cell)
    data = list(batches(shape))
    for batch in data[:5]:
        step(*batch)
    before = [each.asnumpy().copy() for each in step.get_parameters()]
    outside = ms.Tensor(np.array([1, 99], np.int32))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(Exception) as expected:
        cell(data[5][0], outside)
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(expected.type) as raised:
        step(data[5][0], outside)
    assert str(raised.value) == str(expected.value)
    for each, value in zip(step.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(each.asnumpy(), value)
    step(*data[6])


class Failing(nn.Cell):
    """Raises an error for batches of four."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(4, 3)

    def construct(self, x):
        return self.layer(x) if x.shape[0] < 4 else undefined(x)  # noqa: F821


def test_an_error_while_a_step_is_recorded_leaves_all_as_it_was(logged):
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, _ = network_of((Failing, (2, 4)))
    step = plain_step(cell)
    arrays = [each._array for each in step.get_parameters()]
    for batch in batches((4, 4)):
        with pytest.raises(NameError, match="undefined"):
            step(*batch)
    for each, array in zip(step.get_parameters(), arrays, strict=True):
        assert each._array is array
    Run(True, step, list(batches((2, 4))))
    assert logged == [] and sum(replays(step)) > 0


def test_threads_train_networks_of_their_own():
    expected = [runs("dense", name)[0] for name in ("Momentum", "Adam")]
    ms.set_context(mode=ms.GRAPH_MODE)
    found, threads = {}, []

    def train(number, name):
        cell, shape = network_of("dense")
        found[number] = Run(True, plain_step(cell, name), list(batches(shape)))

    for number, name in enumerate(("Momentum", "Adam")):
        threads.append(threading.Thread(target=train, args=(number, name)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for number, run in enumerate(expected):
        found[number].same_as(run)


def test_a_plan_keeps_no_network_alive():
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, shape = network_of("dense")
    step = plain_step(cell)
    for batch in batches(shape):
        step(*batch)
    assert sum(replays(step)) > 0
    known = id(step)
    references = [weakref.ref(each) for each in (step, cell, step.optimizer, cell.backbone_network)]
    del cell, step
    gc.collect()
    assert [each() for each in references] == [None] * 4 and known not in steps._steps


def test_a_replay_needs_no_more_memory_than_a_step(monkeypatch):
    without_compiler(monkeypatch)
    peaks = []
    for graph in (False, True):
        cell, shape = network_of("LeNet-5")
        step = plain_step(cell)
        data = list(batches((8, *shape[1:])))
        Run(graph, step, data[:5])
        gc.collect()
        tracemalloc.start()
        step(*data[5])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= peaks[0]


@pytest.mark.parametrize("level", ["O1", "auto"])
def test_steps_are_recorded_until_a_hook_of_the_script_comes(level):
    """What the hooks of mixed precision compute is part of the recording."""
    ms.set_context(mode=ms.GRAPH_MODE)
    inner = nn.Dense(3, 2)
    net = ms.amp.auto_mixed_precision(nn.SequentialCell(inner, nn.ReLU()), level)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    x, labels = ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.zeros((2, 2), np.float32))
    for _ in range(4):
        step(x, labels)
    assert sum(replays(step)) > 0
    calls = []
    inner.register_forward_hook(lambda cell, inputs, output: calls.append(output))
    for _ in range(4):
        step(x, labels)
    assert len(calls) == 4


def test_a_step_with_a_static_loss_scaler_is_recorded():
    """The host does not read the scale."""
    net = nn.Dense(3, 2)
    scaler, optimizer = ms.amp.StaticLossScaler(4.0), nn.SGD(net.trainable_params(), 0.1)
    gradient = ms.value_and_grad(lambda x: scaler.scale(net(x).sum()), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, grads = gradient(x)
        optimizer(scaler.unscale(grads))
        return scaler.unscale(loss)

    x = ms.Tensor(np.ones((2, 3), np.float32))
    for _ in range(6):
        before, loss = net(x).sum(), step(x)
        np.testing.assert_array_equal(loss.asnumpy(), before.asnumpy())
    assert sum(replays(step)) > 0
