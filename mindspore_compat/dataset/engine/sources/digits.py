"""Datasets of small images in few files: EMNIST, QMNIST, Semeion, STL-10, USPS and the patches of
Photo Tourism.
"""

import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import content, reading
from ..._extra import grey
from ..._rules import Samples, Workers
from ..pipeline import VisionBaseDataset
from ..sampler import Shuffle
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, lines_of
from .mnist_cifar import IMAGES, LABELS, InMemory, exclusive, folder, read_idx
from .text import FilesDataset, ShuffleMode, shard_in_range, together

__all__ = [
    "EMnistDataset",
    "PhotoTourDataset",
    "QMnistDataset",
    "STL10Dataset",
    "SemeionDataset",
    "USPSDataset",
]

_INTS = 3074  # the first four bytes of an IDX file of ints with 2 axes


def _check_file(api, path):
    """Checks that a file exists and returns its path.

    Raises:
        RuntimeError: if it does not exist.
    """
    if not os.path.isfile(path):
        raise RuntimeError(f"For '{api}', there is no file {path!r}.")
    return path


def _join(parts):
    """Joins the columns of several parts."""
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


@documented
class EMnistDataset(InMemory):
    """Reads the letters and digits of EMNIST as (28, 28, 1) uint8 images, as they are stored, and
    uint32 labels.

    Args:
        dataset_dir (str): the folder of files such as emnist-mnist-train-images-idx3-ubyte.
        name (str): the split: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist".
        usage (str, optional): "train", "test" or "all"; by default all.

    Source: mindspore.dataset.EMnistDataset of 2.10.
    """

    _error = RuntimeError

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        name: OneOf("byclass", "bymerge", "balanced", "letters", "digits", "mnist"),
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
        self.name, self.usage = name, usage or "all"

    def _columns(self):
        return ["image", "label"]

    def _load(self):
        parts = ("test", "train") if self.usage == "all" else (self.usage,)
        return _join([self._part_of(part) for part in parts])

    def _part_of(self, part):
        stem = os.path.join(self.dataset_dir, f"emnist-{self.name}-{part}-")
        images = read_idx(_check_file("EMnistDataset", f"{stem}images-idx3-ubyte"), IMAGES)
        labels = read_idx(_check_file("EMnistDataset", f"{stem}labels-idx1-ubyte"), LABELS)
        _check_counts(images, labels)
        return images[..., None], labels.astype(np.uint32)


def _check_counts(images, labels):
    if len(images) != len(labels):
        raise RuntimeError(
            f"There must be as many labels as images, {len(images)}, but there are {len(labels)}."
        )


@documented
class QMnistDataset(InMemory):
    """Reads the digits of QMNIST as (28, 28, 1) uint8 images, and labels or full annotations, as
    uint32.

    Args:
        dataset_dir (str): the folder of qmnist-train-images-idx3-ubyte,
            qmnist-train-labels-idx2-int, the same of qmnist-test and of xnist.
        usage (str, optional): "train", "test", "test10k" (the first ten thousand of "test"),
            "test50k" (the others), "nist" or "all"; by default all.
        compat (bool, optional): whether a label is the digit only, instead of all eight numbers of
            the image.

    Example:
        >>> import os, struct
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("qmnist")
        >>> with open("qmnist/xnist-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open("qmnist/xnist-labels-idx2-int", "wb") as file:
        ...     _ = file.write(struct.pack(">11i", 3074, 1, 8, 5, 0, 0, 0, 0, 0, 0, 0))
        >>> data = ds.QMnistDataset("qmnist", usage="nist", compat=False)
        >>> [(row["image"].shape, row["label"].tolist()) for row in data.create_dict_iterator()]
        [((28, 28, 1), [5, 0, 0, 0, 0, 0, 0, 0])]

    Source: mindspore.dataset.QMnistDataset of 2.10.
    """

    _error = RuntimeError

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "test10k", "test50k", "nist", "all") = None,
        compat: Bool = True,
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
        self.usage, self.compat = usage or "all", compat

    def _columns(self):
        return ["image", "label"]

    def _load(self):
        parts = ("train", "test", "nist") if self.usage == "all" else (self.usage,)
        return _join([self._part_of(part) for part in parts])

    def _part_of(self, part):
        stem = "xnist" if part == "nist" else f"qmnist-{part.removesuffix('10k')}"
        stem = os.path.join(self.dataset_dir, stem.removesuffix("50k"))
        images = read_idx(_check_file("QMnistDataset", f"{stem}-images-idx3-ubyte"), IMAGES)
        labels = read_idx(_check_file("QMnistDataset", f"{stem}-labels-idx2-int"), _INTS)
        _check_counts(images, labels)
        rows = {"test10k": slice(None, 10000), "test50k": slice(10000, None)}.get(part, slice(None))
        labels = labels[rows, 0] if self.compat else labels[rows]
        return images[rows, ..., None], labels.astype(np.uint32)

    def _labels(self):
        labels = super()._labels()
        return labels if self.compat else labels[:, 0]


