"""One process of `msrun`: names its rank in the environment, redirects its output, runs the script.

    python -m mindspore_compat.communication.worker <log file without _rank.log> command ...
"""

import os
import sys

from .._backend import collective


def main(log, *command):
    """Become the command."""
    rank, _ = collective.launched()
    local = collective.launched_local_rank()
    os.environ.update(RANK_ID=str(rank), DEVICE_ID=str(local), MS_NODE_ID=str(rank))
    file = os.open(f"{log}_{rank}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
