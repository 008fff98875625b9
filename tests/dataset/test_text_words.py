"""Tokenizers with dictionaries, scripts and trained models, with the tokens of MindSpore 2.10."""

import sys

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import text

pytestmark = pytest.mark.quick

WORDS = """\
我 30 r
们 5 k
我们 20 r
来 10 v
到 12 v
来到 8 v
北 4 n
京 3 n
北京 25 n
清华 6 n
大学 9 n
清华大学 7 n
华大 1 n
的 50 u
"""
MODEL = """\
#prob_start
-0.3 -3.14e100 -3.14e100 -1.5

#prob_trans
-3.14e100 -0.5 -0.9 -3.14e100
-0.6 -3.14e100 -3.14e100 -0.8
-3.14e100 -0.3 -1.3 -3.14e100
-0.7 -3.14e100 -3.14e100 -0.7
#B
我:-5.0,北:-2.5,杭:-3.0,网:-2.0
#E
京:-2.0,研:-3.5,易:-2.0,们:-2.0
#M
来:-6.0,们:-7.0
#S
我:-2.0,的:-1.0,到:-2.0,来:-3.0
"""
TEXT = "我们来到北京清华大学，的杭研 ABC12a_3.5了"


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "hmm_model.utf8", tmp_path / "jieba.dict.utf8"
    for path, content in zip(paths, (MODEL, WORDS), strict=True):
        path.write_text(content, encoding="utf-8")
    return [str(path) for path in paths]


MIX = "我们|来到|北京|清华大学|，|的|杭研| |ABC12a|_|3.5|了".split("|")
MP = "我们|来到|北京|清华大学|，|的|杭|研| |A|B|C|1|2|a|_|3|.|5|了".split("|")
HMM = "我们|来|到|北京|清|华|大|学|，|的|杭研| |ABC12a|_|3.5|了".split("|")
ADDED = "我们|来到|北|京清|华|大学|，|的|杭研| |ABC|1|2|a|_|3|.|5|了了".split("|")


@pytest.mark.parametrize("mode, wanted", [("MIX", MIX), ("MP", MP), ("HMM", HMM)])
def test_jieba_cuts_by_the_dictionary_and_the_model(files, mode, wanted):
    tokenizer = text.JiebaTokenizer(*files, mode=text.JiebaMode[mode])
    assert tokenizer(TEXT).tolist() == wanted


def test_jieba_gives_offsets_in_bytes(files):
    tokens, starts, ends = text.JiebaTokenizer(*files, text.JiebaMode.MP, True)("我们 a，的")
    assert tokens.tolist() == ["我们", " ", "a", "，", "的"]
    assert starts.tolist() == [0, 6, 7, 8, 11]
    assert ends.tolist() == [6, 7, 8, 11, 14]
    assert starts.dtype == ends.dtype == np.uint32


def test_jieba_knows_the_words_that_are_added(files, tmp_path):
    tokenizer = text.JiebaTokenizer(*files, text.JiebaMode.MP)
    tokenizer.add_word("杭研")
    tokenizer.add_word("京清", 10**6)
    tokenizer.add_dict({"ABC": 4})
    path = tmp_path / "user.txt"
    path.write_text("了了 3\nof three fields\nalone\n的杭 x\n", encoding="utf-8")
    tokenizer.add_dict(str(path))
    assert tokenizer(TEXT + "了").tolist() == ADDED
    column = ds.NumpySlicesDataset({"t": ["我们", "京清"]}, shuffle=False).map(tokenizer, ["t"])
    assert [row[0].tolist() for row in column.create_tuple_iterator(output_numpy=True)] == [
        ["我们"],
        ["京清"],
    ]


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda model, words: text.JiebaTokenizer(1, words), TypeError),
        (lambda model, words: text.JiebaTokenizer(model, None), TypeError),
        (lambda model, words: text.JiebaTokenizer("nofile", words), ValueError),
        (lambda model, words: text.JiebaTokenizer(model, words, 1), TypeError),
        (lambda model, words: text.JiebaTokenizer(model, words, with_offsets=1), TypeError),
        (lambda model, words: text.JiebaTokenizer(words, words), RuntimeError),
        (lambda model, words: text.JiebaTokenizer(model, model), RuntimeError),
        (lambda model, words: text.JiebaTokenizer(model, words)(["a"]), RuntimeError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_word(1), TypeError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_word("a", 1.5), TypeError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_word("a", -1), ValueError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_dict(["a"]), TypeError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_dict("nofile"), ValueError),
        (lambda model, words: text.JiebaTokenizer(model, words).add_dict({"a": "b"}), TypeError),
    ],
)
def test_jieba_refuses_wrong_arguments(files, call, kind):
    with pytest.raises(kind):
        call(*files)


