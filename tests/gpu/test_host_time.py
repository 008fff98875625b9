"""The command that measures the host time of launches, with very few of them."""

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
