"""Atomic writing of files, memory mapping and removal of files.

The package writes files through `AtomicFile`, mostly by `atomic_write`: a crash at any moment
leaves either the old or the new file. Files that grow over a long time, such as summaries, cannot
be written this way; `new_file` opens them.
"""

import contextlib
import errno
import functools
import hashlib
import mmap
import os
import re
import secrets
import time

from .._backend.starting import Thread
from .reading import check_name

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed, which has the effect of a lock
    fcntl = None

READ_ONLY = 0o400  # the mode of checkpoints and models, as in MindSpore
_WRITEBACK = 1 << 20  # bytes after which writeback to disk is requested
_LARGE = 8 << 20  # bytes whose release takes milliseconds
_LONGEST_REPLACEMENT = 10  # seconds
_LONGEST_STEM = 180  # bytes; file names have at most 255
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)


@contextlib.contextmanager
def atomic_write(path, mode=None, durable=True):
    """Opens a file for writing that replaces `path` when the block ends without an error.

    A reader never sees a partial file, and a failure keeps the old one.

    Args:
        path: The file. A symbolic link is replaced, not followed. A device or a pipe is written to.
        mode, durable: See `AtomicFile`.

    Yields:
        A binary file, open for writing and, if it is new, for reading.

    Raises:
        OSError: If the file cannot be written; the error names `path`.
        ValueError: If no file can have the name.

    Example:
        with atomic_write("numbers.txt") as file:
            file.write(b"1 2 3")
    """
    with errors_naming(path):
        if _is_device(path):
            with open(path, "wb") as file:
                yield file
            return
        new = AtomicFile(path, mode, durable)
        try:
            yield new.file
            new.sync()
            new.replace()
        except BaseException:
            new.discard()
            raise


class AtomicFile:
    """A file that is written under a temporary name and then atomically replaces `path`.

    The temporary name is `<name>.<process>-<random digits>.tmp`, in the same folder. The file is
    always newly created, has mode 0600 until it is complete, and stays locked until its process
    ends, for any reason. So an unlocked temporary file belongs to a dead process, even if another
    process, container or host now uses its number. Such files of the same `path` are removed first.

    Args:
        path: The file to replace.
        mode (int): The permissions of the complete file; None for those of the replaced file or,
            without one, for 0666 minus the umask.
        durable (bool): Whether the file must survive a power failure, and files of dead processes
            are removed. False suits many unimportant files.

    Raises:
        OSError: If the file cannot be created.
        ValueError: If no file can have the name.
    """

    temporary = None

    def __init__(self, path, mode=None, durable=True):
        check_name(path)
        self.path = os.path.abspath(path)
        self.mode, self.durable = mode, durable
        self._owner = os.getpid()
        if durable:
            remove_abandoned(os.path.dirname(self.path), re.escape(_stem(self.path)))
        self.temporary, self.file = _create(self.path)

    def __del__(self):
        """An interrupt may come before the caller knows this object."""
        if self.temporary is not None and self._owner == os.getpid():
            self.discard()

    def sync(self):
        """Sets the file's permissions and flushes it to disk."""
        self.file.flush()
        os.chmod(self.temporary, _mode_of_new_files(self.path) if self.mode is None else self.mode)
        if self.durable:
            os.fsync(self.file.fileno())

    def replace(self):
        """Closes and renames the file, and flushes its name to disk."""
        if os.name == "nt":  # Windows cannot rename open files or replace read-only files
            self.file.close()
            with contextlib.suppress(FileNotFoundError):
                os.chmod(self.path, 0o600)
        with _free_in_background(self.path):
            os.replace(self.temporary, self.path)
        self.file.close()
        self.temporary = None
        if self.durable:
            _sync_folder(os.path.dirname(self.path))

    def discard(self):
        """Closes and removes the file, unless it is complete or belongs to the parent process."""
        with contextlib.suppress(OSError):  # buffered bytes may still not fit on the disk
            self.file.close()
        if self.temporary is not None and self._owner == os.getpid():
            with contextlib.suppress(OSError):
                remove(self.temporary)
        self.temporary = None


@contextlib.contextmanager
def replacing(folder):
    """Lets one process at a time replace files of a folder that belong together, so that all of
    them come from the same process.

    Waits ten seconds at most, because the other process may be stopped. Where folders cannot be
    locked, there is no wait.
    """
    if fcntl is None:
        yield
        return
    until = time.monotonic() + _LONGEST_REPLACEMENT
    with _open(folder, os.O_RDONLY) as number:
        while not _is_locked(number) and time.monotonic() < until:
            time.sleep(0.01)
        yield


@contextlib.contextmanager
def _open(path, flags):
    """Opens a file or a folder for a block; yields its descriptor."""
    numbers = []
    try:
        # An interrupt comes between two lines, or in a function of Python, and so not between the
        # two calls here, nor before the one below.
        numbers.extend(map(os.open, [path], [flags]))
        yield numbers[0]
    finally:
        for number in numbers:
            os.close(number)


