"""BERT- and ResNet-like networks on four real ranks over MPI: each check of ranks_models.py by
itself.
"""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, require_mpi

RANKS = Path(__file__).parent / "ranks_models.py"

require_mpi()


@pytest.mark.nightly  # minutes, where there are fewer cores than ranks
@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_models(name):
    assert_every_rank_passes(4, RANKS, name)
