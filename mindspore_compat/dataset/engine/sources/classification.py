"""Image classification datasets whose classes are given by folders, lists or lines of JSON."""

import json
import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, ListOf, OneOf, Str
from ...._io.reading import reading
from ..._rules import AnInstance, Samples, Workers
from ..operations import as_list
from ..pipeline import VisionBaseDataset
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import IMAGES, Listed, find_file, has_ending, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = [
    "Caltech256Dataset",
    "Food101Dataset",
    "LSUNDataset",
    "ManifestDataset",
    "OmniglotDataset",
    "RenderedSST2Dataset",
    "SUN397Dataset",
]


class _Classes(Listed, VisionBaseDataset):
    """Base class of records (path, class); the class is a number of the type `_label`."""

    _has_classes = True
    _label = np.uint32

    def _columns(self):
        return ["image", "label"]

    def _make_row(self, path, label):
        return [self._image(path), np.array(label, self._label)]


@documented
class Caltech256Dataset(_Classes):
    """Reads the objects of Caltech 256 into the columns "image", the bytes of the file or its
    pixels, and "label", int32.

    Args:
        dataset_dir (str): the folder of the folders of .jpg files, one for each class.

    Source: mindspore.dataset.Caltech256Dataset of 2.10.
    """

    _label = np.int32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("Caltech256Dataset", dataset_dir)
        self.decode = decode

    def num_classes(self):
        """Returns the number of folders."""
        return len(names_in(self.dataset_dir, os.path.isdir))

    def _list(self):
        for label, name in enumerate(names_in(self.dataset_dir, os.path.isdir)):
            path = os.path.join(self.dataset_dir, name)
            for file in names_in(path, has_ending(".jpg", ".jpeg")):
                yield os.path.join(path, file), label


@documented
class Food101Dataset(_Classes):
    """Reads the dishes of Food 101 into the columns "image", the bytes of the file or its pixels,
    and "label", text.

    Args:
        dataset_dir (str): the folder of the folders images and meta.
        usage (str, optional): "train", "test" or "all"; by default all.

    Source: mindspore.dataset.Food101Dataset of 2.10.
    """

    _has_classes = False

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("Food101Dataset", dataset_dir)
        self.usage, self.decode = usage or "all", decode

    def _list(self):
        for part in ("train", "test") if self.usage == "all" else (self.usage,):
            for line in lines_of(os.path.join(self.dataset_dir, "meta", f"{part}.txt")):
                if line.strip():
                    path = os.path.join(self.dataset_dir, "images", f"{line.strip()}.jpg")
                    yield path, line.split("/")[0]

    def _make_row(self, path, label):
        return [self._image(path), np.array(label)]


@documented
class OmniglotDataset(_Classes):
    """Reads the characters of Omniglot into the columns "image", the bytes of the file or its
    pixels, and "label", int32.

    Args:
        dataset_dir (str): the folder of images_background and images_evaluation, which hold a
            folder for each alphabet, with a folder for each of its characters.
        background (bool, optional): whether to read the first of the two, which is the default, or
            the second.

    Source: mindspore.dataset.OmniglotDataset of 2.10.
    """

    _label = np.int32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        background: Bool = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("OmniglotDataset", dataset_dir)
        self.background, self.decode = background is not False, decode

    def _folders(self):
        kind = "background" if self.background else "evaluation"
        root = os.path.join(self.dataset_dir, f"images_{kind}")
        for alphabet in names_in(root, os.path.isdir):
            path = os.path.join(root, alphabet)
            for character in names_in(path, os.path.isdir):
                yield os.path.join(path, character)

    def num_classes(self):
        """Returns the number of characters."""
        return len(list(self._folders()))

    def _list(self):
        for label, path in enumerate(self._folders()):
            yield from ((os.path.join(path, name), label) for name in names_in(path, IMAGES))


@documented
class RenderedSST2Dataset(_Classes):
    """Reads the sentences of SST2, rendered as images, into the columns "image", the bytes of the
    file or its pixels, and "label".

    The label is uint32, 0 for negative and 1 for positive.

    Args:
        dataset_dir (str): the folder of train, valid and test, each with the folders negative and
            positive.
        usage (str, optional): "train", "val", "test" or "all"; by default all.

    Source: mindspore.dataset.RenderedSST2Dataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "val", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("RenderedSST2Dataset", dataset_dir)
        self.usage, self.decode = usage or "all", decode

    def num_classes(self):
        """Returns 2."""
        return 2

    def _list(self):
        parts = {"val": ["valid"], "all": ["test", "train", "valid"]}.get(self.usage, [self.usage])
        for part in parts:
            for label, kind in enumerate(("negative", "positive")):
                path = os.path.join(self.dataset_dir, part, kind)
                if os.path.isdir(path):
                    yield from (
                        (os.path.join(path, name), label) for name in names_in(path, IMAGES)
                    )


@documented
class SUN397Dataset(_Classes):
    """Reads the scenes of SUN397 into the columns "image", the bytes of the file or its pixels, and
    "label", uint32.

    Args:
        dataset_dir (str): the folder of ClassName.txt, which names the folders of the classes.

    Source: mindspore.dataset.SUN397Dataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("SUN397Dataset", dataset_dir)
        self.decode = decode

    def _list(self):
        names = [line.strip() for line in lines_of(os.path.join(self.dataset_dir, "ClassName.txt"))]
        for label, name in enumerate(filter(None, names)):
            path = os.path.join(self.dataset_dir, *name.split("/"))
            yield from ((os.path.join(path, file), label) for file in names_in(path, IMAGES))


