"""The checks for a day with a GPU, with tiny sizes: on the stand-in, nightly without a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from tests.cuda_on_host import __main__ as cuda_on_host

from . import rates, smoke

ROOT = Path(__file__).parents[2]
needs_compiler = pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")


@needs_compiler
@pytest.mark.device
@pytest.mark.usefixtures("capture_allowed")
def test_rates(space, tmp_path, capsys):
    assert rates.main(["--dry", "--output", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "rates.json").read_text())
    assert len(rows) > 35 and all(row["ms"] >= 0 and row["rate"] > 0 for row in rows)
    assert "AdamOffload, host" in capsys.readouterr().out


@pytest.mark.device
def test_a_case_that_fails_leaves_the_others(space, monkeypatch, capsys):
    def fail():
        raise RuntimeError("lost")

    def cases(sizes):
        yield "bad", 1, "GB", fail, None
        yield "good", 1, "GB", lambda: ms.ops.ones((2,)), None

    monkeypatch.setattr(rates, "CASES", (cases,))
    bad, good = rates.measured(rates.Sizes(dry=True))
    assert bad["failed"] == "RuntimeError: lost" and good["ms"] >= 0
    assert "lost" in capsys.readouterr().out


@needs_compiler
@pytest.mark.device
@pytest.mark.usefixtures("capture_allowed")
@pytest.mark.parametrize("check", [smoke.products, smoke.halves, smoke.captures])
def test_smoke(space, check):
    check()


@pytest.mark.host
@pytest.mark.nightly
def test_the_whole_day_without_a_gpu(tmp_path):
    if cuda_on_host.main([]) == cuda_on_host.UNAVAILABLE:
        pytest.skip("CuPy without a GPU cannot be set up here")
    result = subprocess.run(
        [ROOT / "tests/gpu/day.sh", "--dry"],
        env={**os.environ, "OUT": str(tmp_path), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    names = {path.name for path in tmp_path.iterdir()}
    assert {"machine.txt", "smoke.txt", "rates.json", "suites.txt", "summary.txt"} <= names
    assert len(names) <= 8 and "suites: status 0" in result.stdout
