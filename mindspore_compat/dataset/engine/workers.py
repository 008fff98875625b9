"""Pools of worker threads or processes that process several rows at once and keep their order.

A pool starts when an epoch begins and ends with the epoch, or at once if its pipeline fails.
Threads suit operations that release the interpreter's lock (decoding, resizing); processes suit
computing Python code. Each process belongs to one thread, which sends it rows and waits for the
results, so the code path of rows is the same in both cases. The code of the processes is in
`worker_processes.py`.

Handing over a row costs some tens of microseconds, more when threads compete for the interpreter's
lock. Therefore short rows are handed over in chunks, and rows of a tenth of a millisecond or less,
except for the first ones, are processed by the reader. A reader that would wait for short rows
processes some that no worker has begun, so an epoch with workers takes no longer than one without.
If the reader mostly waits for rows that each occupy a core, it counts as a worker, as more threads
than cores would slow each other down. An epoch starts with the measurements of the previous one;
threads start when there is work for them.
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

from ... import log
from ..._backend.arrays import keep_freed_memory
from ..._backend.starting import Thread
from ..._backend.threads import affinity
from . import config
from .worker_processes import WorkerFailed, WorkerProcess, call_all, outcome

_SHORT = 0.005  # seconds; the reader may process only shorter rows
_TINY = 0.0001  # seconds; shorter rows are processed by the reader alone
_MANY = 6  # workers; fewer gain less, so longer rows count as tiny
_CHUNK = 0.001  # seconds of work per chunk
_FIRST = 16  # rows that workers always process: code that hangs mostly does so in its first rows
_ALONE = 32  # rows that the reader processes alone between two time measurements
_RECENT = 8  # number of recent tasks; the shortest one gives the time per row

_pipeline = contextvars.ContextVar(
    "pipeline", default=None
)  # the pipeline whose nodes are being opened
_paces = weakref.WeakKeyDictionary()
_together = contextvars.ContextVar(
    "together", default=0
)  # the number of rows that the node above takes together


@contextlib.contextmanager
def taken_together(count):
    """Lets workers of nodes opened within `with` run ahead by `count` more rows: by the next batch,
    while the last one is used.
    """
    before = _together.set(count)
    try:
        yield
    finally:
        _together.reset(before)


def calls_back():
    """Returns whether the maps of the pipeline being opened call their callbacks."""
    pipeline = _pipeline.get()
    return pipeline is None or pipeline.calls_back


class Pipeline:
    """The pools of one iterator's pipeline: the pools of all nodes that are opened within `with`.

    Args:
        calls_back (bool): whether its maps call their callbacks.
    """

    def __init__(self, calls_back=True):
        keep_freed_memory()
        self.calls_back = calls_back
        self._begun = weakref.WeakSet()

    def __enter__(self):
        self._before = _pipeline.set(self)
        return self

    def __exit__(self, *error):
        _pipeline.reset(self._before)

    def add(self, rows):
        """Registers a generator whose pool ends when it is closed."""
        self._begun.add(rows)

    def call(self, function, *arguments):
        """Calls a part of the pipeline, such as for the next row; on an error, all pools end.

        Raises:
            RuntimeError: if code on rows called `sys.exit`, which is reserved for the script.
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
        """Ends all pools, even if one call is interrupted; their generators yield no more rows."""
        call_all([functools.partial(_close, rows) for rows in list(self._begun)])


def _close(rows):
    with contextlib.suppress(ValueError):  # another thread waits for its next row
        rows.close()


class Pace:
    """Measurements of the time that the rows of an operation take."""

    def __init__(self):
        self.recent = collections.deque(maxlen=_RECENT)  # seconds per row, of the last tasks
        self.computing = collections.deque(maxlen=_RECENT)  # the computing fraction of these tasks
        self.within = self.away = 0  # seconds in which the reader waited for rows, or used them
        self.finished = 0  # rows that workers have processed
        self.times_each = False  # whether the reader measures each row


def pace_of(node):
    """Returns the Pace of a pipeline node over all epochs."""
    return _paces.setdefault(node, Pace())


