"""A training step is atomic: whatever is raised during it, it is complete or not begun."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from kit.interrupts import State, half_changed, lines_of, moments, stop_at
from kit.trainings import (
    CELLS,
    OPTIMIZERS,
    STEPS_OF_THEIR_OWN,
    batch,
    network,
    plain_step,
    state_of,
    update_alone,
    weights,
)

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._backend.random import kernels
from mindspore_compat._backend.thresholds import Least
from mindspore_compat._backend.updates.complete import Reserve
from mindspore_compat._core.sharding.array import ShardedSpace
from mindspore_compat.common._graph_mode.call import graphs
from mindspore_compat.common.sparse_tensor import RowTensor
from mindspore_compat.nn.optim import adafactor, lamb


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_update_is_finished_or_not_begun(name):
    update, tensors = update_alone(OPTIMIZERS[name])
    update()  # compiles, and divides the parameters
    count, wrong = half_changed(update, tensors, 60)
    assert not wrong
    assert count == 60


@pytest.mark.numba
@pytest.mark.parametrize("name", ["Momentum", "Adam", "Lamb", "experimental AdamW"])
def test_an_update_by_compiled_loops_too(name, monkeypatch):
    monkeypatch.setattr(Least, "UPDATE", 0)
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")
    test_an_update_is_finished_or_not_begun(name)


@pytest.mark.parametrize(
    "name, module, function", [("Lamb", lamb, "trust_ratio"), ("AdaFactor", adafactor, "STEP")]
)
def test_an_update_whose_memory_runs_out_behind_a_write_is_finished(
    name, module, function, monkeypatch
):
    step, tensors = update_alone(OPTIMIZERS[name])
    step()
    held, computed, give_up = [], [], Reserve.give_up
    original = getattr(module, function)

    def lacking(*args, **kwargs):
        computed.append(None)
        if held and len(computed) > held[0]:
            raise MemoryError("no room")
        return original(*args, **kwargs)

    def fail_at(number, function):
        held[:], computed[:] = [number], []
        try:
            function()
        except MemoryError:
            return True
        finally:
            held.clear()
        return False

    monkeypatch.setattr(module, function, lacking)
    monkeypatch.setattr(Reserve, "give_up", lambda self: (held.clear(), give_up(self)))
    assert half_changed(step, tensors, [partial(fail_at, n) for n in range(5)]) == (5, [])


def test_gradients_of_a_few_rows():
    params = weights()[:1]
    rows = RowTensor(Tensor([0, 2, 2], ms.int32), Tensor(np.ones((3, 4), np.float32)), (3, 4))
    for name in ("Adam", "LazyAdam", "Lamb"):
        optimizer = OPTIMIZERS[name](params)
        tensors = [*params, *state_of(optimizer)]
        assert half_changed(lambda: optimizer((rows,)), tensors, 40) == (40, [])  # noqa: B023


class Descent(nn.Optimizer):
    """A user-defined optimizer that writes one parameter after another."""

    def __init__(self, params):
        super().__init__(0.1, params)

    def construct(self, gradients):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            ms.ops.assign_sub(parameter, gradient * 0.1)
        ms.ops.assign_add(self.global_step, 1)
        return True


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("make_step", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("make", [OPTIMIZERS["Adam"], OPTIMIZERS["Lamb"], Descent])
def test_a_training_step_is_finished_or_not_begun(mode, make_step, make):
    ms.set_context(mode=mode)
    step = make_step(network(), make)
    step.set_train()
    x, y = batch()
    for _ in range(4):  # in graph mode the next one is a replay
        step(x, y)
    assert half_changed(lambda: step(x, y), state_of(step), 60) == (60, [])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("name", STEPS_OF_THEIR_OWN)
def test_other_changes_are_finished_or_not_begun(mode, name):
    ms.set_context(mode=mode)
    step, tensors = STEPS_OF_THEIR_OWN[name]()
    for _ in range(5):
        step()
    assert half_changed(step, tensors, 60)[1] == []


def test_a_step_after_arrays_have_been_divided(monkeypatch):
    monkeypatch.setattr(ShardedSpace, "in_use", True)
    test_a_training_step_is_finished_or_not_begun(ms.GRAPH_MODE, plain_step, Descent)


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_the_first_steps_of_graph_mode_too(calls):
    ms.set_context(mode=ms.GRAPH_MODE)
    x, y = batch()

    def begun():
        step = plain_step(network(), OPTIMIZERS["Adam"])
        step.set_train()
        for _ in range(calls):
            step(x, y)
        return step, State(state_of(step))

    step, state = begun()
    course = [state.values()]
    numbers = moments(lambda: step(x, y), 30)
    course.append(state.values())
    for _ in range(3):
        step(x, y)
        course.append(state.values())
    for number in numbers:
        step, state = begun()
        stop_at(number, lambda: step(x, y))  # noqa: B023
        done = not state.differences(course[1])
        assert done or not state.differences(course[0]), number
        for _ in range(3):
            step(x, y)
        assert not state.differences(course[3 + done]), number


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("kind", ["jit", "value_and_grad"])
def test_moving_statistics_are_moved_together(mode, kind):
    ms.set_context(mode=mode)
    net = network()
    net.set_train()
    x = Tensor(np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32))
    call = ms.jit(lambda x: net(x))
    if kind == "value_and_grad":
        call = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    for _ in range(4):  # in graph mode the next one is a replay
        call(x)
    assert half_changed(lambda: call(x), state_of(net), 120) == (120, [])


def test_a_step_that_fails_of_itself_leaves_all_as_it_was():
    class Fails(nn.Cell):
        def construct(self, x):
            raise RuntimeError("no")

    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), Fails())
    step = plain_step(net, OPTIMIZERS["Momentum"])
    step.set_train()
    state = State(state_of(step))
    before = state.values()
    with pytest.raises(RuntimeError, match="no"):
        step(Tensor(np.ones((8, 3), np.float32)), Tensor(np.ones((8, 4), np.float32)))
    assert not state.differences(before)


@pytest.mark.skipif(sys.platform == "win32", reason="a timer's signal")
@pytest.mark.parametrize(
    "each, names",
    [
        (8, ["update, Adam", "jit, Lamb", "float16, SGD", "mean of gradients"]),
        pytest.param(4, [], marks=pytest.mark.nightly),
        pytest.param(4, ["--loops"], marks=[pytest.mark.nightly, pytest.mark.numba]),
    ],
)
def test_random_moments(each, names):
    program = Path(__file__).with_name("interrupted.py")
    command = [sys.executable, program, "--each", str(each), *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert int(run.stdout.split()[0]) > 4 * each


def test_no_interrupt_leaves_the_thread_in_a_graph():
    graph = partial(ms.jit(lambda x: x + 1), Tensor(1.0))
    for number in range(lines_of(graph)):
        stop_at(number, graph)
        assert not graphs.running and not graphs.separate and kernels.graph.run is None


def test_an_interrupt_within_numpy_leaves_its_error_state():
    def invert():
        np.linalg.inv(np.eye(2))

    before = np.geterr(), np.geterrcall()
    for number in range(lines_of(invert)):
        assert stop_at(number, invert)
        assert (np.geterr(), np.geterrcall()) == before, number
