"""Fixtures of the tests of threads."""

import math

import pytest

from mindspore_compat._backend.threads.contention import contention


@pytest.fixture(autouse=True)
def idle_cores(monkeypatch):
    """Threads share and spin as on a machine without other work."""
    monkeypatch.setattr(contention, "now", False)
    monkeypatch.setattr(contention, "_next", math.inf)
