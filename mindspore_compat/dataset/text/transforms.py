"""Text transforms: vocabulary lookup, word vectors, normalization, sequences of tokens.

The tokenizers, also exported here, are in `_tokenizers.py` and `_jieba.py`.
"""

import re
import unicodedata

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.number_forms import number_of_tensor
from ..._core.rules.vocabulary import AsValue, Bool, DType, Int, ListOf, Number, Str
from ..._core.tensor import dtype as dtypes
from .._rules import AnInstance, natural, positive, sequence
from ..transforms.transforms import numeric_dtype
from ._base import UNICODE_FORMS, TextTensorOperation, map_text
from ._jieba import JiebaTokenizer
from ._tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    PythonTokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    UnicodeCharTokenizer,
    UnicodeScriptTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
)
from .utils import NormalizeForm, Vectors, Vocab

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "FilterWikipediaXML",
    "JiebaTokenizer",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SentencePieceTokenizer",
    "SlidingWindow",
    "TextTensorOperation",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]

_Length = natural | Bool


class Lookup(TextTensorOperation):
    """Looks up the ids of tokens in a Vocab.

    Args:
        vocab (Vocab): the vocabulary.
        unknown_token (str, optional): the token whose id replaces tokens that are not in `vocab`.
        data_type (mindspore.dtype, optional): the dtype of the result.

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if `unknown_token` is not in `vocab`; or, when it is used, if a token is not
            in `vocab` and there is no `unknown_token`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Lookup(ms.dataset.text.Vocab.from_list(["a", "b"]))("b"))
        1

    Source: mindspore.dataset.text.Lookup of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, vocab: AnInstance(Vocab), unknown_token: Str = None, data_type: DType = dtypes.int32
    ):
        self.vocab, self.unknown_token = vocab, unknown_token
        self.data_type = numeric_dtype("Lookup", data_type)
        self._unknown = -1 if unknown_token is None else vocab.tokens_to_ids(unknown_token)
        if unknown_token is not None and self._unknown < 0:
            raise RuntimeError(
                f"For 'Lookup', 'unknown_token' must be in 'vocab', but got {unknown_token!r}."
            )

    def _array(self, x, lead):
        numbers = [self._number(token) for token in self._text(x).ravel().tolist()]
        return np.array(numbers, np.int64).reshape(x.shape).astype(self.data_type)

    def _number(self, token):
        number = self.vocab.tokens_to_ids(token)
        number = self._unknown if number < 0 else number
        if number < 0:
            raise RuntimeError(
                f"For 'Lookup', the token {token!r} is not in 'vocab', and there is "
                f"no 'unknown_token'."
            )
        return number


class ToVectors(TextTensorOperation):
    """Looks up the vectors of words, in float32; the input has at most one axis.

    Args:
        vectors (Vectors): the vectors.
        unk_init (Union[list, tuple], optional): the vector of unknown words; by default zeros.
        lower_case_backup (bool, optional): whether to look up an unknown word in lower case;
            CharNGram does so for all words.

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if `unk_init` has another length than the vectors, or the input is not text of
            at most one axis; raised when it is used.

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "vectors.txt")
        ...     with open(path, "w") as file:
        ...         print("good 1 2", file=file)
        ...     vectors = text.Vectors.from_file(path)
        >>> text.ToVectors(vectors, [5, 6], lower_case_backup=True)(["GOOD", "day"])
        array([[1., 2.],
               [5., 6.]], dtype=float32)

    Source: mindspore.dataset.text.ToVectors of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        vectors: AnInstance(Vectors),
        unk_init: sequence(Number) | None = None,
        lower_case_backup: Bool = False,
    ):
        self.vectors, self.lower_case_backup = vectors, lower_case_backup
        self.unk_init = unk_init

    def _array(self, x, lead):
        length = self.vectors._table.shape[1]
        unknown = np.array(self.unk_init or [0] * length, np.float32)
        if len(unknown) != length or x.ndim > 1:
            raise RuntimeError(
                f"For 'ToVectors', 'unk_init' must have the {length} numbers of a vector and the "
                f"input at most 1 axis, but got {len(unknown)} numbers and shape {x.shape}."
            )
        vectors = [
            self.vectors._lookup(word, unknown, self.lower_case_backup)
            for word in self._text(x).ravel().tolist()
        ]
        return vectors[0].copy() if len(vectors) == 1 else np.array(vectors).reshape(-1, length)


