"""The folder of compiled loops: in the user's cache folder, never in the installed package.

Processes can share the folder, also those of machines with other CPUs. A loop is one file, named
after its key: the types of its arguments, the CPU and the code. Numba writes it under a temporary
name and renames it. Its own numbers of files, which an index lists, are not used: two processes may
give one number to the code of two CPUs. A file that another process deletes is compiled again. Each
version of Numba has a folder of its own.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from pathlib import Path

VARIABLE = "MINDSPORE_COMPAT_CACHE"
_DIGITS = 16  # of a file's key, in its name


def folder():
    """Returns the folder of compiled loops, which need not exist: that of the environment variable
    MINDSPORE_COMPAT_CACHE, or one in the system's cache directory."""
    path = os.environ.get(VARIABLE)
    return Path(path).absolute() if path else _place_for_caches() / "mindspore_compat"


def _place_for_caches():
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def loops():
    """Returns the folder of the loops, one level below `folder()`: a folder that the user names may
    hold other files, which `clear` must not delete."""
    return folder() / "loops"


def describe():
    """Returns a sentence on the folder: its path, number of loops and size."""
    files = [path for path in loops().rglob("*") if path.is_file()]
    count = sum(path.suffix == ".nbc" for path in files)
    size = sum(path.stat().st_size for path in files) / 2**20
    return f"{loops()}: {count} compiled loops, {size:.1f} MB"


def clear():
    """Deletes all compiled loops; running processes keep those that they have loaded."""
    if loops().exists():
        shutil.rmtree(loops())


def has(digest):
    """Returns True if there is a loop in whose name a digest of its source occurs."""
    return any(_folder_of_this_numba().glob(f"*{digest}*.{'?' * _DIGITS}.nbc"))


def _folder_of_this_numba():
    return loops() / f"numba-{importlib.metadata.version('numba')}"


def of_function(function):
    """Returns Numba's cache of a function, or None if the folder cannot be written.

    The name of the function must identify its code: it is the key.
    """
    if not is_writable():
        return None
    return _classes()(function)


def is_writable():
    """Returns True if loops can be stored."""
    try:
        loops().mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=loops()).close()
    except OSError:  # for example a container's read-only home folder
        return False
    return True


@functools.cache
def _classes():
    """Returns the subclass of Numba's cache that keeps its files in the folder of this module, and
    uses the name of a function as the key."""
    from numba.core import caching

    class Locator(caching._CacheLocator):
        @classmethod
        def from_function(cls, function, file):
            return cls()

        def get_cache_path(self):
            path = _folder_of_this_numba()
            path.mkdir(parents=True, exist_ok=True)
            return str(path)

        def get_source_stamp(self):
            return ""  # the function's name identifies its code

        def get_disambiguator(self):
            return ""

    class Impl(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

    class Files(caching.IndexDataCacheFile):
        def save(self, key, data):
            self._save_data(self._name(key), (key, data))

        def load(self, key):
            try:
                stored_key, data = self._load_data(self._name(key))
            except OSError:
                return None
            return data if stored_key == key else None

        def _name(self, key):
            digest = hashlib.sha256(repr(key).encode()).hexdigest()[:_DIGITS]
            return f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"

    class LoopCache(caching.FunctionCache):
        _impl_class = Impl

        def __init__(self, function):
            super().__init__(function)
            self._cache_file = Files(self._cache_path, self._impl.filename_base, "")

        def load_overload(self, signature, context):
            try:
                return super().load_overload(signature, context)
            except Exception:  # unpickling a damaged file may raise anything: compile it again
                return None

        def save_overload(self, signature, compiled):
            with contextlib.suppress(OSError):  # the disk is full: the loop is usable all the same
                super().save_overload(signature, compiled)

    return LoopCache
