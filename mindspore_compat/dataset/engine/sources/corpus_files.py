"""Base classes of text datasets with known file names: the files to read and their order.

The sources are in reviews.py, corpora.py and translation.py.
"""

import os

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import OneOf, Str
from ..._rules import Samples, Workers
from ..pipeline import TextBaseDataset
from ..sampler import Shuffle
from .generator import Shard, Shards
from .mnist_cifar import folder
from .text import FilesDataset, ShuffleMode, shard_in_range, together

__all__ = []

TRAIN_TEST = OneOf("train", "test", "all")
TRAIN_VALID_TEST = OneOf("train", "test", "valid", "all")


class Corpus(FilesDataset, TextBaseDataset):
    """Base class of datasets of files in a folder, selected by usage.

    A subclass has `_names`, the names of the files by usage, where the files of "all" are in
    reading order; `_read(path)`, which yields the rows of one file; and `_names_of_columns`.
    """

    _names = {}
    _names_of_columns = ("text",)

    def _set(self, dataset_dir, usage, num_parallel_workers, order, cache):
        """Initializes a source; `order` holds the last arguments of `_set_order`."""
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.dataset_dir = folder(type(self).__name__, dataset_dir)
        self.usage = usage or "all"
        names = self._names[self.usage]
        self._set_order([os.path.join(dataset_dir, name) for name in names], *order)

    def _columns(self):
        return list(self._names_of_columns)

    def _count(self):
        count = super()._count()
        if count == 0:
            raise RuntimeError(
                f"For '{type(self).__name__}', the files {self.dataset_files} have no rows."
            )
        return count

    def _open(self):
        self._count()
        return super()._open()


class TrainTest(Corpus):
    """Base class of corpora with the files train.csv and test.csv."""

    _names = {"train": ["train.csv"], "test": ["test.csv"], "all": ["test.csv", "train.csv"]}

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_TEST = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)


class TrainTestWorkersLast(Corpus):
    """Base class like `TrainTest`, with the number of workers as the second to last parameter."""

    _names = {"train": ["train.csv"], "test": ["test.csv"], "all": ["train.csv", "test.csv"]}

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_TEST = None,
        num_samples: Samples = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        num_parallel_workers: Workers = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)


class TrainValidTest(Corpus):
    """Files for training, validation and test."""

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_VALID_TEST = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)
