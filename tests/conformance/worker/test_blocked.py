"""A failing case reports the missing name or library that it needs."""

import pytest

from conformance.reports import report
from conformance.worker import blocked

FAILED = {"id": "nn.Half::accepts::example", "status": "fail", "seconds": 0}


@pytest.mark.parametrize(
    "text, name",
    [
        ("AttributeError: module 'toy.ops' has no attribute 'arange'", "ops.arange"),
        ("AttributeError: module 'mindspore' has no attribute 'float16'", "float16"),
        (
            "ImportError: cannot import name 'Model' from 'toy.train' (unknown location)",
            "train.Model",
        ),
        ("ModuleNotFoundError: No module named 'toy.dataset'", "dataset"),
        ("AttributeError: 'Tensor' object has no attribute 'reshape'", "Tensor.reshape"),
    ],
)
def test_a_missing_name_is_reported(text, name):
    found = blocked.explain({**FAILED, "got": text}, "nn.Half", "toy")
    assert (found["status"], found["blocked"]) == ("fail", name)
    assert found["got"].startswith(f"blocked by {name}: ")


@pytest.mark.parametrize(
    "text, reason",
    [
        ("ModuleNotFoundError: No module named 'cv2'", "needs cv2, which is not installed"),
        (
            "ImportError: it takes `pip install toy[crypto]`",
            "needs the extra 'crypto', which is not installed",
        ),
    ],
)
def test_a_missing_library_is_not_asked(text, reason):
    found = blocked.explain({**FAILED, "got": text}, "nn.Half", "toy")
    assert (found["status"], found["got"]) == ("skip", reason)


@pytest.mark.parametrize(
    "text, own",
    [
        ("AttributeError: module 'toy.nn' has no attribute 'Half'", "nn.Half"),
        ("AttributeError: module 'toy.nn' has no attribute 'Half'", "nn.Half.construct"),
        ("ValueError: module 'toy.ops' has no attribute 'arange'", "nn.Half"),
        ("TypeError: rate", "nn.Half"),
    ],
)
def test_a_fault_of_its_own_stays_one(text, own):
    result = {**FAILED, "got": text}
    assert blocked.explain(result, own, "toy") == result


def test_the_table_counts_what_a_missing_name_blocks():
    case = {
        "id": "nn.Half::exists",
        "name": "nn.Half",
        "area": "nn",
        "kind": "exists",
        "platforms": [],
    }
    recorded = report.record(case, {"status": "fail", "blocked": "ops.arange", "got": ""})
    table = report.table(report.summary([recorded, recorded], {"target": "toy"}))
    assert "blocked by ops.arange, which is missing: 2 cases of other names" in table
