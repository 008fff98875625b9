"""Reading files that may be damaged, or made to do harm: the guard that all readers pass through.

`reading` turns what goes wrong within it into the documented error of the API, which names the file
and, where it is known, the line. What opens a file notes it by `at`, as `content`, `lines` and
`json_of` do by themselves; so one guard around a whole source knows which of its files was at
fault. `most_bytes` bounds what a file may grow to when it is decompressed or decoded.

Worked example. A list of images has the line "a/1.jpg seven" where the label must be a number:

    with reading(folder):
        for line in lines(path):
            name, label = line.split()
            rows.append((name, int(label)))

raises RuntimeError: '/data/list.txt' cannot be read at line 3: invalid literal for int() with base
10: 'seven'.
"""

import json
import os
import threading

_FREE = 256 << 20  # bytes that any file may grow to
_RATIO = 64  # how many times its own size a larger one may grow to
_SETTING = "MINDSPORE_COMPAT_READ_LIMIT"  # another number of free bytes, in MiB
_PLAIN = (RuntimeError, ValueError, TypeError)  # what readers raise on purpose


class _Location(threading.local):
    """The file that this thread reads, and the line."""

    path = line = None


_now = _Location()


def at(path, line=None):
    """Notes what is read from here on, for the error if something is wrong there."""
    _now.path, _now.line = path, line


class reading:  # noqa: N801 - read as a verb: with reading(path)
    """Guards the reading of files: errors become `raises`, with the name of the file.

    An error of this package that names the file already passes as it is; so do ImportErrors, and
    what is no Exception. The guard must not be left and entered again, so no `yield` within.

    Args:
        path (Union[str, PathLike], optional): the file, or the folder of files that `at` notes.
        raises (type, optional): the documented error.
        problem (str, optional): what is said of the file, before the line and the reason.
        api (str, optional): the public name to begin with.
    """

    def __init__(self, path=None, raises=RuntimeError, problem="cannot be read", api=None):
        self._path, self._raises, self._problem = path, raises, problem
        self._head = "" if api is None else f"For '{api}', "

    def __enter__(self):
        self._before = _now.path, _now.line
        at(self._path)
        return self

    def __exit__(self, kind, error, traceback):
        path, line = _now.path, _now.line
        at(*self._before)
        if (
            isinstance(error, Exception)
            and not isinstance(error, ImportError)
            and (path is None or not _names_the_file(error, path))
        ):
            raise self._raises(self._head + _message(path, self._problem, line, error)) from error


def _names_the_file(error, path):
    kind = type(error)
    own = (
        kind in _PLAIN
        or kind.__module__.startswith("mindspore_compat.")
        or (kind is FileNotFoundError and error.errno is None)
    )
    return own and (os.fspath(path) in str(error) or repr(path) in str(error))


def _message(path, problem, line, error):
    if path is None:
        return f"the input {problem}: {reason(error)}"
    if isinstance(error, UnicodeDecodeError) and os.path.isfile(path):
        line = _line_that_is_no_text(path) or line
    location = "" if line is None else f" at line {line}"
    return f"{os.fspath(path)!r} {problem}{location}: {reason(error)}"


def reason(error):
    """The message of an error, in words that fit after a colon."""
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not {error.encoding.upper()}: {error.reason}"
    if isinstance(error, KeyError):
        return f"it has no {error}"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    text = text or type(error).__name__
    return text if len(text) <= 300 else f"{text[:300]}..."


def _line_that_is_no_text(path):
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def content(path):
    """The bytes of a file."""
    at(path)
    # No buffer: threads wait for each other at each call of the system, and this makes fewer.
    with open(path, "rb", buffering=0) as file:
        return file.read()


def lines(path):
    """Yields the lines of a file of UTF-8, without their ends; each is noted."""
    at(path)
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            at(path, number)
            yield line.rstrip("\r\n")
    at(path)


def json_of(path):
    """What a file of JSON holds."""
    at(path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def most_bytes(stored):
    """How many bytes may come out of a file, or of a part of it, that has `stored` bytes.

    These are 256 MiB, or as many MiB as the environment variable MINDSPORE_COMPAT_READ_LIMIT says,
    or 64 times the stored bytes where that is more.
    """
    limit = os.environ.get(_SETTING, "")
    free = int(limit) << 20 if limit.isdecimal() else _FREE
    return max(free, _RATIO * stored)


def check_growth(wanted, stored):
    """Refuses what would become too large for the file that it is in.

    Args:
        wanted (int): how many bytes it requests.
        stored (int): how many bytes the file has.

    Raises:
        ValueError: these are more than `most_bytes` allows.
    """
    most = most_bytes(stored)
    if wanted > most:
        raise ValueError(
            f"it asks for {wanted} bytes, but a file of {stored} bytes may grow to "
            f"{most} (the environment variable {_SETTING} sets this bound in MiB)"
        )
