"""Tokens that go to the experts of other ranks and come back, on real ranks over MPI: each check of
ranks_experts.py in processes of its own."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RANKS = Path(__file__).parent / "ranks_experts.py"
CHECKS = re.findall(r"^@check\ndef (\w+)", RANKS.read_text("utf-8"), re.MULTILINE)
FOUR = "a_shared_expert", "experts_that_two_ranks_share"

pytest.importorskip("mpi4py", reason="the extra 'mpi' is not installed")
MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
if MPIEXEC is None:
    pytest.skip("there is no mpiexec", allow_module_level=True)


@pytest.mark.parametrize("name", CHECKS)
def test_ranks(name):
    count = 4 if name in FOUR else 3
    done = subprocess.run(
        [MPIEXEC, "-n", str(count), sys.executable, str(RANKS), name],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = [json.loads(line) for line in re.findall(r"\{.*?\}", done.stdout)]
    assert sorted(each["rank"] for each in verdicts) == list(range(count))
    assert {each["passed"] for each in verdicts} == {name}
