"""Tokenizers: split text into an array of tokens, optionally with byte offsets."""

import functools
import itertools
import re
import unicodedata

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import AsValue, Bool, Callable, InstanceOf, Str
from ..._io.reading import content, reading
from .._extra import sentencepiece, unicode_tables
from .._rules import AnInstance, natural
from ._base import UNICODE_FORMS, TextTensorOperation
from .utils import NormalizeForm, SentencePieceVocab, SPieceTokenizerOutType, Vocab

_UNUSED = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused\d+\]"


class Tokenizer(TextTensorOperation):
    """Base class of tokenizers; a subclass defines `_spans(text)`, which yields (start, end,
    token).

    Args:
        with_offsets (bool, optional): whether to return, besides the tokens, the start and end of
            each token in bytes of UTF-8, as two arrays of uint32.
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
            np.array([len(text[:index].encode()) for index in indices], np.uint32)
            for indices in list(zip(*spans, strict=True))[:2]
        ]
        return tokens, *ends


class UnicodeCharTokenizer(Tokenizer):
    """Splits text into Unicode characters.

    Args:
        with_offsets (bool, optional): whether to return the start and end of each character, in
            bytes.

    Raises:
        TypeError: if `with_offsets` is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.UnicodeCharTokenizer()("day"))
        ['d' 'a' 'y']

    Source: mindspore.dataset.text.UnicodeCharTokenizer of MindSpore 2.10.
    """

    def _spans(self, text):
        return ((index, index + 1, char) for index, char in enumerate(text))


class WhitespaceTokenizer(Tokenizer):
    """Splits text at whitespace.

    Args:
        with_offsets (bool, optional): whether to return the start and end of each token, in bytes.

    Raises:
        TypeError: if `with_offsets` is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.WhitespaceTokenizer()("good day"))
        ['good' 'day']

    Source: mindspore.dataset.text.WhitespaceTokenizer of MindSpore 2.10.
    """

    def _spans(self, text):
        return ((*match.span(), match.group()) for match in re.finditer(r"\S+", text))


class UnicodeScriptTokenizer(Tokenizer):
    """Splits text where its Unicode script changes, and at whitespace.

    The script data come from the library fontTools.

    Args:
        keep_whitespace (bool, optional): whether whitespace is a token.
        with_offsets (bool, optional): whether to return the start and end of each token, in bytes.

    Raises:
        TypeError: if an argument is not a bool.
        ImportError: if fontTools is not installed; raised when it is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.UnicodeScriptTokenizer()("good 北京"))
        ['good' '北京']

    Source: mindspore.dataset.text.UnicodeScriptTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(self, keep_whitespace: Bool = False, with_offsets: Bool = False):
        super().__init__(with_offsets)
        self.keep_whitespace = keep_whitespace

    def _spans(self, text):
        script, start = unicode_tables("UnicodeScriptTokenizer").script, 0
        for (blank, _), group in itertools.groupby(
            text, lambda char: (_is_blank(char), script(char))
        ):
            token = "".join(group)
            if self.keep_whitespace or not blank:
                yield start, start + len(token), token
            start += len(token)


def _is_blank(char):
    """Returns whether a character has the property White_Space, except four ASCII separators."""
    return char.isspace() and not "\x1c" <= char <= "\x1f"


