"""The door to compiled loops: what is registered, what is imported, and calls without the door."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from kit import close_sums, same
from kit.loop_calls import CALLS, values
from kit.loops import check_arguments, fresh_loops, needs_numba, sizes_of

from mindspore_compat._backend import arrays, thresholds
from mindspore_compat._backend.compiled import door
from mindspore_compat._backend.loops import products

TESTS = pathlib.Path(__file__).parents[2]
BACKEND = pathlib.Path(arrays.__file__).parent
LOOPS = re.compile(
    r"mindspore_compat\._backend\.(loops\.|conv\.direct\.|conv\.\w+_loops$|bodies\.host"
    r"|compiled\.(tiles|library)$|recurrent\.(sequences|loops|weight_layouts)$)|numba$"
)


@pytest.fixture
def runs(monkeypatch):
    """Returns the loops that returned a result, by name and number; every array size uses loops."""
    found = set()
    check_arguments(monkeypatch.setattr)
    monkeypatch.setattr(products, "suits", lambda: True)
    for name in list(door.names()):
        loops = enumerate(door._registered[name])
        noted = [noting(loop, found, (name, number)) for number, loop in loops]
        monkeypatch.setitem(door._registered, name, noted)
    vars(arrays.HOST).pop("bodies", None)
    with fresh_loops(monkeypatch):
        yield found
    vars(arrays.HOST).pop("bodies", None)


def noting(loop, runs, key):
    """Returns a loop that records its runs that have a result."""

    def run(*args):
        found = loop.run(*args)
        if found is not None:
            runs.add(key)
        return found

    return loop._replace(run=run)


def served():
    """Returns the functions for which the package has loops, without those that a documentation
    example registers."""
    names = door.names()
    return {
        name for name in names if "mindspore_compat" in door._registered[name][0].run.__module__
    }


def test_whatever_has_loops_has_a_call():
    assert served() == set(CALLS)


@needs_numba
@pytest.mark.parametrize("name", CALLS)
def test_operators_run_every_loop_and_without_loops_give_the_same(name, runs, monkeypatch):
    by_loops = values(CALLS[name]())
    assert {(name, number) for number in range(len(door.registered(name)))} <= runs
    monkeypatch.setattr(door, "providers", [])
    monkeypatch.setattr(door, "_registered", {})
    vars(arrays.HOST).pop("bodies", None)
    runs.clear()
    for found, other in zip(by_loops, values(CALLS[name]()), strict=True):
        if found.dtype.kind == "f":
            close_sums(found / np.float32(64), other / np.float32(64))
        else:
            same(found, other)
    assert not runs


@pytest.mark.parametrize("way", ["off", "without loops"])
def test_without_the_extra_no_module_of_loops_is_imported(way):
    prepare = "" if way == "off" else "from mindspore_compat._backend.arrays import door; "
    prepare += "" if way == "off" else "door.providers.clear(); "
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r}); {prepare}"
        "from kit.loop_calls import CALLS; "
        "[call() for call in CALLS.values()]; print(*sys.modules)"
    )
    environment = {**os.environ, "MINDSPORE_COMPAT_COMPILE": "off" if way == "off" else "wait"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert [name for name in ran.stdout.split() if LOOPS.match(name)] == []


def sources():
    """The text of each file of the package."""
    return {file: file.read_text("utf-8") for file in BACKEND.parent.rglob("*.py")}


def test_what_is_asked_for_at_the_door_is_registered():
    asked = {
        name
        for text in sources().values()
        for name in re.findall(r"door\.(?:call|find)\(\s*\"(\w+)\"", text)
    }
    assert asked == served()


def test_every_threshold_is_explained_and_used():
    text, package = (BACKEND / "thresholds.py").read_text("utf-8"), "".join(sources().values())
    for table in (thresholds.Least, thresholds.Most):
        for name in sizes_of(table):
            assert re.search(rf"^    {name} = .*  # .{{20}}", text, re.M), name
            used = rf"{table.__name__}\.{name}\b|\"{name}\""
            assert re.search(used, package), name
    least = {loop.least for name in door.names() for loop in door._registered[name]} - {None}
    assert least <= {*sizes_of(thresholds.Least)}
