"""Pre-trained word vectors, read from text files: Vectors, GloVe, FastText and CharNGram.

Each line holds a word and its numbers, separated by blanks. Header lines with a single number give
the numbers of words and dimensions; they are skipped. Words are stored as UTF-8 bytes. The
transform that looks up words is `ToVectors` in `transforms.py`.
"""

import math
import os
import re

import numpy as np

from ..._core.rules.vocabulary import Str
from ..._io.reading import reading, set_position
from .._rules import natural

__all__ = ["CharNGram", "FastText", "GloVe", "Vectors"]

_NUMBER = re.compile(
    rb"\s*([+-]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf(inity)?|nan))", re.I
)
_Most = natural | None
_GRAM_LENGTHS = (2, 3, 4)


class Vectors:
    """Pre-trained word vectors; created by `from_file` and used by `ToVectors`.

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "vectors.txt")
        ...     with open(path, "w") as file:
        ...         print("good 1 2", "day 3 4.5", sep="\\n", file=file)
        ...     vectors = text.Vectors.from_file(path)
        >>> text.ToVectors(vectors)(["day", "night"])
        array([[3. , 4.5],
               [0. , 0. ]], dtype=float32)

    Source: mindspore.dataset.text.utils.Vectors of MindSpore 2.10.
    """

    _file_name = re.compile("")

    def __init__(self):
        self._row_of, self._table = {}, np.empty((0, 0), np.float32)

    @classmethod
    def from_file(cls, file_path, max_vectors=None):
        """Reads word vectors from a text file with a word and its numbers on each line.

        If a word occurs twice, the first line is used.

        Args:
            file_path (str): the file. For GloVe, its name must be "glove.*.txt"; for FastText,
                "*.vec".
            max_vectors (int, optional): the maximum number of vectors to read; None and 0 are no
                limit.

        Returns:
            the vectors, an instance of this class.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `max_vectors` is negative.
            RuntimeError: if the file cannot be read, has another name, holds no vectors, or the
                vectors differ in length or have a single number.
        """
        api = f"{cls.__name__}.from_file"
        Str.refuse(api, "file_path", file_path)
        _Most.refuse(api, "max_vectors", max_vectors)
        if not cls._file_name.search(os.path.basename(file_path)):
            raise RuntimeError(
                f"For '{api}', the name of 'file_path' must match "
                f"{cls._file_name.pattern!r}, but got {file_path!r}."
            )
        vectors = cls()
        with reading(file_path, problem="is no file of vectors", api=api):
            vectors._read(file_path, max_vectors or math.inf)
        return vectors

    def _read(self, path, most):
        rows, length = [], None
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                set_position(path, number)
                line = line.rstrip(b"\n")
                if length is None and line.removesuffix(b" ").count(b" ") == 1:
                    continue
                length = line.removesuffix(b" ").count(b" ") if length is None else length
                word, _, numbers = line.partition(b" ")
                row = _floats(numbers.split())
                if len(row) < 2 or len(row) != length:
                    raise ValueError(f"there must be {max(length, 2)} numbers, but got {len(row)}")
                if word not in self._row_of:
                    self._row_of[word] = len(rows)
                    rows.append(row)
                if len(rows) >= most:
                    break
        if not rows:
            raise ValueError("it holds no vectors")
        self._table = np.stack(rows)

    def _lookup(self, word, unknown, lower):
        """Returns the vector of a word; if it is unknown and `lower` is set, of the word in lower
        case."""
        word = word.encode()
        row = self._row_of.get(word)
        if row is None and lower:
            row = self._row_of.get(word.lower())
        return unknown if row is None else self._table[row]


class GloVe(Vectors):
    """Pre-trained GloVe word vectors, from files named "glove.*.txt".

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "glove.6B.2d.txt")
        ...     with open(path, "w") as file:
        ...         print("good 1 2", file=file)
        ...     vectors = text.GloVe.from_file(path)
        >>> text.ToVectors(vectors)("good")
        array([1., 2.], dtype=float32)

    Source: mindspore.dataset.text.utils.GloVe of MindSpore 2.10.
    """

    _file_name = re.compile(r"^glove\..*\.txt$")


class FastText(Vectors):
    """Pre-trained fastText word vectors, from files named "*.vec".

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "wiki.vec")
        ...     with open(path, "w") as file:
        ...         print("1 2", "good 1 2", sep="\\n", file=file)
        ...     vectors = text.FastText.from_file(path)
        >>> text.ToVectors(vectors)("good")
        array([1., 2.], dtype=float32)

    Source: mindspore.dataset.text.utils.FastText of MindSpore 2.10.
    """

    _file_name = re.compile(r"\.vec$")


class CharNGram(Vectors):
    """Pre-trained character n-gram vectors; the vector of a word is the mean over its n-grams.

    The n-grams have 2 to 4 of these entries: "#BEGIN#", the UTF-8 bytes of the word, and "#END#".
    The file names them "2gram-ab" or "3gram-#BEGIN#ab".

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "grams.txt")
        ...     with open(path, "w") as file:
        ...         print("2gram-#BEGIN#a 1 2", "2gram-a#END# 3 4", sep="\\n", file=file)
        ...     vectors = text.CharNGram.from_file(path)
        >>> text.ToVectors(vectors)("a")
        array([2., 3.], dtype=float32)

    Source: mindspore.dataset.text.utils.CharNGram of MindSpore 2.10.
    """

    def _lookup(self, word, unknown, lower):
        word = word.encode().lower() if lower else word.encode()
        parts = [b"#BEGIN#", *(word[index : index + 1] for index in range(len(word))), b"#END#"]
        runs = (
            b"%dgram-" % length + b"".join(parts[start : start + length])
            for length in _GRAM_LENGTHS
            for start in range(len(parts) - length + 1)
        )
        rows = [self._row_of[gram] for gram in runs if gram in self._row_of]
        return self._table[rows].mean(0) if rows else unknown


def _floats(numbers):
    """Parses numbers to float32 as in C: up to the first invalid character, or 0."""
    try:
        return np.array([float(number) for number in numbers], np.float32)
    except ValueError:
        return np.array([_leading_float(number) for number in numbers], np.float32)


def _leading_float(number):
    match = _NUMBER.match(number)
    if match is None:
        return 0.0
    if b"x" in match.group(1).lower():
        return float.fromhex(match.group(1).decode())
    return float(match.group(1))
