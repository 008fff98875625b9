"""Stored loops are loaded without Numba, and do what Numba's functions do."""

import os
import platform
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest
from kit.loop_calls import CALLS
from kit.loops import every_size

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import (
    disk_cache,
    elf,
    jit,
    linker,
    machine_code,
    vector_sizes,
)
from mindspore_compat._backend.compiled.linker import Linker
from mindspore_compat._backend.loops import products
from mindspore_compat._backend.threads import job_slot, parallel_loops
from mindspore_compat._backend.threads.parallel_loops import FLOAT, array, memory, number, piece

pytestmark = [
    pytest.mark.host,
    pytest.mark.numba,
    pytest.mark.skipif(not jit.available(), reason="needs Numba"),
]
INDEX = np.dtype("int64")
ADD = """def {}(x, factor, count):
    for i in range(x.size):
        x[i] += factor
    if count < 0:
        raise ValueError("count must not be negative")
    return count
"""


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Returns a folder with the compiled loops of this file."""
    folder = tmp_path_factory.getbasetemp() / "loops of test_machine_code"
    monkeypatch.setenv(disk_cache.VARIABLE, str(folder))
    monkeypatch.setattr(machine_code, "_functions", {})


def add():
    """Returns the loop `ADD` from the disk cache, where Numba has stored it."""
    loop = jit.Loop(ADD.format, [(FLOAT, True), (FLOAT, False), (INDEX, False)], False, "add")
    if not loop.is_loaded():
        loop.wait()
        assert loop.is_loaded()
    assert isinstance(loop.ready, types.BuiltinFunctionType)
    return loop.ready


def test_arguments_and_results_are_converted():
    x = np.zeros(5, np.float32)
    assert add()(x, np.float32(0.1), 7) == 7
    assert add()(x, 2, np.int64(1 << 40)) == 1 << 40
    assert x.tolist() == [np.float32(0.1) + np.float32(2)] * 5
    with pytest.raises(TypeError):
        add()(x, 2)
    with pytest.raises(TypeError):
        add()(x, "two", 3)


def test_arrays_are_neither_kept_nor_lost():
    x, run = np.zeros(5, np.float32), add()
    before = sys.getrefcount(x)
    for _ in range(100):
        run(x, 1, 1)
    assert sys.getrefcount(x) == before


def scaled(x: array(FLOAT), factor: number(FLOAT), buffer: memory(FLOAT), start: piece(0)) -> bool:
    for i in range(buffer.size):
        buffer[i] = x[start + i] * factor
    for i in range(buffer.size):
        x[start + i] = buffer[i]
    return x[start] >= 0


def test_a_parallel_loop_with_memory_and_checks():
    for _ in range(2):
        parallel_loops.loop_of.cache_clear()
        loop = parallel_loops.loop_of(scaled)
        loop.wait()
        x = np.arange(-4, 12, dtype=np.float32)
        assert not loop.run(np.array([[0], [8]]), x, 0.5, 8)
        assert x.tolist() == [value / 2 for value in range(-4, 12)]
        assert loop.run(np.array([[8]]), x, 2.0, 8)
    assert loop.ready.entry is None


def test_the_interpreter_lock_is_released():
    """The loop runs until a flag is set by another thread, which runs Python code."""
    text = """def {}(flag):
    while flag[0] == 0:
        pause()
"""
    loop = jit.Loop(text.format, [(INDEX, True)], False, "waits", job_slot.Library)
    if not loop.is_loaded():
        loop.wait()
        assert loop.is_loaded()
    flag = np.zeros(1, np.int64)
    waiting = threading.Thread(target=loop.ready, args=(flag,), daemon=True)
    waiting.start()
    time.sleep(0.05)
    flag[0] = 1
    waiting.join(60)
    assert not waiting.is_alive()


def test_threads_that_load_at_once_get_one_function():
    add()
    machine_code._functions.clear()
    found, meeting = [], threading.Barrier(4)

    def load():
        meeting.wait()
        found.append(add())

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(map(id, found))) == 1


SCRIPT = """
import platform
import sys
import numpy as np
from mindspore_compat._backend.compiled import jit, vector_sizes
if sys.argv[2] == "before":
    import numba
FLOAT, INDEX = np.dtype("float32"), np.dtype("int64")
parameters = [(FLOAT, True), (FLOAT, False), (INDEX, False)]
loop = jit.Loop(sys.argv[1].format, parameters, False, "add")
assert loop.request() and vector_sizes.sizes()["LANES"] >= 4
x = np.zeros(3, np.float32)
assert loop.ready(x, 2, 5) == 5 and x.tolist() == [2, 2, 2]
if sys.argv[2] == "never":
    linked_by_llvm = (sys.platform, platform.machine()) != ("linux", "x86_64")
    spared = ("numba",) if linked_by_llvm else ("numba", "llvmlite")
    assert not [name for name in sys.modules if name.split(".")[0] in spared]
if sys.argv[2] != "never":
    import numba
    assert numba.njit(lambda x: np.arange(x).sum())(4) == 6
    assert loop.ready(x, 2, 5) == 5 and x.tolist() == [4, 4, 4]
try:
    loop.ready(x, 2, -1)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("numba", ["never", "before", "after"])
