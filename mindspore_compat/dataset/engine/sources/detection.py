"""Object detection datasets: VOC, COCO, KITTI and WIDER FACE."""

import os
import xml.etree.ElementTree

import numpy as np

from ...._core.rules.checked import Forbid, checked
from ...._core.rules.vocabulary import Bool, Callable, OneOf, Str
from ...._io.reading import json_of, named_in, reading, set_position
from ..._rules import AnInstance, Samples, Workers
from ..pipeline import VisionBaseDataset
from ..sampler import PKSampler
from ._documented import documented
from .generator import Shard, Shards
from .listed_rows import IMAGES, Listed, find_file, lines_of, names_in
from .mnist_cifar import exclusive, folder

__all__ = ["CocoDataset", "KITTIDataset", "VOCDataset", "WIDERFaceDataset"]

_FILE_NAME = "_meta-filename"


class _Objects(Listed, VisionBaseDataset):
    """Base class of records (path, annotations), optionally with the image's name as last
    column.
    """

    extra_metadata = False

    def _with_names(self, columns):
        Bool.refuse(type(self).__name__, "extra_metadata", self.extra_metadata)  # as late as there
        return [*columns, _FILE_NAME] if self.extra_metadata else list(columns)

    def _with_name(self, path, row):
        name = os.path.splitext(os.path.basename(path))[0]
        return [*row, np.array(name)] if self.extra_metadata else row


