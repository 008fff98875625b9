"""`pytest -p mindspore_compat.pytest_plugin`: makes `import mindspore` in tests import this
package.

It takes effect before any conftest.py is read, in xdist's workers too. It is never active by
itself, because no entry point names it. Failures show the frames of the tests alone, and hints.
"""

import pytest

from ._core import frames
from ._startup import tracebacks
from .standin import install_for_children


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Installs the stand-in before the conftest files are read, if requested by `-p`."""
    install_for_children()


@pytest.hookimpl(tryfirst=True)
def pytest_configure():
    """Installs the stand-in if a conftest's `pytest_plugins` names this module."""
    install_for_children()


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
