"""The writes of an update run without Python code in between, and continue after an error."""

import contextlib
import gc
import sys
import weakref

import numpy as np
import pytest

from mindspore_compat._backend.updates.complete import Reserve, Several, Unit, complete
from mindspore_compat._backend.updates.fuse import fuse
from mindspore_compat.ops._optimizer import formulas

pytestmark = pytest.mark.host


def failing_once(number, error):
    """Returns a function of an index and a list that appends the index to the list. The first time
    that the index is `number`, it raises instead."""
    left = [error]

    def call(index, out):
        if index == number and left:
            raise left.pop()
        out.append(index)

    return call


@pytest.mark.parametrize("failing", range(6))
@pytest.mark.parametrize("kind", ["unit", "within", "several"])
def test_groups_of_writes_go_on_after_an_error(failing, kind):
    out, prepared = [], []
    call = failing_once(failing, MemoryError("once"))

    def prepare():
        prepared.append(None)
        return [(call, [0, 1], [out] * 2), (call, [2], [out]), (call, [3, 4, 5], [out] * 3)]

    unit = Unit(prepare)
    if kind == "within":
        unit = Unit(lambda: (prepared.append(None), prepare()[1])[1])
        unit = unit.within(lambda: out.clear(), lambda: (call, [3, 4, 5], [out] * 3))
    if kind == "several":
        unit = Several(lambda: [Unit(lambda: prepare()[0]), Unit(lambda: prepare()[2])])
    wanted = {"unit": range(6), "within": range(2, 6), "several": [0, 1, 3, 4, 5]}[kind]
    begins_with_it = failing == wanted[0]
    if failing not in wanted:
        complete([unit])
    else:
        with pytest.raises(MemoryError, match="once"):
            complete([unit])
    if begins_with_it:  # nothing was written: the error propagates at once
        assert out == [] and not unit.begun()
        return
    assert out == list(wanted) and unit.finished()


def test_a_lack_of_memory_behind_a_write_gets_the_reserve():
    reserve, out = Reserve(8), []

    def prepare():
        if reserve._memory is not None:
            raise MemoryError("held")
        return out.append, [2]

    with pytest.raises(MemoryError, match="held"):
        complete([reserve, Unit(prepare)])
    assert out == []
    reserve = Reserve(8)
    with pytest.raises(MemoryError, match="held"):
        complete([reserve, Unit(lambda: (out.append, [1])), Unit(prepare)])
    assert out == [1, 2]


FORMULAS = {
    "momentum_update": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "adam_update": {
        "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8, "nesterov": False,
    },
    "ftrl_update": {"lr": 0.1, "lr_power": -0.5, "l1": 0.1, "l2": 0.2},
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_no_python_runs_after_the_first_write(name, dtype):
    fused = fuse(getattr(formulas, name))
    row = [np.full(10, 0.5, dtype) for _ in fused.names]
    fused(*row, **FORMULAS[name])
    (program,) = fused._programs.values()
    before = [array.copy() for array in row]
    numbers = {key: value for key, value in FORMULAS[name].items() if type(value) is not bool}
    function, calls = program._calls(row, program.prepare(numbers))
    for array, copy in zip(row, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    events = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        done = []
        done.extend(map(function, calls))
    finally:
        sys.setprofile(None)
    assert "call" not in events
    assert any((a != b).any() for a, b in zip(row, before, strict=True))
    again = [array.copy() for array in before]
    fused(*again, **FORMULAS[name])
    for array, other in zip(row, again, strict=True):
        np.testing.assert_array_equal(array, other)


def test_an_error_keeps_nothing_of_its_callers():
    class Kept:
        pass

    def interrupted(call=failing_once(1, KeyboardInterrupt())):
        kept, out = Kept(), []
        seen.append(weakref.ref(kept))
        complete([Unit(lambda: (call, [0], [out])), Unit(lambda: (call, [1], [out]))])

    seen = []
    gc.disable()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            interrupted()
        assert seen[0]() is None
    finally:
        gc.enable()
