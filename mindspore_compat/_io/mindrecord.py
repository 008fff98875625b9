"""MindRecord files, read: the header, the index next to the file, and rows out of pages.

A file is a header and pages of one size. The header is a number of 8 bytes and that much JSON: the
schema, which pages hold rows, which files belong together. A row is stored in two parts: numbers
and text as MessagePack in a "raw" page, bytes and arrays in a "blob" page, both with 8 bytes of
length before them. Where, says the SQLite file `<file>.db`, which also holds the indexed fields.

Worked example. Of the schema {"data": bytes, "ids": int32 array, "label": int32} a row
(b"xy", [1, -2, 300], 5) is

    raw    0x81 0xA5 "label" 0x05
    blob   0 0 0 0 0 0 0 2 "xy"                                  length, most significant byte first
           0 0 0 0 0 0 0 9   0 0 0 3  0b00000100  1  254  44 1   ints: count, widths, the numbers

Each int is stored in the smallest of 1, 2, 4 or 8 bytes; two bits of a width say which (0 to 3),
four ints a byte, the first in the highest bits. A schema with a single blob field has no lengths in
its blob; one with none has four zero bytes. Writing is in
mindrecord_writing.py.
"""

import json
import os

import numpy as np

from .files import mapped
from .mindrecord_encryption import readable
from .mindrecord_errors import MRMOpenError, MRMUnsupportedSchemaError
from .mindrecord_index import rows_of_index
from .msgpack import pack_map, unpack_map
from .reading import reading

VERSION = "3.0"
_LIMITS = (1 << 7, 1 << 15, 1 << 31)
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)
NO_BLOB = b"\0\0\0\0"
PLACES = (
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)


