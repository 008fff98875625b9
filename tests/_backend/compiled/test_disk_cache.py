"""Compiled loops are kept in the user's cache folder, and a command shows and clears it."""

import threading
import types
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat.__main__ import main
from mindspore_compat._backend.compiled import disk_cache, jit, machine_code
from mindspore_compat._backend.threads import parallel_loops
from mindspore_compat._backend.threads.parallel_loops import FLOAT, array, piece
from tests.kit.loops import needs_numba

TEXT = """def {}(x):
    for i in range(x.size):
        x[i] += 1
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "place"))
    return tmp_path / "place"


def is_loaded(function):
    """Returns True if a compiled function came from the disk, False if Numba compiled it."""
    return isinstance(function, types.BuiltinFunctionType)


def compiled():
    """Runs a compiled loop, and returns whether it came from the disk."""
    machine_code._functions.clear()
    loop = jit.Loop(TEXT.format, [(np.dtype("float32"), True)], False, "add one")
    loop.wait()
    x = np.zeros(3, np.float32)
    loop.ready(x)
    assert x.tolist() == [1, 1, 1]
    return is_loaded(loop.ready)


def files(place):
    return sorted(path for path in place.rglob("*") if path.is_file())


def test_a_relative_folder_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.VARIABLE, f"loops of {tmp_path.name}")
    before = disk_cache.folder()
    monkeypatch.chdir(tmp_path)
    assert disk_cache.folder() == before


@needs_numba
def test_a_loop_is_compiled_once(place):
    assert (compiled(), compiled()) == (False, True)
    assert [path.suffix for path in files(place)] == [".loop"]


def double(x: array(FLOAT), first: piece(0), last: piece(1)):
    for i in range(first, last):
        x[i] *= 2


@needs_numba
def test_a_parallel_loop_is_compiled_once(place):
    for is_stored in (False, True):
        parallel_loops.loop_of.cache_clear()
        parallel_loops._caller.cache_clear()
        machine_code._functions.clear()
        loop = parallel_loops.loop_of(double)
        loop.wait()
        x = np.ones(3, np.float32)
        loop.run(np.array([[0, 1], [1, 3]]), x)
        assert x.tolist() == [2, 2, 2]
        entry, caller = loop.ready.entry, loop.ready.call
        assert (entry is None, is_loaded(caller)) == (is_stored, is_stored)
    assert {path.name.split("_")[0] for path in files(place)} == {"entry", "call"}


def test_code_of_another_cpu_or_version_is_not_read(place, monkeypatch):
    written = {}
    for origin in (b"one CPU", b"the other"):
        monkeypatch.setattr(disk_cache, "_origin", lambda origin=origin: origin)
        assert disk_cache.read("loop") is None
        disk_cache.write("loop", b"for " + origin)
        written[origin] = disk_cache._path("loop")
    for origin in written:
        monkeypatch.setattr(disk_cache, "_origin", lambda origin=origin: origin)
        assert disk_cache.read("loop") == b"for " + origin
    one, other = written.values()
    other.write_bytes(one.read_bytes())
    assert disk_cache.read("loop") is None


@needs_numba
@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (disk_cache.sys, "version", "4.0"),
        (disk_cache.importlib.metadata, "version", lambda package: "1000"),
        (disk_cache.platform, "machine", lambda: "pdp11"),
        (disk_cache, "_cpu", lambda: "another model"),
        (disk_cache, "_instructions", lambda: [("AVX1000", True)]),
    ],
)
def test_what_code_depends_on_is_in_the_name_of_its_file(owner, name, value, monkeypatch):
    disk_cache._origin.cache_clear()
    path = disk_cache._path("loop")
    disk_cache._origin.cache_clear()
    monkeypatch.setattr(owner, name, value)
    assert disk_cache._path("loop") != path
    disk_cache._origin.cache_clear()


@needs_numba
def test_processes_that_store_at_once_leave_one_whole_file(place):
    """Here they are threads."""
    codes = [bytes([number]) * 2**20 for number in range(4)]
    meeting = threading.Barrier(len(codes) + 1)

    def store(code):
        meeting.wait()
        for _ in range(10):
            disk_cache.write("loop", code)

    threads = [threading.Thread(target=store, args=(code,)) for code in codes]
    for thread in threads:
        thread.start()
    meeting.wait()
    read = set()
    while any(thread.is_alive() for thread in threads):
        read.add(disk_cache.read("loop"))
    for thread in threads:
        thread.join()
    assert disk_cache.read("loop") in codes
    assert read <= {None, *codes}  # None before the first is stored
    assert len(files(place)) == 1


@needs_numba
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"damaged",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + b"!",
    ],
)
def test_a_damaged_file_is_replaced(place, damage):
    compiled()
    for path in files(place):
        path.write_bytes(damage(path.read_bytes()))
    assert (compiled(), compiled()) == (False, True)


@needs_numba
def test_a_loop_is_compiled_where_nothing_can_be_written(place):
    place.write_text("a file in the place of the folder")
    assert (compiled(), compiled()) == (False, False)


@needs_numba
def test_a_full_disk_is_no_error(place, monkeypatch):
    def write(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk_cache.Path, "write_bytes", write)
    assert not compiled()
    assert files(place) == []


@needs_numba
def test_an_empty_cache_is_searched_for_no_loop(place):
    loop = jit.Loop(TEXT.format, [(np.dtype("float32"), True)], False, "add one")
    assert not loop.is_loaded() and loop._digest is None
    disk_cache.write("other", b"code")
    assert not loop.is_loaded() and loop._digest is not None


def test_the_command_shows_and_clears(place, capsys):
    assert main(["--cache"]) == 0
    assert capsys.readouterr().out.strip() == f"{place / 'loops'}: 0 compiled loops, 0.0 MB"
    (place / "loops").mkdir(parents=True)
    (place / "loops" / "a.loop").write_bytes(bytes(2**20))
    (place / "other").write_text("of the user")
    main(["--cache"])
    assert capsys.readouterr().out.endswith("1 compiled loops, 1.0 MB\n")
    main(["--cache", "clear"])
    assert files(place) == [place / "other"]


def test_the_folder_is_the_users(monkeypatch):
    monkeypatch.delenv(disk_cache.VARIABLE, raising=False)
    monkeypatch.setattr(disk_cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert disk_cache.folder().as_posix().endswith("/somewhere/mindspore_compat")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the specification
    assert disk_cache.folder() == Path.home() / ".cache" / "mindspore_compat"
    monkeypatch.setattr(disk_cache.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert disk_cache.folder().as_posix().endswith("/local/mindspore_compat")


def test_a_user_without_a_home_stores_nothing(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(disk_cache.VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(disk_cache.sys, "platform", "linux")
    monkeypatch.setattr(disk_cache.Path, "home", home)
    assert disk_cache.read("a loop") is None
    assert not disk_cache.is_writable()
    with pytest.raises(OSError, match=disk_cache.VARIABLE):
        disk_cache.folder()
