"""Work on several rows at once: a pool of threads or processes that keeps the order of the rows.

A pool is started when an epoch begins and ended with it, or at once when its pipeline fails.
Threads suit operations that release the interpreter (decoding, resizing); processes suit Python
code that computes. Each process belongs to one thread, which hands it rows and waits for them, so
rows take the same way in both cases; what runs in the processes is in `worker_processes.py`.

To hand over a row costs some tens of microseconds, more where threads wait for each other's hold on
the interpreter. So short rows are handed over several at a time, and rows of a tenth of a
millisecond or less are not handed over at all, but for the first ones. A reader that would wait for
short rows does some that no worker has begun; so an epoch with workers takes no longer than one
without. Where it mostly waits for rows that keep a core busy each, it counts as a worker, as more
threads than cores would wait for each other. The next epoch begins with what is known of the last;
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
from concurrent.futures import Future, TimeoutError

from ... import log
from ..._backend.threads import affinity
from . import config
from .worker_processes import WorkerFailed, WorkerProcess, outcome

_SHORT = 0.005  # seconds; only rows that take less may be done by the reader
_TINY = 0.0001  # seconds; rows that take less are done by the reader alone
_MANY = 6  # workers; with fewer there is less to gain, and rows count as tiny that take longer
_CHUNK = 0.001  # seconds of work that are handed over at once
_FIRST = 16  # rows that workers do in any case: code that hangs, mostly in its first rows, is found
_ALONE = 32  # rows that the reader does alone before it looks how long they take
_RECENT = 8  # tasks, the shortest of which says how long a row takes

_pipeline = contextvars.ContextVar("pipeline", default=None)  # whose nodes are being opened
_paces = weakref.WeakKeyDictionary()
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


def calls_back():
    """Whether the maps of the pipeline that is being opened call the script's callbacks."""
    pipeline = _pipeline.get()
    return pipeline is None or pipeline.calls_back


class Pipeline:
    """The pools of one iterator's pipeline: of the nodes opened within `with`.

    Args:
        calls_back (bool): whether its maps call the script's callbacks.
    """

    def __init__(self, calls_back=True):
        self.calls_back = calls_back
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


class Pace:
    """How long the rows of an operation take, as far as its epochs have shown."""

    def __init__(self):
        self.recent = collections.deque(maxlen=_RECENT)  # seconds per row, of the last tasks
        self.computing = collections.deque(maxlen=_RECENT)  # the part that computed, of the same
        self.within = self.away = 0  # seconds in which the reader wanted rows, or used them
        self.finished = 0  # rows that workers have done
        self.times_each = False  # whether the reader times its rows one by one


def pace_of(node):
    """The Pace of a node of a pipeline, over all its epochs."""
    return _paces.setdefault(node, Pace())


