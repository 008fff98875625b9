"""Translation datasets: IWSLT 2016 and 2017, Multi30k."""

import os
import xml.etree.ElementTree

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import OneOf, Str
from ...._io.reading import set_position
from ..._rules import Samples, Workers
from ..sampler import Shuffle
from ._documented import documented_corpus
from .corpus_files import TRAIN_VALID_TEST, Corpus
from .generator import Shard, Shards
from .listed_rows import lines_of
from .text import ShuffleMode, shard_in_range, together

__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset", "Multi30kDataset"]

_SETS = OneOf("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
_PAIRS_2016 = [
    (one, other) for each in ("ar", "de", "fr", "cs") for one, other in (("en", each), (each, "en"))
]
_LANGUAGES = ("en", "nl", "de", "it", "ro")
_PAIRS_2017 = [(one, other) for one in _LANGUAGES for other in _LANGUAGES if one != other]


def _pair(api, pair, pairs, default, error=ValueError):
    """Checks a pair of languages.

    Raises:
        TypeError: if it is not a list or tuple of two strs.
        ValueError: if it is not a known pair.
    """
    if pair is None:
        return default
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        kind = error if isinstance(pair, (list, tuple)) else TypeError
        raise kind(
            f"For '{api}', 'language_pair' must be a list or a tuple of two languages, but "
            f"got {pair!r}."
        )
    if not all(isinstance(language, str) for language in pair):
        raise TypeError(f"For '{api}', 'language_pair' must hold strs, but got {pair!r}.")
    if tuple(pair) not in pairs:
        raise ValueError(f"For '{api}', 'language_pair' must be one of {pairs}, but got {pair!r}.")
    return tuple(pair)


class _Pairs(Corpus):
    """Base class of rows from pairs of files; `dataset_files` lists the first file of each pair."""

    _names_of_columns = ("text", "translation")

    def _read(self, path):
        other = path[: path.rindex(self._mark(self._pair[0]))] + self._mark(self._pair[1])
        sentences, translations = self._sentences(path), self._sentences(other)
        if len(sentences) != len(translations):
            raise RuntimeError(
                f"{path!r} and {other!r} must have as many sentences, but have "
                f"{len(sentences)} and {len(translations)}."
            )
        for row in zip(sentences, translations, strict=True):
            yield [np.array(sentence) for sentence in row]


class _Talks(_Pairs):
    """Base class of talks: lines of train.tags files, except tags, and segments of XML files."""

    def _mark(self, language):
        return f".{language}"

    def _read(self, path):
        if not path.endswith(".xml"):
            yield from super()._read(path)
            return
        other = path.removesuffix(f"{self._pair[0]}.xml") + f"{self._pair[1]}.xml"
        sources, targets = _segments(path), _segments(other)
        if len(sources) != len(targets):
            raise RuntimeError(
                f"{path!r} and {other!r} must have as many segments, but have "
                f"{len(sources)} and {len(targets)}."
            )
        for row in zip(sources, targets, strict=True):
            yield [np.array(sentence) for sentence in row]

    def _sentences(self, path):
        lines = (line.strip() for line in lines_of(path))
        return [line for line in lines if line and not line.startswith("<")]


def _segments(path):
    set_position(path)
    root = xml.etree.ElementTree.parse(path).getroot()
    return [(element.text or "").strip() for element in root.iter("seg")]


@documented_corpus
class IWSLT2016Dataset(_Talks):
    """Reads the talks of IWSLT 2016 into the columns "text" and "translation".

    Args:
        dataset_dir (str): the folder of texts, which holds folders such as de/en/de-en.
        usage (str, optional): "train", "valid", "test" or "all"; by default all.
        language_pair (Union[list, tuple], optional): the source and target language: English and
            French, German, Czech or Arabic, such as ("en", "fr"); by default ("de", "en").
        valid_set (str, optional): "dev2010", "tst2010", "tst2011", "tst2012", "tst2013" or
            "tst2014", for validation; by default "tst2013".
        test_set (str, optional): one of the same sets, for test; by default "tst2014".

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> folder = "iwslt2016/texts/de/en/de-en"
        >>> os.makedirs(folder)
        >>> for language, line in (("de", "Guten Tag"), ("en", "Good day")):
        ...     with open(f"{folder}/train.tags.de-en.{language}", "w") as file:
        ...         print("<title>A talk</title>", line, sep=chr(10), file=file)
        >>> data = ds.IWSLT2016Dataset("iwslt2016", usage="train", language_pair=("de", "en"))
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['Guten Tag', 'Good day']

    Source: mindspore.dataset.IWSLT2016Dataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_VALID_TEST = None,
        language_pair=None,
        valid_set: _SETS = None,
        test_set: _SETS = None,
        num_samples: Samples = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        num_parallel_workers: Workers = None,
        cache=None,
    ):
        self._pair = _pair("IWSLT2016Dataset", language_pair, _PAIRS_2016, ("de", "en"), TypeError)
        self.language_pair = list(self._pair)
        self.valid_set, self.test_set = valid_set or "tst2013", test_set or "tst2014"
        source, target = self._pair
        folder = os.path.join("texts", source, target, f"{source}-{target}")
        files = {"train": [os.path.join(folder, f"train.tags.{source}-{target}.{source}")]}
        for part, name in (("valid", self.valid_set), ("test", self.test_set)):
            files[part] = [
                os.path.join(folder, f"IWSLT16.TED.{name}.{source}-{target}.{source}.xml")
            ]
        self._names = {**files, "all": [*files["train"], *files["valid"], *files["test"]]}
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)


@documented_corpus
class IWSLT2017Dataset(_Talks):
    """Reads the talks of IWSLT 2017 into the columns "text" and "translation".

    Args:
        dataset_dir (str): the folder of texts, which holds the folder
            DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo.
        usage (str, optional): "train", "valid", "test" or "all"; by default all.
        language_pair (Union[list, tuple], optional): the source and target language: two of "en",
            "nl", "de", "it" and "ro"; by default ("de", "en").

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> folder = "iwslt2017/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
        >>> os.makedirs(folder)
        >>> for language, line in (("nl", "Goede dag"), ("it", "Buongiorno")):
        ...     with open(f"{folder}/train.tags.nl-it.{language}", "w") as file:
        ...         print(line, file=file)
        >>> data = ds.IWSLT2017Dataset("iwslt2017", usage="train", language_pair=("nl", "it"))
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['Goede dag', 'Buongiorno']

    Source: mindspore.dataset.IWSLT2017Dataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_VALID_TEST = None,
        language_pair=None,
        num_samples: Samples = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        num_parallel_workers: Workers = None,
        cache=None,
    ):
        self._pair = _pair("IWSLT2017Dataset", language_pair, _PAIRS_2017, ("de", "en"), TypeError)
        self.language_pair = list(self._pair)
        source, target = self._pair
        folder = os.path.join("texts", *["DeEnItNlRo"] * 2, "DeEnItNlRo-DeEnItNlRo")
        files = {"train": [os.path.join(folder, f"train.tags.{source}-{target}.{source}")]}
        for part, name in (("valid", "dev2010"), ("test", "tst2010")):
            files[part] = [
                os.path.join(folder, f"IWSLT17.TED.{name}.{source}-{target}.{source}.xml")
            ]
        self._names = {**files, "all": [*files["train"], *files["valid"], *files["test"]]}
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)


