"""The kind `members`: names of classes and instances that go missing are found."""

import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.kinds import cases, members
from conformance.reading import specs
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def judged():
    """A function: the judged result of the case of a class."""
    targets.install("mindspore_compat")

    def ask(name):
        entries = specs.load_file(specs.FOLDER / f"{cases.area_of(name)}.yaml", check=False)
        (case,) = cases.of_entry(name, entries[name], (members.KIND,))
        result = Worker(ms).run(case)
        return {**result, **members.judge(case, result)}

    return ask


@pytest.mark.parametrize(
    "name", ["nn.Dense", "nn.Adam", "ops.Conv2D", "Tensor", "Parameter", "F1", "Model"]
)
def test_the_names_are_there(judged, name):
    assert judged(name)["status"] == "pass"


@pytest.mark.parametrize(
    ("name", "owner", "member"),
    [
        ("nn.Dense", ms.nn.Cell, "_run_construct"),
        ("ops.Conv2D", ms.ops.Primitive, "add_prim_attr"),
        ("Tensor", ms.Tensor, "_item"),
        ("nn.SGD", ms.nn.Optimizer, "get_lr"),
    ],
)
def test_a_name_that_goes_missing_is_found(judged, monkeypatch, name, owner, member):
    defined = next(cls for cls in owner.__mro__ if member in vars(cls))
    monkeypatch.delattr(defined, member)
    result = judged(name)
    assert result["status"] == "fail"
    assert member in result["got"].split()


def test_an_attribute_of_an_instance_that_goes_missing_is_found(judged, monkeypatch):
    clear = ms.train.F1.clear

    def forgetful(self):
        clear(self)
        vars(self).pop("_true_positives")

    monkeypatch.setattr(ms.train.F1, "clear", forgetful)
    assert "_true_positives" in judged("F1")["got"].split()


def test_names_left_out_have_a_reason():
    assert "compiled" in members.reason("ops.Adam", "set_prim_type")
    assert members.reason("ops.Adam", "add_prim_attr") is None


def test_facts_written_and_read_are_the_same(tmp_path, monkeypatch):
    cell = ["add_flags", "construct"]
    about = {"bases": ["Cell"], "made": True}
    seen = {name: {**about, "names": [*cell, name.lower()]} for name in ("nn.A", "nn.B", "nn.C")}
    (tmp_path / members.FACTS).write_text(members.text_of(seen), encoding="utf-8")
    assert "+[Cell()] nn.a" in (tmp_path / members.FACTS).read_text(encoding="utf-8")
    monkeypatch.setattr(members, "FOLDER", tmp_path)
    members.facts.cache_clear()
    try:
        assert members.facts() == {name: {*cell, name.lower()} for name in seen}
    finally:
        members.facts.cache_clear()
