"""Networks on the stages of a pipeline, on real ranks over MPI: each check of ranks_pipeline.py
runs separately. There are two ranks with one stage each, or four ranks with four stages, or with
two stages and two shares of the data.
"""

from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, output_of_ranks, require_mpi

RANKS = Path(__file__).parent / "ranks_pipeline.py"

require_mpi()


@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.nightly), 4])
@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_pipelines(name, count):
    assert_every_rank_passes(count, RANKS, name)


@pytest.mark.parametrize("before,after", [((4, 2), (4, 4)), ((4, 4), (2, 1)), ((2, 2), (4, 2))])
def test_a_job_restarts_with_other_stages(before, after, tmp_path, monkeypatch):
    """Pairs of the number of ranks and of stages."""
    monkeypatch.setenv("FOLDER", str(tmp_path))
    for (ranks, stages), name in (
        (before, "train_stages_and_save"),
        (after, "load_stages_and_train"),
    ):
        monkeypatch.setenv("STAGES", str(stages))
        output_of_ranks(ranks, RANKS.parent / "ranks_restart.py", name)
