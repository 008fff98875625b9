"""Streaming readers of compressed files: time is linear in the output, and the output is bounded by
a limit that depends on the size of the file.
"""

import gzip
import io
import os
import zlib

from .reading import check_growth

_CHUNK = 1 << 16


class _Inflating(io.RawIOBase):
    """A raw stream that decompresses a zlib stream."""

    def __init__(self, path):
        self._file, self._more, self._rest = open(path, "rb"), zlib.decompressobj(), b""

    def readable(self):
        """Returns True."""
        return True

    def readinto(self, buffer):
        """Fills a buffer as far as possible; returns the number of bytes, 0 at the end."""
        while not self._more.eof:
            data = self._rest or self._file.read(_CHUNK)
            part = self._more.decompress(data, len(buffer))
            self._rest = self._more.unconsumed_tail
            if part:
                buffer[: len(part)] = part
                return len(part)
            if not data:
                raise EOFError("the compressed content is cut short")
        return 0

    def close(self):
        """Closes the file."""
        self._file.close()
        super().close()


class Inflated:
    """A GZIP or ZLIB file, opened for reading; a context manager.

    Args:
        path (str): the file.
        kind (str): "GZIP" or "ZLIB".
    """

    def __init__(self, path, kind):
        self._stored = os.path.getsize(path)
        self._stream = gzip.open(path) if kind == "GZIP" else io.BufferedReader(_Inflating(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()

    def read(self, count):
        """Returns the next `count` bytes, fewer at the end.

        Raises:
            ValueError: if the total exceeds the limit for a file of this size.
        """
        check_growth(count, self._stored)
        return self._stream.read(count)


def inflate(content, most):
    """Decompresses a zlib stream in memory.

    Raises:
        ValueError: if it has more than `most` bytes, is damaged or truncated.
    """
    decompressor = zlib.decompressobj()
    try:
        out = decompressor.decompress(content, most)
    except zlib.error as error:
        raise ValueError(f"its compressed content is damaged: {error}") from error
    if not decompressor.eof:
        raise ValueError(f"its compressed content is cut short, or has more than {most} bytes")
    return out
