"""MNIST, CIFAR and similar datasets, whose files are read into memory as a whole.

The content of the files stays in memory unchanged; rows are slices of it. An invalid file is
refused on first use, with its name and the reason.
"""

import os
import struct

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import content, reading
from ..._rules import Samples, Workers
from ..pipeline import MappableDataset, VisionBaseDataset
from ..rows import block_rows, read_only
from ..sampler import select_sampler
from .generator import Shard, Shards, shard_in_range

__all__ = [
    "Cifar100Dataset",
    "Cifar10Dataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
]

IMAGES, LABELS = 2051, 2049  # the magic numbers of IDX files of bytes with 3 axes and with 1 axis


_others = "num_samples, shuffle, num_shards, shard_id"
exclusive = (
    Forbid(
        f"sampler is not None and ({_others}) != (None,) * 4",
        RuntimeError,
        "'sampler' excludes 'num_samples', 'shuffle', 'num_shards' and 'shard_id'",
    ),
    Forbid(
        "(num_shards is None) != (shard_id is None)",
        RuntimeError,
        "'num_shards' and 'shard_id' must be given together",
    ),
    shard_in_range,
)


def folder(api, path):
    """Checks that a folder exists and returns its path.

    Raises:
        ValueError: if there is no folder of this name.
    """
    if not os.path.isdir(path) or not os.access(path, os.R_OK):
        raise ValueError(
            f"For '{api}', 'dataset_dir' must be a folder that can be read, but got {path!r}."
        )
    return path


class InMemory(MappableDataset, VisionBaseDataset):
    """Base class of datasets whose images and labels are read once, on first use.

    A subclass defines `_load`, which returns the columns; `_error` is the exception for damaged
    files.
    """

    _loaded = None
    _error = ValueError

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        order = num_samples, sampler, shuffle, num_shards, shard_id
        self._set(dataset_dir, num_parallel_workers, order, cache)
        self.usage = usage or "all"

    def _set(self, dataset_dir, num_parallel_workers, order, cache):
        """Initializes a source; `order` holds the arguments of `select_sampler`."""
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.dataset_dir = folder(type(self).__name__, dataset_dir)
        self.sampler = select_sampler(*order)

    def _arrays(self):
        """Returns the complete columns."""
        if self._loaded is None:
            with reading(self.dataset_dir, self._error):
                self._loaded = [read_only(column) for column in self._load()]
        return self._loaded

    def _length(self):
        return len(self._arrays()[0])

    def _block(self, indices):
        return [column[indices] for column in self._arrays()]

    def _block_rows(self):
        return block_rows(sum(column[:1].nbytes for column in self._arrays()))

    def _labels(self):
        return self._arrays()[-1]


class _IdxDataset(InMemory):
    """The IDX files of MNIST; see `MnistDataset`."""

    def _columns(self):
        return ["image", "label"]

    def _load(self):
        prefixes = {"train": ("train",), "test": ("t10k",), "all": ("t10k", "train")}[self.usage]
        names = sorted(os.listdir(self.dataset_dir))
        pairs = []
        for part in prefixes:
            images, labels = (
                [os.path.join(self.dataset_dir, name) for name in names if f"{part}-{kind}" in name]
                for kind in ("images", "labels")
            )
            if len(images) != len(labels):
                raise RuntimeError(
                    f"In {self.dataset_dir!r} there are {len(images)} files of images "
                    f"and {len(labels)} of labels for {part!r}."
                )
            pairs += zip(images, labels, strict=True)
        if not pairs:
            raise RuntimeError(
                f"In {self.dataset_dir!r} there are no files "
                f"{prefixes[0]}-images-idx3-ubyte and {prefixes[0]}-labels-idx1-ubyte."
            )
        columns = [_read_pair(*pair) for pair in pairs]
        return [
            np.concatenate(parts) if len(parts) > 1 else parts[0]
            for parts in zip(*columns, strict=True)
        ]


def _read_pair(images_path, labels_path):
    images, labels = read_idx(images_path, IMAGES), read_idx(labels_path, LABELS)
    if len(images) != len(labels):
        raise ValueError(
            f"{images_path!r} holds {len(images)} images, but {labels_path!r} holds "
            f"{len(labels)} labels."
        )
    if images.shape[1:] != (28, 28):
        raise ValueError(
            f"{images_path!r} holds images of {images.shape[1]} x {images.shape[2]} "
            f"pixels, but they must be 28 x 28."
        )
    return images[..., None], labels.astype(np.uint32)


def read_idx(path, magic):
    """Reads the array of an IDX file of bytes or 4-byte integers.

    Args:
        path (str): the file.
        magic (int): the number that the file must begin with: 2048 (3072 for integers) plus the
            number of axes.

    Raises:
        ValueError: if the file is not such a file, or its length differs from its header.

    Source: http://yann.lecun.com/exdb/mnist/
    """
    data = content(path)
    dtype, axes = np.dtype(np.uint8 if magic < 3072 else ">i4"), magic % 256
    header = 4 + 4 * axes
    if len(data) < header:
        raise ValueError(
            f"{path!r} is truncated: an IDX file begins with {header} bytes that "
            f"describe it, but it has {len(data)}."
        )
    first_number, *shape = struct.unpack_from(f">{header // 4}I", data)
    if first_number != magic:
        raise ValueError(
            f"{path!r} is not an IDX file of bytes with {axes} axes: it "
            f"begins with {first_number}, not with {magic}."
        )
    size = int(np.prod(shape, dtype=object))
    length = header + size * dtype.itemsize
    if len(data) != length:
        problem = "truncated" if len(data) < length else "too long"
        raise ValueError(
            f"{path!r} is {problem}: for shape {tuple(shape)} it must have "
            f"{length} bytes, but it has {len(data)}."
        )
    return np.frombuffer(data, dtype, size, header).reshape(shape)