def test_a_process_loads_without_numba_or_beside_it(numba):
    """An exception of a loop is raised; Numba is imported to create it."""
    add()
    vector_sizes.sizes.__wrapped__()
    output = subprocess.check_output([sys.executable, "-c", SCRIPT, ADD, numba], text=True)
    assert output == "count must not be negative\n"


def test_llvm_links_what_needs_more_than_absolute_addresses(monkeypatch):
    add()
    machine_code._functions.clear()
    monkeypatch.setattr(machine_code, "_linker", machine_code._linker.__wrapped__)
    monkeypatch.setattr(elf, "_R_X86_64_64", 2)
    x = np.zeros(3, np.float32)
    assert add()(x, 2, 5) == 5 and x.tolist() == [2, 2, 2]


@pytest.mark.skipif(
    not (sys.platform == "linux" and platform.machine() == "x86_64"),
    reason="only Linux on x86-64 links without LLVM",
)
def test_llvm_is_not_imported_where_there_is_no_memory_for_code(monkeypatch):
    """Its import ends the process then."""
    add()
    machine_code._functions.clear()
    monkeypatch.setattr(machine_code, "_linker", machine_code._linker.__wrapped__)
    tried = []
    monkeypatch.setattr(linker, "LlvmLinker", tried.append)
    pages = types.SimpleNamespace(mmap=lambda *arguments: None)
    monkeypatch.setattr(elf, "_library", lambda: pages)
    loop = jit.Loop(ADD.format, [(FLOAT, True), (FLOAT, False), (INDEX, False)], False, "add")
    assert not loop.is_loaded() and not tried


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_runs_what_was_loaded_and_loads_nothing():
    add()
    code = (
        SCRIPT.split("if sys.argv[2] != ")[0]
        + """
import os
jit._queue._start = lambda: None
waiting = jit.Loop(sys.argv[1].format, parameters[::-1], False, "add")
assert not waiting.request() and not waiting.request()
child = os.fork()
if not child:
    loop.ready(x, 2, 5)
    other = jit.Loop(sys.argv[1].format, parameters, False, "add")
    requested = waiting.request() or other.request()
    os._exit(7 if x.tolist() == [4, 4, 4] and not requested else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.tolist())
"""
    )
    output = subprocess.check_output([sys.executable, "-c", code, ADD, "never"], text=True)
    assert output == "7 [2.0, 2.0, 2.0]\n"


@pytest.mark.parametrize("obstacle", ["another Numba", "unknown code", "unknown symbol"])
def test_code_that_cannot_be_linked_is_not_stored(obstacle, tmp_path, monkeypatch):
    """The loop can still be used in this process."""
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    if obstacle == "another Numba":
        monkeypatch.setattr(machine_code.json, "dumps", lambda header: header.attribute)
    elif obstacle == "unknown code":
        link = Linker.link
        monkeypatch.setattr(Linker, "link", lambda self, code, names: link(self, code[:99], names))
    else:
        monkeypatch.setattr(machine_code, "_linker", lambda: Linker({}))
    loop = jit.Loop(ADD.format, [(FLOAT, True), (FLOAT, False), (INDEX, False)], False, "add")
    loop.wait()
    x = np.zeros(2, np.float32)
    assert loop.ready(x, 1, 3) == 3 and x.tolist() == [1, 1]
    assert not list(tmp_path.rglob("*.loop"))


@pytest.mark.parametrize("obstacle", ["no new code", "no extension modules", "no LLVM"])
def test_code_that_cannot_be_linked_is_compiled(obstacle, monkeypatch):
    add()
    machine_code._functions.clear()

    def refused(*arguments):
        raise OSError

    owner, name = {
        "no new code": (Linker, "link"),
        "no extension modules": (machine_code, "_helpers"),
        "no LLVM": (Linker, "__init__"),
    }[obstacle]
    monkeypatch.setattr(owner, name, refused)
    monkeypatch.setattr(machine_code, "_linker", machine_code._linker.__wrapped__)
    loop = jit.Loop(ADD.format, [(FLOAT, True), (FLOAT, False), (INDEX, False)], False, "add")
    loop.wait()
    assert loop.ready(np.zeros(2, np.float32), 1, 3) == 3
    assert not isinstance(loop.ready, types.BuiltinFunctionType)


def values(results):
    results = results if isinstance(results, tuple | list) else (results,)
    return [result.asnumpy() for result in results]


@pytest.mark.nightly
def test_loaded_loops_have_the_bits_of_those_that_numba_has_just_compiled(tmp_path, monkeypatch):
    """For each kind of loop."""
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    monkeypatch.setattr(products, "suits", lambda: True)
    every_size(monkeypatch)
    loops = []
    for owner in (jit.Loop, parallel_loops.ParallelLoop):
        monkeypatch.setattr(owner, "make", noting(owner.make, loops))
    parallel_loops.loop_of.cache_clear()
    parallel_loops._caller.cache_clear()
    vars(arrays.HOST).pop("bodies", None)
    compiled = {name: values(call()) for name, call in CALLS.items()}
    for loop in loops:
        loop.ready = loop.load()
        assert loop.ready is not None, loop._label
    assert len(loops) > 30
    for name, call in CALLS.items():
        for one, other in zip(compiled[name], values(call()), strict=True):
            assert one.tobytes() == other.tobytes(), name


def noting(make, loops):
    def call(loop, numba):
        loops.append(loop)
        return make(loop, numba)

    return call
