"""Text classification datasets in CSV files: AG News, Amazon, DBpedia, Sogou, Yahoo and Yelp."""

import csv

import numpy as np

from ._documented import documented_corpus
from .corpus_files import TrainTest, TrainTestWorkersLast

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "DBpediaDataset",
    "SogouNewsDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]


class _Rows:
    """Reads the rows of train.csv and test.csv; all columns are text."""

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


@documented_corpus
class AGNewsDataset(_Rows, TrainTest):
    """Reads the news of AG News into the columns "index", "title" and "description", all text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("ag_news")
        >>> with open("ag_news/train.csv", "w") as file:
        ...     print('"3","Rates","They rose, again."', file=file)
        >>> data = ds.AGNewsDataset("ag_news", usage="train")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['3', 'Rates', 'They rose, again.']

    Source: mindspore.dataset.AGNewsDataset of 2.10.
    """

    _names_of_columns = ("index", "title", "description")


@documented_corpus
class AmazonReviewDataset(_Rows, TrainTest):
    """Reads the reviews of Amazon, polarity or full, into the columns "label", "title" and
    "content", all text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("amazon")
        >>> with open("amazon/test.csv", "w") as file:
        ...     print('"2","Fine","It works."', file=file)
        >>> data = ds.AmazonReviewDataset("amazon", usage="test")
        >>> [(str(row["label"]), str(row["title"])) for row in data.create_dict_iterator()]
        [('2', 'Fine')]

    Source: mindspore.dataset.AmazonReviewDataset of 2.10.
    """

    _names_of_columns = ("label", "title", "content")


@documented_corpus
class DBpediaDataset(_Rows, TrainTest):
    """Reads the articles of DBpedia into the columns "class", "title" and "content", all text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("dbpedia")
        >>> with open("dbpedia/train.csv", "w") as file:
        ...     print('9,"Alder","A village."', file=file)
        >>> data = ds.DBpediaDataset("dbpedia", usage="train")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['9', 'Alder', 'A village.']

    Source: mindspore.dataset.DBpediaDataset of 2.10.
    """

    _names_of_columns = ("class", "title", "content")


@documented_corpus
class YahooAnswersDataset(_Rows, TrainTest):
    """Reads the questions of Yahoo into the columns "class", "title", "content" and "answer", all
    text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("yahoo")
        >>> with open("yahoo/train.csv", "w") as file:
        ...     print('"5","Why?","Tell me.","Because."', file=file)
        >>> data = ds.YahooAnswersDataset("yahoo", usage="train")
        >>> data.get_col_names(), data.get_dataset_size()
        (['class', 'title', 'content', 'answer'], 1)

    Source: mindspore.dataset.YahooAnswersDataset of 2.10.
    """

    _names_of_columns = ("class", "title", "content", "answer")


@documented_corpus
class SogouNewsDataset(_Rows, TrainTestWorkersLast):
    """Reads the news of Sogou into the columns "index", "title" and "content", all text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("sogou")
        >>> with open("sogou/test.csv", "w") as file:
        ...     print('"4","title","content"', file=file)
        >>> data = ds.SogouNewsDataset("sogou", usage="test")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['4', 'title', 'content']

    Source: mindspore.dataset.SogouNewsDataset of 2.10.
    """

    _names_of_columns = ("index", "title", "content")


@documented_corpus
class YelpReviewDataset(_Rows, TrainTestWorkersLast):
    """Reads the reviews of Yelp, polarity or full, into the columns "label" and "text", both text.

    Args:
        dataset_dir (str): the folder of train.csv and test.csv.

    Example:
        >>> import os
        >>> from mindspore_compat import dataset as ds
        >>> os.makedirs("yelp")
        >>> with open("yelp/train.csv", "w") as file:
        ...     print('"1","Never again."', file=file)
        >>> data = ds.YelpReviewDataset("yelp", usage="train")
        >>> [str(text) for text in next(data.create_tuple_iterator(output_numpy=True))]
        ['1', 'Never again.']

    Source: mindspore.dataset.YelpReviewDataset of 2.10.
    """

    _names_of_columns = ("label", "text")
