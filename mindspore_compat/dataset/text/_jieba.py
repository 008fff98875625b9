"""JiebaTokenizer: Chinese text cut into words, by a dictionary and by a hidden Markov model.

The files are those of cppjieba. The dictionary has a word, its frequency and its kind on each line;
the model has, on lines that are neither empty nor begin with "#", the logarithms of the
probabilities that text begins with a position, that one position follows another, and that a
character stands at a position. The positions are B, E, M and S: the beginning, end and middle of a
word, and a word by itself.
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

_NEVER = -3.14e100  # the logarithm of the probability of what does not happen
_POSITIONS = "BEMS"
_LAST = (1, 3)  # the positions at which a word ends: E and S
_Frequency = Int(ge=0, le=2**32 - 1) | None
_LONGEST = 512
_SEPARATORS = re.compile("[ \t\n，。]")
_ASCII = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9][0-9.]*|[\0-\x7f]")


class JiebaTokenizer(Tokenizer):
    """Cuts Chinese text into words.

    Args:
        hmm_path (str): the file of the hidden Markov model, "hmm_model.utf8" of cppjieba.
        mp_path (str): the file of the dictionary, "jieba.dict.utf8" of cppjieba.
        mode (JiebaMode, optional): what the text is cut by; see `JiebaMode`.
        with_offsets (bool, optional): whether to give where each word begins and ends, in bytes.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: there is no such file.
        RuntimeError: a file is not what it should be; or, when it is used, the input is no text
            without axes.

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
            freq (int, optional): its frequency; by default the word is as probable as the one in
                the middle of the dictionary.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: `freq` is negative or above 2**32 - 1.
        """
        _check_word("add_word", word, freq)
        self._words.add(word, freq)

    def add_dict(self, user_dict):
        """Adds words to the dictionary.

        Args:
            user_dict (Union[str, dict[str, int]]): frequencies of words; or a file that has a word
                and its frequency on each line, whose other lines are ignored.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a frequency is negative or above 2**32 - 1, or there is no such file.
            RuntimeError: the file cannot be read.
        """
        api = "add_dict"
        if isinstance(user_dict, str):
            user_dict = _frequencies(api, user_dict)
        InstanceOf(dict).called("a dict or the name of a file").refuse(api, "user_dict", user_dict)
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
        """The words of text that is a separator or holds none."""
        if _SEPARATORS.fullmatch(text):
            return [text]
        if self.mode == JiebaMode.HMM:
            return self._model.cut(text)
        words = self._words.cut(text)
        if self.mode == JiebaMode.MP:
            return words
        mixed = []
        for single, run in itertools.groupby(words, key=lambda word: len(word) == 1):
            run = list(run)
            mixed += self._model.cut("".join(run)) if single else run
        return mixed


def _check_word(api, word, freq):
    """Refuses what cannot be added to a dictionary."""
    Str.refuse(api, "word", word)
    _Frequency.refuse(api, "freq", freq)


def _split(text):
    """The separators of text and what is between them."""
    start = 0
    for found in _SEPARATORS.finditer(text):
        if found.start() > start:
            yield text[start : found.start()]
        yield found.group()
        start = found.end()
    if start < len(text):
        yield text[start:]


def _frequencies(api, path):
    """The frequencies of words in a file."""
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', 'user_dict' must name a file, but got {path!r}.")
    with reading(path, problem="is no file of words", api=api):
        fields = [line.split(" ") for line in lines(path)]
    return {field[0]: int(field[1]) for field in fields if len(field) == 2 and field[1].isdecimal()}


class _Dictionary:
    """The logarithms of the probabilities of words, and the most probable words of a text."""

    def __init__(self, path):
        entries = [line.split(" ") for line in lines(path)]
        counts = [(word, float(count)) for word, count, _ in entries]
        self._total = sum(count for _, count in counts)
        self._weights = {word: math.log(count / self._total) for word, count in counts}
        ordered = sorted(self._weights.values())
        self._least, self._middle = ordered[0], ordered[len(ordered) // 2]
        self._heads = {head for word in self._weights for head in _heads(word)}

    def add(self, word, count):
        """Adds a word, of a frequency or, for None and 0, of the middle weight."""
        self._weights[word] = math.log(count / self._total) if count else self._middle
        self._heads.update(_heads(word))

    def cut(self, text):
        """The words of a text whose product of probabilities is the greatest."""
        best = [(0.0, 0)] * (len(text) + 1)
        for start in reversed(range(len(text))):
            best[start] = max(
                ((weight + best[end][0], end) for end, weight in self._words_at(text, start)),
                key=_first,  # of equals the first, which is the shortest
            )
        words, start = [], 0
        while start < len(text):
            end = best[start][1]
            words.append(text[start:end])
            start = end
        return words

    def _words_at(self, text, start):
        """(end, weight) of the character at `start`, and of the longer words that begin there."""
        yield start + 1, self._weights.get(text[start], self._least)
        for end in range(start + 2, min(len(text), start + _LONGEST) + 1):
            if text[start : end - 1] not in self._heads:
                return
            weight = self._weights.get(text[start:end])
            if weight is not None:
                yield end, weight


def _heads(word):
    """What a word begins with, without the word itself."""
    return (word[:length] for length in range(1, len(word)))


class _Model:
    """A hidden Markov model of the positions of characters in words."""

    def __init__(self, path):
        entries = [line for line in map(str.strip, lines(path)) if line and line[0] != "#"]
        self._first = _numbers(entries[0])
        self._next = [_numbers(line) for line in entries[1:5]]
        self._emitted = [_emissions(line) for line in entries[5:9]]
        if len(self._emitted) != len(_POSITIONS):
            raise ValueError(f"there must be 9 lines, but got {len(entries)}")

    def cut(self, text):
        """The words of a text; what is in ASCII is cut by itself."""
        words, start = [], 0
        while start < len(text):
            found = _ASCII.match(text, start)
            if found:
                words.append(found.group())
                start = found.end()
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
        """The most probable positions of the characters, by Viterbi's algorithm."""
        weights = [
            first + emitted.get(text[0], _NEVER)
            for first, emitted in zip(self._first, self._emitted, strict=True)
        ]
        steps = []
        for char in text[1:]:
            reached = [self._reached(weights, new, char) for new in range(len(_POSITIONS))]
            weights = [weight for weight, _ in reached]
            steps.append([old for _, old in reached])
        position = max(_LAST, key=lambda each: weights[each])
        found = [position]
        for chosen in reversed(steps):
            position = chosen[position]
            found.append(position)
        return found[::-1]

    def _reached(self, weights, new, char):
        """(weight, position before) of the best way to a position of a character."""
        emitted = self._emitted[new].get(char, _NEVER)
        ways = [(weights[old] + self._next[old][new] + emitted, old) for old in range(len(weights))]
        return max([(_NEVER, _LAST[0]), *ways], key=_first)


def _first(pair):
    return pair[0]


def _numbers(line):
    """The four numbers of a line."""
    numbers = [float(number) for number in line.split(" ")]
    if len(numbers) != len(_POSITIONS):
        raise ValueError(f"there must be four numbers on a line, but got {len(numbers)}")
    return numbers


def _emissions(line):
    """The logarithms of probabilities by character."""
    pairs = (pair.rsplit(":", 1) for pair in line.split(","))
    return {char: float(weight) for char, weight in pairs}
