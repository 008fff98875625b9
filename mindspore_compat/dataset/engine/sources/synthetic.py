"""Datasets of generated rows: FakeImageDataset and RandomDataset."""

import itertools
import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Any, Bool, Int, ListOf, Str
from ..._rules import AnInstance, Samples, Workers, positive, sequence
from ..caching import cached_flow, has_cache, sampler_of_stored
from ..config import next_seed
from ..pipeline import MappableDataset, SourceDataset, VisionBaseDataset
from ..rows import Flow
from ..sampler import select_sampler
from ..schema import Schema
from ..twister import Twister
from ._documented import documented
from .generator import Shard, Shards
from .mnist_cifar import exclusive
from .text import shard_in_range, together

__all__ = ["FakeImageDataset", "RandomDataset"]


@documented
class FakeImageDataset(MappableDataset, VisionBaseDataset):
    """A dataset of meaningless images, the same in each run: "image", uint8, and "label", uint32.

    Args:
        num_images (int, optional): the number of images.
        image_size (Union[tuple, list], optional): the height, width and number of channels of the
            images.
        num_classes (int, optional): the number of labels, from 0 on.
        base_seed (int, optional): added to the index of an image to seed its generator.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is out of range, or `image_size` does not have three.
        RuntimeError: if arguments exclude each other, or need each other.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.FakeImageDataset(3, (4, 4, 3)).get_dataset_size())
        3

    Source: mindspore.dataset.FakeImageDataset of 2.10; the pixels are the same.
    """

    @checked(*exclusive)
    def __init__(
        self,
        num_images: positive = 1000,
        image_size: sequence(positive, 3, length_is_kind=False) = (224, 224, 3),
        num_classes: positive = 10,
        base_seed: Int | None = 0,
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
        self.label_count, self.base_seed = num_classes, base_seed or 0
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)

    def num_classes(self):
        """Returns the number of labels."""
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
        # MindSpore fills the bytes with doubles: normally distributed numbers, or 0.
        size = int(np.prod(self.image_size))
        numbers = Twister(self.base_seed + index).normals(-(-size // 8))
        image = np.maximum(numbers, 0.0).astype("<f8").view(np.uint8)[:size]
        return [image.reshape(self.image_size), np.array(self._label(index), np.uint32)]


_TYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
)


@documented
class RandomDataset(SourceDataset, VisionBaseDataset):
    """A dataset of random rows; all bytes of a value are equal.

    With a seed, the rows are MindSpore's; each epoch repeats them.

    Args:
        total_rows (int, optional): the number of rows; by default the number in the schema, or a
            random number up to 1024.
        schema (Union[str, Schema], optional): the columns, their dtypes and shapes; an axis of -1
            gets a random length up to 32. By default, all of this is random.
        columns_list (list[str], optional): the columns of the schema to return, in order; without a
            schema, the names of the columns, by default "c0", "c1", ...
        shuffle (bool, optional): is checked; rows are random in any order.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is out of range, or `schema` is not a file.
        RuntimeError: if only one of `num_shards` and `shard_id` is given; or, when the dataset is
            used, a column is unknown or text.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.RandomDataset(5, columns_list=["x"]).get_dataset_size())
        5

    Source: mindspore.dataset.RandomDataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        total_rows: Int = None,
        schema: Str | AnInstance(Schema) = None,
        columns_list: ListOf(Any) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        cache=None,
        shuffle: Bool = None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        if isinstance(schema, str):
            if not os.path.isfile(schema):
                raise ValueError(
                    f"For 'RandomDataset', 'schema' must be a file that can be read, "
                    f"but got {schema!r}."
                )
            schema = Schema(schema)
        self.schema, self.columns_list = schema, columns_list or []
        self.total_rows = total_rows or (schema.num_rows if schema is not None else None) or None
        self.num_samples, self.num_shards, self.shard_id = num_samples, num_shards, shard_id
        self._seed = None

    def is_sharded(self):
        """Returns whether this process gets only a shard of the rows."""
        return self.num_shards is not None and self.num_shards > 1

    def _draw(self):
        """Returns the stream of random numbers after the definition of the rows, the number of
        rows, and the columns: name, dtype and shape of each.
        """
        if self._seed is None:
            self._seed = next_seed()
        if self.total_rows is not None and self.total_rows < 0:
            raise RuntimeError(
                f"For 'RandomDataset', 'total_rows' must be at least 0, but got {self.total_rows}."
            )
        stream = Twister(self._seed)
        count = self.total_rows or stream.integer(1, 1024)
        if self.schema is None:
            return stream, count, self._random_columns(stream)
        columns_by_name = {column["name"]: column for column in self.schema.columns}
        columns = []
        for name in self.columns_list or columns_by_name:
            if name not in columns_by_name or columns_by_name[name]["type"] not in _TYPES:
                raise RuntimeError(
                    f"For 'RandomDataset', there must be a column {name!r} of "
                    f"numbers in the schema, but there are {list(columns_by_name.values())}."
                )
            columns.append(
                (name, columns_by_name[name]["type"], columns_by_name[name].get("shape", []))
            )
        return stream, count, columns

    def _random_columns(self, stream):
        count = len(self.columns_list) or stream.integer(1, 4)
        names = self.columns_list or [f"c{index}" for index in range(count)]
        columns = []
        for name in names:
            kind = _TYPES[stream.integer(1, len(_TYPES)) - 1]
            axes = range(stream.integer(1, 4))
            columns.append((name, kind, [stream.integer(0, 32) or -1 for _ in axes]))
        return columns

    def _columns(self):
        return [name for name, _, _ in self._draw()[2]]

    def _all_rows(self):
        stream, count, columns = self._draw()
        for _ in range(count):
            row = []
            for _, kind, shape in columns:
                shape = [stream.integer(1, 32) if length == -1 else length for length in shape]
                size = int(np.prod(shape)) * np.dtype(kind).itemsize
                data = np.full(size, stream.integer(0, 255), np.uint8)
                row.append((data.view(kind) if kind != "bool" else data != 0).reshape(shape))
            yield row

    def _sampler_of_stored(self):
        return sampler_of_stored(False, self.num_samples, self.num_shards, self.shard_id)

    def _size(self):
        return len(self._sampler_of_stored().open(self._draw()[1])())

    def _open(self):
        if has_cache(self):
            return cached_flow(self)
        if not self.is_sharded():
            return Flow(lambda: itertools.islice(self._all_rows(), self.num_samples or None))
        epoch = self._sampler_of_stored().open(self._draw()[1])

        def shared():
            rows = list(self._all_rows())
            return (rows[index] for index in epoch().tolist())

        return Flow(shared)
