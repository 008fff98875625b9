"""Compressed text files, which hold the stored answers.

The same text always gives the same bytes, and a file is replaced as a whole.
"""

import gzip
import zlib
from pathlib import Path

from ..errors import BadInput

MOST = 1 << 26  # bytes of an uncompressed text; the stored texts have less than a tenth
_GZIP = 31  # zlib's `wbits` for this format


def read(path):
    """Returns the text of a file; raises BadInput unless it is compressed UTF-8 of at most `MOST`
    bytes."""
    inflater = zlib.decompressobj(_GZIP)
    try:
        text = inflater.decompress(Path(path).read_bytes(), MOST).decode("utf-8")
    except (OSError, zlib.error, UnicodeDecodeError) as error:
        raise BadInput(path, f"is no compressed text: {error}") from None
    if not inflater.eof:
        raise BadInput(path, f"is no compressed text of at most {MOST} bytes, or is cut off")
    return text


def write(path, text):
    """Writes a text to a file; what it held before is replaced as a whole."""
    path = Path(path)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
    unfinished.replace(path)
