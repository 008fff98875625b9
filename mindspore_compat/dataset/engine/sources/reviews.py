"""Sources of classified texts in CSV files: AG News, Amazon, DBpedia, Sogou, Yahoo and Yelp."""

import csv

import numpy as np

from .corpus_files import TrainTest, TrainTestWorkersLast, documented

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "DBpediaDataset",
    "SogouNewsDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]


class _Rows:
    """Rows of train.csv and test.csv, all columns text."""

    def _read(self, path):
        count = len(self._names_of_columns)
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            for fields in filter(None, reader):
                if len(fields) != count:
                    raise RuntimeError(
                        f"In line {reader.line_num} of {path!r} there must be "
                        f"{count} fields, but there are {len(fields)}."
                    )
                yield [np.array(field) for field in fields]


@documented
class AGNewsDataset(_Rows, TrainTest):
    """The news of AG News: the columns "index", "title" and "description", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common>

    Raises:
        <raises>

    Source: mindspore.dataset.AGNewsDataset of 2.10.
    """

    _names_of_columns = ("index", "title", "description")


@documented
class AmazonReviewDataset(_Rows, TrainTest):
    """The reviews of Amazon, polarity or full: the columns "label", "title" and "content", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common>

    Raises:
        <raises>

    Source: mindspore.dataset.AmazonReviewDataset of 2.10.
    """

    _names_of_columns = ("label", "title", "content")


@documented
class DBpediaDataset(_Rows, TrainTest):
    """The articles of DBpedia: the columns "class", "title" and "content", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common>

    Raises:
        <raises>

    Source: mindspore.dataset.DBpediaDataset of 2.10.
    """

    _names_of_columns = ("class", "title", "content")


@documented
class YahooAnswersDataset(_Rows, TrainTest):
    """The questions of Yahoo: the columns "class", "title", "content" and "answer", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common>

    Raises:
        <raises>

    Source: mindspore.dataset.YahooAnswersDataset of 2.10.
    """

    _names_of_columns = ("class", "title", "content", "answer")


@documented
class SogouNewsDataset(_Rows, TrainTestWorkersLast):
    """The news of Sogou: the columns "index", "title" and "content", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common last>

    Raises:
        <raises>

    Source: mindspore.dataset.SogouNewsDataset of 2.10.
    """

    _names_of_columns = ("index", "title", "content")


@documented
class YelpReviewDataset(_Rows, TrainTestWorkersLast):
    """The reviews of Yelp, polarity or full: the columns "label" and "text", text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.
        usage (str, optional): "train", "test" or "all"; by default all.
        <common last>

    Raises:
        <raises>

    Source: mindspore.dataset.YelpReviewDataset of 2.10.
    """

    _names_of_columns = ("label", "text")
