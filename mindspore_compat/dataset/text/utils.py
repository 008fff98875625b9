"""Vocab, the enumerations of text transforms, and conversion between text and bytes.

Pre-trained vectors are in `vectors.py` and SentencePieceVocab is in `sentence_pieces.py`; both are
also exported here.
"""

from collections import Counter
from enum import IntEnum

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int, ListOf, Str
from ..._io.reading import lines, reading
from .._rules import AnInstance, positive
from ..engine.operations import column_indices
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
    """The forms of Unicode normalization.

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
    """The segmentation methods of `JiebaTokenizer`.

    MP uses the most probable words of the dictionary, HMM the most probable positions of the
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
    """A vocabulary: maps tokens to ids. Create it by `from_list`, `from_dict`, `from_file` or
    `from_dataset`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Vocab.from_list(["a", "b"]).vocab())
        {'a': 0, 'b': 1}

    Source: mindspore.dataset.text.utils.Vocab of MindSpore 2.10.
    """

    def __init__(self):
        self._number_of, self._token_of = {}, {}

    @classmethod
    def _from_pairs(cls, numbers):
        vocab = cls()
        vocab._number_of = dict(numbers)
        vocab._token_of = {number: token for token, number in vocab._number_of.items()}
        return vocab

    @classmethod
    def _with_specials(cls, api, tokens, special_tokens, special_first):
        specials = list(special_tokens or ())
        duplicates = set(specials) & set(tokens)
        if duplicates or len(set(specials)) < len(specials) or len(set(tokens)) < len(tokens):
            raise ValueError(
                f"For '{api}', no token must come twice, but got tokens with "
                f"{len(tokens) - len(set(tokens))} repeats and special tokens "
                f"{specials}, of which {sorted(duplicates)} are tokens too."
            )
        all_tokens = [*specials, *tokens] if special_first else [*tokens, *specials]
        return cls._from_pairs((token, number) for number, token in enumerate(all_tokens))

    @classmethod
    def from_list(cls, word_list, special_tokens=None, special_first=True):
        """Makes a Vocab from a list of tokens, numbered in order.

        Args:
            word_list (list[str]): the tokens.
            special_tokens (list[str], optional): tokens added before or after the others.
            special_first (bool, optional): whether the special tokens come first.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a token occurs twice.
        """
        _check_list(word_list, special_tokens, special_first)
        return cls._with_specials("from_list", word_list, special_tokens, special_first)

    @classmethod
    def from_dict(cls, word_dict):
        """Makes a Vocab from a dict of ids by token.

        Args:
            word_dict (dict[str, int]): the ids.

        Raises:
            TypeError: if `word_dict` is not such a dict.
            ValueError: if an id is negative.
        """
        if not isinstance(word_dict, dict) or not all(
            isinstance(token, str) and type(number) is int for token, number in word_dict.items()
        ):
            raise TypeError(
                f"For 'from_dict', 'word_dict' must map str to int, but got {word_dict!r}."
            )
        if any(number < 0 for number in word_dict.values()):
            raise ValueError(f"For 'from_dict', numbers must be >= 0, but got {word_dict!r}.")
        return cls._from_pairs(word_dict.items())

    @classmethod
    def from_file(
        cls, file_path, delimiter="", vocab_size=None, special_tokens=None, special_first=True
    ):
        """Makes a Vocab from the lines of a file, numbered in order.

        Args:
            file_path (str): the file.
            delimiter (str, optional): the end of the token in a line; by default the whole line is
                the token.
            vocab_size (int, optional): the maximum number of lines to read.
            special_tokens (list[str], optional): tokens added before or after the others.
            special_first (bool, optional): whether the special tokens come first.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a token occurs twice, or `vocab_size` is not positive.
            RuntimeError: if the file cannot be read, or is not UTF-8.
        """
        _check_file(file_path, delimiter, vocab_size, special_tokens, special_first)
        with reading(file_path, problem="is no file of tokens", api="from_file"):
            all_lines = list(lines(file_path))
        tokens = [
            line.split(delimiter)[0] if delimiter else line for line in all_lines[:vocab_size]
        ]
        with reading(file_path, ValueError, problem="is no file of tokens", api="from_file"):
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
        """Makes a Vocab from the text of a dataset, with the most frequent tokens first.

        Args:
            dataset (Dataset): the dataset with the text.
            columns (Union[str, list[str]], optional): the columns to read; by default all.
            freq_range (tuple[int, int], optional): the minimum and maximum frequency of a token;
                None means no limit.
            top_k (int, optional): the maximum number of tokens to take.
            special_tokens (list[str], optional): tokens added before or after the others.
            special_first (bool, optional): whether the special tokens come first.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a number is out of range, or a special token is in the text.
        """
        columns = [columns] if isinstance(columns, str) else columns
        _check_dataset(dataset, columns, freq_range, top_k, special_tokens, special_first)
        names = dataset.get_col_names()
        indices = column_indices("from_dataset", names, columns or names)
        counts = Counter()
        for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
            for index in indices:
                counts.update(np.ravel(row[index]).tolist())
        low, high = freq_range or (None, None)
        entries = [
            (token, count)
            for token, count in counts.items()
            if (low is None or count >= low) and (high is None or count <= high)
        ]
        entries.sort(key=lambda entry: (-entry[1], entry[0]))
        tokens = [token for token, _ in entries[:top_k]]
        return cls._with_specials("from_dataset", tokens, special_tokens, special_first)

    def vocab(self):
        """Returns the vocabulary as a dict of ids by token."""
        return dict(self._number_of)

    def tokens_to_ids(self, tokens):
        """Converts tokens to a list of ids, or one token to its id; -1 for unknown tokens.

        Args:
            tokens (Union[str, list[str], numpy.ndarray]): one token, or several.

        Raises:
            TypeError: if `tokens` is neither.
        """
        several = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        if isinstance(several, str):
            return self._number_of.get(several, -1)
        _Tokens.refuse("tokens_to_ids", "tokens", several)
        return _single([self._number_of.get(token, -1) for token in several])

    def ids_to_tokens(self, ids):
        """Converts ids to a list of tokens, or one id to its token; "" for unknown ids.

        Args:
            ids (Union[int, list[int], numpy.ndarray]): one id, or several.

        Raises:
            TypeError: if `ids` is neither.
            ValueError: if an id is negative.
        """
        several = ids.tolist() if isinstance(ids, np.ndarray) else ids
        numbers = several if isinstance(several, list) else [several]
        if not all(type(number) is int for number in numbers):
            raise TypeError(
                f"For 'ids_to_tokens', 'ids' must be an int or several, but got {ids!r}."
            )
        if any(number < 0 for number in numbers):
            raise ValueError(f"For 'ids_to_tokens', 'ids' must be >= 0, but got {ids!r}.")
        return _single([self._token_of.get(number, "") for number in numbers])


