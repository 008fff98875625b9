"""Interrupts outside of steps: values that are set, trainings of a Model, iterators of datasets.
Nothing is half changed, and no thread, process or lock is left.
"""

import contextlib
import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from kit.interrupts import State, moments, stop_at

from mindspore_compat import Model, Parameter, Tensor, nn
from mindspore_compat import dataset as ds
from mindspore_compat.dataset.engine import workers
from mindspore_compat.dataset.engine.worker_processes import WorkerProcess
from mindspore_compat.train import Callback, SummaryCollector, SummaryRecord
from mindspore_compat.train.callback._callback import CallbackManager


@pytest.mark.parametrize("shape", [(2, 3), (4, 3)])
def test_data_is_set_or_not(shape):
    parameter = Parameter(Tensor(np.zeros((2, 3), np.float32)), name="p")
    new = Tensor(np.ones(shape, np.float32))

    def set_data():
        parameter.set_data(new, slice_shape=True)

    for number in moments(set_data, 40):
        parameter.set_data(Tensor(np.zeros((2, 3), np.float32)), slice_shape=True)
        stop_at(number, set_data)
        found = parameter.asnumpy()
        assert found.shape == parameter.shape
        wanted = np.ones(shape) if found.any() else np.zeros((2, 3))
        np.testing.assert_array_equal(found, wanted, err_msg=str(number))


class Counts(Callback):
    """A callback that counts the steps and runs that have ended."""

    def __init__(self):
        self.steps = self.runs = 0

    def __exit__(self, *_):
        self.runs += 1

    def on_train_step_end(self, run_context):
        self.steps += 1


def test_a_training_stops_between_steps():
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((12, n)).astype(np.float32) for n in (3, 2))
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dense(4, 2))
    optimizer = nn.Adam(net.trainable_params())
    model = Model(net, nn.MSELoss(), optimizer)
    counts, steps = Counts(), optimizer.global_step

    def train():
        model.train(1, data, callbacks=[counts], dataset_sink_mode=False)

    train()
    state = State([*net.get_parameters(), *optimizer.get_parameters()])
    course = [state.values()]  # before the first step, after it, ...
    for count in (1, 2, 3):
        state.restore(course[0])
        part = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4).take(count)
        model.train(1, part, dataset_sink_mode=False)
        course.append(state.values())
    for number in moments(train, 60):
        state.restore(course[0])
        stop_at(number, train)
        done = int(steps.asnumpy()[0]) - int(course[0][_place(state, steps)][0])
        assert not state.differences(course[done]), (number, done)


