"""Processes that read rows for a DataLoader.

Each has a queue of what it is to read, (number, indices), and all have one for what was read. A
number that is None starts data that is iterated anew.
"""

import multiprocessing
import queue
import random
from typing import NamedTuple

import numpy as np

from ..core.py_util_helpers import ExceptionHandler

__all__ = ["Finished", "WorkerInfo", "get_worker_info", "read"]

_info = [None]


class WorkerInfo(NamedTuple):
    """What a worker knows of itself: its number, how many there are, its seed, the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: object


class Finished(NamedTuple):
    """Told by a worker whose iterated data has ended."""

    worker_id: int


def get_worker_info():
    """What this process knows of itself as a worker of a DataLoader; None in the main process.

    Returns:
        WorkerInfo, with `id`, `num_workers`, `seed` and `dataset`.

    Source: mindspore.dataset.dataloader.get_worker_info of MindSpore 2.10.
    """
    return _info[0]


def read(info, fetcher, init, requests, done):
    """What a worker runs: reads the requested rows until the request is None."""
    _info[0] = info
    random.seed(info.seed)
    np.random.seed(info.seed % 2**32)
    failed = _of(init, info.id) if init is not None else None
    for number, indices in iter(requests.get, None):
        if number is None:
            fetcher.restart()
            continue
        made = failed or _of(fetcher.fetch, indices)
        done.put((number, Finished(info.id) if made is StopIteration else made))


def _of(function, argument):
    """What a function gives; its error, to be raised in the main process."""
    try:
        return function(argument)
    except StopIteration:
        return StopIteration
    except Exception:
        return ExceptionHandler(where="in a worker of DataLoader")


class Workers:
    """Some processes that read batches ahead.

    Args:
        loader (DataLoader): what they read for.
        fetcher (Fetcher): reads one batch.
    """

    def __init__(self, loader, fetcher):
        context = loader.multiprocessing_context
        self.loader, self.count = loader, loader.num_workers
        self.done = context.Queue()
        self.requests = [context.Queue() for _ in range(self.count)]
        seed = int(loader.generator.integers(0, 2**63 - 1))
        self.processes = [
            context.Process(
                target=read,
                daemon=True,
                args=(
                    WorkerInfo(index, self.count, seed + index, loader.dataset),
                    fetcher,
                    loader.worker_init_fn,
                    self.requests[index],
                    self.done,
                ),
            )
            for index in range(self.count)
        ]
        for process in self.processes:
            process.start()

    def batches(self, indices):
        """The batches of an epoch, in order, or as they come where the loader allows it.

        Raises:
            RuntimeError: a worker ended, or took longer than `timeout`.
        """
        for each in self.requests:
            each.put((None, None))
        open_, waiting, read_, shown = set(range(self.count)), {}, {}, 0
        numbers = iter(enumerate(indices))
        for index in range(self.count * self.loader.prefetch_factor):
            self._ask(numbers, index % self.count, waiting)
        while waiting:
            number, made = self._next()
            worker = waiting.pop(number)
            if isinstance(made, Finished):
                open_.discard(worker)
            if worker in open_:
                self._ask(numbers, worker, waiting)
            read_[number] = made
            ready = sorted(read_) if not self.loader.in_order else _run_from(read_, shown)
            for each in ready:
                shown, made = max(shown, each + 1), read_.pop(each)
                if isinstance(made, ExceptionHandler):
                    made.reraise()
                if not isinstance(made, Finished):
                    yield made

    def _ask(self, numbers, worker, waiting):
        number, indices = next(numbers, (None, None))
        if number is not None:
            waiting[number] = worker
            self.requests[worker].put((number, indices))

    def _next(self):
        """The next batch that was read."""
        waited, limit = 0.0, self.loader.timeout
        while True:
            try:
                return self.done.get(timeout=1.0 if not limit else min(limit - waited, 1.0))
            except queue.Empty:
                waited += 1.0
            if limit and waited >= limit:
                raise RuntimeError(
                    f"For 'DataLoader', a batch must be read within 'timeout', "
                    f"{limit} s, but was not."
                )
            for process in self.processes:
                if not process.is_alive():
                    raise RuntimeError(
                        f"For 'DataLoader', a worker ended with exit code {process.exitcode}."
                    )

    def stop(self):
        """Ends the processes."""
        for each in self.requests:
            each.put(None)
        for process in self.processes:
            process.join(1.0)
            if process.is_alive():
                process.terminate()
                process.join()
        for each in (*self.requests, self.done):
            each.cancel_join_thread()
            each.close()


def _run_from(read_, start):
    """The numbers from `start` on that were read, without a gap."""
    run = []
    while start + len(run) in read_:
        run.append(start + len(run))
    return run


def context_of(given):
    """A context of processes: named, given, or the usual one.

    Raises:
        ValueError: there is none of this name.
    """
    if given is None or isinstance(given, str):
        return multiprocessing.get_context(given)
    return given
