"""The process that compiles loops: it fills the disk cache, and ends with its parent."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from kit.loop_calls import CALLS
from kit.loops import every_size, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import disk_cache, jit
from mindspore_compat._backend.compiled.compiler import Compiler
from mindspore_compat._backend.loops import products
from mindspore_compat._backend.threads import parallel_loops

pytestmark = pytest.mark.host
TEXT = """def {}(x):
    for i in range(x.size):
        x[i] += 1
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))


@pytest.fixture
def compiler():
    compiler = Compiler()
    yield compiler
    compiler.stop()


def loop_of(text=TEXT.format):
    return jit.Loop(text, [(np.dtype("float32"), True)], False, "add one")


@needs_numba
def test_the_process_fills_the_cache(compiler):
    loop = loop_of()
    assert not disk_cache.has(loop.digest())
    assert compiler.compile(loop)
    assert disk_cache.has(loop.digest())
    loop.compile(compiler)
    assert sum(loop.ready.stats.cache_hits.values()) == 1
    x = np.zeros(3, np.float32)
    loop.ready(x)
    assert x.tolist() == [1, 1, 1]


@needs_numba
def test_a_loop_that_nobody_awaits_is_compiled_elsewhere(monkeypatch):
    """The queue asks the process first, and this process finds the code in the cache."""
    loop = loop_of()
    loop.request()
    jit._queue.wait(loop)
    assert sum(loop.ready.stats.cache_hits.values()) == 1


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
    assert sum(loop.ready.stats.cache_misses.values()) == 1


def test_every_loop_keeps_its_digest_when_it_is_sent(monkeypatch):
    """The digest contains the sources of the loop and of what it calls, so equal digests are equal
    code."""

    class Recorder:
        def __init__(self):
            self.loops = []

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
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_the_process_ends_when_its_parent_is_killed():
    text = """
import sys, time
import numpy as np
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.compiled.compiler import Compiler
compiler = Compiler()
text = "def {}(x):\\n    x[0] = 1\\n".format
compiler.compile(jit.Loop(text, [(np.dtype("float32"), True)], False, "one"))
print(compiler._process.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    os.kill(child, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    for _ in range(300):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the process still runs after 30 s")
