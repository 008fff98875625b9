"""The two errors that can end a run early, and reading text, which may raise one of them."""

from pathlib import Path


class BadInput(Exception):
    """Input that cannot be used: one line naming the file, the location in it, and what is wrong
    there.

    The command line prints it and ends with exit status 2.
    """

    def __init__(self, source, what, location=None):
        self.source, self.what, self.location = str(source), what, location
        super().__init__(f"{source}{'' if location is None else f':{location}'}: {what}")


class TargetBroken(BadInput):
    """The implementation under test cannot be imported at all."""


def text_of(path):
    """The content of a text file; BadInput where it is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(path, "not a text file", f"byte {error.start}") from None


def describe(error):
    """Type and first line of an exception."""
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first[:300]}"
