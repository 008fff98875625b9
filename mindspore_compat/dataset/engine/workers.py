"""Work on several rows at once: a pool of threads or processes that keeps the order of the rows.

A pool is started when an epoch begins and ended with it, or at once when its pipeline fails.
Threads suit operations that release the interpreter (decoding, resizing); processes suit Python
code that computes. Each process belongs to one thread, which hands it rows and waits for them, so
rows take the same way in both cases; what runs in the processes is in `worker_processes.py`.

To hand over a row costs some tens of microseconds, more where threads wait for each other's hold on
the interpreter. So short rows are handed over several at a time; rows of less than a tenth of a
millisecond are not handed over at all; and where the reader's own thread would be sooner done with
the rows than with waiting for other threads, it works on them itself. Which it would be is
measured, over and over.
"""

import atexit
import collections
import contextlib
import contextvars
import functools
import itertools
import math
import queue
import threading
import time
import weakref
from concurrent.futures import Future, TimeoutError

from ... import log
from ..._backend import affinity
from . import config
from .worker_processes import WorkerFailed, WorkerProcess, outcome

_TRIAL, _ALONE = 16, 6  # rows that the workers, and the reader, do to see who is faster
_FIRST, _LONGEST = 64, 4096  # rows between two such trials, doubled from trial to trial
_SHORT = 0.005  # seconds; only rows that take less may be done by the reader
_TINY = 0.0001  # seconds; rows that take less are done by the reader alone
_CHUNK = 0.001  # seconds of work that are handed over at once

_pipeline = contextvars.ContextVar("pipeline", default=None)  # whose nodes are being opened
_together = contextvars.ContextVar("together", default=0)  # rows that the node above takes at once


