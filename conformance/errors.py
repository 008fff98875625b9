"""The two errors that can end a run early, and reading of text files, which may raise one of
them."""

from pathlib import Path


class BadInput(Exception):
    """Unusable input; the message is one line that names the file, the location in it, and the
    problem.

    The command line prints it and ends with exit status 2.
    """

    def __init__(self, source, what, location=None):
        self.source, self.what, self.location = str(source), what, location
        super().__init__(f"{source}{'' if location is None else f':{location}'}: {what}")


class TargetBroken(BadInput):
    """The implementation under test cannot be imported at all."""


def text_of(path):
    """Returns the content of a text file; raises BadInput unless it is UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(path, "not a text file", f"byte {error.start}") from None


def describe(error):
    """Returns the type and first line of an exception."""
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first[:300]}"
