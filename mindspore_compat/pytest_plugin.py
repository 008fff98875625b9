"""`pytest -p mindspore_compat.pytest_plugin`: makes `import mindspore` in tests import this
package.

It takes effect before any conftest.py is read, in xdist's workers too. It is never active by
itself, because no entry point names it. Failures show the frames of the tests alone, and hints.
"""

import pytest

from ._startup import pytest_reports
from .standin import install_for_children


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Installs the stand-in before the conftest files are read, if requested by `-p`."""
    install_for_children()
    pytest_reports.register(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Installs the stand-in if a conftest's `pytest_plugins` names this module."""
    install_for_children()
    pytest_reports.register(config)
