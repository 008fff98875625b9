"""The process that compiles loops: it fills the disk cache and runs on idle cores. If its parent
ends, it completes its loop, then ends."""

import contextlib
import importlib
import math
import os
import pickle
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from kit.loop_calls import CALLS
from kit.loops import every_size, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import compiler as compiler_module
from mindspore_compat._backend.compiled import disk_cache, door, jit, machine_code
from mindspore_compat._backend.compiled.compiler import Compiler
from mindspore_compat._backend.loops import products
from mindspore_compat._backend.threads import contention, parallel_loops

pytestmark = pytest.mark.host
TEXT = """def {}(x):
    for i in range(x.size):
        x[i] += 1
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(machine_code, "_functions", {})


@pytest.fixture
def compiler():
    compiler = Compiler()
    yield compiler
    compiler.stop()


def is_loaded(loop):
    """Returns True if the loop came from the disk cache, False if Numba compiled it in this
    process."""
    return isinstance(loop.ready, types.BuiltinFunctionType)


def loop_of(text=TEXT.format):
    return jit.Loop(text, [(np.dtype("float32"), True)], False, "add one")


@needs_numba
def test_the_process_fills_the_cache(compiler):
    loop = loop_of()
    assert not loop.is_loaded()
    assert compiler.compile(loop)
    assert loop.is_loaded() and is_loaded(loop)
    x = np.zeros(3, np.float32)
    loop.ready(x)
    assert x.tolist() == [1, 1, 1]


@needs_numba
def test_the_process_uses_a_relative_folder_of_this_one(compiler, tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.VARIABLE, os.path.relpath(tmp_path / "loops"))
    folder = disk_cache.folder()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    loop = loop_of()
    assert compiler.compile(loop) and loop.is_loaded() and is_loaded(loop)
    assert list(folder.rglob("*.loop"))
    assert not list((tmp_path / "elsewhere").iterdir())


@needs_numba
def test_a_loop_that_nobody_awaits_is_compiled_elsewhere(monkeypatch):
    """The queue asks the process first, and this process finds the code in the cache."""
    monkeypatch.setattr(jit, "_setting", lambda: "background")
    loop = loop_of()
    assert not loop.request()
    jit._queue.wait(loop)
    assert is_loaded(loop)


@needs_numba
def test_a_stored_loop_is_loaded_by_its_first_request(compiler, monkeypatch):
    """No thread is needed."""
    monkeypatch.setattr(jit, "_queue", jit._Queue())
    monkeypatch.setattr(jit._queue, "_start", lambda: pytest.fail("the thread was started"))
    assert compiler.compile(loop_of())
    loop = loop_of()
    assert loop.request() and is_loaded(loop)
    loop.wait()


@needs_numba
def test_without_a_folder_this_process_compiles(compiler, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "file"))
    loop = loop_of()
    loop.compile(compiler)
    assert loop.ready is not None
    assert compiler._process is None


@needs_numba
def test_the_process_outlives_a_loop_that_it_cannot_compile(compiler, caplog):
    broken = loop_of("def {}(x):\n    x[0] = unknown\n".format)
    assert not compiler.compile(broken)
    assert compiler.compile(loop_of())
    broken.compile(compiler)
    assert broken.ready is None
    assert "could not compile 'add one'" in caplog.text


@needs_numba
@pytest.mark.parametrize("obstacle", ["no interpreter", "it ends at once", "cannot be pickled"])
def test_without_the_process_this_one_compiles(obstacle, compiler, monkeypatch):
    loop = loop_of()
    if obstacle == "no interpreter":
        monkeypatch.setattr(sys, "executable", "/nothing/here")
    elif obstacle == "it ends at once":
        monkeypatch.setattr(sys, "executable", "/bin/false")
    else:
        loop._library = type("Local", (), {"text": lambda: "", "compiled": dict, "python": {}})
    loop.compile(compiler)
    assert loop.ready is not None and not is_loaded(loop)


def test_every_loop_keeps_its_digest_when_it_is_sent(monkeypatch):
    """The digest covers the sources of the loop and of the functions that it calls, so equal
    digests mean equal code."""

    class Recorder:
        def __init__(self):
            self.loops, self.compiler = [], jit._queue.compiler
            self.is_used = self.rests = False

        def add(self, loop):
            self.loops.append(loop)

    queue = Recorder()
    monkeypatch.setattr(jit, "_queue", queue)
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(jit, "_setting", lambda: "background")
    monkeypatch.setattr(products, "suits", lambda: True)
    every_size(monkeypatch)
    parallel_loops.loop_of.cache_clear()
    vars(arrays.HOST).pop("bodies", None)
    for call in CALLS.values():
        call()
    vars(arrays.HOST).pop("bodies", None)
    parallel_loops.loop_of.cache_clear()
    loops = {id(loop): loop for loop in queue.loops}.values()
    assert len(loops) > 30
    for loop in loops:
        sent = pickle.loads(pickle.dumps(loop))
        assert type(sent) is type(loop)
        assert sent.digest() == loop.digest(), loop._label
        assert sent.digest() == pickle.loads(pickle.dumps(sent)).digest()


@needs_numba
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_processor_time_of_the_process_is_known(compiler):
    assert compiler.processor_time() == 0
    compiler.compile(loop_of())
    assert compiler.processor_time() > 0.05


# A loop that takes as long to compile as the test wants ------------------------------------------

SLOW = """
import os, pathlib, time
from mindspore_compat._backend.compiled import compiler

