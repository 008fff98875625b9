"""ImageFolderDataset: image files in folders, one folder per class."""

import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, Callable, ListOf, Str
from ...._io.reading import content, reading
from ..._extra import decode_image
from ..._rules import AnInstance, Samples, Workers
from ..pipeline import MappableDataset, VisionBaseDataset
from ..sampler import select_sampler
from ._documented import documented
from .generator import Shard, Shards
from .mnist_cifar import exclusive, folder

__all__ = ["ImageFolderDataset"]


@documented
class ImageFolderDataset(MappableDataset, VisionBaseDataset):
    """A dataset of image files in subfolders: each folder is one class.

    The columns are "image", the bytes of the file or its pixels, and "label", int32.

    Args:
        dataset_dir (str): the folder of the folders.
        extensions (list[str], optional): the accepted file name extensions, such as ".jpg"; by
            default all files.
        class_indexing (dict, optional): the labels by folder name; other folders are skipped. By
            default, sorted folders are numbered from 0.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such folder, or `shard_id` is out of range.
        RuntimeError: if arguments exclude each other, or need each other; or, when the dataset is
            used, there are no files, or a file cannot be read.

    Example:
        >>> import os
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("images/cat")
        >>> ds.vision.write_png("images/cat/black.png", np.zeros((4, 6, 3), np.uint8))
        >>> data = ds.ImageFolderDataset("images", decode=True)
        >>> [row["image"].shape for row in data.create_dict_iterator(output_numpy=True)]
        [(4, 6, 3)]

    Source: mindspore.dataset.ImageFolderDataset of MindSpore 2.10.
    """

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        extensions: ListOf(Str) = None,
        class_indexing: AnInstance(dict) = None,
        decode: Bool | None = False,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
        decrypt: Callable = None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.dataset_dir = folder("ImageFolderDataset", dataset_dir)
        self.extensions, self.class_indexing = extensions, class_indexing
        self.decode, self.decrypt = decode, decrypt
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)
        self._found = None

    def _columns(self):
        return ["image", "label"]

    def get_class_indexing(self):
        """Returns a dict from the names of the folders to the labels."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        with reading(self.dataset_dir):
            names = sorted(entry.name for entry in os.scandir(self.dataset_dir) if entry.is_dir())
        return {name: label for label, name in enumerate(names)}

    def num_classes(self):
        """Returns the number of folders."""
        return len(self.get_class_indexing())

    def _files(self):
        """Returns (path, label) of every file."""
        if self._found is None:
            self._found = [
                (os.path.join(self.dataset_dir, name, file), label)
                for name, label in sorted(self.get_class_indexing().items())
                for file in self._files_of(os.path.join(self.dataset_dir, name))
            ]
        if not self._found:
            raise RuntimeError(
                f"In the folders of {self.dataset_dir!r} there are no files to read."
            )
        return self._found

    def _files_of(self, path):
        if not os.path.isdir(path):
            return []
        return sorted(
            entry.name
            for entry in os.scandir(path)
            if entry.is_file()
            and (self.extensions is None or os.path.splitext(entry.name)[1] in self.extensions)
        )

    def _length(self):
        return len(self._files())

    def _labels(self):
        return [label for _, label in self._files()]

    def _row(self, index):
        path, label = self._files()[index]
        with reading(path):
            data = self.decrypt(path) if self.decrypt is not None else content(path)
            image = (
                decode_image("ImageFolderDataset", data)
                if self.decode
                else (np.frombuffer(data, np.uint8))
            )
            return [image, np.array(label, np.int32)]
