"""DataLoader: batches of Tensors from a dataset."""

import enum
import itertools
import multiprocessing

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Callable, Int, Number, Str
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
    """Whether rows are read by index or come one after another."""

    MapDataset = "MapDataset"
    IterableDataset = "IterableDataset"


class MapDatasetFetcher:
    """Reads a batch, or a row, by index."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last=False):
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn = collate_fn or (default_collate if auto_collation else default_convert)

    def restart(self):
        """Nothing is to be done: any index may be read at any time."""

    def fetch(self, indices):
        """The batch of a list of indices, or the row of one."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[indices])
        if hasattr(self.dataset, "__getitems__"):
            return self.collate_fn(self.dataset.__getitems__(indices))
        return self.collate_fn([self.dataset[index] for index in indices])


class IterableDatasetFetcher(MapDatasetFetcher):
    """Reads the next batch, or the next row."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last=False):
        super().__init__(dataset, auto_collation, collate_fn)
        self.drop_last, self.rows = drop_last, None

    def restart(self):
        """Begins with the first row."""
        self.rows = None

    def fetch(self, indices):
        """The next batch, of as many rows as there are indices, or the next row.

        Raises:
            StopIteration: there is none.
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
    """Makes what reads a dataset of either type."""

    @staticmethod
    def create_fetcher(dataset_type, dataset, auto_collation, collate_fn, drop_last=False):
        """The fetcher.

        Args:
            dataset_type (DatasetType): the type.
            dataset (Dataset): what is read.
            auto_collation (bool): whether batches are read.
            collate_fn (Callable): makes a batch of rows; None for the usual one.
            drop_last (bool): whether a last batch that is shorter is left out. Default: ``False``.
        """
        iterated = dataset_type == DatasetType.IterableDataset
        return (IterableDatasetFetcher if iterated else MapDatasetFetcher)(
            dataset, auto_collation, collate_fn, drop_last
        )


class DataLoader:
    """Batches of Tensors from a dataset, read in this process or in others.

    Args:
        dataset (Dataset): what is read: rows by index, or an `IterableDataset`.
        batch_size (int): how many rows a batch has; None gives single rows. Default: 1.
        shuffle (bool): whether the order is random. Default: ``None``, it is not.
        sampler (Union[Sampler, Iterable]): the order of rows. Default: ``None``.
        batch_sampler (Union[Sampler, Iterable]): the indices of each batch. Default: ``None``.
        num_workers (int): how many processes read. Default: 0, this one does.
        collate_fn (Callable): makes a batch of a list of rows. Default: ``None``,
            `default_collate`; `default_convert` where rows are not batched.
        pin_memory (bool): is accepted; arrays lie where the device takes them from. Default:
            ``False``.
        drop_last (bool): whether a last batch that is shorter is left out. Default: ``False``.
        timeout (float): how many seconds a batch may take in other processes. Default: 0.0, any.
        worker_init_fn (Callable): is called with its number in each process first. Default:
            ``None``.
        multiprocessing_context (Union[str, BaseContext]): how processes are started. Default:
            ``None``, the platform's way.
        generator (numpy.random.Generator): draws the order and the workers' seeds. Default:
            ``None``, a new one.
        prefetch_factor (int): how many batches each process reads ahead. Default: ``None``, 2.
        persistent_workers (bool): whether processes stay for the next epoch. Default: ``False``.
        in_order (bool): whether batches come in order where several processes read. Default:
            ``True``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: one is out of range, or two exclude each other.
        NotImplementedError: `dataset` gives no rows by index.
        RuntimeError: a process ended or took too long; raised when batches are read.

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
        collate_fn: Callable = None,
        pin_memory: Bool = False,
        drop_last: Bool = False,
        timeout: Number(ge=0) = 0.0,
        worker_init_fn: Callable = None,
        multiprocessing_context: Str | AnInstance(multiprocessing.context.BaseContext) = None,
        generator: AnInstance(np.random.Generator) = None,
        *,
        prefetch_factor: Int(ge=1) = None,
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


def _refuse_orders(**given):
    """Refuses an order for data that comes one row after another."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"For 'DataLoader', '{name}' must not be given for an "
                f"IterableDataset, but got {value!r}."
            )
