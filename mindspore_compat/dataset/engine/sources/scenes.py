"""Image datasets with annotations in separate files: Cityscapes, Places365, DIV2K."""

import json
import os

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import json_of
from ..._rules import Samples, Workers
from ..pipeline import VisionBaseDataset
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import Listed, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = ["CityscapesDataset", "DIV2KDataset", "Places365Dataset"]


_FINE = ("train", "test", "val", "all")
_COARSE = ("train", "train_extra", "val", "all")
_ENDINGS = {
    "instance": "instanceIds.png",
    "semantic": "labelIds.png",
    "color": "color.png",
    "polygon": "polygons.json",
}


@documented
class CityscapesDataset(Listed, VisionBaseDataset):
    """Reads the street scenes of Cityscapes.

    The columns are "image" and "task": the bytes of the two files or their pixels; for polygons,
    the text of the JSON file.

    Args:
        dataset_dir (str): the folder of leftImg8bit, and of gtFine or gtCoarse.
        usage (str, optional): "train", "val" or "all"; also "test" for "fine", and "train_extra"
            for "coarse".
        quality_mode (str, optional): "fine" or "coarse".
        task (str, optional): "instance", "semantic", "polygon" or "color".

    Source: mindspore.dataset.CityscapesDataset of 2.10.
    """

    @checked(
        *exclusive,
        Forbid(
            f"usage not in ({_FINE} if quality_mode == 'fine' else {_COARSE})",
            ValueError,
            f"'usage' must be one of {', '.join(_FINE)} where 'quality_mode' is 'fine', "
            f"else one of {', '.join(_COARSE)}",
        ),
    )
    def __init__(
        self,
        dataset_dir: Str,
        usage: Str = "train",
        quality_mode: OneOf("fine", "coarse") = "fine",
        task: OneOf(*_ENDINGS) = "instance",
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("CityscapesDataset", dataset_dir)
        self.usage, self.quality_mode, self.task = usage, quality_mode, task
        self.decode = bool(decode)

    def _columns(self):
        return ["image", "task"]

    def _list(self):
        kind = "gtFine" if self.quality_mode == "fine" else "gtCoarse"
        usages = _FINE if self.quality_mode == "fine" else _COARSE
        for part in usages[:-1] if self.usage == "all" else [self.usage]:
            images = os.path.join(self.dataset_dir, "leftImg8bit", part)
            for city in names_in(images, os.path.isdir):
                for name in names_in(os.path.join(images, city)):
                    if not name.endswith("_leftImg8bit.png"):
                        continue
                    stem = name.removesuffix("_leftImg8bit.png")
                    task = os.path.join(
                        self.dataset_dir, kind, part, city, f"{stem}_{kind}_{_ENDINGS[self.task]}"
                    )
                    if not os.path.exists(task):
                        raise RuntimeError(f"For 'CityscapesDataset', there is no file {task!r}.")
                    yield os.path.join(images, city, name), task

    def _make_row(self, image, task):
        if self.task != "polygon":
            return [self._image(image), self._image(task)]
        text = json.dumps(json_of(task), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return [self._image(image), np.array(text)]


@documented
class Places365Dataset(Listed, VisionBaseDataset):
    """Reads the photographs of Places365 into the columns "image", the bytes of the file or its
    pixels, and "label", uint32.

    Args:
        dataset_dir (str): the folder of categories_places365.txt, of the list of the images, such
            as places365_train_standard.txt, and of their folder, such as data_256_standard.
        usage (str, optional): "train-standard", "train-challenge" or "val"; by default the first.
        small (bool, optional): whether to read images of 256 x 256 pixels instead of the large
            ones.

    Source: mindspore.dataset.Places365Dataset of 2.10.
    """

    _has_classes = True

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train-standard", "train-challenge", "val") = None,
        small: Bool = True,
        decode: Bool | None = False,
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
        self.dataset_dir = folder("Places365Dataset", dataset_dir)
        self.usage, self.small, self.decode = usage or "train-standard", small, decode

    def _columns(self):
        return ["image", "label"]

    def _list(self):
        categories = {
            line.split()[0]: line.split()[1]
            for line in lines_of(os.path.join(self.dataset_dir, "categories_places365.txt"))
            if line.strip()
        }
        size, train, kind = "256" if self.small else "large", *self.usage.partition("-")[::2]
        images = f"data_{size}_{kind}" if kind else f"val_{size}"
        list_name = f"places365_{train}_{kind}.txt" if kind else "places365_val.txt"
        labels = {int(number) for number in categories.values()}
        for line in lines_of(os.path.join(self.dataset_dir, list_name)):
            if not line.strip():
                continue
            name, label = line.split()
            if int(label) not in labels:
                raise RuntimeError(
                    f"For 'Places365Dataset', {list_name} gives {name!r} the label "
                    f"{label}, which categories_places365.txt does not have."
                )
            yield os.path.join(self.dataset_dir, images, name.lstrip("/")), int(label)

    def _make_row(self, path, label):
        return [self._image(path), np.array(label, np.uint32)]


_LETTERS = {"mild": "m", "difficult": "d", "wild": "w"}


@documented
class DIV2KDataset(Listed, VisionBaseDataset):
    """Reads the images of DIV2K into the columns "hr_image" and "lr_image", the bytes of two files
    or their pixels.

    Args:
        dataset_dir (str): the folder of DIV2K_train_HR, DIV2K_train_LR_bicubic and similar ones.
        usage (str, optional): "train", "valid" or "all".
        downgrade (str, optional): the downscaling of the small images: "bicubic", "unknown",
            "mild", "difficult" or "wild".
        scale (int, optional): the downscaling factor: 2, 3, 4, or 8 for "bicubic"; 4 for the last
            three kinds.

    Source: mindspore.dataset.DIV2KDataset of 2.10.
    """

    @checked(
        *exclusive,
        Forbid(
            "scale == 8 and downgrade != 'bicubic'",
            ValueError,
            "'scale' must be 2, 3 or 4 where 'downgrade' is not 'bicubic'",
        ),
        Forbid(
            "downgrade in ('mild', 'difficult', 'wild') and scale != 4",
            ValueError,
            "'scale' must be 4 where 'downgrade' is 'mild', 'difficult' or 'wild'",
        ),
    )
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "valid", "all") = "train",
        downgrade: OneOf("bicubic", "unknown", *_LETTERS) = "bicubic",
        scale: OneOf(2, 3, 4, 8) = 2,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("DIV2KDataset", dataset_dir)
        self.usage, self.downgrade, self.scale = usage, downgrade, scale
        self.decode = bool(decode)

    def _columns(self):
        return ["hr_image", "lr_image"]

    def _list(self):
        small, ending = f"LR_{self.downgrade}", f"x{self.scale}{_LETTERS.get(self.downgrade, '')}"
        if self.scale == 8:
            small = "LR_x8"
        elif self.downgrade not in _LETTERS:
            small = os.path.join(small, f"X{self.scale}")
        for part in ("train", "valid") if self.usage == "all" else (self.usage,):
            large = os.path.join(self.dataset_dir, f"DIV2K_{part}_HR")
            for name in names_in(large):
                stem, kind = os.path.splitext(name)
                other = os.path.join(
                    self.dataset_dir, f"DIV2K_{part}_{small}", stem + ending + kind
                )
                if not os.path.exists(other):
                    raise RuntimeError(f"For 'DIV2KDataset', there is no file {other!r}.")
                yield os.path.join(large, name), other

    def _make_row(self, large, small):
        return [self._image(large), self._image(small)]
