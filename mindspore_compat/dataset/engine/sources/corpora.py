"""Text datasets of lines, tagged words and questions: CoNLL-2000, UDPOS, Penn Treebank, WikiText,
EnWik9, IMDb, SST2 and SQuAD.
"""

import os

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import Bool, OneOf, Str
from ...._io.reading import json_of
from ..._rules import Samples, Workers
from ..pipeline import TextBaseDataset
from ..sampler import Shuffle
from ._documented import documented, documented_corpus
from .corpus_files import TRAIN_VALID_TEST, Corpus, TrainTestWorkersLast, TrainValidTest
from .generator import Shard, Shards
from .listed_rows import Listed, lines_of, names_in
from .mnist_cifar import exclusive, folder
from .text import ShuffleMode, shard_in_range, together

__all__ = [
    "CoNLL2000Dataset",
    "EnWik9Dataset",
    "IMDBDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "UDPOSDataset",
    "WikiTextDataset",
]


class _Lines:
    """Reads the lines of the files; empty lines are skipped."""

    def _read(self, path):
        return ([np.array(line)] for line in lines_of(path) if line)


@documented_corpus
class PennTreebankDataset(_Lines, TrainValidTest):
    """Reads the lines of the Penn Treebank, in one column, "text".

    Args:
        dataset_dir (str): the folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt.
        usage (str, optional): "train", "test", "valid" or "all"; by default all.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("treebank")
        >>> with open("treebank/ptb.test.txt", "w") as file:
        ...     print("no it was n't", file=file)
        >>> data = ds.PennTreebankDataset("treebank", usage="test")
        >>> [str(text) for text, in data.create_tuple_iterator(output_numpy=True)]
        ["no it was n't"]

    Source: mindspore.dataset.PennTreebankDataset of 2.10.
    """

    _names = {
        "train": ["ptb.train.txt"],
        "valid": ["ptb.valid.txt"],
        "test": ["ptb.test.txt"],
        "all": ["ptb.test.txt", "ptb.train.txt", "ptb.valid.txt"],
    }


@documented_corpus
class WikiTextDataset(_Lines, TrainValidTest):
    """Reads the lines of WikiText-2 or WikiText-103, in one column, "text".

    Args:
        dataset_dir (str): the folder of wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens.
        usage (str, optional): "train", "test", "valid" or "all"; by default all.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("wiki")
        >>> with open("wiki/wiki.valid.tokens", "w") as file:
        ...     print("= Title =", "", "A line .", sep=chr(10), file=file)
        >>> data = ds.WikiTextDataset("wiki", usage="valid", shuffle=False)
        >>> [str(text) for text, in data.create_tuple_iterator(output_numpy=True)]
        ['= Title =', 'A line .']

    Source: mindspore.dataset.WikiTextDataset of 2.10.
    """

    _names = {
        "train": ["wiki.train.tokens"],
        "valid": ["wiki.valid.tokens"],
        "test": ["wiki.test.tokens"],
        "all": ["wiki.test.tokens", "wiki.train.tokens", "wiki.valid.tokens"],
    }


class _Tagged:
    """Reads a file with one word per line. An empty line ends a sentence. Column k of the dataset
    has the k-th field of every line of a sentence.
    """

    _between = None

    def _read(self, path):
        sentence = []
        for number, line in enumerate([*lines_of(path), ""], 1):
            if line.strip():
                words = line.split(self._between)
                if len(words) != len(self._names_of_columns):
                    raise RuntimeError(
                        f"Line {number} of {path!r} must have "
                        f"{len(self._names_of_columns)} entries, but is {line!r}."
                    )
                sentence.append(words)
            elif sentence:
                yield [np.array(column) for column in zip(*sentence, strict=True)]
                sentence = []


