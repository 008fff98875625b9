"""Interrupts while files are saved. They leave no temporary file and no open descriptor.

A checkpoint that is being saved in the background is not lost, no older checkpoint overwrites it,
and every wait for it ends."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
from kit.interrupts import moments, random_moments, stop_at

from mindspore_compat._io import files
from mindspore_compat._io.files import AtomicFile
from mindspore_compat.train._checkpoint import background

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
HOW = ["thread", "process"]


@pytest.fixture(autouse=True)
def nothing_under_way():
    yield
    background.wait()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "net.ckpt"


def write(path, values, delay=0.0, started=None):
    if started:
        Path(started).write_text(str(os.getpid()))
    time.sleep(delay)
    Path(path).write_text(values[0])


def interrupt_next(monkeypatch, owner, name, condition=bool):
    """Raises an interrupt at the end of the next call of a function whose result meets a
    condition."""
    call = getattr(owner, name)

    def interrupted(*args, **kwargs):
        result = call(*args, **kwargs)
        if condition(result):
            monkeypatch.undo()
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, name, interrupted)


def ended(seconds=20):
    until = time.monotonic() + seconds
    while background.is_alive():
        assert time.monotonic() < until, "the file counts as being written for ever"
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("asks", [background.is_alive, background.wait])
def test_a_process_whose_exit_code_got_lost_has_ended(path, asks, monkeypatch):
    background.begin("process", write, str(path), ["new"], {})
    interrupt_next(monkeypatch, os, "waitpid", lambda result: result[0])
    with pytest.raises(KeyboardInterrupt):
        while True:
            asks()
    assert ended()
    background.wait()
    assert path.read_text() == "new"
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("how", HOW)
def test_a_wait_that_is_interrupted_is_made_up_for_by_the_next(path, how):
    background.begin(how, write, str(path), ["old"], {"delay": 1.0})
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            background.wait()
    finally:
        signal.signal(signal.SIGALRM, before)
    background.wait()  # as save_checkpoint does before it writes
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    "how, owner, name",
    [
        ("thread", background.Thread, "start"),
        ("process", multiprocessing.Process, "start"),
        ("process", os, "fork"),
    ],
)
def test_a_start_that_is_interrupted_is_waited_for(path, how, owner, name, monkeypatch):
    interrupt_next(monkeypatch, owner, name, lambda result: result != 0)
    with pytest.raises(KeyboardInterrupt):
        background.begin(how, write, str(path), ["old"], {"delay": 0.5})
    background.wait()
    assert path.read_text() == "old"


def test_a_start_that_was_interrupted_before_it_began_is_no_error(path, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    for how, owner in zip(HOW, (background.Thread, multiprocessing.Process)):
        monkeypatch.setattr(owner, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            background.begin(how, write, str(path), ["new"], {})
        monkeypatch.undo()
        assert not background.is_alive()
        background.wait()
    assert not path.exists()


def test_ctrl_c_does_not_end_the_process_that_writes(path, tmp_path):
    """A terminal sends SIGINT to all processes of the group."""
    started = tmp_path / "started"
    options = {"delay": 0.5, "started": str(started)}
    background.begin("process", write, str(path), ["new"], options)
    until = time.monotonic() + 20
    while not started.exists() or not started.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(int(started.read_text()), signal.SIGINT)
    background.wait()
    assert path.read_text() == "new"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_a_file_whose_creation_is_interrupted_is_removed_and_closed(path, tmp_path):
    made = []

    def create():
        made.append(AtomicFile(str(path), 0o600))

    numbers, stopped = moments(create, 1000), 0
    for number in numbers:
        for file in made:
            file.discard()
        made.clear()
        before = len(os.listdir("/proc/self/fd"))
        stopped += stop_at(number, create)
        assert made or not os.listdir(tmp_path), number
        assert made or len(os.listdir("/proc/self/fd")) == before, number
    assert stopped > 60


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_interrupts_at_random_moments_leave_no_file_open(path):
    def replace():
        with files.replacing(path.parent), files.atomic_write(path) as file:
            file.write(b"new")

    replace()
    before, stopped = len(os.listdir("/proc/self/fd")), 0
    for stop in random_moments(replace, 300):
        stopped += stop(replace)
    assert len(os.listdir("/proc/self/fd")) == before
    assert stopped > 100
