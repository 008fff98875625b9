"""CLUEDataset: the tasks of the Chinese language benchmark CLUE, from lines of JSON."""

import json

import numpy as np

from ...._core.rules.checked import checked
from ...._core.rules.vocabulary import AsValue, OneOf
from ...._io.reading import reading, set_position
from ..._rules import Names, Samples, Workers
from ..pipeline import TextBaseDataset
from ..sampler import Shuffle
from ._documented import documented
from .generator import Shard, Shards
from .text import FilesDataset, ShuffleMode, shard_in_range, together

__all__ = ["CLUEDataset"]

# For each task: the columns of training and evaluation, and the columns of a test.
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
    """Reads the rows of CLUE files, with one JSON object per line.

    The columns are the object's entries for the task, by name; the entries of "target" become
    separate columns. Integers are uint32, other values are text; "keyword" is a list of text.

    Args:
        dataset_files (Union[str, list[str]]): paths or patterns.
        task (str, optional): "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL".
        usage (str, optional): "train", "test" or "eval".
        shuffle (Union[bool, Shuffle], optional): whether files and rows are shuffled, or files
            alone.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a pattern matches no file, `task` or `usage` is invalid, or `shard_id` is out
            of range.
        RuntimeError: if only one of `num_shards` and `shard_id` is given; or, when the dataset is
            used, if a line is not a JSON object, or lacks a column.

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
        task: AsValue(OneOf(*_TASKS)) = "AFQMC",
        usage: AsValue(OneOf("train", "test", "eval")) = "train",
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
                    entry = _object(path, number, line)
                    yield [_column(path, number, entry, name) for name in columns]


def _object(path, number, line):
    set_position(path, number)
    entry = json.loads(line)
    if not isinstance(entry, dict):
        raise RuntimeError(
            f"In line {number} of {path!r} there must be an object, but there is {entry!r}."
        )
    return {**entry, **entry["target"]} if isinstance(entry.get("target"), dict) else entry


def _column(path, number, entry, name):
    if name not in entry:
        raise RuntimeError(
            f"In line {number} of {path!r} there must be {name!r}, but there are {sorted(entry)}."
        )
    value = entry[name]
    if name in ("id", "idx") or name.endswith("_index"):
        return np.array(int(value), np.uint32)
    return np.array(value if isinstance(value, (str, list)) else json.dumps(value))
