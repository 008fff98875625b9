"""mindspore.multiprocessing: Python's own, whose processes share the memory of Tensors they send.

Everything of Python's `multiprocessing` is here; `Process` and `Pool` make processes that end when
the one that started them does.
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
    """A process that gets SIGINT when the one that started it ends, where it was forked on Linux.

    Source: mindspore.multiprocessing.Process of MindSpore 2.10.
    """

    def run(self):
        """Runs its target, in the new process."""
        parent = multiprocessing.parent_process()
        if parent is not None and multiprocessing.get_start_method() == "fork":
            children.signal_at_parent_death(parent.pid, signal.SIGINT)
        super().run()


_Process = Process  # in the class below the name means its own method


class Pool(multiprocessing.pool.Pool):
    """Processes that share the calls they are given; forked ones are `Process`es of this module.

    Source: mindspore.multiprocessing.Pool of MindSpore 2.10.
    """

    @staticmethod
    def Process(ctx, *args, **kwds):  # noqa: N802 - Python's name
        """One of its processes."""
        made = _Process if ctx.get_start_method() == "fork" else ctx.Process
        return made(*args, **kwds)