class ToNumber(TextTensorOperation):
    """Converts text to numbers of a dtype.

    Args:
        data_type (mindspore.dtype): the dtype of the result.

    Raises:
        TypeError: if `data_type` is not a dtype of numbers.
        RuntimeError: if text is not a number, or out of range; raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.ToNumber(ms.int32)(["1", "2"]))
        [1 2]

    Source: mindspore.dataset.text.ToNumber of MindSpore 2.10.
    """

    @checked
    def __init__(self, data_type: DType):
        self.data_type = numeric_dtype("ToNumber", data_type)
        if self.data_type.kind == "b":
            raise TypeError("For 'ToNumber', 'data_type' must be a dtype of numbers, but got Bool.")

    def _array(self, x, lead):
        whole = self.data_type.kind != "f"
        kind = _leading_int if whole else float
        try:
            numbers = [kind(text) for text in self._text(x).ravel().tolist()]
            if whole:
                limits = np.iinfo(self.data_type)
                if any(not limits.min <= number <= limits.max for number in numbers):
                    raise OverflowError(f"out of the range of {self.data_type}")
        except (ValueError, OverflowError) as error:
            raise RuntimeError(f"For 'ToNumber', the input must be numbers: {error}.") from error
        return np.array(numbers, self.data_type).reshape(x.shape)


def _leading_int(text):
    """Returns the integer at the start of a text, parsed as in C."""
    match = re.match(r"\s*[+-]?\d+", text)
    if match is None:
        raise ValueError(f"{text!r} is no number")
    return int(match.group())


# Text to text -------------------------------------------------------------------------------------


class CaseFold(TextTensorOperation):
    """Case-folds text and normalizes it (NFKC).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.CaseFold()("Good DAY"))
        good day

    Source: mindspore.dataset.text.CaseFold of MindSpore 2.10.
    """

    def _array(self, x, lead):
        return map_text(lambda text: unicodedata.normalize("NFKC", text.casefold()), self._text(x))


class NormalizeUTF8(TextTensorOperation):
    """Applies Unicode normalization to text.

    Args:
        normalize_form (NormalizeForm, optional): the normalization form.

    Raises:
        TypeError: if `normalize_form` is not a NormalizeForm.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.NormalizeUTF8()("ﬁne"))
        fine

    Source: mindspore.dataset.text.NormalizeUTF8 of MindSpore 2.10.
    """

    @checked
    def __init__(self, normalize_form: AnInstance(NormalizeForm) = NormalizeForm.NFKC):
        self.form = UNICODE_FORMS.get(normalize_form)

    def _array(self, x, lead):
        x = self._text(x)
        return (
            x
            if self.form is None
            else map_text(lambda text: unicodedata.normalize(self.form, text), x)
        )


class RegexReplace(TextTensorOperation):
    """Replaces the matches of a regular expression.

    Args:
        pattern (str): the expression, in Python's syntax.
        replace (str): the replacement.
        replace_all (bool, optional): whether to replace all matches instead of the first only.

    Raises:
        TypeError: if an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.RegexReplace("o+", "0")("good"))
        g0d

    Source: mindspore.dataset.text.RegexReplace of MindSpore 2.10.
    """

    @checked
    def __init__(self, pattern: Str, replace: Str, replace_all: Bool = True):
        self.pattern, self.replace = re.compile(pattern), replace
        self.count = 0 if replace_all else 1

    def _array(self, x, lead):
        return map_text(
            lambda text: self.pattern.sub(self.replace, text, self.count), self._text(x)
        )