class MnistDataset(_IdxDataset):
    """Reads the digits of MNIST, or data in the same format, as (28, 28, 1) uint8 images and uint32
    labels.

    Args:
        dataset_dir (str): the folder of train-images-idx3-ubyte, train-labels-idx1-ubyte,
            t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or of one of the two pairs.
        usage (str, optional): "train", "test" or "all"; by default all.
        num_samples (int, optional): the maximum number of rows of an epoch.
        num_parallel_workers (int, optional): is checked.
        shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled.
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
        num_shards (int, optional): the number of processes that share the rows.
        shard_id (int, optional): the index of this process.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, `shard_id` is out of range, or, when the dataset is
            first used, a file is truncated or of another kind.
        RuntimeError: if arguments exclude each other, or need each other, or, when the dataset is
            first used, there are no files of its usage, or images or labels lack a file.

    Example:
        >>> import os, struct
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("mnist")
        >>> with open("mnist/train-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">IIII", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open("mnist/train-labels-idx1-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">II", 2049, 1) + bytes([7]))
        >>> data = ds.MnistDataset("mnist", usage="train")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator()]
        [((28, 28, 1), 7)]

    Source: mindspore.dataset.MnistDataset of MindSpore 2.10.
    """


def _description(path, rows):
    """Returns the docstring of MnistDataset for other images in the same format."""
    text = MnistDataset.__doc__.replace("The digits of MNIST", rows)
    return text.replace("dataset.MnistDataset", path)


class FashionMnistDataset(_IdxDataset):
    __doc__ = _description("dataset.FashionMnistDataset", "The clothes of Fashion-MNIST")


class KMnistDataset(_IdxDataset):
    __doc__ = _description("dataset.KMnistDataset", "The letters of Kuzushiji-MNIST")


class _CifarDataset(InMemory):
    """The binary files of CIFAR; see `Cifar10Dataset`."""

    def _columns(self):
        return ["image", *self._label_columns]

    def _load(self):
        paths = [
            os.path.join(self.dataset_dir, name)
            for name in sorted(os.listdir(self.dataset_dir))
            if name in self._files[self.usage]
        ]
        if not paths:
            raise ValueError(
                f"In {self.dataset_dir!r} there is none of the files "
                f"{', '.join(self._files[self.usage])}."
            )
        labels = len(self._label_columns)
        records = np.concatenate([_read_records(path, labels + 3072) for path in paths])
        images = records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return [
            np.ascontiguousarray(images),
            *(records[:, index].astype(np.uint32) for index in range(labels)),
        ]


def _read_records(path, size):
    data = np.frombuffer(content(path), np.uint8)
    if not len(data) or len(data) % size:
        raise ValueError(f"{path!r} must hold records of {size} bytes, but has {len(data)} bytes.")
    return data.reshape(-1, size)


class Cifar10Dataset(_CifarDataset):
    """Reads the images of CIFAR-10 as (32, 32, 3) uint8 images and uint32 labels.

    Args:
        dataset_dir (str): the folder of data_batch_1.bin to data_batch_5.bin and test_batch.bin.
        usage (str, optional): "train", "test" or "all"; by default all.
        num_samples (int, optional): the maximum number of rows of an epoch.
        num_parallel_workers (int, optional): is checked.
        shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled.
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
        num_shards (int, optional): the number of processes that share the rows.
        shard_id (int, optional): the index of this process.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, `shard_id` is out of range, or, when the dataset is
            first used, there are no files or one is of another size.
        RuntimeError: if arguments exclude each other, or need each other.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("cifar10")
        >>> with open("cifar10/data_batch_1.bin", "wb") as file:
        ...     _ = file.write(bytes([7]) + bytes(3 * 32 * 32))
        >>> data = ds.Cifar10Dataset("cifar10", usage="train")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator()]
        [((32, 32, 3), 7)]

    Source: mindspore.dataset.Cifar10Dataset of MindSpore 2.10.
    """

    _label_columns = ("label",)
    _train = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
    _files = {"train": _train, "test": ("test_batch.bin",), "all": (*_train, "test_batch.bin")}


class Cifar100Dataset(_CifarDataset):
    """Reads the images of CIFAR-100 as (32, 32, 3) uint8 images with a coarse and a fine label,
    both uint32.

    Args:
        dataset_dir (str): the folder of train.bin and test.bin.
        usage (str, optional): "train", "test" or "all"; by default all.
        num_samples (int, optional): the maximum number of rows of an epoch.
        num_parallel_workers (int, optional): is checked.
        shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled.
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
        num_shards (int, optional): the number of processes that share the rows.
        shard_id (int, optional): the index of this process.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, `shard_id` is out of range, or, when the dataset is
            first used, there are no files or one is of another size.
        RuntimeError: if arguments exclude each other, or need each other.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("cifar100")
        >>> with open("cifar100/train.bin", "wb") as file:
        ...     _ = file.write(bytes([7, 9]) + bytes(3 * 32 * 32))
        >>> data = ds.Cifar100Dataset("cifar100", usage="train")
        >>> data.get_dataset_size(), data.get_col_names()
        (1, ['image', 'coarse_label', 'fine_label'])

    Source: mindspore.dataset.Cifar100Dataset of MindSpore 2.10.
    """

    _label_columns = ("coarse_label", "fine_label")
    _files = {"train": ("train.bin",), "test": ("test.bin",), "all": ("test.bin", "train.bin")}
