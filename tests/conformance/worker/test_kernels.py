"""A missing kernel is told from an error of Python."""

import pytest

from conformance import targets
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    return Worker(targets.install("mindspore_compat"), str(tmp_path_factory.mktemp("cases")))


@pytest.mark.parametrize("text", ["None ** 2", "1 < 'a'"])
def test_an_operation_that_python_refuses_is_a_type_error(worker, text):
    case = {"id": "x", "kind": "values", "name": "ops.abs", "call": {"input": text}}
    assert worker.run(case)["observed"] == {"refused": "TypeError"}