class FilterWikipediaXML(TextTensorOperation):
    """Filters the text of Wikipedia XML dumps: keeps lower-case words of a to z, each followed by a
    space.

    Tags and entities are removed, letters become lower case, digits become words, other characters
    become spaces; a text with "#REDIRECT" becomes "". MindSpore 2.10 loses the letter R; here it is
    kept.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.FilterWikipediaXML()("<p>Good</p> &amp; day 1!"))
        day one

    Source: mindspore.dataset.text.FilterWikipediaXML of MindSpore 2.10.
    """

    def _array(self, x, lead):
        return map_text(_words_of_page, self._text(x))


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_DIGITS = "zero one two three four five six seven eight nine".split()
_PAGE = (
    ("&[^;]*;", " "),
    (r"<[^\n\x0b\x0c\r\x85\u2028\u2029]*>", ""),
    ("<[^>]*>", ""),
    *((str(digit), f" {word} ") for digit, word in enumerate(_DIGITS)),
    (r"[^a-z\n]+", " "),
    (r"\n ", ""),
    (r"\A\s+|\s+\Z", ""),
    (r"\n\s*\n", "n"),  # as in MindSpore, where an escaped n in the replacement is the letter
    (r"\s+", " "),
)


def _words_of_page(text):
    if "#REDIRECT" in text or "#redirect" in text:
        return ""
    text = text.translate(_LOWER)
    for pattern, replacement in _PAGE:
        text = re.sub(pattern, replacement, text)
    return text


# Sequences ----------------------------------------------------------------------------------------


class Truncate(TextTensorOperation):
    """Truncates a sequence to a maximum length.

    Args:
        max_seq_len (int): the maximum length.

    Raises:
        TypeError: if `max_seq_len` is not an int.
        ValueError: if `max_seq_len` is not positive.
        RuntimeError: if the input does not have one or two axes; raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Truncate(2)(["a", "b", "c"]))
        ['a' 'b']

    Source: mindspore.dataset.text.Truncate of MindSpore 2.10.
    """

    @checked
    def __init__(self, max_seq_len: positive):
        self.max_seq_len = max_seq_len

    def _array(self, x, lead):
        if x.ndim not in (1, 2):
            raise RuntimeError(
                f"For 'Truncate', the input must have 1 or 2 axes, but got shape {x.shape}."
            )
        part = x[..., : self.max_seq_len]
        return np.array(part.tolist(), str) if part.size and part.dtype.kind == "U" else part


class TruncateSequencePair(TextTensorOperation):
    """Truncates two sequences, the longer one first, to a maximum total length.

    Args:
        max_length (int): the maximum total length.

    Raises:
        TypeError: if `max_length` is not an int; raised when it is used.
        ValueError: if `max_length` is negative; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print([list(each) for each in ms.dataset.text.TruncateSequencePair(3)(["a", "b", "c"],
        ...         ["d"])])
        [[np.str_('a'), np.str_('b')], [np.str_('d')]]

    Source: mindspore.dataset.text.TruncateSequencePair of MindSpore 2.10.
    """

    def __init__(self, max_length):
        self.max_length = max_length

    def _apply(self, first, second):
        length = number_of_tensor(self.max_length)
        _Length.refuse("TruncateSequencePair", "max_length", length)
        if first.ndim != 1 or second.ndim != 1:
            raise RuntimeError(
                f"For 'TruncateSequencePair', both inputs must have one axis, but "
                f"got shapes {first.shape} and {second.shape}."
            )
        lengths = [len(first), len(second)]
        while sum(lengths) > length:
            lengths[lengths[0] <= lengths[1]] -= 1
        return first[: lengths[0]], second[: lengths[1]]


