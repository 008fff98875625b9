"""Writes MindRecord files; mindrecord.py describes their format.

Rows are written directly to pages in temporary files; only offsets stay in memory. Closing writes
the header and the index, and then renames all files. When appending to a file, new pages follow the
old ones and the index is replaced last: until then, a reader finds the old rows.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import urllib.parse
import weakref

from .files import AtomicFile, replacing
from .mindrecord import PLACES, VERSION, Layout, companions, read_header
from .mindrecord_encryption import encrypted, readable, settings
from .mindrecord_errors import (
    MRMCommitError,
    MRMInvalidHeaderSizeError,
    MRMInvalidPageSizeError,
    MRMOpenError,
    MRMOpenForAppendError,
    MRMWriteDatasetError,
)
from .mindrecord_index import rows_of_index
from .reading import reading

HEADER_SIZES = (1 << 14, 1 << 27)
PAGE_SIZES = (1 << 15, 1 << 28)
_SQL_TYPES = {
    "string": "TEXT",
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "REAL",
    "float64": "REAL",
}
_PLACES = (
    "ROW_ID",
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "ROW_GROUP_ID",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)


class Pages:
    """The pages of one file while rows are written to it.

    A blob page holds one group of rows. The raw parts of a group are in one raw page, which may
    hold several groups.

    Args:
        file: the file, open for writing.
        header (dict): the header; pages are appended to "page".
        rows (int): the number of rows already written.
    """

    def __init__(self, file, header, rows):
        self.file, self.header, self.rows = file, header, rows
        self.locations = []
        self.indexed = []
        self._raw = self._blob = None

    def add(self, raw, blob, savings, index_values):
        """Writes a row, and records its location and its indexed values."""
        raw, blob = (len(part).to_bytes(8, "little") + part for part in (raw, blob))
        size = self.header["page_size"]
        if self._raw is None or self._raw["page_size"] + len(raw) > size:
            self._raw, self._blob = self._page("RAW_DATA"), None
        if self._blob is None or self._blob["page_size"] + len(blob) > size:
            self._blob = self._page("BLOB_DATA")
            group = {"id": self._blob["page_type_id"], "offset": self._raw["page_size"]}
            self._raw["row_group_ids"].append(group)
            self._blob["row_group_ids"].append({"id": 0, "offset": 0})
            self._blob["start_row_id"] = self.rows
        self.locations.append(
            (
                self.rows,
                *self._put(self._raw, raw),
                self._blob["page_type_id"],
                *self._put(self._blob, blob),
            )
        )
        self.indexed.append(index_values)
        self.rows += 1
        self._blob["end_row_id"] = self.rows
        self.header["compression_size"] = max(0, self.header["compression_size"] + savings)

    def _page(self, kind):
        pages = self.header["page"]
        page = {
            "page_id": len(pages),
            "page_type": kind,
            "page_size": 0,
            "row_group_ids": [],
            "page_type_id": sum(page_info["page_type"] == kind for page_info in pages),
            "shard_id": self.header["shard_id"],
            "start_row_id": 0,
            "end_row_id": 0,
        }
        pages.append(page)
        return page

    def _put(self, page, data):
        begin = page["page_size"]
        self.file.seek(
            self.header["header_size"] + page["page_id"] * self.header["page_size"] + begin
        )
        self.file.write(data)
        page["page_size"] += len(data)
        return page["page_id"], begin, page["page_size"]

    def finish(self):
        """Writes the header.

        Raises:
            MRMInvalidHeaderSizeError: if it does not fit into its space.
        """
        text = _as_json(self.header)
        if len(text) + 8 > self.header["header_size"]:
            raise MRMInvalidHeaderSizeError(
                f"the header of {len(text)} bytes needs more space than "
                f"{self.header['header_size']} bytes; see 'set_header_size'"
            )
        self.file.seek(0, os.SEEK_END)
        if self.file.tell() < self.header["header_size"]:
            self.file.truncate(self.header["header_size"])
        self.file.seek(0)
        self.file.write(len(text).to_bytes(8, "little") + text)


def _as_json(header):
    """Returns the header as JSON in MindSpore's form, with null for no pages."""
    return json.dumps({**header, "page": header["page"] or None}, separators=(",", ":")).encode()


