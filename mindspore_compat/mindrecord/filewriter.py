"""FileWriter: writes rows to MindRecord files."""

import copy
import os
import re

import numpy as np

from .. import log
from .._core.rules.vocabulary import Bool
from .._io.mindrecord import Layout
from .._io.mindrecord_encryption import settings
from .._io.mindrecord_errors import (
    MRMAddIndexError,
    MRMAddSchemaError,
    MRMBuildSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidHeaderSizeError,
    MRMInvalidPageSizeError,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
)
from .._io.mindrecord_writing import HEADER_SIZES, PAGE_SIZES, Writer
from ._checks import check_file_name

_ARRAYS = ("int32", "int64", "float32", "float64")
_SCALARS = {
    int: ("int32", "int64"),
    float: ("float32", "float64"),
    str: ("string",),
    bytes: ("bytes",),
    np.int32: ("int32",),
    np.int64: ("int64",),
    np.float32: ("float32",),
    np.float64: ("float64",),
}


class FileWriter:
    """Writes rows to MindRecord files.

    The files have temporary names until `commit` has completed them.

    Args:
        file_name (str): the file; for several files, a number is appended.
        shard_num (int, optional): the number of files, in [1, 1000].
        overwrite (bool, optional): whether to replace existing files.

    Raises:
        ParamValueError: if an argument is of the wrong type or out of range.

    Example:
        >>> from mindspore_compat.mindrecord import FileReader, FileWriter
        >>> writer = FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 5}])
        >>> writer.commit()
        >>> FileReader("data.mindrecord").len()
        2

    Source: mindspore.mindrecord.FileWriter of MindSpore 2.10.
    """

    def __init__(self, file_name, shard_num=1, overwrite=False):
        check_file_name("FileWriter", file_name)
        if not isinstance(shard_num, int) or not 1 <= shard_num <= 1000:
            raise ParamValueError(
                f"For 'FileWriter', 'shard_num' must be an int in [1, 1000], but got {shard_num!r}."
            )
        if not isinstance(overwrite, bool):
            raise ParamValueError(
                f"For 'FileWriter', 'overwrite' must be a bool, but got {overwrite!r}."
            )
        if shard_num > 1 and settings.key is not None:
            raise RuntimeError(
                f"For 'FileWriter', 'shard_num' must be 1 where files are encrypted, but got "
                f"{shard_num}."
            )
        digits = len(str(shard_num - 1))
        self._paths = (
            [file_name]
            if shard_num == 1
            else [f"{file_name}{number:0{digits}d}" for number in range(shard_num)]
        )
        self._overwrite = overwrite
        self._schema, self._desc, self._indexed = None, "", []
        self._header_size, self._page_size = 1 << 24, 1 << 25
        self._writer = self._parallel = None
        self._committed = False

    @classmethod
    def open_for_append(cls, file_name):
        """Returns a writer that appends rows to a file and the files written with it.

        Args:
            file_name (str): the file.

        Raises:
            ParamValueError: if `file_name` is not a name of a file.
            MRMOpenForAppendError: if a file is missing or damaged, or is not a MindRecord file.
        """
        self = cls(file_name)
        self._writer = Writer.appending(file_name)
        self._paths = self._writer.targets
        self._schema = self._writer.layout.schema
        return self

    def add_schema(self, content, desc=None):
        """Sets the fields of the rows.

        Args:
            content (dict): a dict by name with "type": "int32", "int64", "float32", "float64",
                "string" or "bytes"; and for an array of numbers "shape", a list with -1 for one
                unknown length.
            desc (str, optional): a description of the rows.

        Raises:
            MRMInvalidSchemaError: if it is empty or no dict, or a field is not as it must be.
            MRMBuildSchemaError: if a shape has more than one unknown length.
            MRMAddSchemaError: if a shape is not a list of ints, or there is a schema already.
            TypeError: if `desc` is neither a str nor None.
        """
        if not isinstance(content, dict) or not content:
            raise MRMInvalidSchemaError(
                f"For 'FileWriter', 'content' must be a dict with fields, but got {content!r}."
            )
        for name, field in content.items():
            _check_field(name, field)
        if desc is not None and not isinstance(desc, str):
            raise TypeError(
                f"For 'FileWriter', 'desc' must be a str or None, but got {desc!r} of type "
                f"{type(desc).__name__}."
            )
        if self._schema is not None:
            raise MRMAddSchemaError("For 'FileWriter', there is a schema already.")
        self._schema, self._desc = copy.deepcopy(content), desc or ""

    def add_index(self, index_fields):
        """Sets the fields of the index; by default all fields that hold a number or text.

        Args:
            index_fields (list[str]): the fields.

        Raises:
            ParamTypeError: if `index_fields` is not a list of names, or is empty.
            MRMGetMetaError: if there is no schema yet.
            MRMDefineIndexError: if a field holds bytes or an array.
            MRMAddIndexError: if a field is unknown or given twice.
        """
        if (
            not isinstance(index_fields, list)
            or not index_fields
            or not all(isinstance(name, str) for name in index_fields)
        ):
            raise ParamTypeError(
                f"For 'FileWriter', 'index_fields' must be a list of str, but got {index_fields!r}."
            )
        layout = self._layout()
        for number, name in enumerate(index_fields):
            if name in layout.blob:
                raise MRMDefineIndexError(
                    f"For 'FileWriter', 'index_fields' must be numbers or "
                    f"text, but {name!r} is bytes or an array."
                )
            if name not in layout.raw or name in (*self._indexed, *index_fields[:number]):
                raise MRMAddIndexError(
                    f"For 'FileWriter', 'index_fields' must be fields of the "
                    f"schema, each once, but got {name!r}."
                )
        self._indexed = [*self._indexed, *index_fields]

    def _layout(self):
        if self._schema is None:
            raise MRMGetMetaError("For 'FileWriter', 'add_schema' must be called first.")
        return Layout(self._schema)

    def set_header_size(self, header_size):
        """Sets the size of headers in bytes.

        Args:
            header_size (int): in [16 KiB, 128 MiB], a multiple of 4.

        Raises:
            MRMInvalidHeaderSizeError: if `header_size` is out of range.
        """
        _check_size("header_size", header_size, HEADER_SIZES, MRMInvalidHeaderSizeError)
        self._header_size = header_size

    def set_page_size(self, page_size):
        """Sets the size of pages in bytes; a row must fit into one page.

        Args:
            page_size (int): in [32 KiB, 256 MiB], a multiple of 4.

        Raises:
            MRMInvalidPageSizeError: if `page_size` is out of range.
        """
        _check_size("page_size", page_size, PAGE_SIZES, MRMInvalidPageSizeError)
        self._page_size = page_size

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Writes rows. A row that does not agree with the schema is skipped with a warning.

        Args:
            raw_data (list[dict]): the rows, as dicts from fields to values.
            parallel_writer (bool, optional): whether each call writes its rows to one file, the
                next call to the next file; by default, rows are distributed over all files.

        Raises:
            TypeError: if `parallel_writer` is not a bool.
            ParamTypeError: if `raw_data` is not a list of dicts.
            MRMGetMetaError: if there is no schema.
            MRMOpenError: if a file exists already, or cannot be written.
            MRMInvalidPageSizeError: if a row is larger than a page.
            MRMWriteDatasetError: if the rows cannot be written; the disk may be full.
            RuntimeError: if no row agrees with the schema, `parallel_writer` changes, or `commit`
                was called.
        """
        Bool.refuse("FileWriter", "parallel_writer", parallel_writer)
        if self._parallel not in (None, parallel_writer):
            raise RuntimeError("For 'FileWriter', 'parallel_writer' must be the same in all calls.")
        if not isinstance(raw_data, list) or not all(isinstance(row, dict) for row in raw_data):
            raise ParamTypeError(
                f"For 'FileWriter', 'raw_data' must be a list of dicts, but got {raw_data!r}."
            )
        if self._committed:
            raise RuntimeError(
                "For 'FileWriter', nothing can be written after 'commit'; see 'open_for_append'."
            )
        self._layout()
        rows = [row for number, row in enumerate(raw_data) if self._agrees(number, row)]
        if not rows:
            raise RuntimeError(
                "For 'FileWriter', 'raw_data' must have rows that agree with the "
                "schema; warnings say what is wrong."
            )
        writer = self._open_writer()
        self._parallel = parallel_writer
        (writer.add_to_next if parallel_writer else writer.add)(rows)

    def _agrees(self, number, row):
        for name, field in self._schema.items():
            reason = _mismatch(name, field, row)
            if reason:
                log.warning("Row %d is left out: %s", number, reason)
                return False
        return True

    def _open_writer(self):
        """Returns the writer; the first call creates the files."""
        if self._writer is None:
            existing = [
                file
                for path in self._paths
                for file in (path, f"{path}.db")
                if os.path.exists(file)
            ]
            if existing and not self._overwrite:
                raise MRMOpenError(
                    f"For 'FileWriter', {existing} exist already; with "
                    f"'overwrite=True' they are replaced."
                )
            self._writer = Writer(
                self._paths,
                self._schema,
                self._desc,
                self._indexed or self._layout().raw,
                self._header_size,
                self._page_size,
            )
        return self._writer

    def commit(self):
        """Completes the files and their indexes.

        Raises:
            MRMGetMetaError: if there is no schema.
            MRMOpenError: if a file exists already, or cannot be written.
            MRMInvalidHeaderSizeError: if the header does not fit into the space for it.
            MRMCommitError: if the files cannot be completed; those they replace are still there.
            RuntimeError: if it was called before.
        """
        if self._committed:
            raise RuntimeError("For 'FileWriter', 'commit' can be called only once.")
        self._layout()
        self._open_writer().finish()
        self._committed = True


def _check_field(name, field):
    if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
        raise MRMInvalidSchemaError(
            f"For 'FileWriter', names of fields must have letters, digits "
            f"and _ only, but got {name!r}."
        )
    whole = isinstance(field, dict) and field.get("type") in (*_ARRAYS, "string", "bytes")
    if (
        not whole
        or set(field) - {"type", "shape"}
        or (
            "shape" in field
            and (field["type"] not in _ARRAYS or not isinstance(field["shape"], list))
        )
    ):
        raise MRMInvalidSchemaError(
            f"For 'FileWriter', the field {name!r} must have a type, and "
            f"with a numeric type perhaps a shape, but got {field!r}."
        )
    shape = field.get("shape", [])
    if not all(type(length) is int and (length > 0 or length == -1) for length in shape):
        raise MRMAddSchemaError(
            f"For 'FileWriter', the shape of {name!r} must have lengths > 0 or -1, but got {shape}."
        )
    if shape.count(-1) > 1:
        raise MRMBuildSchemaError(
            f"For 'FileWriter', the shape of {name!r} must have one -1 at most, but got {shape}."
        )


def _mismatch(name, field, row):
    """Returns the mismatch of one value of a row with the schema; "" for none."""
    if name not in row:
        return f"it has no field {name!r}"
    value = row[name]
    if isinstance(value, np.ndarray):
        if "shape" not in field or str(value.dtype) != field["type"]:
            return f"{name!r} is an array of {value.dtype}, but must be {field}"
        try:
            value.reshape(field["shape"])
        except ValueError:
            return f"{name!r} has shape {value.shape}, but must have {field['shape']}"
        return ""
    if field["type"] not in _SCALARS.get(type(value), ()) or "shape" in field:
        return f"{name!r} is {type(value).__name__}, but must be {field}"
    bits = {"int32": 31, "int64": 63}.get(field["type"])
    if bits and not -1 << bits <= value < 1 << bits:
        return f"{name!r} is {value}, which is no {field['type']}"
    return ""


def _check_size(name, size, limits, error):
    if type(size) is not int or size % 4 or not limits[0] <= size <= limits[1]:
        raise error(
            f"For 'FileWriter', '{name}' must be a multiple of 4 in "
            f"[{limits[0]}, {limits[1]}], but got {size!r}."
        )