class RegexTokenizer(Tokenizer):
    """Splits text at the matches of a regular expression.

    Args:
        delim_pattern (str): the expression, in Python's syntax.
        keep_delim_pattern (str, optional): an expression for the separators that become tokens.
        with_offsets (bool, optional): whether to return the start and end of each token, in bytes.

    Raises:
        TypeError: if an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.RegexTokenizer(" ")("good day"))
        ['good' 'day']

    Source: mindspore.dataset.text.RegexTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        delim_pattern: AsValue(Str, AnInstance(type(None))),
        keep_delim_pattern: Str = "",
        with_offsets: Bool = False,
    ):
        super().__init__(with_offsets)
        self.delimiter = re.compile(delim_pattern)
        self.keep_pattern = re.compile(keep_delim_pattern) if keep_delim_pattern else None

    def _spans(self, text):
        return split_at(text, self.delimiter, self.keep_pattern)


def split_at(text, delimiter, keep_pattern=None):
    """Yields (start, end, token) of the parts between matches and of the matches that become
    tokens.
    """
    start_of_part = 0
    for match in delimiter.finditer(text):
        start, end = match.span()
        if start > start_of_part:
            yield start_of_part, start, text[start_of_part:start]
        if end > start and keep_pattern is not None and keep_pattern.fullmatch(match.group()):
            yield start, end, match.group()
        start_of_part = end
    if start_of_part < len(text):
        yield start_of_part, len(text), text[start_of_part:]


_punctuation = r"[!-/]|[:-@]|[\[-`]|[{-~]"


_chinese = (
    r"[\u4e00-\u9fff]|[\u3400-\u4dbf]|[\U00020000-\U0002a6df]|[\U0002a700-\U0002b73f]"
    r"|[\U0002b740-\U0002b81f]|[\U0002b820-\U0002ceaf]|[\uf900-\ufaff]"
    r"|[\U0002f800-\U0002fa1f]"
)


@functools.cache
def _other_punctuation():
    """Returns a regular expression for punctuation outside ASCII."""
    return "|".join(
        re.escape(chr(code))
        for code in range(0xA0, 0x3100)
        if unicodedata.category(chr(code)).startswith("P")
    )


class BasicTokenizer(Tokenizer):
    """Cleans text and splits it at whitespace, punctuation and Chinese characters.

    Args:
        lower_case (bool, optional): whether to fold the case and strip accents.
        keep_whitespace (bool, optional): whether whitespace is a token.
        normalization_form (NormalizeForm, optional): the Unicode normalization, unless `lower_case`
            is set.
        preserve_unused_token (bool, optional): whether to keep [CLS], [SEP], [UNK], [PAD] and
            [MASK] whole.
        with_offsets (bool, optional): whether to return the start and end of each token, in bytes
            of the cleaned text.

    Raises:
        TypeError: if an argument is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.BasicTokenizer()("Good, day"))
        ['Good' ',' 'day']

    Source: mindspore.dataset.text.BasicTokenizer of MindSpore 2.10.
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
        self.keep_pattern = re.compile(rf"{single}|\s+" if keep_whitespace else single)
        self.unused = re.compile(_UNUSED if preserve_unused_token else r"(?!)")

    def _clean(self, text):
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
        elif self.normalization_form in UNICODE_FORMS:
            text = unicodedata.normalize(UNICODE_FORMS[self.normalization_form], text)
        text = re.sub(r"[\t\n\r]", " ", text)
        return "".join(
            char
            for char in text
            if char not in "\0\ufffd" and not unicodedata.category(char).startswith("C")
        )

    def _array(self, x, lead):
        return super()._array(np.array(self._clean(self._text(x, 0).item())), lead)

    def _spans(self, text):
        return split_at(text, self.delimiter, self.keep_pattern)


class WordpieceTokenizer(TextTensorOperation):
    """Splits tokens into WordPiece subwords: the longest pieces in a Vocab.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str, optional): the prefix of pieces that continue a token.
        max_bytes_per_token (int, optional): longer tokens are unknown.
        unknown_token (str, optional): the replacement of unknown tokens; "" keeps them.
        with_offsets (bool, optional): whether to return the start and end of each piece, in bytes.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `max_bytes_per_token` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.WordpieceTokenizer(ms.dataset.text.Vocab.from_list(["good",
        ...         "##ness"]))("goodness"))
        ['good' '##ness']

    Source: mindspore.dataset.text.WordpieceTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        vocab: AsValue(AnInstance(Vocab), AnInstance(type(None))),
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
        token_list = tokens.ravel().tolist()
        begins = [0] * len(token_list) if starts is None else starts.ravel().tolist()
        pieces = [
            piece
            for token, begin in zip(token_list, begins, strict=True)
            for piece in self._pieces(token, begin)
        ] or [("", 0, 0)]
        texts, firsts, lasts = zip(*pieces, strict=True)
        out = np.array(texts, np.str_)
        if not self.with_offsets:
            return out
        return out, np.array(firsts, np.uint32), np.array(lasts, np.uint32)

    def _pieces(self, token, begin):
        """Returns (piece, start, end) of the pieces of a token that starts at byte `begin`."""
        length = len(token.encode())
        unknown = [(self.unknown_token or token, begin, begin + length)]
        if length > self.max_bytes_per_token:
            return unknown
        pieces, start = [], 0
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
            pieces.append(
                (prefix + token[start:end], first, first + len(token[start:end].encode()))
            )
            start = end
        return pieces


class BertTokenizer(TextTensorOperation):
    """Tokenizes text for BERT: BasicTokenizer, then WordpieceTokenizer.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str, optional): the prefix of pieces that continue a token.
        max_bytes_per_token (int, optional): longer tokens are unknown.
        unknown_token (str, optional): the replacement of unknown tokens; "" keeps them.
        lower_case (bool, optional): whether to fold the case and strip accents.
        keep_whitespace (bool, optional): whether whitespace is a token.
        normalization_form (NormalizeForm, optional): the Unicode normalization, unless `lower_case`
            is set.
        preserve_unused_token (bool, optional): whether to keep [CLS], [SEP], [UNK], [PAD] and
            [MASK] whole.
        with_offsets (bool, optional): whether to return the start and end of each piece, in bytes.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `max_bytes_per_token` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.BertTokenizer(ms.dataset.text.Vocab.from_list(["good",
        ...         "##ness"]))("goodness"))
        ['good' '##ness']

    Source: mindspore.dataset.text.BertTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        vocab: AsValue(AnInstance(Vocab), AnInstance(type(None))),
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


