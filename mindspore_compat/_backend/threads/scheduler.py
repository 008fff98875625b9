"""Shares large work of the host among the cores that the process may use.

`run(work, count)` calls `work(0)`, ..., `work(count - 1)`, which write to separate memory. The
thread that calls takes one number after another, and so does every idle thread of the pool: a core
that another process keeps busy takes fewer, and none is waited for that has not begun. How work is
cut into pieces depends on shapes alone, never on the number of threads, so results have the same
bits with any.

The library behind NumPy's products of matrices is limited to one thread meanwhile (`Hold`). Its own
threads wait for each other at every product, which next to busy processes costs far more than they
gain.

    def rows(number):
        block = slice(number * 64, number * 64 + 64)
        numpy.exp(x[block], out=out[block])

    run(rows, -(-len(x) // 64))

Threads that wait for a job, or for its last piece, watch for it a moment before they sleep
(spinning.py), as steps of training share work every few hundred microseconds.

The pool starts with the first work that is shared. A forked process starts its own; what runs
inside a piece runs on the thread of that piece.
"""

import contextvars
import functools
import itertools
import os
import threading
import time
from queue import SimpleQueue
from threading import get_ident

import numpy

from . import affinity, cgroup, job_slot, spinning

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
NAP = 1e-4  # seconds between two looks at the threads that end their pieces after an interrupt
_limits = {}  # what settings ask for, by the name of the setting


def threads():
    """How many threads share large work, the one that calls included."""
    return _limits.get("exactly") or min([_allowed(), *_limits.values()])


def limit(count, setting="exactly"):
    """Sets how many threads share large work.

    Args:
        count (int): how many; 0 takes the setting back.
        setting (str): "exactly" for that many; any other name only lowers what the process may use.
    """
    _limits.pop(setting, None)
    if count:
        _limits[setting] = count


@functools.cache
def _allowed():
    """The threads that the process may run at once: by its cores, its group's share of them, and
    the variables that say so to libraries."""
    counts = [len(affinity.available()), cgroup.cores()]
    counts += [
        int(value) for name in _VARIABLES if (value := os.environ.get(name, "").strip()).isdecimal()
    ]
    return max(min(count for count in counts if count), 1)


recount = _allowed.cache_clear  # after the process has been bound to other cores


def run(work, count):
    """Calls `work` with every number below `count`, in any order, and returns when all are done.

    Args:
        work: a function of one int, which returns nothing.
        count (int): the number of pieces.

    Raises:
        BaseException: what the piece of the lowest number among those that failed has raised;
            pieces that had not begun by then are left out.
    """
    with hold:
        helpers = min(threads(), count) - 1
        if helpers < 1 or _here.inside:
            for number in range(count):
                work(number)
        else:
            _Job(work, count).share(helpers)


def helpers(count):
    """How many threads of the pool may help with so many pieces of a compiled loop; wakes them."""
    found = 0 if _here.inside else min(threads(), count) - 1
    if found > 0:
        _pool.watch(found)
    return found


def slot():
    """The slot that the threads of the pool watch (job_slot.py)."""
    return _pool.slot


def blocks(total, size):
    """The slices of at most `size` that cover range(total)."""
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


class _Here(threading.local):
    """What holds for the calling thread."""

    inside = False  # whether it runs a piece
    holds = 0  # how many holds it is in
    steps = 0  # how many steps it is in
    stays_entered = False  # whether a step keeps a hold


_here = _Here()


class _Job:
    """The pieces of one call of `run`."""

    __slots__ = ("work", "count", "numbers", "left", "lock", "done", "ended", "helping", "failed")

    def __init__(self, work, count):
        self.work = work
        self.count = count
        self.numbers = itertools.count()  # its `next` is atomic
        self.left = count
        self.lock = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()
        self.ended = numpy.zeros(1, numpy.int64)  # 1 after a thread of the pool has released `done`
        self.helping = []  # an element for each thread of the pool that takes pieces
        self.failed = None  # (number, error)

    def share(self, helpers):
        """Works together with so many threads of the pool, and raises what a piece has raised."""
        try:
            _pool.call(self, helpers)
            if not self.take():
                spinning.wait(self.ended, 0)
            self.done.acquire()
        except BaseException as error:  # an interrupt: no piece may write after this call
            self._fail(-1, error)
            self._give_up()
        finally:
            self.work = None  # a thread that comes late finds nothing, and keeps nothing alive
        if self.failed:
            raise self.failed[1]

    def help(self):
        """Does pieces on a thread of the pool, as `take`."""
        self.helping.append(None)
        try:
            return self.take()
        finally:
            self.helping.pop()

    def take(self):
        """Does pieces until none is left. Returns whether the last to end was among them."""
        work, ended = self.work, 0
        _here.inside = True
        try:
            for number in self.numbers:
                if number >= self.count:
                    break
                ended += 1
                if self.failed is None:
                    try:
                        work(number)
                    except BaseException as error:
                        self._fail(number, error)
        finally:
            _here.inside = False
            last = self._end(ended)
        return last

    def _give_up(self):
        """Returns when no piece runs, and none can begin. The interrupt may have come while the
        pieces of this thread were being counted, so the others are not awaited by their number."""
        for number in self.numbers:
            if number >= self.count:
                break
        while self.helping:
            time.sleep(NAP)

    def _fail(self, number, error):
        with self.lock:
            if self.failed is None or number < self.failed[0]:
                self.failed = (number, error)

    def _end(self, ended):
        with self.lock:
            self.left -= ended
            last = ended > 0 and not self.left
        if last:
            self.done.release()
        return last


