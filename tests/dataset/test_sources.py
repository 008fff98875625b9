"""Sources give what MindSpore 2.10 was observed to give for the same files, or refuse them alike.

The calls, and how results are told, are in tests/source_calls.py; the files in
tests/source_files.py. Calls where this package differs on purpose are named below, with the reason.
"""

import json

import pytest
import source_calls
import source_files

import mindspore_compat.dataset as ds

CASES = [json.loads(line) for line in source_calls.FILE.read_text("utf-8").splitlines()]
DIFFERENT = {
    # The original counts the files that `extensions` leaves out.
    ("CelebADataset", "extensions=['.jpg']"): lambda wanted: [wanted[0], 2, wanted[2]],
    # It takes any value here, and no single class where its page says it does.
    ("VOCDataset", "extra_metadata=1"): lambda wanted: "TypeError",
    ("LSUNDataset", "classes='classroom'"): lambda wanted: None,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("sources")
    source_files.write(made)
    return made


@pytest.fixture(autouse=True)
def settings():
    seed, workers = ds.config.get_seed(), ds.config.get_num_parallel_workers()
    yield
    ds.config.set_seed(seed)
    ds.config.set_num_parallel_workers(workers)


def test_all_calls_are_observed():
    assert [(name, arguments) for name, arguments, _ in CASES] == list(source_calls.calls())


@pytest.mark.parametrize(
    "name, arguments, wanted", CASES, ids=[f"{name}({arguments})" for name, arguments, _ in CASES]
)
def test_a_source_gives_what_the_original_gives(folder, name, arguments, wanted):
    if "decode=True" in arguments:
        pytest.importorskip("cv2")
    for (source, part), changed in DIFFERENT.items():
        if name == source and part in arguments:
            wanted = changed(wanted)
    found = source_calls.outcome(ds, name, arguments, folder)
    if wanted is None:
        arguments = arguments.replace("'classroom'", "['classroom']")
        wanted = source_calls.outcome(ds, name, arguments, folder)
        assert len(wanted) == 3
    assert found == wanted
