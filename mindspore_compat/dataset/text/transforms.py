"""Transforms of text: tokenizers, lookup in a Vocab, normalization, sequences of tokens."""

import functools
import re
import unicodedata

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import AsValue, Bool, Callable, DType, Int, ListOf, Str
from ..._core.tensor import dtype as dtypes
from .._rules import AnInstance, natural, positive
from ..transforms.base import TensorOperation
from ..transforms.transforms import numeric_dtype
from .utils import NormalizeForm, Vocab

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "TextTensorOperation",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]

_UNUSED = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused\d+\]"
_Length = natural | Bool


class TextTensorOperation(TensorOperation):
    """The base of transforms of text."""

    def _text(self, x, rank=None):
        """The input, if it is text of this number of axes.

        Raises:
            RuntimeError: it is not.
        """
        if x.dtype.kind != "U" or rank is not None and x.ndim != rank:
            wanted = "" if rank is None else f" of {rank} axes"
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must be text{wanted}, but "
                f"got shape {x.shape} and dtype {x.dtype}."
            )
        return x


def each(function, x):
    """An array of text with a function applied to every element."""
    return np.array([function(text) for text in x.ravel().tolist()], np.str_).reshape(x.shape)


class Lookup(TextTensorOperation):
    """Replaces tokens by their numbers.

    Args:
        vocab (Vocab): the numbers.
        unknown_token (str, optional): whose number tokens get that are not in `vocab`.
        data_type (mindspore.dtype, optional): the dtype of the result.

    Raises:
        TypeError: an argument is of the wrong type.
        RuntimeError: `unknown_token` is not in `vocab`; or, when it is used, a token is not, and
            there is no `unknown_token`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Lookup(ms.dataset.text.Vocab.from_list(["a", "b"]))("b"))
        1
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


class ToNumber(TextTensorOperation):
    """Converts text to numbers.

    Args:
        data_type (mindspore.dtype): the dtype of the result.

    Raises:
        TypeError: it is no dtype of numbers.
        RuntimeError: text is no number, or out of range; told when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.ToNumber(ms.int32)(["1", "2"]))
        [1 2]
    """

    @checked
    def __init__(self, data_type: DType):
        self.data_type = numeric_dtype("ToNumber", data_type)

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
    """The whole number that text begins with, as C reads it."""
    found = re.match(r"\s*[+-]?\d+", text)
    if found is None:
        raise ValueError(f"{text!r} is no number")
    return int(found.group())


# Tokenizers ---------------------------------------------------------------------------------------


class _Tokenizer(TextTensorOperation):
    """What tokenizers share; a subclass defines `_spans(text)`, which gives (start, end, token).

    Args:
        with_offsets (bool, optional): whether to give, besides the tokens, where each begins and
            ends in the text, in bytes of UTF-8, as two arrays of uint32.
    """

    @checked
    def __init__(self, with_offsets: Bool = False):
        self.with_offsets = with_offsets

    def _array(self, x, lead):
        text = self._text(x, 0).item()
        spans = list(self._spans(text)) or [(0, 0, "")]
        tokens = np.array([token for _, _, token in spans], np.str_)
        if not self.with_offsets:
            return tokens
        ends = [
            np.array([len(text[:place].encode()) for place in places], np.uint32)
            for places in list(zip(*spans, strict=True))[:2]
        ]
        return tokens, *ends


class UnicodeCharTokenizer(_Tokenizer):
    """Splits text into its characters.

    Args:
        with_offsets (bool, optional): whether to give where each begins and ends, in bytes.

    Raises:
        TypeError: it is no bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.UnicodeCharTokenizer()("day"))
        ['d' 'a' 'y']
    """

    def _spans(self, text):
        return ((place, place + 1, char) for place, char in enumerate(text))


class WhitespaceTokenizer(_Tokenizer):
    """Splits text at whitespace.

    Args:
        with_offsets (bool, optional): whether to give where each token begins and ends, in bytes.

    Raises:
        TypeError: it is no bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.WhitespaceTokenizer()("good day"))
        ['good' 'day']
    """

    def _spans(self, text):
        return ((*found.span(), found.group()) for found in re.finditer(r"\S+", text))


class RegexTokenizer(_Tokenizer):
    """Splits text at what a regular expression matches.

    Args:
        delim_pattern (str): the expression, in Python's syntax.
        keep_delim_pattern (str, optional): which of the separators are kept as tokens.
        with_offsets (bool, optional): whether to give where each token begins and ends, in bytes.

    Raises:
        TypeError: an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.RegexTokenizer(" ")("good day"))
        ['good' 'day']
    """

    @checked
    def __init__(
        self, delim_pattern: Str, keep_delim_pattern: Str = "", with_offsets: Bool = False
    ):
        super().__init__(with_offsets)
        self.delimiter = re.compile(delim_pattern)
        self.kept = re.compile(keep_delim_pattern) if keep_delim_pattern else None

    def _spans(self, text):
        return split_at(text, self.delimiter, self.kept)


def split_at(text, delimiter, kept=None):
    """(start, end, token) of the parts between matches, and of the matches that are kept."""
    place = 0
    for found in delimiter.finditer(text):
        start, end = found.span()
        if start > place:
            yield place, start, text[place:start]
        if end > start and kept is not None and kept.fullmatch(found.group()):
            yield start, end, found.group()
        place = end
    if place < len(text):
        yield place, len(text), text[place:]


_forms = {
    NormalizeForm.NFC: "NFC",
    NormalizeForm.NFKC: "NFKC",
    NormalizeForm.NFD: "NFD",
    NormalizeForm.NFKD: "NFKD",
}
_punctuation = r"[!-/]|[:-@]|[\[-`]|[{-~]"
_chinese = (
    r"[\u4e00-\u9fff]|[\u3400-\u4dbf]|[\U00020000-\U0002a6df]|[\U0002a700-\U0002b73f]"
    r"|[\U0002b740-\U0002b81f]|[\U0002b820-\U0002ceaf]|[\uf900-\ufaff]"
    r"|[\U0002f800-\U0002fa1f]"
)


@functools.cache
def _other_punctuation():
    """The expression of the punctuation that ASCII lacks."""
    return "|".join(
        re.escape(chr(code))
        for code in range(0xA0, 0x3100)
        if unicodedata.category(chr(code)).startswith("P")
    )


class BasicTokenizer(_Tokenizer):
    """Cleans text, and splits it at whitespace, punctuation and Chinese characters.

    Args:
        lower_case (bool, optional): whether to fold the case and strip accents.
        keep_whitespace (bool, optional): whether whitespace is a token.
        normalization_form (NormalizeForm, optional): how text is normalized, unless folded.
        preserve_unused_token (bool, optional): whether [CLS], [SEP], [UNK], [PAD] and [MASK] stay
            whole.
        with_offsets (bool, optional): whether to give where each token begins and ends, in bytes of
            the cleaned text.

    Raises:
        TypeError: an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.BasicTokenizer()("Good, day"))
        ['Good' ',' 'day']
    """

    @checked
    def __init__(
        self,
        lower_case: Bool = False,
        keep_whitespace: Bool = False,
        normalization_form: AnInstance(NormalizeForm) = NormalizeForm.NONE,
        preserve_unused_token: Bool = True,
        with_offsets: Bool = False,
    ):
        super().__init__(with_offsets)
        self.lower_case, self.normalization_form = lower_case, normalization_form
        unused = f"{_UNUSED}|" if preserve_unused_token else ""
        single = f"{unused}{_punctuation}|{_other_punctuation()}|{_chinese}"
        self.delimiter = re.compile(rf"{single}|\s+")
        self.kept = re.compile(rf"{single}|\s+" if keep_whitespace else single)
        self.unused = re.compile(_UNUSED if preserve_unused_token else r"(?!)")

    def _cleaned(self, text):
        if self.lower_case:
            folded = "".join(
                part if self.unused.fullmatch(part) else part.casefold()
                for _, _, part in split_at(text, self.unused, self.unused)
            )
            text = "".join(
                char
                for char in unicodedata.normalize("NFD", folded)
                if unicodedata.category(char) != "Mn"
            )
        elif self.normalization_form in _forms:
            text = unicodedata.normalize(_forms[self.normalization_form], text)
        text = re.sub(r"[\t\n\r]", " ", text)
        return "".join(
            char
            for char in text
            if char not in "\0\ufffd" and not unicodedata.category(char).startswith("C")
        )

    def _array(self, x, lead):
        return super()._array(np.array(self._cleaned(self._text(x, 0).item())), lead)

    def _spans(self, text):
        return split_at(text, self.delimiter, self.kept)


class WordpieceTokenizer(TextTensorOperation):
    """Splits tokens into the longest pieces that are in a Vocab.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str, optional): what pieces begin with that continue a token.
        max_bytes_per_token (int, optional): longer tokens are unknown.
        unknown_token (str, optional): what stands for an unknown token; "" leaves it as it is.
        with_offsets (bool, optional): whether to give where each piece begins and ends, in bytes.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `max_bytes_per_token` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.WordpieceTokenizer(ms.dataset.text.Vocab.from_list(["good",
        ...         "##ness"]))("goodness"))
        ['good' '##ness']
    """

    @checked
    def __init__(
        self,
        vocab: AnInstance(Vocab),
        suffix_indicator: Str = "##",
        max_bytes_per_token: natural = 100,
        unknown_token: Str = "[UNK]",
        with_offsets: Bool = False,
    ):
        self.vocab, self.suffix_indicator = vocab.vocab(), suffix_indicator
        self.max_bytes_per_token, self.unknown_token = max_bytes_per_token, unknown_token
        self.with_offsets = with_offsets

    def _apply(self, tokens, starts=None, ends=None):
        tokens = self._text(tokens)
        listed = tokens.ravel().tolist()
        begins = [0] * len(listed) if starts is None else starts.ravel().tolist()
        pieces = [
            piece
            for token, begin in zip(listed, begins, strict=True)
            for piece in self._pieces(token, begin)
        ] or [("", 0, 0)]
        texts, firsts, lasts = zip(*pieces, strict=True)
        found = np.array(texts, np.str_)
        if not self.with_offsets:
            return found
        return found, np.array(firsts, np.uint32), np.array(lasts, np.uint32)

    def _pieces(self, token, begin):
        """(piece, start, end) of the pieces of a token that begins at a byte."""
        length = len(token.encode())
        unknown = [(self.unknown_token or token, begin, begin + length)]
        if length > self.max_bytes_per_token:
            return unknown
        found, start = [], 0
        while start < len(token):
            prefix = self.suffix_indicator if start else ""
            end = next(
                (
                    end
                    for end in range(len(token), start, -1)
                    if prefix + token[start:end] in self.vocab
                ),
                None,
            )
            if end is None:
                return unknown
            first = begin + len(token[:start].encode())
            found.append((prefix + token[start:end], first, first + len(token[start:end].encode())))
            start = end
        return found


class BertTokenizer(TextTensorOperation):
    """Tokenizes text as BERT needs it: BasicTokenizer, then WordpieceTokenizer.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str, optional): what pieces begin with that continue a token.
        max_bytes_per_token (int, optional): longer tokens are unknown.
        unknown_token (str, optional): what stands for an unknown token; "" leaves it as it is.
        lower_case (bool, optional): whether to fold the case and strip accents.
        keep_whitespace (bool, optional): whether whitespace is a token.
        normalization_form (NormalizeForm, optional): how text is normalized, unless folded.
        preserve_unused_token (bool, optional): whether [CLS], [SEP], [UNK], [PAD] and [MASK] stay
            whole.
        with_offsets (bool, optional): whether to give where each piece begins and ends, in bytes.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `max_bytes_per_token` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.BertTokenizer(ms.dataset.text.Vocab.from_list(["good",
        ...         "##ness"]))("goodness"))
        ['good' '##ness']
    """

    @checked
    def __init__(
        self,
        vocab: AnInstance(Vocab),
        suffix_indicator: Str = "##",
        max_bytes_per_token: natural = 100,
        unknown_token: Str = "[UNK]",
        lower_case: Bool = False,
        keep_whitespace: Bool = False,
        normalization_form: AnInstance(NormalizeForm) = NormalizeForm.NONE,
        preserve_unused_token: Bool = True,
        with_offsets: Bool = False,
    ):
        self.words = BasicTokenizer(
            lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
        )
        self.pieces = WordpieceTokenizer(
            vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets
        )

    def _array(self, x, lead):
        words = self.words(x)
        return self.pieces(*(words if isinstance(words, tuple) else (words,)))


class PythonTokenizer(TextTensorOperation):
    """Tokenizes text with a function.

    Args:
        tokenizer (Callable): takes a str and returns a list of str.

    Raises:
        TypeError: it is not callable.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.PythonTokenizer(str.split)("good day"))
        ['good' 'day']
    """

    @checked
    def __init__(self, tokenizer: Callable):
        self.tokenizer = tokenizer

    def _array(self, x, lead):
        return np.array(self.tokenizer(self._text(x, 0).item()), np.str_)


# Text to text -------------------------------------------------------------------------------------


class CaseFold(TextTensorOperation):
    """Folds the case of text, and normalizes it (NFKC).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.CaseFold()("Good DAY"))
        good day
    """

    def _array(self, x, lead):
        return each(lambda text: unicodedata.normalize("NFKC", text.casefold()), self._text(x))


class NormalizeUTF8(TextTensorOperation):
    """Normalizes text.

    Args:
        normalize_form (NormalizeForm, optional): the form.

    Raises:
        TypeError: it is no NormalizeForm.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.NormalizeUTF8()("ﬁne"))
        fine
    """

    @checked
    def __init__(self, normalize_form: AnInstance(NormalizeForm) = NormalizeForm.NFKC):
        self.form = _forms.get(normalize_form)

    def _array(self, x, lead):
        x = self._text(x)
        return (
            x if self.form is None else each(lambda text: unicodedata.normalize(self.form, text), x)
        )


class RegexReplace(TextTensorOperation):
    """Replaces what a regular expression matches.

    Args:
        pattern (str): the expression, in Python's syntax.
        replace (str): what stands in its place.
        replace_all (bool, optional): whether all matches are replaced, not the first alone.

    Raises:
        TypeError: an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.RegexReplace("o+", "0")("good"))
        g0d
    """

    @checked
    def __init__(self, pattern: Str, replace: Str, replace_all: Bool = True):
        self.pattern, self.replace = re.compile(pattern), replace
        self.count = 0 if replace_all else 1

    def _array(self, x, lead):
        return each(lambda text: self.pattern.sub(self.replace, text, self.count), self._text(x))


# Sequences ----------------------------------------------------------------------------------------


class Truncate(TextTensorOperation):
    """Cuts a sequence to a length.

    Args:
        max_seq_len (int): the length.

    Raises:
        TypeError: it is no int.
        ValueError: it is not positive.
        RuntimeError: the input has not one or two axes; told when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Truncate(2)(["a", "b", "c"]))
        ['a' 'b']
    """

    @checked
    def __init__(self, max_seq_len: positive):
        self.max_seq_len = max_seq_len

    def _array(self, x, lead):
        if x.ndim not in (1, 2):
            raise RuntimeError(
                f"For 'Truncate', the input must have 1 or 2 axes, but got shape {x.shape}."
            )
        return x[..., : self.max_seq_len]


class TruncateSequencePair(TextTensorOperation):
    """Cuts two sequences, the longer one first, until they have a length together.

    Args:
        max_length (int): the length.

    Raises:
        TypeError: it is no int; told when it is used.
        ValueError: it is negative; told when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print([list(each) for each in ms.dataset.text.TruncateSequencePair(3)(["a", "b", "c"],
        ...         ["d"])])
        [[np.str_('a'), np.str_('b')], [np.str_('d')]]
    """

    def __init__(self, max_length):
        self.max_length = max_length

    def _apply(self, one, other):
        _Length.refuse("TruncateSequencePair", "max_length", self.max_length)
        if one.ndim != 1 or other.ndim != 1:
            raise RuntimeError(
                f"For 'TruncateSequencePair', both inputs must have one axis, but "
                f"got shapes {one.shape} and {other.shape}."
            )
        lengths = [len(one), len(other)]
        while sum(lengths) > self.max_length:
            lengths[lengths[0] <= lengths[1]] -= 1
        return one[: lengths[0]], other[: lengths[1]]


class AddToken(TextTensorOperation):
    """Adds a token to the beginning or the end of a sequence.

    Args:
        token (str): the token.
        begin (bool, optional): whether it stands at the beginning.

    Raises:
        TypeError: an argument is of the wrong type.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.AddToken("end", begin=False)(np.array(["a", "b"])))
        ['a' 'b' 'end']
    """

    @checked
    def __init__(self, token: Str, begin: Bool = True):
        self.token, self.begin = token, begin

    def _array(self, x, lead):
        if self._text(x).ndim not in (1, 2):
            raise RuntimeError(
                f"For 'AddToken', the input must have 1 or 2 axes, but got shape {x.shape}."
            )
        added = np.full((*x.shape[:-1], 1), self.token)
        return np.concatenate([added, x] if self.begin else [x, added], -1)


class SlidingWindow(TextTensorOperation):
    """Gives all runs of neighbours of a length, as rows.

    Args:
        width (int): the length.
        axis (int, optional): the axis, 0 or -1.

    Raises:
        TypeError: an argument is no int.
        ValueError: `width` is not positive.
        RuntimeError: the input has more than one axis; told when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.SlidingWindow(2)(np.array(["a", "b", "c"])))
        [['a' 'b']
         ['b' 'c']]
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
            return np.empty((0, self.width), x.dtype)
        return np.lib.stride_tricks.sliding_window_view(x, self.width).copy()


class Ngram(TextTensorOperation):
    """Joins all runs of n tokens.

    Args:
        n (list[int]): the lengths of the runs, which come one after another; a length for which
            there are too few tokens gives "".
        left_pad (tuple, optional): (token, how many) put before, at most n - 1.
        right_pad (tuple, optional): (token, how many) put after, at most n - 1.
        separator (str, optional): what stands between the tokens of a run.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a length is not positive, or a pad is no pair.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.Ngram(2)(["a", "b", "c"]))
        ['a b' 'b c']
    """

    @checked(
        Forbid(
            "len(left_pad) != 2 or len(right_pad) != 2",
            ValueError,
            "'left_pad' and 'right_pad' must be pairs",
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
        return np.array([run for n in self.n for run in self._runs(tokens, n)], np.str_)

    def _runs(self, tokens, n):
        before, after = (
            [token] * min(count, n - 1) for token, count in (self.left_pad, self.right_pad)
        )
        padded = [*before, *tokens, *after]
        count = len(padded) - n + 1
        return [self.separator.join(padded[place : place + n]) for place in range(count)] or [""]
