"""Fixtures of the tests of recorded steps."""

import pytest

from mindspore_compat.common._graph_mode import steps


@pytest.fixture
def recording_allowed(capture_allowed, monkeypatch):
    """Records steps on the host whatever the environment says, and waits for compiled loops. Two
    runs that are compared bit by bit then run the same code."""
    monkeypatch.delenv(steps.VARIABLE, raising=False)
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")


@pytest.fixture
def logged(monkeypatch):
    """Returns the log lines about steps that were not recorded."""
    found = []
    monkeypatch.setattr(steps.log, "info", found.append)
    return found
