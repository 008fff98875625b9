"""Worker processes: none outlives its parent or a failed pipeline, hangs, or exits silently.

By default a few rounds kill a process; `pytest -m nightly` runs 200.
"""

import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from kit.processes import alive, until

import mindspore_compat.dataset as ds
from mindspore_compat.dataset.engine import config

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="test functions cannot be sent")

# Workers of a source, a map or an executor write their process IDs into a folder. The main thread
# or another thread reads; if the latter ended, the kernel would report the end of the parent.
PARENT = """
import functools, os, sys, threading, time
import mindspore_compat.dataset as ds
from mindspore_compat._backend.ranks import children

folder, kind, method, reader = sys.argv[1:]

def work(x):
    open(os.path.join(folder, str(os.getpid())), "w").close()
    time.sleep(0.01)
    return x

class Source:
    def __getitem__(self, index):
        return work(index)
    def __len__(self):
        return 10**6

def read():
    if kind == "generator":
        data = ds.GeneratorDataset(Source(), "x", shuffle=False, num_parallel_workers=2)
    elif kind == "map":
        data = ds.NumpySlicesDataset(list(range(10**5)), "x", shuffle=False)
        data = data.map(work, num_parallel_workers=2, python_multiprocessing=True)
    else:
        with children.executor(2, method) as pool:
            list(pool.map(work, range(10**5)))
    for row in data:
        pass

if __name__ == "__main__":
    ds.config.set_multiprocessing_start_method(method)
    if reader == "main":
        read()
    else:
        threading.Thread(target=read, daemon=True).start()
        time.sleep(600)
"""


def killed(folder, number, kind, method="fork", reader="main", delay=0.0):
    """The seconds until the workers of a process ended after the process received a signal."""
    folder.mkdir()
    script = folder.parent / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, script, folder, kind, method, reader])
    try:
        until(lambda: len(os.listdir(folder)) >= 2 or parent.poll() is not None, "no worker began")
        time.sleep(delay)
    finally:
        parent.send_signal(number)
        start = time.monotonic()
        assert parent.wait(60) == -number
    workers = [int(name) for name in os.listdir(folder)]
    until(lambda: not any(map(alive, workers)), "workers live on")
    return time.monotonic() - start


@posix
@pytest.mark.parametrize(
    "number, case",
    [
        (signal.SIGKILL, ("generator",)),
        (signal.SIGTERM, ("map",)),
        (signal.SIGKILL, ("generator", "fork", "thread")),
        (signal.SIGTERM, ("map", "spawn")),
        (signal.SIGKILL, ("executor",)),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else value.name,
)
def test_workers_end_when_their_parent_is_killed(tmp_path, number, case):
    killed(tmp_path / "workers", number, *case)


@posix
@pytest.mark.nightly
def test_workers_end_when_their_parent_is_killed_at_any_moment(tmp_path):
    chance = random.Random(0)
    seconds = [
        killed(
            tmp_path / str(number),
            chance.choice([signal.SIGTERM, signal.SIGKILL]),
            chance.choice(["generator", "map", "executor"]),
            "fork",
            chance.choice(["main", "thread"]),
            chance.uniform(0, 0.2),
        )
        for number in range(200)
    ]
    assert max(seconds) < 2


# The conformance tool's worker, with a target that hangs before it serves anything.
RUNNER = """
import os, subprocess, sys
subprocess.run([sys.executable, "-m", "conformance.worker.worker", "--target", "hanging"],
               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
"""
HANGING = """
import os, pathlib, time
pathlib.Path(__file__).with_name("process").mkdir()
pathlib.Path(__file__).with_name("process").joinpath(str(os.getpid())).touch()
time.sleep(600)
"""


@posix
def test_the_conformance_worker_ends_when_its_runner_is_killed(tmp_path):
    (tmp_path / "hanging.py").write_text(HANGING)
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER], env={**os.environ, "PYTHONPATH": path}
    )
    try:
        until(lambda: list(tmp_path.glob("process/*")), "the worker has not begun")
    finally:
        runner.kill()
        runner.wait()
    worker = int(next(tmp_path.glob("process/*")).name)
    until(lambda: not alive(worker), "the worker lives on")


