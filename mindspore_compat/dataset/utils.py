"""`mindspore.dataset.utils`: LineReader, which reads lines of a text file by number.

`imshow_det_bbox`, also exported here, is in `_drawing.py`.
"""

import os

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int, Str
from .._io.reading import reading, set_position
from ._drawing import imshow_det_bbox

__all__ = ["LineReader", "imshow_det_bbox"]


class LineReader:
    """Reads lines of a text file by number; the offsets of the lines are computed once.

    Args:
        filename (str): the file, in UTF-8.

    Raises:
        TypeError: if `filename` is not a str.
        RuntimeError: if there is no file of this name.

    Source: mindspore.dataset.utils.LineReader of 2.10.

    Examples:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset.utils import LineReader
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "lines.txt")
        >>> with open(path, "w") as file:
        ...     print("one", "two", sep="\\n", file=file)
        >>> reader = LineReader(path)
        >>> reader.readline(2), reader.len()
        ('two', 2)
        >>> reader.close()
    """

    _file = None

    @checked
    def __init__(self, filename: Str):
        if not os.path.isfile(filename):
            raise RuntimeError(
                f"For 'LineReader', 'filename' must be that of a file, but got {filename!r}."
            )
        self.filename = os.path.realpath(filename)
        self.offsets = [0]
        with reading(filename), open(self.filename, "rb") as file:
            for line in file:
                self.offsets.append(self.offsets[-1] + len(line))
        self.offsets.pop()

    def len(self):
        """Returns the number of lines."""
        return len(self.offsets)

    __len__ = len

    @checked
    def readline(self, line: Int):
        """Returns a line without its line ending.

        Args:
            line: the number of the line, counted from 1.

        Raises:
            ValueError: if there is no such line.
            RuntimeError: if the line is not valid UTF-8.
        """
        if not 1 <= line <= len(self.offsets):
            raise ValueError(
                f"For 'readline', 'line' must be in [1, {len(self.offsets)}], but got {line}."
            )
        with reading(self.filename):
            if self._file is None:
                self._file = open(self.filename, "rb")
            self._file.seek(self.offsets[line - 1])
            set_position(self.filename, line)
            text = self._file.readline().decode()
        for end in ("\r\n", "\n", "\r"):
            if text.endswith(end):
                return text[: -len(end)]
        return text

    __getitem__ = readline

    def close(self):
        """Closes the file; the next read reopens it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self):
        self.close()
