"""`MINDSPORE_COMPAT_RELEASE`: every row of the table of changes, before and after its release."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat import _releases
from mindspore_compat._releases.changes import CHANGES
from mindspore_compat._version import RELEASES

ROOT = Path(__file__).parent.parent.parent
# The releases before each change, and 2.10.
CHANGED = {each.release for each in CHANGES}
BEFORE = [old for old, new in zip(RELEASES, RELEASES[1:]) if new in CHANGED]


def run(*arguments, release=None):
    """Runs Python with a release; returns the finished process."""
    environ = {name: value for name, value in os.environ.items() if "COMPAT_RELEASE" not in name}
    if release:
        environ["MINDSPORE_COMPAT_RELEASE"] = release
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("release", [*BEFORE, RELEASES[-1]])
def test_every_change_has_the_meaning_of_the_release(release):
    done = run("tests/releases/evaluate.py", release=release)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout[done.stdout.index("{") :])
    changed = _releases.changes_after(release)
    expected = {}
    for each in CHANGES:
        if changed.get(each.name, each) is each:  # not between two changes of the same name
            expected[f"{each.release} {each.name}"] = (
                each.was if each.name in changed else each.gives
            )
    assert {name: results[name] for name in expected} == expected


def test_names_and_releases_are_known():
    for each in CHANGES:
        assert each.release in RELEASES[1:]
        assert each.was != each.gives and each.source.startswith("https://")


def test_version():
    code = "import mindspore_compat as ms, mindspore_compat.version as v; print(ms.__version__)"
    assert run("-c", code, release="1.8").stdout.strip() == "1.8.0"
    assert run("-c", code).stdout.strip() == mindspore_compat.__version__


def test_wrong_release_is_refused():
    done = run("-c", "import mindspore_compat", release="1.2")
    assert done.returncode == 1 and "'1.3' or '1.5'" in done.stderr


def test_without_the_variable_nothing_is_loaded():
    code = "import sys, mindspore_compat as ms; ms.ops; print('mindspore_compat._releases' in "
    assert run("-c", f"{code}sys.modules)").stdout.strip() == "False"


def test_release_of_the_command_line_reaches_children(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys, mindspore as ms\n"
        "print(ms.__version__, ms.get_context('mode'), flush=True)\n"
        "subprocess.run([sys.executable, '-m', 'mindspore_compat', '-c',\n"
        "                'import mindspore; print(mindspore.__version__)'])\n"
    )
    done = run("-m", "mindspore_compat", "--release", "1.9", script)
    assert done.stdout.split() == ["1.9.0", "0", "1.9.0"], done.stderr
    assert run("-m", "mindspore_compat", "--release", "0.9", script).returncode == 2


def test_page_has_every_change(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    text = importlib.import_module("releases").page()
    for each in CHANGES:
        assert f"`{each.name} <" in text and each.before in text and each.now in text


def test_hooks_of_the_package_receive_the_cell():
    code = (
        "import mindspore_compat as ms; from mindspore_compat import nn, amp, ops\n"
        "net = amp.auto_mixed_precision(nn.SequentialCell(nn.Dense(2, 3)), 'auto')\n"
        "print(net(ops.ones((1, 2))).shape)"
    )
    done = run("-c", code, release="2.3")
    assert done.stdout.strip() == "(1, 3)", done.stderr