_SCENES = (
    "bedroom",
    "bridge",
    "church_outdoor",
    "classroom",
    "conference_room",
    "dining_room",
    "kitchen",
    "living_room",
    "restaurant",
    "tower",
)


@documented
class LSUNDataset(_Classes):
    """Reads the scenes of LSUN into the columns "image", the bytes of the file or its pixels, and
    "label", uint32.

    Labels are the indices of the folders sorted by name; if both training and validation data are
    read, a class has one label for each.

    Args:
        dataset_dir (str): the folder of folders such as bedroom_train, bedroom_val, and of test.
        usage (str, optional): "train", "test", "valid" or "all"; by default all except "test".
        classes (Union[str, list[str]], optional): the classes to read, such as "bedroom"; by
            default all.

    Source: mindspore.dataset.LSUNDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "valid", "all") = None,
        classes: OneOf(*_SCENES) | ListOf(OneOf(*_SCENES)) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("LSUNDataset", dataset_dir)
        self.usage, self.classes = usage or "all", as_list(classes or [])
        self.decode = decode

    def _folders(self):
        if self.usage == "test":
            return ["test"]
        endings = {"train": ["_train"], "valid": ["_val"], "all": ["_train", "_val"]}[self.usage]
        selected_names = {scene + ending for scene in self.classes or _SCENES for ending in endings}
        return [
            name for name in names_in(self.dataset_dir, os.path.isdir) if name in selected_names
        ]

    def num_classes(self):
        """Returns the number of classes that are read."""
        return len({name.rpartition("_")[0] for name in self._folders()})

    def _list(self):
        for label, name in enumerate(self._folders()):
            path = os.path.join(self.dataset_dir, name)
            yield from ((os.path.join(path, file), label) for file in names_in(path, IMAGES))


@documented
class ManifestDataset(_Classes):
    """Reads the images listed in a manifest file, one JSON object per line, into the columns
    "image" and "label" (int32).

    The label of an image with several labels is an array.

    Args:
        dataset_file (str): the manifest file.
        usage (str, optional): "train", "eval" or "inference".
        class_indexing (dict, optional): the labels, by name; images without such a name are
            skipped. By default, sorted names are numbered from 0.

    Source: mindspore.dataset.ManifestDataset of 2.10.
    """

    _label = np.int32

    @checked(*exclusive)
    def __init__(
        self,
        dataset_file: Str,
        usage: Str | None = "train",
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        class_indexing: AnInstance(dict) = None,
        decode: Bool | None = False,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_file = find_file("ManifestDataset", "dataset_file", dataset_file)
        usage = "train" if usage is None else usage
        if usage not in ("train", "eval", "inference"):
            raise RuntimeError(
                f"For 'ManifestDataset', 'usage' must be 'train', 'eval' or "
                f"'inference', but got {usage!r}."
            )
        self.usage, self.decode = usage, decode
        self.class_indexing = class_indexing or {}
        self.dataset_dir = os.path.dirname(dataset_file)

    def get_class_indexing(self):
        """Returns the labels by name."""
        if self.class_indexing:
            return self.class_indexing
        with reading(self.dataset_file):
            names = sorted({name for _, names in self._images() for name in names})
        return {name: label for label, name in enumerate(names)}

    def num_classes(self):
        """Returns the number of names."""
        return len(self.get_class_indexing())

    def _images(self):
        for line in lines_of(self.dataset_file):
            if not line.strip():
                continue
            entry = json.loads(line)
            names = [label["name"] for label in entry["annotation"]]
            if entry["usage"].lower() == self.usage:
                yield entry["source"], names

    def _list(self):
        numbers = self.get_class_indexing()
        for path, names in self._images():
            labels = [numbers[name] for name in names if name in numbers]
            if labels:
                yield path, labels[0] if len(labels) == 1 else labels

    def _classes(self):
        return [label[0] if isinstance(label, list) else label for _, label in self._records()]
