"""The specs and a worker of the package, for the tests of calls."""

import pytest

from conformance import targets
from conformance.reading import specs
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def entries():
    return specs.load(check=False)


@pytest.fixture(scope="module")
def worker():
    return Worker(targets.install("mindspore_compat"))
