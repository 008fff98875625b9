"""`pytest -p mindspore_compat.pytest_plugin`: the tests' `import mindspore` is this package.

It acts before any conftest.py is read, in xdist's workers too. It never acts by itself: no entry
point names it.
"""

import pytest

from .standin import install_for_children


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Named with `-p`: come before the conftest files."""
    install_for_children()


@pytest.hookimpl(tryfirst=True)
def pytest_configure():
    """Named in a conftest's `pytest_plugins`: come as early as is left."""
    install_for_children()
