"""Every network of the table, divided in every way, on real ranks over MPI. All divisions of a
network over a number of ranks share one start of the processes.
"""

import json
from pathlib import Path

import pytest
from kit.ranks import require_mpi, run_ranks

from tests.parallel.table import NETWORKS, divisions

require_mpi()


@pytest.mark.nightly  # minutes, where there are fewer cores than ranks
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_table(ranks, network):
    done = run_ranks(ranks, Path(__file__).parent / "ranks_table.py", network, timeout=1800)
    verdicts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found = {verdict["division"]: verdict["difference"] for verdict in verdicts}
    assert found == {str(division): None for division in divisions(ranks, network)}, done.stderr
