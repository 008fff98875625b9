"""Each case runs in a folder of its own, and leaves no file behind."""

import os

import pytest

from conformance import targets
from conformance.worker.worker import Worker


@pytest.fixture
def worker(tmp_path):
    return Worker(targets.install("mindspore_compat"), tmp_path)


def test_files_of_a_case_are_gone_in_the_next(worker, tmp_path):
    def names_after(text):
        case = {"id": "x", "kind": "values", "name": "Tensor.shape", "then": [text]}
        case.update(owner="T('float32', [1.0])", call=None, init=None)
        return worker.run(case)["observed"]["then 1"]

    before = os.getcwd()
    written = names_after("[sample.files.write('a.txt', 'b'), sample.files.names('.')][1]")
    assert written["count"] == "1"
    assert names_after("sample.files.names('.')")["count"] == "0"
    assert os.getcwd() == before and not list(tmp_path.iterdir())
