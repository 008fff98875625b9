"""Converters of image datasets to MindRecord files: CIFAR, MNIST and ImageNet folders.

Images of CIFAR and MNIST are stored as JPEG, as in MindSpore, so they are slightly changed.
OpenCV encodes them, or Pillow if OpenCV is not installed.
"""

import io
import math
import operator
import os
import pickle
import pickletools

import numpy as np

from ... import log
from ..._io.compressed import Inflated
from ..._io.mindrecord_errors import PathNotExistsError
from ..._io.reading import content, lines, reading
from ._base import as_jpeg, check_fields, check_number, check_paths, write


class _Numbers(pickle.Unpickler):
    """Unpickles arrays, numbers and texts only; refuses anything that could run code."""

    def find_class(self, module, name):
        """Returns a function that pickled NumPy arrays need; refuses any other."""
        if name == "_reconstruct" and module.endswith(".multiarray"):
            return _empty_array
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} cannot be part of a data set")


def _empty_array(*_):
    """Returns an empty array for the state that follows in the pickle. The shape that the pickle
    asks for is ignored.
    """
    return np._core.multiarray._reconstruct(np.ndarray, (0,), b"b")


def _check_memo(content):
    """Checks that no value is stored under a number beyond the size of the pickle, up to which the
    unpickler would make a table.

    Raises:
        ValueError: if one is.
    """
    for opcode, argument, position in pickletools.genops(content):
        if opcode.name.endswith("PUT") and argument > position:
            raise ValueError(f"it stores a value under the number {argument}")