_ROOMS = {"train": "training/train", "valid": "validation/val", "test": "mmt16_task1_test/test"}


def _test_room(folder, language):
    """Returns the path of the test files, without the language. The page calls them val.*, and
    MindSpore reads test.*."""
    documented = "mmt16_task1_test/val"
    is_there = [
        os.path.exists(os.path.join(folder, f"{stem}.{language}"))
        for stem in (_ROOMS["test"], documented)
    ]
    return documented if is_there == [False, True] else _ROOMS["test"]


@documented_corpus
class Multi30kDataset(_Pairs):
    """Reads the descriptions of Multi30k into the columns "text" and "translation".

    Args:
        dataset_dir (str): the folder of training/train.*, validation/val.* and
            mmt16_task1_test/test.*. Without the last, mmt16_task1_test/val.* are the test files.
        usage (str, optional): "train", "test", "valid" or "all"; by default all.
        language_pair (Union[list, tuple], optional): ("en", "de") or ("de", "en"); by default the
            first.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("multi30k/training")
        >>> for language, line in (("de", "Ein Hund"), ("en", "A dog")):
        ...     with open(f"multi30k/training/train.{language}", "w") as file:
        ...         print(line, file=file)
        >>> data = ds.Multi30kDataset("multi30k", usage="train")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['A dog', 'Ein Hund']

    Source: mindspore.dataset.Multi30kDataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_dir: Str,
        usage: TRAIN_VALID_TEST = None,
        language_pair=None,
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = None,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        self._pair = _pair(
            "Multi30kDataset", language_pair, [("en", "de"), ("de", "en")], ("en", "de")
        )
        self.language_pair = list(self._pair)
        rooms = {**_ROOMS, "test": _test_room(dataset_dir, self._pair[0])}
        files = {part: [f"{stem}.{self._pair[0]}"] for part, stem in rooms.items()}
        self._names = {**files, "all": [*files["test"], *files["train"], *files["valid"]]}
        shuffle = Shuffle.GLOBAL if shuffle is None else shuffle
        order = num_samples, shuffle, num_shards, shard_id
        self._set(dataset_dir, usage, num_parallel_workers, order, cache)

    def _mark(self, language):
        return f".{language}"

    def _sentences(self, path):
        return [line for line in lines_of(path) if line]
