"""DistributedSampler: gives each process its share of the rows."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, OneOf
from ...communication.groups import get_group_size, get_rank
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """Samples the rows of one of several processes; all processes get equally many.

    Args:
        dataset (Dataset): the dataset of the rows.
        num_replicas (int): the number of processes that share them. Default: ``None``, those of the
            world.
        rank (int): the rank whose rows are sampled. Default: ``None``, this process.
        shuffle (bool): whether to shuffle the rows. Default: ``True``.
        seed (int): the seed of the order, combined with the number of the epoch. Default: 0.
        drop_last (bool): whether to drop the remaining rows; otherwise some rows are repeated.
            Default: ``False``.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `num_replicas` is not positive, or `rank` is out of range.

    Example:
        >>> list(ms.dataset.dataloader.DistributedSampler(range(5), 2, 1, shuffle=False))
        [1, 3, 0]

    Source: mindspore.dataset.dataloader.DistributedSampler of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        dataset,
        num_replicas: Int(ge=1) | OneOf(True) = None,
        rank: Int | Bool = None,
        shuffle: Bool = True,
        seed: Int | Bool = 0,
        drop_last: Bool = False,
    ):
        super().__init__(dataset)
        self.num_replicas = get_group_size() if num_replicas is None else num_replicas
        self.rank = get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"For 'DistributedSampler', 'rank' must be in [0, "
                f"{self.num_replicas}), but got {self.rank}."
            )
        self.dataset, self.shuffle, self.seed, self.drop_last = dataset, shuffle, seed, drop_last
        self.epoch = 0
        share = len(dataset) / self.num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_samples = self.num_samples * self.num_replicas

    def __iter__(self):
        count = len(self.dataset)
        order = np.arange(count)
        if self.shuffle:
            order = np.random.default_rng(self.seed + self.epoch).permutation(count)
        whole = np.resize(order, self.total_samples) if count else order
        return iter(whole[self.rank :: self.num_replicas].tolist())

    def __len__(self):
        return self.num_samples

    @checked
    def set_epoch(self, epoch: Int):
        """Sets the number of the epoch; each epoch has its own order."""
        self.epoch = epoch