class OrderedMap:
    """What `work` makes of each item, in order, computed by several workers ahead of the reader.

    Args:
        api (str): the name of the operation, for errors.
        workers (int): how many.
        processes (bool): whether they are processes; then `work` is sent to each once.
        returned (type or tuple): errors of these classes replace the result; other
            errors are raised.
        pace (Pace): how long the items took in earlier epochs; by default nothing is known.
    """

    def __init__(self, api, workers, processes=False, returned=(), pace=None):
        self.api, self.workers, self.processes, self.returned = api, workers, processes, returned
        self.pace = pace or Pace()
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
        pool = _Pool(self.api, work, self.workers, self.processes, self.pace)
        items, waiting = _Items(items), collections.deque()
        try:
            while True:
                if not pool.rows_are_tiny():
                    self._hand_over(pool, items, waiting)
                if waiting:
                    is_first = pool.seconds() == math.inf
                    outcomes = pool.result(waiting.popleft())
                    if is_first:  # workers run ahead while the reader uses it
                        self._hand_over(pool, items, waiting)
                    for result, error in outcomes:
                        yield result if error is None else self._in_place(error)
                elif items.ended:
                    break
                else:
                    for results in self._by_reader(pool, items):
                        yield from results
        except BaseException:
            pool.abandon()
            raise
        pool.finish()

    def _hand_over(self, pool, items, waiting):
        """Lets workers begin as many items as they may be ahead."""
        ahead = max(self.workers, config.get_prefetch_size()) + self.together
        largest = max(1, ahead // (2 * self.workers))
        if pool.seconds() == math.inf:  # a row each tells how the others are handed over
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
        """Yields iterators over results of some tiny items each, done as soon as they are read,
        while they are cached, until they may take longer or there are no more."""
        pace, seconds, rest = pool.pace, [], items.rest()
        timed = pace.times_each
        work = self._timed(pool.work, seconds) if timed else self._caught(pool.work)
        while True:
            numbers, began = itertools.count(1), time.perf_counter()
            # Numbers from 1 on are all true: they count the items that pass.
            yield map(work, itertools.compress(itertools.islice(rest, _ALONE), numbers))
            count, elapsed = next(numbers) - 1, time.perf_counter() - began
            items.ended = count < _ALONE
            if count:
                pool.note_alone(count, sum(seconds), elapsed)
            if items.ended or timed or pace.times_each:
                break

    def _caught(self, work):
        """Work on an item that returns errors which replace a result."""
        if not self.returned:
            return work

        def caught(item):
            try:
                return work(item)
            except self.returned as error:
                return error

        return caught

    def _timed(self, work, seconds):
        """The same, which also adds to a list how long each item takes."""
        caught = self._caught(work)

        def timed(item):
            began = time.perf_counter()
            result = caught(item)
            seconds.append(time.perf_counter() - began)
            return result

        return timed

    def _in_place(self, error):
        """What an error leaves in place of a result, if it is not raised."""
        if isinstance(error, self.returned):
            return error
        raise error


class _Items:
    """Items that are read several at a time. An error in reading one waits until it is its turn."""

    def __init__(self, items):
        self._items, self._error = iter(items), None
        self.ended = False  # whether the reader has found that there are no more

    def rest(self):
        """An iterator of the items that have not been read."""
        if self._error is not None:
            raise self._error
        return self._items

    def take(self, count):
        """The next items, as a list: `count`, or as many as there are."""
        taken = []
        if self._error is None:
            try:
                for item in itertools.islice(self._items, count):
                    taken.append(item)
            except Exception as error:
                self._error = error
        return taken


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

    def __init__(self, api, work, workers, processes, pace=None):
        self.api, self.work, self.submitted, self.tasks = api, work, 0, queue.SimpleQueue()
        self.pace = pace or Pace()
        self.tiny = _TINY * max(1, _MANY / workers)
        self.patience = config.get_multiprocessing_timeout_interval()
        self.processes = [WorkerProcess(work) for _ in range(workers)] if processes else []
        self.workers, self.threads, self.unfinished = workers, [], []
        self.left = None  # when the reader left with a result
        _open_pools().add(self)

    def seconds(self):
        """How long a row takes, where nothing else holds it up; infinite before the first."""
        return min(self.pace.recent, default=math.inf)

    def rows_are_tiny(self):
        """True if the reader had better do all rows itself."""
        return self._reader_may_work() and self.seconds() < self.tiny

    def seems_tiny(self):
        """True if the first rows are as short as those that the reader does alone."""
        return not self.processes and self.pace.finished < _FIRST and self.seconds() < self.tiny

    def _reader_may_work(self):
        return not self.processes and self.pace.finished >= _FIRST and self.seconds() < _SHORT

    def chunk_size(self, largest):
        """How many rows are worth handing over at once."""
        return min(largest, 1 + int(_CHUNK / max(self.seconds(), 1e-9)))

    def submit(self, items):
        """Has a worker do some items, after those submitted before."""
        task = _Task(self.submitted, items)
        self.submitted += len(items)
        self.tasks.put(task)
        if len(self.threads) < self.most_threads():
            self._start_for(task)
        return task

    def most_threads(self):
        """How many threads may start: fewer than there are cores, where the reader works as well,
        being there more than half of the time, and rows take a core's time."""
        pace = self.pace
        reader_works = self._reader_may_work() and pace.within > pace.away
        if reader_works and max(pace.computing, default=0) > 0.5:
            return min(self.workers, max(1, len(affinity.available()) - 1))
        return self.workers

    def _start_for(self, task):
        """Starts a thread if all are busy: for tiny rows one is enough, and takes time to start."""
        self.unfinished = [task, *(each for each in self.unfinished if not each.done())]
        number = len(self.threads)
        if len(self.unfinished) > number:
            worker = self.processes[number] if self.processes else self.work
            thread = threading.Thread(
                target=_take,
                args=(self.tasks, worker),
                daemon=True,
                name=f"{self.api} worker {number}",
            )
            self.threads.append(thread)
            thread.start()

    def note_alone(self, count, seconds, elapsed):
        """Takes note of rows that the reader did.

        Args:
            count (int): how many.
            seconds (float): how long the work on them took, if `times_each`.
            elapsed (float): how long they took with what else the reader did meanwhile. Where that
                is little, it says enough, and no single row is timed.
        """
        pace = self.pace
        if pace.times_each or elapsed < count * self.tiny:
            pace.recent.clear()
            pace.recent.append((seconds if pace.times_each else elapsed) / count)
        pace.times_each = elapsed >= count * self.tiny
        self.submitted += count

    def result(self, task):
        """The outcomes of a task. While short ones are waited for, others are done here that no
        worker has begun. A worker that hangs is reported, then ended.
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
        outcomes, seconds, computing = self._awaited(task)
        pace = self.pace
        pace.recent.append(seconds / len(outcomes))
        pace.computing.append(computing / seconds)
        pace.finished += len(outcomes)
        self.left = time.perf_counter()
        pace.within += self.left - began
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
    worker = work if isinstance(work, WorkerProcess) else threading.current_thread()
    while (task := tasks.get()) is not None:
        _perform(task, work, worker)
        task = None  # rows may be large, and the next ones long in coming


def _perform(task, work, worker):
    """Does a task, and notes how long it takes, and how long of it this thread computes."""
    task.worker = worker
    began, computed = time.perf_counter(), time.thread_time()
    try:
        outcomes = work(task.items) if worker is work else _outcomes(work, task)
        seconds, computing = time.perf_counter() - began, time.thread_time() - computed
        task.set_result((outcomes, max(seconds, 1e-9), computing))
    except BaseException as error:
        task.set_exception(error)


def _outcomes(work, task):
    outcomes = []
    for item in task.items:
        outcomes.append(outcome(work, item))
        task.done_rows += 1
    return outcomes


def _name(worker):
    return worker.name if isinstance(worker, WorkerProcess) else f"the thread {worker.name!r}"
