"""What sources share whose rows are made one by one from a list: of image files, of lines.

The list is made when it is first needed, and stored. The sources are next to this file.
"""

import os

import numpy as np

from ...._io.reading import content, reading
from ...._io.reading import lines as lines_of  # noqa: F401 - the sources take it from here
from ..._extra import decoded
from ..pipeline import MappableDataset
from ..sampler import select_sampler

__all__ = []


def file_named(api, name, path):
    """A file that can be read.

    Raises:
        ValueError: there is none of this name.
    """
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(
            f"For '{api}', '{name}' must lead to a file that can be read, but got {path!r}."
        )
    return path


def has_ending(*endings):
    """Whether a path is of a file with one of some endings, in small letters or others."""
    return lambda path: os.path.isfile(path) and path.lower().endswith(endings)


IMAGES = has_ending(".jpg", ".jpeg", ".png", ".bmp", ".gif")


def names_in(path, wanted=os.path.isfile):
    """The names in a folder, sorted; of files, or of what else is wanted.

    Raises:
        RuntimeError: there is no such folder.
    """
    if not os.path.isdir(path):
        raise RuntimeError(f"There is no folder {path!r}.")
    return sorted(name for name in os.listdir(path) if wanted(os.path.join(path, name)))


class Listed(MappableDataset):
    """Rows made from records.

    A subclass defines `_list`, which gives the records, tuples; and `_made(*record)`, which makes
    a row of one. Where rows have classes, the last entry of a record is its number.
    """

    decode = False
    decrypt = None
    _found = None
    _has_classes = False

    def __init__(
        self, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)
        if self._has_classes:
            self._labels = self._classes

    def _described(self):
        return super()._described() | {"_found": None}

    def _records(self):
        if self._found is None:
            with reading(self.dataset_dir):
                self._found = list(self._list())
        if not self._found:
            raise RuntimeError(
                f"For '{type(self).__name__}', there are no rows to read in {self.dataset_dir!r}."
            )
        return self._found

    def _classes(self):
        return [record[-1] for record in self._records()]

    def _length(self):
        return len(self._records())

    def _row(self, index):
        record = self._records()[index]
        with reading(self.dataset_dir):
            return self._made(*record)

    def _image(self, path):
        """An image file as a column: its bytes, or its pixels."""
        with reading(path):
            found = self.decrypt(path) if self.decrypt is not None else content(path)
            if self.decode:
                return decoded(type(self).__name__, found)
            return np.frombuffer(found, np.uint8)
