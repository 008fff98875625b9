"""Converters of tables to MindRecord files: CSV and TFRecord."""

import csv
import math
import os
import re

import numpy as np

from ..._io.reading import reading
from ..._io.tfrecord import TFRecordError, parse_example, records
from ._base import check_number, check_paths, write

_TF_TYPES = {
    "string": "string",
    "int8": "int32",
    "int16": "int32",
    "int32": "int32",
    "int64": "int64",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
    "bool": "int32",
}


class CsvToMR:
    """Converts a CSV file, whose first line names the columns, to MindRecord files.

    A column of integers becomes int64, of numbers float64 (an empty field is nan), of True and
    False int32, any other text.

    Args:
        source (str): the CSV file.
        destination (str): the file to write.
        columns_list (list[str], optional): the columns to convert; by default all.
        partition_number (int, optional): the number of files.

    Raises:
        ValueError: if an argument is not a path, list of str or number of files.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> from mindspore_compat.mindrecord import CsvToMR
        >>> with open("cities.csv", "w") as file:
        ...     print("name,people", "Oslo,700000", sep=chr(10), file=file)
        >>> CsvToMR("cities.csv", "cities.mindrecord").transform()
        >>> data = ds.MindDataset("cities.mindrecord").create_dict_iterator(output_numpy=True)
        >>> [(str(row["name"]), int(row["people"])) for row in data]
        [('Oslo', 700000)]

    Source: mindspore.mindrecord.CsvToMR of MindSpore 2.10.
    """

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        check_paths("CsvToMR", source=source, destination=destination)
        if columns_list and not (
            isinstance(columns_list, list) and all(isinstance(name, str) for name in columns_list)
        ):
            raise ValueError(
                f"For 'CsvToMR', 'columns_list' must be a list of str, but got {columns_list!r}."
            )
        check_number("CsvToMR", partition_number)
        self.source, self.destination = source, destination
        self.columns_list, self.partition_number = columns_list, partition_number

    def transform(self):
        """Writes the files.

        Raises:
            OSError: if there is not a CSV file.
            RuntimeError: if it is not a CSV or no UTF-8, has no columns or two of one name, a line
                has the wrong number of them, or one of `columns_list` is not there.
            ValueError: if a column's name is a number, or has other than letters, digits and _.
            MRMOpenError: if a file exists already.
        """
        names, columns = self._read()
        selected_names = self.columns_list or names
        missing = [name for name in selected_names if name not in names]
        if missing or not names:
            raise RuntimeError(
                f"For 'CsvToMR', 'columns_list' must be among the columns of "
                f"{self.source!r}, {names}, but got {selected_names}."
            )
        for name in selected_names:
            if name.isdigit() or not re.fullmatch(r"\w+", name, re.ASCII):
                raise ValueError(
                    f"For 'CsvToMR', the first line of {self.source!r} must name the "
                    f"columns by letters, digits and _, but has {name!r}."
                )
        types_and_values = {
            name: _infer_type(columns[names.index(name)]) for name in selected_names
        }
        schema = {name: {"type": dtype} for name, (dtype, _) in types_and_values.items()}
        rows = (
            dict(zip(selected_names, values, strict=True))
            for values in zip(*(values for _, values in types_and_values.values()), strict=True)
        )
        write(
            self.destination,
            rows,
            schema,
            "csv_schema",
            list(selected_names),
            self.partition_number,
        )

    run = transform

    def _read(self):
        if not os.path.isfile(self.source):
            raise FileNotFoundError(f"There is no CSV file {self.source!r}.")
        with reading(self.source), open(self.source, newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if line]
        names = lines[0] if lines else []
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise RuntimeError(f"{self.source!r} has two columns with the name {twice[0]!r}.")
        for number, line in enumerate(lines[1:], 2):
            if len(line) != len(names):
                raise RuntimeError(
                    f"{self.source!r} has {len(line)} fields in row {number}, but "
                    f"{len(names)} columns."
                )
        return names, list(zip(*lines[1:], strict=True)) or [()] * len(names)


def _infer_type(texts):
    """Returns the type and the converted values of a column."""
    for dtype, convert in (("int64", _whole), ("float64", _number), ("int32", _truth)):
        try:
            return dtype, [convert(text) for text in texts]
        except (ValueError, KeyError):
            continue
    return "string", list(texts)