# Pipelines that fail ------------------------------------------------------------------------------


class Rows:
    """Eight rows; reading one of them calls a given function."""

    def __init__(self, bad=lambda: None):
        self.bad = bad

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 4:
            self.bad()
        return np.array([index])


def source(**options):
    return ds.GeneratorDataset(Rows(), "x", shuffle=False, **options)


def begun(data):
    return data.create_tuple_iterator(num_epochs=1, output_numpy=True)


@pytest.fixture(params=["threads", "processes"])
def workers(request):
    """Options of an operation with workers."""
    if request.param == "processes" and not hasattr(os, "fork"):
        pytest.skip("test functions cannot be sent")
    return {
        "num_parallel_workers": min(2, config.max_workers()),
        "python_multiprocessing": request.param == "processes",
    }


@pytest.fixture
def impatient(monkeypatch):
    """Limits the time of a worker for a row to 0.2 seconds."""
    monkeypatch.setattr(config._values, "timeout", 0.1)


def no_workers():
    return not multiprocessing.active_children() and not [
        each for each in threading.enumerate() if " worker " in each.name
    ]


def fail_at_four(x):
    if x[0] == 4:
        raise ValueError("no four")
    return x


def uneven(x):
    return np.zeros(1 + (x[0] == 5))


@pytest.mark.parametrize("function, above", [(fail_at_four, "map"), (uneven, "batch")])
def test_workers_end_when_the_pipeline_fails(workers, function, above):
    data = source().map(function, **workers)
    rows = begun(data.batch(4) if above == "batch" else data)
    with pytest.raises(RuntimeError) as caught:
        list(rows)
    assert no_workers(), caught  # while the error, its frames and the iterator still exist
    assert list(rows) == []


def test_the_error_tells_where_in_the_worker_it_was_raised(workers):
    with pytest.raises(RuntimeError, match="ValueError: no four") as caught:
        list(begun(source().map(fail_at_four, **workers)))
    assert "in fail_at_four" in "".join(traceback.format_exception(caught.value))


def test_workers_end_with_an_iterator_that_is_stopped_or_left(workers):
    rows = begun(source().map(abs, **workers))
    next(rows)
    assert not no_workers()
    rows.stop()
    assert no_workers()
    assert source(**workers).output_shapes() == [[1]]
    assert no_workers()


@forks
@pytest.mark.parametrize(
    "death, code",
    [(lambda: os._exit(7), 7), (lambda: os.kill(os.getpid(), signal.SIGKILL), -9)],
    ids=["exit", "kill"],
)
def test_a_worker_that_dies_is_named(death, code):
    data = ds.GeneratorDataset(Rows(death), "x", shuffle=False, num_parallel_workers=2)
    with pytest.raises(RuntimeError, match=rf"worker process \d+ ended with the exit code {code}"):
        list(begun(data))
    assert no_workers()


# sys.exit -----------------------------------------------------------------------------------------


def leave(*_):
    sys.exit("left")


def leave_at_four():
    yield from range(4)
    sys.exit("left")


class Leaver(ds.DSCallback):
    def ds_step_end(self, ds_run_context):
        leave()


class NoLength(Rows):
    def __len__(self):
        return leave()


class NoOrder(ds.Sampler):
    def __iter__(self):
        leave()


LEAVING = {
    "map": lambda: source().map(leave),
    "map after repeat": lambda: source().repeat(2).map([abs, leave]).batch(2),
    "callback": lambda: source().map(abs, callbacks=Leaver()),
    "filter": lambda: source().filter(leave),
    "per_batch_map": lambda: source().batch(2, per_batch_map=leave, input_columns="x"),
    "batch_size": lambda: source().batch(leave),
    "flat_map": lambda: source().flat_map(leave),
    "length": lambda: source().bucket_batch_by_length(["x"], [2], [2, 2], leave),
    "source": lambda: ds.GeneratorDataset(Rows(leave), "x", shuffle=False),
    "generator": lambda: ds.GeneratorDataset(leave_at_four, "x"),
    "length of a source": lambda: ds.GeneratorDataset(NoLength(), "x"),
    "sampler": lambda: ds.GeneratorDataset(Rows(), "x", sampler=NoOrder()),
    "collate": lambda: ds.GeneratorDataset(Rows(), "x", batch_sampler=[[0, 1]], collate_fn=leave),
}


