"""Worker processes that read batches for a DataLoader.

Each worker has a queue of requests, (number of the batch, indices), and all share a queue of
results. A request whose number is None restarts iterated data.
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
    """What `get_worker_info` returns of a worker: its number, the count of workers, its seed, and
    the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: object


class Finished(NamedTuple):
    """The result of a worker whose iterated data has ended."""

    worker_id: int


def get_worker_info():
    """Returns which worker of a DataLoader this process is; None in the main process.

    Returns:
        WorkerInfo, with `id`, `num_workers`, `seed` and `dataset`.

    Source: mindspore.dataset.dataloader.get_worker_info of MindSpore 2.10.
    """
    return _info[0]


def read(info, fetcher, init, asked, done):
    """The loop of a worker: answers requests until one is None."""
    _info[0] = info
    random.seed(info.seed)
    np.random.seed(info.seed % 2**32)
    failed = _of(init, info.id) if init is not None else None
    for number, indices in iter(asked.get, None):
        if number is None:
            fetcher.restart()
            continue
        made = failed or _of(fetcher.fetch, indices)
        done.put((number, Finished(info.id) if made is StopIteration else made))


def _of(function, argument):
    """The result of a function, or its error, which the main process raises."""
    try:
        return function(argument)
    except StopIteration:
        return StopIteration
    except Exception:
        return ExceptionHandler(where="in a worker of DataLoader")


class Workers:
    """The worker processes of a DataLoader, which read batches ahead.

    Args:
        loader (DataLoader): what they read for.
        fetcher (Fetcher): reads one batch.
    """

    def __init__(self, loader, fetcher):
        context = loader.multiprocessing_context
        self.loader, self.count = loader, loader.num_workers
        self.done = context.Queue()
        self.asked = [context.Queue() for _ in range(self.count)]
        seed = int(loader.generator.integers(0, 2**63 - 1))
        self.processes = [
            context.Process(
                target=read,
                daemon=True,
                args=(
                    WorkerInfo(place, self.count, seed + place, loader.dataset),
                    fetcher,
                    loader.worker_init_fn,
                    self.asked[place],
                    self.done,
                ),
            )
            for place in range(self.count)
        ]
        for process in self.processes:
            process.start()

    def batches(self, indices):
        """The batches of an epoch: in order, or as they arrive where `in_order` is False.

        Raises:
            RuntimeError: a worker ended, or took longer than `timeout`.
        """
        for each in self.asked:
            each.put((None, None))
        open_, waiting, read_, shown = set(range(self.count)), {}, {}, 0
        numbers = iter(enumerate(indices))
        for place in range(self.count * self.loader.prefetch_factor):
            self._ask(numbers, place % self.count, waiting)
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
            self.asked[worker].put((number, indices))

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
        for each in self.asked:
            each.put(None)
        for process in self.processes:
            process.join(1.0)
            if process.is_alive():
                process.terminate()
                process.join()
        for each in (*self.asked, self.done):
            each.cancel_join_thread()
            each.close()


def _run_from(read_, start):
    """The numbers of the batches that were read from `start` on, up to the first gap."""
    run = []
    while start + len(run) in read_:
        run.append(start + len(run))
    return run


def context_of(given):
    """The multiprocessing context: by its name, as given, or the default one.

    Raises:
        ValueError: there is none of this name.
    """
    if given is None or isinstance(given, str):
        return multiprocessing.get_context(given)
    return given
