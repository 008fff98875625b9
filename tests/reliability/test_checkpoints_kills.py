"""Processes killed while they save: a complete checkpoint always exists, and no leftovers stay.
`killed.py` describes a round.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMORY = "/dev/shm"  # the outcome of a kill does not depend on the disk, but the time does


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked for each round")
@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.nightly)])
def test_no_kill_leaves_a_training_without_a_checkpoint(rounds):
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
        "OPENBLAS_NUM_THREADS": "1",
        "GLOG_v": "3",
    }
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as folder:
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("killed.py"), folder, str(rounds), "14"],
            env=environment,
            timeout=600,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout + done.stderr
