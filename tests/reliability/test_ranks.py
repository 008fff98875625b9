"""Errors of two and three ranks over MPI that disagree or leave."""

import collections
import json
from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi, run_ranks

require_mpi()
MORE = ("Momentum", "Lamb", "SGD", "experimental AdamW")
INTERRUPTED = Path(__file__).parent / "ranks_interrupted.py"
AGREEMENT = Path(__file__).parent / "ranks_agreement.py"


@pytest.mark.parametrize("name", names_of_checks(AGREEMENT))
@pytest.mark.parametrize("count", [2, 3])
def test_disagreement(name, count):
    assert_every_rank_passes(count, AGREEMENT, name)


LEAVING = """
import _thread, os, signal, sys, threading, time
import numpy
from mindspore_compat import Tensor, communication, ops
from mindspore_compat._backend.ranks import headers
from mindspore_compat.communication import comm_func
from mindspore_compat.mint import distributed as dist

communication.init()
rank, given = communication.get_rank(), Tensor(numpy.ones(4, numpy.float32))
ops.AllReduce()(given)

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

def end_in_threads():
    threading.Thread(target=sys.exit, args=(3,)).start()
    _thread.start_new_thread(sys.exit, (3,))
    time.sleep(0.1)

def caught():
    global kept
    for _ in range(2):
        try:
            sys.exit(3)
        except SystemExit as error:
            kept = error

def wrong():
    raise KeyError("this one stops")

def leave():
    raise SystemExit(3)

def break_off(kind=KeyboardInterrupt):
    def fail(*arguments):
        if kind is MemoryError:
            raise MemoryError
        _thread.interrupt_main()
        time.sleep(60)

    same, headers.same = headers.same, fail
    for error, words in ((kind, ""), (RuntimeError, "in the middle")):
        try:
            ops.AllReduce()(given)
        except error as found:
            assert words in str(found)
        else:
            raise AssertionError(error)
        headers.same = same

ways = {
    "exits": lambda: sys.exit(3), "exits well": lambda: sys.exit(0), "leaves": leave,
    "fails": wrong, "interrupt": interrupt, "breaks off": break_off,
    "lacks memory": lambda: break_off(MemoryError),
    "ends": lambda: None, "catches": caught, "ends in threads": end_in_threads,
    "reduces": lambda: ops.AllReduce()(given), "waits": lambda: ops.Barrier()(),
    "disagrees": lambda: ops.AllReduce()(Tensor(numpy.ones(5, numpy.float32))),
    "receives": lambda: comm_func.recv(given, 1),
    "sends on": lambda: comm_func.isend(Tensor(numpy.ones(1 << 24, numpy.float32)), 0),
    "receives late": lambda: (time.sleep(0.5), comm_func.recv(
        Tensor(numpy.ones(1 << 24, numpy.float32)), 1)),
    "sends": lambda: comm_func.send(Tensor(numpy.ones(1 << 22, numpy.float32)), 1),
    "receives objects": lambda: dist.recv_object_list([None], 1),
    "works": lambda: time.sleep(60),
    "works a moment": lambda: time.sleep(0.5),
    "starts": lambda: comm_func.all_reduce(given, async_op=True),
    "is interrupted": lambda: (threading.Timer(0.3, interrupt).start(), ops.AllReduce()(given)),
}
try:
    ways[sys.argv[1 + (rank == 1)]]()
finally:
    print(f"<{rank} at its end>", flush=True)
"""


@pytest.mark.parametrize(
    "others, one, code, words",
    [
        ("reduces", "exits", 3, ""),
        ("works", "exits", 3, ""),
        ("works", "fails", 1, "this one stops"),
        ("works", "interrupt", 130, "KeyboardInterrupt"),
        ("is interrupted", "works", 130, "KeyboardInterrupt"),
        ("waits", "leaves", 1, "Rank 1 has ended, but rank 0 needs it to complete barrier"),
        ("reduces", "exits well", 1, "Rank 1 has ended, but rank 0 needs it"),
        ("reduces", "breaks off", 1, "Rank 1 has ended, but rank 0 needs it"),
        ("reduces", "lacks memory", 1, "Rank 1 has ended, but rank 0 needs it"),
        ("receives", "ends", 1, "Rank 1 has ended, but rank 0 needs it to receive float32"),
        ("sends", "ends", 1, "Rank 1 has ended, but rank 0 needs it to send float32"),
        ("receives objects", "ends", 1, "needs it to receive an object"),
        ("reduces", "disagrees", 1, "rank 1 called all_reduce (sum) of float32 (5,)"),
    ],
)
def test_one_that_leaves_ends_the_others(others, one, code, words):
    done = run_ranks(
        3 if others in ("works", "reduces") else 2, "-c", LEAVING, others, one, timeout=50
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    if others == "works":
        assert "<0 at its end>" not in done.stdout


@pytest.mark.parametrize(
    "others, one",
    [
        ("works a moment", "ends"),
        ("works a moment", "catches"),
        ("exits well", "ends in threads"),
        ("starts", "starts"),
        ("receives late", "sends on"),
    ],
)
def test_normal_ends_stay_normal(others, one):
    count = 2 if others == "receives late" else 3
    done = run_ranks(count, "-c", LEAVING, others, one, timeout=50)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("at its end") == count
    assert "Error" not in done.stderr


@pytest.mark.parametrize("mode", ["PyNative", "graph"])
@pytest.mark.parametrize(
    "kind,count", [("Adam", 12), *(pytest.param(k, 40, marks=pytest.mark.nightly) for k in MORE)]
)
def test_interrupts_of_one_rank_leave_no_difference_unnoticed(kind, count, mode):
    """Rank 1 is interrupted at random moments. A broken exchange ends the job, so the test starts
    it again."""
    outcomes, seed = collections.Counter(), 0
    while outcomes.total() < count:
        done = run_ranks(2, INTERRUPTED, str(count), str(seed), kind, mode, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        outcomes.update(json.loads(done.stdout))
        seed += 1
    assert outcomes["together"]
