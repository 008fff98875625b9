"""DataLoader: loads batches of Tensors from a dataset."""

import enum
import itertools
import multiprocessing

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import AsValue, Bool, Int, Number, Str
from .._rules import AnInstance
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, InfiniteSampler, RandomSampler, SequentialSampler
from .workers import Workers, context_of

__all__ = [
    "DataLoader",
    "DatasetType",
    "FetcherFactory",
    "IterableDatasetFetcher",
    "MapDatasetFetcher",
]


class DatasetType(str, enum.Enum):
    """The kind of a dataset: rows by index, or rows in sequence."""

    MapDataset = "MapDataset"
    IterableDataset = "IterableDataset"


class MapDatasetFetcher:
    """Fetches a batch, or a row, by index."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last=False):
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn = collate_fn or (default_collate if auto_collation else default_convert)

    def restart(self):
        """Does nothing: any index may be read at any time."""

    def fetch(self, indices):
        """Returns the batch for a list of indices, or the row for one index."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[indices])
        if hasattr(self.dataset, "__getitems__"):
            return self.collate_fn(self.dataset.__getitems__(indices))
        return self.collate_fn([self.dataset[index] for index in indices])


class IterableDatasetFetcher(MapDatasetFetcher):
    """Fetches the next batch, or the next row."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last=False):
        super().__init__(dataset, auto_collation, collate_fn)
        self.drop_last, self.rows = drop_last, None

    def restart(self):
        """Restarts at the first row."""
        self.rows = None

    def fetch(self, indices):
        """Returns the next batch, with one row per index, or the next row.

        Raises:
            StopIteration: if there is none.
        """
        if self.rows is None:
            self.rows = iter(self.dataset)
        if not self.auto_collation:
            return self.collate_fn(next(self.rows))
        batch = list(itertools.islice(self.rows, len(indices)))
        if not batch or self.drop_last and len(batch) < len(indices):
            raise StopIteration
        return self.collate_fn(batch)


class FetcherFactory:
    """Makes the fetcher for a type of dataset."""

    @staticmethod
    def create_fetcher(dataset_type, dataset, auto_collation, collate_fn, drop_last=False):
        """Returns the fetcher for a dataset.

        Args:
            dataset_type (DatasetType): the type.
            dataset (Dataset): the dataset.
            auto_collation (bool): whether to read batches.
            collate_fn (Callable): makes a batch from rows; None for the default.
            drop_last (bool): whether to drop a shorter last batch. Default: ``False``.
        """
        is_iterable = dataset_type == DatasetType.IterableDataset
        return (IterableDatasetFetcher if is_iterable else MapDatasetFetcher)(
            dataset, auto_collation, collate_fn, drop_last
        )


class DataLoader:
    """Loads batches of Tensors from a dataset, in this process or in worker processes.

    Args:
        dataset (Dataset): the dataset: rows by index, or an `IterableDataset`.
        batch_size (int): the number of rows of a batch; None gives single rows. Default: 1.
        shuffle (bool): whether to shuffle the rows. Default: ``None``, no shuffling.
        sampler (Union[Sampler, Iterable]): the order of rows. Default: ``None``.
        batch_sampler (Union[Sampler, Iterable]): the indices of each batch. Default: ``None``.
        num_workers (int): the number of worker processes. Default: 0, this process reads.
        collate_fn (Callable): makes a batch from a list of rows. Default: ``None``,
            `default_collate`, or `default_convert` for rows without batches.
        pin_memory (bool): is accepted and has no effect. Default: ``False``.
        drop_last (bool): whether to drop a shorter last batch. Default: ``False``.
        timeout (float): the time limit in seconds for a batch of worker processes. Default: 0.0, no
            limit.
        worker_init_fn (Callable): is called first in each worker process, with its number. Default:
            ``None``.
        multiprocessing_context (Union[str, BaseContext]): the start method of the processes.
            Default: ``None``, the platform's.
        generator (numpy.random.Generator): draws the order and the workers' seeds. Default:
            ``None``, a new one.
        prefetch_factor (int): the number of batches that each process prefetches. Default:
            ``None``, 2.
        persistent_workers (bool): whether the processes stay alive for the next epoch. Default:
            ``False``.
        in_order (bool): whether batches of several processes come in order. Default: ``True``.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or two exclude each other.
        NotImplementedError: if `dataset` does not give rows by index.
        RuntimeError: if a process ended or took too long; raised when batches are read.

    Example:
        >>> loader = ms.dataset.dataloader.DataLoader([1.0, 2.0, 3.0], batch_size=2)
        >>> [batch.asnumpy().tolist() for batch in loader]
        [[1.0, 2.0], [3.0]]

    Source: mindspore.dataset.dataloader.DataLoader of MindSpore 2.10.
    """

    @checked(
        Forbid("sampler is not None and shuffle"),
        Forbid("batch_sampler is not None and batch_size != 1"),
        Forbid("batch_sampler is not None and (shuffle or sampler is not None or drop_last)"),
        Forbid("multiprocessing_context is not None and num_workers == 0"),
        Forbid("prefetch_factor is not None and num_workers == 0"),
        Forbid("persistent_workers and num_workers == 0"),
    )
    def __init__(
        self,
        dataset,
        batch_size: Int(ge=1) | None = 1,
        shuffle: Bool = None,
        sampler=None,
        batch_sampler=None,
        num_workers: Int(ge=0) = 0,
        collate_fn=None,
        pin_memory: Bool = False,
        drop_last: Bool = False,
        timeout: Number(ge=0) = 0.0,
        worker_init_fn=None,
        multiprocessing_context: AsValue(
            Str | AnInstance(multiprocessing.context.BaseContext)
        ) = None,
        generator: AnInstance(np.random.Generator) = None,
        *,
        prefetch_factor: AsValue(Int(ge=1)) = None,
        persistent_workers: Bool = False,
        in_order: Bool = True,
    ):
        self.dataset_type = DatasetType.MapDataset
        if isinstance(dataset, IterableDataset):
            self.dataset_type = DatasetType.IterableDataset
            _refuse_orders(shuffle=shuffle or None, sampler=sampler, batch_sampler=batch_sampler)
        elif not hasattr(dataset, "__getitem__"):
            raise NotImplementedError(
                "For 'DataLoader', 'dataset' must define '__getitem__' or be "
                f"an IterableDataset, but got {type(dataset).__name__}."
            )
        self.dataset, self.num_workers, self.collate_fn = dataset, num_workers, collate_fn
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.generator = np.random.default_rng() if generator is None else generator
        self.persistent_workers, self.in_order = persistent_workers, in_order
        self.prefetch_factor = (prefetch_factor or 2) if num_workers else None
        self.multiprocessing_context = context_of(multiprocessing_context)
        self.sampler = self._order(shuffle) if sampler is None else sampler
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last = drop_last
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.auto_collation = batch_sampler is not None
        self.index_sampler = batch_sampler if self.auto_collation else self.sampler
        self._workers = None

    def _order(self, shuffle):
        if self.dataset_type == DatasetType.IterableDataset:
            return InfiniteSampler()
        return (
            RandomSampler(self.dataset, generator=self.generator)
            if shuffle
            else SequentialSampler(self.dataset)
        )

    def __iter__(self):
        fetcher = FetcherFactory.create_fetcher(
            self.dataset_type, self.dataset, self.auto_collation, self.collate_fn, self.drop_last
        )
        return self._from_workers(fetcher) if self.num_workers else self._from_here(fetcher)

    def _from_here(self, fetcher):
        for indices in self.index_sampler:
            try:
                batch = fetcher.fetch(indices)
            except StopIteration:
                return
            yield batch

    def _from_workers(self, fetcher):
        workers, self._workers = self._workers or Workers(self, fetcher), None
        try:
            yield from workers.batches(self.index_sampler)
            if self.persistent_workers:
                self._workers = workers
        finally:
            if self._workers is not workers:
                workers.stop()

    def __len__(self):
        if self.dataset_type == DatasetType.MapDataset:
            return len(self.index_sampler)
        if self.batch_size is None:
            return len(self.dataset)
        return len(BatchSampler(range(len(self.dataset)), self.batch_size, self.drop_last))

    def __del__(self):
        if getattr(self, "_workers", None) is not None:
            self._workers.stop()


def _refuse_orders(**arguments):
    """Raises ValueError for arguments that set an order for iterable datasets."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(
                f"For 'DataLoader', '{name}' must not be given for an "
                f"IterableDataset, but got {value!r}."
            )
