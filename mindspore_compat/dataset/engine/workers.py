"""Work on several rows at once: a pool of threads or processes that keeps the order of the rows.

A pool is started when an epoch begins and ended with it, or at once when its pipeline fails.
Threads suit operations that release the interpreter (decoding, resizing); processes suit Python
code that computes. Each process belongs to one thread, which hands it rows and waits for them, so
rows take the same way in both cases; what runs in the processes is in `worker_processes.py`.
"""

import atexit
import collections
import contextlib
import contextvars
import functools
import queue
import threading
import time
import weakref
from concurrent.futures import Future, TimeoutError

from ... import log
from ..._backend import affinity
from . import config
from .worker_processes import WorkerFailed, WorkerProcess

_pipeline = contextvars.ContextVar("pipeline", default=None)  # whose nodes are being opened


class Pipeline:
    """The pools of one iterator's pipeline: of the nodes opened within `with`."""

    def __init__(self):
        self._begun = weakref.WeakSet()

    def __enter__(self):
        self._before = _pipeline.set(self)
        return self

    def __exit__(self, *error):
        _pipeline.reset(self._before)

    def add(self, rows):
        """Takes note of a generator whose pool ends when it is closed."""
        self._begun.add(rows)

    def call(self, function, *arguments):
        """What a part of the pipeline gives, such as its next row; at an error all pools end.

        Raises:
            RuntimeError: code that works on rows called `sys.exit`, which is for the script to do.
        """
        try:
            return function(*arguments)
        except StopIteration:
            raise
        except SystemExit as error:
            self.end()
            raise RuntimeError(f"Code that a dataset calls raised SystemExit: {error}") from error
        except BaseException:
            self.end()
            raise

    def end(self):
        """Ends all pools; the generators that used them give no more rows."""
        for rows in list(self._begun):
            with contextlib.suppress(ValueError):  # another thread is waiting for its next row
                rows.close()


class OrderedMap:
    """What `work` makes of each item, in order, computed by several workers ahead of the reader.

    Args:
        api (str): the name of the operation, for errors.
        workers (int): how many.
        processes (bool): whether they are processes; then `work` is sent to each once.
        returned (type or tuple): errors of these classes stand in the place of the result; other
            errors are raised.
    """

    def __init__(self, api, workers, processes=False, returned=()):
        self.api, self.workers, self.processes, self.returned = api, workers, processes, returned
        self.pipeline = _pipeline.get()

    def __call__(self, work, items):
        """Begins an epoch.

        Args:
            work (Callable): takes an item.
            items (Iterator): is read in the caller's thread, ahead by as many items as there are
                workers, or by the prefetch size.

        Returns:
            Iterator of results.

        Raises:
            RuntimeError: a worker process ended, or a worker hung; at the first row concerned.
        """
        rows = self._rows(work, items)
        if self.pipeline is not None:
            self.pipeline.add(rows)
        return rows

    def _rows(self, work, items):
        pool = _Pool(self.api, work, self.workers, self.processes)
        ahead = max(self.workers, config.get_prefetch_size())
        waiting = collections.deque()
        try:
            for item in items:
                waiting.append(pool.submit(item))
                if len(waiting) > ahead:
                    yield self._result(pool, waiting.popleft())
            while waiting:
                yield self._result(pool, waiting.popleft())
        except BaseException:
            pool.abandon()
            raise
        pool.finish()

    def _result(self, pool, task):
        try:
            return pool.result(task)
        except WorkerFailed:
            raise
        except self.returned as error:
            return error


class _Task(Future):
    """A row to be worked on: its number in the epoch, and the worker that has it."""

    def __init__(self, number, item):
        super().__init__()
        self.number, self.item, self.worker = number, item, None


class _Pool:
    """Threads that take tasks in order. They are no obstacle to the end of the interpreter."""

    def __init__(self, api, work, workers, processes):
        self.api, self.submitted, self.tasks = api, 0, queue.SimpleQueue()
        self.patience = config.get_multiprocessing_timeout_interval()
        self.processes = [WorkerProcess(work) for _ in range(workers)] if processes else []
        self.threads = [
            threading.Thread(target=_take, args=(self.tasks, each), daemon=True,
                             name=f"{api} worker {number}")
            for number, each in enumerate(self.processes or [work] * workers)]
        _open_pools().add(self)
        for thread in self.threads:
            thread.start()

    def submit(self, item):
        """Has a worker do an item, after those submitted before."""
        task = _Task(self.submitted, item)
        self.submitted += 1
        self.tasks.put(task)
        return task

    def result(self, task):
        """What work made of a task's item. A worker that hangs is told of, then ended."""
        interval, waited = config.get_multiprocessing_timeout_interval(), 0
        while True:
            try:
                return task.result(interval)
            except TimeoutError:
                if task.done():
                    raise
            waited += interval
            told = (f"For '{self.api}', {task.worker} has worked on row {task.number} for "
                    f"{waited} seconds")
            if waited >= 2 * interval and config.get_enable_watchdog():
                log.error("%s; it is ended.", told)
                self.patience = self.patience if self.processes else 0
                raise WorkerFailed(f"{told}, so it was ended; 'set_multiprocessing_timeout_"
                                   f"interval' sets how long it may take.")
            log.warning("%s.", told)

    def finish(self):
        """Ends the workers, which are idle."""
        self._dismiss()
        for process in self.processes:
            process.finish()
        for process in self.processes:
            process.join()
        self._join()

    def abandon(self):
        """Ends the processes at once, and the threads after the row that they are at."""
        self.kill()
        self._dismiss()
        self._join()

    def kill(self):
        """Ends the processes at once."""
        for process in self.processes:
            process.kill()

    def _dismiss(self):
        with contextlib.suppress(queue.Empty):
            while True:
                self.tasks.get_nowait()
        for _ in self.threads:
            self.tasks.put(None)

    def _join(self):
        """Waits for the threads, but not for those that hang."""
        until = time.monotonic() + self.patience
        for thread in self.threads:
            thread.join(max(0, until - time.monotonic()))
        _open_pools().discard(self)


@functools.cache
def _open_pools():
    """The pools at work. Where the interpreter ends before they do, so do their processes."""
    pools = weakref.WeakSet()
    atexit.register(lambda: [pool.kill() for pool in list(pools)])
    return pools


def _take(tasks, work):
    """What a thread of a pool does: work on tasks until there is None."""
    affinity.bind_workers(affinity.of_workers())
    worker = work.name if isinstance(work, WorkerProcess) else (
        f"the thread {threading.current_thread().name!r}")
    while (task := tasks.get()) is not None:
        task.worker = worker
        try:
            task.set_result(work(task.item))
        except BaseException as error:
            task.set_exception(error)
        del task  # the row may be large, and the next one long in coming