class SentencePieceTokenizer(TextTensorOperation):
    """Splits text into the pieces of a SentencePiece model.

    Args:
        mode (Union[str, SentencePieceVocab]): the model, or the file of the model.
        out_type (SPieceTokenizerOutType): whether to return the pieces as text or as ids.

    Raises:
        TypeError: if an argument is of the wrong type.
        RuntimeError: if the file cannot be read, or the input is not 0-D text; raised when
            it is used.
        ImportError: if the library `sentencepiece` is not installed; raised when it is used.

    Example:
        >>> import os, tempfile
        >>> from mindspore_compat.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
        ...     path = os.path.join(folder, "lines.txt")
        ...     with open(path, "w") as file:
        ...         print("a b", "b a", sep="\\n", file=file)
        ...     vocab = text.SentencePieceVocab.from_file([path], 5, 1.0,
        ...         text.SentencePieceModel.WORD, {})
        >>> kind = text.SPieceTokenizerOutType.STRING
        >>> text.SentencePieceTokenizer(vocab, kind)("a b")  # doctest: +SKIP
        array(['▁a', '▁b'], dtype='<U2')

    Source: mindspore.dataset.text.SentencePieceTokenizer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        mode: Str | AnInstance(SentencePieceVocab),
        out_type: AnInstance(SPieceTokenizerOutType),
    ):
        self.mode, self.out_type = mode, out_type

    @functools.cached_property
    def _processor(self):
        library = sentencepiece("SentencePieceTokenizer")
        if isinstance(self.mode, SentencePieceVocab):
            return library.SentencePieceProcessor(model_proto=self.mode._model)
        with reading(self.mode, problem="is no model", api="SentencePieceTokenizer"):
            model = content(self.mode)
            if not model:  # the library takes it for no model given
                raise ValueError("it is empty")
            return library.SentencePieceProcessor(model_proto=model)

    def _array(self, x, lead):
        text = self._text(x, 0).item()
        if self.out_type == SPieceTokenizerOutType.STRING:
            return np.array(self._processor.encode(text, out_type=str), np.str_)
        return np.array(self._processor.encode(text, out_type=int), np.int32)


class PythonTokenizer(TextTensorOperation):
    """Tokenizes text with a Python function. Bytes are decoded as UTF-8.

    Args:
        tokenizer (Callable): takes a str and returns a list of str.

    Raises:
        TypeError: if `tokenizer` is not callable.
        RuntimeError: if the input is not one text, or bytes that are not UTF-8.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.text.PythonTokenizer(str.split)(np.array("good day")))
        ['good' 'day']

    Source: mindspore.dataset.text.PythonTokenizer of MindSpore 2.10.
    """

    _takes_one = True

    @checked
    def __init__(self, tokenizer: Callable):
        self.tokenizer = tokenizer

    def __call__(self, *inputs):
        for value in inputs:
            InstanceOf(np.ndarray).refuse("PythonTokenizer", "in_array", value)
        return super().__call__(*inputs)

    _run = TextTensorOperation._run

    def _array(self, x, lead):
        if x.dtype.kind == "S":
            x = self._decode(x)
        return np.array(self.tokenizer(self._text(x, 0).item()), np.str_)

    def _decode(self, x):
        try:
            return np.char.decode(x, "utf-8")
        except UnicodeDecodeError as error:
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must be UTF-8, but got {x!r}: {error}"
            ) from None
