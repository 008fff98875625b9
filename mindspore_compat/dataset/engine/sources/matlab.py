"""Datasets with annotations in MATLAB files: Caltech 101, Flowers 102, SBD and SVHN.

Their rows pass through GeneratorDataset, as in MindSpore, so they cannot be cached.
"""

import math
import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io import matlab
from ...._io.reading import ImpossibleName, check_growth, content, named_in, reading
from ..._extra import decode_image
from ..._rules import Samples, Workers
from ._documented import documented
from .generator import GeneratorDataset, Shard, Shards
from .listed_rows import find_file, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = ["Caltech101Dataset", "Flowers102Dataset", "SBDataset", "SVHNDataset"]

_FLOWERS = """pink primrose|hard-leaved pocket orchid|canterbury bells|sweet pea|english marigold
tiger lily|moon orchid|bird of paradise|monkshood|globe thistle|snapdragon|colt's foot|king protea
spear thistle|yellow iris|globe-flower|purple coneflower|peruvian lily|balloon flower
giant white arum lily|fire lily|pincushion flower|fritillary|red ginger|grape hyacinth|corn poppy
prince of wales feathers|stemless gentian|artichoke|sweet william|carnation|garden phlox
love in the mist|mexican aster|alpine sea holly|ruby-lipped cattleya|cape flower|great masterwort
siam tulip|lenten rose|barbeton daisy|daffodil|sword lily|poinsettia|bolero deep blue|wallflower
marigold|buttercup|oxeye daisy|common dandelion|petunia|wild pansy|primula|sunflower|pelargonium
bishop of llandaff|gaura|geranium|orange dahlia|pink-yellow dahlia?|cautleya spicata
japanese anemone|black-eyed susan|silverbush|californian poppy|osteospermum|spring crocus
bearded iris|windflower|tree poppy|gazania|azalea|water lily|rose|thorn apple|morning glory
passion flower|lotus|toad lily|anthurium|frangipani|clematis|hibiscus|columbine|desert-rose
tree mallow|magnolia|cyclamen|watercress|canna lily|hippeastrum|bee balm|ball moss|foxglove
bougainvillea|camellia|mallow|mexican petunia|bromelia|blanket flower|trumpet creeper
blackberry lily"""
_FLOWER_NAMES = _FLOWERS.replace("\n", "|").split("|")


def _image(api, path, decode):
    """Returns the pixels of an image file if `decode` is true, else its bytes."""
    with reading(path):
        data = content(path)
        return decode_image(api, data) if decode else np.frombuffer(data, np.uint8).copy()


class Records:
    """The indexable data of a dataset: records, the function that makes a row of a record, the
    folder.
    """

    def __init__(self, records, make_row, folder, origins=None):
        self.records, self.make_row, self.folder = records, make_row, folder
        self.origins = origins

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        with reading(self.folder):
            try:
                return self.make_row(*self.records[index])
            except (OSError, RuntimeError, ImpossibleName) as error:
                with_list = self.origins and named_in(error, *self.origins[index])
                if not with_list:
                    raise
                raise with_list from with_list.__cause__


