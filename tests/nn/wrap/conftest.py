"""Fixtures of the tests of recorded steps."""

import pytest

from mindspore_compat.common._graph_mode import steps


@pytest.fixture
def recording_allowed(capture_allowed, monkeypatch):
    """Steps are recorded on the host, whatever the environment says, and compiled loops are waited
    for, so that two runs that are compared bit by bit take the same ways."""
    monkeypatch.delenv(steps.VARIABLE, raising=False)
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")


@pytest.fixture
def logged(monkeypatch):
    """Returns the lines about steps that are not recorded."""
    found = []
    monkeypatch.setattr(steps.log, "info", found.append)
    return found