def _whole(text):
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError("too large")
    return value


def _number(text):
    return float(text) if text else math.nan


def _truth(text):
    return {"True": 1, "TRUE": 1, "true": 1, "False": 0, "FALSE": 0, "false": 0}[text]


class TFRecordToMR:
    """Converts a TFRecord file to a MindRecord file.

    Args:
        source (str): the TFRecord file.
        destination (str): the file to write.
        feature_dict (dict): the features, by name: anything with the `shape` (a list of at most one
            length) and the `dtype` of a `tf.io.FixedLenFeature`. TensorFlow is not needed.
        bytes_fields (list[str], optional): the text features that are bytes.

    Raises:
        ValueError: if an argument is not as it must be.

    Source: mindspore.mindrecord.TFRecordToMR of MindSpore 2.10.
    """

    def __init__(self, source, destination, feature_dict, bytes_fields=None):
        check_paths("TFRecordToMR", source=source, destination=destination)
        if not isinstance(feature_dict, dict) or not all(
            hasattr(feature, "shape") and hasattr(feature, "dtype")
            for feature in feature_dict.values()
        ):
            raise ValueError(
                f"For 'TFRecordToMR', 'feature_dict' must be a dict of "
                f"FixedLenFeatures, but got {feature_dict!r}."
            )
        bytes_fields = [] if bytes_fields is None else bytes_fields
        self.source, self.destination, self.feature_dict = source, destination, feature_dict
        self._types = {name: _tf_type(name, feature) for name, feature in feature_dict.items()}
        if not isinstance(bytes_fields, list) or not all(
            self._types.get(name) == "string" for name in bytes_fields
        ):
            raise ValueError(
                f"For 'TFRecordToMR', 'bytes_fields' must be a list of features of "
                f"text, but got {bytes_fields!r}."
            )
        self._types.update(dict.fromkeys(bytes_fields, "bytes"))
        self.mindrecord_schema = {
            _name(name): {"type": dtype, **_shape(feature_dict[name])}
            for name, dtype in self._types.items()
        }

    def transform(self):
        """Writes the file.

        Raises:
            OSError: if there is not a TFRecord file.
            ValueError: if it is damaged, or a record does not agree with `feature_dict`.
            MRMOpenError: if the file to write exists already.
        """
        if not os.path.exists(self.source):
            raise FileNotFoundError(f"There is no TFRecord file {self.source!r}.")
        write(
            self.destination,
            map(self._row, records(self.source)),
            self.mindrecord_schema,
            "TFRecord to MindRecord",
        )

    run = transform

    def _row(self, data):
        features = parse_example(data)
        return {_name(name): self._value(name, features.get(name)) for name in self.feature_dict}

    def _value(self, name, values):
        length = _shape(self.feature_dict[name]).get("shape", [1])[0]
        text = self._types[name] in ("string", "bytes")
        if values is None or len(values) != length or isinstance(values, list) != text:
            raise TFRecordError(
                f"{self.source!r} has a record whose feature {name!r} is "
                f"{values!r}, but must be {length} of {self._types[name]}."
            )
        if text:
            return values[0] if self._types[name] == "bytes" else str(values[0], "utf-8")
        array = np.asarray(values, self._types[name])
        return array if "shape" in self.mindrecord_schema[_name(name)] else array[0].item()


def _name(name):
    """Returns a feature's name with only letters, digits and _."""
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in name)


def _shape(feature):
    lengths = list(feature.shape or ())
    return {"shape": lengths} if lengths else {}


def _tf_type(name, feature):
    dtype = getattr(feature.dtype, "name", feature.dtype)
    lengths = list(feature.shape or ())
    if (
        dtype not in _TF_TYPES
        or len(lengths) > 1
        or not all(type(length) is int and length > 0 for length in lengths)
        or (lengths and dtype == "string")
    ):
        raise ValueError(
            f"For 'TFRecordToMR', 'feature_dict' must hold numbers with at most one "
            f"length, or single texts, but {name!r} is {dtype!r} with {lengths}."
        )
    return _TF_TYPES[dtype]
