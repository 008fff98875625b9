"""Interleaved stages on real ranks over MPI: each check of ranks_interleaved.py by itself, with two
stages, and with four ranks, which are four stages or two with two shares of the data.
"""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks_interleaved.py"

require_mpi()


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_interleaved_stages(name, count):
    assert_every_rank_passes(count, RANKS, name)