@contextlib.contextmanager
def taken_together(count):
    """Lets workers of the nodes opened within `with` run ahead by `count` rows more: by the next
    batch, while the last one is used.
    """
    before = _together.set(count)
    try:
        yield
    finally:
        _together.reset(before)


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
        returned (type or tuple): errors of these classes replace the result; other
            errors are raised.
    """

    def __init__(self, api, workers, processes=False, returned=()):
        self.api, self.workers, self.processes, self.returned = api, workers, processes, returned
        self.pipeline, self.together = _pipeline.get(), _together.get()

    def __call__(self, work, items):
        """Begins an epoch.

        Args:
            work (Callable): takes an item.
            items (Iterator): is read in the caller's thread, ahead by as many items as there are
                workers, or by the prefetch size, and by a batch that is made of them.

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
        items, length, least = iter(items), _FIRST, _TRIAL
        try:
            while True:
                handed = yield from self._handed_over(pool, items, least)
                if handed is None:
                    break
                alone = yield from self._by_reader(work, items, _ALONE)
                while alone is not None and alone < _TINY:
                    alone = yield from self._by_reader(work, items, length)
                if alone is None:
                    break
                if alone < handed:
                    yield from self._by_reader(work, items, length)
                least = _TRIAL if alone < handed else length
                length = min(2 * length, _LONGEST)
        except BaseException:
            pool.abandon()
            raise
        pool.finish()

    def _handed_over(self, pool, items, least):
        """Yields results of items, by the workers: of `least`, and of all as long as that gains.

        Returns:
            the seconds that the reader spent per row lately, or None where there are no more items.
        """
        ahead = max(self.workers, config.get_prefetch_size()) + self.together
        largest = max(1, ahead // (2 * self.workers))
        waiting, submitted, done = collections.deque(), 0, 0
        lately = collections.deque(maxlen=_TRIAL)
        while True:
            stays = done < least or self._gains(pool, lately)
            chunk = list(itertools.islice(items, pool.chunk_size(largest))) if stays else []
            began = time.perf_counter()
            if chunk:
                waiting.append(pool.submit(chunk))
                submitted += len(chunk)
            while waiting and (not chunk or submitted - done > ahead):
                outcomes = pool.result(waiting.popleft())
                share = (time.perf_counter() - began) / len(outcomes)
                for each in outcomes:
                    lately.append(share)
                    done += 1
                    yield self._settled(each)
                began = time.perf_counter()
            if not chunk:
                return None if stays else _later_mean(lately)

    def _gains(self, pool, lately):
        """True if the reader surely waits less than it would work itself, or must not work."""
        if self.processes or pool.fastest > _SHORT:
            return True
        return pool.fastest > _TINY and _later_mean(lately) < pool.fastest

    def _by_reader(self, work, items, count):
        """Yields results of the next `count` items; the reader's thread does the work.

        Returns:
            its seconds per row, or None where there were fewer items.
        """
        seconds = []
        for item in itertools.islice(items, count):
            began = time.perf_counter()
            done = outcome(work, item)
            seconds.append(time.perf_counter() - began)
            yield self._settled(done)
        return _later_mean(seconds) if len(seconds) == count else None

    def _settled(self, done):
        """The result of a row."""
        result, error = done
        if error is None:
            return result
        if isinstance(error, self.returned):
            return error
        raise error


def _later_mean(seconds):
    """The mean of the later half: what comes first is slow where something is loaded."""
    later = list(seconds)[len(seconds) // 2 :]
    return sum(later) / len(later)


class _Task(Future):
    """Rows to be worked on: the number of the first in the epoch, and the worker that has them."""

    def __init__(self, number, items):
        super().__init__()
        self.number, self.items, self.worker = number, items, None
        self.done_rows = 0  # as far as the worker has reported

    def __str__(self):
        first, last = self.number + self.done_rows, self.number + len(self.items) - 1
        if isinstance(self.worker, WorkerProcess) and first < last:
            return f"rows {first} to {last}"
        return f"row {first}"


class _Pool:
    """Threads that take tasks in order. They are no obstacle to the end of the interpreter."""

    def __init__(self, api, work, workers, processes):
        self.api, self.submitted, self.tasks = api, 0, queue.SimpleQueue()
        self.latest = self.fastest = math.inf  # seconds that a worker took for a row
        self.patience = config.get_multiprocessing_timeout_interval()
        self.processes = [WorkerProcess(work) for _ in range(workers)] if processes else []
        self.threads = [
            threading.Thread(
                target=_take, args=(self.tasks, each), daemon=True, name=f"{api} worker {number}"
            )
            for number, each in enumerate(self.processes or [work] * workers)
        ]
        _open_pools().add(self)
        for thread in self.threads:
            thread.start()

    def chunk_size(self, largest):
        """How many rows are worth handing over at once."""
        return min(largest, 1 + int(_CHUNK / max(self.latest, 1e-9)))

    def submit(self, items):
        """Has a worker do some items, after those submitted before."""
        task = _Task(self.submitted, items)
        self.submitted += len(items)
        self.tasks.put(task)
        return task

    def result(self, task):
        """The outcomes of a task. A worker that hangs is reported, then ended."""
        outcomes, seconds = self._awaited(task)
        self.latest = seconds / len(outcomes)
        self.fastest = min(self.fastest, self.latest)
        return outcomes

    def _awaited(self, task):
        interval, waited = config.get_multiprocessing_timeout_interval(), 0
        if self.processes:
            interval *= len(task.items)
        while True:
            done_rows = task.done_rows
            try:
                return task.result(interval)
            except TimeoutError:
                if task.done():
                    raise
            waited = waited + interval if task.done_rows == done_rows else 0
            if not waited:
                continue
            message = (
                f"For '{self.api}', {_name(task.worker)} has worked on {task} for {waited} seconds"
            )
            if waited >= 2 * interval and config.get_enable_watchdog():
                log.error("%s; it is ended.", message)
                self.patience = self.patience if self.processes else 0
                raise WorkerFailed(
                    f"{message}, so it was ended; 'set_multiprocessing_timeout_"
                    f"interval' sets how long it may take."
                )
            log.warning("%s.", message)

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
    in_process = isinstance(work, WorkerProcess)
    worker = work if in_process else threading.current_thread()
    while (task := tasks.get()) is not None:
        task.worker = worker
        began = time.perf_counter()
        try:
            outcomes = work(task.items) if in_process else _outcomes(work, task)
            task.set_result((outcomes, time.perf_counter() - began))
        except BaseException as error:
            task.set_exception(error)
        task = outcomes = None  # rows may be large, and the next ones long in coming


def _outcomes(work, task):
    outcomes = []
    for item in task.items:
        outcomes.append(outcome(work, item))
        task.done_rows += 1
    return outcomes


def _name(worker):
    return worker.name if isinstance(worker, WorkerProcess) else f"the thread {worker.name!r}"
