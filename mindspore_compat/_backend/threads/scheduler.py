"""The host's thread pool: shares large work among the cores that the process may use.

`run(work, count)` calls `work(0)`, ..., `work(count - 1)`, which write to separate memory. The
calling thread takes one number after another, and so does every idle thread of the pool. A core
that is busy with another process takes fewer pieces, and nobody waits for a thread that has not
begun. Pieces depend on shapes alone, so results are bitwise the same with any number of threads.

Meanwhile the BLAS library behind NumPy's matrix products is limited to one thread (`Hold`). Its own
threads wait for each other at every product, which next to busy processes costs far more than they
gain.

    def rows(number):
        block = slice(number * 64, number * 64 + 64)
        numpy.exp(x[block], out=out[block])

    run(rows, -(-len(x) // 64))

Threads that wait for a job, or for its last piece, spin for a moment before they sleep
(spinning.py), because training steps share work every few hundred microseconds.

The pool starts with the first shared work. A forked process starts its own pool. Calls of `run`
inside a piece run on the thread of that piece.
"""

import contextvars
import functools
import itertools
import logging
import os
import threading
import time
from queue import SimpleQueue
from threading import get_ident

import numpy

from ..starting import Thread
from . import blas_memory, job_slot, spinning
from .contention import contention
from .limits import limit, recount, threads  # noqa: F401  settings of the pool, for its users

_log = logging.getLogger(__name__)
FEW = 8  # pieces of a loop that the calling thread runs alone where there is contention
PATIENCE = 1.0  # seconds between two checks whether threads that take pieces still live
NAP = 1e-4  # seconds between two checks whether threads have left their pieces after an interrupt


def run(work, count):
    """Calls `work` with every number below `count`, in any order, and returns when all are done.

    Args:
        work: a function of one int, which returns nothing.
        count (int): the number of pieces.

    Raises:
        BaseException: the error of the failed piece with the lowest number. Pieces that have not
            begun by then do not run.
    """
    with hold:
        helpers = min(threads(), count) - 1
        if helpers < 1 or _here.inside:
            for number in range(count):
                work(number)
        else:
            _Job(work, count).share(helpers)


def is_alone():
    """Returns True if no other thread would help this one with pieces."""
    return threads() < 2 or _here.inside


def helpers(count):
    """Wakes threads of the pool for a compiled loop of `count` pieces. Returns the number of
    threads that may help the calling thread."""
    if count == 1 or _here.inside or count < FEW and contention.now:
        return 0
    helping = min(threads(), count) - 1
    if helping > 0:
        _pool.watch(helping)
    return helping


def slot():
    """Returns the slot that the threads of the pool watch (job_slot.py)."""
    return _pool.slot


def blocks(total, size):
    """Returns the slices of at most `size` that cover range(total)."""
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


class _Here(threading.local):
    """The state of the calling thread."""

    inside = False  # whether it runs a piece
    holds = 0  # the nesting depth of holds
    steps = 0  # the nesting depth of steps
    stays_entered = False  # whether a step keeps a hold


_here = _Here()


class _Job:
    """The pieces of one call of `run`, which the calling thread and threads of the pool share."""

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
        """Runs the pieces together with `helpers` threads of the pool; raises a piece's error."""
        try:
            _pool.call(self, helpers)
            if not self.take():
                spinning.wait(self.ended, 0)
            while not self.done.acquire(timeout=PATIENCE):
                if not self.helping:  # a thread died, for lack of memory, and took pieces with it
                    raise MemoryError("A thread that computed a part of an operation has ended.")
        except BaseException as error:  # an interrupt: no piece may write after this call
            self._fail(-1, error)
            self._give_up()
        finally:
            self.work = None  # a late thread has nothing to do, and keeps nothing alive
        if self.failed:
            raise self.failed[1]

    def help(self):
        """Runs `take` on a thread of the pool."""
        self.helping.append(None)
        try:
            return self.take()
        finally:
            self.helping.pop()

    def take(self):
        """Runs pieces until none is left. Returns whether this thread ended the last piece."""
        work, count = self.work, 0
        _here.inside = True
        try:
            for number in self.numbers:
                if number >= self.count:
                    break
                count += 1
                if self.failed is None:
                    try:
                        work(number)
                    except BaseException as error:
                        self._fail(number, error)
        finally:
            _here.inside = False
            last = self._end(count)
        return last

    def _give_up(self):
        """Ends a job after an interrupt: lets no further piece begin, and waits until no piece
        runs. The interrupt may have lost the count of this thread's pieces, so this does not wait
        for a number of pieces."""
        for number in self.numbers:
            if number >= self.count:
                break
        while self.helping:
            time.sleep(NAP)

    def _fail(self, number, error):
        with self.lock:
            if self.failed is None or number < self.failed[0]:
                self.failed = (number, error)

    def _end(self, count):
        with self.lock:
            self.left -= count
            last = count > 0 and not self.left
        if last:
            self.done.release()
        return last


