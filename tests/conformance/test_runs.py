"""Whole runs: several workers, lost cases, names, lists of exceptions, comparison with earlier
runs.
"""

import json
import os
import re

import pytest
from kit.toy_target import SPECS, TOY

from conformance.__main__ import main
from conformance.kinds import cases
from conformance.reading import specs
from conformance.reports import history, html, links, report
from conformance.running import expected, runner

HALF_RAISES = "Half::raises::rate=1.0→ValueError"


def run(*options, target="toy", areas=("Half", "strict")):
    return main(["run", *areas, "--target", target, *options])


def record(key, status):
    name, kind = key.split("::")[:2]
    return {
        "id": key,
        "name": name,
        "area": "mindspore",
        "kind": kind,
        "platforms": [],
        "status": status,
        "seconds": 0,
        "call": name,
    }


@pytest.fixture
def lax(toy):
    """A target one of whose cases fails."""
    return toy(TOY.replace("rate < 1.0", "rate <= 1.0"))


def test_several_workers_give_the_cases_in_their_order(toy):
    found = list(cases.all_cases({"strict": SPECS["strict"], "fragile": SPECS["fragile"]}))
    got = list(runner.run(found, toy(), jobs=3))
    assert [case["id"] for case, _ in got] == [case["id"] for case in found]
    lost = [result for _, result in got if result["status"] != "pass"]
    assert [(r["id"], r["status"], r["tries"]) for r in lost] == [
        ("fragile::accepts::example", "crash", 2)
    ]