@documented_corpus
class CoNLL2000Dataset(_Tagged, TrainTestWorkersLast):
    """Reads the sentences of CoNLL-2000 into the columns "word", "pos_tag" and "chunk_tag", each a
    list of text.

    Args:
        dataset_dir (str): the folder of train.txt and test.txt.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("conll")
        >>> with open("conll/train.txt", "w") as file:
        ...     print("He PRP B-NP", "runs VBZ B-VP", sep=chr(10), file=file)
        >>> data = ds.CoNLL2000Dataset("conll", usage="train")
        >>> [column.tolist() for column in next(data.create_tuple_iterator(output_numpy=True))]
        [['He', 'runs'], ['PRP', 'VBZ'], ['B-NP', 'B-VP']]

    Source: mindspore.dataset.CoNLL2000Dataset of 2.10.
    """

    _names = {"train": ["train.txt"], "test": ["test.txt"], "all": ["test.txt", "train.txt"]}
    _names_of_columns = ("word", "pos_tag", "chunk_tag")


@documented_corpus
class UDPOSDataset(_Tagged, Corpus):
    """Reads the sentences of UDPOS into the columns "word", "universal" and "stanford", each a list
    of text.

    Args:
        dataset_dir (str): the folder of en-ud-tag.v2.train.txt, en-ud-tag.v2.dev.txt and
            en-ud-tag.v2.test.txt.
        usage (str, optional): "train", "test", "valid" or "all"; by default all.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("udpos")
        >>> with open("udpos/en-ud-tag.v2.train.txt", "w") as file:
        ...     print("He", "PRON", "PRP", sep=chr(9), file=file)
        >>> data = ds.UDPOSDataset("udpos", usage="train")
        >>> [column.tolist() for column in next(data.create_tuple_iterator(output_numpy=True))]
        [['He'], ['PRON'], ['PRP']]

    Source: mindspore.dataset.UDPOSDataset of 2.10.
    """

    _names = {
        "train": ["en-ud-tag.v2.train.txt"],
        "valid": ["en-ud-tag.v2.dev.txt"],
        "test": ["en-ud-tag.v2.test.txt"],
        "all": ["en-ud-tag.v2.dev.txt", "en-ud-tag.v2.test.txt", "en-ud-tag.v2.train.txt"],
    }
    _names_of_columns = ("word", "universal", "stanford")
    _between = "\t"

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_VALID_TEST = None,
        num_samples: Samples = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        num_parallel_workers: Workers = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)


@documented_corpus
class EnWik9Dataset(Corpus):
    """Reads the lines of EnWik9, including empty ones, in one column, "text".

    Args:
        dataset_dir (str): the folder of enwik9.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("enwik")
        >>> with open("enwik/enwik9", "w") as file:
        ...     print("<page>", "<title>A</title>", sep=chr(10), file=file)
        >>> data = ds.EnWik9Dataset("enwik", shuffle=False)
        >>> [str(text) for text, in data.create_tuple_iterator(output_numpy=True)]
        ['<page>', '<title>A</title>']

    Source: mindspore.dataset.EnWik9Dataset of 2.10.
    """

    _names = {"all": ["enwik9"]}

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = True,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, "all", num_parallel_workers, order, cache)

    def _read(self, path):
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                yield [np.array(line.removesuffix("\n"))]


@documented_corpus
class SST2Dataset(Corpus):
    """Reads the sentences of SST2 into the columns "sentence" and, except for "test", "label", both
    text.

    Args:
        dataset_dir (str): the folder of train.tsv, dev.tsv and test.tsv.
        usage (str, optional): "train", "test" or "dev"; by default the first.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("sst2")
        >>> with open("sst2/dev.tsv", "w") as file:
        ...     for row in (("sentence", "label"), ("a joy", "1")):
        ...         print(*row, sep=chr(9), file=file)
        >>> data = ds.SST2Dataset("sst2", usage="dev")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['a joy', '1']

    Source: mindspore.dataset.SST2Dataset of 2.10.
    """

    _names = {each: [f"{each}.tsv"] for each in ("train", "test", "dev")}

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "dev") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage or "train", num_parallel_workers, order, cache)

    def _columns(self):
        return ["sentence"] if self.usage == "test" else ["sentence", "label"]

    def _read(self, path):
        names = self._columns()
        header, *lines = (line.split("\t") for line in lines_of(path) if line)
        missing = [name for name in names if name not in header]
        if missing:
            raise RuntimeError(
                f"The first line of {path!r} must name the column {missing[0]!r}, "
                f"but it names {header}."
            )
        indices = [header.index(name) for name in names]
        for number, fields in enumerate(lines, 2):
            if len(fields) != len(header):
                raise RuntimeError(
                    f"Line {number} of {path!r} must have {len(header)} fields, but "
                    f"has {len(fields)}."
                )
            yield [np.array(fields[index]) for index in indices]


