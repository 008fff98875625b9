"""Fixtures of the communication tests."""

import socket

import pytest


@pytest.fixture
def unused_port():
    """Returns a port of this machine that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
