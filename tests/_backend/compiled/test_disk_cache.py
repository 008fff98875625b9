"""Compiled loops are kept in the user's cache folder, and a command shows and clears it."""

import contextlib
import threading

import numpy as np
import pytest

from mindspore_compat.__main__ import main
from mindspore_compat._backend.compiled import disk_cache, jit
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


def compiled():
    """A compiled loop that has been run, and how often it came from the disk."""
    loop = jit.Loop(TEXT.format, [(np.dtype("float32"), True)], False, "add one")
    loop.wait()
    x = np.zeros(3, np.float32)
    loop.ready(x)
    assert x.tolist() == [1, 1, 1]
    return sum(loop.ready.stats.cache_hits.values())


def files(place):
    return sorted(path for path in place.rglob("*") if path.is_file())


@needs_numba
def test_a_loop_is_compiled_once(place):
    assert (compiled(), compiled()) == (0, 1)
    assert [path.suffix for path in files(place)] == [".nbc"]


def double(x: array(FLOAT), first: piece(0), last: piece(1)):
    for i in range(first, last):
        x[i] *= 2


@needs_numba
def test_a_parallel_loop_is_compiled_once(place):
    for times in (0, 1):
        parallel_loops.loop_of.cache_clear()
        parallel_loops._caller.cache_clear()
        loop = parallel_loops.loop_of(double)
        loop.wait()
        x = np.ones(3, np.float32)
        loop.run(np.array([[0, 1], [1, 3]]), x)
        assert x.tolist() == [2, 2, 2]
        entry, caller = loop.ready.entry, loop.ready.call
        assert (entry.cache_hits, sum(caller.stats.cache_hits.values())) == (times, times)
    names = {path.name.split("_")[0] for path in files(place)}
    assert names >= {"jit.entry", "jit.call"}


@needs_numba
def test_two_processes_that_store_at_once_keep_what_belongs_to_each(place, monkeypatch):
    """Here they are threads that open their files at the same moment."""
    from numba.core import caching

    meeting, real = threading.Barrier(2), caching.IndexDataCacheFile._open_for_write

    @contextlib.contextmanager
    def together(self, path):
        meeting.wait()
        with real(self, path) as file:
            yield file

    def number(x):
        return x.size

    monkeypatch.setattr(caching.IndexDataCacheFile, "_open_for_write", together)
    for turn in range(8):
        number.__qualname__ = f"number_{turn}"
        cpus = ("one CPU", "the other")
        threads = [
            threading.Thread(
                target=disk_cache.of_function(number)._cache_file.save, args=(cpu, f"for {cpu}")
            )
            for cpu in cpus
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = disk_cache.of_function(number)._cache_file
        assert [stored.load(cpu) for cpu in cpus] == [f"for {cpu}" for cpu in cpus]


@needs_numba
@pytest.mark.parametrize("damage", [b"", b"damaged"])
def test_a_damaged_file_is_replaced(place, damage):
    compiled()
    for path in files(place):
        path.write_bytes(damage)
    assert (compiled(), compiled()) == (0, 1)


@needs_numba
def test_a_loop_is_compiled_where_nothing_can_be_written(place):
    place.write_text("a file in the place of the folder")
    assert (compiled(), compiled()) == (0, 0)


def test_the_command_shows_and_clears(place, capsys):
    assert main(["--cache"]) == 0
    assert capsys.readouterr().out.strip() == f"{place / 'loops'}: 0 compiled loops, 0.0 MB"
    (place / "loops").mkdir(parents=True)
    (place / "loops" / "a.nbc").write_bytes(bytes(2**20))
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
    monkeypatch.setattr(disk_cache.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert disk_cache.folder().as_posix().endswith("/local/mindspore_compat")
