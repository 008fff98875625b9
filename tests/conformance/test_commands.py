"""Options and reports of `run` for those who implement: first failures, unknown names, `--strict`,
`--shard`, `--junit`, a status for lacking kernels; and `compare` of two stored runs.
"""

import io
import json
import sys
from pathlib import Path

import numpy as np
from kit.toy_target import TOY

from conformance import paste
from conformance.__main__ import _part, main
from conformance.kinds import cases
from conformance.reports import report
from conformance.running import answers


def records_of(name):
    return json.loads(Path(f"conformance-results/{name}.json").read_text())["records"]


def test_a_run_ends_with_its_first_failures_as_calls_to_paste(toy, spec, capsys):
    name = toy(TOY.replace("rate < 1.0", "rate <= 1.0"))
    assert main(["run", "Half", "--target", name, "--spec", spec]) == 1
    out = capsys.readouterr().out
    assert "first 1 of 1 failures" in out
    assert "    >>> ms.Half(rate=1.0)(T('float32', [1.0, 2.0]))" in out
    assert "expected: ValueError" in out and "got: accepted" in out
    assert out.rstrip().endswith("--results conformance-results")


def test_names_of_cases_are_escaped_for_an_output_that_cannot_encode_them(toy, spec, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    name = toy(TOY.replace("rate < 1.0", "rate <= 1.0"))
    assert main(["run", "Half", "--target", name, "--spec", spec]) == 1
    sys.stdout.flush()
    assert rb"Half::raises::rate=1.0\u2192ValueError" in written.getvalue()


def test_what_is_pasted_runs():
    names = paste.prepare("mindspore_compat")
    text = report.pasted("ops.abs(input=T('float32', [-1.0, 2.0]))")
    np.testing.assert_array_equal(eval(text, names).asnumpy(), [1, 2])  # noqa: S307
    assert report.pasted("T('float32', [1.0]).abs()") == "T('float32', [1.0]).abs()"


def test_a_name_that_is_unknown_is_refused(toy, spec, capsys):
    assert main(["run", "Half", "Hlaf", "--target", toy(), "--spec", spec]) == 2
    assert "Hlaf: no such module or name" in capsys.readouterr().err


def test_strict_fails_for_an_expected_failure_that_passes(toy, spec, tmp_path):
    listed = tmp_path / "xfails.txt"
    listed.write_text("Half::raises::rate=1.0→ValueError\n")
    command = ["run", "Half", "--target", toy(), "--spec", spec, "--xfails", str(listed)]
    assert main(command) == 0
    assert main([*command, "--strict"]) == 1


def test_shards_are_parts_of_whole_names_that_make_up_all(toy, spec):
    found = [{"name": name, "id": f"{name}::{i}"} for name in "abcde" for i in range(3)]
    parts = [_part(found, index, 3) for index in (1, 2, 3)]
    assert sorted(c["id"] for part in parts for c in part) == [c["id"] for c in found]
    assert [len({c["name"] for c in part}) for part in parts] == [2, 2, 1]
    command = ["run", "Half", "strict", "--target", toy(), "--spec", spec]
    assert main([*command, "--shard", "2/2"]) == 0
    assert {r["name"] for r in records_of("toy")} == {"strict"}


def test_junit_is_written_by_a_run(toy, spec, tmp_path):
    file = tmp_path / "results.xml"
    main(["run", "Half", "--target", toy(), "--spec", spec, "--junit", str(file)])
    assert "<testsuite" in file.read_text()


def test_two_stored_runs_are_compared(toy, spec, capsys):
    name = toy()
    main(["run", "Half", "--target", name, "--spec", spec, "--name", "friday"])
    toy(TOY.replace("rate < 1.0", "rate <= 1.0"))
    main(["run", "Half", "--target", name, "--spec", spec, "--name", "monday"])
    capsys.readouterr()
    assert main(["compare", "friday", "monday"]) == 1
    out = capsys.readouterr().out
    assert "monday against friday: 0 fixed, 1 broken" in out
    assert "broken: Half::raises::rate=1.0→ValueError" in out
    assert main(["compare", "monday", "friday"]) == 0


def test_a_lacking_kernel_is_neither_pass_nor_fail():
    case = {"id": "ops.x::values::y", "name": "ops.x", "kind": "values", "area": "ops"}
    case |= {"platforms": [], "wanted": {"result": "None"}}
    seen = {"id": case["id"], "status": "pass", "observed": {"refused": "no kernel"}}
    judged = answers.judge(case, seen, {})
    assert judged["status"] == report.NO_KERNEL
    summed = report.summary([report.record(case, judged)], {})
    assert "no kernel" in report.table(summed) and report.total(summed)["fail"] == 0


def test_an_area_is_a_name_or_its_beginning():
    entries = {"ops.abs": {}, "nn.Dense": {}}
    assert cases.unknown(entries, ["ops", "nn.Dense", "ops.ab", "mint"]) == ["ops.ab", "mint"]
