"""Files as a whole: one that replaces another when it is complete; one mapped into memory.

Whatever the package writes goes through `AtomicFile`, mostly by `atomic_write`. A crash at any
moment leaves the old file or the new one. What is appended to over a long time, such as a file of
summaries, cannot be: `new_file` opens it.
"""

import contextlib
import errno
import hashlib
import mmap
import os
import re
import secrets
import threading

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed: that is lock enough
    fcntl = None

READ_ONLY = 0o400  # of checkpoints and models: as the original leaves them
_NEW = (
    os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_WRITEBACK = 1 << 20  # bytes, after which the disk is asked to take them up
_LARGE = 8 << 20  # bytes, which it takes milliseconds to free
_LONGEST_STEM = 180  # bytes; names of files have 255 at most
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)


@contextlib.contextmanager
def atomic_write(path, mode=None, durable=True):
    """A file to write bytes to, which replaces `path` when the block ends well.

    A reader never sees half a file, and a failure leaves the old one.

    Args:
        path: The file. A symbolic link of that name is replaced, not followed.
        mode, durable: See `AtomicFile`.

    Yields:
        A binary file, open for writing and reading.

    Raises:
        OSError: If the file cannot be written; the error names `path`.

    Example:
        with atomic_write("numbers.txt") as file:
            file.write(b"1 2 3")
    """
    with _errors_naming(path):
        made = AtomicFile(path, mode, durable)
        try:
            yield made.file
            made.sync()
            made.replace()
        except BaseException:
            made.discard()
            raise


class AtomicFile:
    """A file that is written under a temporary name and then replaces `path`.

    The temporary name is `<name>.<process>-<random digits>.tmp`, in the same folder. The file is
    created, never opened, has mode 0600 until it is complete, and is locked as long as its process
    lives, whatever that one dies of. So a temporary file that is not locked is a dead process's,
    also when its number belongs to another process by now, in another container or on another
    host; such ones of the same `path` are removed first.

    Args:
        path: The file that is replaced.
        mode (int): The permissions of the file when it is complete; None for those of the file that
            is replaced or, if there is none, for what the umask leaves of 0666.
        durable (bool): Whether the file survives a failure of power, and dead processes' files are
            looked for. False is for files of which many are written and none is dear.

    Raises:
        OSError: If the file cannot be created.
    """

    def __init__(self, path, mode=None, durable=True):
        self.path = os.path.abspath(path)
        self.mode, self.durable = mode, durable
        if durable:
            remove_abandoned(os.path.dirname(self.path), re.escape(_stem(self.path)))
        self.temporary, self.file = _created(self.path)
        self._owner = os.getpid()

    def sync(self):
        """Gives the file its permissions and brings it to the disk."""
        self.file.flush()
        os.chmod(self.temporary, _mode_of_new_files(self.path) if self.mode is None else self.mode)
        if self.durable:
            os.fsync(self.file.fileno())

    def replace(self):
        """Renames the file, which is closed then; brings its name to the disk."""
        if os.name == "nt":  # it renames no file that is open, and replaces none that is read-only
            self.file.close()
            with contextlib.suppress(FileNotFoundError):
                os.chmod(self.path, 0o600)
        with _freed_in_background(self.path):
            os.replace(self.temporary, self.path)
        self.file.close()
        if self.durable:
            _sync_folder(os.path.dirname(self.path))

    def discard(self):
        """Closes and removes the file, unless it is complete or a process that forked made it."""
        with contextlib.suppress(OSError):  # what is buffered may still not fit on the disk
            self.file.close()
        if self._owner == os.getpid():
            with contextlib.suppress(OSError):
                remove(self.temporary)