class Layout:
    """How rows of one schema are stored.

    Args:
        schema (dict): the fields, by name; each with "type" and perhaps "shape".
    """

    def __init__(self, schema):
        self.schema = dict(sorted(schema.items()))
        self.blob = [
            name
            for name, field in self.schema.items()
            if field["type"] == "bytes" or "shape" in field
        ]
        self.raw = [name for name in self.schema if name not in self.blob]

    def pack(self, row):
        """The raw bytes, the blob bytes, and how many bytes smaller ints save."""
        raw = pack_map({name: _plain(row[name]) for name in self.raw} or {"id": 0})
        saved, parts = 0, []
        for name in self.blob:
            value = row[name]
            if isinstance(value, np.ndarray):
                part = np.ascontiguousarray(value).tobytes()
                if value.dtype.kind == "i":
                    saved += len(part)
                    part = _smallest_integers(value)
                    saved -= len(part)
            else:
                part = bytes(value)
            parts.append(part if len(self.blob) == 1 else len(part).to_bytes(8, "big") + part)
        return raw, b"".join(parts) or (b"" if self.blob else NO_BLOB), saved

    def unpack_raw(self, data):
        """The numbers and text of a row, by name."""
        found = unpack_map(data)
        return {name: found[name] for name in self.raw if name in found}

    def unpack_blob(self, data, wanted):
        """The bytes and arrays of a row, by name; arrays are read-only views where they can be.

        Raises:
            ValueError: the bytes are not what the schema says.
        """
        if len(self.blob) == 1:
            return {self.blob[0]: self._value(self.blob[0], data)}
        found, at = {}, 0
        for name in self.blob:
            if at + 8 > len(data):
                raise ValueError("a row is cut short")
            length = int.from_bytes(data[at : at + 8], "big")
            at += 8
            if length > len(data) - at:
                raise ValueError("a row is cut short")
            if name in wanted:
                found[name] = self._value(name, data[at : at + length])
            at += length
        return found

    def _value(self, name, data):
        field = self.schema[name]
        if field["type"] == "bytes":
            return bytes(data)
        if field["type"].startswith("int"):
            array = _as_dtype(data, field["type"])
        else:
            array = np.frombuffer(data, field["type"])
        try:
            return array.reshape(field["shape"])
        except ValueError as error:
            raise MRMUnsupportedSchemaError(
                f"the field {name!r} has {array.size} numbers, which do not make the shape "
                f"{field['shape']}"
            ) from error


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _smallest_integers(array):
    """An array of ints, each in the narrowest width that holds it."""
    numbers = array.reshape(-1).astype("<i8")
    widths = sum((numbers < -limit) | (numbers >= limit) for limit in _LIMITS) + np.zeros(
        numbers.shape, np.uint8
    )
    padded = np.zeros(-(-len(widths) // 4) * 4, np.uint8)
    padded[: len(widths)] = widths
    packed = np.bitwise_or.reduce(padded.reshape(-1, 4) << _SHIFTS, 1)
    used = np.arange(8) < (1 << widths.astype(int))[:, None]
    return (
        len(numbers).to_bytes(4, "big")
        + packed.astype(np.uint8).tobytes()
        + numbers.view(np.uint8).reshape(-1, 8)[used].tobytes()
    )


def _as_dtype(data, dtype):
    """The ints that `_smallest_integers` made bytes of."""
    count = int.from_bytes(data[:4], "big")
    begin = 4 + -(-count // 4)
    if begin > len(data):
        raise ValueError("an array of ints is cut short")
    packed = np.frombuffer(data, np.uint8, begin - 4, 4)
    widths = (packed[:, None] >> _SHIFTS & 3).reshape(-1)[:count]
    sizes = 1 << widths.astype(int)
    if begin + int(sizes.sum()) != len(data):
        raise ValueError("an array of ints has another length than it states")
    stored = np.frombuffer(data, np.uint8, offset=begin)
    starts = np.cumsum(sizes) - sizes
    out = np.empty(count, dtype)
    for width in range(4):
        chosen = widths == width
        if chosen.any():
            positions = starts[chosen][:, None] + np.arange(1 << width)
            out[chosen] = stored[positions].view(f"<i{1 << width}").reshape(-1)
    return out


def read_header(path):
    """The header of a file, as a dict.

    Raises:
        MRMOpenError: there is no such file, or it is no MindRecord file of this version.
    """
    with reading(path, MRMOpenError, "is not a MindRecord file that can be read"):
        with open(path, "rb") as file:
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8 or not 0 < length <= os.fstat(file.fileno()).st_size - 8:
                raise ValueError("it does not begin with the length of a header")
            header = json.loads(file.read(length))
        _check_header(header)
    return header


def _check_header(header):
    if header["version"] != VERSION:
        raise ValueError(f"its version is {header['version']!r}, not {VERSION!r}")
    if len(header["schema"]) != 1:
        raise ValueError(f"it has {len(header['schema'])} schemas, not one")
    fields = header["schema"][0]["schema"]
    for name, field in fields.items():
        if field["type"] not in ("bytes", "string", "int32", "int64", "float32", "float64"):
            raise ValueError(f"its field {name!r} is of type {field['type']!r}")
        shape = field.get("shape", [])
        if not isinstance(shape, list) or not all(type(length) is int for length in shape):
            raise ValueError(f"its field {name!r} is of shape {shape!r}")
    sizes = [header["header_size"], header["page_size"], len(header["shard_addresses"])]
    if not all(type(size) is int and 0 < size <= 1 << 28 for size in sizes):
        raise ValueError(f"its sizes are {sizes}")
    if not all(isinstance(name, str) for name in header["shard_addresses"]):
        raise ValueError(f"the names of its files are {header['shard_addresses']}")
    unknown = [
        each["index_field"]
        for each in header["index_fields"] or ()
        if each["index_field"] not in fields
    ]
    if unknown:
        raise ValueError(f"its index has the field {unknown[0]!r}, which is not in the schema")


class Shard:
    """One file and its index, opened for reading.

    Args:
        path (str): the file.

    Raises:
        MRMOpenError: it, or its index, cannot be read or is not what it should be.
    """

    def __init__(self, path):
        self.path, self._file = path, readable(path)
        self.header = read_header(self._file)
        self.schema = self.header["schema"][0]["schema"]
        self.layout = Layout(self.schema)
        self.indexed = [each["index_field"] for each in self.header["index_fields"] or ()]
        self._locations = self._read_locations()
        self._view = mapped(self._file)

    def __len__(self):
        return len(self._locations)

    def _read_locations(self):
        """For each row: where its raw and its blob part begin and end in the file."""
        with reading(f"{self.path}.db", MRMOpenError):
            found = np.array(rows_of_index(self._file, PLACES), np.int64).reshape(-1, 6)
        size, begin, page = (
            os.path.getsize(self._file),
            self.header["header_size"],
            self.header["page_size"],
        )
        if len(found) and not 0 <= found.min() <= found.max() <= size:
            raise MRMOpenError(
                f"{self.path!r} has {size} bytes, but its index names locations "
                f"from {found.min()} to {found.max()} in it."
            )
        raw, blob = begin + found[:, 0] * page, begin + found[:, 3] * page
        locations = np.stack(
            [raw + found[:, 1], raw + found[:, 2], blob + found[:, 4], blob + found[:, 5]], 1
        )
        if len(locations) and (locations.max() > size or locations.min() < begin):
            raise MRMOpenError(
                f"{self.path!r} is truncated: its index names rows up to byte "
                f"{locations.max()}, but it has {size} bytes."
            )
        return locations

    def row(self, number, columns):
        """The wanted columns of a row, by name.

        Raises:
            MRMOpenError: what is there is no row.
        """
        raw, raw_end, blob, blob_end = self._locations[number].tolist()
        found = {}
        with reading(self.path, MRMOpenError, f"is damaged at row {number}"):
            if any(name in self.layout.raw for name in columns):
                found = self.layout.unpack_raw(self._part(raw, raw_end))
            if any(name in self.layout.blob for name in columns):
                found |= self.layout.unpack_blob(self._part(blob, blob_end), columns)
            return {name: found[name] for name in columns}

    def _part(self, begin, end):
        if int.from_bytes(self._view[begin : begin + 8], "little") != end - begin - 8:
            raise ValueError("its length is not the one that the index states")
        return self._view[begin + 8 : end]

    def values(self, field):
        """The values of one field that holds numbers or text, row by row."""
        if field in self.indexed:
            return [value for (value,) in rows_of_index(self._file, [f"{field}_0"])]
        return [self.row(number, [field])[field] for number in range(len(self))]


class Records:
    """The rows of one or more files, opened for reading.

    Args:
        files (Union[str, list[str]]): one file, which brings those it was written with; or all.

    Raises:
        MRMOpenError: one cannot be read, or they differ in their schema.
    """

    def __init__(self, files):
        paths = companions(files) if isinstance(files, str) else list(files)
        self.shards = [Shard(path) for path in paths]
        self.schema = self.shards[0].schema
        for shard in self.shards:
            if shard.schema != self.schema:
                raise MRMOpenError(
                    f"{shard.path!r} has another schema than {paths[0]!r}: "
                    f"{shard.schema} and {self.schema}."
                )
        self.counts = [len(shard) for shard in self.shards]
        self._ends = np.cumsum(self.counts)

    def __len__(self):
        return int(self._ends[-1])

    def row(self, index, columns):
        """The wanted columns of a row, by name; rows are counted through the files."""
        shard_index = int(np.searchsorted(self._ends, index, "right"))
        return self.shards[shard_index].row(
            index - int(self._ends[shard_index] - self.counts[shard_index]), columns
        )

    def values(self, field):
        """The values of one field, row by row."""
        return [value for shard in self.shards for value in shard.values(field)]


def companions(path):
    """The files that one was written with, itself included, in order."""
    names = read_header(readable(path))["shard_addresses"]
    if len(names) == 1:
        return [path]
    return [os.path.join(os.path.dirname(path), os.path.basename(name)) for name in names]