def test_a_callback_whose_start_is_interrupted_ends(tmp_path, monkeypatch):
    """Another SummaryCollector could not start otherwise."""
    enter = SummaryCollector.__enter__

    def interrupted(self):
        enter(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(SummaryCollector, "__enter__", interrupted)
    first = Counts()
    manager = CallbackManager([first, SummaryCollector(str(tmp_path))])
    with pytest.raises(KeyboardInterrupt):
        manager.__enter__()
    monkeypatch.undo()
    assert first.runs == 1
    with CallbackManager(SummaryCollector(str(tmp_path))):
        assert SummaryRecord.count == 1
    assert SummaryRecord.count == 0


def _place(state, tensor):
    return next(i for i, other in enumerate(state.tensors) if other is tensor)


def rows(workers, processes=False):
    data = ds.GeneratorDataset(
        [np.float32(n) for n in range(24)],
        ["number"],
        shuffle=False,
        num_parallel_workers=workers,
        python_multiprocessing=False,
    )
    data = data.map(
        lambda number: number + 1, num_parallel_workers=workers, python_multiprocessing=processes
    )
    return data.batch(4)


@pytest.mark.parametrize("processes, count", [(False, 25), (True, 40)])
def test_an_interrupted_iteration_leaves_no_thread_and_no_process(processes, count):
    def read():
        for _ in rows(2, processes).create_tuple_iterator(num_epochs=1, output_numpy=True):
            pass

    read()
    before = set(threading.enumerate())
    for number in moments(read, count):
        try:
            stop_at(number, read)
        except RuntimeError as error:  # Python's Condition, interrupted before it locks again
            assert str(error) in {
                "release unlocked lock",  # of a Lock
                "cannot release un-acquired lock",  # of an RLock
            }
    until = time.monotonic() + 20
    while time.monotonic() < until and (
        set(threading.enumerate()) - before or multiprocessing.active_children()
    ):
        time.sleep(0.05)
    assert not set(threading.enumerate()) - before
    assert not multiprocessing.active_children()
    read()


@pytest.mark.parametrize("place", ["start", "end"])
def test_an_interrupted_start_or_end_of_workers_leaves_no_thread(place, monkeypatch):
    def interrupted(*_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    before = set(threading.enumerate())
    if place == "end":
        monkeypatch.setattr(workers._Pool, "_dismiss", interrupted)
    else:
        starts = "_start_joinable_thread", "_start_new_thread"  # since Python 3.13, and before
        name = next(name for name in starts if hasattr(threading, name))
        monkeypatch.setattr(threading, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(rows(2).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert not set(threading.enumerate()) - before


def test_an_interrupted_kill_ends_the_other_processes_and_all_threads(monkeypatch):
    def interrupted(*_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    before = set(threading.enumerate())
    iterator = rows(2, processes=True).create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    assert multiprocessing.active_children()
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "kill", interrupted)
    with contextlib.suppress(KeyboardInterrupt):
        iterator.stop()
    until = time.monotonic() + 20
    while time.monotonic() < until and (
        set(threading.enumerate()) - before or multiprocessing.active_children()
    ):
        time.sleep(0.05)
    assert not set(threading.enumerate()) - before
    assert not multiprocessing.active_children()


@contextlib.contextmanager
def nothing_left():
    """Checks that threads and processes that start in this context end soon after it, without a
    garbage collection."""
    before, was_enabled = set(threading.enumerate()), gc.isenabled()
    gc.disable()
    try:
        yield
        until = time.monotonic() + 20
        while time.monotonic() < until and (
            set(threading.enumerate()) - before or multiprocessing.active_children()
        ):
            time.sleep(0.01)
        assert not set(threading.enumerate()) - before
        assert not multiprocessing.active_children()
    finally:
        if was_enabled:
            gc.enable()


def test_an_end_of_processes_that_is_interrupted_at_any_line_ends_them():
    def begun():
        iterator = rows(2, processes=True).create_tuple_iterator(num_epochs=1, output_numpy=True)
        next(iterator)
        return iterator

    for number in moments(begun().stop, 60):
        with nothing_left():
            stop_at(number, begun().stop)


class StopsTwice(Callback):
    """A callback that is interrupted in a step, and again when the training ends."""

    def on_train_step_end(self, run_context):
        raise KeyboardInterrupt

    def __exit__(self, *_):
        raise KeyboardInterrupt


def test_an_interrupted_training_ends_its_processes():
    data = rows(2, processes=True).map(lambda x: (x, x), ["number"], ["x", "y"])
    model = Model(nn.ReLU(), nn.MSELoss(), None)
    with nothing_left():
        try:
            model.train(1, data, callbacks=StopsTwice(), dataset_sink_mode=False)
        except KeyboardInterrupt:
            pass


@pytest.mark.parametrize("stopped", [False, True])
def test_a_process_whose_end_is_noticed_by_an_interrupted_call_has_ended(stopped, monkeypatch):
    """Python asks the system for the exit code once. If the code is lost, Python reports the
    process as running."""
    wait = os.waitpid

    def interrupted(*args):
        if threading.current_thread() is not threading.main_thread():  # the only one interrupted
            return 0, 0
        pid, status = wait(*args)
        if pid:
            monkeypatch.undo()
            raise KeyboardInterrupt
        return pid, status

    iterator = rows(2, processes=True).create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    assert len(multiprocessing.active_children()) == 2
    monkeypatch.setattr(os, "waitpid", interrupted)
    with pytest.raises(KeyboardInterrupt):
        iterator.stop() if stopped else list(iterator)
    assert not multiprocessing.active_children()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupted_start_of_a_process_leaves_none():
    def start():
        WorkerProcess(abs).kill()

    def processes():
        multiprocessing.active_children()  # reaps the processes that it knows to have ended
        with open(f"/proc/self/task/{threading.get_native_id()}/children") as file:
            return file.read().split()

    start()
    before = processes()
    for number in moments(start, 30):
        stop_at(number, start)
        until = time.monotonic() + 5
        gc.collect(1)  # the whole heap of a run of tests takes a second
        while processes() != before and time.monotonic() < until:
            time.sleep(0.1)
            gc.collect()
        assert processes() == before, number


def test_the_next_iteration_is_whole():
    data = rows(1)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)

    def read():
        next(iterator)

    stop_at(moments(read, 3)[1], read)
    found = [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert np.concatenate(found).tolist() == list(range(1, 25))


@pytest.fixture(autouse=True)
def interrupts_raise():
    """Makes SIGINT raise KeyboardInterrupt: a process that a shell starts in the background ignores
    it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


_after_fork = []  # functions that Python calls in the parent process after the next fork
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=lambda: _after_fork and _after_fork.pop()())


def interrupt_here():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_an_interrupt_while_a_process_is_forked_is_not_lost():
    """Python ignores exceptions of the functions that it calls after a fork."""
    _after_fork.append(interrupt_here)
    with pytest.raises(KeyboardInterrupt):
        WorkerProcess(abs)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert not multiprocessing.active_children()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_an_interrupt_while_a_process_is_forked_keeps_no_frames():
    """An iterator in such a frame would keep its workers until a garbage collection."""

    def start():
        local = Squares()
        kept.append(weakref.ref(local))
        WorkerProcess(abs)

    kept = []
    _after_fork.append(interrupt_here)
    gc.disable()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            start()
        assert kept[0]() is None
    finally:
        gc.enable()


class Late(Exception):
    """Raised by the handler of a signal that is not SIGINT."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_signal_while_a_process_is_forked_leaves_logging_unlocked():
    """An error of a handler in the function that `logging` registers for forks would be ignored,
    and the lock kept; another thread that logs or forks would then wait forever."""

    def late(*_):
        raise Late

    def alarm_at_release(frame, event, arg):
        if frame.f_code is logging._releaseLock.__code__:
            sys.settrace(None)
            signal.raise_signal(signal.SIGALRM)

    if not hasattr(logging, "_releaseLock"):
        pytest.skip("logging registers the lock's own method")
    before = signal.signal(signal.SIGALRM, late)
    try:
        sys.settrace(alarm_at_release)
        with pytest.raises(Late):
            WorkerProcess(abs)
    finally:
        sys.settrace(None)
        signal.signal(signal.SIGALRM, before)
        is_locked = logging._lock._is_owned()
        while logging._lock._is_owned():
            logging._lock.release()
    assert not is_locked
    assert not multiprocessing.active_children()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("is_main", [True, False])
def test_an_interrupt_does_not_end_a_process_that_begins(is_main, monkeypatch):
    """Ctrl+C reaches the new process before it has run any Python line."""
    begin = multiprocessing.process.BaseProcess._bootstrap

    def interrupted(*args, **kwargs):
        interrupt_here()
        return begin(*args, **kwargs)

    def work():
        process = WorkerProcess(abs)
        answers.append(process([-3]))
        process.kill()

    answers = []
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "_bootstrap", interrupted)
    if is_main:
        work()
    else:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(60)
    assert answers == [[(3, None)]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_an_interrupted_data_loader_leaves_no_process():
    def read():
        for _ in ds.dataloader.DataLoader(Squares(), batch_size=4, num_workers=2):
            pass

    for number in moments(read, 25):
        with contextlib.suppress(RuntimeError):  # see above
            stop_at(number, read)
        assert not multiprocessing.active_children(), number


class Squares(ds.dataloader.Dataset):
    def __getitem__(self, index):
        return np.float32(index * index)

    def __len__(self):
        return 16
