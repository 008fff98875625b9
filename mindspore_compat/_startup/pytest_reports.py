"""The plugin for pytest that shows failures as `tracebacks.py` describes: with the frames of the
tests alone, the path of the Cell, and hints.

It is registered when a test or conftest imports `mindspore`, so it serves all ways to install the
stand-in. Tests that do not use the package run without it.
"""

import sys

import pytest

from .._core import frames
from . import tracebacks

NAME = "mindspore_compat-reports"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Leaves the package's frames out of a failure, and adds the path of the Cell and a hint."""
    if call.excinfo is None or frames.shows_all_frames():
        yield
        return
    error = call.excinfo.value
    trace = frames.without_package_frames(call.excinfo.tb)
    call.excinfo = pytest.ExceptionInfo.from_exc_info((type(error), error, trace))
    advice = tracebacks.advice(error)
    with frames.causes_without_package_frames(error):
        report = (yield).get_result()
    if advice and report.failed:
        report.sections.append(("mindspore_compat", advice))


def register(config):
    """Registers this plugin; repeated calls have no effect."""
    if not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(sys.modules[__name__], NAME)


def unregister(config):
    """Removes this plugin, if it is registered."""
    if config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.unregister(name=NAME)


def running_config():
    """Returns the configuration of the pytest that runs the caller, or None.

    Pytest offers no function for it, but a function that runs tests has it as a variable.
    """
    frame = sys._getframe()
    while frame is not None:
        for value in [*frame.f_locals.values()]:
            if isinstance(value, pytest.Config):
                return value
        frame = frame.f_back
    return None
