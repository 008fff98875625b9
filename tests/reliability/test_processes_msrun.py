"""The ranks of `msrun` end if it is terminated or killed, or if one of them hangs."""

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from kit.processes import alive, until
from kit.ranks import require_mpi

from mindspore_compat._backend.ranks import heartbeat
from mindspore_compat.communication import job

require_mpi()
if os.name == "nt":
    pytest.skip("signals are POSIX's", allow_module_level=True)

# Each rank, and a process that it started, write their process IDs into a folder.
RANK = """
import os, pathlib, signal, subprocess, sys, time
folder, rank = pathlib.Path(sys.argv[1]), int(os.environ["RANK_ID"])
child = subprocess.Popen(["sleep", "600"])

def ready():
    for process in (os.getpid(), child.pid):
        (folder / str(process)).touch()
"""
LEAVES = (
    RANK
    + """
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: sys.exit(5 + rank))
ready()
time.sleep(600)
"""
)
DEFAULT = (
    RANK
    + """
ready()
time.sleep(600)
"""
)
IGNORES = (
    RANK
    + """
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
ready()
time.sleep(600)
"""
)


class Started:
    """An msrun of two ranks and its output; it ends with the test."""

    def __init__(self, folder, script, *options, **environment):
        self.folder = folder / "ranks"
        self.folder.mkdir(parents=True)
        (folder / "script.py").write_text(script)
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mindspore_compat.communication.msrun",
                "--worker_num=2",
                "--local_worker_num=2",
                f"--log_dir={folder}",
                "--join=True",
                *options,
                "script.py",
                str(self.folder),
            ],
            cwd=folder,
            env={**os.environ, **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()
        for process in map(int, os.listdir(self.folder)):
            if alive(process):
                os.kill(process, signal.SIGKILL)

    def ready(self, count=4):
        until(
            lambda: len(os.listdir(self.folder)) >= count or self.process.poll() is not None,
            "the ranks have not begun",
        )

    def status(self):
        """The exit status and the text on stderr."""
        output = self.process.communicate(timeout=120)[1]
        return self.process.returncode, output

    def all_gone(self):
        return not any(alive(int(name)) for name in os.listdir(self.folder))


@pytest.mark.parametrize(
    "number, script, status",
    [
        (signal.SIGTERM, LEAVES, 6),
        (signal.SIGINT, LEAVES, 6),
        (signal.SIGTERM, DEFAULT, 128 + signal.SIGTERM),
    ],
    ids=["SIGTERM", "SIGINT", "no handler"],
)
def test_a_signal_ends_the_ranks_and_their_worst_status_is_returned(
    tmp_path, number, script, status
):
    with Started(tmp_path, script) as msrun:
        msrun.ready()
        msrun.process.send_signal(number)
        assert msrun.status()[0] == status
        assert msrun.all_gone()


def test_a_second_signal_kills_ranks_that_ignore_the_first(tmp_path):
    with Started(tmp_path, IGNORES) as msrun:
        msrun.ready()
        msrun.process.terminate()
        assert "SIGTERM; all processes are to end" in next(
            line for line in msrun.process.stderr if "msrun" in line
        )
        msrun.process.terminate()
        assert msrun.status()[0] == 128 + signal.SIGKILL
        assert msrun.all_gone()


def test_the_ranks_end_with_an_msrun_that_is_killed(tmp_path):
    with Started(tmp_path, LEAVES) as msrun:
        msrun.ready()
        ranks = [
            int(name)
            for name in os.listdir(msrun.folder)
            if b"sleep" not in Path(f"/proc/{name}/cmdline").read_bytes()
        ]
        msrun.process.kill()
        until(lambda: not any(map(alive, ranks)), "ranks live on")


def test_the_worst_status_of_ranks_that_leave_is_returned(tmp_path):
    with Started(tmp_path, "import os, sys\nsys.exit((3, 5)[int(os.environ['RANK_ID'])])") as msrun:
        assert msrun.status()[0] == 5


@pytest.mark.nightly
def test_a_signal_at_any_moment_ends_the_ranks(tmp_path):
    chance = random.Random(0)
    for number in range(200):
        with Started(tmp_path / str(number), DEFAULT) as msrun:
            msrun.ready(chance.randint(0, 4))
            msrun.process.send_signal(chance.choice([signal.SIGTERM, signal.SIGINT]))
            assert msrun.status()[0] != 0
            assert msrun.all_gone()


def test_a_time_limit_must_be_a_number(tmp_path):
    with Started(tmp_path, "", MS_NODE_TIMEOUT="soon") as msrun:
        status, output = msrun.status()
        assert status == 2
        assert "MS_NODE_TIMEOUT in the environment must be 0 or a positive int" in output


# Ranks that hang ----------------------------------------------------------------------------------

JOIN = "import mindspore.communication as comm\n"
NEVER_JOINS = (
    RANK
    + JOIN
    + """
ready()
if rank == 0:
    comm.init()
time.sleep(600)
"""
)
STOPS = (
    RANK
    + JOIN
    + """
comm.init()
ready()
if rank == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(600)
"""
)
BUSY = (
    RANK
    + JOIN
    + """
import numpy as np
from mindspore import Tensor, ops
comm.init()
ready()
while rank == 1:
    pass
ops.AllReduce()(Tensor(np.ones(3, np.float32)))
"""
)


@pytest.mark.parametrize(
    "script, option, environment, why",
    [
        (NEVER_JOINS, "--cluster_time_out=1", {}, "within 1 seconds ('--cluster_time_out')"),
        (
            STOPS,
            "--cluster_time_out=-1",
            {"MS_NODE_TIMEOUT": "2"},
            "no life for 2 seconds ('MS_NODE_TIMEOUT')",
        ),
        (
            BUSY,
            "--cluster_time_out=-1",
            {"HCCL_EXEC_TIMEOUT": "1"},
            "an exchange has waited for 1 seconds ('HCCL_EXEC_TIMEOUT')",
        ),
    ],
    ids=["joins", "stops", "is busy"],
)
def test_a_rank_that_hangs_is_named_and_all_are_ended(tmp_path, script, option, environment, why):
    with Started(tmp_path, script, option, **environment) as msrun:
        status, output = msrun.status()
        assert status == 128 + signal.SIGKILL
        assert re.findall(r"rank (\d) \(process \d+, .*worker_1.log\) hangs", output) == ["1"]
        assert why in output
        assert msrun.all_gone()


@pytest.fixture
def handlers():
    """The signal handlers, as they were."""
    before = {number: signal.getsignal(number) for number in job._SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_time_in_which_msrun_itself_was_paused_does_not_count(tmp_path, monkeypatch, handlers):
    """`msrun` may be resumed before the ranks are."""
    now = [0.0]
    for module in (heartbeat, job):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with job.Job(["sleep", "60"], os.environ, {0: tmp_path / "0.log"}, 600, 300, 1800) as running:
        Path(running.folder.name, "0.beat").write_text("2 joined 0")
        assert not running.ended()
        now[0] += 1000
        assert not running.ended() and not running.killed
        for _ in range(302):
            now[0] += 1
            running.ended()
        assert running.killed


def test_a_wait_for_others_does_not_grow_while_the_machine_is_paused(monkeypatch):
    now, beats = [0.0], []

    class Done(BaseException):
        pass

    def sleep(seconds):
        if len(beats) == 4:
            raise Done
        now[0] += 1000 if len(beats) == 2 else 1

    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    monkeypatch.setattr(heartbeat, "_clock", heartbeat.Clock(2))
    monkeypatch.setattr(heartbeat, "report", lambda kind, text: beats.append(text.split()[-1]))
    with pytest.raises(Done), heartbeat.waiting():
        heartbeat._beat()
    assert beats == ["1", "2", "4", "5"]


def test_a_beat_without_memory_is_not_the_last(monkeypatch):
    beats = []

    class Done(BaseException):
        pass

    def report(kind, text):
        beats.append(text)
        raise MemoryError if len(beats) == 1 else Done

    monkeypatch.setattr(heartbeat.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(heartbeat, "report", report)
    with pytest.raises(Done):
        heartbeat._beat()
    assert len(beats) == 2
