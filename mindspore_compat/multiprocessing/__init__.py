"""mindspore.multiprocessing: Python's `multiprocessing`, but processes share the memory of sent
Tensors.

All names of Python's `multiprocessing` are here. `Process` and `Pool` create processes that end
when their parent ends.
"""

import multiprocessing
import multiprocessing.pool
import signal
from multiprocessing import *  # noqa: F403

from .._backend.ranks import children
from .reductions import init_reductions

__all__ = multiprocessing.__all__

init_reductions()


class Process(multiprocessing.Process):
    """A process that receives SIGINT when its parent ends, if it was forked on Linux.

    Source: mindspore.multiprocessing.Process of MindSpore 2.10.
    """

    def run(self):
        """Runs the target in the new process."""
        parent = multiprocessing.parent_process()
        if parent is not None and multiprocessing.get_start_method() == "fork":
            children.signal_at_parent_death(parent.pid, signal.SIGINT)
        super().run()


_Process = Process  # in the class below, `Process` is the method


class Pool(multiprocessing.pool.Pool):
    """A pool of processes that share calls; forked ones are `Process`es of this module.

    Source: mindspore.multiprocessing.Pool of MindSpore 2.10.
    """

    @staticmethod
    def Process(ctx, *args, **kwds):  # noqa: N802 - Python's name
        """Returns a process of the pool."""
        process_class = _Process if ctx.get_start_method() == "fork" else ctx.Process
        return process_class(*args, **kwds)
