"""Vocab, the choices that transforms of text take, and conversion between text and bytes.

Pre-trained vectors are in `vectors.py`, the vocabulary of SentencePiece in `sentence_pieces.py`;
both are shown here too.
"""

from collections import Counter
from enum import IntEnum

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, Int, ListOf, Str
from ..._io.reading import lines, reading
from .._rules import AnInstance, positive
from ..engine.operations import known
from ..engine.pipeline import Dataset
from .sentence_pieces import (
    DE_C_INTER_SENTENCEPIECE_MODE,
    SentencePieceModel,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from .vectors import CharNGram, FastText, GloVe, Vectors

__all__ = [
    "CharNGram",
    "DE_C_INTER_SENTENCEPIECE_MODE",
    "FastText",
    "GloVe",
    "JiebaMode",
    "NormalizeForm",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
    "Vectors",
    "Vocab",
    "to_bytes",
    "to_str",
]

_Tokens = ListOf(Str).called("a str or several")


class NormalizeForm(IntEnum):
    """A form of normalization of Unicode.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> str(text.NormalizeUTF8(text.NormalizeForm.NFKC)("ｱ"))
        'ア'

    Source: mindspore.dataset.text.utils.NormalizeForm of MindSpore 2.10.
    """

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class JiebaMode(IntEnum):
    """How `JiebaTokenizer` cuts text.

    MP takes the most probable words of the dictionary, HMM the most probable positions of the
    characters in words, and MIX uses HMM where MP leaves single characters.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> [mode.name for mode in text.JiebaMode]
        ['MIX', 'MP', 'HMM']

    Source: mindspore.dataset.text.utils.JiebaMode of MindSpore 2.10.
    """

    MIX = 0
    MP = 1
    HMM = 2


_Specials = ListOf(Str)


class Vocab:
    """Numbers of tokens. It is made by `from_list`, `from_dict`, `from_file` or `from_dataset`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Vocab.from_list(["a", "b"]).vocab())
        {'a': 0, 'b': 1}

    Source: mindspore.dataset.text.utils.Vocab of MindSpore 2.10.
    """

    def __init__(self):
        self._number_of, self._token_of = {}, {}

    @classmethod
    def _made(cls, numbers):
        made = cls()
        made._number_of = dict(numbers)
        made._token_of = {number: token for token, number in made._number_of.items()}
        return made

    @classmethod
    def _with_specials(cls, api, tokens, special_tokens, special_first):
        specials = list(special_tokens or ())
        both = set(specials) & set(tokens)
        if both or len(set(specials)) < len(specials) or len(set(tokens)) < len(tokens):
            raise ValueError(
                f"For '{api}', no token must come twice, but got tokens with "
                f"{len(tokens) - len(set(tokens))} repeats and special tokens "
                f"{specials}, of which {sorted(both)} are tokens too."
            )
        ordered = [*specials, *tokens] if special_first else [*tokens, *specials]
        return cls._made((token, number) for number, token in enumerate(ordered))

    @classmethod
    def from_list(cls, word_list, special_tokens=None, special_first=True):
        """Makes a Vocab of a list of tokens, numbered in order.

        Args:
            word_list (list[str]): the tokens.
            special_tokens (list[str], optional): tokens put before or after them.
            special_first (bool, optional): whether they come before.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a token comes twice.
        """
        _check_list(word_list, special_tokens, special_first)
        return cls._with_specials("from_list", word_list, special_tokens, special_first)

    @classmethod
    def from_dict(cls, word_dict):
        """Makes a Vocab of numbers by token.

        Args:
            word_dict (dict[str, int]): the numbers.

        Raises:
            TypeError: it is no such dict.
            ValueError: a number is negative.
        """
        if not isinstance(word_dict, dict) or not all(
            isinstance(token, str) and type(number) is int for token, number in word_dict.items()
        ):
            raise TypeError(
                f"For 'from_dict', 'word_dict' must map str to int, but got {word_dict!r}."
            )
        if any(number < 0 for number in word_dict.values()):
            raise ValueError(f"For 'from_dict', numbers must be >= 0, but got {word_dict!r}.")
        return cls._made(word_dict.items())

    @classmethod
    def from_file(
        cls, file_path, delimiter="", vocab_size=None, special_tokens=None, special_first=True
    ):
        """Makes a Vocab of the lines of a file, numbered in order.

        Args:
            file_path (str): the file.
            delimiter (str, optional): ends the token in a line; by default the line is the token.
            vocab_size (int, optional): how many lines are read at most.
            special_tokens (list[str], optional): tokens put before or after them.
            special_first (bool, optional): whether they come before.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a token comes twice, or `vocab_size` is not positive.
            RuntimeError: the file cannot be read, or is no UTF-8.
        """
        _check_file(file_path, delimiter, vocab_size, special_tokens, special_first)
        with reading(file_path, problem="is no file of tokens", api="from_file"):
            all_lines = list(lines(file_path))
        tokens = [
            line.split(delimiter)[0] if delimiter else line for line in all_lines[:vocab_size]
        ]
        return cls._with_specials("from_file", tokens, special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset,
        columns=None,
        freq_range=None,
        top_k=None,
        special_tokens=None,
        special_first=True,
    ):
        """Makes a Vocab of the text in a dataset, the most frequent tokens first.

        Args:
            dataset (Dataset): the text.
            columns (Union[str, list[str]], optional): its columns; by default all.
            freq_range (tuple[int, int], optional): how often a token comes at least and at most;
                None is no limit.
            top_k (int, optional): how many tokens are taken at most.
            special_tokens (list[str], optional): tokens put before or after them.
            special_first (bool, optional): whether they come before.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a number is out of range, or a special token is in the text.
        """
        columns = [columns] if isinstance(columns, str) else columns
        _check_dataset(dataset, columns, freq_range, top_k, special_tokens, special_first)
        names = dataset.get_col_names()
        indices = known("from_dataset", names, columns or names)
        counts = Counter()
        for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
            for index in indices:
                counts.update(np.ravel(row[index]).tolist())
        low, high = freq_range or (None, None)
        chosen = [
            (token, count)
            for token, count in counts.items()
            if (low is None or count >= low) and (high is None or count <= high)
        ]
        chosen.sort(key=lambda entry: (-entry[1], entry[0]))
        tokens = [token for token, _ in chosen[:top_k]]
        return cls._with_specials("from_dataset", tokens, special_tokens, special_first)

    def vocab(self):
        """Returns the numbers by token."""
        return dict(self._number_of)

    def tokens_to_ids(self, tokens):
        """Returns the ids of tokens, of a single one without the list; -1 where it is missing.

        Args:
            tokens (Union[str, list[str], numpy.ndarray]): a token, or several.

        Raises:
            TypeError: it is neither.
        """
        several = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        if isinstance(several, str):
            return self._number_of.get(several, -1)
        _Tokens.refuse("tokens_to_ids", "tokens", several)
        return _single([self._number_of.get(each, -1) for each in several])

    def ids_to_tokens(self, ids):
        """Returns the tokens of ids, of a single one without the list; "" where it is missing.

        Args:
            ids (Union[int, list[int], numpy.ndarray]): a number, or several.

        Raises:
            TypeError: it is neither.
            ValueError: one is negative.
        """
        several = ids.tolist() if isinstance(ids, np.ndarray) else ids
        listed = several if isinstance(several, list) else [several]
        if not all(type(each) is int for each in listed):
            raise TypeError(
                f"For 'ids_to_tokens', 'ids' must be an int or several, but got {ids!r}."
            )
        if any(each < 0 for each in listed):
            raise ValueError(f"For 'ids_to_tokens', 'ids' must be >= 0, but got {ids!r}.")
        return _single([self._token_of.get(each, "") for each in listed])


def _single(found):
    """The only member of a list, or the list."""
    return found[0] if len(found) == 1 else found


@checked
def _check_list(word_list: ListOf(Str), special_tokens: _Specials | None, special_first: Bool):
    """Refuses arguments of `Vocab.from_list`."""


@checked(
    Forbid(
        "special_tokens and len(set(special_tokens)) < len(special_tokens)",
        ValueError,
        "'special_tokens' must not hold a token twice",
    )
)
def _check_file(
    file_path: Str,
    delimiter: Str,
    vocab_size: positive | None,
    special_tokens: _Specials | None,
    special_first: Bool,
):
    """Refuses arguments of `Vocab.from_file`."""


@checked(
    Forbid(
        "freq_range is not None and len(freq_range) != 2",
        ValueError,
        "'freq_range' must have two entries",
    ),
    Forbid(
        "freq_range is not None and any(each is not None and (type(each) is not int) "
        "for each in freq_range)",
        TypeError,
        "'freq_range' must hold ints or None",
    ),
    Forbid(
        "freq_range is not None and None not in freq_range and freq_range[0] > freq_range[1]",
        ValueError,
        "'freq_range' must have its least number first",
    ),
    Forbid(
        "freq_range is not None and any(each is not None and each < 0 for each in freq_range)",
        ValueError,
        "'freq_range' must be >= 0",
    ),
)
def _check_dataset(
    dataset: AnInstance(Dataset),
    columns: ListOf(Str) | None,
    freq_range: AnInstance(tuple) | None,
    top_k: Int(ge=1) | None,
    special_tokens: _Specials | None,
    special_first: Bool,
):
    """Refuses arguments of `Vocab.from_dataset`."""


def to_str(array, encoding="utf8"):
    """Returns an array of bytes decoded to text.

    Args:
        array (numpy.ndarray): bytes, or text, which stays as it is.
        encoding (str, optional): the encoding.

    Raises:
        TypeError: it is neither bytes nor text.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.to_str(np.array([b"a"])))
        ['a']

    Source: mindspore.dataset.text.utils.to_str of MindSpore 2.10.
    """
    return _converted("to_str", array, encoding, "U", np.char.decode)


def to_bytes(array, encoding="utf8"):
    """Returns an array of text encoded to bytes.

    Args:
        array (numpy.ndarray): text, or bytes, which stay as they are.
        encoding (str, optional): the encoding.

    Raises:
        TypeError: it is neither bytes nor text.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.to_bytes(np.array(["a"])))
        [b'a']

    Source: mindspore.dataset.text.utils.to_bytes of MindSpore 2.10.
    """
    return _converted("to_bytes", array, encoding, "S", np.char.encode)


def _converted(api, array, encoding, kind, convert):
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "SU":
        raise TypeError(
            f"For '{api}', 'array' must be an array of text or bytes, but got {array!r}."
        )
    return array if array.dtype.kind == kind else convert(array, encoding)
