"""Checks of readers and writers of MindRecord files: file names and the number of readers."""

import os

from .._io.mindrecord_errors import ParamValueError

_FORBIDDEN = set("\\/:*?\"<>|`&';")


def check_file_name(api, path):
    """Raises ParamValueError for an invalid name of a MindRecord file.

    Raises:
        ParamValueError: if it is not text, is empty, or its last part is empty, begins or ends with
            a space, is not UTF-8, or has one of \\ / : * ? " < > | ` & ' ;
    """
    base = os.path.basename(path) if isinstance(path, str) else ""
    if not base or base != base.strip(" ") or _FORBIDDEN & set(base) or _has_surrogates(base):
        raise ParamValueError(
            f"For '{api}', 'file_name' must be the name of a file in UTF-8, without any "
            f"of {' '.join(sorted(_FORBIDDEN))}, but got {path!r}."
        )


def _has_surrogates(text):
    return any("\ud800" <= character <= "\udfff" for character in text)


def check_reading(api, file_name, num_consumer):
    """Refuses invalid file names and a number of readers outside [1, cores].

    Raises:
        ParamValueError: for one of them.
    """
    for path in file_name if isinstance(file_name, list) and file_name else [file_name]:
        check_file_name(api, path)
    cores = os.cpu_count() or 1
    if not isinstance(num_consumer, int) or not 1 <= num_consumer <= max(cores, 4):
        raise ParamValueError(
            f"For '{api}', 'num_consumer' must be an int in "
            f"[1, {max(cores, 4)}], but got {num_consumer!r}."
        )
