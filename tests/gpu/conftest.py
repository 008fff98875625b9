"""Fixtures for steps that are captured."""

import pytest

from mindspore_compat._backend.steps import cuda_graph


@pytest.fixture
def captures(monkeypatch):
    """Returns a function that counts the replays of captured steps so far."""
    count = 0
    replay = cuda_graph.Capture.replay

    def counted(self):
        nonlocal count
        count += 1
        return replay(self)

    monkeypatch.setattr(cuda_graph.Capture, "replay", counted)
    return lambda: count
