"""Rules about seeds: a call is made for each argument that is one, and shows what it decides."""

import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.kinds import cases
from conformance.mutation.faults import planted
from conformance.reading import specs
from conformance.running import answers
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def entries():
    return specs.load(specs.FOLDER)


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    return Worker(targets.install("mindspore_compat"), tmp_path_factory.mktemp("seeds"))


def _case(name, argument, entries):
    wanted = f"{name}::values::seeds of {argument}"
    return next(c for c in cases.of_entry(name, entries[name], ("values",)) if c["id"] == wanted)


@pytest.mark.parametrize(
    "name, argument",
    [
        ("ops.rand", "seed"),
        ("mint.rand", "generator"),
        ("dataset.FakeImageDataset", "base_seed"),
        ("nn.probability.distribution.Normal", "seed"),
    ],
)
def test_a_seed_that_is_ignored_is_found(name, argument, entries, worker):
    case = _case(name, argument, entries)
    assert answers.judge(case, worker.run(case), {})["status"] == "pass"
    fault = next(
        f for f in _faults(name, entries) if f["kind"] == "ignored" and f["of"] == [argument]
    )
    with planted(ms, fault):
        found = answers.judge(case, worker.run(case), {})
    assert found["status"] == "fail" and found["difference"].startswith("another")


def _faults(name, entries):
    from conformance.mutation import plan

    return plan.faults(name, entries[name])


def test_arguments_that_are_no_seeds_have_no_such_case(entries):
    found = cases.of_entry("ops.softmax", entries["ops.softmax"], ("values",))
    assert not any("seeds of" in case["id"] for case in found)
