"""`pytest -p mindspore_compat.pytest_plugin`: makes `import mindspore` in tests import this
package.

It takes effect before any conftest.py is read, in xdist's workers too. It is never active by
itself, because no entry point names it.
"""

import pytest

from .standin import install_for_children


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Installs the stand-in before the conftest files are read, if requested by `-p`."""
    install_for_children()


@pytest.hookimpl(tryfirst=True)
def pytest_configure():
    """Installs the stand-in if a conftest's `pytest_plugins` names this module."""
    install_for_children()
