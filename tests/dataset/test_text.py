"""Text features that tests/recorded/dataset_calls.py does not cover: files, own decisions,
pipelines.
"""

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import text

pytestmark = pytest.mark.quick


@pytest.fixture
def vocab():
    return text.Vocab.from_list(["a", "b", "c", "[UNK]"])


def test_a_vocab_of_a_file_takes_the_part_of_each_line_before_the_delimiter(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a,1\nb,2\nc\n", encoding="utf-8")
    assert text.Vocab.from_file(str(path)).vocab() == {"a,1": 0, "b,2": 1, "c": 2}
    assert text.Vocab.from_file(str(path), ",").vocab() == {"a": 0, "b": 1, "c": 2}
    assert text.Vocab.from_file(str(path), ",", 2, ["<p>"]).vocab() == {"<p>": 0, "a": 1, "b": 2}
    assert text.Vocab.from_file(str(path), ",", 2, ["<p>"], False).tokens_to_ids("<p>") == 2


@pytest.mark.parametrize(
    "arguments, kind",
    [
        ({"vocab_size": 0}, ValueError),
        ({"vocab_size": "a"}, TypeError),
        ({"delimiter": 3}, TypeError),
        ({"special_tokens": ["c"]}, ValueError),
        ({"special_tokens": "c"}, TypeError),
        ({"special_first": 1}, TypeError),
    ],
)
def test_a_vocab_of_a_file_refuses_wrong_arguments(tmp_path, arguments, kind):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\nc\n")
    with pytest.raises(kind):
        text.Vocab.from_file(str(path), **arguments)


def test_lower_case_folds_and_strips_accents_but_leaves_what_is_preserved():
    tokens = text.BasicTokenizer(lower_case=True)(np.array("ÀÉ [UNK] Straße"))
    assert tokens.tolist() == ["ae", "[UNK]", "strasse"]
    tokens = text.BasicTokenizer(lower_case=True, preserve_unused_token=False)(np.array("A[UNK]"))
    assert tokens.tolist() == ["a", "[", "unk", "]"]


def test_offsets_count_bytes_of_utf8():
    tokens, starts, ends = text.WhitespaceTokenizer(True)(np.array("你好 b"))
    assert (tokens.tolist(), starts.tolist(), ends.tolist()) == (["你好", "b"], [0, 7], [6, 8])
    assert starts.dtype == ends.dtype == np.uint32


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda vocab: text.Lookup(vocab, "zz"), RuntimeError),
        (lambda vocab: text.Lookup({"a": 1}), TypeError),
        (lambda vocab: text.Ngram(2, ["", 0]), ValueError),
        (lambda vocab: text.WordpieceTokenizer(vocab, max_bytes_per_token=-1), ValueError),
        (lambda vocab: text.BertTokenizer(vocab, lower_case=1), TypeError),
        (lambda vocab: text.NormalizeUTF8("NFC"), TypeError),
        (lambda vocab: text.PythonTokenizer(3), TypeError),
        (lambda vocab: text.SlidingWindow(0), ValueError),
        (lambda vocab: text.ToNumber("bool"), TypeError),
        (
            lambda vocab: text.Vocab.from_dataset(ds.NumpySlicesDataset(["a"]), freq_range=(3, 1)),
            ValueError,
        ),
    ],
)
def test_wrong_arguments_are_refused_at_construction(vocab, make, kind):
    with pytest.raises(kind, match="^For '"):
        make(vocab)


def test_a_window_longer_than_the_text_gives_none():
    assert text.SlidingWindow(3)(np.arange(2)).shape == (0,)


def test_the_length_of_a_pair_is_looked_at_in_use():
    one, other = np.array([1, 2, 3]), np.array([4, 5])
    assert [part.tolist() for part in text.TruncateSequencePair(True)(one, other)] == [[1], []]
    for length, kind in (("a", TypeError), (1.0, TypeError), (-1, ValueError)):
        with pytest.raises(kind, match="^For 'TruncateSequencePair', 'max_length'"):
            text.TruncateSequencePair(length)(one, other)


def test_text_becomes_numbers_in_a_pipeline(vocab):
    rows = ds.NumpySlicesDataset(["a b", "c zz a"], ["text"], shuffle=False)
    rows = rows.map([text.WhitespaceTokenizer(), text.Lookup(vocab, "[UNK]")], ["text"])
    rows = rows.padded_batch(2, pad_info={"text": ([4], -1)})
    ((batch,),) = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert batch.tolist() == [[0, 1, -1, -1], [2, 3, 0, -1]]


def test_a_function_tokenizes_bytes_as_text():
    split = text.PythonTokenizer(str.split)
    assert split(np.array("café au lait".encode())).tolist() == ["café", "au", "lait"]
    with pytest.raises(RuntimeError, match="must be UTF-8"):
        split(np.array(b"\xff"))
    with pytest.raises(RuntimeError, match="text of 0 axes"):
        split(np.array([b"a", b"b"]))


def test_a_vocabulary_gives_a_single_token_without_the_list():
    vocab = text.Vocab.from_list(["one", "two"])
    assert vocab.tokens_to_ids(["two"]) == 1 and vocab.ids_to_tokens([1]) == "two"
    assert vocab.tokens_to_ids(["two", "x"]) == [1, -1] and vocab.ids_to_tokens([]) == []
