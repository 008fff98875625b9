"""Rules about seeds: each seed argument gets a call that shows which random numbers it
determines."""

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.arguments.drawn import GLOBAL_SEED, follows
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


@pytest.mark.parametrize("name", ["common.initializer.HeNormal", "mint.randn", "numpy.rand"])
def test_the_global_seed_that_is_ignored_is_found(name, entries, worker, monkeypatch):
    case = _case(name, GLOBAL_SEED, entries)
    assert answers.judge(case, worker.run(case), {})["status"] == "pass"
    monkeypatch.setattr(ms, "set_seed", lambda seed: None)
    found = answers.judge(case, worker.run(case), {})
    assert found["status"] == "fail" and found["difference"].endswith("text")


def test_the_global_seed_replaces_those_of_the_call(entries):
    case = _case("ops.standard_normal", GLOBAL_SEED, entries)
    assert not [key for key in case["call"] if "seed" in key]


@pytest.mark.parametrize(
    "change, found",
    [
        (lambda x: x, True),
        (lambda x: x + 0.1 * x.std(), False),
        (lambda x: np.abs(x), False),
        (lambda x: x * 1.05, False),
        (lambda x: np.concatenate([x[:, :-1], 0 * x[:, -1:]], 1), False),
        (lambda x: np.resize(x[:1], x.shape), False),
        (lambda x: np.random.default_rng(1).uniform(-1, 1, x.shape) * 3**0.5, False),
    ],
)
def test_numbers_of_another_distribution_do_not_follow(change, found):
    drawn = np.random.default_rng(0).normal(size=(300, 240))
    assert follows(ms, change(drawn), 0.0, 1.0, "normal") is found
