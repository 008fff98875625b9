"""Fixtures for steps that are captured."""

import pytest

from mindspore_compat._backend.steps import cuda_graph
from mindspore_compat._core.gradients import leaves


@pytest.fixture(autouse=True)
def no_float_status(monkeypatch):
    """Switches the float status off, which checks every gradient once a test has cleared it."""
    monkeypatch.setattr(leaves, "watchers", [])


@pytest.fixture
def captures(monkeypatch):
    """Returns a function that counts the steps so far that were replays of a captured one."""
    count = 0
    replay = cuda_graph.Capture.replay

    def counted(self):
        nonlocal count
        count += 1
        return replay(self)

    monkeypatch.setattr(cuda_graph.Capture, "replay", counted)
    return lambda: count
