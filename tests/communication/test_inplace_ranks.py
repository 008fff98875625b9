"""The functional collectives, and sends to some ranks, on two and three real ranks over MPI; each
check of the files named below runs in its own processes.
"""

from pathlib import Path

import pytest
from kit.ranks import (
    assert_every_rank_passes,
    names_of_checks,
    output_of_ranks,
    require_mpi,
    run_ranks,
)

HERE = Path(__file__).parent
CHECKS = [
    (file, name)
    for file in ("ranks_inplace.py", "ranks_peers.py", "ranks_ddp.py")
    for name in names_of_checks(HERE / file)
]

require_mpi()


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("file, name", CHECKS)
def test_ranks(file, name, count):
    assert_every_rank_passes(count, HERE / file, name)


def test_four_ranks_in_two_rows():
    assert_every_rank_passes(4, HERE / "ranks_ddp.py", "broadcast_of_parameters")


STOPS = """
from mindspore_compat import Tensor
from mindspore_compat.mint import distributed as dist
dist.init_process_group()
if dist.get_rank() == 0:
    raise ValueError("this one stops")
dist.all_reduce(Tensor([1.0]))
"""


def test_an_error_of_one_ends_all():
    done = run_ranks(2, "-c", STOPS)
    assert done.returncode != 0
    assert "this one stops" in done.stderr


MEETS = """
import datetime, sys
from mindspore_compat.mint import distributed as dist
address = "tcp://127.0.0.1:" + sys.argv[1]
rank = dist.get_rank()
for world_size, told in ((3, rank), (2, 1 - rank)):
    try:
        dist.init_process_group(init_method=address, world_size=world_size, rank=told)
    except ValueError:
        continue
    raise AssertionError("it was not refused")
dist.init_process_group(init_method=address, world_size=2, rank=rank, group_name="all",
                        timeout=datetime.timedelta(seconds=60))
assert dist.get_rank("all") == rank and dist.get_world_size("all") == 2
assert dist.new_group() == "all"
dist.barrier("all")
dist.destroy_process_group("all")
assert not dist.is_initialized() and dist.get_rank("all") == rank
"""


def test_meeting_at_an_address(unused_port):
    output_of_ranks(2, "-c", MEETS, unused_port)