def _single(items):
    """Returns the only item of a list, or the list itself."""
    return items[0] if len(items) == 1 else items


@checked
def _check_list(word_list: ListOf(Str), special_tokens: _Specials | None, special_first: Bool):
    """Checks the arguments of `Vocab.from_list`."""


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
    """Checks the arguments of `Vocab.from_file`."""


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
    dataset: Instead(AnInstance(Dataset), AttributeError),
    columns: ListOf(Str) | None,
    freq_range: AnInstance(tuple) | None,
    top_k: Int(ge=1) | None,
    special_tokens: _Specials | None,
    special_first: Bool,
):
    """Checks the arguments of `Vocab.from_dataset`."""


def to_str(array, encoding="utf8"):
    """Decodes an array of bytes to text.

    Args:
        array (numpy.ndarray): bytes; text is returned unchanged.
        encoding (str, optional): the encoding.

    Raises:
        TypeError: if it is neither bytes nor text.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.to_str(np.array([b"a"])))
        ['a']

    Source: mindspore.dataset.text.utils.to_str of MindSpore 2.10.
    """
    InstanceOf(np.ndarray).refuse("to_str", "array", array)
    return _convert("to_str", array, encoding, "U", np.char.decode)


def to_bytes(array, encoding="utf8"):
    """Encodes an array of text to bytes.

    Args:
        array (numpy.ndarray): text; bytes are returned unchanged.
        encoding (str, optional): the encoding.

    Raises:
        TypeError: if it is neither bytes nor text.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.to_bytes(np.array(["a"])))
        [b'a']

    Source: mindspore.dataset.text.utils.to_bytes of MindSpore 2.10.
    """
    AsValue(InstanceOf(np.ndarray)).refuse("to_bytes", "array", array)
    return _convert("to_bytes", array, encoding, "S", np.char.encode)


def _convert(api, array, encoding, kind, convert):
    if array.dtype.kind not in "SU":
        raise TypeError(
            f"For '{api}', 'array' must be an array of text or bytes, but got {array!r}."
        )
    return array if array.dtype.kind == kind else convert(array, encoding)