def _check_pages(header):
    """Checks the parts of a header that only a writer needs. Stores an empty list of pages as None.

    Raises:
        ValueError: if it is not valid.
    """
    pages, numbers = header["page"] or [], [header["compression_size"], header["shard_id"]]
    if not isinstance(pages, list) or not all(
        isinstance(page, dict) and "page_type" in page for page in pages
    ):
        raise ValueError("its list of pages is not valid")
    if not all(type(number) is int for number in numbers):
        raise ValueError(f"its compression size and number are {numbers}")
    header["page"] = pages


class Writer:
    """Writes all files of one dataset.

    Args:
        paths (list[str]): the files.
        schema (dict): the fields.
        desc (str): the schema's description.
        indexed (list[str]): the fields of the index.
        header_size (int): the size of a header in bytes.
        page_size (int): the size of a page in bytes.
    """

    def __init__(self, paths, schema, desc, indexed, header_size, page_size):
        self.paths = self.targets = paths
        self.layout, self.indexed = Layout(schema), indexed
        self.appended = False
        self._unnamed = []
        self._finalizer = weakref.finalize(self, _discard, self._unnamed)
        self._next = 0
        schemas = [{"blob_fields": self.layout.blob, "desc": desc, "schema": self.layout.schema}]
        self.pages = []
        for number, path in enumerate(paths):
            header = {
                "header_size": header_size,
                "page": [],
                "page_size": page_size,
                "index_fields": [{"index_field": name, "schema_id": 0} for name in indexed],
                "compression_size": 0,
                "schema": schemas,
                "shard_id": number,
                "shard_addresses": [os.path.basename(file) for file in paths],
                "statistics": None,
                "version": VERSION,
            }
            self.pages.append(Pages(self._create(path).file, header, 0))

    @classmethod
    def appending(cls, path):
        """Returns a writer that appends rows to a file and the files written with it.

        Raises:
            MRMOpenForAppendError: if a file is missing or is not a MindRecord file.
        """
        self = cls.__new__(cls)
        self.appended, self._unnamed, self.pages, self._next = True, [], [], 0
        self._finalizer = weakref.finalize(self, _discard, self._unnamed)
        try:
            self.targets = companions(path)
            self.paths = [readable(target, fresh=True) for target in self.targets]
            for target, file_path in zip(self.targets, self.paths, strict=True):
                header = read_header(target, file_path)
                with reading(target, MRMOpenError):
                    _check_pages(header)
                    rows = len(rows_of_index(file_path, PLACES))
                self.pages.append(Pages(open(file_path, "r+b"), header, rows))  # noqa: SIM115 - kept
        except (OSError, MRMOpenError) as error:
            raise MRMOpenForAppendError(f"{path!r} cannot be appended to: {error}") from error
        self.layout = Layout(header["schema"][0]["schema"])
        self.indexed = [file_path["index_field"] for file_path in header["index_fields"] or ()]
        return self

    def _create(self, path):
        try:
            new = AtomicFile(path, 0o600)
        except OSError as error:
            raise MRMOpenError(f"{path!r} cannot be written: {error.strerror}") from error
        self._unnamed.append(new)
        return new

    def add(self, rows):
        """Writes rows, distributed evenly; the files with the fewest rows get one more."""
        packed_rows = self._pack(rows)
        share, remainder = divmod(len(packed_rows), len(self.pages))
        extra = sorted(range(len(self.pages)), key=lambda index: self.pages[index].rows)[:remainder]
        at = 0
        for index, pages in enumerate(self.pages):
            end = at + share + (index in extra)
            with _failing_as(MRMWriteDatasetError, self.paths[index]):
                for row in packed_rows[at:end]:
                    pages.add(*row)
            at = end

    def _pack(self, rows):
        """Packs rows to bytes, with their indexed values.

        Raises:
            MRMInvalidPageSizeError: if a row does not fit into a page.
        """
        packed_rows = [
            (*self.layout.pack(row), [row[name] for name in self.indexed]) for row in rows
        ]
        largest = 8 + max(len(part) for row in packed_rows for part in row[:2])
        size = self.pages[0].header["page_size"]
        if largest > size:
            raise MRMInvalidPageSizeError(
                f"a row of {largest} bytes needs larger pages than "
                f"{size} bytes; see 'set_page_size'"
            )
        return packed_rows

    def add_to_next(self, rows):
        """Writes each row to the next file in turn."""
        for row in self._pack(rows):
            with _failing_as(MRMWriteDatasetError, self.paths[self._next]):
                self.pages[self._next].add(*row)
        self._next = (self._next + 1) % len(self.pages)

    def finish(self):
        """Writes headers and indexes, encrypts the files if required, and renames them."""
        for path, pages in zip(self.paths, self.pages, strict=True):
            with _failing_as(MRMCommitError, path):
                pages.finish()
                if self.appended:
                    pages.file.flush()
                    os.fsync(pages.file.fileno())
                    pages.file.close()
                self._index(path, pages)
        for file in self._unnamed:
            with _failing_as(MRMCommitError, file.path):
                file.sync()
        if settings.key is not None or self.paths != self.targets:
            self._encrypt()
        with contextlib.ExitStack() as stack:
            with _failing_as(MRMCommitError, self.targets[0]):
                stack.enter_context(replacing(os.path.dirname(os.path.abspath(self.targets[0]))))
            while self._unnamed:
                with _failing_as(MRMCommitError, self._unnamed[0].path):
                    self._unnamed[0].replace()
                del self._unnamed[0]

    def _encrypt(self):
        """Replaces the plain new files by encrypted ones, while none has its final name."""
        plain = list(self._unnamed)
        temporaries = {file.path: file.temporary for file in plain}
        for path, target in zip(self.paths, self.targets, strict=True):
            for ending in ("", ".db"):
                source = os.path.abspath(path + ending)
                self._unnamed.append(encrypted(temporaries.get(source, source), target + ending))
        del self._unnamed[: len(plain)]
        _discard(plain)

    def _index(self, path, pages):
        part, fields = self._create(f"{path}.db").temporary, self.layout.schema
        if self.appended:
            shutil.copyfile(f"{path}.db", part)
        with contextlib.closing(_private_database(part)) as base:
            if not self.appended:
                fields_text = "".join(
                    f",INC_{index} INT, {name}_0 {_SQL_TYPES[fields[name]['type']]}"
                    for index, name in enumerate(self.indexed)
                )
                key = "".join(f",INC_{index}" for index in range(len(self.indexed)))
                base.execute(
                    f"CREATE TABLE INDEXES("
                    f"{', '.join(f'{name} INT NOT NULL' for name in _PLACES)}{fields_text}, "
                    f"PRIMARY KEY(ROW_ID{key}))"
                )
                base.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
                base.execute("INSERT INTO SHARD_NAME VALUES(?)", (os.path.basename(path),))
            marks = ",".join("?" * (len(_PLACES) + 2 * len(self.indexed)))
            base.executemany(
                f"INSERT INTO INDEXES VALUES({marks})",
                (
                    (*location, *_with_zeros(values))
                    for location, values in zip(pages.locations, pages.indexed, strict=True)
                ),
            )
            base.commit()


def _with_zeros(values):
    """Yields 0 and the value, for each value. The 0 is the number of the schema, which the format
    stores with each value; a file has only one schema."""
    for value in values:
        yield 0
        yield value.item() if hasattr(value, "item") else value


def _private_database(path):
    """Returns a database that only this process uses: it needs neither locks nor a journal."""
    base = sqlite3.connect(f"file:{urllib.parse.quote(os.fsencode(path))}?nolock=1", uri=True)
    base.execute("PRAGMA journal_mode=OFF")
    base.execute("PRAGMA synchronous=OFF")  # AtomicFile flushes it to disk
    return base


@contextlib.contextmanager
def _failing_as(kind, path):
    """Converts an OS error to a MindRecord error with the file's name."""
    try:
        yield
    except (OSError, sqlite3.Error, UnicodeEncodeError) as error:  # the last of a name
        raise kind(f"{path!r} cannot be written: {error}") from error


def _discard(files):
    """Removes the files of a writer that was not finished."""
    for file in files:
        file.discard()
