"""AutoParallel on two real ranks over MPI; each check of ranks_auto_parallel.py runs separately."""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks_auto_parallel.py"

require_mpi()


@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_auto_parallel_among_ranks(name):
    assert_every_rank_passes(2, RANKS, name)
