"""If a rank ends while a divided network trains, the job ends, whatever the other ranks are doing,
and every checkpoint is complete.
"""

import signal
from pathlib import Path

import pytest
from kit.ranks import require_mpi, run_ranks

import mindspore_compat as ms

require_mpi()
SCRIPT = Path(__file__).with_name("ranks_divided.py")
PHASES = ("forward", "exchange", "backward", "update", "save")


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("form", ["stages", "level3", "parts", "ring"])
def test_a_killed_rank_ends_the_job(form, phase, tmp_path):
    done = run_ranks(2, SCRIPT, tmp_path, form, phase, "killed", timeout=60)
    assert done.returncode in (signal.SIGKILL, 128 + signal.SIGKILL, -signal.SIGKILL)
    assert_whole(tmp_path)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("form", ["stages", "parts", "level3", "ring"])
def test_others_name_a_rank_that_leaves(form, phase, tmp_path):
    done = run_ranks(2, SCRIPT, tmp_path, form, phase, "leaves", timeout=60)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Rank 1 has ended, but rank 0 needs it" in done.stderr
    assert_whole(tmp_path)


def assert_whole(folder):
    """Asserts that each rank's checkpoint is that of its last step, or of the one before."""
    for rank in (0, 1):
        found = ms.load_checkpoint(str(folder / f"{rank}.ckpt"))
        assert int(found["step"]) in ((1, 2) if rank == 0 else (1,))
        assert int(found["global_step"]) == int(found["step"]) + 1
        assert any("moment1" in name for name in found)