@documented
class SemeionDataset(InMemory):
    """Reads the digits of Semeion as (16, 16) uint8 images of 0 and 1, and uint32 labels.

    Args:
        dataset_dir (str): the folder of semeion.data.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("semeion")
        >>> with open("semeion/semeion.data", "w") as file:
        ...     print(*[0] * 256, *[int(digit == 7) for digit in range(10)], file=file)
        >>> data = ds.SemeionDataset("semeion")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator()]
        [((16, 16), 7)]

    Source: mindspore.dataset.SemeionDataset of 2.10.
    """

    _labels = None
    _error = RuntimeError

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
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

    def _columns(self):
        return ["image", "label"]

    def _load(self):
        path = os.path.join(self.dataset_dir, "semeion.data")
        rows = [line.split() for line in lines_of(path) if line.strip()]
        wrong = [number for number, row in enumerate(rows, 1) if len(row) != 266]
        if wrong or not rows:
            raise RuntimeError(
                f"{path!r} must have lines of 266 numbers, but line {(wrong or [1])[0]} has not."
            )
        numbers = np.array(rows, np.float64)
        labels = np.argmax(numbers[:, 256:], 1)
        return [numbers[:, :256].astype(np.uint8).reshape(-1, 16, 16), labels.astype(np.uint32)]


@documented
class STL10Dataset(InMemory):
    """Reads the images of STL-10 as (96, 96, 3) uint8 images, and int32 labels from 0, or -1 for
    unlabeled images.

    Args:
        dataset_dir (str): the folder of train_X.bin, train_y.bin, test_X.bin, test_y.bin and
            unlabeled_X.bin.
        usage (str, optional): "train", "test", "unlabeled", "train+unlabeled" or "all"; by default
            all.

    Example:
        >>> import os
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("stl10")
        >>> np.zeros((1, 3, 96, 96), np.uint8).tofile("stl10/train_X.bin")
        >>> np.array([10], np.uint8).tofile("stl10/train_y.bin")
        >>> data = ds.STL10Dataset("stl10", usage="train")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator()]
        [((96, 96, 3), 9)]

    Source: mindspore.dataset.STL10Dataset of 2.10.
    """

    _error = RuntimeError

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "unlabeled", "train+unlabeled", "all") = None,
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

    def _columns(self):
        return ["image", "label"]

    def _load(self):
        parts = ["test", "train", "unlabeled"] if self.usage == "all" else self.usage.split("+")
        return _join([self._part_of(part) for part in parts])

    def _part_of(self, part):
        stem = os.path.join(self.dataset_dir, part)
        pixels = np.frombuffer(content(_check_file("STL10Dataset", f"{stem}_X.bin")), np.uint8)
        if pixels.size % (3 * 96 * 96):
            raise RuntimeError(
                f"'{stem}_X.bin' must hold images of {3 * 96 * 96} bytes, but has "
                f"{pixels.size} bytes."
            )
        images = np.ascontiguousarray(pixels.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))
        if part == "unlabeled":
            return images, np.full(len(images), -1, np.int32)
        labels = np.frombuffer(content(_check_file("STL10Dataset", f"{stem}_y.bin")), np.uint8)
        _check_counts(images, labels)
        return images, labels.astype(np.int32) - 1


