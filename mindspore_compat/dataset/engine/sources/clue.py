"""CLUEDataset: the tasks of the Chinese benchmark CLUE, lines of JSON."""

import json

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import OneOf
from ...._io.reading import at, reading
from ..._rules import Names, Samples, Workers
from ..pipeline import TextBaseDataset
from ..sampler import Shuffle
from ._documented import documented
from .generator import Shard, Shards
from .text import FilesDataset, ShuffleMode, shard_in_range, together

__all__ = ["CLUEDataset"]

# For each task: the columns of training and evaluation, and those of a test.
_TASKS = {
    "AFQMC": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "TNEWS": ("keywords label label_desc sentence", "id keywords sentence"),
    "IFLYTEK": ("label label_des sentence", "id sentence"),
    "CMNLI": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "WSC": (
        "idx label span1_index span1_text span2_index span2_text text",
        "idx span1_index span1_text span2_index span2_text text",
    ),
    "CSL": ("abst id keyword label", "abst id keyword"),
}


@documented
class CLUEDataset(FilesDataset, TextBaseDataset):
    """The rows of files of CLUE, one JSON object a line.

    Columns are the object's entries that the task has, by name; those of "target" stand by
    themselves. Whole numbers are uint32, all else is text; "keyword" is a list of text.

    Args:
        dataset_files (Union[str, list[str]]): paths or patterns.
        task (str, optional): "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL".
        usage (str, optional): "train", "test" or "eval".
        shuffle (Union[bool, Shuffle], optional): whether files and rows are shuffled, or files
            alone.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a pattern names no file, `task` or `usage` is another, or `shard_id` is out of
            range.
        RuntimeError: only one of `num_shards` and `shard_id` is given; or, when the dataset is
            used, a line is no JSON object, or lacks a column.

    Example:
        >>> import json
        >>> from mindspore_compat import dataset as ds
        >>> with open("train.json", "w") as file:
        ...     json.dump({"sentence1": "a", "sentence2": "b", "label": "1"}, file)
        >>> data = ds.CLUEDataset("train.json", task="AFQMC", usage="train")
        >>> sorted(data.get_col_names())
        ['label', 'sentence1', 'sentence2']

    Source: mindspore.dataset.CLUEDataset of 2.10.
    """

    @checked(together, shard_in_range)
    def __init__(
        self,
        dataset_files: Names,
        task: OneOf(*_TASKS) = "AFQMC",
        usage: OneOf("train", "test", "eval") = "train",
        num_samples: Samples = None,
        num_parallel_workers: Workers = None,
        shuffle: ShuffleMode = Shuffle.GLOBAL,
        num_shards: Shards = None,
        shard_id: Shard = None,
        cache=None,
    ):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        self._set_files(dataset_files, num_samples, shuffle, num_shards, shard_id)
        self.task, self.usage = task, usage

    def _columns(self):
        return _TASKS[self.task][self.usage == "test"].split()

    def _count(self):
        count = 0
        for path in self.dataset_files:
            with reading(path), open(path, encoding="utf-8") as file:
                count += sum(1 for line in file if line.strip())
        return count

    def _read(self, path):
        columns = self._columns()
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    found = _object(path, number, line)
                    yield [_column(path, number, found, name) for name in columns]


def _object(path, number, line):
    at(path, number)
    found = json.loads(line)
    if not isinstance(found, dict):
        raise RuntimeError(
            f"In line {number} of {path!r} there must be an object, but there is {found!r}."
        )
    return {**found, **found["target"]} if isinstance(found.get("target"), dict) else found


def _column(path, number, found, name):
    if name not in found:
        raise RuntimeError(
            f"In line {number} of {path!r} there must be {name!r}, but there are {sorted(found)}."
        )
    value = found[name]
    if name in ("id", "idx") or name.endswith("_index"):
        return np.array(int(value), np.uint32)
    return np.array(value if isinstance(value, (str, list)) else json.dumps(value))