@documented
class Caltech101Dataset(GeneratorDataset):
    """Reads the objects of Caltech 101.

    The columns are "image", the bytes of the file or its pixels, and "category", int64, the number
    of its folder; or "annotation", float64, the points of its outline; or all three columns.

    Args:
        dataset_dir (str): the folder of 101_ObjectCategories and Annotations.
        target_type (str, optional): "category", "annotation" or "all"; by default the first.
        num_parallel_workers (int, optional): the number of workers that read rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, or a value is out of range.
        RuntimeError: if there is no folder 101_ObjectCategories; or, when the dataset is used, if a
            file is missing.

    Source: mindspore.dataset.Caltech101Dataset of 2.10.
    """

    _folders = {
        "Faces": "Faces_2",
        "Faces_easy": "Faces_3",
        "Motorbikes": "Motorbikes_16",
        "airplanes": "Airplanes_Side_2",
    }

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        target_type: OneOf("category", "annotation", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        self.dataset_dir = folder("Caltech101Dataset", dataset_dir)
        self.target_type, self.decode = target_type or "category", decode
        root = os.path.join(dataset_dir, "101_ObjectCategories")
        self.classes = [
            name for name in names_in(root, os.path.isdir) if name != "BACKGROUND_Google"
        ]
        records = [
            (label, name, number + 1)
            for label, name in enumerate(self.classes)
            for number in range(len(names_in(os.path.join(root, name))))
        ]
        targets = ["category", "annotation"] if self.target_type == "all" else [self.target_type]
        super().__init__(
            Records(records, self._make_row, dataset_dir),
            ["image", *targets],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def get_class_indexing(self):
        """Returns a dict from the names of the folders to their numbers."""
        return {name: label for label, name in enumerate(self.classes)}

    def _make_row(self, label, name, number):
        path = os.path.join(
            self.dataset_dir, "101_ObjectCategories", name, f"image_{number:04d}.jpg"
        )
        row = [_image("Caltech101Dataset", path, self.decode)]
        if self.target_type != "annotation":
            row.append(label)
        if self.target_type != "category":
            path = os.path.join(
                self.dataset_dir,
                "Annotations",
                self._folders.get(name, name),
                f"annotation_{number:04d}.mat",
            )
            row.append(matlab.load(path)["obj_contour"])
        return tuple(row)


@documented
class Flowers102Dataset(GeneratorDataset):
    """Reads the flowers of Oxford's 102 into the columns "image", optionally "segmentation", the
    bytes of files or their pixels, and "label", uint32.

    Args:
        dataset_dir (str): the folder of imagelabels.mat, setid.mat, jpg and segmim.
        task (str, optional): "Classification" or "Segmentation".
        usage (str, optional): "train", "valid", "test" or "all".
        num_parallel_workers (int, optional): the number of workers that read rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a folder or file is missing, or a value is out of range.
        RuntimeError: if a MATLAB file is damaged; or, when the dataset is used, an image is
            missing.

    Source: mindspore.dataset.Flowers102Dataset of 2.10.
    """

    _sets = {
        "train": ["trnid"],
        "test": ["tstid"],
        "valid": ["valid"],
        "all": ["trnid", "tstid", "valid"],
    }

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        task: OneOf("Classification", "Segmentation") | None = "Classification",
        usage: OneOf("train", "valid", "test", "all") | None = "all",
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        api = "Flowers102Dataset"
        self.dataset_dir = folder(api, dataset_dir)
        folder(api, os.path.join(dataset_dir, "jpg"))
        labels, sets = (
            find_file(api, "dataset_dir", os.path.join(dataset_dir, name))
            for name in ("imagelabels.mat", "setid.mat")
        )
        if task == "Segmentation":
            folder(api, os.path.join(dataset_dir, "segmim"))
        usage = usage or "all"
        self.task, self.usage, self.decode = task, usage, decode
        with reading(labels):
            labels = (matlab.load(labels)["labels"][0] - 1).astype(np.uint32)
        with reading(sets):
            parts = matlab.load(sets)
            records = [
                (number, labels[number - 1])
                for part in self._sets[usage]
                for number in parts[part][0].tolist()
            ]
        columns = (
            ["image", "segmentation", "label"] if task == "Segmentation" else (["image", "label"])
        )
        super().__init__(
            Records(records, self._make_row, dataset_dir, [(sets, None)] * len(records)),
            columns,
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def get_class_indexing(self):
        """Returns a dict from the names of the flowers to the labels."""
        return {name: label for label, name in enumerate(_FLOWER_NAMES)}

    def _make_row(self, number, label):
        folders = [("jpg", "image"), ("segmim", "segmim")][: 1 + (self.task == "Segmentation")]
        images = [
            _image(
                "Flowers102Dataset",
                os.path.join(self.dataset_dir, directory, f"{stem}_{number:05d}.jpg"),
                self.decode,
            )
            for directory, stem in folders
        ]
        return (*images, label)


@documented
class SBDataset(GeneratorDataset):
    """Reads the images of SBD into the columns "image", the bytes of the file or its pixels, and
    "task", uint8.

    The task is the boundaries of each of 20 categories, or one map of categories.

    Args:
        dataset_dir (str): the folder of img, cls, train.txt, val.txt and train_noval.txt.
        task (str, optional): "Boundaries" or "Segmentation".
        usage (str, optional): "train", "val", "train_noval" or "all", which is train and val.
        num_parallel_workers (int, optional): the number of workers that read rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, or a value is out of range.
        FileNotFoundError: if a list of images is missing.
        RuntimeError: when the dataset is used, if a file is missing.

    Source: mindspore.dataset.SBDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        task="Boundaries",
        usage: OneOf("train", "val", "train_noval", "all") = "all",
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        decode: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        self.dataset_dir = folder("SBDataset", dataset_dir)
        # as in MindSpore
        (OneOf("Boundaries", "Segmentation") | None).refuse("SBDataset", "task", task)
        self.task, self.usage, self.decode = task, usage, bool(decode)
        records, origins = [], []
        for part in ("train", "val") if usage == "all" else (usage,):
            path = os.path.join(dataset_dir, f"{part}.txt")
            if not os.path.isfile(path):
                raise FileNotFoundError(f"For 'SBDataset', there is no file {path!r}.")
            with reading(path):
                for number, line in enumerate(lines_of(path), 1):
                    if line.strip():
                        records.append((line.strip(),))
                        origins.append((path, number))
        super().__init__(
            Records(records, self._make_row, dataset_dir, origins),
            ["image", "task"],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def _make_row(self, name):
        image = _image(
            "SBDataset", os.path.join(self.dataset_dir, "img", f"{name}.jpg"), self.decode
        )
        path = os.path.join(self.dataset_dir, "cls", f"{name}.mat")
        masks = matlab.load(path)["GTcls"][0][self.task][0]
        if self.task == "Segmentation":
            return image, np.asarray(masks)
        check_growth(sum(math.prod(mask[0].shape) for mask in masks), os.path.getsize(path))
        return image, np.stack([mask[0].toarray() for mask in masks])


@documented
class SVHNDataset(GeneratorDataset):
    """Reads the house numbers of SVHN as (32, 32, 3) uint8 images and uint32 labels.

    Args:
        dataset_dir (str): the folder of train_32x32.mat, test_32x32.mat and extra_32x32.mat.
        usage (str, optional): "train", "test", "extra" or "all"; by default all.
        num_parallel_workers (int, optional): the number of workers that read rows.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, a file of the `usage` given is missing, or a value
            is out of range.
        FileNotFoundError: if a file is missing and `usage` is not given.
        RuntimeError: if a file is damaged.

    Source: mindspore.dataset.SVHNDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "extra", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers | None = 1,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
    ):
        self.dataset_dir, self.usage = folder("SVHNDataset", dataset_dir), usage or "all"
        parts = ("train", "test", "extra") if self.usage == "all" else (self.usage,)
        paths = [os.path.join(dataset_dir, f"{part}_32x32.mat") for part in parts]
        for path in paths if usage is not None else ():
            find_file("SVHNDataset", "usage", path)
        columns = [_house_numbers(path) for path in paths]
        images, labels = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        records = list(zip(images, labels, strict=True))
        super().__init__(
            Records(records, _as_it_is, dataset_dir),
            ["image", "label"],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )


def _house_numbers(path):
    """Returns the images and labels in one file."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"For 'SVHNDataset', there is no file {path!r}.")
    with reading(path):
        arrays = matlab.load(path)
        images, labels = arrays["X"].transpose(3, 0, 1, 2), arrays["y"].reshape(-1) % 10
        if images.shape[1:] != (32, 32, 3) or len(labels) != len(images):
            raise ValueError(f"it has images of shape {images.shape} and {len(labels)} labels")
        return images, labels.astype(np.uint32)


def _as_it_is(*record):
    return record
