"""Guarded reading of files that may be damaged or malicious.

`reading` converts errors within its block to the documented error of the API, which names the file
and, if known, the line. Code that opens a file records it by `set_position`; `content`, `lines` and
`json_of` do so themselves. So one guard around a whole dataset knows the failing file. `most_bytes`
limits the size of a file after decompression or decoding.

Worked example. A list of images has the line "a/1.jpg seven", in which the label must be a number:

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

_FREE = 256 << 20  # bytes that every file may grow to
_RATIO = 64  # the largest ratio of inflated to stored bytes, for larger files
_SETTING = "MINDSPORE_COMPAT_READ_LIMIT"  # overrides the number of free bytes, in MiB
_PLAIN = (RuntimeError, ValueError, TypeError)  # the errors that readers raise on purpose


class _Location(threading.local):
    """The file and the line that this thread reads."""

    path = line = None


_now = _Location()


def set_position(path, line=None):
    """Records the file and line that are read next, for error messages."""
    _now.path, _now.line = path, line


def position():
    """Returns the file and the line that this thread reads; the line may be None."""
    return _now.path, _now.line


class reading:  # noqa: N801 - reads as a verb: with reading(path)
    """Guards the reading of files: converts errors to `raises`, with the name of the file.

    Errors of this package that already name the file are not converted; neither are ImportErrors
    and non-Exceptions. The block must not contain `yield`, as the guard must not be left and
    re-entered.

    Args:
        path (Union[str, PathLike], optional): the file, or the folder of files that `set_position`
            records.
        raises (type, optional): the documented error.
        problem (str, optional): the problem in the message, before the line and the reason.
        api (str, optional): the public name at the start of the message.
    """

    def __init__(self, path=None, raises=RuntimeError, problem="cannot be read", api=None):
        self._path, self._raises, self._problem = path, raises, problem
        self._head = "" if api is None else f"For '{api}', "

    def __enter__(self):
        self._before = _now.path, _now.line
        set_position(self._path)
        return self

    def __exit__(self, kind, error, traceback):
        path, line = _now.path, _now.line
        set_position(*self._before)
        if (
            isinstance(error, Exception)
            and not isinstance(error, ImportError)
            and (path is None or not _names_the_file(error, path))
        ):
            raise self._raises(self._head + _message(path, self._problem, line, error)) from error


def _names_the_file(error, path):
    kind = type(error)
    name_forms = (
        kind in _PLAIN
        or kind.__module__.startswith("mindspore_compat.")
        or (kind is FileNotFoundError and error.errno is None)
    )
    text, name = str(error), os.fspath(path)
    quoted, end = repr(name)[:-1], repr(name)[-1]
    return name_forms and (
        repr(path) in text
        or any(quoted + following in text for following in (end, "/", os.sep))
        or (os.path.isabs(name) and name in text)  # "." and "a" are in nearly every text
    )


def _message(path, problem, line, error):
    if path is None:
        return f"the input {problem}: {reason(error)}"
    if isinstance(error, UnicodeDecodeError) and os.path.isfile(path):
        line = _line_that_is_no_text(path) or line
    location = "" if line is None else f" at line {line}"
    return f"{os.fspath(path)!r} {problem}{location}: {reason(error)}"


def reason(error):
    """Returns the message of an error, in a form that fits after a colon."""
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


def named_in(error, path, line=None):
    """Returns an error that also names the list file in which an unreadable file is listed. Returns
    None for other errors.

    Args:
        error (Exception): the error, raised within a `reading` block or by one.
        path (str): the list.
        line (int, optional): the line of the list.
    """
    unreadable = OSError, ImpossibleName
    cause = error if isinstance(error, unreadable) else error.__cause__ or error
    if not isinstance(cause, unreadable) and not str(cause).startswith("embedded null"):
        return None
    message = str(error)
    if error is cause:
        message = _message(_now.path, "cannot be read", None, error)
    location = "" if line is None else f" at line {line}"
    result = RuntimeError(f"{message} ({os.fspath(path)!r} names it{location})")
    result.__cause__ = cause
    return result


class ImpossibleName(ValueError):
    """No file can have the name, which the message quotes; Python's own error lacks it."""


def check_name(path):
    """Raises an ImpossibleName for a name that no file can have."""
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise ImpossibleName(f"{path!r} cannot be the name of a file: {error.reason}.") from error
    if b"\0" in encoded:
        raise ImpossibleName(f"{path!r} cannot be the name of a file: it has a null character.")


def content(path):
    """Reads the bytes of a file."""
    set_position(path)
    check_name(path)
    # Unbuffered reading makes fewer system calls, at which threads wait for each other.
    with open(path, "rb", buffering=0) as file:
        return file.read()


def lines(path):
    """Yields the lines of a UTF-8 file without line endings; records each line number."""
    set_position(path)
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            set_position(path, number)
            yield line.rstrip("\r\n")
    set_position(path)


def json_of(path):
    """Reads a JSON file."""
    set_position(path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def most_bytes(size):
    """Returns the maximum number of decompressed or decoded bytes for a file, or a part of it, of
    `size` bytes.

    It is 256 MiB, or the number of MiB in the environment variable MINDSPORE_COMPAT_READ_LIMIT, or
    64 times the stored bytes if that is more.
    """
    limit = os.environ.get(_SETTING, "")
    free = int(limit) << 20 if limit.isdecimal() else _FREE
    return max(free, _RATIO * size)


class Growth:
    """The bytes that the parts of one file need together after decompression or decoding.

    Args:
        stored (int): the number of bytes of the file.
    """

    def __init__(self, stored):
        self._stored, self._total = stored, 0

    def add(self, count):
        """Adds a part; raises ValueError if the sum is more than `most_bytes` allows."""
        self._total += count
        check_growth(self._total, self._stored)


def check_growth(count, size):
    """Raises ValueError for content that is too large for the file it is stored in.

    Args:
        count (int): the number of bytes it requests.
        size (int): the number of bytes of the file.

    Raises:
        ValueError: if these are more than `most_bytes` allows.
    """
    most = most_bytes(size)
    if count > most:
        raise ValueError(
            f"it asks for {count} bytes, but a file of {size} bytes may grow to "
            f"{most} (the environment variable {_SETTING} sets this bound in MiB)"
        )
