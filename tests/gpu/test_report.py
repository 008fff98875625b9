"""The command itself, on the stand-in: its parts, its two reports, its exit status."""

import contextlib
import json
import pathlib
import sys
import types

import pytest

from tests.cuda_on_host import __main__ as cuda_on_host
from tests.gpu import __main__ as command  # not relative: the command itself imports these
from tests.gpu import libraries, measured, suites, summary
from tests.gpu import report as module

TESTS = pathlib.Path(__file__).parents[1]
XML = """<testsuites><testsuite>
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><failure message="AssertionError: 1.5 is not 2&#10;more"/>
</testcase>
<testcase classname="a" name="three"><failure message="AssertionError: 7 is not 8"/></testcase>
<testcase classname="b" name="four"><error message="ValueError: lost"/></testcase>
<testcase classname="b" name="five"><skipped message="no"/></testcase>
</testsuite></testsuites>"""
COUNTED = {
    "layers": 9,
    "parameters": 6,
    "forward launches of a layer": 3.0,
    "backward launches of a layer": 4.1,
    "update": {"launches": 2},
    "step": {"launches": 73, "transfers": 0, "synchronisations": 0},
    "captured": {"launches": 6, "transfers": 0, "synchronisations": 0},
}


def test_failures_of_one_kind_are_reported_once():
    found = suites.read(XML)
    assert (found["passed"], found["failed"], found["skipped"]) == (1, 3, 1)
    lines = summary.failures({"suites": {"operators": found}})
    assert lines == [
        "operators: AssertionError: # is not # (2 times), first in a::two",
        "operators: ValueError: lost (1 times), first in b::four",
    ]


def test_the_command_writes_two_reports(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(module.suites, "_pytest", lambda paths, options: suites.read(XML))
    counts = {"device": "the stand-in", "networks": {"LSTM": COUNTED}}
    monkeypatch.setattr(module.measured, "counts", lambda stand_in: counts)
    status = command.main(["--stand-in", "--output", str(tmp_path), "--only", "suites", "counts"])
    report, text = json.loads((tmp_path / "gpu.json").read_text()), capsys.readouterr().out
    assert status == 1 and "ValueError: lost (1 times), first in b::four" in text
    assert {name: one["failed"] for name, one in report["suites"].items()} == dict.fromkeys(
        module.suites.SUITES, 3
    )
    assert report["counts"] == counts and "LSTM  " in text and "on the stand-in" in text
    assert text.endswith((tmp_path / "gpu.txt").read_text() + "\n")


@pytest.mark.nightly
def test_the_command_on_the_stand_in(tmp_path, capsys, monkeypatch):
    paths = ["tests/_backend/bodies/test_multi_tensor.py"]
    monkeypatch.setattr(module.suites, "SUITES", {"fusing": paths})
    status = command.main(
        [
            "--stand-in",
            "--output",
            str(tmp_path),
            "--select",
            "numbers",
            "--only",
            "libraries",
            "suites",
            "times",
        ]
    )
    report = json.loads((tmp_path / "gpu.json").read_text())
    text = (tmp_path / "gpu.txt").read_text()
    assert status == 0 and text in capsys.readouterr().out
    assert report["device"]["stand-in"] and report["times"] is None
    assert report["libraries"]["runtime"] == {"version": "13000"}
    assert report["suites"]["fusing"]["failed"] == 0 < report["suites"]["fusing"]["passed"]
    assert "Nothing failed." in text and sorted(each.name for each in tmp_path.iterdir()) == [
        "gpu.json",
        "gpu.txt",
    ]


@pytest.mark.host
def test_each_folder_of_tests_is_part_of_a_suite_or_needs_no_device():
    folders = {file.relative_to(TESTS).parts[0] for file in TESTS.glob("*/**/test_*.py")}
    chosen = {path for paths in suites.SUITES.values() for path in paths}
    of_device = {folder for folder in folders if f"tests/{folder}" in chosen}
    assert folders - of_device == suites.OF_THE_HOST
    assert all((TESTS.parent / path).exists() for path in chosen)


@pytest.mark.host
@pytest.mark.parametrize(
    "text, reason",
    [
        ("raise ImportError('libcublas.so.13: no such file')", "ImportError: libcublas.so.13"),
        ("", "AttributeError: module 'cupy' has no attribute 'cuda'"),
    ],
)
def test_without_a_device_the_command_says_why(tmp_path, capsys, monkeypatch, text, reason):
    (tmp_path / "cupy.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    status = command.main(["--output", str(tmp_path / "new")])
    sys.modules.pop("cupy", None)
    assert status == 1 and f"No GPU computes: {reason}" in capsys.readouterr().out
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("nested", [False, True])
def test_versions_are_those_of_modules_and_of_attributes(monkeypatch, nested):
    nvrtc = types.SimpleNamespace(getVersion=lambda: (13, 0))
    cuda = types.ModuleType("cupy.cuda")
    cupy = types.SimpleNamespace(cuda=cuda)
    if nested:
        monkeypatch.setitem(sys.modules, "cupy.cuda", cuda)
        monkeypatch.setitem(sys.modules, "cupy.cuda.nvrtc", nvrtc)
    else:
        cuda.nvrtc = nvrtc
    monkeypatch.setattr(libraries, "cupy_of", lambda stand_in: contextlib.nullcontext(cupy))
    found = libraries.versions(False)
    assert found["NVRTC"] == {"version": "13.0"}
    assert found["driver"]["missing"].startswith("AttributeError")


def test_on_the_host_the_command_runs_in_the_environment_of_cupy(monkeypatch):
    calls = []
    monkeypatch.setattr(cuda_on_host, "main", lambda arguments: calls.append(arguments) or 3)
    assert command.main(["--on-host", "--only", "short"]) == 3
    assert calls == [["-m", "tests.gpu", "--only", "short"]]


@pytest.mark.parametrize("ended, failed", [("status 0", []), ("status 1", ["main job: status 1"])])
def test_the_main_job_counts_as_a_test(ended, failed):
    report = {"device": {}, "main job": {"accuracy": {"adam": 0.97}, "ended": ended}}
    assert summary.failures(report) == failed
    assert ("Nothing failed." in summary.text(report)) == (not failed)


@pytest.mark.nightly
def test_recompute_lowers_the_peak_of_memory():
    """The images are so large that activations, not the im2col windows of the first layer, use most
    of the memory."""
    plain, again = (measured.peak_bytes(recompute, 8, 112) for recompute in (False, True))
    assert again < 0.9 * plain
