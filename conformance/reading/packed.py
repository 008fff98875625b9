"""Compressed text files, which hold the stored answers.

The same text always gives the same bytes, and a file is replaced as a whole.
"""

import gzip
import zlib
from pathlib import Path

from ..errors import BadInput


def read(path):
    """Returns the text of a file; raises BadInput unless it is compressed UTF-8."""
    try:
        return gzip.decompress(Path(path).read_bytes()).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadInput(path, f"is no compressed text: {error}") from None


def write(path, text):
    """Write a text in the place of a file's old content."""
    path = Path(path)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
    unfinished.replace(path)