@documented
class VOCDataset(_Objects):
    """Reads the images of Pascal VOC, with objects or segmentations.

    For segmentation the columns are "image" and "target", the bytes of two files or their pixels;
    for detection "image", "bbox" (float32: left, top, width, height of each object), "label",
    "difficult" and "truncate" (uint32, one row per object).

    Args:
        dataset_dir (str): the folder of ImageSets, JPEGImages, Annotations and SegmentationClass.
        task (str, optional): "Segmentation" or "Detection".
        usage (str, optional): the list of images to read: ImageSets/Segmentation/<usage>.txt, or
            ImageSets/Main/<usage>.txt.
        class_indexing (dict, optional): for detection, the labels by name; other objects, and
            images without objects, are skipped. By default, sorted names are numbered from 0.
        extra_metadata (bool, optional): whether to add a column "_meta-filename" with the image's
            name; iterators return it only if it is renamed.

    Source: mindspore.dataset.VOCDataset of 2.10.
    """

    @checked(
        *exclusive,
        Forbid(
            "task == 'Segmentation' and class_indexing is not None",
            ValueError,
            "'class_indexing' must be None where 'task' is 'Segmentation'",
        ),
    )
    def __init__(
        self,
        dataset_dir: Str,
        task: OneOf("Segmentation", "Detection") = "Segmentation",
        usage: Str = "train",
        class_indexing: AnInstance(dict) = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
        extra_metadata=False,
        decrypt: Callable = None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("VOCDataset", dataset_dir)
        kind = "Segmentation" if task == "Segmentation" else "Main"
        self._listing = find_file(
            "VOCDataset", "usage", os.path.join(dataset_dir, "ImageSets", kind, f"{usage}.txt")
        )
        self.task, self.usage, self.class_indexing = task, usage, class_indexing or {}
        self.decode, self.decrypt, self.extra_metadata = decode, decrypt, extra_metadata

    def _columns(self):
        if self.task == "Segmentation":
            return self._with_names(["image", "target"])
        return self._with_names(["image", "bbox", "label", "difficult", "truncate"])

    def get_class_indexing(self):
        """Returns the labels by name.

        Raises:
            NotImplementedError: if `task` is not "Detection".
        """
        if self.task != "Detection":
            raise NotImplementedError("For 'VOCDataset', only the task 'Detection' has labels.")
        return self.class_indexing or _number_names(
            name for _, objects in self._annotations_of_images() for name, *_ in objects
        )

    def _ids(self):
        """Yields the number and the first word of each line of the list."""
        for number, line in enumerate(lines_of(self._listing), 1):
            if line.strip():
                yield number, line.split()[0]

    def _path(self, directory, name):
        return os.path.join(self.dataset_dir, directory, name)

    def _annotations_of_images(self):
        if "_objects" not in self.__dict__:
            with reading(self._listing):
                self._objects = [
                    (name, self._objects_of(number, name)) for number, name in self._ids()
                ]
        return self._objects

    def _objects_of(self, number, name):
        try:
            return _voc_objects(self._path("Annotations", f"{name}.xml"))
        except (OSError, ValueError) as error:
            with_list = named_in(error, self._listing, number)
            if with_list is None:
                raise
            raise with_list from error

    def _list(self):
        if self.task == "Segmentation":
            for _, name in self._ids():
                yield (
                    self._path("JPEGImages", f"{name}.jpg"),
                    self._path("SegmentationClass", f"{name}.png"),
                )
            return
        numbers = self.get_class_indexing()
        for name, objects in self._annotations_of_images():
            labelled = [(numbers[kind], *rest) for kind, *rest in objects if kind in numbers]
            if labelled:
                yield self._path("JPEGImages", f"{name}.jpg"), labelled

    def _make_row(self, path, label_columns):
        if self.task == "Segmentation":
            return self._with_name(path, [self._image(path), self._image(label_columns)])
        labels, boxes, difficult, cut_off = zip(*label_columns, strict=True)
        flags = [np.array(values, np.uint32)[:, None] for values in (labels, difficult, cut_off)]
        return self._with_name(path, [self._image(path), np.array(boxes, np.float32), *flags])


def _number_names(names):
    return {name: number for number, name in enumerate(sorted(set(names)))}


def _voc_objects(path):
    """Returns the objects of an annotation: name, box, and the flags for difficult and truncated
    objects.
    """
    set_position(path)
    root = xml.etree.ElementTree.parse(path).getroot()
    objects = []
    for element in root.findall("object"):
        box = element.find("bndbox")
        if box is None:
            raise RuntimeError(f"In {path!r} an object has no 'bndbox'.")
        try:
            left, top, right, bottom = (
                float(box.findtext(name)) for name in ("xmin", "ymin", "xmax", "ymax")
            )
            flags = [int(element.findtext(name, "0")) for name in ("difficult", "truncated")]
        except (TypeError, ValueError) as error:
            raise RuntimeError(f"In {path!r} an object lacks a number: {error}") from error
        if min(left, top) <= 0 or right <= left or bottom <= top:
            raise RuntimeError(
                f"In {path!r} an object has no valid box: {left}, {top}, {right}, {bottom}."
            )
        objects.append((element.findtext("name"), (left, top, right - left, bottom - top), *flags))
    if not objects:
        raise RuntimeError(f"In {path!r} there is no 'object'.")
    return objects


_TASKS = {
    "Detection": ["bbox", "category_id", "iscrowd"],
    "Stuff": ["segmentation", "iscrowd"],
    "Keypoint": ["keypoints", "num_keypoints"],
    "Panoptic": ["bbox", "category_id", "iscrowd", "area"],
    "Captioning": ["captions"],
}


@documented
class CocoDataset(_Objects):
    """Reads the images of COCO with their annotations; images without annotations are skipped.

    The columns are "image", the bytes of the file or its pixels, and by task, with one row per
    object: "bbox" (float32), "category_id" and "iscrowd" (uint32) for detection; "segmentation"
    (float32, padded with -1) and "iscrowd" for stuff; "keypoints" (float32) and "num_keypoints"
    (uint32) for keypoints; those of detection and "area" (uint32) for panoptic; "captions", text,
    for captioning.

    Args:
        dataset_dir (str): the folder of the images.
        annotation_file (str): the JSON file.
        task (str, optional): "Detection", "Stuff", "Panoptic", "Keypoint" or "Captioning".
        sampler (Union[Sampler, Iterable], optional): selects the rows and their order; not a
            PKSampler.
        extra_metadata (bool, optional): whether to add a column "_meta-filename" with the image's
            name; iterators return it only if it is renamed.

    Source: mindspore.dataset.CocoDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        annotation_file: Str,
        task="Detection",
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        decode: Bool | None = False,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
        extra_metadata=False,
        decrypt: Callable = None,
    ):
        if isinstance(sampler, PKSampler):
            raise ValueError("For 'CocoDataset', 'sampler' must not be a PKSampler.")
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("CocoDataset", dataset_dir)
        self.annotation_file = find_file("CocoDataset", "annotation_file", annotation_file)
        self._listing = annotation_file
        OneOf(*_TASKS).refuse("CocoDataset", "task", task)  # after the paths, as in MindSpore
        self.task, self.decode, self.decrypt = task, decode, decrypt
        self.extra_metadata = extra_metadata

    def _columns(self):
        return self._with_names(["image", *_TASKS[self.task]])

    def get_class_indexing(self):
        """Returns, by category name, a list of the number and, for panoptic, "isthing".

        Raises:
            NotImplementedError: if `task` is neither "Detection" nor "Panoptic".
        """
        if self.task not in ("Detection", "Panoptic"):
            raise NotImplementedError(
                "For 'CocoDataset', only the tasks 'Detection' and 'Panoptic' have categories."
            )
        keys = ["id", "isthing"] if self.task == "Panoptic" else ["id"]
        annotations = self._annotations()
        with reading(self.annotation_file):
            return {
                self._of(category, "name"): [self._of(category, key) for key in keys]
                for category in self._of(annotations, "categories")
            }

    def _annotations(self):
        if "_content" not in self.__dict__:
            with reading(self.annotation_file):
                self._content = json_of(self.annotation_file)
        return self._content

    def _of(self, entry, key):
        if not isinstance(entry, dict) or key not in entry:
            raise RuntimeError(f"In {self.annotation_file!r} {key!r} is missing.")
        return entry[key]

    def _list(self):
        annotations = self._annotations()
        names = {
            self._of(entry, "id"): self._of(entry, "file_name")
            for entry in self._of(annotations, "images")
        }
        if self.task in ("Detection", "Panoptic"):
            self.get_class_indexing()
        rows = {}
        for entry in self._of(annotations, "annotations"):
            image = self._of(entry, "image_id")
            if image not in names:
                raise RuntimeError(f"In {self.annotation_file!r} there is no image {image}.")
            parts = self._of(entry, "segments_info") if self.task == "Panoptic" else [entry]
            rows.setdefault(image, []).extend(map(self._object, parts))
        return [
            (os.path.join(self.dataset_dir, name), rows[image])
            for image, name in names.items()
            if image in rows
        ]

    def _object(self, annotation):
        """Returns the values of one annotation, one per column."""
        if self.task == "Captioning":
            return [self._of(annotation, "caption")]
        if self.task == "Stuff":
            crowd = self._of(annotation, "iscrowd")
            shape = self._of(annotation, "segmentation")
            return [[self._of(shape, "counts")] if crowd else shape, crowd]
        return [self._of(annotation, key) for key in _TASKS[self.task]]

    def _make_row(self, path, objects):
        columns = list(zip(*objects, strict=True))
        if self.task == "Captioning":
            values = [np.array(columns[0])[:, None]]
        elif self.task == "Stuff":
            shapes = [part for parts in columns[0] for part in parts]
            values = [_pad_rows(shapes), np.array(columns[1], np.uint32)[:, None]]
        else:
            values = [
                np.array(column, np.float32)
                if name in ("bbox", "keypoints")
                else np.array(column).astype(np.uint32)[:, None]
                for name, column in zip(_TASKS[self.task], columns, strict=True)
            ]
        return self._with_name(path, [self._image(path), *values])


def _pad_rows(rows):
    """Pads rows of numbers with -1 to an array."""
    out = np.full((len(rows), max(map(len, rows))), -1, np.float32)
    for index, row in enumerate(rows):
        out[index, : len(row)] = row
    return out


@documented
class KITTIDataset(_Objects):
    """Reads the streets of KITTI into the columns "image", the bytes of the file or its pixels; for
    training also, with one row per object: "label" and "occluded" (uint32), "truncated", "alpha",
    "bbox", "dimensions", "location" and "rotation_y" (float32). A label is the index of an object's
    kind in the sorted list of kinds. Images without objects are skipped.

    Args:
        dataset_dir (str): the folder of data_object_image_2 and data_object_label_2.
        usage (str, optional): "train" or "test"; by default the first.

    Source: mindspore.dataset.KITTIDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test") = None,
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
        self.dataset_dir = folder("KITTIDataset", dataset_dir)
        self.usage, self.decode = usage or "train", decode

    def _columns(self):
        if self.usage == "test":
            return ["image"]
        return [
            "image",
            "label",
            "truncated",
            "occluded",
            "alpha",
            "bbox",
            "dimensions",
            "location",
            "rotation_y",
        ]

    def _list(self):
        part = "training" if self.usage == "train" else "testing"
        images = os.path.join(self.dataset_dir, "data_object_image_2", part, "image_2")
        names = names_in(images, IMAGES)
        if self.usage == "test":
            return [(os.path.join(images, name),) for name in names]
        labels = os.path.join(self.dataset_dir, "data_object_label_2", part, "label_2")
        objects_of_files = [
            [
                _kitti_object(line.split())
                for line in lines_of(os.path.join(labels, f"{os.path.splitext(name)[0]}.txt"))
                if line.strip()
            ]
            for name in names
        ]
        numbers = _number_names(kind for objects in objects_of_files for kind, *_ in objects)
        return [
            (os.path.join(images, name), [[numbers[kind], *values] for kind, *values in objects])
            for name, objects in zip(names, objects_of_files, strict=True)
            if objects
        ]

    def _make_row(self, path, objects=()):
        if self.usage == "test":
            return [self._image(path)]
        table = np.array(objects, np.float64)
        whole = [table[:, index : index + 1].astype(np.int64).astype(np.uint32) for index in (0, 2)]
        truncation, alpha, box, size, location, turn = (
            table[:, columns].astype(np.float32)
            for columns in (
                slice(1, 2),
                slice(3, 4),
                slice(4, 8),
                slice(8, 11),
                slice(11, 14),
                slice(14, 15),
            )
        )
        return [self._image(path), whole[0], truncation, whole[1], alpha, box, size, location, turn]


def _kitti_object(words):
    """Returns the kind and the 14 numbers of an object, without the score that results have."""
    if len(words) < 15:
        raise RuntimeError(f"an object has a kind and 14 numbers, but there are {len(words)} words")
    return [words[0], *map(float, words[1:15])]


def _wider_face(words):
    """Returns the ten numbers of a face."""
    if len(words) < 10:
        raise ValueError(f"a face has 10 numbers, but there are {len(words)}")
    return np.array([int(value) for value in words[:10]], np.int32)


@documented
class WIDERFaceDataset(_Objects):
    """Reads the faces of WIDER FACE into the columns "image", the bytes of the file or its pixels;
    except for "test" also, with one entry per face, "bbox" (left, top, width, height), "blur",
    "expression", "illumination", "occlusion", "pose" and "invalid", all int32, as in the file.

    Args:
        dataset_dir (str): the folder of WIDER_train, WIDER_val, WIDER_test and wider_face_split.
        usage (str, optional): "train", "test", "valid" or "all", which is train and valid, the
            default.

    Source: mindspore.dataset.WIDERFaceDataset of 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "valid", "all") = None,
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
        self.dataset_dir = folder("WIDERFaceDataset", dataset_dir)
        self.usage, self.decode = usage or "all", decode

    def _columns(self):
        if self.usage == "test":
            return ["image"]
        return [
            "image",
            "bbox",
            "blur",
            "expression",
            "illumination",
            "occlusion",
            "pose",
            "invalid",
        ]

    def _list(self):
        stem = os.path.join(self.dataset_dir, "wider_face_split", "wider_face_")
        if self.usage == "test":
            images = os.path.join(self.dataset_dir, "WIDER_test", "images")
            for line in lines_of(f"{stem}test_filelist.txt"):
                if line.strip():
                    yield (os.path.join(images, line.strip()),)
            return
        parts = {"all": ("train", "val"), "valid": ("val",), "train": ("train",)}[self.usage]
        for part in parts:
            images = os.path.join(self.dataset_dir, f"WIDER_{part}", "images")
            path = f"{stem}{part}_bbx_gt.txt"
            lines = iter(line.strip() for line in lines_of(path))
            for name in filter(None, lines):
                try:  # an image without faces has a line of zeros
                    faces = [
                        _wider_face(next(lines).split()) for _ in range(max(1, int(next(lines))))
                    ]
                except (StopIteration, ValueError, OverflowError) as error:
                    raise RuntimeError(
                        f"What {path!r} contains about {name!r} cannot be read: "
                        f"{str(error) or 'the file ends before'}."
                    ) from error
                yield os.path.join(images, name), faces

    def _make_row(self, path, faces=()):
        if self.usage == "test":
            return [self._image(path)]
        table = np.array(faces, np.int32)
        # MindSpore's names; the files call the last three invalid, occlusion, pose.
        return [
            self._image(path),
            table[:, :4].copy(),
            *(table[:, index].copy() for index in range(4, 10)),
        ]