_SQUAD = {
    "train": ("train-v1.1.json", "train-v2.0.json"),
    "dev": ("dev-v1.1.json", "dev-v2.0.json"),
}


@documented_corpus
class SQuADDataset(Corpus):
    """Reads the questions of SQuAD 1.1 or 2.0 into the columns "context", "question", "text" and
    "answer_start".

    The column "text" is the list of answers and "answer_start" their positions, uint32; without an
    answer, they are "" and 2 ** 32 - 1.

    Args:
        dataset_dir (str): the folder of train-v1.1.json and dev-v1.1.json, or of the files of v2.0.
        usage (str, optional): "train", "dev" or "all"; by default all.

    Example:
        >>> import json, os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("squad")
        >>> asked = {"question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
        >>> with open("squad/dev-v1.1.json", "w") as file:
        ...     json.dump({"data": [{"paragraphs": [{"context": "Ada.", "qas": [asked]}]}]}, file)
        >>> data = ds.SQuADDataset("squad", usage="dev")
        >>> [column.tolist() for column in next(data.create_tuple_iterator(output_numpy=True))]
        ['Ada.', 'Who?', ['Ada'], [0]]

    Source: mindspore.dataset.SQuADDataset of 2.10.
    """

    _names_of_columns = ("context", "question", "text", "answer_start")

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "dev", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        folder("SQuADDataset", dataset_dir)
        usage = usage or "all"
        names = [
            next(
                (name for name in _SQUAD[part] if os.path.isfile(os.path.join(dataset_dir, name))),
                _SQUAD[part][0],
            )
            for part in (("train", "dev") if usage == "all" else (usage,))
        ]
        self._names = {usage: names}
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)

    def _read(self, path):
        for article in json_of(path)["data"]:
            for paragraph in article["paragraphs"]:
                context = np.array(paragraph["context"])
                for entry in paragraph["qas"]:
                    texts = [answer["text"] for answer in entry["answers"]] or [""]
                    starts = [answer["answer_start"] for answer in entry["answers"]] or [-1]
                    yield [
                        context,
                        np.array(entry["question"]),
                        np.array(texts),
                        np.array(starts).astype(np.uint32),
                    ]


@documented
class IMDBDataset(Listed, TextBaseDataset):
    """Reads the reviews of IMDb into the columns "text" and "label" (int32, 1 for positive and 0
    for negative reviews).

    Args:
        dataset_dir (str): the folder of train and test, each with the folders pos and neg.
        usage (str, optional): "train", "test" or "all"; by default all.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> for kind, text in (("pos", "A joy."), ("neg", "A bore.")):
        ...     os.makedirs(f"imdb/test/{kind}")
        ...     with open(f"imdb/test/{kind}/0_1.txt", "w") as file:
        ...         print(text, file=file)
        >>> data = ds.IMDBDataset("imdb", usage="test", shuffle=False)
        >>> [(str(row["text"]), int(row["label"])) for row in data.create_dict_iterator()]
        [('A joy.', 1), ('A bore.', 0)]

    Source: mindspore.dataset.IMDBDataset of 2.10.
    """

    _has_classes = True

    @checked(*exclusive)
    def __init__(
        self,
        dataset_dir: Str,
        usage: OneOf("train", "test", "all") = None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: Bool = None,
        sampler=None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )
        self.dataset_dir = folder("IMDBDataset", dataset_dir)
        self.usage = usage or "all"

    def _columns(self):
        return ["text", "label"]

    def num_classes(self):
        """Returns 2."""
        return 2

    def _list(self):
        for part in ("train", "test") if self.usage == "all" else (self.usage,):
            for kind, label in (("pos", 1), ("neg", 0)):
                path = os.path.join(self.dataset_dir, part, kind)
                yield from ((os.path.join(path, name), label) for name in names_in(path))

    def _make_row(self, path, label):
        return [np.array("\n".join(lines_of(path))), np.array(label, np.int32)]
