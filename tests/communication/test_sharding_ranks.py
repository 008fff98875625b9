"""Divided networks on four real ranks over MPI. Each check of ranks_sharding.py runs separately.
Some jobs restart with another number of ranks (ranks_restart.py).
"""

import re
from pathlib import Path

import pytest
from kit.ranks import assert_every_rank_passes, names_of_checks, output_of_ranks, require_mpi

RANKS = Path(__file__).parent / "ranks_sharding.py"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "divided_gpt.py"

require_mpi()


@pytest.mark.parametrize("name", names_of_checks(RANKS))
def test_divided_networks(name, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FOLDER", str(tmp_path_factory.mktemp("ranks")))
    assert_every_rank_passes(4, RANKS, name)


@pytest.mark.parametrize("before,after", [(8, 4), (4, 2)])
def test_a_job_restarts_with_other_ranks(before, after, tmp_path, monkeypatch):
    monkeypatch.setenv("FOLDER", str(tmp_path))
    script = RANKS.parent / "ranks_restart.py"
    output_of_ranks(before, script, "train_and_save")
    output_of_ranks(after, script, "load_and_train", "load_into_inferred_layouts")


@pytest.mark.nightly
def test_the_example_has_the_losses_of_one_process():
    example = ["-m", "mindspore_compat", EXAMPLE, "--steps", "3", "--width", "64", "--layers", "1"]
    example[-1] = "2"  # layers
    texts = [
        output_of_ranks(count, *example, "--parts", str(parts), "--stages", str(stages))
        for count, parts, stages in ((1, 1, 1), (4, 2, 1), (2, 1, 1), (4, 1, 2), (4, 2, 2))
    ]
    wanted = re.findall("step .*", texts[0])
    assert len(wanted) == 3 and all(re.findall("step .*", text) == wanted for text in texts)
    assert "rank 3: holds" in texts[1]
