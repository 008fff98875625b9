"""Errors on eight real ranks over MPI, with stages, parts of each layer and shares of the data:
each check of ranks_eight.py by itself.
"""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks_eight.py"

require_mpi()


@pytest.mark.nightly  # minutes, where there are fewer cores than ranks
@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_eight_ranks(name):
    assert_every_rank_passes(8, RANKS, name)