@documented
class USPSDataset(FilesDataset, VisionBaseDataset):
    """Reads the digits of USPS as (16, 16, 1) uint8 images and uint32 labels.

    Args:
        dataset_dir (str): the folder of usps, for training, and usps.t, for tests.
        usage (str, optional): "train", "test" or "all"; by default all.
        shuffle (Union[bool, Shuffle], optional): whether to shuffle files and rows, or only files.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("usps")
        >>> with open("usps/usps.t", "w") as file:
        ...     print(4, *(f"{pixel}:-1.0" for pixel in range(1, 257)), file=file)
        >>> data = ds.USPSDataset("usps", usage="test")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator()]
        [((16, 16, 1), 3)]

    Source: mindspore.dataset.USPSDataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.dataset_dir = folder("USPSDataset", dataset_dir)
        self.usage = usage or "all"
        names = {"train": ["usps"], "test": ["usps.t"], "all": ["usps", "usps.t"]}[self.usage]
        self._set_order(
            [os.path.join(dataset_dir, name) for name in names],
            num_samples,
            shuffle,
            num_shards,
            shard_id,
        )

    def _columns(self):
        return ["image", "label"]

    def _read(self, path):
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            label, *values = line.split()
            try:
                pixels = np.array([value.split(":")[1] for value in values], np.float32)
                image = (pixels.astype(np.float64) + 1) / 2 * 255  # as MindSpore rounds
                yield [
                    image.astype(np.uint8).reshape(16, 16, 1),
                    np.array(int(label) - 1, np.uint32),
                ]
            except (ValueError, IndexError) as error:
                raise RuntimeError(
                    f"Line {number} of {path!r} must have a label and 256 pixels: {error}"
                ) from error


_TOURS = (
    "notredame",
    "yosemite",
    "liberty",
    "notredame_harris",
    "yosemite_harris",
    "liberty_harris",
)
_SIDE, _PATCHES = 64, 16  # the side of a patch; the number of patches along each side of a file


@documented
class PhotoTourDataset(Listed, VisionBaseDataset):
    """Reads the patches of Photo Tourism as (64, 64, 1) uint8 images; needs OpenCV.

    The column is "image" for training; for tests the columns are "image1", "image2" and "matches",
    uint32: 1 if both show the same point, otherwise 0.

    Args:
        dataset_dir (str): the folder of folders such as liberty, of files patches0000.bmp, info.txt
            and m50_100000_100000_0.txt.
        name (str): the scene: "notredame", "yosemite", "liberty", "notredame_harris",
            "yosemite_harris" or "liberty_harris".
        usage (str, optional): "train" or "test"; by default the first.

    Source: mindspore.dataset.PhotoTourDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        name: OneOf(*_TOURS),
        usage: OneOf("train", "test") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("PhotoTourDataset", dataset_dir)
        self.name, self.usage = name, usage or "train"
        self._sheets = {}
        if self.usage == "test":
            self._labels = self._classes

    def _columns(self):
        return ["image"] if self.usage == "train" else ["image1", "image2", "matches"]

    def _list(self):
        path = os.path.join(self.dataset_dir, self.name)
        if self.usage == "train":
            count = sum(1 for line in lines_of(os.path.join(path, "info.txt")) if line.strip())
            yield from ((number,) for number in range(count))
            return
        for line in lines_of(os.path.join(path, "m50_100000_100000_0.txt")):
            if line.strip():
                first_image, point, _, second_image, other_point, *_ = map(int, line.split())
                yield first_image, second_image, int(point == other_point)

    def _make_row(self, *numbers):
        if self.usage == "train":
            return [self._patch(*numbers)]
        *patches, matches = numbers
        return [*map(self._patch, patches), np.array(matches, np.uint32)]

    def _patch(self, number):
        sheet, index = divmod(number, _PATCHES * _PATCHES)
        if sheet not in self._sheets:
            path = os.path.join(self.dataset_dir, self.name, f"patches{sheet:04d}.bmp")
            with reading(path):
                data = content(path)
                self._sheets = {sheet: grey("PhotoTourDataset", data)}
        row, column = (_SIDE * position for position in divmod(index, _PATCHES))
        return self._sheets[sheet][row : row + _SIDE, column : column + _SIDE, None].copy()