class Loop:
    ready = None

    def __init__(self, folder, longest=600):
        self.folder, self.longest = folder, longest

    def compile(self):
        compiler.LONGEST = self.longest
        folder = pathlib.Path(self.folder)
        kind = "idle" if os.sched_getscheduler(0) == os.SCHED_IDLE else "low"
        (folder / kind).write_text(str(os.getpid()))
        while not (folder / f"complete {kind}").exists():
            time.sleep(0.01)
        (folder / "completed").touch()
        self.ready = self.compile
"""
PARENT = """
import os, pathlib, signal, sys, threading, time
folder, end, longest = sys.argv[1:]
sys.path.append(folder)
from mindspore_compat._backend.compiled import compiler as module
import slow

def work():
    compiler.compile(slow.Loop(folder, float(longest)))
    compiler.stop()

module.PATIENCE = 600  # where no core is idle, the process starts late
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
compiler = module.Compiler()
threading.Thread(target=work).start()
while not (pathlib.Path(folder) / "idle").exists():
    time.sleep(0.01)
if end == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
elif end == "interrupted":
    os.killpg(os.getpgid(0), signal.SIGINT)
    time.sleep(600)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="SCHED_IDLE is of Linux")


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """The module of the loop."""
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "slow", raising=False)
    return importlib.import_module("slow")


def run_parent(folder, end, longest=600):
    """Runs a process that ends while its loop is compiled; returns its exit status and what it has
    printed. Waits until no process holds the output open."""
    parent = subprocess.run(
        [sys.executable, "-X", "dev", "-c", PARENT, str(folder), end, str(longest)],
        capture_output=True,
        text=True,
        timeout=300,
        start_new_session=True,
    )
    return parent.returncode, parent.stdout + parent.stderr


def wait_for_end(number):
    """Waits until the process with this number has ended."""
    limit = time.monotonic() + 120
    while time.monotonic() < limit:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the process still runs after 120 s")


@linux
@pytest.mark.parametrize(
    ("end", "status"), [("at its end", 0), ("killed", -9), ("interrupted", -2)]
)
def test_the_process_completes_its_loop_after_its_parent(end, status, slow, tmp_path):
    """A child of another process is reaped by the system, so it leaves no zombie."""
    returned, output = run_parent(tmp_path, end)
    assert returned == status
    assert "KeyboardInterrupt" in output if end == "interrupted" else output == ""
    number = int((tmp_path / "idle").read_text())
    os.kill(number, 0)
    assert not (tmp_path / "completed").exists()
    (tmp_path / "complete idle").touch()
    wait_for_end(number)
    assert (tmp_path / "completed").exists()


@linux
@pytest.mark.parametrize("end", ["at its end", "killed"])
def test_the_process_does_not_go_on_for_long(end, slow, tmp_path):
    run_parent(tmp_path, end, longest=0.2)
    wait_for_end(int((tmp_path / "idle").read_text()))
    assert not (tmp_path / "completed").exists()