def test_a_case_that_is_lost_once_is_asked_again(toy, tmp_path):
    once = "if not os.path.exists(%r): open(%r, 'w').close(); os._exit(3)" % (
        (str(tmp_path / "mark"),) * 2
    )
    found = list(cases.all_cases({"fragile": SPECS["fragile"]}, ("accepts",)))
    ((_, result),) = runner.run(found, toy(TOY.replace("os._exit(3)", once)))
    assert (result["status"], result["tries"]) == ("pass", 2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_killed_case_is_distinguished_from_a_crash(toy):
    found = list(cases.all_cases({"fragile": SPECS["fragile"]}, ("accepts",)))
    ((_, result),) = runner.run(found, toy(TOY.replace("os._exit(3)", "os.kill(os.getpid(), 9)")))
    assert result["status"] == "killed" and "memory" in result["got"]


def test_a_failed_start_leaves_earlier_results_alone(toy, spec, tmp_path):
    assert run("--spec", spec, "--kind", "exists", target=toy()) == 0
    files = {path: path.read_bytes() for path in (tmp_path / "conformance-results").iterdir()}
    toy("raise ImportError('no such library')")
    assert run("--spec", spec, "--kind", "exists") == 2
    assert {path: path.read_bytes() for path in files} == files


def test_runs_are_kept_by_name_and_compared(lax, toy, spec, capsys):
    assert run("--spec", spec, "--name", "before") == 1
    toy()
    assert run("--spec", spec, "-j", "2", "--name", "after") == 0
    capsys.readouterr()
    assert main(["report", "after", "--against", "before"]) == 0
    out = capsys.readouterr().out
    assert "1 fixed, 0 broken, 0 new, 0 gone" in out and f"fixed: {HALF_RAISES}" in out
    assert re.search(r"specs \w{8}, Python 3\.\d+", out)
    assert main(["report", "before", "after"]) == 0
    (raises,) = re.findall(r"^raises +(\S+) +(\S+)$", capsys.readouterr().out, re.M)
    assert raises == ("83.3%", "100.0%")


def test_expected_failures_and_skips_are_listed(lax, spec, tmp_path, capsys):
    (tmp_path / "xfails").write_text(f"{HALF_RAISES}  # lax\nstrict::exists\n", encoding="utf-8")
    (tmp_path / "skips").write_text("# not yet\n*::signature\n", encoding="utf-8")
    listed = ("--xfails", "xfails", "--skips", "skips")
    assert run("--spec", spec, *listed) == 0
    records, _ = report.load("conformance-results/toy.json")
    status = {item["id"]: item["status"] for item in records}
    assert status[HALF_RAISES] == "xfail" and status["strict::exists"] == "xpass"
    assert status["Half::signature"] == status["strict::signature"] == "skip"
    assert run("--spec", spec, "--xfails", "none") == 2
    assert "none: cannot be read" in capsys.readouterr().err


def test_a_list_takes_signs_of_ids_as_they_are(tmp_path):
    (tmp_path / "list").write_text("a::x=T('float32', [1])\nb::*\n", encoding="utf-8")
    listed = expected.patterns(tmp_path / "list")
    found = [
        expected.is_in({"id": key}, listed)
        for key in ("a::x=T('float32', [1])", "a::x=T('float32', 1)", "b::y", "ab::y")
    ]
    assert found == [True, False, True, False]


def test_changes_between_runs():
    old = [record("a::exists", "fail"), record("b::exists", "pass"), record("c::exists", "fail")]
    new = [record("a::exists", "pass"), record("b::exists", "hang"), record("d::exists", "fail")]
    assert history.changes(old, new) == {
        "fixed": ["a::exists"],
        "broken": ["b::exists"],
        "new": ["d::exists"],
        "gone": ["c::exists"],
    }


@pytest.mark.parametrize("passing, colour", [(100, "brightgreen"), (96, "green"), (10, "red")])
def test_badge(passing, colour):
    records = [record(f"a::exists::{n}", "pass" if n < passing else "fail") for n in range(100)]
    records += [record(f"b::exists::{n}", "skip") for n in range(50)]
    found = json.loads(report.badge(report.summary(records, {})))
    assert found["color"] == colour and found["message"] == f"{passing}.0% of 100 cases"


@pytest.mark.parametrize(
    "name, page",
    [
        ("nn.Conv2d", "nn/mindspore.nn.Conv2d.html"),
        ("nn.Cell.to_float", "nn/mindspore.nn.Cell.html#mindspore.nn.Cell.to_float"),
        ("Tensor.abs", "mindspore/Tensor/mindspore.Tensor.abs.html"),
        ("set_seed", "mindspore/mindspore.set_seed.html"),
        ("mint.nn.functional.relu", "mint/mindspore.mint.nn.functional.relu.html"),
        ("dataset.vision.Resize", "dataset_vision/mindspore.dataset.vision.Resize.html"),
        ("communication.init", "mindspore.communication.html#mindspore.communication.init"),
    ],
)
def test_names_have_an_address(name, page):
    assert links.address(name) == links.BASE + page


def test_a_case_of_the_page_has_an_anchor_and_its_name_a_link():
    records = [
        record("nn.ReLU::exists", "fail"),
        {**record("Old::exists", "fail"), "undocumented": True},
    ]
    text = html.page(records, report.summary(records, {}))
    data = json.loads(text.split('id="data">')[1].split("</script>")[0].replace("<\\/", "</"))
    assert [name.get("u") for name in data["names"]] == [links.address("nn.ReLU"), None]
    assert "d.id=id" in text


def test_version_names_what_a_report_depends_on(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    (line,) = capsys.readouterr().out.splitlines()
    assert re.search(
        r"^mindspore-conformance .+, specs \w{8} of MindSpore 2\.10\.0, Python 3", line
    )


def test_the_digest_is_of_specs_and_of_tables_of_cases(tmp_path, monkeypatch):
    monkeypatch.setattr(specs, "TABLES", tmp_path / "tables")
    found = [specs.digest(tmp_path)]
    for path in (tmp_path / "nn.yaml", tmp_path / "tables" / "steps.yaml"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a: 1", encoding="utf-8")
        found.append(specs.digest(tmp_path))
    assert len(set(found)) == 3
