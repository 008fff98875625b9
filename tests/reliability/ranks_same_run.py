"""A training on two ranks gives the same bits again, and after it is resumed from a checkpoint;
test_same_run.py starts it through mpiexec.
"""

import os
from pathlib import Path

from kit.rank_checks import check, run_named_checks
from same_run import STEPS, assert_resumes, whole_run

import mindspore_compat as ms
from mindspore_compat import communication
from mindspore_compat.mint import distributed as dist

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
SHARD = {"num_shards": SIZE, "shard_id": RANK}


def of_all_ranks(value):
    found = [None] * SIZE
    dist.all_gather_object(found, value)
    return found


@check
def trainings():
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        losses, state = whole_run(**SHARD)
        assert len(set(losses)) == STEPS
        assert (losses, state) == whole_run(**SHARD)
        one, other = of_all_ranks((losses, state))
        assert one[0] != other[0]  # of other rows
        differing = {name for name in state if one[1][name] != other[1][name]}
        assert differing == {"norm.moving_mean", "norm.moving_variance"}, differing
        path = Path(os.environ["FOLDER"]) / f"{mode}_{RANK}.ckpt"
        assert_resumes(str(path), 3, losses, state, **SHARD)


run_named_checks()
