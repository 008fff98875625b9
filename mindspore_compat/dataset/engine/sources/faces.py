"""Face datasets: LFW and CelebA."""

import itertools
import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Any, AsValue, Bool, Callable, ListOf, OneOf, Str
from ..._rules import Samples, Workers
from ..pipeline import VisionBaseDataset
from ..sampler import PKSampler
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, lines_of
from .mnist_cifar import exclusive, folder

__all__ = ["CelebADataset", "LFWDataset"]


_IMAGE_SETS = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}


@documented
class LFWDataset(Listed, VisionBaseDataset):
    """Reads the faces of LFW: images of persons, or pairs of images of the same person or two
    persons.

    The columns are "image" and "label", the person's number; or "image1", "image2" and "label", 1
    for the same person and 0 for two persons. Labels are uint32, images the bytes of the file or
    its pixels.

    Args:
        dataset_dir (str): the folder of lfw-names.txt, the lists such as peopleDevTrain.txt and
            pairs.txt, and the folders of images.
        task (str, optional): "people" or "pairs"; by default the first.
        usage (str, optional): "10fold", "train", "test" or "all", which is train and test, the
            default.
        image_set (str, optional): "original", "funneled" or "deepfunneled"; by default the second.

    Source: mindspore.dataset.LFWDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        task: OneOf("people", "pairs") = None,
        usage: OneOf("10fold", "train", "test", "all") = None,
        image_set: OneOf(*_IMAGE_SETS) = None,
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
        self.dataset_dir = folder("LFWDataset", dataset_dir)
        self.task, self.usage = task or "people", usage or "all"
        self.image_set, self.decode = image_set or "funneled", decode

    def _columns(self):
        return ["image", "label"] if self.task == "people" else ["image1", "image2", "label"]

    def _path(self, name, number):
        return os.path.join(
            self.dataset_dir, _IMAGE_SETS[self.image_set], name, f"{name}_{int(number):04d}.jpg"
        )

    def _list(self):
        parts = {
            "all": ("DevTrain", "DevTest"),
            "train": ("DevTrain",),
            "test": ("DevTest",),
            "10fold": ("",),
        }[self.usage]
        lines = (
            line.split()
            for part in parts
            for line in lines_of(os.path.join(self.dataset_dir, f"{self.task}{part}.txt"))
        )
        if self.task == "pairs":
            yield from self._pairs(lines)
            return
        names = [
            line.split()[0]
            for line in lines_of(os.path.join(self.dataset_dir, "lfw-names.txt"))
            if line.strip()
        ]
        numbers = {name: number for number, name in enumerate(names)}
        for name, count in (line for line in lines if len(line) == 2):
            if name not in numbers:
                raise RuntimeError(f"For 'LFWDataset', lfw-names.txt does not have {name!r}.")
            last = self._path(name, count)
            if int(count) > 0 and not os.path.isfile(last):
                raise RuntimeError(
                    f"For 'LFWDataset', there are {count} images of {name!r} in the "
                    f"list, but there is no file {last!r}."
                )
            yield from (
                ([self._path(name, number + 1)], numbers[name]) for number in range(int(count))
            )

    def _pairs(self, lines):
        for line in lines:
            if len(line) == 3:
                name, first_number, second_number = line
                yield [self._path(name, first_number), self._path(name, second_number)], 1
            elif len(line) == 4:
                yield [self._path(*line[:2]), self._path(*line[2:])], 0

    def _make_row(self, paths, label):
        return [*map(self._image, paths), np.array(label, np.uint32)]


_PARTS = {"train": "0", "valid": "1", "test": "2"}


@documented
class CelebADataset(Listed, VisionBaseDataset):
    """Reads the faces of CelebA.

    The columns are "image", the bytes of the file or its pixels, and "attr", uint32: 1 for each
    attribute that the face has, 0 for the others.

    Args:
        dataset_dir (str): the folder of list_attr_celeba.txt and the images; except for "all", also
            of list_eval_partition.txt.
        usage (str, optional): "train", "valid", "test" or "all".
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order; not a
            PKSampler.
        extensions (list[str], optional): the accepted file name extensions, such as ".jpg"; by
            default all files.

    Source: mindspore.dataset.CelebADataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        usage: AsValue(OneOf("all", "train", "valid", "test") | None) = "all",
        sampler=None,
        decode: Bool | None = False,
        extensions: ListOf(Any) = None,
        num_samples: Samples = None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
        decrypt: Callable = None,
    ):
        if isinstance(sampler, PKSampler):
            raise ValueError("For 'CelebADataset', 'sampler' must not be a PKSampler.")
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("CelebADataset", dataset_dir)
        self.usage, self.decode = usage or "all", decode
        self.extensions, self.decrypt = extensions or [], decrypt

    def _columns(self):
        return ["image", "attr"]

    def _list(self):
        attributes = os.path.join(self.dataset_dir, "list_attr_celeba.txt")
        part = (
            None
            if self.usage == "all"
            else dict(
                line.split()[:2]
                for line in lines_of(os.path.join(self.dataset_dir, "list_eval_partition.txt"))
                if line.strip()
            )
        )
        for line in itertools.islice(lines_of(attributes), 2, None):
            name, *flags = line.split() or [None]
            if (
                name is None
                or self.extensions
                and os.path.splitext(name)[1] not in (self.extensions)
            ):
                continue
            if part is None or part.get(name) == _PARTS[self.usage]:
                yield name, [int(flag == "1") for flag in flags]

    def _make_row(self, name, attributes):
        return [self._image(os.path.join(self.dataset_dir, name)), np.array(attributes, np.uint32)]
