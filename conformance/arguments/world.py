"""A communication group for the cases that need one: of the worker's process alone, or of several
ranks (`worker/ranks.py`).

Argument texts start it with `sample.world.start()`. The worker ends it after the case.
"""

import os
import subprocess
import sys

from ..targets import REFERENCE
from .values import free_port

# It ends with the process that starts it (on Linux).
_SCHEDULER = """
import contextlib, ctypes
with contextlib.suppress(Exception):
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
from mindspore.communication import init
init()
"""

_LAUNCHED = {"PMI_RANK": "0", "PMI_SIZE": "1"}  # as `mpiexec -n 1` does


def schedule(count):
    """Starts the process in which real MindSpore schedules some workers. Returns what their
    environment must contain, and the process."""
    known = {
        "MS_WORKER_NUM": str(count),
        "MS_SCHED_HOST": "127.0.0.1",
        "MS_SCHED_PORT": str(free_port()),
        "MS_NODE_ID": "0",
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(
        [sys.executable, "-c", _SCHEDULER],
        env={**os.environ, **known, "MS_ROLE": "MS_SCHED"},
        start_new_session=True,
        **quiet,
    )
    return {**known, "MS_ROLE": "MS_WORKER"}, process


class World:
    """Rank 0 of 1, or one of several ranks that were started together."""

    schedulers = []  # of real MindSpore, which can be started once for each process

    def __init__(self, ms, is_one_of_several=False):
        self.ms, self.is_one_of_several = ms, is_one_of_several
        self.started = self.launched = self.divided = False

    def start(self):
        """Initializes communication."""
        if self.launch() or not self.started:
            self.ms.communication.init()
        self.started = True

    def launch(self):
        """Marks this process as started alone by a launcher; real MindSpore also needs a scheduler
        process. Returns True if communication must be initialized for each case."""
        self.launched = True
        is_original = self.ms.__name__ == REFERENCE
        if not self.is_one_of_several:
            os.environ.update(_LAUNCHED)
        if is_original and not self.schedulers and not self.is_one_of_several:
            known, process = schedule(1)
            self.schedulers.append(process)
            os.environ.update(known)
        return not is_original

    def divide(self, mode):
        """Sets a parallel mode, for graphs."""
        self.divided = True
        self.ms.set_context(mode=self.ms.GRAPH_MODE)
        self.ms.set_auto_parallel_context(parallel_mode=mode)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.divided:
            self.ms.reset_auto_parallel_context()
        if self.launched and self.ms.__name__ != REFERENCE:
            if self.ms.communication.GlobalComm.INITED:
                self.ms.communication.release()
            for name in _LAUNCHED if not self.is_one_of_several else ():
                del os.environ[name]
