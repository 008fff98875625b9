"""Sources of rows that are made up: FakeImageDataset."""

import numpy as np

from ..._core.checking import checked
from ..._core.rules import Bool, Int
from .._rules import Samples, Workers, positive, sequence
from .pipeline import MappableDataset, VisionBaseDataset
from .sampler import select_sampler
from .sources_images import exclusive
from .sources_python import Shard, Shards
from .twister import Twister

__all__ = ["FakeImageDataset"]


class FakeImageDataset(MappableDataset, VisionBaseDataset):
    """Images without a meaning, the same ones in each run: "image", uint8, and "label", uint32.

    Args:
        num_images (int, optional): how many there are.
        image_size (Union[tuple, list], optional): their height, width and number of channels.
        num_classes (int, optional): how many labels there are, from 0 on.
        base_seed (int, optional): is added to the number of an image, to seed what makes it.
        num_samples (int, optional): how many rows an epoch has at most.
        num_parallel_workers (int, optional): is checked.
        shuffle (bool, optional): whether the order is random; by default it is.
        sampler (Union[Sampler, Iterable], optional): which rows are read, in which order.
        num_shards (int, optional): how many processes share the rows.
        shard_id (int, optional): which of them this is.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a number is out of range, or `image_size` has not three.
        RuntimeError: arguments exclude each other, or need each other.

    Source: mindspore.dataset.FakeImageDataset of 2.10; the pixels are those it gives.
    """

    @checked(*exclusive)
    def __init__(
        self,
        num_images: positive = 1000,
        image_size: sequence(positive, 3) = (224, 224, 3),
        num_classes: positive = 10,
        base_seed: Int(ge=-(2**31), le=2**31 - 1) = 0,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.num_images, self.image_size = num_images, tuple(image_size)
        self.label_count, self.base_seed = num_classes, base_seed
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)

    def num_classes(self):
        """Returns how many labels there are."""
        return self.label_count

    def _columns(self):
        return ["image", "label"]

    def _length(self):
        return self.num_images

    def _label(self, index):
        return Twister(self.base_seed + index).integer(0, self.label_count - 1)

    def _labels(self):
        return list(map(self._label, range(self.num_images)))

    def _row(self, index):
        # The original fills the bytes with doubles: numbers of a normal distribution, or 0.
        size = int(np.prod(self.image_size))
        numbers = Twister(self.base_seed + index).normals(-(-size // 8))
        image = np.maximum(numbers, 0.0).astype("<f8").view(np.uint8)[:size]
        return [image.reshape(self.image_size), np.array(self._label(index), np.uint32)]
