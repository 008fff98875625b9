"""What shares memory with a result, and how an object prints itself, is recorded and compared."""

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.reading import specs
from conformance.running import answers
from conformance.varied import record, shown
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def worker():
    return Worker(targets.install("mindspore_compat"))


def _shares(worker, name, call, **more):
    """The facts of `sample.shares` after a call."""
    text = more.pop("text", "sample.shares()")
    case = {"name": name, "call": call, "then": [text], **more}
    result = worker.run({"id": name, "kind": "values", **case})
    return result["observed"]["then 1"]


def test_a_write_to_a_view_reaches_the_argument(worker):
    call = {"input": "T('float32', [[1.0, 2.0]])", "dim": "0"}
    facts = _shares(worker, "mint.squeeze", call)
    expected = {"shares memory with input": "True", "kept": "True", "same after a write": "False"}
    assert facts == expected


def test_a_copy_shares_nothing(worker):
    facts = _shares(worker, "ops.abs", {"input": "T('float32', [1.0, -2.0])"})
    assert facts == {"kept": "True", "same after a write": "True"}


def test_an_array_that_is_an_argument_is_found(worker, monkeypatch):
    call = {"*0": "array('uint8', [[1, 2], [3, 4]])"}
    crop = {"init": {"coordinates": "(0, 0)", "size": "(2, 2)"}}
    monkeypatch.setattr(ms.dataset.vision.Crop, "__call__", lambda self, image: image[:1])
    facts = _shares(worker, "dataset.vision.Crop", call, **crop)
    assert facts["shares memory with *0"] == "True"


@pytest.mark.parametrize("added, kept, same", [(0, "True", "False"), (1, "False", "True")])
def test_a_state_that_a_method_returns_is_found(added, kept, same, worker, monkeypatch):
    state = np.array([0.5])

    class Kept(ms.train.Metric):
        """Returns its own array, and adds to it."""

        def clear(self):
            """Does nothing."""

        update = clear

        def eval(self):
            """Returns the state."""
            state[0] += added
            return state

    monkeypatch.setattr(ms.train, "MAE", Kept)
    case = {"id": "m", "kind": "values", "name": "train.MAE", "init": {}}
    text = "sample.shares(lambda: it.eval())"
    facts = worker.run({**case, "then": [text]})["observed"]["then 1"]
    assert facts == {"kept": kept, "same after a write": same}


def test_what_is_asked_is_stored_once(monkeypatch):
    entries = specs.load(specs.FOLDER)
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    reference = record.Reference("mindspore_compat", None)
    known = {
        "call 1": {
            "call": {"input": "T('float32', [1.0, -2.0])"},
            "seen": {"result": ["Float32", [2], [1.0, 2.0]]},
            "by": "mindspore_compat",
        }
    }
    kept = shown.add_sharing("ops.abs", entries, known, reference)
    assert kept["memory"]["then"] == ["sample.shares()"]
    assert kept["memory"]["seen"]["then 1"]["same after a write"] == "True"
    assert shown.add_sharing("ops.abs", entries, kept, reference) == kept
    printed = shown.add_prints("nn.Dense", entries, {}, reference)
    assert printed["printed"]["then"] == ["str(it)", "repr(it)"]
    assert shown.add_prints("ops.abs", entries, {}, reference) == {}
    reference.stop()


def test_a_write_that_a_case_asks_for_is_no_fault(worker):
    case = {"id": "s", "kind": "values", "name": "FixedLossScaleManager", "init": {}}
    text = "sample.shares(lambda: T('bool', False))"
    seen = {"then 1": {"kept": "True", "same after a write": "True"}}
    case |= {"then": [text], "wanted": seen}
    assert answers.judge(case, worker.run(case), {})["status"] == "pass"
