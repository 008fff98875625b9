"""AutoParallel among two real ranks over MPI: each check of ranks_auto_parallel.py by itself."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RANKS = Path(__file__).parent / "ranks_auto_parallel.py"
CHECKS = re.findall(r"^@check\ndef (\w+)", RANKS.read_text("utf-8"), re.MULTILINE)

pytest.importorskip("mpi4py", reason="the extra 'mpi' is not installed")
MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
if MPIEXEC is None:
    pytest.skip("there is no mpiexec", allow_module_level=True)


@pytest.mark.parametrize("name", CHECKS)
def test_auto_parallel_among_ranks(name):
    done = subprocess.run(
        [MPIEXEC, "-n", "2", sys.executable, str(RANKS), name],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = [json.loads(line) for line in re.findall(r"\{.*?\}", done.stdout)]
    assert sorted(each["rank"] for each in verdicts) == [0, 1]
    assert {each["passed"] for each in verdicts} == {name}