class _Pool:
    """Threads that wait for jobs. They end with the process, whatever they do then."""

    def __init__(self):
        self.jobs = SimpleQueue()
        self.slot = job_slot.new_slot()
        self.calls = self.slot[job_slot.CALLS :][:1]  # how often threads have been called
        self.started = 0
        self.lock = threading.Lock()

    def call(self, job, helpers):
        """Has so many threads look at a job when they are idle."""
        if self.started < helpers:
            self._start(helpers)
        for _ in range(helpers):
            self.jobs.put((contextvars.copy_context(), job))
        self.calls[0] += 1

    def watch(self, count):
        """Has so many threads watch the slot when they are idle."""
        if self.started < count:
            self._start(count)
        missing = count - int(self.slot[job_slot.WATCHING]) - self.jobs.qsize()
        for _ in range(missing):
            self.jobs.put(None)

    def _start(self, count):
        with self.lock:
            while self.started < count:
                name = f"mindspore_compat-{self.started}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()
                self.started += 1

    def _serve(self):
        jobs, calls, ended = self.jobs, self.calls, None
        while True:
            before = calls[0]
            if jobs.empty():
                spinning.serve(self.slot, before, ended)
            elif ended is not None:
                ended[0] = 1
            ended = None
            if (given := jobs.get()) is None:  # watch the slot
                continue
            context, job = given
            ended = job.ended if context.run(job.help) else None
            del context, job, given


class Hold:
    """A context in which the libraries of products of matrices use one thread. It may be nested,
    and entered by several threads; the last to leave gives back what was set before.

    What an interrupt leaves undone once `__enter__` or `__exit__` has begun is done before the
    interrupt goes on, or by the next hold.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.holders = set()  # threads, by their numbers
        self.before = ()  # what is to be given back

    def __enter__(self):
        if _here.holds:
            _here.holds += 1
            return
        try:
            with self.lock:
                if not self.holders:
                    # What an interrupt has kept from being given back stands there still.
                    self.before = self.before or [(n, n.get_num_threads()) for n in libraries()]
                    self._set(1)
                self.holders.add(get_ident())
            if _here.steps:
                _here.stays_entered = True
                _here.holds = 2
            else:
                _here.holds = 1
        except BaseException:  # an interrupt, after which there is no `__exit__`
            self._leave()
            raise

    def __exit__(self, *error):
        _here.holds = left = _here.holds - 1
        if not left:
            try:
                self._leave()
            except BaseException:
                self._leave()
                raise

    def _leave(self):
        with self.lock:
            self.holders.discard(get_ident())
            if not self.holders:
                self._set()
                self.before = ()

    def _set(self, count=None):
        """Has the libraries use so many threads; None for as many as before."""
        for library, before in self.before:
            if before != 1:
                if hasattr(library, "clear_controlling_thread"):  # else only one thread may set it
                    library.clear_controlling_thread(force=True)
                library.set_num_threads(count or before)

    def after_fork(self):
        """Forgets the threads that only the parent has."""
        self.lock = threading.Lock()
        self.holders = {get_ident()} if _here.holds else set()
        if not self.holders:
            self._set()
            self.before = ()


class Step:
    """A context that keeps the first hold inside it to its end, as each costs some microseconds."""

    def __enter__(self):
        _here.steps += 1

    def __exit__(self, *error):
        _here.steps -= 1
        if _here.stays_entered and not _here.steps:
            _here.stays_entered = False
            hold.__exit__()


@functools.cache
def libraries():
    """The controllers of the libraries that NumPy makes products with; all that are loaded where
    its own are not distinguished from others."""
    import threadpoolctl  # here, because it looks for them

    found = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    home = os.path.dirname(numpy.__file__)
    return [each for each in found if each.filepath.startswith(home)] or found


hold = Hold()
step = Step()
_pool = _Pool()


def _after_fork():
    global _pool
    _pool = _Pool()
    _here.inside = False
    hold.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
