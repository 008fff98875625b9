"""Tokens sent to the experts of other ranks and back, on real ranks over MPI; each check of
ranks_experts.py runs in its own processes.
"""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks_experts.py"
CHECKS = names_of_checks(RANKS)
FOUR = "a_shared_expert", "experts_that_two_ranks_share"

require_mpi()


@pytest.mark.parametrize("name", CHECKS)
def test_ranks(name):
    names = [each for each in CHECKS if (each in FOUR) == (name in FOUR)]
    assert_every_rank_passes(4 if name in FOUR else 3, RANKS, name, names)
