"""DatasetCache: caches rows in this process, so that files are read and mapped only once.

In MindSpore, the cache is a separate server process. Here it is memory of this process:
pipelines whose caches have the same session id share their rows as long as one of these caches
exists. Which rows a pipeline stores, and in which order it yields them, is defined in `caching`.
"""

import collections
import pickle
import tempfile
import threading
import weakref

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Int, Str
from .._rules import positive
from .rows import read_only

__all__ = ["DatasetCache"]

_sessions = weakref.WeakValueDictionary()

CacheStat = collections.namedtuple("CacheStat", "avg_cache_sz num_mem_cached num_disk_cached")
CacheStat.__doc__ = (
    "The mean size of a stored row in bytes, and how many are in memory and on disk."
)


class _Session:
    """The shared state of caches with one session id: the stored rows of each pipeline, by the
    pipeline's key."""

    def __init__(self):
        self.stored = {}


class StoredRows:
    """Rows by number, in memory and, if requested, in a temporary file."""

    def __init__(self):
        self.count = None  # the number of rows, if all are stored
        self.lock = threading.RLock()
        self._memory, self._disk = {}, {}
        self._file = None
        self._in_memory = self._in_file = 0

    def __contains__(self, number):
        return number in self._memory or number in self._disk

    def get(self, number):
        """Returns the row with a number, or None."""
        row = self._memory.get(number)
        if row is not None or number not in self._disk:
            return row
        with self.lock:
            self._file.seek(self._disk[number])
            return [_freeze(value) for value in pickle.load(self._file)]

    def put(self, number, row, cache):
        """Stores a row if `cache` has space for it; returns whether it is stored."""
        with self.lock:
            if number in self:
                return True
            size = sum(map(_bytes, row))
            if not cache.size or self._in_memory + size <= cache.size << 20:
                self._memory[number] = row
                self._in_memory += size
            elif cache.spilling:
                self._disk[number] = self._append(row)
                self._in_file += size
            return number in self

    def _append(self, row):
        """Writes a row to the end of the file, and returns its position."""
        try:
            self._file = self._file or tempfile.TemporaryFile()
            position = self._file.seek(0, 2)
            pickle.dump(row, self._file, pickle.HIGHEST_PROTOCOL)
            self._file.flush()
        except OSError as error:
            raise RuntimeError(
                "For 'DatasetCache', a row cannot be stored in a temporary file in "
                f"{tempfile.gettempdir()!r}: {error}"
            ) from error
        return position

    def stat(self):
        """Returns the statistics of the stored rows, a CacheStat."""
        rows = len(self._memory) + len(self._disk)
        mean = (self._in_memory + self._in_file) // rows if rows else 0
        return CacheStat(mean, len(self._memory), len(self._disk))


class DatasetCache:
    r"""Caches the rows of a source or a `map`, so that later epochs do not compute them again.

    Pass it to a source or to `map` as `cache`. The nodes below it may be maps without random
    numbers, `project`, `rename`, and `shuffle`, which has no effect on rows that are read by
    number, but no other cache. Sources that read files sequentially, such as TextFileDataset and
    TFRecordDataset, are stored as a whole; their shuffle then draws rows with replacement.

    The rows are in the memory of this process: no server is used, and each process has its own
    rows. All caches with the same session id share the rows of equal pipelines until the last of
    these caches is deleted. In debug mode, nothing is cached.

    Args:
        session_id (int): the session, in [1, 2\ :sup:`32` - 1].
        size (int, optional): the memory limit in MB for the rows of one pipeline; 0 means no limit.
            Default: 0.
        spilling (bool, optional): whether to store further rows in a temporary file; otherwise they
            are computed in each epoch. Default: False.
        hostname (str, optional): None or "127.0.0.1".
        port (int, optional): the port of a server, in [1025, 65535]; is checked.
        num_connections (int, optional): the number of connections to the server; is checked.
        prefetch_size (int, optional): the number of rows to prefetch; is checked.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is out of range.
        RuntimeError: if `hostname` is another host. When rows are read: if the cache already holds
            the rows of another pipeline, the pipeline below it is not as described above, or a
            source that is stored as a whole is larger than `size`.

    Source: mindspore.dataset.DatasetCache of 2.10.

    Examples:
        >>> import numpy as np
        >>> import tempfile, os
        >>> import mindspore_compat.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "lines.txt")
        >>> with open(path, "w") as file:
        ...     print("one", "two", "three", sep="\n", file=file)
        >>> cache = ds.DatasetCache(session_id=1)
        >>> dataset = ds.TextFileDataset(path, shuffle=False, cache=cache)
        >>> [str(text) for text, in dataset.create_tuple_iterator(output_numpy=True)]
        ['one', 'two', 'three']
        >>> cache.get_stat().num_mem_cached
        3
    """

    @checked(
        Forbid(
            "hostname is not None and hostname != '127.0.0.1'",
            RuntimeError,
            "'hostname' must be '127.0.0.1'",
        )
    )
    def __init__(
        self,
        session_id: Int(ge=1, le=2**32 - 1),
        size: Int(ge=0, le=2**64 - 1) = 0,
        spilling: Bool = False,
        hostname: Str = None,
        port: Int(ge=1025, le=65535) = None,
        num_connections: positive = None,
        prefetch_size: positive = None,
    ):
        self.session_id, self.size, self.spilling = session_id, size, spilling
        self.hostname, self.port = hostname, port
        self.num_connections, self.prefetch_size = num_connections, prefetch_size
        self._session = _sessions.setdefault(session_id, _Session())
        self._stored = None

    def get_stat(self):
        """Returns statistics of the stored rows, after rows were read.

        Returns:
            an object with `avg_cache_sz`, the mean size of the stored rows in bytes,
            `num_mem_cached` and `num_disk_cached`, the numbers of rows in memory and in a file.

        Raises:
            RuntimeError: if no rows have been read through this cache.
        """
        if self._stored is None:
            raise RuntimeError(
                "For 'get_stat', the cache must be in use, but no rows were read through it yet."
            )
        return self._stored[1].stat()

    def rows_of(self, tree):
        """Returns the rows stored for a pipeline.

        Args:
            tree (tuple): a hashable key of the pipeline's operations.

        Raises:
            RuntimeError: if this cache holds the rows of another pipeline.
        """
        if self._stored is not None and self._stored[0] != tree:
            raise RuntimeError(
                "A DatasetCache holds the rows of one pipeline, and this one is in use by a "
                "different one. Make a second DatasetCache."
            )
        if self._stored is None:
            self._stored = tree, self._session.stored.setdefault(tree, StoredRows())
        return self._stored[1]

    def __deepcopy__(self, memo):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        memo[id(self)] = copy
        return copy


def _bytes(value):
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    if isinstance(value, list):
        return sum(map(_bytes, value))
    return value.nbytes


def _freeze(value):
    """Returns a value with read-only views of its arrays; dicts and lists are copied."""
    if isinstance(value, dict):
        return {key: _freeze(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_freeze(item) for item in value]
    return read_only(value)


def freeze_row(row):
    """Returns a row of read-only values, which can be stored."""
    return [_freeze(value) for value in row]