class AddToken(TextTensorOperation):
    """Adds a token to the beginning or the end of a sequence.

    Args:
        token (str): the token.
        begin (bool, optional): whether to add it at the beginning.

    Raises:
        TypeError: if an argument is of the wrong type.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.AddToken("end", begin=False)(np.array(["a", "b"])))
        ['a' 'b' 'end']

    Source: mindspore.dataset.text.AddToken of MindSpore 2.10.
    """

    @checked
    def __init__(self, token: Str, begin: Bool = True):
        self.token, self.begin = token, begin

    def _array(self, x, lead):
        if self._text(x).ndim not in (1, 2):
            raise RuntimeError(
                f"For 'AddToken', the input must have 1 or 2 axes, but got shape {x.shape}."
            )
        tokens = np.full((*x.shape[:-1], 1), self.token)
        return np.concatenate([tokens, x] if self.begin else [x, tokens], -1)


class SlidingWindow(TextTensorOperation):
    """Returns all windows of consecutive elements as rows.

    Args:
        width (int): the length of the windows.
        axis (int, optional): the axis, 0 or -1.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if `width` is not positive.
        RuntimeError: if the input has more than one axis; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.SlidingWindow(2)(np.array(["a", "b", "c"])))
        [['a' 'b']
         ['b' 'c']]

    Source: mindspore.dataset.text.SlidingWindow of MindSpore 2.10.
    """

    @checked
    def __init__(self, width: positive, axis: Int = 0):
        self.width, self.axis = width, axis

    def _array(self, x, lead):
        if x.ndim != 1 or self.axis not in (0, -1):
            raise RuntimeError(
                f"For 'SlidingWindow', the input must have one axis, which is slid "
                f"along, but got shape {x.shape} and axis {self.axis}."
            )
        if self.width > len(x):
            return np.empty(0, x.dtype)
        return np.lib.stride_tricks.sliding_window_view(x, self.width).copy()


class Ngram(TextTensorOperation):
    """Builds n-grams: joins all runs of n consecutive tokens.

    Args:
        n (list[int]): the lengths of the n-grams, which are returned one length after another; a
            length with too few tokens gives "".
        left_pad (tuple, optional): (token, count) to pad with at the start, at most n - 1 tokens.
        right_pad (tuple, optional): (token, count) to pad with at the end, at most n - 1 tokens.
        separator (str, optional): the separator of the tokens of an n-gram.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a length is not positive, or a pad is not a pair.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Ngram(2)(["a", "b", "c"]))
        ['a b' 'b c']

    Source: mindspore.dataset.text.Ngram of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "len(left_pad) != 2 or len(right_pad) != 2",
            ValueError,
            "'left_pad' and 'right_pad' must be pairs",
        ),
        Forbid(
            "not all(isinstance(pad[0], str) for pad in (left_pad, right_pad))",
            ValueError,
            "pads must begin with a token",
        ),
        Forbid("left_pad[1] < 0 or right_pad[1] < 0", ValueError, "pads must not be negative"),
    )
    def __init__(
        self,
        n: positive | ListOf(positive, min_length=1),
        left_pad: AsValue(AnInstance(tuple)) = ("", 0),
        right_pad: AsValue(AnInstance(tuple)) = ("", 0),
        separator: Str = " ",
    ):
        self.n = [n] if isinstance(n, int) else n
        self.left_pad, self.right_pad, self.separator = left_pad, right_pad, separator

    def _array(self, x, lead):
        tokens = self._text(x, 1).tolist()
        return np.array([gram for n in self.n for gram in self._grams(tokens, n)], np.str_)

    def _grams(self, tokens, n):
        before, after = (
            [token] * min(count, n - 1) for token, count in (self.left_pad, self.right_pad)
        )
        tokens_padded = [*before, *tokens, *after]
        count = len(tokens_padded) - n + 1
        return [
            self.separator.join(tokens_padded[index : index + n]) for index in range(count)
        ] or [""]
