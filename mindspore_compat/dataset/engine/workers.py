"""Work on several rows at once: a pool of threads or processes that keeps the order of the rows.

A pool is started when an epoch begins and ended with it. Threads suit operations that release the
interpreter (decoding, resizing); processes suit Python code that computes.
"""

import collections
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, TimeoutError

from ... import log
from ..._backend import affinity
from . import config

_work = None  # in a worker process: what it does with a row


def _install(work, cores):
    global _work
    _work = work
    affinity.bind_workers(cores)


def _do(item):
    return _work(item)


def ordered_map(work, items, workers, processes=False):
    """What `work` makes of each item, in order, computed by several workers ahead of the reader.

    Args:
        work (Callable): takes an item.
        items (Iterator): is read in the caller's thread, `workers` and the prefetch size ahead.
        workers (int): how many.
        processes (bool): whether they are processes; then `work` is sent to each once.

    Raises:
        RuntimeError: a worker process ended.
    """
    if processes:
        context = multiprocessing.get_context(config.get_multiprocessing_start_method())
        pool = ProcessPoolExecutor(workers, context, _install,
                                   (work, affinity.of_workers()))
        submit = lambda item: pool.submit(_do, item)  # noqa: E731 - one of two
    else:
        pool = ThreadPoolExecutor(workers, initializer=affinity.bind_workers,
                                  initargs=(affinity.of_workers(),))
        submit = lambda item: pool.submit(work, item)  # noqa: E731
    ahead = max(workers, config.get_prefetch_size())
    waiting = collections.deque()
    try:
        for item in items:
            waiting.append(submit(item))
            if len(waiting) > ahead:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _result(future):
    while True:
        try:
            return future.result(config.get_multiprocessing_timeout_interval())
        except TimeoutError:
            if future.done():
                raise
            log.warning("Workers of a dataset gave no row for %s seconds.",
                        config.get_multiprocessing_timeout_interval())