def _read_pickle(path, names):
    """Returns the named entries of a CIFAR file.

    Raises:
        RuntimeError: if it is no such file.
    """
    with reading(path, problem="is no file of CIFAR images"):
        pickled = content(path)
        _check_memo(pickled)
        entries = _Numbers(io.BytesIO(pickled), encoding="bytes").load()
        images, *labels = [entries[name] for name in names]
        images = np.asarray(images, np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = [[operator.index(label) for label in sequence] for sequence in labels]
        if any(len(sequence) != len(images) for sequence in labels):
            raise ValueError(f"it has {len(images)} images, but other numbers of labels")
        return images, *labels


class _Cifar:
    """Converts the Python version of CIFAR; see `Cifar10ToMR`."""

    def __init__(self, source, destination):
        check_paths(type(self).__name__, source=source, destination=destination)
        names = os.listdir(source) if os.path.isdir(source) else []
        parts = [
            sorted(name for name in names if name.startswith(prefix)) for prefix in self._prefixes
        ]
        for prefix, part in zip(self._prefixes, parts, strict=True):
            if not part:
                raise PathNotExistsError(
                    f"For '{type(self).__name__}', 'source' must be a folder "
                    f"with {prefix}*, but got {source!r}."
                )
        self.source, self.destination = source, destination
        self._parts = parts

    def transform(self, fields=None):
        """Writes the training images to `destination` and the test images to `destination` +
        "_test".

        Args:
            fields (list[str], optional): the fields of the index; by default all but the image.

        Raises:
            ValueError: if `fields` is not a list.
            MRMOpenError: if a file exists already.
            RuntimeError: if a file is not of CIFAR.
        """
        check_fields(type(self).__name__, fields)
        for ending, desc, names in (
            ("", "img_train", self._parts[0]),
            ("_test", "img_test", self._parts[1]),
        ):
            write(self.destination + ending, self._rows(names), self._schema, desc, fields)

    run = transform

    def _rows(self, names):
        number = 0
        for name in names:
            images, *labels = _read_pickle(os.path.join(self.source, name), self._entries)
            for image, *values in zip(images, *labels, strict=True):
                yield {
                    "id": number,
                    "data": as_jpeg(image),
                    **dict(zip(self._labels, map(int, values), strict=True)),
                }
                number += 1

    @property
    def _schema(self):
        return {
            "id": {"type": "int64"},
            "data": {"type": "bytes"},
            **{name: {"type": "int64"} for name in self._labels},
        }


class Cifar10ToMR(_Cifar):
    """Converts CIFAR-10 to MindRecord files: "id" and "label" as int64, "data" as JPEG.

    Args:
        source (str): the folder with data_batch_1 to data_batch_5 and test_batch.
        destination (str): the file for the training images.

    Raises:
        ValueError: if an argument is not a path, or the folder lacks files.

    Source: mindspore.mindrecord.Cifar10ToMR of MindSpore 2.10.
    """

    _prefixes = ("data_batch_", "test_batch")
    _entries, _labels = (b"data", b"labels"), ("label",)


class Cifar100ToMR(_Cifar):
    """Converts CIFAR-100 to MindRecord files: "id", "fine_label" and "coarse_label" as int64,
    "data" as JPEG.

    Args:
        source (str): the folder with train and test.
        destination (str): the file for the training images.

    Raises:
        ValueError: if an argument is not a path, or the folder lacks files.

    Source: mindspore.mindrecord.Cifar100ToMR of MindSpore 2.10.
    """

    _prefixes = ("train", "test")
    _entries = (b"data", b"fine_labels", b"coarse_labels")
    _labels = ("fine_label", "coarse_label")


class MnistToMR:
    """Converts MNIST to MindRecord files: "label" as int64, "data" as JPEG.

    Args:
        source (str): the folder with train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz,
            t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz.
        destination (str): the prefix of the file names, to which "_train.mindrecord" and
            "_test.mindrecord" are appended.
        partition_number (int, optional): the number of files each.

    Raises:
        ValueError: if an argument is not a path or number of files.

    Example:
        >>> import os, gzip, struct
        >>> from mindspore_compat import dataset as ds
        >>> from mindspore_compat.mindrecord import MnistToMR
        >>> os.makedirs("digits")
        >>> for part in ("train", "t10k"):
        ...     with gzip.open(f"digits/{part}-images-idx3-ubyte.gz", "wb") as file:
        ...         _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(784))
        ...     with gzip.open(f"digits/{part}-labels-idx1-ubyte.gz", "wb") as file:
        ...         _ = file.write(struct.pack(">2i", 2049, 1) + bytes([7]))
        >>> MnistToMR("digits", "written").transform()
        >>> data = ds.MindDataset("written_train.mindrecord", columns_list=["label"])
        >>> [int(row["label"]) for row in data.create_dict_iterator(output_numpy=True)]
        [7]

    Source: mindspore.mindrecord.MnistToMR of MindSpore 2.10.
    """

    def __init__(self, source, destination, partition_number=1):
        check_paths("MnistToMR", source=source, destination=destination)
        check_number("MnistToMR", partition_number)
        self.source, self.destination = source, destination
        self.partition_number = partition_number

    def transform(self):
        """Writes the files.

        Raises:
            MRMOpenError: if a file exists already.
            RuntimeError: if a file is not of MNIST.
        """
        for begin, ending in (("train", "train"), ("t10k", "test")):
            write(
                f"{self.destination}_{ending}.mindrecord",
                self._rows(begin),
                {"label": {"type": "int64"}, "data": {"type": "bytes"}},
                "mnist_schema",
                ["label"],
                self.partition_number,
            )

    run = transform

    def _rows(self, begin):
        images = self._read(f"{begin}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28, 1)
        labels = self._read(f"{begin}-labels-idx1-ubyte.gz", 8)
        if len(images) != len(labels):
            raise RuntimeError(
                f"In {self.source!r} the files of {begin} have {len(images)} images "
                f"and {len(labels)} labels."
            )
        for image, label in zip(images, labels, strict=True):
            yield {"label": int(label), "data": as_jpeg(image)}

    def _read(self, name, head):
        path = os.path.join(self.source, name)
        with reading(path, problem="is no file of MNIST"), Inflated(path, "GZIP") as file:
            shape = np.frombuffer(file.read(head), ">i4")[1:].tolist()
            if len(shape) != head // 4 - 1 or min(shape) < 0 or shape[1:] not in ([], [28, 28]):
                raise ValueError(f"it is of shape {shape}")
            data = file.read(math.prod(shape))
            if len(data) != math.prod(shape) or file.read(1):
                raise ValueError(f"it has more or fewer bytes than for shape {shape}")
        return np.frombuffer(data, np.uint8)


class ImageNetToMR:
    """Converts folders of JPEG files (ImageNet) to MindRecord files: "label" as int32, "file_name",
    "image".

    Args:
        map_file (str): a text file; each line has the name of a folder and the class's number.
        image_dir (str): the parent of these folders.
        destination (str): the file to write.
        partition_number (int, optional): the number of files.

    Raises:
        ValueError: if an argument is not a path or number of files.

    Source: mindspore.mindrecord.ImageNetToMR of MindSpore 2.10.
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        check_paths("ImageNetToMR", map_file=map_file, image_dir=image_dir, destination=destination)
        check_number("ImageNetToMR", partition_number)
        self.map_file, self.image_dir = map_file, image_dir
        self.destination, self.partition_number = destination, partition_number

    def transform(self):
        """Writes the files. Files other than .JPEG and .jpg, and empty ones, are skipped.

        Raises:
            OSError: if there is not a map file.
            RuntimeError: if it has something else than names and numbers, or is not UTF-8.
            PathNotExistsError: if none of its folders exists.
            MRMOpenError: if a file exists already.
        """
        schema = {
            "label": {"type": "int32"},
            "image": {"type": "bytes"},
            "file_name": {"type": "string"},
        }
        write(
            self.destination,
            self._rows(),
            schema,
            "imagenet_schema",
            ["label", "file_name"],
            self.partition_number,
        )

    run = transform

    def _rows(self):
        if not os.path.isfile(self.map_file):
            raise FileNotFoundError(f"There is no map file {self.map_file!r}.")
        with reading(self.map_file):
            classes = [line.split() for line in lines(self.map_file) if line.strip()]
            folders = [(os.path.join(self.image_dir, name), _label(text)) for name, text in classes]
        if not any(os.path.isdir(folder) for folder, _ in folders):
            raise PathNotExistsError(
                f"For 'ImageNetToMR', 'image_dir' must have the folders of "
                f"{self.map_file!r}, but got {self.image_dir!r}."
            )
        for folder, label in folders:
            if not os.path.isdir(folder):
                log.warning("There is no folder %s", folder)
                continue
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                if not name.endswith(("JPEG", "jpg")) or not os.path.getsize(path):
                    log.warning("%s is left out", path)
                    continue
                with reading(path):
                    image = content(path)
                yield {"file_name": path, "label": label, "image": image}


def _label(text):
    label = int(text)
    if not -(2**31) <= label < 2**31:
        raise ValueError(f"a label must have 32 bits, but is {text}")
    return label