SCRIPTS = [
    ("Welcome 北京欢迎", ["Welcome", " ", "北京欢迎"], [0, 7, 8], [7, 8, 20]),
    (" . a1!中", [" ", ".", " ", "a", "1!", "中"], [0, 1, 2, 3, 4, 6], [1, 2, 3, 4, 6, 9]),
    ("a\u0301é1", ["a", "\u0301", "é", "1"], [0, 1, 3, 5], [1, 3, 5, 6]),
    ("ひらカー漢", ["ひら", "カ", "ー", "漢"], [0, 6, 9, 12], [6, 9, 12, 15]),
    ("x\t\ny\xa0z", ["x", "\t\n", "y", "\xa0", "z"], [0, 1, 3, 4, 6], [1, 3, 4, 6, 7]),
    ("\x1b\x1c\x1f ", ["\x1b\x1c\x1f", " "], [0, 3], [3, 4]),
    ("", [""], [0], [0]),
]


@pytest.mark.parametrize("given, tokens, starts, ends", SCRIPTS)
def test_text_is_split_where_the_script_changes(given, tokens, starts, ends):
    pytest.importorskip("fontTools")
    found = text.UnicodeScriptTokenizer(keep_whitespace=True, with_offsets=True)(given)
    assert [part.tolist() for part in found] == [tokens, starts, ends]
    found = text.UnicodeScriptTokenizer()(given).tolist()
    assert found == [token for token in tokens if token not in (" ", "\t\n", "\xa0")]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("low lower lowest\nnew newer newest\nwide wider widest\n" * 20)
    return str(path)


PIECES = {  # the number of pieces; the pieces of "newer lowest", and their ids
    "UNIGRAM": (14, [*"▁newer▁lowest"], [11, 7, 13, 12, 13, 3, 11, 8, 6, 12, 13, 5, 4]),
    "BPE": (25, ["▁ne", "wer", "▁lo", "we", "st"], [10, 13, 9, 3, 7]),
    "CHAR": (14, [*"▁newer▁lowest"], [5, 9, 3, 4, 3, 11, 5, 8, 10, 4, 3, 12, 13]),
    "WORD": (11, ["▁newer", "▁lowest"], [7, 5]),
}
MODELS = text.SentencePieceModel


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_trained_model_cuts_text_into_its_pieces(corpus, model, tmp_path):
    pytest.importorskip("sentencepiece")
    size, pieces, numbers = PIECES[model.name]
    vocab = text.SentencePieceVocab.from_file([corpus], size, 1.0, model, {})
    kinds = text.SPieceTokenizerOutType
    assert text.SentencePieceTokenizer(vocab, kinds.STRING)("newer lowest").tolist() == pieces
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "pieces.model")
    from_file = text.SentencePieceTokenizer(str(tmp_path / "pieces.model"), kinds.INT)
    found = from_file("newer lowest")
    assert found.tolist() == numbers
    assert found.dtype == np.int32
    assert from_file("").tolist() == []
    lines = ds.TextFileDataset(corpus, shuffle=False)
    vocab = text.SentencePieceVocab.from_dataset(lines, ["text"], size, 1.0, model, {})
    assert text.SentencePieceTokenizer(vocab, kinds.STRING)("newer lowest").tolist() == pieces


@pytest.mark.parametrize(
    "arguments, kind",
    [
        (("x", 60, 1.0, MODELS.BPE, {}), TypeError),
        ((["nofile"], 60, 1.0, MODELS.BPE, {}), RuntimeError),
        ((None, -1, 1.0, MODELS.BPE, {}), ValueError),
        ((None, 6.5, 1.0, MODELS.BPE, {}), TypeError),
        ((None, 60, 2, MODELS.BPE, {}), TypeError),
        ((None, 60, 1.5, MODELS.BPE, {}), RuntimeError),
        ((None, 60, 1.0, 0, {}), TypeError),
        ((None, 60, 1.0, MODELS.BPE, None), TypeError),
        ((None, 60, 1.0, MODELS.BPE, {"a": 1}), TypeError),
        ((None, 60000, 1.0, MODELS.UNIGRAM, {}), RuntimeError),
    ],
)
def test_training_refuses_wrong_arguments(corpus, arguments, kind):
    if kind is RuntimeError:
        pytest.importorskip("sentencepiece")
    files, *others = arguments
    with pytest.raises(kind, match="^For 'SentencePieceVocab.from_file'"):
        text.SentencePieceVocab.from_file(files or [corpus], *others)


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda vocab: text.SentencePieceVocab.save_model(1, ".", "x"), TypeError),
        (lambda vocab: text.SentencePieceVocab.save_model(vocab, 1, "x"), TypeError),
        (lambda vocab: text.SentencePieceVocab.save_model(vocab, "nofolder", "x"), RuntimeError),
        (lambda vocab: text.SentencePieceTokenizer(1, text.SPieceTokenizerOutType.INT), TypeError),
        (lambda vocab: text.SentencePieceTokenizer(vocab, 1), TypeError),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(call, kind):
    with pytest.raises(kind):
        call(text.SentencePieceVocab())


def test_an_absent_library_is_named_with_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ImportError, match=r"mindspore-compat\[text\]"):
        text.SentencePieceTokenizer("pieces.model", text.SPieceTokenizerOutType.INT)("a")