@linux
def test_a_parent_that_goes_on_ends_the_process_and_reaps_it(compiler, slow, tmp_path):
    (tmp_path / "complete idle").touch()
    assert compiler.compile(slow.Loop(tmp_path))
    number = int((tmp_path / "idle").read_text())
    compiler.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@linux
def test_beside_processes_that_leave_no_core_idle_it_gets_a_higher_priority(
    compiler, slow, tmp_path, monkeypatch
):
    """Its priority is raised: on idle cores alone, the process might never complete its loop."""
    monkeypatch.setattr(compiler_module, "PATIENCE", 0.0)
    (tmp_path / "complete low").touch()
    assert compiler.compile(slow.Loop(tmp_path))
    if (tmp_path / "idle").exists():
        wait_for_end(int((tmp_path / "idle").read_text()))
    assert compiler.compile(slow.Loop(tmp_path))


class Recorded:
    """A loop that the queue compiles, and notes when."""

    def __init__(self, order, requests, is_awaited=False):
        self._order, self._requests, self._is_awaited = order, requests, is_awaited
        self._done = self.ready = None

    def is_loaded(self):
        return False

    def compile(self, compiler=None):
        self._order.append((self._requests, self._is_awaited))


def test_the_most_requested_loop_is_compiled_first(monkeypatch):
    queue, order = jit._Queue(), []
    monkeypatch.setattr(queue, "_start", lambda: None)
    for requests, is_awaited in [(1, False), (7, False), (2, True), (3, False)]:
        queue.add(Recorded(order, requests, is_awaited))
    queue._work()
    assert order == [(2, True), (7, False), (3, False), (1, False)]


@pytest.mark.parametrize(
    "cores, free, is_awaited, ends, compiled",
    [
        (100, math.inf, False, False, 2),  # cores are idle
        (0, 0.1, False, False, 2),  # no core is idle, but the program has run for long enough
        (0, math.inf, True, False, 2),  # a caller waits for the loop
        (0, math.inf, False, True, 1),  # the program ends: one loop is compiled for the next run
    ],
)
def test_compiling_is_delayed_while_all_cores_are_busy(
    monkeypatch, cores, free, is_awaited, ends, compiled
):
    monkeypatch.setattr(jit, "FREE", free)
    monkeypatch.setattr(jit, "COST", math.inf)
    queue, order = jit._Queue(lambda: cores), []
    monkeypatch.setattr(queue, "_start", lambda: None)
    if ends:
        alive = iter([True])
        main = types.SimpleNamespace(is_alive=lambda: next(alive, False))
        monkeypatch.setattr(jit.threading, "main_thread", lambda: main)
    for requests in (1, 2):
        queue.add(Recorded(order, requests, is_awaited))
    queue._work()
    assert order == [(2, is_awaited), (1, is_awaited)][:compiled]


def test_compiling_may_use_a_share_of_the_time(monkeypatch):
    """Returns the times at which loops are compiled beside a busy program, if each takes 0.7 s."""
    now, spent, times, order = [100.0], [0.0], [], []
    monkeypatch.setattr(jit.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(jit.time, "process_time", lambda: 2 * now[0])
    monkeypatch.setattr(jit.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + 0.5))
    queue = jit._Queue(lambda: 2)
    monkeypatch.setattr(queue, "_start", lambda: None)
    monkeypatch.setattr(queue.compiler, "processor_time", lambda: spent[0])

    def compile(loop, compiler=None):
        times.append(now[0] - 100)
        spent[0] += 0.7

    monkeypatch.setattr(Recorded, "compile", compile)
    for _ in range(9):
        queue.add(Recorded(order, 1, False))
    queue._work()
    assert times == [12, 19, 26, 33, 40, 47, 54, 60, 60]