def write_long(file, pieces):
    """Writes a file of many bytes, whose `fsync` then finds most of them on the disk.

    The kernel of Linux would keep what is written in memory for seconds. Here it is asked to begin
    with each part while the next one is written.

    Args:
        file: A binary file, at its start.
        pieces: What has a buffer of bytes, one after another.
    """
    written = begun = 0
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), _WRITEBACK):
            written += file.write(view[start : start + _WRITEBACK])
            if written - begun >= _WRITEBACK and hasattr(os, "posix_fadvise"):
                file.flush()
                with contextlib.suppress(OSError):  # it is a pipe, or a file system without memory
                    os.posix_fadvise(file.fileno(), begun, written - begun, os.POSIX_FADV_DONTNEED)
                begun = written


def new_file(path):
    """A binary file that is created for writing, for its owner only.

    Raises:
        FileExistsError: If there is anything of that name, be it a link to nowhere.
    """
    return os.fdopen(os.open(path, _NEW, 0o600), "w+b")


def remove(path):
    """Removes a file, be it for reading only."""
    if os.name == "nt":  # it removes nothing that is read-only
        os.chmod(path, 0o600)
    os.remove(path)


def mapped(path):
    """The bytes of a file, mapped into memory; unmapped when nothing refers to them any more."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


# Temporary files ----------------------------------------------------------------------------------


def _stem(path):
    """What the temporary names of `path` begin with."""
    name = os.path.basename(path)
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST_STEM else hashlib.sha256(encoded).hexdigest()


def _created(path):
    """The name of a new temporary file of `path`, and the file, locked."""
    while True:
        name = f"{_stem(path)}.{os.getpid()}-{secrets.token_hex(8)}.tmp"
        temporary = os.path.join(os.path.dirname(path), name)
        file = new_file(temporary)
        if fcntl is None:
            return temporary, file
        with contextlib.suppress(OSError):  # no locks here: then nobody can think it abandoned
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return temporary, file
        file.close()  # it was removed in the moment before it was locked


def remove_abandoned(folder, names):
    """Removes the temporary files of dead processes from a folder.

    Args:
        folder (str): The folder.
        names (str): A regular expression for the names of the files that they were to become.
    """
    ours = re.compile(rf"(?:{names})\.\d+-[0-9a-f]+\.tmp")
    found = []
    with (
        contextlib.suppress(PermissionError),  # one may write to a folder that one may not list
        os.scandir(folder) as entries,
    ):
        found = [
            entry.path
            for entry in entries
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
        ]
    for temporary in found:
        with contextlib.suppress(OSError):  # alive, somebody else's, or gone already
            if fcntl is None:
                remove(temporary)
            else:
                _remove_unlocked(temporary)


def _remove_unlocked(temporary):
    number = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(temporary)
    finally:
        os.close(number)


@contextlib.contextmanager
def _freed_in_background(path):
    """Leaves it to another thread to free what a file has in memory and on the disk.

    The system does so when nothing refers to a file that was replaced any more: within `os.replace`
    that would take as long as a third of the writing. Small files are not worth a thread.
    """
    old = None
    if os.name != "nt":  # there no file that is open can be replaced
        with contextlib.suppress(OSError):  # there is none, or it cannot be read
            old = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        yield
    finally:
        if old is not None:
            _close(old, in_background=os.fstat(old).st_size >= _LARGE)


def _close(number, in_background):
    if in_background:
        closing = threading.Thread(target=os.close, args=(number,), daemon=True, name="old file")
        with contextlib.suppress(RuntimeError):  # no thread starts while the interpreter ends
            closing.start()
            return
    os.close(number)


# Permissions, durability, errors ------------------------------------------------------------------


def _mode_of_new_files(path):
    """The permissions of a file that replaces `path`."""
    if os.path.isfile(path) and not os.path.islink(path):
        return os.stat(path).st_mode & 0o777
    umask = os.umask(0o077)  # it can only be read by setting it
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder):
    """Brings the names in a folder to the disk, where the file system can."""
    if os.name == "nt":
        return
    try:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


@contextlib.contextmanager
def _errors_naming(path):
    """Lets errors of the system name `path`, where they name no file or a temporary one."""
    try:
        yield
    except OSError as error:
        names_target = isinstance(error.filename, str) and not error.filename.endswith(".tmp")
        if names_target or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
