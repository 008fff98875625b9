"""Cases of two ranks: both observe what they exchange, a fault acts in both, a wait is bounded."""

import contextlib
import json
import os
import time
from pathlib import Path

import pytest
from kit.ranks import require_mpi

from conformance.running import runner
from conformance.worker import ranks
from conformance.worker.ranks import Ranks

require_mpi()

X = "T('float32', [rank + 1.0, 2.0])"
HELD = ["sample.world.start()", f"sample.hold({X})"]
NAME = "mint.distributed.broadcast"


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    target = "mindspore_compat"
    arguments = ["-c", runner._BEGIN, "conformance", str(runner.TOOL), "--target", target]
    found = Ranks(target, arguments, tmp_path_factory.mktemp("ranks"))
    yield found
    found.stop()


def case(**given):
    return {"id": f"{NAME}::values", "kind": "values", "name": NAME, "ranks": 2, **given}


def broadcast(src):
    return case(first=HELD, call={"tensor": "sample.held", "src": src}, then=["sample.held"])


def test_both_ranks_observe_what_is_sent(both):
    for _ in range(2):  # the second time in the processes of the first
        seen = both.observed(broadcast("1"))
        assert seen["rank 0 then 1"] == seen["rank 1 then 1"] == ["Float32", [2], [2.0, 2.0]]


def test_rank_1_does_something_else(both):
    sent = {"tensor": X, "dst": "1"}
    other = ["[sample.hold(T('float32', [0.0, 0.0])), ms.mint.distributed.recv(sample.held), rank]"]
    asked = case(first=HELD[:1], call=sent, other=[f"{other[0]} and sample.held"])
    seen = both.observed({**asked, "name": "mint.distributed.send"})
    received = ["Float32", [2], [1.0, 2.0]]
    assert seen == {
        "rank 0 result": "None",
        "rank 1 other 1": received,
        "rank 1 input of other 1 after": received,
    }


def test_a_fault_is_planted_in_both(both):
    names = ["tensor", "src", "group", "async_op"]
    fault = {"name": NAME, "place": "arguments", "kind": "shifted", "of": ["src"], "names": names}
    both.replant(fault)
    seen = both.observed(broadcast("0"))
    assert seen["rank 0 then 1"] == ["Float32", [2], [2.0, 2.0]]
    assert both.replant(None) == [2, 2]
    assert both.observed(broadcast("0"))["rank 0 then 1"] == ["Float32", [2], [1.0, 2.0]]


def test_what_both_refuse_is_one_refusal(both):
    assert both.observed(broadcast("7"))["refused"] in ("RuntimeError", "ValueError")


def test_processes_that_serve_no_case_are_ended(both, monkeypatch):
    monkeypatch.setattr(ranks, "IDLE", 2)
    monkeypatch.setattr(both, "stop", lambda: stopped.append(both.idle))
    stopped = []
    both.observed(broadcast("1"))
    for _ in range(3):
        both.rest()
    assert stopped == [3]


def test_a_wait_without_end_is_bounded(both, monkeypatch):
    monkeypatch.setattr(ranks, "LIMIT", 0.3)
    received = case(first=HELD, call={"tensor": "sample.held", "src": "1"}, other=["rank"])
    assert both.observed({**received, "name": "mint.distributed.recv"}) == {"refused": "hang"}
    assert not both.processes


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc")
def test_ranks_that_are_starting_end_with_their_worker():
    worker = runner.Process("mindspore_compat")
    worker.process.stdin.write(json.dumps(broadcast("1")) + "\n")
    worker.process.stdin.flush()
    assert until(lambda: len(running_in(worker.folder.name)) > 1)
    worker.stop()
    assert until(lambda: not running_in(worker.folder.name))


def running_in(folder):
    """Returns the processes whose working folder is a folder or lies within it."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            found += [link] if os.readlink(link).startswith(folder) else []
    return found


def until(condition, seconds=20):
    """Whether a condition becomes true."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_ranks_that_cannot_communicate_are_started_once(tmp_path, monkeypatch):
    target = "without_mpi"
    text = "class communication:\n    def init():\n        raise RuntimeError('no MPI')\n"
    (tmp_path / f"{target}.py").write_text(text)
    arguments = ["-c", runner._BEGIN, "conformance", str(runner.TOOL), "--target", target]
    found, starts = Ranks(target, arguments, tmp_path), []
    launch = found._launch
    monkeypatch.setattr(found, "_launch", lambda port: (starts.append(port), launch(port)))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no MPI"):
            found.observed(broadcast("1"))
    assert len(starts) == 1
