"""A communication group of the worker's process alone, for the cases that need one.

Argument texts start it with `sample.world.start()`; the worker ends it after the case.
"""

import os
import subprocess
import sys

from ..targets import REFERENCE
from .values import free_port

_SCHEDULER = "from mindspore.communication import init; init()"

_LAUNCHED = {"PMI_RANK": "0", "PMI_SIZE": "1"}  # as `mpiexec -n 1` does


class World:
    """Rank 0 of 1."""

    schedulers = []  # of real MindSpore, which can be started once for each process

    def __init__(self, ms):
        self.ms, self.started, self.launched = ms, False, False

    def start(self):
        """Initialize communication."""
        if self.launch() or not self.started:
            self.ms.communication.init()
        self.started = True

    def launch(self):
        """Say that a launcher started this process alone; real MindSpore needs a process that
        schedules it. Returns whether communication must be initialized for each case.
        """
        os.environ.update(_LAUNCHED)
        self.launched = True
        is_original = self.ms.__name__ == REFERENCE
        if is_original and not self.schedulers:
            self._schedule()
        return not is_original

    def _schedule(self):
        known = {
            "MS_WORKER_NUM": "1",
            "MS_SCHED_HOST": "127.0.0.1",
            "MS_SCHED_PORT": str(free_port()),
            "MS_NODE_ID": "0",
        }
        command = [sys.executable, "-c", _SCHEDULER]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(
            command, env={**os.environ, **known, "MS_ROLE": "MS_SCHED"}, **quiet
        )
        self.schedulers.append(process)
        os.environ.update(known, MS_ROLE="MS_WORKER")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.launched and self.ms.__name__ != REFERENCE:
            if self.ms.communication.GlobalComm.INITED:
                self.ms.communication.release()
            for name in _LAUNCHED:
                del os.environ[name]
