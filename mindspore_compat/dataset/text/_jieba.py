"""JiebaTokenizer: Chinese word segmentation by a dictionary and a hidden Markov model.

The files come from cppjieba. Each line of the dictionary holds a word, its frequency and its kind.
The lines of the model that are neither empty nor begin with "#" hold logarithms of
probabilities: of initial positions, of transitions between positions, and of characters at
positions. The positions are B, E, M and S: the beginning, end and middle of a word, and a
single-character word.
"""

import itertools
import math
import os
import re

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, Str
from ..._io.reading import lines, reading
from .._rules import AnInstance
from ._tokenizers import Tokenizer
from .utils import JiebaMode

__all__ = ["JiebaTokenizer"]

_NEVER = -3.14e100  # the logarithm of probability 0
_POSITIONS = "BEMS"
_LAST = (1, 3)  # the positions at which a word ends: E and S
_Frequency = Int(ge=0, le=2**32 - 1) | None
_LONGEST = 512
_SEPARATORS = re.compile("[ \t\n，。]")
_ASCII = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9][0-9.]*|[\0-\x7f]")


class JiebaTokenizer(Tokenizer):
    """Segments Chinese text into words.

    Args:
        hmm_path (str): the file of the hidden Markov model, "hmm_model.utf8" of cppjieba.
        mp_path (str): the file of the dictionary, "jieba.dict.utf8" of cppjieba.
        mode (JiebaMode, optional): the method of segmentation; see `JiebaMode`.
        with_offsets (bool, optional): whether to return the start and end of each word, in bytes.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there is no such file.
        RuntimeError: if a file is not valid; or, when it is used, if the input is not text without
            axes.

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model, words = os.path.join(folder, "hmm.utf8"), os.path.join(folder, "dict.utf8")
        ...     with open(words, "w", encoding="utf-8") as file:
        ...         print("今天 9 t", "天气 5 n", "天 5 n", "好 8 a", sep="\\n", file=file)
        ...     with open(model, "w", encoding="utf-8") as file:
        ...         print("-1 -99 -99 -1", *["-1 -1 -1 -1"] * 4, *["天:-1"] * 4, sep="\\n",
        ...               file=file)
        ...     tokenizer = text.JiebaTokenizer(model, words, text.JiebaMode.MP)
        >>> print(tokenizer("今天天气好"))
        ['今天' '天气' '好']

    Source: mindspore.dataset.text.JiebaTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        hmm_path: Str,
        mp_path: Str,
        mode: AnInstance(JiebaMode) = JiebaMode.MIX,
        with_offsets: Bool = False,
    ):
        super().__init__(with_offsets)
        for name, path in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            if not os.path.isfile(path):
                raise ValueError(
                    f"For 'JiebaTokenizer', '{name}' must be that of a file, but got {path!r}."
                )
        self.mode = mode
        with reading(mp_path, problem="is no dictionary of words", api="JiebaTokenizer"):
            self._words = _Dictionary(mp_path)
        with reading(hmm_path, problem="is no hidden Markov model", api="JiebaTokenizer"):
            self._model = _Model(hmm_path)

    def add_word(self, word, freq=None):
        """Adds a word to the dictionary.

        Args:
            word (str): the word.
            freq (int, optional): its frequency; by default, the word gets the median probability of
                the dictionary.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `freq` is negative or above 2**32 - 1.
        """
        _check_word("add_word", word, freq)
        self._words.add(word, freq)

    def add_dict(self, user_dict):
        """Adds words to the dictionary.

        Args:
            user_dict (Union[str, dict[str, int]]): frequencies of words, or a file with a word and
                its frequency on each line; other lines are ignored.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a frequency is negative or above 2**32 - 1, or there is no such file.
            RuntimeError: if the file cannot be read.
        """
        api = "add_dict"
        if isinstance(user_dict, str):
            user_dict = _frequencies(api, user_dict)
        else:
            InstanceOf(dict).called("a dict or the name of a file").refuse(
                api, "user_dict", user_dict
            )
            for word, freq in user_dict.items():
                _check_word(api, word, freq)
        for word, freq in user_dict.items():
            self._words.add(word, freq)

    def _spans(self, text):
        start = 0
        for part in _split(text):
            for word in self._cut(part):
                yield start, start + len(word), word
                start += len(word)

    def _cut(self, text):
        """Returns the words of a text that is a separator or contains none."""
        if _SEPARATORS.fullmatch(text):
            return [text]
        if self.mode == JiebaMode.HMM:
            return self._model.cut(text)
        words = self._words.cut(text)
        if self.mode == JiebaMode.MP:
            return words
        result = []
        for single, group in itertools.groupby(words, key=lambda word: len(word) == 1):
            group = list(group)
            result += self._model.cut("".join(group)) if single else group
        return result


def _check_word(api, word, freq):
    """Refuses a word that cannot be added to a dictionary."""
    Str.refuse(api, "word", word)
    _Frequency.refuse(api, "freq", freq)


def _split(text):
    """Yields the separators of a text and the parts between them."""
    start = 0
    for match in _SEPARATORS.finditer(text):
        if match.start() > start:
            yield text[start : match.start()]
        yield match.group()
        start = match.end()
    if start < len(text):
        yield text[start:]


def _frequencies(api, path):
    """Returns the word frequencies in a file."""
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', 'user_dict' must name a file, but got {path!r}.")
    with reading(path, problem="is no file of words", api=api):
        entries = [line.partition(" ")[::2] for line in lines(path)]
    with reading(path, ValueError, "is no file of words", api):
        counts = {word: int(count) for word, count in entries if count.isdecimal()}
        for word, count in counts.items():
            _check_word(api, word, count)
    return counts


class _Dictionary:
    """A dictionary of log probabilities of words that finds the most probable words of a text."""

    def __init__(self, path):
        entries = [line.split(" ") for line in lines(path)]
        counts = [(word, float(count)) for word, count, _ in entries]
        self._total = sum(count for _, count in counts)
        if not (min((count for _, count in counts), default=0) > 0 and self._total < math.inf):
            raise ValueError("the frequencies of words must be finite numbers above 0")
        self._weights = {word: math.log(count / self._total) for word, count in counts}
        weights = sorted(self._weights.values())
        self._least, self._middle = weights[0], weights[len(weights) // 2]
        self._heads = {head for word in self._weights for head in _heads(word)}

    def add(self, word, count):
        """Adds a word. `count` is its frequency; with None or 0 the word gets the median weight."""
        self._weights[word] = math.log(count / self._total) if count else self._middle
        self._heads.update(_heads(word))

    def cut(self, text):
        """Returns the words of a text with the greatest product of probabilities."""
        best = [(0.0, 0)] * (len(text) + 1)
        for start in reversed(range(len(text))):
            best[start] = max(
                ((weight + best[end][0], end) for end, weight in self._words_at(text, start)),
                key=_weight,  # among equal weights the first, which is the shortest
            )
        words, start = [], 0
        while start < len(text):
            end = best[start][1]
            words.append(text[start:end])
            start = end
        return words

    def _words_at(self, text, start):
        """Yields (end, weight) of the character at `start`, and of longer words that begin
        there."""
        yield start + 1, self._weights.get(text[start], self._least)
        for end in range(start + 2, min(len(text), start + _LONGEST) + 1):
            if text[start : end - 1] not in self._heads:
                return
            weight = self._weights.get(text[start:end])
            if weight is not None:
                yield end, weight


def _heads(word):
    """Returns the proper prefixes of a word that can occur in a text, up to the longest word."""
    return (word[:length] for length in range(1, min(len(word), _LONGEST)))


class _Model:
    """A hidden Markov model of character positions in words."""

    def __init__(self, path):
        entries = [line for line in map(str.strip, lines(path)) if line and line[0] != "#"]
        self._weight = _numbers(entries[0])
        self._next = [_numbers(line) for line in entries[1:5]]
        self._emission_tables = [_emissions(line) for line in entries[5:9]]
        if len(self._emission_tables) != len(_POSITIONS):
            raise ValueError(f"there must be 9 lines, but got {len(entries)}")

    def cut(self, text):
        """Returns the words of a text; runs of ASCII characters are separate words."""
        words, start = [], 0
        while start < len(text):
            match = _ASCII.match(text, start)
            if match:
                words.append(match.group())
                start = match.end()
                continue
            end = next((i for i in range(start, len(text)) if text[i] < "\x80"), len(text))
            words += self._cut(text[start:end])
            start = end
        return words

    def _cut(self, text):
        ends = [index + 1 for index, at in enumerate(self._positions(text)) if at in _LAST]
        ends += [] if ends and ends[-1] == len(text) else [len(text)]
        return [text[start:end] for start, end in itertools.pairwise([0, *ends])]

    def _positions(self, text):
        """Returns the most probable positions of the characters, by the Viterbi algorithm."""
        weights = [
            first + emissions.get(text[0], _NEVER)
            for first, emissions in zip(self._weight, self._emission_tables, strict=True)
        ]
        steps = []
        for char in text[1:]:
            paths = [self._best_path(weights, new, char) for new in range(len(_POSITIONS))]
            weights = [weight for weight, _ in paths]
            steps.append([old for _, old in paths])
        position = max(_LAST, key=lambda index: weights[index])
        positions = [position]
        for previous in reversed(steps):
            position = previous[position]
            positions.append(position)
        return positions[::-1]

    def _best_path(self, weights, new, char):
        """Returns (weight, previous position) of the best path to a position of a character."""
        emission = self._emission_tables[new].get(char, _NEVER)
        ways = [
            (weights[old] + self._next[old][new] + emission, old) for old in range(len(weights))
        ]
        return max([(_NEVER, _LAST[0]), *ways], key=_weight)


def _weight(pair):
    return pair[0]


def _numbers(line):
    """Returns the four numbers on a line."""
    numbers = [float(number) for number in line.split(" ")]
    if len(numbers) != len(_POSITIONS):
        raise ValueError(f"there must be four numbers on a line, but got {len(numbers)}")
    return numbers


def _emissions(line):
    """Returns the log probabilities by character."""
    pairs = (pair.rsplit(":", 1) for pair in line.split(","))
    return {char: float(weight) for char, weight in pairs}
