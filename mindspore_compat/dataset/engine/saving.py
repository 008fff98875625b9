"""Saves the rows of a dataset to MindRecord files: the implementation of `Dataset.save`."""

import itertools
import os
import re

import numpy as np

from ..._core import progress
from ..._core.rules.vocabulary import Int, Str, checked
from ..._io.mindrecord import Layout
from ..._io.mindrecord_errors import MindRecordException
from ..._io.mindrecord_writing import HEADER_SIZES, Writer

BLOCK = 1000  # rows that are written together
LIMIT = 1000  # files
PAGE_SIZE = 1 << 25
_STORED = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64", "uint64"), "int64"),
    **dict.fromkeys(("float16", "float32"), "float32"),
    "float64": "float64",
}


@checked
def save(dataset, file_name: Str, num_files: Int = 1, file_type: Str = "mindrecord"):
    """Saves the rows of one epoch; see `Dataset.save`."""
    if file_type != "mindrecord":
        raise ValueError(f"For 'save', 'file_type' must be 'mindrecord', but got {file_type!r}.")
    if not 1 <= num_files <= LIMIT:
        raise ValueError(f"For 'save', 'num_files' must be in [1, {LIMIT}], but got {num_files}.")
    paths = _paths(file_name, num_files)
    names, rows = dataset.get_col_names(), dataset._epoch(calls_back=True)
    with progress.bar(f"Saving {os.path.basename(file_name)}", dataset._size(), "rows") as bar:
        try:
            _write(paths, names, bar.counted(rows))
        except MindRecordException as error:
            raise RuntimeError(f"For 'save', {file_name!r} cannot be written: {error}") from error


def _write(paths, names, rows):
    """Writes the rows to new files, in blocks; the first row gives the schema."""
    block = list(itertools.islice(rows, BLOCK))
    if not block:
        raise RuntimeError("For 'save', the dataset must have rows.")
    schema = {name: _field(name, value) for name, value in zip(names, block[0], strict=True)}
    index_names = [name for name in Layout(schema).raw if re.fullmatch(r"\w+", name, re.ASCII)]
    writer = Writer(paths, schema, "", index_names, HEADER_SIZES[0], PAGE_SIZE)
    while block:
        values = [dict(zip(names, row, strict=True)) for row in block]
        writer.add([_to_record(schema, row) for row in values])
        block = list(itertools.islice(rows, BLOCK))
    writer.finish()


def _paths(file_name, num_files):
    """Returns the paths of the files; refuses files that exist."""
    folder = os.path.dirname(os.path.abspath(file_name))
    if not os.path.basename(file_name) or not os.path.isdir(folder):
        raise RuntimeError(
            f"For 'save', 'file_name' must be a file in a folder, but got {file_name!r}."
        )
    digits = len(str(num_files - 1))
    paths = [file_name]
    if num_files > 1:
        paths = [f"{file_name}{number:0{digits}d}" for number in range(num_files)]
    existing = [file for path in paths for file in (path, f"{path}.db") if os.path.exists(file)]
    if existing:
        raise RuntimeError(f"For 'save', {existing} must not exist yet.")
    return paths


def _field(name, value):
    """Returns the schema field of a column: numbers, arrays of numbers, text or bytes."""
    if value.dtype.kind in "SU":
        if value.size != 1:
            raise RuntimeError(
                f"For 'save', the column {name!r} must hold one text in a row, but got the shape "
                f"{value.shape}."
            )
        return {"type": "string" if value.dtype.kind == "U" else "bytes"}
    if str(value.dtype) not in _STORED:
        raise RuntimeError(
            f"For 'save', the column {name!r} must hold numbers or texts, but got {value.dtype}."
        )
    field = {"type": _STORED[str(value.dtype)]}
    return {**field, "shape": [-1, *value.shape[1:]]} if value.ndim else field


def _to_record(schema, row):
    """Converts a row to the form that the writer takes."""
    record = {}
    for name, field in schema.items():
        value = row[name]
        if _field(name, value) != field:
            raise RuntimeError(
                f"For 'save', the column {name!r} must hold the same in each row, but got "
                f"{_field(name, value)} after {field}."
            )
        value = np.asarray(value) if value.dtype.kind in "SU" else value.astype(field["type"])
        record[name] = value if value.ndim and "shape" in field else value.reshape(-1)[0].item()
    return record