def test_callers_seldom_ask_for_loops_while_none_is_ready(monkeypatch):
    monkeypatch.setattr(jit, "COST", math.inf)
    monkeypatch.setattr(jit, "FREE", math.inf)
    queue, rests = jit._Queue(lambda: 0), []
    monkeypatch.setattr(queue, "_start", lambda: None)
    monkeypatch.setattr(jit, "_queue", queue)
    monkeypatch.setattr(jit, "available", lambda: True)

    def sleep(seconds):
        rests.append(not door.registered("take"))
        if len(rests) == 2 * jit.REST + 2:  # another loop is found on disk
            monkeypatch.setattr(Recorded, "is_loaded", lambda loop: True)
            queue.add(Recorded([], 1, False))
        if len(rests) == 2 * jit.REST + 5:
            queue._waiting[0]._is_awaited = True

    monkeypatch.setattr(jit.time, "sleep", sleep)
    queue.add(Recorded([], 1, False))
    queue._work()
    assert rests == ([False] + [True] * (jit.REST - 1)) * 2 + [False, True, False, False, False]
    assert not jit.rests() and door.registered("take")


@pytest.mark.parametrize("idle, counted, busy", [(0.4, 2, True), (0.6, 2, False), (0, 0, False)])
def test_other_processes_keep_cores_busy(monkeypatch, idle, counted, busy):
    """If the system reports no counts, only the processor time of this process decides."""
    now = [0.0]
    monkeypatch.setattr(jit.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(jit.time, "process_time", lambda: 0.9 * now[0])
    queue = jit._Queue(lambda: 2, lambda: (idle * now[0], counted * now[0]))
    assert queue._is_busy()
    now[0] = jit.WINDOW
    assert queue._is_busy() is busy


def test_this_process_says_how_many_cores_it_may_use():
    assert 1 <= contention._cores() <= (os.cpu_count() or 1)
    spare, counted = contention._spare_time()
    assert spare >= 0 and counted >= 0


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_loop_that_cannot_be_loaded_is_compiled(monkeypatch, error):
    """This also holds if Ctrl-C interrupts the loading."""
    queue, compiled = jit._Queue(), []
    monkeypatch.setattr(queue, "_start", lambda: None)
    monkeypatch.setattr(jit.Loop, "compile", lambda loop, compiler: compiled.append(loop))

    def load(loop):
        raise error

    monkeypatch.setattr(jit.disk_cache, "is_empty", lambda: False)
    monkeypatch.setattr(jit.Loop, "load", load)
    loop = loop_of()
    with pytest.raises(error) if error is KeyboardInterrupt else contextlib.nullcontext():
        queue.add(loop)
    queue._work()
    assert compiled == [loop] and loop._done.is_set()


def test_each_request_of_a_waiting_loop_counts(monkeypatch):
    queue, order = jit._Queue(), []
    monkeypatch.setattr(queue, "_start", lambda: None)
    monkeypatch.setattr(jit, "_queue", queue)
    monkeypatch.setattr(jit, "_setting", lambda: "background")
    loops = [loop_of(), loop_of()]
    monkeypatch.setattr(jit.Loop, "compile", lambda loop, *options: order.append(loop))
    loops[0].request()
    loops[1].request()
    loops[1].request()
    queue._work()
    assert order == loops[::-1]


@needs_numba
def test_a_compiled_loop_is_used_as_soon_as_it_is_stored(compiler, monkeypatch):
    """While others are still waiting."""
    queue = jit._Queue()
    queue.compiler = compiler
    monkeypatch.setattr(jit, "_queue", queue)
    monkeypatch.setattr(jit, "_setting", lambda: "background")
    monkeypatch.setattr(queue, "_start", lambda: None)
    loops = [loop_of(), loop_of("def {}(x):\n    x[0] = x[0] + 2\n".format)]
    ready = []
    monkeypatch.setattr(
        compiler,
        "compile",
        lambda loop, real=compiler.compile: ready.append(loops[0].ready) or real(loop),
    )
    loops[0].request()
    for loop in loops:
        loop.request()
    queue._work()
    assert ready[0] is None and ready[1] is loops[0].ready
    assert is_loaded(loops[0]) and is_loaded(loops[1])


@linux
def test_a_process_that_ends_compiles_nothing_more(tmp_path):
    """The compiling thread ends with the main thread; waiting loops stay uncompiled."""
    code = """
import time
from mindspore_compat._backend.compiled import jit

class Slow(jit.Loop):
    def compile(self, compiler):
        time.sleep(1)
        print(self._label)

for number in range(3):
    jit._queue.add(Slow("def {}(): pass".format, [], False, str(number)))
time.sleep(0.2)
"""
    output = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=300)
    assert output == "0\n"
