"""Worker processes of a DataLoader.

Each worker has a queue of requests, (number, indices); all share one queue of results. A request
whose number is None restarts an iterable dataset.
"""

import multiprocessing
import os
import queue
import random
import weakref
from typing import NamedTuple

import numpy as np

from ..._backend.ranks import children, forking
from ..core.py_util_helpers import ExceptionHandler
from ..engine.worker_processes import kill, leave_to_parent

__all__ = ["Finished", "WorkerInfo", "get_worker_info", "read"]

_info = [None]


class WorkerInfo(NamedTuple):
    """Description of a worker: its number, the number of workers, its seed, the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: object


class Finished(NamedTuple):
    """The message of a worker whose iterable dataset is exhausted."""

    worker_id: int


def get_worker_info():
    """Returns the description of this DataLoader worker; None in the main process.

    Returns:
        WorkerInfo, with `id`, `num_workers`, `seed` and `dataset`.

    Source: mindspore.dataset.dataloader.get_worker_info of MindSpore 2.10.
    """
    return _info[0]


def read(info, fetcher, init, requests, results, parent):
    """The main loop of a worker: reads the requested rows until the request is None."""
    leave_to_parent(*parent)
    _info[0] = info
    random.seed(info.seed)
    np.random.seed(info.seed % 2**32)
    error = _of(init, info.id) if init is not None else None
    for number, indices in iter(requests.get, None):
        if number is None:
            fetcher.restart()
            continue
        result = error or _of(fetcher.fetch, indices)
        results.put((number, Finished(info.id) if result is StopIteration else result))


def _of(function, argument):
    """Returns the result of a function, or its error, to be raised in the main process."""
    try:
        return function(argument)
    except StopIteration:
        return StopIteration
    except Exception:
        return ExceptionHandler(where="in a worker of DataLoader")


class Workers:
    """Worker processes that prefetch batches. They are killed if nothing refers to this object.

    Args:
        loader (DataLoader): the loader that they serve.
        fetcher (Fetcher): fetches one batch.
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
                    children.parent(),
                ),
            )
            for index in range(self.count)
        ]
        self._kills = [
            weakref.finalize(self, kill, process, os.getpid()) for process in self.processes
        ]
        self._closings = [
            weakref.finalize(self, _close, channel) for channel in (*self.requests, self.done)
        ]
        for process in self.processes:
            forking.start(process)

    def batches(self, indices):
        """Yields the batches of an epoch, in order, or as they arrive if the loader allows it.

        Raises:
            RuntimeError: if a worker ended, or took longer than `timeout`.
        """
        for channel in self.requests:
            channel.put((None, None))
        open_, waiting, read_, next_number = set(range(self.count)), {}, {}, 0
        numbers = iter(enumerate(indices))
        for index in range(self.count * self.loader.prefetch_factor):
            self._ask(numbers, index % self.count, waiting)
        while waiting:
            number, result = self._next()
            worker = waiting.pop(number)
            if isinstance(result, Finished):
                open_.discard(worker)
            if worker in open_:
                self._ask(numbers, worker, waiting)
            read_[number] = result
            ready = sorted(read_) if not self.loader.in_order else _run_from(read_, next_number)
            for number in ready:
                next_number, result = max(next_number, number + 1), read_.pop(number)
                if isinstance(result, ExceptionHandler):
                    result.reraise()
                if not isinstance(result, Finished):
                    yield result

    def _ask(self, numbers, worker, waiting):
        number, indices = next(numbers, (None, None))
        if number is not None:
            waiting[number] = worker
            self.requests[worker].put((number, indices))

    def _next(self):
        """Returns the next result from the workers."""
        elapsed, limit = 0.0, self.loader.timeout
        while True:
            try:
                return self.done.get(timeout=1.0 if not limit else min(limit - elapsed, 1.0))
            except queue.Empty:
                elapsed += 1.0
            if limit and elapsed >= limit:
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
        """Stops the processes."""
        for channel in self.requests:
            channel.put(None)
        for process, end in zip(self.processes, self._kills, strict=True):
            process.join(1.0)
            end()
        for close in self._closings:
            close()


def _close(channel):
    """Closes a queue of this process and ends its thread."""
    channel.cancel_join_thread()
    channel.close()


def _run_from(read_, start):
    """Returns the consecutive numbers from `start` on whose batches are ready."""
    numbers = []
    while start + len(numbers) in read_:
        numbers.append(start + len(numbers))
    return numbers


def context_of(context):
    """Returns the multiprocessing context: a named one, the given one, or the default.

    Raises:
        ValueError: if there is none of this name.
    """
    if context is None or isinstance(context, str):
        return multiprocessing.get_context(context)
    return context
