"""Base class and helpers of datasets whose rows are made one by one from a list of records.

The list is created on first use and stored.
"""

import itertools
import os

import numpy as np

from ...._io.reading import ImpossibleName, content, named_in, position, reading
from ...._io.reading import lines as lines_of  # noqa: F401 - the sources take it from here
from ..._extra import decode_image
from ..pipeline import MappableDataset
from ..sampler import select_sampler

__all__ = []


def find_file(api, name, path):
    """Checks that a file exists and returns its path.

    Raises:
        ValueError: if there is no file of this name.
    """
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(
            f"For '{api}', '{name}' must lead to a file that can be read, but got {path!r}."
        )
    return path


def has_ending(*endings):
    """Returns a function: whether a path is a file with one of these endings, ignoring case."""
    return lambda path: os.path.isfile(path) and path.lower().endswith(endings)


IMAGES = has_ending(".jpg", ".jpeg", ".png", ".bmp", ".gif")


def names_in(path, test=os.path.isfile):
    """Returns the sorted names in a folder for which a test of the path is true; by default, of
    files.

    Raises:
        RuntimeError: if there is no such folder.
    """
    if not os.path.isdir(path):
        raise RuntimeError(f"There is no folder {path!r}.")
    return sorted(name for name in os.listdir(path) if test(os.path.join(path, name)))


class Listed(MappableDataset):
    """Base class of datasets whose rows are made from records.

    A subclass defines `_list`, which yields the records, tuples, and `_make_row(*record)`, which
    makes a row. If rows have classes, the last entry of a record is the class. If `_list` does not
    yield a record while it reads the line that names it, `_listing` is the file of these names.
    """

    decode = False
    decrypt = None
    _found = None
    _listing = None
    _has_classes = False

    def __init__(
        self, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self.sampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)
        if self._has_classes:
            self._labels = self._classes

    def _description(self):
        return super()._description() | {"_found": None}

    def _records(self):
        if self._found is None:
            with reading(self.dataset_dir):
                self._found = list(self._list())
                last = position()[0]
            if not self._found and not self._may_be_empty():
                self._found = None
                raise RuntimeError(
                    f"For '{type(self).__name__}', there are no rows to read in {last!r}."
                )
        return self._found

    def _may_be_empty(self):
        """Returns whether the source may be without rows."""
        return False

    def _classes(self):
        return [record[-1] for record in self._records()]

    def _length(self):
        return len(self._records())

    def _row(self, index):
        record = self._records()[index]
        with reading(self.dataset_dir):
            try:
                return self._make_row(*record)
            except (OSError, RuntimeError, ImpossibleName) as error:
                with_list = self._with_list(error, index)
                if with_list is None:
                    raise
                raise with_list from with_list.__cause__

    def _with_list(self, error, index):
        """Returns the error of a missing file with the list that names the file, or None."""
        if named_in(error, "") is None:
            return None
        path, line = self._origin(index)
        return None if path is None else named_in(error, path, line)

    def _origin(self, index):
        """Returns the list file that names a record, and the line; (None, None) without a list.

        Lines are only needed for an error, so the records are listed again.
        """
        path = line = None
        with reading(self.dataset_dir):
            for _ in itertools.islice(iter(self._list()), index + 1):
                path, line = position()
        return (self._listing, None) if line is None else (path, line)

    def _image(self, path):
        """Returns the column of an image file: its bytes or its pixels."""
        with reading(path):
            data = self.decrypt(path) if self.decrypt is not None else content(path)
            if self.decode:
                return decode_image(type(self).__name__, data)
            return np.frombuffer(data, np.uint8)