def _is_locked(number):
    """Locks an open folder; returns False if another process has locked it."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def write_long(file, pieces):
    """Writes a large file so that most bytes are on disk before `fsync`.

    The Linux kernel keeps written data in memory for seconds. Here the writeback of each part is
    requested while the next one is written.

    Args:
        file: A binary file, at its start.
        pieces: Objects with the buffer protocol.
    """
    position = requested = 0
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), _WRITEBACK):
            position += file.write(view[start : start + _WRITEBACK])
            if position - requested >= _WRITEBACK and hasattr(os, "posix_fadvise"):
                file.flush()
                with contextlib.suppress(OSError):  # it is a pipe, or a file system without memory
                    os.posix_fadvise(
                        file.fileno(), requested, position - requested, os.POSIX_FADV_DONTNEED
                    )
                requested = position


def new_file(path):
    """Returns a binary file that is created for writing, for its owner only.

    Raises:
        FileExistsError: If the name exists, even as a dangling link.
    """
    # Python runs nothing of its own in this call, so no interrupt leaves a descriptor open.
    return open(path, "x+b", opener=functools.partial(os.open, mode=0o600))


def remove(path):
    """Removes a file, even a read-only one."""
    if os.name == "nt":  # Windows cannot remove read-only files
        os.chmod(path, 0o600)
    os.remove(path)


def map_file(path):
    """Maps a file into memory; it is unmapped when the last reference is gone.

    Raises:
        MemoryError: If the file is larger than the free address space.
    """
    with memory_for(path), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


# Temporary files ----------------------------------------------------------------------------------


def _stem(path):
    """Returns the prefix of the temporary names of `path`."""
    name = os.path.basename(path)
    name_bytes = os.fsencode(name)
    return name if len(name_bytes) <= _LONGEST_STEM else hashlib.sha256(name_bytes).hexdigest()


def _create(path):
    """Creates and locks a temporary file for `path`; returns its name and the file."""
    while True:
        name = f"{_stem(path)}.{os.getpid()}-{secrets.token_hex(8)}.tmp"
        temporary = os.path.join(os.path.dirname(path), name)
        try:
            file = new_file(temporary)
            if fcntl is None:
                return temporary, file
            with contextlib.suppress(OSError):  # without locks, no process takes it for abandoned
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                return temporary, file
            file.close()  # the file was removed just before it was locked
        except OSError:
            raise
        except BaseException:  # an interrupt
            with contextlib.suppress(OSError):
                remove(temporary)
            raise


def remove_abandoned(folder, names):
    """Removes the temporary files of dead processes from a folder.

    Args:
        folder (str): The folder.
        names (str): A regular expression for the final names of the files.
    """
    ours = re.compile(rf"(?:{names})\.\d+-[0-9a-f]+\.tmp")
    temporaries = []
    with (
        contextlib.suppress(PermissionError),  # a writable folder need not be listable
        os.scandir(folder) as entries,
    ):
        temporaries = [
            entry.path
            for entry in entries
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
        ]
    for temporary in temporaries:
        with contextlib.suppress(OSError):  # in use, owned by another user, or removed already
            if fcntl is None:
                remove(temporary)
            else:
                _remove_unlocked(temporary)


def _remove_unlocked(temporary):
    with _open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK) as number:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(temporary)


@contextlib.contextmanager
def _free_in_background(path):
    """Releases a file's memory and disk blocks in another thread.

    The system releases a replaced file with its last reference; within `os.replace`, this would
    take up to a third of the writing time. Small files are not worth a thread.
    """
    old = []
    try:
        if os.name != "nt":  # Windows cannot replace open files
            with contextlib.suppress(OSError):  # the file does not exist, or cannot be read
                old.extend(map(os.open, [path], [os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK]))
        yield
    finally:
        closing = None
        try:
            if old and os.fstat(old[0]).st_size >= _LARGE:
                closing = Thread(target=os.close, args=old, daemon=True, name="old file")
                with contextlib.suppress(RuntimeError):  # while the interpreter exits
                    closing.start()
        finally:
            if closing is None or not closing.runs:
                for number in old:
                    os.close(number)


# Permissions, durability, errors ------------------------------------------------------------------


def _is_device(path):
    """Returns whether a path, or the target of a link, is a device, a pipe or a socket."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def _mode_of_new_files(path):
    """Returns the permissions of a new file for `path`."""
    if os.path.isfile(path) and not os.path.islink(path):
        return os.stat(path).st_mode & 0o777
    umask = os.umask(0o077)  # the umask can be read only by setting it
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder):
    """Flushes the names in a folder to disk, if the file system supports it."""
    if os.name == "nt":
        return
    try:
        with _open(folder, os.O_RDONLY) as number:
            os.fsync(number)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


@contextlib.contextmanager
def memory_for(path):
    """Makes a lack of memory a MemoryError that names the file that is read or written."""
    try:
        yield
    except BaseException as error:
        # The package safetensors panics if Python has no memory for its results.
        panics = type(error).__name__ == "PanicException"
        is_full = isinstance(error, OSError) and error.errno == errno.ENOMEM
        if not (panics or is_full or isinstance(error, MemoryError)):
            raise
        start = f"There is not enough memory for the file {os.fspath(path)}"
        if str(error).startswith(start):
            raise
        detail = _length_of(path) if panics or is_full or not str(error) else f": {error}"
        raise MemoryError(f"{start}{detail}.") from error


def _length_of(path):
    """Returns the length of a file, as text for an error, if the file is there."""
    try:
        return f" of {os.path.getsize(path)} bytes"
    except (OSError, MemoryError):
        return ""


@contextlib.contextmanager
def errors_naming(path):
    """Makes OS errors name `path` if they name no file or a temporary one."""
    try:
        yield
    except OSError as error:
        names_target = isinstance(error.filename, str) and not error.filename.endswith(".tmp")
        if names_target or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