class _Pool:
    """The daemon threads of this process that wait for jobs; they start when they are first
    needed."""

    def __init__(self):
        self.jobs = SimpleQueue()
        self.slot = job_slot.new_slot()
        self.calls = self.slot[job_slot.CALLS :][:1]  # how often threads have been called
        self.started = 0
        self.can_start = True
        self.lock = threading.Lock()

    def call(self, job, helpers):
        """Offers a job to `helpers` threads, which take it as soon as they are idle."""
        if self.started < helpers:
            self._start(helpers)
        for _ in range(min(helpers, self.started)):
            self.jobs.put((contextvars.copy_context(), job))
        self.calls[0] += 1

    def watch(self, count):
        """Makes `count` threads watch the slot as soon as they are idle."""
        if self.started < count:
            self._start(count)
        missing = min(count, self.started) - int(self.slot[job_slot.WATCHING]) - self.jobs.qsize()
        for _ in range(missing):
            self.jobs.put(None)

    def _start(self, count):
        with self.lock:
            while self.started < count and self.can_start:
                name = f"mindspore_compat-{self.started}"
                try:
                    blas_memory.reserve(libraries(), self.started + 2)  # with the calling thread
                    Thread(target=self._serve, name=name, daemon=True).start()
                except (RuntimeError, MemoryError) as error:  # the other threads do the work
                    self.can_start = False
                    _log.warning("A thread that shares work could not start: %s", error)
                else:
                    self.started += 1

    def _serve(self):
        jobs, calls, end_flag = self.jobs, self.calls, None
        while True:
            before = calls[0]
            if jobs.empty():
                spinning.serve(self.slot, before, end_flag)
            elif end_flag is not None:
                end_flag[0] = 1
            end_flag = None
            if (offer := jobs.get()) is None:  # watch the slot
                continue
            context, job = offer
            end_flag = job.ended if context.run(job.help) else None
            del context, job, offer


class Hold:
    """A context in which BLAS libraries use one thread. It may be nested, and several threads may
    enter it; the last to leave restores the previous settings.

    If an interrupt stops `__enter__` or `__exit__` halfway, the settings are restored before the
    interrupt propagates, or by the next hold.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.holders = set()  # identifiers of threads
        self.before = ()  # (library, its number of threads before)

    def __enter__(self):
        if _here.holds:
            _here.holds += 1
            return
        try:
            with self.lock:
                if not self.holders:
                    # Settings that an interrupt prevented from being restored are still here.
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

    def release(self):
        """Leaves all holds of this thread. It may be called again, after an interrupt."""
        _here.holds = 0
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
        """Sets the number of threads of each BLAS library; None restores its previous number."""
        for library, before in self.before:
            if before != 1:
                if hasattr(library, "clear_controlling_thread"):  # else only one thread may set it
                    library.clear_controlling_thread(force=True)
                library.set_num_threads(count or before)

    def after_fork(self):
        """Forgets the threads of the parent process."""
        self.lock = threading.Lock()
        self.holders = {get_ident()} if _here.holds else set()
        if not self.holders:
            self._set()
            self.before = ()


class Step:
    """A context for a training step. The first hold inside it lasts until the context ends, because
    entering and leaving a hold costs microseconds."""

    def __enter__(self):
        _here.steps += 1

    def __exit__(self, *error):
        self.leave_to(_here.steps - 1)

    def depth(self):
        """The number of steps that this thread is inside of."""
        return _here.steps

    def leave_to(self, depth):
        """Leaves all steps inside the outermost `depth` ones. Steps that an interrupt prevented
        from ending are left too."""
        _here.steps = depth
        if _here.stays_entered and not depth:
            hold.release()
            _here.stays_entered = False


def libraries():
    """Returns the controllers of NumPy's BLAS libraries, or of all loaded BLAS libraries if it is
    unknown which of them NumPy uses. Afterwards they have the memory for a product.

    Raises:
        MemoryError: if there may be too little address space for that.
    """
    controllers = _libraries()
    if blas_memory.has_lost_threads:
        blas_memory.restart_threads(controllers)
    return controllers


def prepare_library():
    """Prepares BLAS for a call outside of `hold`. If BLAS could wait forever for memory, the memory
    is allocated here.

    Raises:
        MemoryError: if there may be too little address space for that.
    """
    if blas_memory.has_lost_threads or blas_memory.is_limited():
        libraries()


@functools.cache
def _libraries():
    import threadpoolctl  # here, because its import searches for libraries

    controllers = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    home = os.path.dirname(numpy.__file__)
    own = [controller for controller in controllers if controller.filepath.startswith(home)]
    blas_memory.reserve(own or controllers, 1)
    return own or controllers


hold = Hold()
step = Step()
_pool = _Pool()


def _after_fork():
    global _pool
    _pool = _Pool()
    _here.inside = False
    hold.after_fork()
    blas_memory.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