@pytest.mark.parametrize("name", LEAVING)
def test_sys_exit_in_a_row_function_is_an_error(name):
    with pytest.raises(RuntimeError, match="SystemExit: left") as caught:
        list(begun(LEAVING[name]()))
    assert "in leave" in "".join(traceback.format_exception(caught.value))


def test_sys_exit_in_a_worker_is_an_error(workers):
    for data in (
        source().map(leave, **workers),
        ds.GeneratorDataset(Rows(leave), "x", shuffle=False, **workers),
    ):
        with pytest.raises(RuntimeError, match="SystemExit: left") as caught:
            list(begun(data))
        assert "in leave" in "".join(traceback.format_exception(caught.value))
        assert no_workers()


def test_sys_exit_while_a_dataset_is_measured_is_an_error():
    with pytest.raises(RuntimeError, match="SystemExit: left"):
        source().filter(leave).get_dataset_size()


# Workers that hang --------------------------------------------------------------------------------


@pytest.fixture
def logged(monkeypatch):
    """The log messages as pairs of level and text."""
    found = []
    for level in ("warning", "error"):
        monkeypatch.setattr(
            f"mindspore_compat.dataset.engine.workers.log.{level}",
            lambda text, *values, level=level: found.append((level, text % values)),
        )
    return found


def test_a_thread_that_hangs_is_named_and_left(impatient, logged):
    ended = threading.Event()
    data = ds.GeneratorDataset(
        Rows(ended.wait), "x", shuffle=False, num_parallel_workers=2, python_multiprocessing=False
    )
    with pytest.raises(RuntimeError, match="GeneratorDataset worker .' has worked on row 4"):
        list(begun(data))
    ended.set()
    assert [level for level, _ in logged] == ["warning", "error"]
    assert all("worker" in text and "row 4" in text for _, text in logged)
    until(no_workers, "the thread has not ended")


@forks
def test_a_process_that_hangs_is_named_and_ended(impatient, logged):
    stopped = Rows(lambda: os.kill(os.getpid(), signal.SIGSTOP))
    data = ds.GeneratorDataset(stopped, "x", shuffle=False, num_parallel_workers=2)
    named = r"worker process \d+ has worked on rows? (\d+)(?: to (\d+))?"  # quick rows go together
    with pytest.raises(RuntimeError, match=named) as raised:
        list(begun(data))
    first, last = re.search(named, str(raised.value)).groups()
    assert int(first) <= 4 <= int(last or first)
    assert no_workers()
    assert [level for level, _ in logged] == ["warning", "error"]


def test_without_the_watchdog_a_slow_worker_is_only_logged(workers, impatient, logged, monkeypatch):
    monkeypatch.setattr(config._values, "watchdog", False)
    slow = ds.GeneratorDataset(Rows(lambda: time.sleep(0.5)), "x", shuffle=False, **workers)
    assert len(list(begun(slow))) == 8
    assert len(logged) > 1 and {level for level, _ in logged} == {"warning"}


HELD = """
import os, sys, time
import mindspore_compat.dataset as ds

class Source:
    def __getitem__(self, index):
        if index == 4:
            open(sys.argv[1] + str(os.getpid()), "w").close()
            time.sleep(600)
        return index
    def __len__(self):
        return 10

held = [ds.GeneratorDataset(Source(), "x", shuffle=False, num_parallel_workers=2,
                            python_multiprocessing=kind).create_tuple_iterator()
        for kind in (True, False)]
for rows in held:
    next(rows)
while len(os.listdir(sys.argv[1])) < 2:
    time.sleep(0.01)
"""


@forks
def test_workers_that_hang_do_not_keep_a_script_from_ending(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", HELD, f"{tmp_path}/"], timeout=120, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not any(alive(int(name)) for name in os.listdir(tmp_path))
