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
    assert os.getcwd() == before and not list(tmp_path.glob("*/*"))


def test_a_folder_that_stays_empty_is_used_again(worker, tmp_path):
    case = {"id": "x", "kind": "values", "name": "Tensor.shape", "then": ["it"], "init": None}
    case.update(owner="T('float32', [1.0])", call=None)
    worker.run(case)
    (folder,) = tmp_path.iterdir()
    worker.run(case)
    assert list(tmp_path.iterdir()) == [folder]
    worker.run({**case, "then": ["sample.files.write('a.txt', 'b')"]})
    assert not list(tmp_path.iterdir())


def test_what_a_case_leaves_open_is_closed(worker):
    first = {"id": "x", "kind": "accepts", "name": "train.summary.SummaryRecord", "call": None}
    first["init"] = {"log_dir": "'kept'"}
    assert worker.run(first)["status"] == "pass"
    again = {**first, "kind": "values", "then": ["it.record(1)"]}
    assert worker.run(again)["observed"]["then 1"] == "True"  # two may not be open together


def test_a_parallel_mode_ends_with_its_case(worker):
    mode = "ms.get_auto_parallel_context('parallel_mode')"
    case = {"id": "x", "kind": "values", "name": "Tensor.shape", "then": [mode]}
    case.update(owner="T('float32', [1.0])", call=None, init=None)
    divided = {**case, "first": ["sample.world.divide('semi_auto_parallel')"]}
    assert worker.run(divided)["observed"]["then 1"] == "'semi_auto_parallel'"
    assert worker.run(case)["observed"]["then 1"] == "'stand_alone'"


@pytest.mark.parametrize("path", ["/does/not/exist", "/path/to/mindrecord/file"])
def test_what_is_written_to_an_absent_path_is_gone_after_the_case(worker, tmp_path, path):
    case = {"id": "x", "kind": "values", "name": "Tensor.shape", "init": None, "call": None}
    case["owner"] = "T('float32', [1.0])"
    case["then"] = [f"__import__('os').makedirs('{path}')", f"'{path}'"]
    observed = worker.run(case)["observed"]
    assert observed["then 1"] == "None"
    assert not os.path.exists(path) and not list(tmp_path.iterdir())
