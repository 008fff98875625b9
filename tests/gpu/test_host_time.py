"""The command that measures the host time of launches, with very few of them."""

import sys

import pytest

from . import counters, host_time

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"] * counters.SIMULATED, indirect=True),
    pytest.mark.usefixtures("capture_allowed"),
]


def test_each_kind_of_launch_is_measured(space, monkeypatch, capsys):
    monkeypatch.setattr(host_time, "CALLS", 2)
    monkeypatch.setattr(host_time, "REPEATS", 1)
    host_time.main([])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 12 and all(float(line.split()[-2]) > 0 for line in lines)
    assert any(line.startswith("replay of a step") for line in lines)


MOST_CALLS = {  # Python and C functions that the package calls in one launch
    "add": 11,
    "add a number": 25,
    "exp": 18,
    "add, bfloat16": 30,
    "gelu, a fused body": 32,
    "softmax, a row kernel": 46,
    "layer norm, a row kernel": 70,
    "sum": 32,
    "product": 24,
}


def test_a_launch_makes_few_calls(space):
    """The number of calls stands for the host time of a launch on any machine: a call takes about
    0.05 to 0.1 us."""
    found = {}
    for name, call in host_time.calls().items():
        if name in MOST_CALLS:
            call()
            found[name] = calls_of(call)
    assert found.keys() == MOST_CALLS.keys()
    assert {name: count for name, count in found.items() if count > MOST_CALLS[name]} == {}


def calls_of(function):
    """Returns how many functions the package's Python code calls, Python's or C's."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call") and "mindspore_compat" in frame.f_code.co_filename

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count