class OrderedMap:
    """Applies `work` to items by several workers ahead of the reader; keeps the order.

    Args:
        api (str): the name of the operation, for errors.
        workers (int): the number of workers.
        processes (bool): whether workers are processes; then `work` is sent to each once.
        returned (type or tuple): errors of these classes replace the result; other
            errors are raised.
        pace (Pace): the measurements of earlier epochs; by default none.
    """

    def __init__(self, api, workers, processes=False, returned=(), pace=None):
        self.api, self.workers, self.processes, self.returned = api, workers, processes, returned
        self.pace = pace or Pace()
        self.pipeline, self.together = _pipeline.get(), _together.get()

    def __call__(self, work, items):
        """Begins an epoch.

        Args:
            work (Callable): takes an item.
            items (Iterator): is read in the caller's thread, ahead by the number of workers or the
                prefetch size, plus one batch.

        Returns:
            Iterator of results.

        Raises:
            RuntimeError: if a worker process ended, or a worker hung; at the first row concerned.
        """
        rows = self._rows(work, items)
        if self.pipeline is not None:
            self.pipeline.add(rows)
        return rows

    def _rows(self, work, items):
        items, waiting = _Items(items), collections.deque()
        pool = _Pool(self.api, work, self.workers, self.processes, self.pace)
        try:
            while True:
                if not pool.rows_are_tiny():
                    self._hand_over(pool, items, waiting)
                if waiting:
                    is_first = pool.seconds() == math.inf
                    outcomes = pool.result(waiting.popleft())
                    if is_first:  # workers run ahead while the reader uses the row
                        self._hand_over(pool, items, waiting)
                    for result, error in outcomes:
                        yield result if error is None else self._in_place(error)
                elif items.ended:
                    break
                else:
                    for results in self._by_reader(pool, items):
                        yield from results
            pool.finish()
        except BaseException:
            pool.abandon()
            raise

    def _hand_over(self, pool, items, waiting):
        """Submits items up to the limit of running ahead."""
        ahead = max(self.workers, config.get_prefetch_size()) + self.together
        largest = max(1, ahead // (2 * self.workers))
        if pool.seconds() == math.inf:  # single rows first, to measure the time per row
            ahead = self.workers
        elif pool.seems_tiny():
            largest = max(largest, _FIRST - pool.submitted)
        count = sum(len(task.items) for task in waiting)
        while count < ahead:
            chunk = items.take(pool.chunk_size(largest))
            if not chunk:
                break
            waiting.append(pool.submit(chunk))
            count += len(chunk)

    def _by_reader(self, pool, items):
        """Yields iterators over the results of several tiny items each, computed when they are
        read. Ends when items may take longer, or there are no more."""
        pace, seconds, rest = pool.pace, [], items.rest()
        is_timed = pace.times_each
        work = self._time_work(pool.work, seconds) if is_timed else self._call_catching(pool.work)
        while True:
            numbers, began = itertools.count(1), time.perf_counter()
            # Numbers from 1 on are all true, so they count the items that pass.
            yield map(work, itertools.compress(itertools.islice(rest, _ALONE), numbers))
            count, elapsed = next(numbers) - 1, time.perf_counter() - began
            items.ended = count < _ALONE
            if count:
                pool.note_alone(count, sum(seconds), elapsed)
            if items.ended or is_timed or pace.times_each:
                break

    def _call_catching(self, work):
        """Returns a function that processes an item and returns an error that replaces its
        result."""
        if not self.returned:
            return work

        def caught(item):
            try:
                return work(item)
            except self.returned as error:
                return error

        return caught

    def _time_work(self, work, seconds):
        """Returns the same work, which also appends the time of each item to a list."""
        outcome = self._call_catching(work)

        def timed(item):
            began = time.perf_counter()
            result = outcome(item)
            seconds.append(time.perf_counter() - began)
            return result

        return timed

    def _in_place(self, error):
        """Returns the value that replaces the result after an error, unless the error is raised."""
        if isinstance(error, self.returned):
            return error
        raise error


class _Items:
    """Items that are read in chunks. The error of reading an item is raised only at its turn."""

    def __init__(self, items):
        self._items, self._error = iter(items), None
        self.ended = False  # whether the reader has reached the end

    def rest(self):
        """Returns an iterator over the items that have not been read."""
        if self._error is not None:
            raise self._error
        return self._items

    def take(self, count):
        """Returns the next items as a list: at most `count`."""
        items = []
        if self._error is None:
            try:
                for item in itertools.islice(self._items, count):
                    items.append(item)
            except Exception as error:
                self._error = error
        return items


class _Task:
    """A chunk of rows: the number of the first row in the epoch, and the worker that has them.

    One thread waits for the result. If its wait is interrupted, it holds no lock. An interrupted
    wait for a `concurrent.futures.Future` may keep a lock, and the worker would then wait for it
    forever.
    """

    def __init__(self, number, items):
        self.number, self.items, self.worker = number, items, None
        self.done_rows = 0  # the progress that the worker has reported
        self._outcome, self._arrived = None, queue.SimpleQueue()

    def done(self):
        """Returns whether there is a result or an error."""
        return self._outcome is not None

    def finish(self, result, error=None):
        """Sets the result, or the error."""
        self._outcome = result, error
        self._arrived.put(None)

    def result(self, timeout):
        """Returns the result, or raises the worker's error, or a TimeoutError if neither arrives in
        time."""
        if not self.done():
            with contextlib.suppress(queue.Empty):
                self._arrived.get(timeout=timeout)
        if not self.done():
            raise TimeoutError
        result, error = self._outcome
        if error is None:
            return result
        try:
            raise error
        finally:
            self = error = None  # which the traceback would keep

    def __str__(self):
        first, last = self.number + self.done_rows, self.number + len(self.items) - 1
        if isinstance(self.worker, WorkerProcess) and first < last:
            return f"rows {first} to {last}"
        return f"row {first}"


class _Pool:
    """Threads that take tasks in order. They do not prevent the interpreter from exiting."""

    def __init__(self, api, work, workers, processes, pace=None):
        self.api, self.work, self.submitted, self.tasks = api, work, 0, queue.SimpleQueue()
        self.pace = pace or Pace()
        self.tiny = _TINY * max(1, _MANY / workers)
        self.patience = config.get_multiprocessing_timeout_interval()
        self.processes = [WorkerProcess(work) for _ in range(workers)] if processes else []
        self.workers, self.threads, self.unfinished = workers, [], []
        self.left = None  # the time when the reader left with a result
        # An interrupt may keep the reader from ending the pool.
        weakref.finalize(self, _dismiss, self.tasks, self.threads).atexit = False
        _open_pools().add(self)

    def seconds(self):
        """Returns the time per row without disturbances; infinite before the first measurement."""
        return min(self.pace.recent, default=math.inf)

    def rows_are_tiny(self):
        """Returns whether the reader should process all rows itself."""
        return self._reader_may_work() and self.seconds() < self.tiny

    def seems_tiny(self):
        """Returns whether the first rows are as short as rows that the reader processes alone."""
        return not self.processes and self.pace.finished < _FIRST and self.seconds() < self.tiny

    def _reader_may_work(self):
        return not self.processes and self.pace.finished >= _FIRST and self.seconds() < _SHORT

    def chunk_size(self, largest):
        """Returns the number of rows per chunk."""
        return min(largest, 1 + int(_CHUNK / max(self.seconds(), 1e-9)))

    def submit(self, items):
        """Submits items to the workers, after earlier ones."""
        task = _Task(self.submitted, items)
        self.submitted += len(items)
        self.tasks.put(task)
        if len(self.threads) < self.most_threads():
            self._start_for(task)
        return task

    def most_threads(self):
        """Returns the maximum number of threads. It is less than the number of cores if each row
        occupies a core and the reader is busy for more than half of the time."""
        pace = self.pace
        reader_works = self._reader_may_work() and pace.within > pace.away
        if reader_works and max(pace.computing, default=0) > 0.5:
            return min(self.workers, max(1, len(affinity.available()) - 1))
        return self.workers

    def _start_for(self, task):
        """Starts a thread if all are busy; for tiny rows one thread is enough, as starting takes
        time.
        """
        self.unfinished = [
            task,
            *(unfinished for unfinished in self.unfinished if not unfinished.done()),
        ]
        number = len(self.threads)
        if len(self.unfinished) > number:
            worker = self.processes[number] if self.processes else self.work
            thread = Thread(
                target=_take,
                args=(self.tasks, worker),
                daemon=True,
                name=f"{self.api} worker {number}",
            )
            self.threads.append(thread)
            try:
                thread.start()
            except (RuntimeError, MemoryError) as error:
                cause = error.__context__
                if cause is not None and not isinstance(cause, Exception):
                    raise cause from None  # an interrupt, which broke a lock of Python's
                raise RuntimeError(
                    f"For '{self.api}', worker {number} cannot start: {error}"
                ) from error

    def note_alone(self, count, seconds, elapsed):
        """Records the time of rows that the reader processed.

        Args:
            count (int): the number of rows.
            seconds (float): the time of the work on the rows, if `times_each`.
            elapsed (float): the time of the rows including other work of the reader. If it is
                short, single rows are not measured.
        """
        pace = self.pace
        if pace.times_each or elapsed < count * self.tiny:
            pace.recent.clear()
            pace.recent.append((seconds if pace.times_each else elapsed) / count)
        pace.times_each = elapsed >= count * self.tiny
        self.submitted += count

    def result(self, task):
        """Returns the outcomes of a task. While waiting for short tasks, the reader processes
        others that no worker has begun. A worker that hangs is reported and then ended.
        """
        began = time.perf_counter()
        if self.left is not None:
            self.pace.away += began - self.left
        while not task.done() and self._reader_may_work():
            try:
                other = self.tasks.get_nowait()
            except queue.Empty:
                break
            _perform(other, self.work, threading.current_thread())
        outcomes, seconds, computing = self._await(task)
        pace = self.pace
        pace.recent.append(seconds / len(outcomes))
        pace.computing.append(computing / seconds)
        pace.finished += len(outcomes)
        self.left = time.perf_counter()
        pace.within += self.left - began
        return outcomes

    def _await(self, task):
        interval, seconds = config.get_multiprocessing_timeout_interval(), 0
        if self.processes:
            interval *= len(task.items)
        while True:
            done_rows = task.done_rows
            try:
                return task.result(interval)
            except TimeoutError:
                if task.done():
                    raise
            seconds = seconds + interval if task.done_rows == done_rows else 0
            if not seconds:
                continue
            message = (
                f"For '{self.api}', {_name(task.worker)} has worked on {task} for {seconds} seconds"
            )
            if seconds >= 2 * interval and config.get_enable_watchdog():
                log.error("%s; it is ended.", message)
                self.patience = self.patience if self.processes else 0
                raise WorkerFailed(
                    f"{message}, so it was ended; 'set_multiprocessing_timeout_"
                    f"interval' sets how long it may take."
                )
            log.warning("%s.", message)

    def finish(self):
        """Ends the idle workers."""
        self._dismiss()
        for process in self.processes:
            process.finish()
        for process in self.processes:
            process.join()
        self._join()

    def abandon(self):
        """Ends the processes at once, and the threads after their current row."""
        try:
            self.kill()
        finally:
            self._dismiss()
        self._join()

    def kill(self):
        """Ends the processes at once, all of them even if one call is interrupted."""
        call_all([process.kill for process in self.processes])

    def _dismiss(self):
        _dismiss(self.tasks, self.threads)

    def _join(self):
        """Waits for the threads, except for hanging ones."""
        until = time.monotonic() + self.patience
        for thread in self.threads:
            if thread.is_alive():  # false if an interrupt came before it began
                thread.join(max(0, until - time.monotonic()))
        _open_pools().discard(self)


@functools.cache
def _open_pools():
    """Returns the open pools. If the interpreter exits first, their processes end."""
    pools = weakref.WeakSet()
    atexit.register(lambda: [pool.kill() for pool in list(pools)])
    return pools


def _dismiss(tasks, threads):
    """Ends the threads of a pool after their current row."""
    with contextlib.suppress(queue.Empty):
        while True:
            tasks.get_nowait()
    for _ in threads:
        tasks.put(None)


def _take(tasks, work):
    """The main loop of a pool's thread: works on tasks until it receives None."""
    affinity.bind_workers(affinity.of_workers())
    worker = work if isinstance(work, WorkerProcess) else threading.current_thread()
    while (task := tasks.get()) is not None:
        _perform(task, work, worker)
        task = None  # rows may be large, and the next task may come late


def _perform(task, work, worker):
    """Performs a task, and records its time and the computing time of this thread."""
    task.worker = worker
    start, computing_start = time.perf_counter(), time.thread_time()
    try:
        outcomes = work(task.items) if worker is work else _outcomes(work, task)
        seconds, computing = time.perf_counter() - start, time.thread_time() - computing_start
        task.finish((outcomes, max(seconds, 1e-9), computing))
    except BaseException as error:
        if task.done():  # an interrupt after the result
            raise
        task.finish(None, error)


def _outcomes(work, task):
    outcomes = []
    for item in task.items:
        outcomes.append(outcome(work, item))
        task.done_rows += 1
    return outcomes


def _name(worker):
    return worker.name if isinstance(worker, WorkerProcess) else f"the thread {worker.name!r}"
