"""Two real ranks over MPI; each check of ranks.py runs in its own processes."""

import subprocess
import sys
from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks.py"

require_mpi()


@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_two_ranks(name):
    assert_every_rank_passes(2, RANKS, name)


SCRIPT = """
import os, sys
import mindspore.communication as comm
comm.init()
print(f"<{comm.get_rank()} {comm.get_group_size()} {os.environ['RANK_ID']} {sys.argv[1:]}>")
sys.exit(int(sys.argv[1]))
"""


def msrun(folder, *arguments):
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mindspore_compat.communication.msrun",
            "--worker_num=2",
            "--local_worker_num",
            "2",
            f"--log_dir={folder}",
            "--join=True",
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )


def test_msrun(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = msrun(tmp_path, "script.py", 0, "--more")
    assert done.returncode == 0, done.stdout + done.stderr
    for rank in (0, 1):
        line = f"<{rank} 2 {rank} ['0', '--more']>"
        assert line in (tmp_path / f"worker_{rank}.log").read_text()
        assert line in done.stdout


def test_msrun_shows_one_and_reports_failure(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = msrun(tmp_path, "--tail_worker_log=1", "--worker_log_name=job", "script.py", 3)
    assert done.returncode == 3
    assert "<1 2 1 ['3']>" in done.stdout
    assert "<0 2" not in done.stdout
    assert "<0 2 0 ['3']>" in (tmp_path / "job_0.log").read_text()
